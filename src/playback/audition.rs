//! Two recordings laid over each other, as a source of playback: the original side is the one, the processed side the
//! other. Playback's own cross-fade goes from one to the other at the same moment of their common time.
//!
//! Both are brought to the higher of their rates and to common channels. A recording at another rate, or played at
//! another speed, runs through the rate conversion; one that needs neither passes bit for bit. Where they begin is
//! rounded to frames of the common rate, and of the second one so that they lie over each other within half a frame.

use std::sync::Arc;

use super::laid::Laid;
use super::preview::OpenReader;
use super::source::{MatchingGain, PlaybackSource, PreviewRender};
use crate::audio::{AudioFormat, AudioReader};
use crate::chain::{Chain, MeasuredMap};
use crate::error::{Error, Result};
use crate::measure::resample::{ResamplePlan, ResampledReader};
use crate::progress::Progress;
use crate::units::SampleRate;

/// How far a recording may be moved along the common time, in seconds: a day.
const MAX_OFFSET_S: f64 = 86_400.0;
/// Beyond so many channels there is no agreed order of loudspeakers.
const ORDERED_CHANNELS: usize = 8;
/// A mono recording sounds on two loudspeakers, and so much louder than it is measured alone.
const BOTH_FRONTS_DB: f64 = 3.010_299_956_639_812;

/// One of the two.
#[derive(Clone)]
pub struct AuditionSide {
    /// Opens the recording.
    pub open: OpenReader,
    /// Where in it the common time begins, in its own seconds; negative where it comes in later.
    pub offset_s: f64,
    /// How fast it is played: 1 as it is, 1.02 by 2 % faster and higher.
    pub speed: f64,
    /// Its integrated loudness as far as that is known, which is heard until both are measured.
    pub lufs: Option<f64>,
}

/// Two recordings on their common time, or one.
pub struct AuditionSource {
    a: Side,
    b: Option<Side>,
    format: AudioFormat,
    frames: u64,
    gain: MatchingGain,
}

impl AuditionSource {
    /// `a` on the original side, `b` - or `a` again where there is none - on the processed side. Opens both.
    ///
    /// # Errors
    /// What keeps a recording from being opened; [`Error::Invalid`] for an offset or a speed that cannot be, and where
    /// both recordings end before the common time begins.
    pub fn new(a: &AuditionSide, b: Option<&AuditionSide>) -> Result<Self> {
        let opened_a = (a.open)()?;
        let opened_b = b.map(|b| (b.open)()).transpose()?;
        let own = opened_a.format();
        let other = opened_b.as_ref().map_or(own, AudioReader::format);
        let format =
            AudioFormat { rate: own.rate.max(other.rate), channels: common_channels(own.channels, other.channels) };
        let (a_side, moved) = Side::new(a, opened_a.as_ref(), format.rate, 0.0)?;
        let b_side = match (b, &opened_b) {
            (Some(b), Some(opened)) => Some(Side::new(b, opened.as_ref(), format.rate, moved)?.0),
            _ => None,
        };
        let end = a_side.end().max(b_side.as_ref().map_or(0, Side::end));
        let frames = u64::try_from(end).ok().filter(|&frames| frames > 0).ok_or_else(|| {
            let got = format!("{} s, at or behind the end", a.offset_s);
            Error::invalid("where the common time begins", got, "a moment before the end of a recording")
        })?;
        let lufs = |side: &AuditionSide, channels: usize| {
            side.lufs.map(|lufs| if channels == 1 && format.channels > 1 { lufs + BOTH_FRONTS_DB } else { lufs })
        };
        let gain = match b {
            None => MatchingGain::Exact(0.0),
            Some(b) => lufs(a, own.channels)
                .zip(lufs(b, other.channels))
                .map_or(MatchingGain::Unknown, |(a, b)| MatchingGain::Expected(a - b)),
        };
        Ok(Self { a: a_side, b: b_side, format, frames, gain })
    }

    fn laid(&self, side: &Side) -> Result<Laid> {
        let reader = (side.open)()?;
        let reader: Box<dyn AudioReader> = match &side.plan {
            Some(plan) => Box::new(ResampledReader::new(reader, plan)),
            None => reader,
        };
        Ok(Laid::new(reader, self.format.channels, side.shift, self.frames))
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
        Ok(Box::new(self.laid(&self.a)?))
    }

    fn processed(&self, _: &Chain, _: &MeasuredMap) -> Result<Box<dyn PreviewRender>> {
        Ok(Box::new(self.laid(self.b.as_ref().unwrap_or(&self.a))?))
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

/// A recording with its place on the common time.
struct Side {
    open: OpenReader,
    plan: Option<Arc<ResamplePlan>>,
    /// Its frame, at the common rate, with which the common time begins.
    shift: i64,
    /// Its frames at the common rate.
    frames: u64,
}

impl Side {
    /// A side at a rate; the beginning of the common time was moved by so many frames for the sake of the other one.
    /// With it comes by how many it is moved for this one's.
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

    /// The frame of the common time at which it ends.
    fn end(&self) -> i64 {
        i64::try_from(self.frames).unwrap_or(i64::MAX).saturating_sub(self.shift)
    }
}

/// Channels in which both are heard as each would be alone: the more of the two where these have loudspeakers, else those
/// of the front.
fn common_channels(a: usize, b: usize) -> usize {
    match (a.min(b), a.max(b)) {
        // One has a centre, the other has surrounds: five channels have both.
        (3, 4) => 5,
        (fewer, more) if fewer == more || more <= ORDERED_CHANNELS => more,
        _ => 2,
    }
}

#[cfg(test)]
mod tests;
