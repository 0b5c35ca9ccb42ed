//! Aligns two versions of a recording in time: offset, drift, polarity, channel order and gain.
//!
//! 1. Both are lowered to one channel at 6 to 12 kHz with a flat spectrum (`lowered`).
//! 2. Up to 16 blocks of the shorter one are searched for in the longer one, and the line on which most of them lie
//!    gives offset, drift and polarity roughly (`probe`).
//! 3. At the full rate, the delays of blocks correct the line, finally to the one of maximum likelihood (`fine`,
//!    `likelihood`), with its standard error. The simplest line that is likelier is preferred: whole frames without
//!    drift over a fractional offset, and that over a drift.
//! 4. The correlation at all other lags tells whether another alignment would do as well, as in a loop or a tone
//!    (`rivals`). This and the standard error give the confidence, by which unrelated recordings are refused.
//! 5. Channels are assigned by their correlations, and the gain is measured (`channels`).

mod channels;
pub(super) mod fine;
mod likelihood;
pub(super) mod line;
mod lowered;
mod probe;
mod rivals;
pub(super) mod warp;

use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use super::material::Material;
use audio::AudioBuffer;
use base::declared::TS;
use base::error::Result;
use base::progress::Progress;
use base::units::SampleRate;
use fine::{Fine, Fitted};
use line::Line;

/// The largest drift that is found, in parts per million.
pub const MAX_DRIFT_PPM: f64 = 400.0;
/// The minimum duration that both must have in common, in seconds.
const LEAST_COMMON_S: f64 = 0.1;
/// An alignment with a confidence below this is only accepted if the flattened signals correlate by [`PLAIN`], or if
/// one signal explains the other except for noise that is this many dB lower.
const LEAST_CONFIDENCE: f64 = 0.1;
const PLAIN: f64 = 0.7;
const EXPLAINED_DB: f64 = 20.0;
/// With a smaller share of the blocks in their places, parts may have been cut or moved.
const ALL_AGREE: f64 = 0.9;
/// How near the alignment must be, in frames, to be of use: the confidence is at most the probability of that.
const NEAR_ENOUGH: f64 = 0.25;

/// How the other lies against the reference.
#[derive(Clone, Debug, PartialEq, Serialize, TS)]
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
    /// From 0, another alignment would do as well, to 1, none comes near and this one is near enough.
    pub confidence: f64,
    /// The standard error of the place of a frame in the other, where it is largest, in seconds. The window does not show
    /// it.
    #[ts(skip)]
    pub error_s: f64,
    /// For each channel of the reference, the channel of the other that is compared with it.
    #[serde(skip)]
    pub channel_order: Vec<usize>,
    /// Channels of the reference that the other has inverted against the rest.
    #[serde(skip)]
    pub inverted_channels: Vec<usize>,
    /// The share of the searched blocks that lie where this alignment puts them.
    #[serde(skip)]
    pub agreement: f64,
    /// The line in frames.
    #[serde(skip)]
    offset_frames: f64,
    #[serde(skip)]
    rate_hz: f64,
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
        let error_frames = self.error_s * self.rate_hz;
        if probability_near(error_frames) < 0.9 {
            remarks.push(format!("The noise leaves a standard error of {error_frames:.2} frames of the alignment."));
        }
        if self.confidence < 0.5 * probability_near(error_frames) {
            remarks.push(
                "The alignment is uncertain: another offset fits nearly as well, as in a loop, a tone or noise."
                    .to_owned(),
            );
        }
        remarks
    }
}

/// Aligns two recordings. The inner error is a sentence that says why they cannot be aligned.
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
    let line = found.fitted.line;
    let [frames, others] = material.frames();
    let common = line.common(frames, others);
    let sign = f64::from(found.sign);
    let alignment = along(material, &[(common, line)], sign, found.confidence, found.fitted.error);
    Ok(Ok(Alignment { agreement: found.agreement, ..alignment }))
}

/// Returns the alignment along the line of the longest stretch, with gain and channels measured over all stretches.
pub(super) fn along(
    material: &Material,
    stretches: &[(Range<usize>, Line)],
    sign: f64,
    confidence: f64,
    error: f64,
) -> Alignment {
    let matched = channels::matched(material, stretches, sign);
    let longest = stretches.iter().max_by_key(|(stretch, _)| stretch.len());
    let line = longest.map_or(Line { offset: 0.0, slope: 1.0 }, |(_, line)| *line);
    let covered: usize = stretches.iter().map(|(stretch, _)| stretch.len()).sum();
    let rate_hz = material.rate.as_f64();
    Alignment {
        // 0 has no sign.
        offset_s: line.offset / rate_hz + 0.0,
        drift_ppm: (line.slope - 1.0) * 1e6,
        polarity: matched.polarity,
        gain_db: matched.gain_db,
        confidence,
        error_s: error / rate_hz,
        channel_order: matched.order,
        inverted_channels: matched.inverted,
        agreement: covered as f64 / material.frames()[0].max(1) as f64,
        offset_frames: line.offset,
        rate_hz,
    }
}

/// Two channels that are searched for stretches on a common line.
pub(super) struct Search<'a> {
    both: [&'a [f32]; 2],
    rate: SampleRate,
    factor: usize,
    /// Both at the low rate.
    low: [Vec<f32>; 2],
}

/// A line, found at the low rate, on which a stretch of the reference may lie.
pub(super) struct Candidate {
    pub line: Line,
    /// -1 if the other is inverted.
    pub sign: f64,
    /// The stretch of the reference in which it was found.
    pub stretch: Range<usize>,
}

impl<'a> Search<'a> {
    /// Lowers both.
    pub fn new(both: [&'a [f32]; 2], rate: SampleRate) -> Result<Self> {
        let factor = lowered::factor(rate);
        let low = |samples: &[f32]| {
            let buffer = Arc::new(AudioBuffer::from_channels(vec![samples.to_vec()]));
            lowered::lowered(&buffer, factor).map(|lowered| lowered.samples)
        };
        Ok(Self { both, rate, factor: factor as usize, low: [low(both[0])?, low(both[1])?] })
    }

    /// Returns lines on which blocks lie, each found among the blocks that the lines before it leave.
    pub fn candidates(&self) -> Vec<Candidate> {
        let [a, b] = [&self.low[0][..], &self.low[1][..]];
        let is_swapped = a.len() > b.len();
        let (short, long) = if is_swapped { (b, a) } else { (a, b) };
        let low_hz = self.rate.as_f64() / self.factor as f64;
        let candidate = |vote: probe::Vote| {
            let low = if is_swapped { vote.line.inverted() } else { vote.line };
            let within = |at: usize| if is_swapped { vote.line.at(at as f64).max(0.0) as usize } else { at };
            let [start, end] = vote.span.map(|at| (within(at) * self.factor).min(self.both[0].len()));
            let line = Line { offset: low.offset * self.factor as f64, slope: low.slope };
            Candidate { line, sign: vote.sign, stretch: start..end.max(start) }
        };
        probe::votes(short, long, probe::block_length(short.len(), low_hz)).into_iter().map(candidate).collect()
    }

    /// Finds the line of a candidate at the full rate.
    pub fn fitted(&self, candidate: &Candidate) -> Option<Fitted> {
        let reach = 3.0 * self.factor as f64 + 4.0;
        fitted_within(self.both, candidate.stretch.clone(), candidate.line, candidate.sign, self.rate, Some(reach))
    }

    /// Returns the confidence that a stretch of the reference lies on a line with a standard error in frames, and not
    /// elsewhere in the other as well.
    pub fn confidence(&self, stretch: &Range<usize>, line: Line, error: f64) -> f64 {
        let [start, end] = [stretch.start, stretch.end].map(|at| (at / self.factor).min(self.low[0].len()));
        let offset = line.offset / self.factor as f64 + line.slope * start as f64;
        let samples = &self.low[0][start..end.max(start)];
        rivals::standing(samples, &self.low[1], Line { offset, ..line }).clearness() * probability_near(error)
    }
}

/// Corrects a line by a stretch of the reference: one that is known to `reach` frames, or nearly exactly.
fn fitted_within(
    [reference, other]: [&[f32]; 2],
    stretch: Range<usize>,
    line: Line,
    sign: f64,
    rate: SampleRate,
    reach: Option<f64>,
) -> Option<Fitted> {
    let samples = &reference[stretch.start..stretch.end.max(stretch.start)];
    // On the clock of the stretch, whose first frame is a whole one of the reference.
    let shift = stretch.start as f64;
    let local = Line { offset: line.offset + line.slope * shift, slope: line.slope };
    let common = local.common(samples.len(), other.len()).len();
    let fine = Fine::new(samples, other, sign, rate.as_f64(), common);
    let max_drift = MAX_DRIFT_PPM * 1e-6;
    let fitted = match reach {
        Some(reach) => fine.fitted(local, reach, max_drift),
        None => fine.refined(local, max_drift),
    }?;
    let line = Line { offset: fitted.line.offset - fitted.line.slope * shift, slope: fitted.line.slope };
    Some(Fitted { line, ..fitted })
}

/// Corrects the line of a stretch of the reference, which is nearly exact, by all of it. Returns the line and its
/// standard error in frames.
pub(super) fn refined(
    both: [&[f32]; 2],
    stretch: Range<usize>,
    line: Line,
    sign: f64,
    rate: SampleRate,
) -> Option<(Line, f64)> {
    fitted_within(both, stretch, line, sign, rate, None).map(|fitted| (fitted.line, fitted.error))
}

/// Returns the probability that a line with a standard error is near enough.
pub(super) fn probability_near(error_frames: f64) -> f64 {
    statrs::function::erf::erf(NEAR_ENOUGH / (error_frames * std::f64::consts::SQRT_2).max(f64::MIN_POSITIVE))
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
    progress.check()?;
    let aligned = Line { offset: fitted.line.offset / f64::from(factor), slope: fitted.line.slope };
    let standing = rivals::standing(a, b, aligned);
    // Half of the blocks on one line are enough: parts may have been cut or replaced.
    let agreement = vote.on_line as f64 / vote.blocks.max(1) as f64;
    let confidence =
        standing.clearness() * (fitted.share.min(agreement) * 2.0).min(1.0) * probability_near(fitted.error);
    let is_plain = standing.correlation.abs() >= PLAIN || fitted.snr_db >= EXPLAINED_DB;
    if confidence < LEAST_CONFIDENCE && !is_plain {
        return Ok(None);
    }
    Ok(Some(Aligned { fitted, sign: if vote.sign < 0.0 { -1 } else { 1 }, confidence, agreement }))
}
