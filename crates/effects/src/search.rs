//! Finds effects by the words that people use for them. The command line and the window share this ranking.

use base::suggestion::nearest;

use super::{EffectSpec, Purpose, all};

/// Returns the effects that match all words, the best first; all effects if there are no words. If none matches, the
/// effects with the most similar name.
///
/// An effect whose name, title or alias is what was typed comes first, then those whose title, alias, search words,
/// summary, parameters or category contain words that begin with the typed ones, in this order.
pub fn search(words: &str) -> Vec<&'static EffectSpec> {
    if plain(words).is_empty() {
        return all().to_vec();
    }
    let found = matching(words);
    if found.is_empty() { similar(&plain(words)) } else { found }
}

/// Returns the effects that match all words, the best first, without those that are only similar.
pub(crate) fn matching(words: &str) -> Vec<&'static EffectSpec> {
    let phrase = plain(words);
    let tokens: Vec<&str> = phrase.split_whitespace().collect();
    let mut found: Vec<(u32, &EffectSpec)> =
        all().iter().filter_map(|spec| Some((Words::of(spec).score(&phrase, &tokens)?, *spec))).collect();
    // Effects of equal rank stay in listing order.
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().map(|(_, spec)| spec).collect()
}

/// Returns the effects whose name or alias is most similar to a mistyped word.
fn similar(phrase: &str) -> Vec<&'static EffectSpec> {
    let names: Vec<String> =
        all().iter().flat_map(|spec| spec.aliases.iter().chain([&spec.name])).map(|name| plain(name)).collect();
    let Some(near) = nearest(phrase, names.iter().map(String::as_str)) else { return Vec::new() };
    let is_near = |spec: &EffectSpec| spec.aliases.iter().chain([&spec.name]).any(|name| plain(name) == near);
    all().iter().copied().filter(|spec| is_near(spec)).collect()
}

/// The texts of an effect in which words are looked for.
struct Words {
    /// Name, title and aliases.
    names: Vec<String>,
    search: String,
    summary: String,
    /// The titles of the parameters.
    parameters: String,
    purpose: &'static str,
}

impl Words {
    fn of(spec: &EffectSpec) -> Self {
        let names = [spec.title, spec.name].iter().chain(spec.aliases).map(|name| plain(name)).collect();
        let parameters = spec.parameters.iter().map(|parameter| plain(parameter.title)).collect::<Vec<_>>().join(" ");
        let (search, summary) = (plain(spec.search), plain(spec.summary));
        Self { names, search, summary, parameters, purpose: purpose_words(spec.purpose) }
    }

    /// Returns how well the effect matches; `None` if a word occurs nowhere.
    fn score(&self, phrase: &str, tokens: &[&str]) -> Option<u32> {
        let whole = if self.names.iter().any(|name| name == phrase) {
            1000
        } else if self.names.iter().any(|name| name.starts_with(phrase)) {
            500
        } else if has_words(&self.search, phrase) {
            100
        } else {
            0
        };
        let each = tokens.iter().map(|token| self.token(token)).collect::<Option<Vec<u32>>>();
        // The first of the search words is what people want most.
        let first = if self.search.starts_with(phrase) { 20 } else { 0 };
        each.map(|scores| whole + first + scores.iter().sum::<u32>()).or((whole > 0).then_some(whole + first))
    }

    fn token(&self, token: &str) -> Option<u32> {
        let [title, others @ ..] = self.names.as_slice() else { return None };
        let places = [
            (16, has_words(title, token)),
            (12, others.iter().any(|name| has_words(name, token))),
            (8, has_words(&self.search, token)),
            (4, has_words(&self.summary, token)),
            (3, has_words(&self.parameters, token)),
            (2, has_words(self.purpose, token)),
            // In a name without word boundaries: `pass` in `highpass`.
            (1, token.len() > 2 && self.names.iter().any(|name| name.contains(token))),
        ];
        places.iter().find(|(_, there)| *there).map(|(score, _)| *score)
    }
}

/// Returns whether the words begin with `beginning` somewhere at the start of a word.
fn has_words(words: &str, beginning: &str) -> bool {
    words.starts_with(beginning) || words.contains(&format!(" {beginning}"))
}

/// Lower case, with spaces for everything but letters and digits.
fn plain(text: &str) -> String {
    let spaced: String = text.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn purpose_words(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Filter => "filter",
        Purpose::Equaliser => "equaliser equalizer eq",
        Purpose::Dynamics => "dynamics",
        Purpose::Space => "space room",
        Purpose::Modulation => "modulation",
        Purpose::Level => "level volume",
        Purpose::Image => "stereo image channels",
        Purpose::Tone => "tone pitch tempo",
        Purpose::Repair => "repair restoration",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &str) -> Vec<&'static str> {
        search(words).iter().map(|spec| spec.name).collect()
    }

    #[test]
    fn everyday_words_find_the_effect_that_does_it_first() {
        for (words, first) in [
            ("amplify", "gain"),
            ("louder", "gain"),
            ("knee", "compressor"),
            ("volume", "gain"),
            ("low cut", "highpass"),
            ("low-cut", "highpass"),
            ("Low Cut", "highpass"),
            ("high cut", "lowpass"),
            ("hpf", "highpass"),
            ("lpf", "lowpass"),
            ("rumble", "highpass"),
            ("echo", "delay"),
            ("loudness", "normalize"),
            ("normalise", "normalize"),
            ("normalize", "normalize"),
            ("lufs", "normalize"),
            ("eq", "parametric_eq"),
            ("equalizer", "parametric_eq"),
            ("bass", "low_shelf"),
            ("treble", "high_shelf"),
            ("noise", "denoise"),
            ("noise reduction", "denoise"),
            ("hiss", "denoise"),
            ("hum", "dehum"),
            ("clicks", "declick"),
            ("sibilance", "de_esser"),
            ("de-esser", "de_esser"),
            ("mono", "mono"),
            ("speed", "time_stretch"),
            ("tempo", "time_stretch"),
            ("transpose", "pitch_shift"),
            ("distortion", "saturate"),
            ("cut silence", "trim_silence"),
            ("trim", "trim_silence"),
            ("impulse response", "convolve"),
            ("polarity", "invert"),
            ("gat", "gate"),
            ("hihgpass", "highpass"),
        ] {
            assert_eq!(names(words).first(), Some(&first), "{words}: {:?}", names(words));
        }
        for words in ["louder", "amplify"] {
            assert_eq!(names(words)[..2], ["gain", "normalize"], "{words}");
        }
        assert!(names("qqqqqq").is_empty());
        assert_eq!(names("  ").len(), all().len());
    }

    #[test]
    fn an_effect_is_found_first_by_its_name_title_and_aliases() {
        for spec in all() {
            for words in [spec.name, spec.title].iter().chain(spec.aliases) {
                assert_eq!(names(words).first(), Some(&spec.name), "{words}");
            }
        }
    }

    #[test]
    fn no_alias_is_another_effects_name() {
        let mut seen: Vec<&str> = all().iter().map(|spec| spec.name).collect();
        for alias in all().iter().flat_map(|spec| spec.aliases) {
            assert!(alias.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'), "{alias}");
            assert!(!seen.contains(alias) && !["off", "mix", "label"].contains(alias), "{alias}");
            seen.push(alias);
        }
        assert!(seen.len() > 2 * all().len());
    }
}
