//! How far a code, or a frame of the decoded sound, depends on what is around it.

use super::Configuration;
use super::layers::{DILATIONS, LAST_TAPS, TAPS};

/// A range of frames at some layer's input: the first and the last.
#[derive(Clone, Copy)]
struct Range(isize, isize);

impl Range {
    /// What a convolution that keeps the rate needs on both sides.
    fn widened(self, taps: usize, dilation: usize) -> Self {
        let side = ((taps - 1) * dilation / 2) as isize;
        Self(self.0 - side, self.1 + side)
    }

    /// What the residual units of a stage need.
    fn of_units(self) -> Self {
        DILATIONS.iter().fold(self, |range, &dilation| range.widened(TAPS, dilation))
    }

    /// What a strided convolution of twice as many taps needs.
    fn of_strided(self, ratio: usize) -> Self {
        let (ratio, padding) = (ratio as isize, ratio.div_ceil(2) as isize);
        Self(self.0 * ratio - padding, self.1 * ratio - padding + 2 * ratio - 1)
    }

    /// What a transposed convolution of twice as many taps needs: frame `i` gives those from `i ratio - padding` on.
    fn of_transposed(self, ratio: usize) -> Self {
        let (ratio, padding) = (ratio as isize, ratio.div_ceil(2) as isize);
        let first = (self.0 + padding - 2 * ratio + 1).div_euclid(ratio)
            + isize::from((self.0 + padding - 2 * ratio + 1).rem_euclid(ratio) > 0);
        Self(first, (self.1 + padding).div_euclid(ratio))
    }
}

/// Returns the frames before and after the first frame of a code on which the code depends.
pub fn of_encoder(configuration: &Configuration) -> [usize; 2] {
    let mut range = Range(0, 0).widened(LAST_TAPS, 1);
    for &ratio in configuration.encoder_ratios.iter().rev() {
        range = range.of_strided(ratio).of_units();
    }
    let range = range.widened(TAPS, 1);
    [range.0.unsigned_abs(), range.1.unsigned_abs()]
}

/// Returns the codes before and after a code on which its frames depend.
pub fn of_decoder(configuration: &Configuration) -> [usize; 2] {
    let hop: usize = configuration.decoder_ratios.iter().product();
    let mut range = Range(0, hop as isize - 1).widened(TAPS, 1);
    for &ratio in configuration.decoder_ratios.iter().rev() {
        range = range.of_units().of_transposed(ratio);
    }
    let range = range.widened(TAPS, 1);
    [range.0.unsigned_abs(), range.1.unsigned_abs()]
}
