//! The edit list: an ordered list of source ranges with gain and fades.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::units::gain_from_db;

/// A range of a source as it appears in the document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clip {
    /// Index into the document's sources.
    pub source: usize,
    /// The first frame of the source.
    pub start_frame: u64,
    /// The frame after the last frame of the source.
    pub end_frame: u64,
    /// Gain in decibels; at 0, the samples are unchanged, bit for bit.
    #[serde(default)]
    pub gain_db: f64,
    /// Length of the fade-in in frames; see [`Clip::fade_at`].
    #[serde(default)]
    pub fade_in_frames: u64,
    /// Length of the fade-out in frames.
    #[serde(default)]
    pub fade_out_frames: u64,
}

impl Clip {
    /// Creates a clip of the first `frames` frames of source number `source`, unchanged.
    pub const fn whole(source: usize, frames: u64) -> Self {
        Self { source, start_frame: 0, end_frame: frames, gain_db: 0.0, fade_in_frames: 0, fade_out_frames: 0 }
    }

    /// Returns the length in frames.
    pub const fn frames(&self) -> u64 {
        self.end_frame.saturating_sub(self.start_frame)
    }

    /// Returns whether the clip leaves its samples unchanged.
    pub fn is_plain(&self) -> bool {
        self.gain_db == 0.0 && self.fade_in_frames == 0 && self.fade_out_frames == 0
    }

    /// Returns the gain as a linear factor.
    pub fn gain(&self) -> f64 {
        gain_from_db(self.gain_db)
    }

    /// Returns the factor of the fades at frame `frame` of the clip: `sin(pi/2 * x)` within a fade, where `x` runs from
    /// 0 at the silent end to 1. A crossfade of two such fades keeps the power of uncorrelated signals (equal power:
    /// `sin^2 + cos^2 = 1`). Where the fades overlap in a short clip, their factors multiply.
    pub fn fade_at(&self, frame: u64) -> f64 {
        let fade = |distance: u64, length: u64| {
            if distance >= length {
                return 1.0;
            }
            // The offset of half a frame makes both ends symmetrical; neither is exactly silent or doubled.
            (std::f64::consts::FRAC_PI_2 * (distance as f64 + 0.5) / length as f64).sin()
        };
        let from_end = self.frames().saturating_sub(frame + 1);
        fade(frame, self.fade_in_frames) * fade(from_end, self.fade_out_frames)
    }

    /// Checks the clip against the lengths of the sources.
    ///
    /// # Errors
    /// Returns [`Error::Invalid`] if the source, the range or the gain is not valid.
    pub fn check(&self, source_frames: &[u64]) -> Result<()> {
        let Some(&frames) = source_frames.get(self.source) else {
            return Err(Error::invalid(
                "source of a clip",
                self.source.to_string(),
                format!("below {}", source_frames.len()),
            ));
        };
        if self.start_frame > self.end_frame || self.end_frame > frames {
            let got = format!("{}..{}", self.start_frame, self.end_frame);
            return Err(Error::invalid("frames of a clip", got, format!("a range within 0..{frames}")));
        }
        if !(-200.0..=200.0).contains(&self.gain_db) {
            return Err(Error::invalid("gain of a clip", format!("{} dB", self.gain_db), "-200 dB to 200 dB"));
        }
        Ok(())
    }
}

/// The edit list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EditList {
    /// The clips, in order.
    pub clips: Vec<Clip>,
}

impl EditList {
    /// Returns the total length of all clips in frames.
    pub fn frames(&self) -> u64 {
        self.clips.iter().map(Clip::frames).sum()
    }

    /// Returns the index of the clip at `frame` of the document, and the document frame at which it begins. `None`
    /// beyond the end.
    pub fn clip_at(&self, frame: u64) -> Option<(usize, u64)> {
        let mut begins = 0;
        for (index, clip) in self.clips.iter().enumerate() {
            if frame < begins + clip.frames() {
                return Some((index, begins));
            }
            begins += clip.frames();
        }
        None
    }

    /// Checks every clip and the sum of their lengths.
    ///
    /// # Errors
    /// Returns [`Error::Invalid`] if a clip is not valid or the sum overflows.
    pub fn check(&self, source_frames: &[u64]) -> Result<()> {
        let mut frames = 0u64;
        for clip in &self.clips {
            clip.check(source_frames)?;
            frames = frames
                .checked_add(clip.frames())
                .ok_or_else(|| Error::invalid("length of the edit list", "more", format!("{} frames", u64::MAX)))?;
        }
        Ok(())
    }
}
