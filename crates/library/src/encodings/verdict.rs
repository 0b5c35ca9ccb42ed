//! Whether a lossless file was made from a lossy one.
//!
//! Lossy encoders remove the highest frequencies first, each bit rate above a characteristic frequency, and what they
//! removed cannot be restored. A lossless file whose spectrum ends like the output of such an encoder is likely made
//! from it. The converse does not hold: at high bit rates, encoders cut where converters do, or not at all (tested:
//! `FFmpeg`'s AAC at 256 kbit/s, Vorbis from 192 kbit/s on), and no spectrum distinguishes them from the original.

use serde::Serialize;

use base::declared::TS;

use super::bandwidth::{Bandwidth, Cliff};

/// The likely origin of a lossless file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "OriginKind")]
pub enum Origin {
    /// No trace of lossy coding where one would be visible.
    Genuine,
    /// The spectrum ends like the output of a lossy encoder.
    LikelyTranscoded,
    /// The spectrum ends at the limit of a lower sample rate.
    LikelyUpsampled,
    /// The spectrum gives no evidence either way.
    CannotTell,
}

/// Whether a recording appears to have gone through a lossy codec or upsampling, judged by its bandwidth.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
#[ts(rename = "OriginView")]
pub struct Verdict {
    /// The likely origin.
    pub origin: Origin,
    /// The confidence, 0..=1; 0 for [`Origin::CannotTell`].
    pub confidence: f64,
    /// The reasons, in words.
    pub reasons: Vec<String>,
}

/// Below this sample rate, encoders keep the whole spectrum.
const MIN_RATE_HZ: f64 = 40_000.0;
/// Converters pass frequencies up to here; a cliff below comes from an encoder or a filter.
const CONVERTERS_HZ: f64 = 20_600.0;
/// From here on, a cliff may also come from an early converter.
const EARLY_CONVERTERS_HZ: f64 = 19_900.0;
/// Signal up to here without a cliff is more than encoders at common bit rates leave.
const FULL_HZ: f64 = 19_500.0;
/// Above this sample rate, there is room for frequencies that lower rates cannot hold.
const HIGH_RATE_HZ: f64 = 64_000.0;
/// Common lower sample rates that files are converted from.
const LOWER_RATES_HZ: [f64; 2] = [44_100.0, 48_000.0];

/// Cutoffs of encoders, measured as [`Cliff::hz`] on noise and music (LAME 3.100, `FFmpeg`'s AAC, libvorbis, libopus).
const HABITS: [(f64, &str); 9] = [
    (11_100.0, "MP3 at 64 kbit/s"),
    (12_400.0, "AAC at 64 kbit/s"),
    (15_250.0, "MP3 at 96 kbit/s or Vorbis at 64 kbit/s"),
    (15_900.0, "AAC at 96 kbit/s, or MP3 at 128 kbit/s by other encoders,"),
    (16_600.0, "MP3 at 128 kbit/s or Vorbis at 96 kbit/s"),
    (17_300.0, "MP3 at 160 kbit/s or AAC at 128 kbit/s"),
    (18_700.0, "MP3 at 192 kbit/s"),
    (19_350.0, "MP3 at 256 kbit/s, AAC at 192 kbit/s or Vorbis at 128 kbit/s"),
    (20_100.0, "MP3 at 320 kbit/s or Opus"),
];
/// Maximum distance of a cliff from such a cutoff.
const HABIT_WITHIN_HZ: f64 = 350.0;

/// Judges a lossless file by the bandwidth of its mean spectrum. `measured` is `None` for silence.
pub fn verdict(measured: Option<&Bandwidth>) -> Verdict {
    let cannot = |reason: String| Verdict { origin: Origin::CannotTell, confidence: 0.0, reasons: vec![reason] };
    let Some(measured) = measured else { return cannot("it is silent".to_owned()) };
    let rate_hz = 2.0 * measured.nyquist_hz;
    if rate_hz < MIN_RATE_HZ {
        return cannot(format!("at a sample rate of {} encoders keep everything", khz(rate_hz)));
    }
    match measured.cliff {
        Some(cliff) if cliff.hz < CONVERTERS_HZ && !is_half_of_lower_rate(&cliff, rate_hz) => transcoded(&cliff),
        Some(cliff) if rate_hz > HIGH_RATE_HZ && cliff.hz < 24_100.0 => upsampled(&cliff, rate_hz),
        Some(cliff) => Verdict {
            origin: Origin::Genuine,
            confidence: 0.8,
            reasons: vec![
                format!("sound goes up to {}, where converters end", khz(cliff.hz)),
                HIGH_BIT_RATES.to_owned(),
            ],
        },
        None if measured.hz >= FULL_HZ => Verdict {
            origin: Origin::Genuine,
            confidence: 0.8,
            reasons: vec![
                format!("sound goes up to {} without a sudden end", khz(measured.hz)),
                HIGH_BIT_RATES.to_owned(),
            ],
        },
        None => {
            cannot(format!("above {} there is only noise, where an encoder would leave no trace", khz(measured.hz)))
        }
    }
}

const HIGH_BIT_RATES: &str = "encoders at high bit rates may leave as much";

/// Returns whether, at a high sample rate, the cliff is close to half of a common lower rate, where the converter of
/// that rate cuts.
fn is_half_of_lower_rate(cliff: &Cliff, rate_hz: f64) -> bool {
    rate_hz > HIGH_RATE_HZ
        && LOWER_RATES_HZ.iter().any(|lower| (0.93 * lower / 2.0..=lower / 2.0 + 100.0).contains(&cliff.hz))
}

fn transcoded(cliff: &Cliff) -> Verdict {
    let mut reasons = vec![format!(
        "sound ends at {}, falling by {:.0} dB within {:.0} Hz",
        khz(cliff.hz),
        cliff.drop_db,
        cliff.width_hz
    )];
    // The confidence grows with the drop: a small one may come from a filter.
    let mut confidence = 0.6 + 0.35 * ((cliff.drop_db - 11.0) / 20.0).clamp(0.0, 1.0);
    let habit = HABITS.iter().min_by(|a, b| (a.0 - cliff.hz).abs().total_cmp(&(b.0 - cliff.hz).abs()));
    if let Some((_, encoder)) = habit.filter(|(hz, _)| (hz - cliff.hz).abs() <= HABIT_WITHIN_HZ) {
        reasons.push(format!("this is where {encoder} ends"));
    }
    let mut may_be_else = |range: std::ops::Range<f64>, what: &str, least: f64| {
        if range.contains(&cliff.hz) {
            reasons.push(what.to_owned());
            confidence -= least;
        }
    };
    may_be_else(
        EARLY_CONVERTERS_HZ..CONVERTERS_HZ,
        "some converters of the first years of digital sound end here too",
        0.25,
    );
    may_be_else(7_300.0..8_050.0, "recordings made at 16 kHz end here too", 0.3);
    may_be_else(10_200.0..11_050.0, "recordings made at 22.05 kHz end here too", 0.3);
    may_be_else(14_800.0..15_400.0, "FM radio ends here too", 0.2);
    may_be_else(15_600.0..16_050.0, "recordings made at 32 kHz end here too", 0.1);
    Verdict { origin: Origin::LikelyTranscoded, confidence, reasons }
}

fn upsampled(cliff: &Cliff, rate_hz: f64) -> Verdict {
    let lower = if cliff.hz <= 22_150.0 { "44.1 kHz" } else { "48 kHz" };
    Verdict {
        origin: Origin::LikelyUpsampled,
        confidence: 0.6 + 0.35 * ((cliff.drop_db - 11.0) / 20.0).clamp(0.0, 1.0),
        reasons: vec![format!("at a rate of {} sound ends at {}, where {lower} ends", khz(rate_hz), khz(cliff.hz))],
    }
}

fn khz(hz: f64) -> String {
    format!("{:.1} kHz", hz / 1000.0)
}
