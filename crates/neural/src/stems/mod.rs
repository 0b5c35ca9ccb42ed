//! Stems: the parts that a recording is a sum of, such as voice and accompaniment, as separate recordings.
//!
//! Takes any [`AudioReader`](audio::AudioReader) and returns blocks of stems in order, each with the corresponding
//! block of the input. Memory is bounded, whatever the length.
//!
//! [`Demucs`] runs a network with weights that the user provides, and returns vocals, drums, bass and others.
//!
//! [`QuickSplit`] needs no weights, and its stems sum to the input. It is a rough split: it uses repetition, the
//! difference between sustained tones and hits, and the position between left and right, but does not recognise
//! instruments.
//!
//! - [`repet`]: voice and accompaniment, by REPET-SIM, in stereo with the place as a second cue.
//! - [`kernels::signal::hpss`](dsp::kernels::signal::hpss): tones and hits.
//! - [`place`]: centre and sides of a stereo recording.
//!
//! Each of them computes a mask for the windows of a transform ([`split`]): the first stem is the input through the
//! mask, and the second is the input minus the first, sample by sample.

pub mod demucs;
mod held;
mod lanes;
mod medians;
pub mod place;
mod quick;
pub mod repet;
mod separation;
mod similar;
mod split;
mod tones;

pub use base::stem::StemKind;
pub use demucs::Demucs;
pub use lanes::USUAL_RECORDING;
pub use quick::QuickSplit;
pub use separation::{ResidualUse, Separation};
pub use similar::{Search, similar_windows};
pub use split::{Limits, Separated, Sink, StemBlock};

use std::ops::RangeInclusive;

use base::units::SampleRate;

/// The least length of a window, in seconds.
const WINDOW_S: f64 = 0.04;
/// The lengths that a window may have, in frames.
const WINDOW_FRAMES: RangeInclusive<usize> = 64..=65_536;

/// Returns the length in frames of the windows at a sample rate: 40 ms, rounded up to a power of two, so 2048 at 44.1 and
/// 48 kHz.
pub fn window_frames(rate: SampleRate) -> usize {
    let least = (WINDOW_S * rate.as_f64()).ceil() as usize;
    least.next_power_of_two().clamp(*WINDOW_FRAMES.start(), *WINDOW_FRAMES.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_take_40_ms_or_more() {
        let of = |hz| window_frames(SampleRate::new(hz).unwrap());
        assert_eq!([1, 8000, 16_000, 44_100, 48_000, 96_000].map(of), [64, 512, 1024, 2048, 2048, 4096]);
        assert_eq!(of(768_000), 32_768);
    }
}
