//! One cell of a grid: a recording through a codec.

use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::codecs::{Codec, Sound};
use analysis::compare::{Alignment, Kept, MAX_SAMPLES, Measure, Outcome, Request, compare_keeping};
use audio::AudioFormat;
use base::error::Result;
use base::progress::Progress;
use base::units::SampleRate;

/// The measurements of a recording and a codec.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The format of the recording.
    pub format: AudioFormat,
    /// The length of the recording in seconds.
    pub duration_s: f64,
    /// The rate at which it was coded.
    pub coded_rate: SampleRate,
    /// The size of the coded sound in bytes: of a file with its headers, or of the units.
    pub bytes: u64,
    /// The bit rate that was reached, in kbit/s.
    pub kbps: f64,
    /// The bit rate that the setting asks for, in kbit/s.
    pub nominal_kbps: Option<f64>,
    /// The algorithmic delay of the codec in frames at `coded_rate`.
    pub latency_frames: u64,
    /// How long each step took.
    pub seconds: Seconds,
    /// How the decoded sound lies against the recording.
    pub alignment: Option<Aligned>,
    /// Whether the search was skipped, because another recording of this format showed that the codec keeps every frame
    /// in place.
    pub is_in_place: bool,
    /// The values of the measures, in the order of the request.
    pub readings: Vec<Read>,
    /// Sentences about what was converted or left out.
    pub notes: Vec<String>,
}

/// How the decoded sound lies against the recording.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aligned {
    /// The time in the decoded sound of the recording's beginning, in seconds.
    pub offset_s: f64,
    /// How much slower its clock is, in parts per million.
    pub drift_ppm: f64,
    /// 1, or -1 if it is inverted.
    pub polarity: i8,
    /// Its level relative to the recording, in dB; `None` for silence.
    pub gain_db: Option<f64>,
    /// From 0 (another alignment fits as well) to 1 (no other comes near).
    pub confidence: f64,
}

impl Aligned {
    /// Whether every frame is in its place, and another alignment does not fit as well.
    pub fn is_in_place(&self) -> bool {
        self.offset_s == 0.0 && self.drift_ppm == 0.0 && self.polarity == 1 && self.confidence > 0.5
    }
}

impl From<&Alignment> for Aligned {
    fn from(found: &Alignment) -> Self {
        Self {
            offset_s: found.offset_s,
            drift_ppm: found.drift_ppm,
            polarity: found.polarity,
            gain_db: found.gain_db.is_finite().then_some(found.gain_db),
            confidence: found.confidence,
        }
    }
}

/// The wall time of each step in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    /// Conversion to the codec's rate.
    pub convert: f64,
    /// Encoding.
    pub encode: f64,
    /// Decoding.
    pub decode: f64,
    /// Alignment and measures.
    pub compare: f64,
}

/// A measure and its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Read {
    /// The name of the measure.
    pub measure: String,
    /// The value.
    pub value: ReadValue,
}

/// A value, or the reason for its absence, as stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadValue {
    /// A number.
    Number(f64),
    /// The ratio for no difference at all, which JSON has no number for.
    Infinite,
    /// Why there is no value.
    Missing(String),
}

impl From<&Outcome> for ReadValue {
    fn from(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Value(value) if *value == f64::INFINITY => Self::Infinite,
            outcome => outcome.number().map_or_else(Self::Missing, Self::Number),
        }
    }
}

impl Measured {
    /// Returns how many seconds of sound are encoded in a second.
    pub fn encode_speed(&self) -> f64 {
        self.duration_s / self.seconds.encode.max(f64::MIN_POSITIVE)
    }

    /// Returns how many seconds of sound are decoded in a second.
    pub fn decode_speed(&self) -> f64 {
        self.duration_s / self.seconds.decode.max(f64::MIN_POSITIVE)
    }

    /// Returns the result of a measure; `None` if it was not requested.
    pub fn value(&self, measure: &Measure) -> Option<&ReadValue> {
        self.readings.iter().find(|read| read.measure == measure.name).map(|read| &read.value)
    }
}

/// Sends a recording through a codec and measures the decoded sound. Returns the measurements and the decoded sound.
/// `kept` belongs to the recording.
pub fn measured(
    sound: &Sound,
    codec: &dyn Codec,
    request: &Request,
    kept: &Arc<Kept>,
    progress: &Progress,
) -> Result<(Measured, Sound)> {
    let mut seconds = Seconds::default();
    let format = codec.format_for(sound.format())?;
    let latency_frames = codec.latency_frames(format)?;
    let converted = timed(&mut seconds.convert, || sound.converted(format.rate, MAX_SAMPLES, progress))?;
    let coded = timed(&mut seconds.encode, || codec.encode(&converted, progress))?;
    drop(converted);
    let decoded = timed(&mut seconds.decode, || codec.decode(&coded, progress))?;
    let uncounted = progress.uncounted();
    let comparison = timed(&mut seconds.compare, || {
        compare_keeping(&mut sound.reader(), &mut decoded.reader(), request, kept, &uncounted)
    })?;
    let readings = comparison
        .readings
        .iter()
        .map(|(measure, reading)| Read { measure: measure.name.to_owned(), value: ReadValue::from(&reading.whole) });
    let measured = Measured {
        format: sound.format(),
        duration_s: sound.seconds(),
        coded_rate: format.rate,
        bytes: coded.bits().div_ceil(8),
        kbps: coded.bits() as f64 / sound.seconds() / 1000.0,
        nominal_kbps: codec.nominal_kbps(format),
        latency_frames,
        seconds,
        alignment: comparison.alignment.as_ref().map(Aligned::from),
        is_in_place: false,
        readings: readings.collect(),
        notes: comparison.notes,
    };
    Ok((measured, decoded))
}

fn timed<T>(seconds: &mut f64, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let done = work()?;
    *seconds = start.elapsed().as_secs_f64();
    Ok(done)
}
