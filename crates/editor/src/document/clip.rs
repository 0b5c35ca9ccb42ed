//! Clips: ranges of a source, or silence, with gain, fades and the cross-fade from the clip before.

use serde::{Deserialize, Serialize};

use base::declared::TS;
use base::error::{Error, Result};
use base::units::gain_from_db;

/// A range of a source as it appears in the document, or silence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clip {
    /// Index into the document's sources; `None` for silence.
    pub source: Option<usize>,
    /// The first frame of the source; 0 for silence.
    pub start_frame: u64,
    /// The frame after the last frame of the source; the length for silence.
    pub end_frame: u64,
    /// Gain in decibels; at 0, the samples are unchanged, bit for bit.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gain_db: f64,
    /// The fade-in at the clip's start.
    #[serde(default, skip_serializing_if = "Fade::is_none")]
    pub fade_in: Fade,
    /// The fade-out at the clip's end.
    #[serde(default, skip_serializing_if = "Fade::is_none")]
    pub fade_out: Fade,
    /// Whether the range is played backwards.
    #[serde(default, skip_serializing_if = "is_forward")]
    pub reversed: bool,
    /// The cross-fade from the clip before.
    #[serde(default, skip_serializing_if = "Crossfade::is_none")]
    pub crossfade: Crossfade,
}

// A document may have ten thousand clips, so default values are not stored.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_forward(value: &bool) -> bool {
    !*value
}

/// A fade at one edge of a clip. Cutting frames off also cuts their part of the fade, so that the rest sounds as
/// before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(rename = "ClipFade")]
pub struct Fade {
    /// The length in frames; 0 is no fade.
    pub frames: u64,
    /// The frames that were cut off at the silent end.
    #[serde(default)]
    pub cut: u64,
}

impl Fade {
    /// No fade.
    pub const NONE: Self = Self::over(0);

    /// Creates a fade over `frames` frames.
    pub const fn over(frames: u64) -> Self {
        Self { frames, cut: 0 }
    }

    /// Returns the factor at `distance` frames from the clip's edge: `sin(pi/2 * x)`, where `x` runs from 0 at the
    /// silent end to 1. A cross-fade of two such fades keeps the power of uncorrelated signals (equal power:
    /// `sin^2 + cos^2 = 1`).
    pub fn at(self, distance: u64) -> f64 {
        let distance = distance.saturating_add(self.cut);
        if distance >= self.frames {
            return 1.0;
        }
        // The offset of half a frame makes both ends symmetrical; neither is exactly silent or doubled.
        (std::f64::consts::FRAC_PI_2 * (distance as f64 + 0.5) / self.frames as f64).sin()
    }

    /// Returns how far it reaches into the clip, in frames.
    pub const fn length(self) -> u64 {
        self.frames.saturating_sub(self.cut)
    }

    /// Returns the fade that is left after `frames` frames are cut off.
    #[must_use]
    pub fn cut_by(self, frames: u64) -> Self {
        let cut = self.cut.saturating_add(frames);
        if cut >= self.frames { Self::NONE } else { Self { cut, ..self } }
    }

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    fn is_none(&self) -> bool {
        *self == Self::NONE
    }
}

/// How two clips are joined: over a length around the join, the material beyond the edge of the first clip fades out
/// while that before the edge of the second fades in. Cross-fades do not change the length of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct Crossfade {
    /// The length in frames, at most; 0 joins the plain samples.
    #[serde(default)]
    pub frames: u64,
    /// The shape of the fades.
    #[serde(default)]
    pub shape: FadeShape,
}

impl Crossfade {
    /// No cross-fade.
    pub const NONE: Self = Self { frames: 0, shape: FadeShape::EqualPower };

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    fn is_none(&self) -> bool {
        self.frames == 0
    }
}

/// The shape of the two fades of a cross-fade.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum FadeShape {
    /// `sin(pi/2 x)` and `cos(pi/2 x)`: keeps the power of sounds that have nothing in common.
    #[default]
    EqualPower,
    /// `x` and `1 - x`: keeps the level of similar sounds.
    Linear,
}

impl FadeShape {
    /// Returns the factors of the first and of the second clip at `x`, which runs from 0 to 1.
    pub fn factors(self, x: f64) -> (f64, f64) {
        match self {
            Self::EqualPower => {
                let (sin, cos) = (std::f64::consts::FRAC_PI_2 * x).sin_cos();
                (cos, sin)
            }
            Self::Linear => (1.0 - x, x),
        }
    }
}

impl Clip {
    /// Creates a clip of the first `frames` frames of source number `source`, unchanged.
    pub const fn whole(source: usize, frames: u64) -> Self {
        Self {
            source: Some(source),
            start_frame: 0,
            end_frame: frames,
            gain_db: 0.0,
            fade_in: Fade::NONE,
            fade_out: Fade::NONE,
            reversed: false,
            crossfade: Crossfade::NONE,
        }
    }

    /// Creates a clip of silence.
    pub const fn silence(frames: u64) -> Self {
        Self { source: None, ..Self::whole(0, frames) }
    }

    /// Returns the length in frames.
    pub const fn frames(&self) -> u64 {
        self.end_frame.saturating_sub(self.start_frame)
    }

    /// Returns whether the clip leaves its samples unchanged and in order.
    pub fn is_plain(&self) -> bool {
        self.is_level() && !self.reversed && self.source.is_some()
    }

    /// Returns whether the clip has neither gain nor fades.
    pub fn is_level(&self) -> bool {
        self.gain_db == 0.0 && self.fade_in == Fade::NONE && self.fade_out == Fade::NONE
    }

    /// Returns the gain as a linear factor.
    pub fn gain(&self) -> f64 {
        gain_from_db(self.gain_db)
    }

    /// Returns the product of the fades' factors at frame `frame` of the clip.
    pub fn fade_at(&self, frame: u64) -> f64 {
        let from_end = self.frames().saturating_sub(frame + 1);
        self.fade_in.at(frame) * self.fade_out.at(from_end)
    }

    /// Returns the clip's frames `from..to`, with the factors of the fades that they have in the whole clip.
    #[must_use]
    pub fn part(&self, from: u64, to: u64) -> Self {
        let frames = self.frames();
        let (from, to) = (from.min(frames), to.min(frames).max(from.min(frames)));
        let (start_frame, end_frame) = if self.reversed {
            (self.end_frame - to, self.end_frame - from)
        } else {
            (self.start_frame + from, self.start_frame + to)
        };
        Self {
            start_frame,
            end_frame,
            fade_in: self.fade_in.cut_by(from),
            fade_out: self.fade_out.cut_by(frames - to),
            crossfade: if from == 0 { self.crossfade } else { Crossfade::NONE },
            ..self.clone()
        }
    }

    /// Returns this clip and `next` as one clip if `next` continues where this one ends and the two sound the same as
    /// one.
    pub fn joined(&self, next: &Self) -> Option<Self> {
        let (start_frame, end_frame) = match (self.source, next.source) {
            (None, None) => (0, self.frames().checked_add(next.frames())?),
            (Some(one), Some(other)) if one == other && self.reversed == next.reversed => {
                let (first, second) = if self.reversed { (next, self) } else { (self, next) };
                if first.end_frame != second.start_frame {
                    return None;
                }
                (first.start_frame, second.end_frame)
            }
            _ => return None,
        };
        let joined = Self { start_frame, end_frame, fade_out: next.fade_out, ..self.clone() };
        let split = self.frames();
        let sounds_alike = |part: Self, whole: &Self| {
            part.gain_db == whole.gain_db && (part.fade_in, part.fade_out) == (whole.fade_in, whole.fade_out)
        };
        (sounds_alike(joined.part(0, split), self) && sounds_alike(joined.part(split, joined.frames()), next))
            .then_some(joined)
    }

    /// Returns whether `next` continues where this clip ends.
    pub fn continues_in(&self, next: &Self) -> bool {
        self.joined(next).is_some()
    }

    /// Returns the frames of the source before the clip's first frame in the order of playback.
    pub fn before(&self, source_frames: &[u64]) -> u64 {
        if self.reversed { self.beyond(source_frames) } else { self.start_frame }
    }

    /// Returns the frames of the source after the clip's last frame in the order of playback.
    pub fn after(&self, source_frames: &[u64]) -> u64 {
        if self.reversed { self.start_frame } else { self.beyond(source_frames) }
    }

    fn beyond(&self, source_frames: &[u64]) -> u64 {
        self.source.map_or(0, |source| source_frames[source].saturating_sub(self.end_frame))
    }

    /// Counts the clip in frames of another rate. `frames` converts a number of frames; `source_frames` are the lengths of
    /// the sources at that rate.
    pub(super) fn convert(&mut self, frames: impl Fn(u64) -> u64, source_frames: &[u64]) {
        let most = self.source.map_or(u64::MAX, |source| source_frames[source]);
        self.end_frame = frames(self.end_frame).min(most);
        self.start_frame = frames(self.start_frame).min(self.end_frame);
        for fade in [&mut self.fade_in, &mut self.fade_out] {
            *fade = Fade { frames: frames(fade.frames), cut: frames(fade.cut) };
        }
        self.crossfade.frames = frames(self.crossfade.frames);
    }

    /// Checks the clip against the lengths of the sources.
    pub fn check(&self, source_frames: &[u64]) -> Result<()> {
        let frames = match self.source {
            None => u64::MAX,
            Some(source) => *source_frames.get(source).ok_or_else(|| {
                Error::invalid("source of a clip", source.to_string(), format!("below {}", source_frames.len()))
            })?,
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
