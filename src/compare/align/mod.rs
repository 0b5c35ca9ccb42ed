//! Aligns two versions of a recording in time: offset, drift, polarity, channel order and gain.
//!
//! 1. Both are lowered to one channel at 6 to 12 kHz with a flat spectrum (`lowered`).
//! 2. Up to 16 blocks of the shorter one are looked for in the longer one, and the line on which most of them lie gives
//!    offset, drift and polarity roughly (`probe`).
//! 3. At the full rate, the delays of up to 48 blocks correct the line, at last by the phases of their cross-spectra
//!    (`fine`). The simplest line that explains the other as well is taken: whole frames without drift before a
//!    fractional offset, that before a drift.
//! 4. The correlation at all other lags tells whether another alignment would do as well, as in a loop or a tone
//!    (`rivals`). This gives the confidence, and unrelated recordings are refused by it.
//! 5. Channels are assigned by their correlations, and the gain is measured (`channels`).

mod channels;
pub(super) mod fine;
pub(super) mod line;
mod lowered;
mod probe;
mod rivals;
pub(super) mod warp;

use std::sync::Arc;

use serde::Serialize;

use super::material::Material;
use crate::audio::AudioBuffer;
use crate::error::Result;
use crate::progress::Progress;
use crate::units::SampleRate;
use fine::{Fine, Fitted};
use line::Line;

/// The largest drift that is found, in parts per million.
pub const MAX_DRIFT_PPM: f64 = 400.0;
/// What both must have in common, in seconds.
const LEAST_COMMON_S: f64 = 0.1;
/// An alignment whose confidence is below this is only believed if the signals correlate by [`PLAIN`].
const LEAST_CONFIDENCE: f64 = 0.1;
const PLAIN: f64 = 0.7;
/// With a smaller share of the blocks in their places, parts may have been cut or moved.
const ALL_AGREE: f64 = 0.9;
/// A simpler line is taken if it costs at most this much signal-to-noise ratio, in dB.
const COSTS_DB: f64 = 0.01;
/// Above this ratio in dB, all that is left is the rounding of the interpolation.
const AS_GOOD_DB: f64 = 100.0;

/// How the other lies against the reference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Alignment {
    /// The time in the other of the reference's beginning, in seconds; negative if the other begins later in the
    /// recording.
    pub offset_s: f64,
    /// How much slower the other's clock is, in parts per million: one second of the reference takes
    /// `1 + drift_ppm / 10^6` seconds of the other.
    pub drift_ppm: f64,
    /// 1, or -1 if the other is inverted.
    pub polarity: i8,
    /// The level of the other relative to the reference, in dB.
    pub gain_db: f64,
    /// From 0, another alignment would do as well, to 1, none comes near.
    pub confidence: f64,
    /// For each channel of the reference, the channel of the other that is compared with it.
    #[serde(skip)]
    pub channel_order: Vec<usize>,
    /// Channels of the reference that the other has inverted against the rest.
    #[serde(skip)]
    pub inverted_channels: Vec<usize>,
    /// The share of the blocks looked for that lie where this alignment has them.
    #[serde(skip)]
    pub agreement: f64,
    /// The line in frames.
    #[serde(skip)]
    offset_frames: f64,
}

impl Alignment {
    pub(super) fn line(&self) -> Line {
        Line { offset: self.offset_frames, slope: 1.0 + self.drift_ppm * 1e-6 }
    }

    /// Returns sentences about what is unusual. `has_parts` tells that its parts are listed.
    pub(super) fn remarks(&self, has_parts: bool) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.channel_order.iter().enumerate().any(|(to, from)| to != *from) {
            let order: Vec<String> = self.channel_order.iter().map(|from| (from + 1).to_string()).collect();
            remarks.push(format!("The other's channels were compared in the order {}.", order.join(", ")));
        }
        if !self.inverted_channels.is_empty() {
            let names: Vec<String> = self.inverted_channels.iter().map(|channel| (channel + 1).to_string()).collect();
            remarks.push(format!("Channel {} is inverted in the other against the rest.", names.join(", ")));
        }
        if self.agreement < ALL_AGREE && !has_parts {
            remarks.push(format!(
                "Only {:.0} % of the blocks looked for are where this alignment has them: parts may have been cut, \
                 inserted, moved or replaced.",
                100.0 * self.agreement
            ));
        }
        if self.confidence < 0.5 {
            remarks.push(
                "The alignment is uncertain: another offset fits nearly as well, as in a loop, a tone or noise."
                    .to_owned(),
            );
        }
        remarks
    }
}

/// Aligns two recordings. The inner error is a sentence that says why they cannot be aligned.
///
/// # Errors
/// [`crate::Error::Cancelled`].
pub fn align(material: &Material, progress: &Progress) -> Result<std::result::Result<Alignment, String>> {
    let [frames, others] = material.frames();
    let least = (LEAST_COMMON_S * material.rate.as_f64()).ceil() as usize;
    if frames.min(others) < least.max(64) {
        return Ok(Err(format!("Recordings shorter than {LEAST_COMMON_S} s cannot be aligned.")));
    }
    let silent = |channels: &[Vec<f32>]| channels.iter().flatten().all(|&sample| sample == 0.0);
    for (channels, which) in [(&material.reference, "reference"), (&material.other, "other")] {
        if silent(channels) {
            return Ok(Err(format!("The {which} is silent, so the two cannot be aligned.")));
        }
    }
    let mut best: Option<Aligned> = None;
    for [reference, other] in channels::tries(material) {
        progress.check()?;
        let found = one(reference, other, material.rate, progress)?;
        if let Some(found) = found
            && best.as_ref().is_none_or(|best| found.confidence > best.confidence)
        {
            best = Some(found);
        }
        if best.as_ref().is_some_and(|best| best.confidence >= 0.5) {
            break;
        }
    }
    let Some(found) = best else {
        return Ok(Err("The recordings have nothing in common by which they could be aligned.".to_owned()));
    };
    let sign = f64::from(found.sign);
    Ok(Ok(along(material, found.fitted.line, sign, [found.confidence, found.agreement])))
}

/// Returns the alignment that has a line, a sign, a confidence and an agreement.
pub(super) fn along(material: &Material, line: Line, sign: f64, [confidence, agreement]: [f64; 2]) -> Alignment {
    let matched = channels::matched(material, line, sign);
    Alignment {
        // 0 has no sign.
        offset_s: line.offset / material.rate.as_f64() + 0.0,
        drift_ppm: (line.slope - 1.0) * 1e6,
        polarity: matched.polarity,
        gain_db: matched.gain_db,
        confidence,
        channel_order: matched.order,
        inverted_channels: matched.inverted,
        agreement,
        offset_frames: line.offset,
    }
}

struct Aligned {
    fitted: Fitted,
    sign: i8,
    confidence: f64,
    agreement: f64,
}

/// Aligns one channel with another.
fn one(reference: Vec<f32>, other: Vec<f32>, rate: SampleRate, progress: &Progress) -> Result<Option<Aligned>> {
    let factor = lowered::factor(rate);
    let buffers = [reference, other].map(|samples| Arc::new(AudioBuffer::from_channels(vec![samples])));
    let [first, second] = [lowered::lowered(&buffers[0], factor)?, lowered::lowered(&buffers[1], factor)?];
    progress.check()?;
    let low_hz = rate.as_f64() / f64::from(factor);
    let (a, b) = (&first.samples[..], &second.samples[..]);
    let is_swapped = a.len() > b.len();
    let (short, long) = if is_swapped { (b, a) } else { (a, b) };
    let Some(vote) = probe::vote(short, long, probe::block_length(short.len(), low_hz)) else { return Ok(None) };
    let low = if is_swapped { vote.line.inverted() } else { vote.line };
    progress.check()?;
    let start = Line { offset: low.offset * f64::from(factor), slope: low.slope };
    let [reference, other] = [buffers[0].channel(0), buffers[1].channel(0)];
    let common = start.common(reference.len(), other.len()).len();
    if (common as f64) < LEAST_COMMON_S * rate.as_f64() {
        return Ok(None);
    }
    let fine = Fine::new(reference, other, vote.sign, rate.as_f64(), common);
    let reach = 3.0 * f64::from(factor) + 4.0;
    let Some(fitted) = fine.fitted(start, reach, MAX_DRIFT_PPM * 1e-6) else { return Ok(None) };
    let fitted = simplest(&fine, fitted, reference.len(), other.len());
    progress.check()?;
    let aligned = Line { offset: fitted.line.offset / f64::from(factor), slope: fitted.line.slope };
    let standing = rivals::standing(a, b, aligned);
    // Half of the blocks on one line are enough: parts may have been cut or replaced.
    let agreement = vote.on_line as f64 / vote.blocks.max(1) as f64;
    let confidence = standing.clearness() * (fitted.share.min(agreement) * 2.0).min(1.0);
    if confidence < LEAST_CONFIDENCE && standing.correlation.abs() < PLAIN {
        return Ok(None);
    }
    Ok(Some(Aligned { fitted, sign: if vote.sign < 0.0 { -1 } else { 1 }, confidence, agreement }))
}

/// Returns the simplest line that explains the other as well as the fitted one.
fn simplest(fine: &Fine<'_>, fitted: Fitted, frames: usize, others: usize) -> Fitted {
    let common = fitted.line.common(frames, others);
    let middle = f64::midpoint(common.start as f64, common.end as f64);
    let offset = fitted.line.at(middle) - middle;
    for offset in [offset.round(), offset] {
        let line = Line { offset, slope: 1.0 };
        let snr_db = fine.snr_db(line);
        if snr_db >= fitted.snr_db - COSTS_DB || snr_db >= AS_GOOD_DB {
            return Fitted { line, snr_db, ..fitted };
        }
    }
    fitted
}
