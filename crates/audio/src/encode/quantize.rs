//! Converts floating point to the integers of a file: scales, dithers, rounds, clips and counts.

use crate::AudioBuffer;

use super::dither::{self, BLOCK, Dither};
use super::stretches::Stretches;

/// Level statistics of the written samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QuantizeLevels {
    /// The number of samples beyond full scale (above 1.0 or below -1.0), or `NaN`.
    pub clipped: u64,
    /// The number of `NaN` samples, which are written as silence.
    pub not_numbers: u64,
    /// The peak absolute value of all finite samples, before clipping.
    pub peak: f64,
}

impl QuantizeLevels {
    /// Counts samples of one channel. Returns whether any of them is not finite.
    pub fn count(&mut self, samples: &[f32]) -> bool {
        let mut peak = [0.0f32; 8];
        let mut within = 0u32;
        let (runs, rest) = samples.as_chunks::<8>();
        for run in runs {
            for (peak, &sample) in peak.iter_mut().zip(run) {
                let level = sample.abs();
                within += u32::from(level <= 1.0);
                *peak = if level > *peak { level } else { *peak };
            }
        }
        for &sample in rest {
            within += u32::from(sample.abs() <= 1.0);
            peak[0] = peak[0].max(sample.abs());
        }
        let beyond = samples.len() as u64 - within as u64;
        let mut peak = peak.into_iter().fold(0.0, f32::max);
        let mut strange = false;
        if beyond > 0 {
            self.clipped += beyond;
            self.not_numbers += samples.iter().filter(|sample| sample.is_nan()).count() as u64;
            strange = samples.iter().any(|sample| !sample.is_finite());
            if strange {
                peak = samples.iter().filter(|sample| sample.is_finite()).fold(0.0, |peak, s| s.abs().max(peak));
            }
        }
        self.peak = self.peak.max(peak as f64);
        strange
    }
}

/// Writes `samples` to `clean`, with `NaN` replaced by silence and infinities by full scale.
pub fn cleaned<'a>(samples: &[f32], clean: &'a mut Vec<f32>) -> &'a [f32] {
    clean.clear();
    clean.extend(samples.iter().map(|&sample| match sample {
        _ if sample.is_nan() => 0.0,
        _ if sample.is_infinite() => 1f32.copysign(sample),
        _ => sample,
    }));
    clean
}

/// Quantises a stream of samples to integers of `bits` bits. The result does not depend on how the stream is divided
/// into blocks.
///
/// Full scale 1.0 is `2^(bits - 1)`, as in decoders, so that decoded integers are reproduced exactly. Values beyond full
/// scale are clipped. Stretches of samples that are such integers already are not dithered ([`Stretches`]): before a
/// block is quantised, [`Quantizer::look_at`] finds them.
#[derive(Debug)]
pub struct Quantizer {
    bits: u32,
    dither: Dither,
    shaping: Option<&'static [f64]>,
    seed: u64,
    /// The index of the next frame.
    frame: u64,
    /// The latest errors of each channel, most recent first.
    errors: Vec<[f64; 8]>,
    /// Where each channel is dithered. Empty without dither.
    stretches: Vec<Stretches>,
    noise: Box<[f32; BLOCK]>,
    clean: Vec<f32>,
}

impl Quantizer {
    /// Creates a quantiser to `bits` bits (16, 24 or 32) for a stream of `channels` channels at `rate_hz`. At 32 bits
    /// no dither is applied, because the 24-bit mantissa of `f32` is kept exactly.
    pub fn new(bits: u32, dither: Dither, seed: u64, rate_hz: u32, channels: usize) -> Self {
        let dither = if bits > 24 { Dither::None } else { dither };
        let shaping = if dither == Dither::Shaped { dither::shaping(rate_hz) } else { None };
        Self {
            bits,
            dither,
            shaping,
            seed,
            frame: 0,
            errors: vec![[0.0; 8]; channels],
            stretches: if dither == Dither::None { Vec::new() } else { vec![Stretches::new(bits); channels] },
            noise: Box::new([0.0; BLOCK]),
            clean: Vec::new(),
        }
    }

    /// Returns whether noise shaping is applied.
    pub fn shapes(&self) -> bool {
        self.shaping.is_some()
    }

    /// Returns whether samples that do not fit are dithered.
    pub fn dithers(&self) -> bool {
        self.dither != Dither::None
    }

    /// Looks at the frames after those that it looked at before. Returns how many frames after the quantised ones may
    /// be quantised now: whether the rest is dithered depends on what follows.
    pub fn look_at(&mut self, audio: &AudioBuffer) -> usize {
        self.stretches.iter_mut().zip(audio.iter()).for_each(|(stretches, samples)| stretches.look_at(samples));
        let decided = self.stretches.iter().map(Stretches::decided).min().unwrap_or(self.frame);
        (decided - self.frame) as usize
    }

    /// Learns that the stream has ended.
    pub fn look_at_end(&mut self) {
        self.stretches.iter_mut().for_each(Stretches::end);
    }

    /// Returns the number of frames from `start` on within the same dither block, at most up to frame `frames`.
    pub fn run(&self, start: usize, frames: usize) -> usize {
        (BLOCK - (self.frame as usize + start) % BLOCK).min(frames - start)
    }

    /// Quantises frames `start..start + count` of `input`, which must be within one dither block (see
    /// [`Quantizer::run`]), into `out`, one vector of `count` samples per channel. Counts levels.
    pub fn quantize(
        &mut self,
        input: &AudioBuffer,
        start: usize,
        count: usize,
        out: &mut [Vec<i32>],
        levels: &mut QuantizeLevels,
    ) {
        let frame = self.frame + start as u64;
        let (block, offset) = (frame / BLOCK as u64, (frame % BLOCK as u64) as usize);
        for (channel, out) in out.iter_mut().enumerate() {
            let samples = &input.channel(channel)[start..start + count];
            let samples = if levels.count(samples) { cleaned(samples, &mut self.clean) } else { samples };
            out.resize(count, 0);
            let scale = (1u64 << (self.bits - 1)) as f64;
            if self.dither == Dither::None {
                round(samples, self.bits, scale, out);
                continue;
            }
            dither::triangular(self.seed, channel, block, &mut self.noise);
            let noise = &self.noise[offset..offset + count];
            let errors = &mut self.errors[channel];
            for (part, fits) in self.stretches[channel].within(frame, count) {
                let (samples, noise, out) = (&samples[part.clone()], &noise[part.clone()], &mut out[part.clone()]);
                if fits {
                    round(samples, self.bits, scale, out);
                    *errors = [0.0; 8];
                    continue;
                }
                match (self.shaping, self.bits) {
                    (Some(&[a, b, c, d, e]), _) => shape(samples, noise, scale, [a, b, c, d, e], errors, out),
                    (Some(short), _) => {
                        let mut filter = [0.0; 2];
                        filter[..short.len().min(2)].copy_from_slice(&short[..short.len().min(2)]);
                        shape(samples, noise, scale, filter, errors, out);
                    }
                    (None, 16) => dither_16(samples, noise, out),
                    (None, _) => dither_f64(samples, noise, scale, out),
                }
            }
        }
    }

    /// Advances the position by `frames` quantised frames.
    pub fn advance(&mut self, frames: usize) {
        self.frame += frames as u64;
        self.stretches.iter_mut().for_each(|stretches| stretches.forget(self.frame));
    }
}

/// Adding this constant to an `f32` within 2^22 of zero rounds it to an integer, ties to even, in the low bits of the
/// sum.
const ROUND_F32: f32 = 12_582_912.0;
/// The same for an `f64` within 2^31 of zero.
const ROUND_F64: f64 = 6_755_399_441_055_744.0;

/// Rounds to the nearest integer of `bits` bits without dither, where full scale is `scale`.
fn round(samples: &[f32], bits: u32, scale: f64, out: &mut [i32]) {
    match bits {
        16 => round_16(samples, out),
        24 => round_f64(samples, scale, out),
        _ => round_wide(samples, out),
    }
}

fn round_16(samples: &[f32], out: &mut [i32]) {
    for (out, &sample) in out.iter_mut().zip(samples) {
        let cut = (sample * 32_768.0).clamp(-32_768.0, 32_767.0);
        *out = ((cut + ROUND_F32).to_bits() as i32).wrapping_sub(ROUND_F32.to_bits() as i32);
    }
}

fn dither_16(samples: &[f32], noise: &[f32], out: &mut [i32]) {
    for ((out, &sample), &noise) in out.iter_mut().zip(samples).zip(noise) {
        let cut = (sample * 32_768.0 + noise).clamp(-32_768.0, 32_767.0);
        *out = ((cut + ROUND_F32).to_bits() as i32).wrapping_sub(ROUND_F32.to_bits() as i32);
    }
}

fn round_f64(samples: &[f32], scale: f64, out: &mut [i32]) {
    for (out, &sample) in out.iter_mut().zip(samples) {
        let cut = (sample as f64 * scale).clamp(-scale, scale - 1.0);
        *out = (cut + ROUND_F64).to_bits() as i32;
    }
}

fn dither_f64(samples: &[f32], noise: &[f32], scale: f64, out: &mut [i32]) {
    for ((out, &sample), &noise) in out.iter_mut().zip(samples).zip(noise) {
        let cut = (sample as f64 * scale + noise as f64).clamp(-scale, scale - 1.0);
        *out = (cut + ROUND_F64).to_bits() as i32;
    }
}

fn round_wide(samples: &[f32], out: &mut [i32]) {
    for (out, &sample) in out.iter_mut().zip(samples) {
        // The conversion saturates at both ends.
        *out = (sample as f64 * 2_147_483_648.0).round_ties_even() as i32;
    }
}

/// Feeds the error of each sample back into the next ones. The error is measured before clipping, so it stays within
/// one and a half steps for any input, and the feedback stays bounded.
fn shape<const N: usize>(
    samples: &[f32],
    noise: &[f32],
    scale: f64,
    filter: [f64; N],
    kept: &mut [f64; 8],
    out: &mut [i32],
) {
    let mut errors = [0.0; N];
    errors.copy_from_slice(&kept[..N]);
    // Keeps the value in the range of the rounding constant. The limit is far beyond the clipping level.
    let limit = 4.0 * scale;
    for ((out, &sample), &noise) in out.iter_mut().zip(samples).zip(noise) {
        let mut wanted = (sample as f64 * scale).clamp(-limit, limit);
        // The oldest errors come first because the latest error is available last.
        for k in (0..N).rev() {
            wanted -= filter[k] * errors[k];
        }
        let rounded = (wanted + noise as f64 + ROUND_F64) - ROUND_F64;
        errors.copy_within(..N - 1, 1);
        errors[0] = rounded - wanted;
        *out = rounded.clamp(-scale, scale - 1.0) as i32;
    }
    kept[..N].copy_from_slice(&errors);
}
