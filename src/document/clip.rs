//! The edit list: ranges of sources in order, with gain and fades.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::units::gain_from_db;

/// A range of a source, as it is heard in the document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clip {
    /// Index into the document's sources.
    pub source: usize,
    /// First frame of the source.
    pub start_frame: u64,
    /// One past the last frame of the source.
    pub end_frame: u64,
    /// Gain in decibels; 0 leaves the samples as they are, bit for bit.
    #[serde(default)]
    pub gain_db: f64,
    /// Frames over which it comes in: see [`Clip::fade_at`].
    #[serde(default)]
    pub fade_in_frames: u64,
    /// Frames over which it goes out.
    #[serde(default)]
    pub fade_out_frames: u64,
}

impl Clip {
    /// The first `frames` frames of source number `source`, unchanged.
    pub const fn whole(source: usize, frames: u64) -> Self {
        Self { source, start_frame: 0, end_frame: frames, gain_db: 0.0, fade_in_frames: 0, fade_out_frames: 0 }
    }

    /// Its length in frames.
    pub const fn frames(&self) -> u64 {
        self.end_frame.saturating_sub(self.start_frame)
    }

    /// Whether its samples are heard exactly as they are.
    pub fn is_plain(&self) -> bool {
        self.gain_db == 0.0 && self.fade_in_frames == 0 && self.fade_out_frames == 0
    }

    /// The factor of its gain.
    pub fn gain(&self) -> f64 {
        gain_from_db(self.gain_db)
    }

    /// The factor of its fades on its `frame`th frame: `sin(pi/2 * x)` within a fade, where `x` runs from 0 at the
    /// silent end to 1. Two such fades laid over each other keep the power of unrelated sounds (equal power:
    /// `sin^2 + cos^2 = 1`). Where fades overlap in a short clip, their factors multiply.
    pub fn fade_at(&self, frame: u64) -> f64 {
        let fade = |distance: u64, length: u64| {
            if distance >= length {
                return 1.0;
            }
            // Half a frame in, so that both ends are alike and neither is exactly silent nor doubled.
            (std::f64::consts::FRAC_PI_2 * (distance as f64 + 0.5) / length as f64).sin()
        };
        let from_end = self.frames().saturating_sub(frame + 1);
        fade(frame, self.fade_in_frames) * fade(from_end, self.fade_out_frames)
    }

    /// Checks it against the lengths of the sources.
    ///
    /// # Errors
    /// [`Error::Invalid`].
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
    /// The clips, one after the other.
    pub clips: Vec<Clip>,
}

impl EditList {
    /// The length of all clips in frames.
    pub fn frames(&self) -> u64 {
        self.clips.iter().map(Clip::frames).sum()
    }

    /// The clip that is heard at `frame` of the document and the frame at which it begins there; none beyond the end.
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
    /// [`Error::Invalid`].
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
