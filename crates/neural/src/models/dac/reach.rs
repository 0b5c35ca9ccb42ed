//! The context on which a code, or a frame of the decoded sound, depends.

use super::Configuration;
use super::layers::{DILATIONS, LAST_TAPS, TAPS};
use crate::models::Chunks;

/// A range of frames at some layer's input: the first and the last.
#[derive(Clone, Copy)]
struct Range(isize, isize);

impl Range {
    /// Returns the input range of a convolution that keeps the rate.
    fn widened(self, taps: usize, dilation: usize) -> Self {
        let side = ((taps - 1) * dilation / 2) as isize;
        Self(self.0 - side, self.1 + side)
    }

    /// Returns the input range of the residual units of a stage.
    fn of_units(self) -> Self {
        DILATIONS.iter().fold(self, |range, &dilation| range.widened(TAPS, dilation))
    }

    /// Returns the input range of a strided convolution with `2 ratio` taps.
    fn of_strided(self, ratio: usize) -> Self {
        let (ratio, padding) = (ratio as isize, ratio.div_ceil(2) as isize);
        Self(self.0 * ratio - padding, self.1 * ratio - padding + 2 * ratio - 1)
    }

    /// Returns the input range of a transposed convolution with `2 ratio` taps: frame `i` contributes to those from
    /// `i ratio - padding` on.
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

/// The sizes of a layer that changes the number of frames where there are no zeros beyond the ends.
#[derive(Clone, Copy)]
enum Step {
    /// A convolution: the frames that it reaches beyond one, and its stride.
    Down { reach: isize, stride: isize },
    /// A transposed convolution of twice as many taps as its stride.
    Up { stride: isize },
}

impl Step {
    const fn keeping_the_rate(taps: usize, dilation: usize) -> Self {
        Self::Down { reach: ((taps - 1) * dilation) as isize, stride: 1 }
    }

    /// Returns the number of frames that it makes from `frames` frames.
    const fn forth(self, frames: isize) -> isize {
        match self {
            Self::Down { reach, stride } => (frames - reach - 1).div_euclid(stride) + 1,
            Self::Up { stride } => (frames - 1) * stride + 2 * stride,
        }
    }

    /// Returns the fewest frames from which it makes `frames` frames.
    const fn back(self, frames: isize) -> isize {
        match self {
            Self::Down { reach, stride } => (frames - 1) * stride + reach + 1,
            Self::Up { stride } => -(2 * stride - frames).div_euclid(stride) + 1,
        }
    }
}

fn encoder_steps(configuration: &Configuration) -> Vec<Step> {
    let mut steps = vec![Step::keeping_the_rate(TAPS, 1)];
    for &ratio in &configuration.encoder_ratios {
        steps.extend(DILATIONS.map(|dilation| Step::keeping_the_rate(TAPS, dilation)));
        steps.push(Step::Down { reach: 2 * ratio as isize - 1, stride: ratio as isize });
    }
    steps.push(Step::keeping_the_rate(LAST_TAPS, 1));
    steps
}

fn decoder_steps(configuration: &Configuration) -> Vec<Step> {
    let mut steps = vec![Step::keeping_the_rate(TAPS, 1)];
    for &ratio in &configuration.decoder_ratios {
        steps.push(Step::Up { stride: ratio as isize });
        steps.extend(DILATIONS.map(|dilation| Step::keeping_the_rate(TAPS, dilation)));
    }
    steps.push(Step::keeping_the_rate(TAPS, 1));
    steps
}

fn through(steps: &[Step], frames: isize) -> isize {
    steps.iter().fold(frames, |frames, step| step.forth(frames))
}

/// Returns the number of frames that `codes` codes decode to without zeros beyond them; `None` if a layer would have no
/// frames.
pub fn bare_frames(configuration: &Configuration, codes: usize) -> Option<usize> {
    let mut frames = isize::try_from(codes).ok()?;
    for step in decoder_steps(configuration) {
        frames = Some(step.forth(frames)).filter(|frames| *frames > 0)?;
    }
    usize::try_from(frames).ok()
}

/// Returns the chunks of DAC's container, as `CodecMixin` of descript-audio-codec counts them; `None` for a model that
/// reaches over more than a second.
pub fn chunks(configuration: &Configuration) -> Option<Chunks> {
    let hop: usize = configuration.encoder_ratios.iter().product();
    let frames = (configuration.rate.hz() as usize).next_multiple_of(hop);
    let codes = usize::try_from(through(&encoder_steps(configuration), frames as isize)).ok()?;
    let stride = bare_frames(configuration, codes)?;
    let steps = [encoder_steps(configuration), decoder_steps(configuration)].concat();
    let out = through(&steps, 0);
    let taken = steps.iter().rev().fold(out, |frames, step| step.back(frames));
    let delay = usize::try_from((taken - out).div_euclid(2)).ok()?;
    Some(Chunks { frames, codes, stride, delay })
}
