//! The processing of a recording, and its effect on the tags.

use std::collections::BTreeSet;

use serde::Serialize;

use super::chunks;
use super::frame_map::FrameMap;
use super::musical_key::transposed;
use super::rules::{Becomes, TagCause, rule};
use super::{TagChanges, TagText, Tags};
use base::declared::TS;

/// How far from a whole number of semitones a key is still transposed.
const WHOLE_SEMITONES: f64 = 0.005;
/// The tags that are measured anew if the user wants it.
const TRACK_GAINS: [&str; 3] = ["REPLAYGAIN_TRACK_GAIN", "REPLAYGAIN_TRACK_PEAK", "R128_TRACK_GAIN"];
/// The causes that move frames.
const TIMES: [TagCause; 3] = [TagCause::Cut, TagCause::Mixed, TagCause::Tempo];
/// The maximum number of bytes of a former text in a report.
const TOLD_BYTES: usize = 200;

/// The processing of a recording between its tags and the file that gets them. [`Processing::default`] changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Processing {
    /// All but tempo and pitch, which are numbers.
    causes: BTreeSet<TagCause>,
    /// The tempo of the result divided by that of the recording; `None` if it differs from place to place.
    tempo: Option<f64>,
    /// By how many semitones the result is higher; `None` if that differs from place to place.
    semitones: Option<f64>,
    /// Where the frames of the recording are, as far as it was said.
    map: FrameMap,
}

impl Default for Processing {
    fn default() -> Self {
        Self { causes: BTreeSet::new(), tempo: Some(1.0), semitones: Some(0.0), map: FrameMap::default() }
    }
}

impl Processing {
    /// Returns this processing with a cause, if `happens`. Tempo and pitch have separate methods.
    #[must_use]
    pub fn with(mut self, cause: TagCause, happens: bool) -> Self {
        match cause {
            TagCause::Tempo if happens => self.tempo = None,
            TagCause::Pitch if happens => self.semitones = None,
            _ => self.causes.extend(happens.then_some(cause)),
        }
        self
    }

    /// Returns this processing with the tempo multiplied; with `None` it differs from place to place.
    #[must_use]
    pub fn with_tempo(self, factor: Option<f64>) -> Self {
        Self { tempo: self.tempo.zip(factor).map(|(tempo, factor)| tempo * factor), ..self }
    }

    /// Returns this processing with the pitch shifted; with `None` it differs from place to place.
    #[must_use]
    pub fn with_semitones(self, semitones: Option<f64>) -> Self {
        Self { semitones: self.semitones.zip(semitones).map(|(pitch, more)| pitch + more), ..self }
    }

    /// Returns this processing with the places of the recording's frames. Without them they are unknown after a cut, a
    /// mix or a change of the tempo.
    #[must_use]
    pub fn with_frames(self, map: FrameMap) -> Self {
        Self { map, ..self }
    }

    /// Returns where the frames of the recording are.
    pub fn frames(&self) -> FrameMap {
        let is_unknown = self.map.is_same() && TIMES.iter().any(|cause| self.does(*cause));
        if is_unknown { FrameMap::UNKNOWN } else { self.map.clone() }
    }

    /// Returns by how many semitones the result is higher; `None` if that differs from place to place.
    pub fn semitones(&self) -> Option<f64> {
        self.semitones
    }

    /// Returns the combination of this processing and the next one.
    #[must_use]
    pub fn then(mut self, next: &Self) -> Self {
        self.map = self.frames().then(&next.frames());
        self.causes.extend(&next.causes);
        self.with_tempo(next.tempo).with_semitones(next.semitones)
    }

    /// Returns whether the processing includes a cause.
    pub fn does(&self, cause: TagCause) -> bool {
        let changes = |value: Option<f64>, neutral: f64| value.is_none_or(|value| (value - neutral).abs() > 1e-9);
        match cause {
            TagCause::Tempo => changes(self.tempo, 1.0),
            TagCause::Pitch => changes(self.semitones, 0.0),
            _ => self.causes.contains(&cause),
        }
    }

    /// Returns the new text of a field, `None` if it is left out, and the cause if it changes.
    fn of_text(&self, name: &str, text: &TagText) -> (Option<TagText>, Option<TagCause>) {
        let mut why = None;
        let new = text.try_map(|value| {
            let (new, cause) = self.of_field(name, value);
            why = why.or(cause);
            new
        });
        (new, why)
    }

    /// Returns the new text of a value of a field, `None` if it is left out, and the cause if it changes.
    fn of_field(&self, name: &str, text: &str) -> (Option<String>, Option<TagCause>) {
        let same = || (Some(text.to_owned()), None);
        let Some(rule) = rule(name, text) else { return same() };
        let Some(cause) = rule.causes.iter().copied().find(|cause| self.does(*cause)) else { return same() };
        let each = |of: &dyn Fn(&str) -> Option<String>| {
            // Some programs write several values as one.
            text.split(TagText::BETWEEN).map(of).collect::<Option<Vec<_>>>().map(|values| values.join(TagText::BETWEEN))
        };
        let new = match rule.becomes {
            Becomes::LeftOut => None,
            Becomes::Scaled => self.tempo.and_then(|factor| each(&|value| scaled(value, factor))),
            Becomes::Transposed => self.semitones.and_then(|semitones| {
                let whole = semitones.round();
                if (semitones - whole).abs() > WHOLE_SEMITONES {
                    return None;
                }
                each(&|value| transposed(value, whole as i32))
            }),
        };
        let changes = new.as_deref() != Some(text);
        (new, changes.then_some(cause))
    }

    /// Returns the tags of the result: those of the recording after the rules, without gains that will be measured
    /// anew, then the user's changes as they are. Also returns which tags of the recording the rules change.
    pub fn apply(&self, tags: &Tags, changes: &TagChanges) -> (Tags, Vec<ChangedTag>) {
        let (chunks, mut changed) = chunks::processed(&tags.chunks, self);
        let mut kept =
            Tags { pictures: tags.pictures.clone(), chunks, not_kept: tags.not_kept.clone(), ..Tags::default() };
        for (name, old) in &tags.items {
            if changes.replay_gain && TRACK_GAINS.iter().any(|gain| gain.eq_ignore_ascii_case(name)) {
                continue;
            }
            let (new, cause) = self.of_text(name, old);
            let is_chosen = changes.items.keys().any(|chosen| chosen.eq_ignore_ascii_case(name));
            if let Some(cause) = cause.filter(|_| !is_chosen) {
                let old = old[..old.floor_char_boundary(TOLD_BYTES)].to_owned();
                let new = new.as_ref().map(ToString::to_string);
                changed.push(ChangedTag { tag: name.clone(), old, new, cause });
            }
            kept.items.extend(new.map(|new| (name.clone(), new)));
        }
        (changes.apply(&kept), changed)
    }
}

/// Returns a number times a factor, with up to two decimals.
fn scaled(text: &str, factor: f64) -> Option<String> {
    let value: f64 = text.trim().replace(',', ".").parse().ok()?;
    let value = value * factor;
    if !(value > 0.0 && value.is_finite()) {
        return None;
    }
    let text = format!("{value:.2}");
    Some(text.trim_end_matches('0').trim_end_matches('.').to_owned())
}

/// A tag of a recording that would be false of a file made of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct ChangedTag {
    /// The field, named as in Vorbis comments.
    pub tag: String,
    /// Its text in the recording; of a long one the beginning.
    pub old: String,
    /// Its text in the file; null if it is left out.
    pub new: Option<String>,
    /// The cause of the change.
    pub cause: TagCause,
}

/// Returns sentences about tags that differ from the recording's; `None` if there are none. Tags that only describe the
/// former file and its encoder are not mentioned.
pub fn in_words(changed: &[ChangedTag]) -> Option<String> {
    let mut sentences = Vec::new();
    for cause in TagCause::ALL.into_iter().filter(|cause| *cause != TagCause::Encoding) {
        let by_it = || changed.iter().filter(|changed| changed.cause == cause);
        let left_out: Vec<&str> =
            by_it().filter(|changed| changed.new.is_none()).map(|changed| changed.tag.as_str()).collect();
        let other = by_it().filter_map(|changed| {
            let new = changed.new.as_ref()?;
            Some(format!("Tag changed, because {}: {} from {} to {new}.", cause.words(), changed.tag, changed.old))
        });
        sentences.extend(other);
        if !left_out.is_empty() {
            let tags = if left_out.len() == 1 { "Tag" } else { "Tags" };
            sentences.push(format!("{tags} left out, because {}: {}.", cause.words(), left_out.join(", ")));
        }
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(items: &[(&str, &str)]) -> Tags {
        let items = items.iter().map(|(name, text)| ((*name).to_owned(), TagText::from(*text)));
        Tags { items: items.collect(), ..Tags::default() }
    }

    fn applied(processing: &Processing, items: &[(&str, &str)]) -> Vec<(String, TagText)> {
        processing.apply(&tags(items), &TagChanges::default()).0.items.into_iter().collect()
    }

    #[test]
    fn nothing_is_changed_by_nothing() {
        let items = [("BPM", "120,5"), ("INITIALKEY", "?"), ("REPLAYGAIN_TRACK_GAIN", "-3 dB"), ("TITLE", "x")];
        let (kept, changed) = Processing::default().apply(&tags(&items), &TagChanges::default());
        assert_eq!((kept, changed), (tags(&items), Vec::new()));
    }

    #[test]
    fn the_tempo_is_scaled() {
        let slower = Processing::default().with_tempo(Some(1.0 / 1.25));
        for (old, new) in [
            ("120", Some("96")),
            ("128.00", Some("102.4")),
            ("93,75", Some("75")),
            ("60; 120", Some("48; 96")),
            ("1000", Some("800")),
            ("Allegro", None),
            ("0", None),
            ("", None),
            ("120; fast", None),
            ("inf", None),
        ] {
            assert_eq!(slower.of_field("BPM", old).0.as_deref(), new, "{old}");
        }
        let unknown = Processing::default().with_tempo(Some(2.0)).with_tempo(None).with_tempo(Some(0.5));
        assert_eq!(unknown.of_field("BPM", "120"), (None, Some(TagCause::Tempo)));
        let there_and_back = Processing::default().with_tempo(Some(2.0)).with_tempo(Some(0.5));
        assert_eq!(there_and_back, Processing::default());
    }

    #[test]
    fn the_key_is_transposed_by_whole_semitones_only() {
        let by = |semitones| Processing::default().with_semitones(semitones).of_field("INITIALKEY", "Am");
        assert_eq!(by(Some(3.0)), (Some("Cm".into()), Some(TagCause::Pitch)));
        assert_eq!(by(Some(12.0)), (Some("Am".into()), None));
        assert_eq!(by(Some(0.5)), (None, Some(TagCause::Pitch)));
        assert_eq!(by(None), (None, Some(TagCause::Pitch)));
        let both = Processing::default().with_semitones(Some(0.5)).with_semitones(Some(1.5));
        assert_eq!(both.of_field("KEY", "8A; F#m").0.as_deref(), Some("10A; G#m"));
        let octave = Processing::default().with_semitones(Some(12.0));
        assert_eq!(octave.of_field("KEY", "of love"), (None, Some(TagCause::Pitch)), "it is no key");
    }

    #[test]
    fn each_cause_leaves_out_what_it_makes_false() {
        let items = [
            ("ACOUSTID_FINGERPRINT", "AQAA"),
            ("CHANNEL_MASK", "0x33"),
            ("ENCODER", "LAME"),
            ("ISRC", "DEA123456789"),
            ("LENGTH", "1000"),
            ("MUSICBRAINZ_ALBUMID", "a"),
            ("REPLAYGAIN_ALBUM_GAIN", "-1 dB"),
            ("TITLE", "x"),
        ];
        let left_out = |processing: Processing| -> Vec<String> {
            let (_, changed) = processing.apply(&tags(&items), &TagChanges::default());
            changed.into_iter().map(|tag| tag.tag).collect()
        };
        let by = |cause| left_out(Processing::default().with(cause, true));
        assert_eq!(by(TagCause::Level), ["ACOUSTID_FINGERPRINT", "REPLAYGAIN_ALBUM_GAIN"]);
        assert_eq!(by(TagCause::Cut), ["ACOUSTID_FINGERPRINT", "ISRC", "LENGTH", "REPLAYGAIN_ALBUM_GAIN"]);
        assert_eq!(by(TagCause::Mixed), ["ACOUSTID_FINGERPRINT", "ISRC", "LENGTH", "REPLAYGAIN_ALBUM_GAIN"]);
        assert_eq!(by(TagCause::Tempo), ["ACOUSTID_FINGERPRINT", "ISRC", "LENGTH"]);
        assert_eq!(by(TagCause::Pitch), ["ACOUSTID_FINGERPRINT", "ISRC"]);
        let channels = ["ACOUSTID_FINGERPRINT", "CHANNEL_MASK", "REPLAYGAIN_ALBUM_GAIN"];
        assert_eq!(by(TagCause::Channels), channels);
        assert_eq!(by(TagCause::Encoding), ["ENCODER"]);
        assert_eq!(left_out(Processing::default().with(TagCause::Level, false)), [""; 0]);
    }

    #[test]
    fn what_the_user_wants_is_written_as_it_is() {
        let louder = Processing::default().with(TagCause::Level, true).with_tempo(Some(2.0));
        let items = [("bpm", "150"), ("REPLAYGAIN_TRACK_GAIN", "1 dB")];
        let typed = items.map(|(name, text)| (name.to_owned(), TagText::from(text)));
        let wanted = TagChanges { items: typed.into(), ..TagChanges::default() };
        let source = tags(&[("BPM", "100"), ("REPLAYGAIN_TRACK_GAIN", "-3 dB"), ("REPLAYGAIN_TRACK_PEAK", "1")]);
        let (kept, changed) = louder.apply(&source, &wanted);
        assert_eq!(kept, tags(&items));
        assert_eq!(changed.iter().map(|tag| tag.tag.as_str()).collect::<Vec<_>>(), ["REPLAYGAIN_TRACK_PEAK"]);
        let words = in_words(&changed);
        assert_eq!(words.as_deref(), Some("Tag left out, because the level changes: REPLAYGAIN_TRACK_PEAK."));
        let encoded = Processing::default().with(TagCause::Encoding, true);
        assert_eq!(in_words(&encoded.apply(&tags(&[("ENCODER", "x")]), &TagChanges::default()).1), None);
        assert!(applied(&encoded, &[("ENCODER", "x")]).is_empty());
    }
}
