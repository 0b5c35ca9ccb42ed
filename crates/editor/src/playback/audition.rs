//! Two recordings on a shared timeline, as a playback source: one is the original side, the other the processed side.
//! Playback's cross-fade switches between them at the same moment of the shared timeline.
//!
//! Both are converted to the higher of their rates and to a common channel count. A recording at another rate, or
//! played at another speed, runs through the rate conversion; one that needs neither passes bit for bit. Offsets are
//! rounded to frames of the shared rate; the second is rounded relative to the first, so that the two align within half
//! a frame.

use std::sync::Arc;

use super::aligned_reader::AlignedReader;
use super::preview::OpenReader;
use super::source::{MatchingGain, PlaybackSource, PreviewRender};
use audio::{AudioFormat, AudioReader};
use base::error::{Error, Result};
use base::progress::Progress;
use base::units::SampleRate;
use dsp::measure::resample::{ResamplePlan, ResampledReader};
use effects::chain::{Chain, MeasuredMap};

/// The largest offset of a recording on the shared timeline, in seconds: one day.
const MAX_OFFSET_S: f64 = 86_400.0;
/// Beyond this number of channels there is no standard order of loudspeakers.
const ORDERED_CHANNELS: usize = 8;
/// A mono recording plays on two loudspeakers and is this much louder than measured alone, in dB.
const BOTH_FRONTS_DB: f64 = 3.010_299_956_639_812;

/// One of the two recordings.
#[derive(Clone)]
pub struct AuditionSide {
    /// Opens the recording.
    pub open: OpenReader,
    /// The position in the recording at which the shared timeline begins, in seconds of the recording; negative if it
    /// starts later.
    pub offset_s: f64,
    /// The playback speed: 1 is unchanged, 1.02 is 2 % faster and higher.
    pub speed: f64,
    /// The integrated loudness in LUFS if it is known; used until both recordings are measured.
    pub lufs: Option<f64>,
}

/// One or two recordings on their shared timeline.
pub struct AuditionSource {
    a: AuditionTrack,
    b: Option<AuditionTrack>,
    format: AudioFormat,
    frames: u64,
    gain: MatchingGain,
}

impl AuditionSource {
    /// Creates a source with `a` on the original side and `b`, or `a` again for `None`, on the processed side. Opens
    /// both.
    ///
    /// # Errors
    /// [`Error::Invalid`] if both recordings end before the shared timeline begins.
    pub fn new(a: &AuditionSide, b: Option<&AuditionSide>) -> Result<Self> {
        let opened_a = (a.open)()?;
        let opened_b = b.map(|b| (b.open)()).transpose()?;
        let format_a = opened_a.format();
        let format_b = opened_b.as_ref().map_or(format_a, AudioReader::format);
        let common = common_channels(format_a.channels, format_b.channels);
        let wider = if format_a.channels >= format_b.channels { format_a } else { format_b };
        let format = wider.with_rate(format_a.rate.max(format_b.rate)).with_channels(common);
        let (a_side, moved) = AuditionTrack::new(a, opened_a.as_ref(), format.rate, 0.0)?;
        let b_side = match (b, &opened_b) {
            (Some(b), Some(opened)) => Some(AuditionTrack::new(b, opened.as_ref(), format.rate, moved)?.0),
            _ => None,
        };
        let end = a_side.end().max(b_side.as_ref().map_or(0, AuditionTrack::end));
        let frames = u64::try_from(end).ok().filter(|&frames| frames > 0).ok_or_else(|| {
            let got = format!("{} s, at or behind the end", a.offset_s);
            Error::invalid("where the common time begins", got, "a moment before the end of a recording")
        })?;
        let lufs = |side: &AuditionSide, channels: usize| {
            side.lufs.map(|lufs| if channels == 1 && format.channels > 1 { lufs + BOTH_FRONTS_DB } else { lufs })
        };
        let gain = match b {
            None => MatchingGain::Exact(0.0),
            Some(b) => lufs(a, format_a.channels)
                .zip(lufs(b, format_b.channels))
                .map_or(MatchingGain::Unknown, |(a, b)| MatchingGain::Expected(a - b)),
        };
        Ok(Self { a: a_side, b: b_side, format, frames, gain })
    }

    fn aligned_reader(&self, side: &AuditionTrack) -> Result<AlignedReader> {
        let reader = (side.open)()?;
        let reader: Box<dyn AudioReader> = match &side.plan {
            Some(plan) => Box::new(ResampledReader::new(reader, plan)),
            None => reader,
        };
        Ok(AlignedReader::new(reader, self.format.channels, side.shift, self.frames))
    }
}

impl PlaybackSource for AuditionSource {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn original(&self) -> Result<Box<dyn AudioReader>> {
        Ok(Box::new(self.aligned_reader(&self.a)?))
    }

    fn processed(&self, _: &Chain, _: &MeasuredMap) -> Result<Box<dyn PreviewRender>> {
        Ok(Box::new(self.aligned_reader(self.b.as_ref().unwrap_or(&self.a))?))
    }

    fn is_measured(&self, _: &Chain, _: &MeasuredMap) -> Result<bool> {
        Ok(true)
    }

    fn measure(&self, _: &Chain, _: &Progress) -> Result<MeasuredMap> {
        Ok(MeasuredMap::default())
    }

    fn matching_gain(&self) -> MatchingGain {
        self.gain
    }
}

/// A recording with its position on the shared timeline.
struct AuditionTrack {
    open: OpenReader,
    plan: Option<Arc<ResamplePlan>>,
    /// The frame, at the shared rate, at which the shared timeline begins.
    shift: i64,
    /// Its length in frames at the shared rate.
    frames: u64,
}

impl AuditionTrack {
    /// Creates a side at a rate. `moved` is the rounding error of the other side's offset in frames; this side's offset
    /// is rounded after adding it. Also returns this side's rounding error.
    fn new(side: &AuditionSide, opened: &dyn AudioReader, rate: SampleRate, moved: f64) -> Result<(Self, f64)> {
        if !(side.offset_s.is_finite() && side.offset_s.abs() <= MAX_OFFSET_S) {
            let got = format!("{} s", side.offset_s);
            return Err(Error::invalid("where the common time begins", got, "seconds, up to a day either way"));
        }
        let own_rate = opened.format().rate;
        let as_it_is = own_rate == rate && side.speed == 1.0;
        let plan = if as_it_is { None } else { Some(ResamplePlan::at_speed(own_rate, rate, side.speed)?) };
        let frames = plan.as_ref().map_or(opened.frames(), |plan| plan.frames_out(opened.frames()));
        let exact = side.offset_s / side.speed * rate.as_f64() + moved;
        let shift = exact.round();
        let open = Arc::clone(&side.open);
        Ok((Self { open, plan, shift: shift as i64, frames }, shift - exact))
    }

    /// The frame of the shared timeline at which the recording ends.
    fn end(&self) -> i64 {
        i64::try_from(self.frames).unwrap_or(i64::MAX).saturating_sub(self.shift)
    }
}

/// Returns a reader with another number of channels, mixed as an output would.
pub fn in_channels(reader: Box<dyn AudioReader>, channels: usize) -> Box<dyn AudioReader> {
    if reader.format().channels == channels {
        return reader;
    }
    let frames = reader.frames();
    Box::new(AlignedReader::new(reader, channels, 0, frames))
}

/// Returns the channel count in which both recordings sound as each would alone: the larger of the two if it has a
/// standard order of loudspeakers, otherwise stereo.
pub fn common_channels(a: usize, b: usize) -> usize {
    match (a.min(b), a.max(b)) {
        // One has a centre, the other has surrounds; five channels have both.
        (3, 4) => 5,
        (fewer, more) if fewer == more || more <= ORDERED_CHANNELS => more,
        _ => 2,
    }
}

#[cfg(test)]
mod tests;
