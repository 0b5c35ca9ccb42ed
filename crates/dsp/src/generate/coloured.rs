//! Pink and brown noise: white noise through a long filter with the wanted magnitude response.
//!
//! The power falls as `1/f` (pink, -3.01 dB per octave) or `1/f^2` (brown, -6.02 dB per octave) from 20 Hz to half the
//! sample rate, and is constant below about 5 Hz, so that the noise has a mean square: `|H(f)|^2 = (f^4 + c^4)^(-n/4)`
//! with `n` 1 or 2 and the corner `c` of 5 Hz. At 20 Hz it deviates by 0.004 and 0.008 dB from the slope. At sample rates
//! below 1 kHz the corner is 1/200 of the rate.
//!
//! The filter is of linear phase, from samples of this response at equal distances (Rabiner, Gold and others, "An
//! approach to the approximation problem for nonrecursive digital filters", 1970). Its impulse response decays by
//! `exp(-pi sqrt(2) c |t|)`. It is kept for 1.35 s on each side, where it has fallen by 260 dB. White noise is convolved
//! with it by transforms, in blocks at fixed places.

use std::sync::Arc;

use transforms::num_complex::Complex64;
use transforms::{ComplexToReal, RealFftPlanner, RealToComplex};

use super::Waveform;
use super::random::Sequence;
use base::units::SampleRate;

/// The frequency in Hz below which coloured noise is white, at sample rates from 1 kHz.
pub const CORNER_HZ: f64 = 5.0;
/// The length of the impulse response, in periods of the corner frequency.
const CORNER_PERIODS: f64 = 13.5;

/// A slope of the power over frequency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// -3.01 dB per octave.
    Pink,
    /// -6.02 dB per octave.
    Brown,
}

impl Colour {
    /// Returns the magnitude response at a frequency in Hz, up to a factor.
    pub fn magnitude(self, hz: f64, corner_hz: f64) -> f64 {
        let power = (hz.powi(4) + corner_hz.powi(4)).powf(-0.25);
        match self {
            Self::Pink => power.sqrt(),
            Self::Brown => power,
        }
    }
}

/// Coloured noise with an expected RMS of 1.
pub struct Coloured {
    seed: u64,
    /// The number of taps of the filter, and of frames of a block.
    taps: usize,
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
    /// The transform of the filter over two blocks, scaled.
    response: Vec<Complex64>,
    input: Vec<f64>,
    spectrum: Vec<Complex64>,
    /// The last block of each channel, with its number.
    blocks: Vec<Option<(u64, Vec<f32>)>>,
}

impl Coloured {
    /// Prepares the filter.
    pub fn new(colour: Colour, seed: u64, rate: SampleRate, channels: usize) -> Self {
        let corner_hz = CORNER_HZ.min(rate.as_f64() / 200.0);
        let taps = ((CORNER_PERIODS * rate.as_f64() / corner_hz) as usize).next_power_of_two();
        let mut planner = RealFftPlanner::<f64>::new();
        let (forward, inverse) = (planner.plan_fft_forward(2 * taps), planner.plan_fft_inverse(2 * taps));
        let small = planner.plan_fft_inverse(taps);
        let mut wanted = small.make_input_vec();
        for (bin, value) in wanted.iter_mut().enumerate() {
            *value = colour.magnitude(bin as f64 * rate.as_f64() / taps as f64, corner_hz).into();
        }
        let mut impulse = small.make_output_vec();
        let mut made = small.process(&mut wanted, &mut impulse).is_ok();
        // The response about time 0 becomes causal.
        impulse.rotate_right(taps / 2);
        let energy: f64 = impulse.iter().map(|tap| tap * tap).sum();
        // The input has a variance of 1/3, the inverse transform a factor of its length.
        let scale = (3.0 / energy).sqrt() / (2 * taps) as f64;
        let mut input: Vec<f64> = impulse.iter().map(|tap| tap * scale).collect();
        input.resize(2 * taps, 0.0);
        let mut response = forward.make_output_vec();
        made &= forward.process(&mut input, &mut response).is_ok();
        debug_assert!(made, "the lengths come from the plans themselves");
        let spectrum = forward.make_output_vec();
        Self { seed, taps, forward, inverse, response, input, spectrum, blocks: vec![None; channels] }
    }

    /// Returns a block of a channel at unit level. Block `b` has the frames from `b * taps` on.
    fn block(&mut self, channel: usize, number: u64) -> &[f32] {
        let held = matches!(&self.blocks[channel], Some((held, _)) if *held == number);
        if !held {
            let sequence = Sequence::new(self.seed, channel);
            // The input begins one block before the output, so that the filter has its past. Places before the first
            // frame exist too: the sequence is cyclic.
            let first = number.wrapping_mul(self.taps as u64).wrapping_sub(self.taps as u64);
            for (index, value) in self.input.iter_mut().enumerate() {
                *value = sequence.symmetric(first.wrapping_add(index as u64));
            }
            let mut made = self.forward.process(&mut self.input, &mut self.spectrum).is_ok();
            for (bin, response) in self.spectrum.iter_mut().zip(&self.response) {
                *bin *= response;
            }
            // Both are real in theory; the transform insists on it.
            let last = self.spectrum.len() - 1;
            self.spectrum[0].im = 0.0;
            self.spectrum[last].im = 0.0;
            made &= self.inverse.process(&mut self.spectrum, &mut self.input).is_ok();
            debug_assert!(made, "the lengths come from the plans themselves");
            let mut samples = self.blocks[channel].take().map(|(_, samples)| samples).unwrap_or_default();
            samples.clear();
            samples.extend(self.input[self.taps..].iter().map(|value| *value as f32));
            self.blocks[channel] = Some((number, samples));
        }
        self.blocks[channel].as_ref().map(|(_, samples)| samples.as_slice()).unwrap_or_default()
    }
}

impl Waveform for Coloured {
    fn fill(&mut self, channel: usize, start: u64, gain: f64, out: &mut [f32]) {
        let taps = self.taps as u64;
        let mut frame = start;
        let mut rest = out;
        while !rest.is_empty() {
            let offset = (frame % taps) as usize;
            let count = (self.taps - offset).min(rest.len());
            let (now, after) = rest.split_at_mut(count);
            let block = &self.block(channel, frame / taps)[offset..offset + count];
            for (sample, value) in now.iter_mut().zip(block) {
                *sample = (gain * f64::from(*value)) as f32;
            }
            rest = after;
            frame += count as u64;
        }
    }

    fn differs_by_channel(&self) -> bool {
        true
    }
}
