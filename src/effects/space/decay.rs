//! How long a loop sounds.

use crate::audio::AudioFormat;

/// No tail is declared, and no past looked at, for longer than so many seconds.
pub(in crate::effects) const LONGEST_S: f64 = 60.0;

/// Frames until a loop of `frames` that gives back `gain` each time has fallen by 60 dB, [`LONGEST_S`] at the most.
pub(in crate::effects) fn tail_frames(frames: f64, gain: f64, input: AudioFormat) -> u64 {
    let rounds = if gain > 1e-3 { -3.0 / gain.log10() } else { 1.0 };
    limited(frames * (1.0 + rounds.ceil()), input)
}

/// So many frames, but no more than [`LONGEST_S`].
pub(in crate::effects) fn limited(frames: f64, input: AudioFormat) -> u64 {
    frames.min(LONGEST_S * input.rate.as_f64()).ceil() as u64
}
