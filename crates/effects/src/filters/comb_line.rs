//! The process of the comb: a delay line for each channel whose last part is an all-pass filter.
//!
//! The cost per frame and channel is two accesses of the line, and 16 multiplications if the delay is not a whole
//! number of frames. The recursion of the all-pass, one addition per frame, is the lower bound. A feedback comb also
//! recurs over its whole delay, so that only channels can run in parallel.

use transforms::num_complex::Complex64;

use super::super::Process;
use audio::AudioBuffer;
use base::error::{Error, Result};
use dsp::design::Response;

/// The maximum order of the all-pass.
const ORDER: usize = 8;

/// Values below this are set to 0, so that a ringing comb ends before it reaches denormals.
const SILENT: f64 = 1e-60;

/// A fractional delay: whole frames followed by Thiran's all-pass.
#[derive(Clone, Debug)]
pub(super) struct FractionalDelay {
    /// Whole frames before the all-pass, at least one.
    frames: usize,
    /// The denominator of the all-pass, without its leading 1. Empty for a whole number of frames.
    taps: Vec<f64>,
}

impl FractionalDelay {
    /// Creates a delay of `period` frames, at least two.
    pub fn new(period: f64) -> Self {
        let whole = period.round();
        if (period - whole).abs() < 1e-9 * period {
            return Self { frames: whole as usize, taps: Vec::new() };
        }
        let order = ORDER.min(whole as usize - 1);
        let frames = whole as usize - order;
        // `a_k = (-1)^k (N over k) prod over n = 0..=N of (d - N + n)/(d - N + k + n)`.
        let (d, n) = (period - frames as f64, order as f64);
        let mut taps = Vec::with_capacity(order);
        let mut binomial = 1.0;
        for k in 1..=order {
            binomial *= (n - k as f64 + 1.0) / k as f64;
            let product: f64 = (0..=order).map(|i| (d - n + i as f64) / (d - n + (k + i) as f64)).product();
            taps.push(if k % 2 == 0 { binomial } else { -binomial } * product);
        }
        Self { frames, taps }
    }

    /// Returns the response, which is phase only, and its group delay.
    fn response(&self, w: f64) -> (Complex64, f64) {
        let order = self.taps.len() as f64;
        let (mut value, mut slope) = (Complex64::ONE, Complex64::ZERO);
        for (k, &tap) in (1..).zip(&self.taps) {
            let term = Complex64::cis(-w * f64::from(k)) * tap;
            value += term;
            slope += term * Complex64::new(0.0, -f64::from(k));
        }
        let phase = -w * (self.frames as f64 + order) - 2.0 * value.arg();
        let delay = self.frames as f64 + order + 2.0 * (slope / value).im;
        (Complex64::cis(phase), delay)
    }
}

/// The combs of all channels.
#[derive(Debug)]
pub(super) struct CombLine {
    delay: FractionalDelay,
    gain: f64,
    feedback: bool,
    /// The next frame of the stream.
    position: i64,
    channels: Vec<CombChannel>,
}

/// The delay line of one channel.
#[derive(Clone, Debug)]
struct CombChannel {
    /// The past input, a ring buffer whose next write position is `at`.
    past: Vec<f64>,
    at: usize,
    /// The past inputs and outputs of the all-pass, latest first.
    got: [f64; ORDER],
    gave: [f64; ORDER],
}

impl CombChannel {
    fn new(frames: usize) -> Self {
        Self { past: vec![0.0; frames], at: 0, got: [0.0; ORDER], gave: [0.0; ORDER] }
    }

    /// Returns the next output. Call it before [`CombChannel::put`].
    fn next(&mut self, taps: &[f64]) -> f64 {
        let input = self.past[self.at];
        let order = taps.len();
        if order == 0 {
            return input;
        }
        // `y = a_N x + a_(N-1) x_1 + .. + x_N - a_1 y_1 - .. - a_N y_N`
        let mut output = taps[order - 1] * input + self.got[order - 1];
        for k in 1..order {
            output += taps[order - 1 - k] * self.got[k - 1];
        }
        for (tap, gave) in taps.iter().zip(&self.gave) {
            output -= tap * gave;
        }
        self.got.copy_within(..ORDER - 1, 1);
        self.gave.copy_within(..ORDER - 1, 1);
        self.got[0] = input;
        self.gave[0] = if output.abs() < SILENT { 0.0 } else { output };
        self.gave[0]
    }

    fn put(&mut self, value: f64) {
        self.past[self.at] = if value.is_finite() && value.abs() >= SILENT { value } else { 0.0 };
        self.at = if self.at + 1 == self.past.len() { 0 } else { self.at + 1 };
    }

    fn clear(&mut self) {
        *self = Self::new(self.past.len());
    }

    fn is_silent(&self) -> bool {
        self.past.iter().chain(&self.gave).chain(&self.got).all(|&value| value == 0.0)
    }
}

impl CombLine {
    pub fn new(delay: FractionalDelay, gain: f64, feedback: bool, channels: usize) -> Self {
        let channels = vec![CombChannel::new(delay.frames); channels];
        Self { delay, gain, feedback, position: 0, channels }
    }

    /// Values that identify the shape of the state.
    fn shape(&self) -> [f64; 3] {
        [self.delay.frames as f64, self.delay.taps.len() as f64, f64::from(u8::from(self.feedback))]
    }
}

impl Process for CombLine {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        let (gain, feedback, taps) = (self.gain, self.feedback, self.delay.taps.as_slice());
        for (line, samples) in self.channels.iter_mut().zip(block.iter_mut()) {
            for sample in samples {
                let input = f64::from(*sample);
                let delayed = gain * line.next(taps);
                let output = input + delayed;
                // If the input is `NaN` or infinite, the ringing continues without it.
                line.put(if !feedback {
                    input
                } else if input.is_finite() {
                    output
                } else {
                    delayed
                });
                *sample = output as f32;
            }
        }
        self.position += block.frames() as i64;
        Ok(())
    }

    fn seek(&mut self, frame: i64) -> bool {
        let goes_on = frame == self.position || self.channels.iter().all(CombChannel::is_silent);
        if !goes_on {
            self.channels.iter_mut().for_each(CombChannel::clear);
        }
        self.position = frame;
        goes_on
    }

    /// Returns the shape and position, then for each channel the line, oldest first, and the all-pass.
    fn state(&self) -> Vec<f64> {
        let mut state = self.shape().to_vec();
        state.push(self.position as f64);
        for line in &self.channels {
            state.extend(&line.past[line.at..]);
            state.extend(&line.past[..line.at]);
            state.extend(line.got.iter().chain(&line.gave));
        }
        state
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let each = self.delay.frames + 2 * ORDER;
        let body = state.strip_prefix(self.shape().as_slice()).and_then(<[f64]>::split_first);
        let Some((&position, lines)) = body.filter(|(_, lines)| lines.len() == each * self.channels.len()) else {
            return Err(Error::Internal("a comb was given the state of another one".into()));
        };
        self.position = position as i64;
        for (line, values) in self.channels.iter_mut().zip(lines.chunks_exact(each)) {
            let (past, filter) = values.split_at(self.delay.frames);
            line.past.copy_from_slice(past);
            line.at = 0;
            line.got.copy_from_slice(&filter[..ORDER]);
            line.gave.copy_from_slice(&filter[ORDER..]);
        }
        Ok(())
    }

    fn response(&self, w: f64) -> Option<Response> {
        let (delayed, delay) = self.delay.response(w);
        let delayed = delayed * self.gain;
        let slope = delayed * Complex64::new(0.0, -delay);
        Some(if self.feedback {
            let value = (1.0 - delayed).inv();
            Response::new(value, value * value * slope)
        } else {
            Response::new(1.0 + delayed, slope)
        })
    }
}
