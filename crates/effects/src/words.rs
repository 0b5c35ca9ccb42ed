//! Words of other programs for parameters and choices, which chain text understands beside ours.

use super::{EffectSpec, Parameter, ParameterKind};

/// Words for parameters, each with ours in order of preference.
static PARAMETERS: &[(&str, &[&str])] = &[
    ("freq", &["cutoff", "center", "frequency"]),
    ("frequency", &["cutoff", "center"]),
    ("fc", &["cutoff", "center", "frequency"]),
    ("f0", &["center", "cutoff", "frequency"]),
    ("centre", &["center"]),
    ("center_frequency", &["center"]),
    ("db", &["gain", "target", "threshold"]),
    ("gain_db", &["gain"]),
    ("volume", &["gain"]),
    ("level", &["gain", "target", "threshold"]),
    ("amount", &["gain", "reduction", "depth", "mix"]),
    ("thresh", &["threshold"]),
    ("threshold_db", &["threshold"]),
    ("makeup_gain", &["makeup"]),
    ("attack_time", &["attack"]),
    ("release_time", &["release"]),
    ("decay_time", &["decay"]),
    ("delay_time", &["time"]),
    ("pre_delay", &["predelay"]),
    ("room_size", &["room", "size"]),
    ("wet", &["mix"]),
    ("dry_wet", &["mix"]),
    ("wet_level", &["mix"]),
    ("tempo", &["bpm"]),
    ("speed", &["rate"]),
    ("slope", &["order"]),
    ("poles", &["order"]),
    ("type", &["design", "kind", "shape"]),
    ("width_q", &["q"]),
    ("resonance", &["q"]),
    ("pitch", &["semitones"]),
    ("bit_depth", &["bits"]),
    ("sample_rate", &["rate"]),
    ("ratio", &["length"]),
    ("start", &["from"]),
    ("end", &["to"]),
    ("file_name", &["file"]),
];

/// Words for choices, each with ours in order of preference.
static CHOICES: &[(&str, &[&str])] = &[
    ("yes", &["on"]),
    ("true", &["on"]),
    ("enabled", &["on"]),
    ("no", &["off"]),
    ("false", &["off"]),
    ("disabled", &["off"]),
    ("loudness", &["lufs"]),
    ("integrated", &["lufs"]),
    ("dbtp", &["true_peak"]),
    ("truepeak", &["true_peak"]),
    ("sample_peak", &["peak"]),
    ("butter", &["butterworth"]),
    ("cheby1", &["chebyshev1"]),
    ("cheby2", &["chebyshev2"]),
    ("cauer", &["elliptic"]),
    ("ellip", &["elliptic"]),
    ("lr", &["linkwitz_riley"]),
    ("remez", &["equiripple"]),
    ("firls", &["least_squares"]),
    ("hanning", &["hann"]),
    ("pingpong", &["ping_pong"]),
    ("stereo", &["ping_pong", "per_channel"]),
    ("equal_gain", &["linear"]),
    ("constant_power", &["equal_power", "power"]),
    ("cosine", &["s_curve"]),
    ("log", &["logarithmic"]),
    ("exp", &["exponential"]),
    ("lin", &["linear"]),
    ("tri", &["triangle"]),
    ("sin", &["sine"]),
    ("clip", &["hard"]),
    ("residual", &["noise", "clicks"]),
    ("difference", &["noise", "clicks"]),
];

fn ours<'a>(table: &'a [(&str, &[&str])], word: &str) -> &'a [&'a str] {
    table.iter().find(|(other, _)| other.eq_ignore_ascii_case(word)).map_or(&[], |(_, ours)| ours)
}

impl EffectSpec {
    /// Returns the parameter with this name, or with this name in another program.
    pub(crate) fn parameter_by_any_name(&self, word: &str) -> Option<&'static Parameter> {
        let other = || ours(PARAMETERS, word).iter().find_map(|name| self.parameter(name));
        self.parameter(word).or_else(|| self.parameter(&word.to_lowercase())).or_else(other)
    }
}

/// Returns the word of a choice that is meant by `word`: itself, or ours for a word of another program.
pub(crate) fn meant_choice(kind: ParameterKind, word: &str) -> Option<&'static str> {
    let ParameterKind::Choice { options, .. } = kind else { return None };
    let option = |word: &str| options.iter().copied().find(|option| option.eq_ignore_ascii_case(word));
    option(word).or_else(|| ours(CHOICES, word).iter().find_map(|word| option(word)))
}

#[cfg(test)]
mod tests {
    use super::super::all;
    use super::*;

    #[test]
    fn every_word_means_something_of_some_effect_and_hides_none_of_ours() {
        let parameters = || all().iter().flat_map(|spec| spec.parameters);
        for (word, names) in PARAMETERS {
            for name in *names {
                assert!(parameters().any(|parameter| parameter.name == *name), "{word}: no parameter is {name}");
            }
        }
        let options: Vec<&str> = parameters()
            .filter_map(|parameter| match parameter.kind {
                ParameterKind::Choice { options, .. } => Some(options),
                _ => None,
            })
            .flatten()
            .copied()
            .collect();
        for (word, names) in CHOICES {
            assert!(names.iter().any(|name| options.contains(name)), "{word} means nothing");
        }
        // A parameter's name always means that parameter.
        for spec in all() {
            for parameter in spec.parameters {
                let found = spec.parameter_by_any_name(parameter.name).map(|found| found.name);
                assert_eq!(found, Some(parameter.name), "{}", spec.name);
            }
        }
    }
}
