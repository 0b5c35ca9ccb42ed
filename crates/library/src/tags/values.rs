//! The values that are written, in the notation of each format.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::questions::query::Key;
use audio::tags::{EditedTag, TagFormat};
use base::declared::TS;
use base::error::Error;
use dsp::measure::replay_gain::{r128_gain, replay_gain_text};

/// A kind of value that can be written to tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TagField {
    /// The musical key.
    Key,
    /// The tempo.
    Tempo,
    /// Gain and peak of `ReplayGain` 2.0; in Opus files the gain of RFC 7845.
    Loudness,
    /// Gain and peak of the whole album.
    Album,
}

impl TagField {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Key, Self::Tempo, Self::Loudness, Self::Album];
    /// Those that are written by default.
    pub const USUAL: [Self; 3] = [Self::Key, Self::Tempo, Self::Loudness];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Tempo => "tempo",
            Self::Loudness => "loudness",
            Self::Album => "album",
        }
    }
}

impl FromStr for TagField {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|field| field.name().eq_ignore_ascii_case(name.trim()));
        found.ok_or_else(|| Error::invalid("a field of tags", name, Self::ALL.map(Self::name).join(", ")))
    }
}

/// A tag that a file has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TagValue {
    /// The field, named as in Vorbis comments.
    pub tag: String,
    /// Its value.
    pub value: String,
}

/// A change of one tag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TagChange {
    /// The field, named as in Vorbis comments.
    pub tag: String,
    /// The value before; `None` if there was none.
    pub old: Option<String>,
    /// The value after; `None` if there is none.
    pub new: Option<String>,
}

/// The results of an analysis that tags can hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnalysisResults<'a> {
    /// The key, such as "Am".
    pub key: Option<&'a str>,
    /// The tempo in beats per minute.
    pub tempo_bpm: Option<f64>,
    /// The integrated loudness in LUFS.
    pub loudness_lufs: Option<f64>,
    /// The largest magnitude of a sample; full scale is 1.
    pub peak: Option<f32>,
    /// The integrated loudness of its album in LUFS.
    pub album_lufs: Option<f64>,
    /// The largest magnitude of a sample of its album; full scale is 1.
    pub album_peak: Option<f32>,
}

/// Returns the tags for the values that were found.
pub fn values(format: TagFormat, fields: &[TagField], found: &AnalysisResults<'_>) -> Vec<(EditedTag, String)> {
    let mut values = Vec::new();
    let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
    if fields.contains(&TagField::Key)
        && let Some(key) = found.key
    {
        values.push((EditedTag::InitialKey, key.to_owned()));
    }
    if fields.contains(&TagField::Tempo)
        && let Some(bpm) = finite(found.tempo_bpm)
    {
        values.push((EditedTag::Bpm, tempo(format, bpm)));
    }
    let mut gain = |lufs: f64, peak: Option<f32>, tags: [EditedTag; 3]| {
        let [opus_gain, gain, own_peak] = tags;
        if format == TagFormat::Opus {
            values.push((opus_gain, r128_gain(lufs).to_string()));
            return;
        }
        values.push((gain, replay_gain_text(lufs)));
        values.extend(peak.map(|peak| (own_peak, format!("{peak:.6}"))));
    };
    if fields.contains(&TagField::Loudness)
        && let Some(lufs) = finite(found.loudness_lufs)
    {
        gain(lufs, found.peak, [EditedTag::R128TrackGain, EditedTag::TrackGain, EditedTag::TrackPeak]);
    }
    if fields.contains(&TagField::Album)
        && let Some(lufs) = finite(found.album_lufs)
    {
        gain(lufs, found.album_peak, [EditedTag::R128AlbumGain, EditedTag::AlbumGain, EditedTag::AlbumPeak]);
    }
    values
}

/// Writes the tempo with one decimal, the accuracy of the analysis, where the format allows it.
fn tempo(format: TagFormat, bpm: f64) -> String {
    if format.has_whole_tempo() {
        return format!("{bpm:.0}");
    }
    let text = format!("{bpm:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Returns whether an existing value says the same as a new one, perhaps in another notation: `8A` and `Am`, `128.00`
/// and `128`. Such a value stays as it is.
pub fn says_the_same(tag: EditedTag, old: &str, new: &str) -> bool {
    if old == new {
        return true;
    }
    match tag {
        EditedTag::InitialKey => Key::read(old).is_some_and(|old| Key::read(new) == Some(old)),
        EditedTag::Bpm => {
            // Up to half of the last digit that would be written.
            let step = if new.contains('.') { 0.1 } else { 1.0 };
            let bpm = (old.trim().parse::<f64>(), new.parse::<f64>());
            matches!(bpm, (Ok(old), Ok(new)) if (old - new).abs() <= step / 2.0)
        }
        EditedTag::TrackGain
        | EditedTag::TrackPeak
        | EditedTag::R128TrackGain
        | EditedTag::AlbumGain
        | EditedTag::AlbumPeak
        | EditedTag::R128AlbumGain => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(format: TagFormat, found: &AnalysisResults<'_>) -> Vec<(&'static str, String)> {
        values(format, &TagField::ALL, found).into_iter().map(|(tag, text)| (tag.name(), text)).collect()
    }

    #[test]
    fn values_have_the_notation_of_their_format() {
        let found = AnalysisResults {
            key: Some("F#m"),
            tempo_bpm: Some(127.96),
            loudness_lufs: Some(-10.97),
            peak: Some(0.987_654_3),
            album_lufs: Some(-14.5),
            album_peak: Some(1.012_5),
        };
        let replaygain = [
            ("REPLAYGAIN_TRACK_GAIN", "-7.03 dB"),
            ("REPLAYGAIN_TRACK_PEAK", "0.987654"),
            ("REPLAYGAIN_ALBUM_GAIN", "-3.50 dB"),
            ("REPLAYGAIN_ALBUM_PEAK", "1.012500"),
        ];
        for (format, bpm) in [(TagFormat::Flac, "128"), (TagFormat::Mp3, "128"), (TagFormat::Wav, "128")] {
            let expected = [("INITIALKEY", "F#m"), ("BPM", bpm)].into_iter().chain(replaygain);
            let expected: Vec<_> = expected.map(|(tag, text)| (tag, text.to_owned())).collect();
            assert_eq!(texts(format, &found), expected);
        }
        let slower = AnalysisResults { tempo_bpm: Some(93.47), ..AnalysisResults::default() };
        assert_eq!(texts(TagFormat::Vorbis, &slower), [("BPM", "93.5".to_owned())]);
        assert_eq!(texts(TagFormat::Mp4, &slower), [("BPM", "93".to_owned())]);
        // (-23 + 10.97) * 256 = -3079.68; (-23 + 14.5) * 256 = -2176.
        let r128 = [("R128_TRACK_GAIN", "-3080"), ("R128_ALBUM_GAIN", "-2176")];
        assert_eq!(texts(TagFormat::Opus, &found)[2..], r128.map(|(tag, text)| (tag, text.to_owned())));
        assert!(values(TagFormat::Flac, &TagField::ALL, &AnalysisResults::default()).is_empty());
        let silent =
            AnalysisResults { loudness_lufs: Some(f64::NEG_INFINITY), peak: Some(0.0), ..AnalysisResults::default() };
        assert!(values(TagFormat::Flac, &TagField::ALL, &silent).is_empty());
    }

    #[test]
    fn another_notation_is_no_change_but_another_value_is() {
        let same = |tag, old, new| says_the_same(tag, old, new);
        assert!(same(EditedTag::InitialKey, "8A", "Am") && same(EditedTag::InitialKey, "Gb", "F#"));
        assert!(!same(EditedTag::InitialKey, "A", "Am") && !same(EditedTag::InitialKey, "o", "Am"));
        assert!(same(EditedTag::Bpm, "128.00", "128") && same(EditedTag::Bpm, "127.96", "128"));
        assert!(!same(EditedTag::Bpm, "127.96", "127.8") && !same(EditedTag::Bpm, "fast", "128"));
        assert!(!same(EditedTag::TrackGain, "-7.0 dB", "-7.03 dB"));
    }

    #[test]
    fn fields_are_read_by_name() {
        assert_eq!(" Tempo".parse::<TagField>().unwrap(), TagField::Tempo);
        let error = "mood".parse::<TagField>().unwrap_err().to_string();
        assert!(error.contains("key, tempo, loudness, album") && error.contains("mood"), "{error}");
    }
}
