//! Joins of two clips: the cross-fade as rendered.

use super::clip::{Clip, FadeShape};

/// A cross-fade as rendered: over `before` frames before a clip's start and `after` frames after it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Join {
    /// The frames before the second clip's start.
    pub before: u64,
    /// The frames from its start on.
    pub after: u64,
    pub(super) shape: FadeShape,
    /// Neither clip has material beyond its edge: one fades to silence, then the other from silence.
    pub(super) dips: bool,
}

impl Join {
    /// Returns the cross-fade from `first` to `second`. It takes material beyond the edges where there is some, half of
    /// its length on either side if it can, and at most half of each clip, so that two never overlap.
    pub(super) fn between(first: &Clip, second: &Clip, source_frames: &[u64]) -> Self {
        let frames = second.crossfade.frames;
        if frames == 0 || first.continues_in(second) {
            return Self::default();
        }
        // A clip of silence can be extended without limit.
        let lasts = |clip: &Clip, material: u64| if clip.source.is_none() { u64::MAX } else { material };
        let most_before = lasts(second, second.before(source_frames)).min(first.frames() / 2);
        let most_after = lasts(first, first.after(source_frames)).min(second.frames() / 2);
        let after = (frames - (frames / 2).min(most_before)).min(most_after);
        let before = (frames - after).min(most_before);
        let shape = second.crossfade.shape;
        if before + after > 0 {
            return Self { before, after, shape, dips: false };
        }
        let before = (frames / 2).min(first.frames() / 2);
        Self { before, after: (frames - frames / 2).min(second.frames() / 2), shape, dips: true }
    }

    /// Returns the factors of the first and the second clip at `frame` frames after the start of the fade.
    pub(super) fn factors(self, frame: u64) -> (f64, f64) {
        let x = |frame: u64, length: u64| (frame as f64 + 0.5) / length as f64;
        if !self.dips {
            return self.shape.factors(x(frame, self.before + self.after));
        }
        if frame < self.before {
            (self.shape.factors(x(frame, self.before)).0, 0.0)
        } else {
            (0.0, self.shape.factors(x(frame - self.before, self.after)).1)
        }
    }
}
