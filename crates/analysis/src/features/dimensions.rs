//! The 25 dimensions by which recordings are compared: one table, in storage order.
//!
//! Everything is measured at the recording's sample rate. A *window* is one of [`super::frames::Layout`]; it *sounds*
//! if the RMS of the channels' mean in it is at least -60 dB re full scale. `low` and `high` give the typical range of
//! music, for axes and charts; values are not clamped to it. A value that has no meaning for a recording is missing,
//! and [`Features::missing`] gives the reason; no substitute is stored.

use serde::{Deserialize, Serialize, Serializer};

use base::declared::TS;

/// One of the 25 dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
#[ts(rename = "DimensionView")]
pub struct Dimension {
    /// The name in JSON, in queries and in the database.
    pub name: &'static str,
    /// The unit; `1` for a plain number, `share` for a share. The window receives an empty text for both.
    #[serde(serialize_with = "shown_unit")]
    pub unit: &'static str,
    /// The lower end of the typical range.
    pub low: f64,
    /// The upper end of the typical range.
    pub high: f64,
    /// The number of significant decimal places.
    pub decimals: u8,
    /// The default weight in the distance between two recordings.
    pub weight: f64,
    /// How the value is computed.
    pub formula: &'static str,
    /// The value's meaning to a listener.
    pub meaning: &'static str,
}

/// Returns the displayed unit; empty for shares and ratios.
pub fn unit_to_show(unit: &'static str) -> &'static str {
    if matches!(unit, "1" | "share") { "" } else { unit }
}

/// Serialises a unit as it is displayed.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub(crate) fn shown_unit<S: Serializer>(unit: &&'static str, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(unit_to_show(unit))
}

/// The number of dimensions.
pub const COUNT: usize = 25;

macro_rules! dimension {
    ($name:literal, $unit:literal, $low:literal..$high:literal, $decimals:literal, $weight:literal, $formula:literal, $meaning:literal) => {
        Dimension {
            name: $name,
            unit: $unit,
            low: $low,
            high: $high,
            decimals: $decimals,
            weight: $weight,
            formula: $formula,
            meaning: $meaning,
        }
    };
}

/// All dimensions, in order.
#[rustfmt::skip]
pub static DIMENSIONS: [Dimension; COUNT] = [
    dimension!("band_sub_bass", "share", 0.0..1.0, 3, 0.04,
        "power of the channels' mean from 20 to 60 Hz, over that from 20 Hz to 20 kHz; summed over all windows, bins at an edge by the part of their width inside; 0 where half the rate lies below the band", "felt more than heard"),
    dimension!("band_bass", "share", 0.0..1.0, 3, 0.06, "the same from 60 to 250 Hz", "bass and kick drum"),
    dimension!("band_low_mid", "share", 0.0..1.0, 3, 0.05, "the same from 250 to 500 Hz", "warmth, or mud"),
    dimension!("band_mid", "share", 0.0..1.0, 3, 0.06, "the same from 500 Hz to 2 kHz", "voices and most instruments"),
    dimension!("band_upper_mid", "share", 0.0..0.5, 3, 0.05, "the same from 2 to 4 kHz", "bite and intelligibility"),
    dimension!("band_presence", "share", 0.0..0.3, 3, 0.04, "the same from 4 to 8 kHz", "closeness, sibilance"),
    dimension!("band_air", "share", 0.0..0.2, 3, 0.03, "the same from 8 to 20 kHz", "cymbals, breath, air"),
    dimension!("loudness_lufs", "LUFS", -40.0..-5.0, 1, 0.10,
        "integrated loudness after ITU-R BS.1770-4, with both gates", "how loud the whole is"),
    dimension!("crest_db", "dB", 3.0..30.0, 1, 0.08,
        "20 log10(largest magnitude / RMS), over all channels", "how far peaks stand out"),
    dimension!("bass_mid_ratio_db", "dB", -30.0..30.0, 1, 0.05,
        "10 log10(power from 20 to 250 Hz / power from 250 Hz to 2 kHz)", "dark or bright at the bottom"),
    dimension!("tempo_bpm", "BPM", 40.0..200.0, 1, 0.08,
        "the period at which onset strength repeats most clearly, 40 to 200 beats a minute", "beats a minute"),
    dimension!("rhythm_stability", "1", 0.0..1.0, 3, 0.04,
        "1 / (1 + standard deviation / mean) of the times between beats", "1: a machine keeps time"),
    dimension!("transient_density", "1/s", 0.0..12.0, 2, 0.04,
        "onsets over the duration in seconds", "how much happens"),
    dimension!("silence_ratio", "share", 0.0..1.0, 3, 0.02,
        "windows whose RMS over all channels is below -60 dB, over all windows", "how much of it is silent"),
    dimension!("centroid_hz", "Hz", 200.0..8000.0, 0, 0.05,
        "mean over sounding windows of the centre of gravity of the magnitudes", "brightness"),
    dimension!("rolloff_hz", "Hz", 500.0..16000.0, 0, 0.04,
        "mean over sounding windows of the frequency below which 85 % of the magnitude lies", "how far up it reaches"),
    dimension!("flatness", "1", 0.0..1.0, 4, 0.03,
        "mean over sounding windows of the geometric over the arithmetic mean of the power", "0: tones; 1: noise"),
    dimension!("harmonic_ratio", "share", 0.0..1.0, 3, 0.04,
        "H / (H + P) with the powers of the harmonic and the percussive component (medians of 31, soft masks of power 2)", "what lasts against what strikes"),
    dimension!("pitch_stability", "1", 0.0..1.0, 3, 0.03,
        "mean over neighbouring windows with a pitch (YIN, 65 to 2093 Hz, 0.15) of 1 / (1 + |change| / 50 cents)", "1: pitch stands still"),
    dimension!("chroma_energy", "1", 0.0..1.0, 3, 0.02,
        "mean over sounding windows and pitch classes of the chroma, each window's largest being 1", "0.08: one note at a time; 1: all at once"),
    dimension!("dynamic_range_variation", "1", 0.0..1.0, 3, 0.02,
        "v / (v + 6), v being the standard deviation in dB of the crest of stretches of 0.4 s above -60 dB", "0: always as dense"),
    dimension!("loudness_variation_db", "dB", 0.0..10.0, 2, 0.02,
        "standard deviation of the short-term loudness (3 s, ten a second) above -70 LUFS", "quiet and loud passages"),
    dimension!("peak_consistency", "1", 0.0..1.0, 3, 0.01,
        "1 / (1 + standard deviation / mean) of the largest magnitudes of stretches of 0.4 s above -60 dB", "1: peaks all as high"),
    dimension!("stereo_width", "share", 0.0..1.0, 3, 0.02,
        "S / (M + S), energies of half the difference and half the sum of the first two channels; 0 for one channel", "0: mono; 0.5: independent channels"),
    dimension!("phase_correlation", "1", -1.0..1.0, 3, 0.01,
        "sum l r / sqrt(sum l^2 sum r^2) of the first two channels; 1 for one channel", "below 0: cancels in mono"),
];

/// Returns the index of a dimension in [`DIMENSIONS`].
pub fn index_of(name: &str) -> Option<usize> {
    DIMENSIONS.iter().position(|dimension| dimension.name == name)
}

/// A value that a recording does not have, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// The name of the dimension or other figure.
    pub name: String,
    /// The reason.
    pub reason: String,
}

/// A recording's values, in the order of [`DIMENSIONS`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Features {
    /// The values; `None` if a value is missing.
    pub values: [Option<f64>; COUNT],
    /// The missing values with their reasons.
    pub missing: Vec<Missing>,
}

impl Features {
    /// Sets a value, or records why it is missing. A value that is not finite counts as missing.
    ///
    /// # Panics
    /// If `name` is not in the table, which is a bug in the caller.
    pub fn set(&mut self, name: &str, value: Option<f64>, reason: &str) {
        let index = index_of(name).unwrap_or_else(|| panic!("no dimension is called {name}"));
        self.values[index] = value.filter(|value| value.is_finite());
        if self.values[index].is_none() {
            self.missing.push(Missing { name: name.to_owned(), reason: reason.to_owned() });
        }
    }

    /// Returns a value by its name.
    pub fn get(&self, name: &str) -> Option<f64> {
        index_of(name).and_then(|index| self.values[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        for (index, dimension) in DIMENSIONS.iter().enumerate() {
            assert_eq!(index_of(dimension.name), Some(index), "{} stands twice", dimension.name);
            assert!(dimension.low < dimension.high && dimension.weight > 0.0, "{}", dimension.name);
            assert!(!dimension.formula.is_empty() && !dimension.meaning.is_empty() && !dimension.unit.is_empty());
            assert!(dimension.name.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
        }
        let sum: f64 = DIMENSIONS.iter().map(|dimension| dimension.weight).sum();
        assert!((sum - 1.03).abs() < 1e-9, "{sum}");
    }

    #[test]
    fn what_is_missing_says_why() {
        let mut features = Features::default();
        features.set("tempo_bpm", None, "nothing repeats");
        features.set("crest_db", Some(12.0), "");
        features.set("flatness", Some(f64::NAN), "it is not a number");
        assert_eq!(
            (features.get("crest_db"), features.get("tempo_bpm"), features.get("none")),
            (Some(12.0), None, None)
        );
        let missing: Vec<&str> = features.missing.iter().map(|missing| missing.name.as_str()).collect();
        assert_eq!(missing, ["tempo_bpm", "flatness"]);
    }
}
