//! Tail lengths of loops.

use audio::AudioFormat;

/// The maximum length of declared tails and memories, in seconds.
pub(crate) const LONGEST_S: f64 = 60.0;

/// Returns the frames until a loop of `frames` frames with a gain of `gain` per round has decayed by 60 dB, at most
/// [`LONGEST_S`].
pub(crate) fn tail_frames(frames: f64, gain: f64, input: AudioFormat) -> u64 {
    let rounds = if gain > 1e-3 { -3.0 / gain.log10() } else { 1.0 };
    limited(frames * (1.0 + rounds.ceil()), input)
}

/// Returns `frames` rounded up, at most [`LONGEST_S`].
pub(crate) fn limited(frames: f64, input: AudioFormat) -> u64 {
    frames.min(LONGEST_S * input.rate.as_f64()).ceil() as u64
}
