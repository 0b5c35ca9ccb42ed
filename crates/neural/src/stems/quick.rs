//! The quick splits, which need no weights.

use super::StemKind;
use super::place::{self, Centre};
use super::repet::{self, Repet};
use super::split::{Limits, Separated, Sink, split};
use super::tones::Tones;
use audio::{AudioFormat, AudioReader};
use base::error::{Error, Result};
use base::progress::Progress;

/// The shortest recording that can have repetition, in seconds: three windows at the smallest distance.
const LEAST_S: f64 = 3.0;

/// A split into two stems that sum to the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuickSplit {
    /// Voice and accompaniment.
    Voice,
    /// Tones and hits.
    Tones,
    /// Centre and sides.
    Centre,
}

impl QuickSplit {
    /// All splits.
    pub const ALL: [Self; 3] = [Self::Voice, Self::Tones, Self::Centre];

    /// Returns its stems, in the order they are delivered.
    pub fn stems(self) -> [StemKind; 2] {
        match self {
            Self::Voice => [StemKind::Voice, StemKind::Accompaniment],
            Self::Tones => [StemKind::Tones, StemKind::Hits],
            Self::Centre => [StemKind::Centre, StemKind::Sides],
        }
    }

    /// Returns the split that produces these stems; the split of the voice for an empty list.
    ///
    /// # Errors
    /// [`Error::Impossible`] for stems of several splits, or the residual, which no split produces.
    pub fn of(stems: &[StemKind]) -> Result<Self> {
        let Some(first) = stems.first() else { return Ok(Self::Voice) };
        let found = Self::ALL.into_iter().find(|split| split.stems().contains(first));
        found.filter(|split| stems.iter().all(|stem| split.stems().contains(stem))).ok_or_else(|| {
            let given: Vec<&str> = stems.iter().map(|stem| stem.name()).collect();
            let pairs = Self::ALL.map(|split| split.stems().map(StemKind::name).join(","));
            Error::impossible(format!("The quick split gives {}, not {}.", pairs.join(" or "), given.join(",")))
        })
    }

    /// Returns the progress that it counts for each frame of the source.
    pub fn passes(self) -> u64 {
        match self {
            Self::Voice => 2,
            Self::Tones | Self::Centre => 1,
        }
    }

    /// Checks that a recording of this format can be split.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for centre and sides of a recording that is not stereo.
    pub fn check(self, format: AudioFormat) -> Result<()> {
        let reason = match (self, format.channels) {
            (Self::Centre, 2) | (Self::Voice | Self::Tones, _) => return Ok(()),
            (Self::Centre, 1) => "The recording is mono and has no sides".to_owned(),
            (Self::Centre, channels) => format!("The recording has {channels} channels, and this split needs two"),
        };
        let reason = format!("{reason}. Split it into voice and accompaniment, or tones and hits.");
        Err(Error::Unsupported { what: "A split into centre and sides".to_owned(), reason })
    }

    /// Returns what to know of the stems of a recording of this format and length; `None` if there is nothing.
    pub fn warning(self, format: AudioFormat, frames: u64) -> Option<String> {
        let seconds = format.rate.seconds_from_frames(frames);
        (self == Self::Voice && frames > 0 && seconds < LEAST_S)
            .then(|| format!("The recording is shorter than {LEAST_S} s: too little repeats in it to find a voice."))
    }

    /// Splits a source from its first frame on, and passes blocks of the stems to `sink`. Progress counts each frame
    /// [`QuickSplit::passes`] times.
    ///
    /// # Errors
    /// [`Error::Cancelled`] within 200 ms.
    pub fn separate(
        self,
        source: &mut dyn AudioReader,
        limits: Limits,
        sink: &mut Sink<'_>,
        progress: &Progress,
    ) -> Result<Separated> {
        let (format, frames) = (source.format(), source.frames());
        self.check(format)?;
        progress.set_total(frames * self.passes());
        // Fewer windows at a time of many channels, so that a cancel is heard soon.
        let block = limits.block_windows.min((512 / format.channels.max(1) as u64).max(8));
        match self {
            Self::Voice => {
                let plan = repet::transform(format.rate)?;
                let mut masker = Repet::new(plan.forward(), format, frames, limits.context_bytes);
                split(source, &plan, &mut masker, block, sink, progress)
            }
            Self::Tones => split(source, &place::transform(format.rate)?, &mut Tones, block, sink, progress),
            Self::Centre => split(source, &place::transform(format.rate)?, &mut Centre, block, sink, progress),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::units::SampleRate;

    #[test]
    fn stems_name_their_split() {
        for split in QuickSplit::ALL {
            let [first, second] = split.stems();
            assert_eq!(QuickSplit::of(&[second]).unwrap(), split);
            assert_eq!(QuickSplit::of(&[first, second]).unwrap(), split);
        }
        assert_eq!(QuickSplit::of(&[]).unwrap(), QuickSplit::Voice);
        for wrong in [vec![StemKind::Voice, StemKind::Hits], vec![StemKind::Residual]] {
            let message = QuickSplit::of(&wrong).unwrap_err().to_string();
            assert!(message.contains("voice,accompaniment or tones,hits"), "{message}");
        }
    }

    #[test]
    fn only_stereo_has_sides() {
        let of = |channels| AudioFormat::new(SampleRate::new(8000).unwrap(), channels);
        assert!(QuickSplit::Centre.check(of(2)).is_ok());
        for (channels, said) in [(1, "mono"), (8, "8 channels")] {
            let message = QuickSplit::Centre.check(of(channels)).unwrap_err().to_string();
            assert!(message.contains(said), "{message}");
            assert!(QuickSplit::Voice.check(of(channels)).is_ok() && QuickSplit::Tones.check(of(channels)).is_ok());
        }
    }

    #[test]
    fn a_short_recording_is_told() {
        let format = AudioFormat::new(SampleRate::new(8000).unwrap(), 1);
        assert!(QuickSplit::Voice.warning(format, 8000).is_some());
        assert!(QuickSplit::Voice.warning(format, 24_000).is_none());
        assert!(QuickSplit::Tones.warning(format, 8000).is_none());
    }
}
