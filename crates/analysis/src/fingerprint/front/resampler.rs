//! Sample-rate conversion, block by block.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use super::bank::{Bank, Step};
use base::simd::{LANES, Lanes, Simd, Singles, Task};

/// The number format of a stream's samples and a filter's taps.
pub(super) trait Sample: Copy + Default {
    /// Converts a filter coefficient to a tap.
    fn tap(value: f64) -> Self;
    /// Returns the dot product with an interpolated filter: `a` has the weight `1 - by / of`, `b` the weight `by / of`.
    fn between<L: Lanes>(x: &[Self], a: &[Self], b: &[Self], by: u64, of: u64) -> Self;
    /// Returns the dot product of samples and taps.
    fn filtered<L: Lanes>(x: &[Self], taps: &[Self]) -> Self;
    /// Returns eight dot products, each as [`Sample::filtered`] computes it.
    #[inline(always)]
    fn eight_filtered<L: Lanes>(x: [&[Self]; EIGHT], taps: [&[Self]; EIGHT]) -> [Self; EIGHT] {
        let mut products = [Self::default(); EIGHT];
        for ((to, x), taps) in products.iter_mut().zip(x).zip(taps) {
            *to = Self::filtered::<L>(x, taps);
        }
        products
    }

    /// Converts a sample from `f32`, where full scale is 1.
    fn from_f32(value: f32) -> Self;
    /// Converts a sample to `f32`, where full scale is 1.
    fn to_f32(self) -> f32;
}

/// Outputs computed together.
const EIGHT: usize = LANES;

/// Fractional bits of an integer tap.
const SHIFT: u32 = 15;

impl Sample for i16 {
    fn tap(value: f64) -> Self {
        (value * f64::from(1 << SHIFT)).round_ties_even() as i16
    }

    #[inline(always)]
    fn between<L: Lanes>(x: &[i16], a: &[i16], b: &[i16], by: u64, of: u64) -> Self {
        let (a, b) = (i64::from(L::dot(x, a)), i64::from(L::dot(x, b)));
        rounded((a + (b - a) * by as i64 / of as i64) as i32)
    }

    #[inline(always)]
    fn filtered<L: Lanes>(x: &[i16], taps: &[i16]) -> Self {
        rounded(L::dot(x, taps))
    }

    /// Rounds to nearest, halves up, because `swresample` halves the sum of two channels this way.
    #[inline(always)]
    fn from_f32(value: f32) -> Self {
        // An `f32` beyond 2^23 has no fraction, and its low bits hold the integer. SIMD units have no cast with range
        // checks.
        const WHOLE: f32 = 12_582_912.0;
        let halves_up = (value * 32_768.0).clamp(-32_768.0, 32_767.0) + 0.5;
        let nearest = halves_up + WHOLE - WHOLE;
        let below = if nearest > halves_up { nearest - 1.0 } else { nearest };
        (below + WHOLE).to_bits() as i16
    }

    fn to_f32(self) -> f32 {
        f32::from(self) / 32_768.0
    }
}

#[inline(always)]
fn rounded(sum: i32) -> i16 {
    (sum.saturating_add(1 << (SHIFT - 1)) >> SHIFT).clamp(i32::from(i16::MIN), i32::from(i16::MAX)) as i16
}

impl Sample for f32 {
    fn tap(value: f64) -> Self {
        value as f32
    }

    #[inline(always)]
    fn between<L: Lanes>(x: &[f32], a: &[f32], b: &[f32], by: u64, of: u64) -> Self {
        let (a, b) = (Self::filtered::<L>(x, a), Self::filtered::<L>(x, b));
        a + (b - a) * (by as f64 / of as f64) as f32
    }

    #[inline(always)]
    fn filtered<L: Lanes>(x: &[f32], taps: &[f32]) -> Self {
        let mut sums = [0.0_f32; SUMS];
        let (x_blocks, x_rest) = x.as_chunks::<SUMS>();
        let (tap_blocks, tap_rest) = taps.as_chunks::<SUMS>();
        for (x, taps) in x_blocks.iter().zip(tap_blocks) {
            for lane in 0..SUMS {
                sums[lane] += x[lane] * taps[lane];
            }
        }
        for (sum, (x, tap)) in sums.iter_mut().zip(x_rest.iter().zip(tap_rest)) {
            *sum += x * tap;
        }
        let mut width = SUMS / 2;
        while width > 0 {
            for lane in 0..width {
                sums[lane] += sums[lane + width];
            }
            width /= 2;
        }
        sums[0]
    }

    #[inline(always)]
    fn eight_filtered<L: Lanes>(x: [&[f32]; EIGHT], taps: [&[f32]; EIGHT]) -> [f32; EIGHT] {
        let mut halves = [L::Singles::splat(0.0); EIGHT];
        for ((half, x), taps) in halves.iter_mut().zip(x).zip(taps) {
            *half = half_summed::<L::Singles>(x, taps);
        }
        let mut products = [0.0; EIGHT];
        L::Singles::sums(halves).store(&mut products);
        products
    }

    fn from_f32(value: f32) -> Self {
        value
    }

    fn to_f32(self) -> f32 {
        self
    }
}

/// Sums of products that grow side by side.
const SUMS: usize = 2 * LANES;

/// Returns the products of samples and taps, summed in [`SUMS`] lanes, of which the upper half is added to the lower.
#[inline(always)]
fn half_summed<S: Singles>(x: &[f32], taps: &[f32]) -> S {
    let ((x_blocks, x_rest), (tap_blocks, tap_rest)) = (x.as_chunks::<LANES>(), taps.as_chunks::<LANES>());
    let mut sums = [S::splat(0.0); 2];
    for (n, (x, taps)) in x_blocks.iter().zip(tap_blocks).enumerate() {
        sums[n % 2] = sums[n % 2].add(S::load(x).mul(S::load(taps)));
    }
    if !x_rest.is_empty() {
        let (mut last_x, mut last_taps) = ([0.0; LANES], [0.0; LANES]);
        last_x[..x_rest.len()].copy_from_slice(x_rest);
        last_taps[..tap_rest.len()].copy_from_slice(tap_rest);
        let sum = &mut sums[x_blocks.len() % 2];
        *sum = sum.add(S::load(&last_x).mul(S::load(&last_taps)));
    }
    sums[0].add(sums[1])
}

/// Converts the sample rate of one channel.
///
/// Samples that a filter needs before the stream are mirrored around the first sample, `x(-n) = x(n)`. Samples that it
/// needs after the end are mirrored between the last sample and the next one, `x(N + n) = x(N - 1 - n)`.
pub(super) struct Resampler<T> {
    bank: Bank<T>,
    /// Samples that a filter may still need, the first of them at input position `first`.
    held: Vec<T>,
    first: i64,
    started: bool,
    /// Position of the next output: input sample, phase, and fraction of a phase.
    sample: i64,
    phase: u64,
    part: u64,
}

impl<T: Sample> Resampler<T> {
    pub fn new(rate_in: u32, rate_out: u32) -> Self {
        let bank = Bank::new(rate_in, rate_out);
        Self { bank, held: Vec::new(), first: 0, started: false, sample: 0, phase: 0, part: 0 }
    }

    /// Takes the next samples and appends the outputs that they complete.
    pub fn push(&mut self, input: &[T], out: &mut Vec<T>) {
        self.held.extend_from_slice(input);
        if !self.started {
            if self.held.len() <= self.bank.taps {
                return;
            }
            self.mirror_start();
        }
        self.run(out);
    }

    /// Ends the stream.
    pub fn finish(mut self, out: &mut Vec<T>) {
        if self.held.is_empty() {
            return;
        }
        if !self.started {
            self.mirror_start();
        }
        let end = self.first + self.held.len() as i64;
        for n in 0..self.bank.taps {
            // For a stream of a few samples, positions before the first held sample repeat that sample.
            let from = self.held.len().saturating_sub(1 + 2 * n);
            self.held.push(self.held[from]);
        }
        let behind = self.held.len() as i64 + self.first;
        // Outputs lie before the end of the stream, so the mirrored samples suffice.
        let behind = behind.min(end + self.bank.taps as i64 / 2);
        Simd::best().dispatch(Convert { resampler: &mut self, behind, out });
    }

    fn mirror_start(&mut self) {
        let count = self.bank.taps.min(self.held.len() - 1);
        let mut mirrored: Vec<T> = self.held[1..=count].iter().rev().copied().collect();
        // For a stream shorter than a filter, the farthest sample is repeated.
        while mirrored.len() < self.bank.taps {
            let farthest = mirrored.first().copied().unwrap_or(self.held[0]);
            mirrored.insert(0, farthest);
        }
        self.first = -(mirrored.len() as i64);
        mirrored.append(&mut self.held);
        self.held = mirrored;
        self.started = true;
    }

    fn run(&mut self, out: &mut Vec<T>) {
        let behind = self.first + self.held.len() as i64;
        let reach = self.bank.taps as i64 / 2;
        Simd::best().dispatch(Convert { resampler: self, behind, out });
        let wanted = (self.sample - (reach - 1) - self.first).max(0) as usize;
        let passed = wanted.min(self.held.len());
        self.held.drain(..passed);
        self.first += passed as i64;
    }

    /// Returns the samples that the next output depends on.
    #[inline(always)]
    fn samples(&self) -> &[T] {
        let start = (self.sample - (self.bank.taps as i64 / 2 - 1) - self.first) as usize;
        &self.held[start..start + self.bank.taps]
    }

    /// Computes eight outputs, each with a separate filter, if all end before an input position.
    #[inline(always)]
    fn eight<L: Lanes>(&mut self, behind: i64, out: &mut Vec<T>) -> bool {
        let (position, reach) = ((self.sample, self.phase), self.bank.taps as i64 / 2);
        let mut starts = [(0, 0); EIGHT];
        for start in &mut starts {
            if self.sample + reach >= behind {
                (self.sample, self.phase) = position;
                return false;
            }
            *start = (self.sample - (reach - 1) - self.first, self.phase);
            self.step();
        }
        let (mut x, mut taps): ([&[T]; EIGHT], [&[T]; EIGHT]) = ([&[]; EIGHT], [&[]; EIGHT]);
        for ((x, taps), (start, phase)) in x.iter_mut().zip(&mut taps).zip(starts) {
            *x = &self.held[start as usize..][..self.bank.taps];
            *taps = self.bank.filter(phase);
        }
        out.extend(T::eight_filtered::<L>(x, taps));
        true
    }

    #[inline(always)]
    fn one<L: Lanes>(&mut self, out: &mut Vec<T>) {
        let bank = &self.bank;
        let x = self.samples();
        let filter = bank.filter(self.phase);
        out.push(if self.part == 0 {
            T::filtered::<L>(x, filter)
        } else {
            T::between::<L>(x, filter, bank.filter(self.phase + 1), self.part, bank.divisor)
        });
        self.step();
    }

    /// Moves to the position of the next output.
    #[inline(always)]
    fn step(&mut self) {
        let bank = &self.bank;
        let Step { samples, phases, parts } = bank.step;
        self.part += parts;
        self.phase += phases;
        self.sample += samples;
        if self.part >= bank.divisor {
            self.part -= bank.divisor;
            self.phase += 1;
        }
        if self.phase >= bank.phases {
            self.phase -= bank.phases;
            self.sample += 1;
        }
    }
}

/// Computes all outputs whose filters end before an input position.
struct Convert<'a, T> {
    resampler: &'a mut Resampler<T>,
    behind: i64,
    out: &'a mut Vec<T>,
}

impl<T: Sample> Task for Convert<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { resampler, behind, out } = self;
        let reach = resampler.bank.taps as i64 / 2;
        while resampler.bank.divisor == 1 && resampler.eight::<L>(behind, out) {}
        while resampler.sample + reach < behind {
            resampler.one::<L>(out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole<T: Sample>(rate: u32, x: &[T]) -> Vec<T> {
        let mut out = Vec::new();
        let mut resampler = Resampler::new(rate, 11_025);
        resampler.push(x, &mut out);
        resampler.finish(&mut out);
        out
    }

    #[test]
    fn integers_are_the_nearest_halves_up() {
        for (value, expected) in [
            (0.0, 0),
            (0.25, 0),
            (0.5, 1),
            (-0.5, 0),
            (-0.75, -1),
            (-1.5, -1),
            (12_345.5, 12_346),
            (-12_345.5, -12_345),
            (32_766.5, 32_767),
            (32_767.0, 32_767),
            (40_000.0, 32_767),
            (-32_768.0, -32_768),
            (-32_767.5, -32_767),
            (-1e9, -32_768),
        ] {
            assert_eq!(i16::from_f32(value / 32_768.0), expected, "{value}");
        }
        assert!((-32_768_i16..=32_767).all(|x| i16::from_f32(x.to_f32()) == x));
    }

    #[test]
    fn lengths_are_exact_and_a_constant_stays_one() {
        for rate in [1, 1000, 8000, 11_024, 22_050, 32_000, 44_100, 48_000, 192_000, 768_000] {
            // One frame at 1 Hz becomes 11,025 frames.
            for frames in [1_usize, 2, 100, 5000].into_iter().filter(|frames| frames / rate as usize <= 10) {
                let out = whole(rate, &vec![0.5_f32; frames]);
                assert_eq!(
                    out.len(),
                    (frames as u64 * 11_025).div_ceil(u64::from(rate)) as usize,
                    "{frames} at {rate}"
                );
                assert!(out.iter().all(|y| (y - 0.5).abs() < 2e-3), "{frames} at {rate}");
            }
        }
        assert!(whole::<f32>(44_100, &[]).is_empty());
    }

    #[test]
    fn blocks_give_the_bits_of_the_whole() {
        let x: Vec<i16> = (0..20_000_i64).map(|n| ((n * n * 7919 + n * 104_729) % 65_536 - 32_768) as i16).collect();
        for rate in [8000, 32_000, 44_100, 48_000] {
            for size in [1, 7, 79, 80, 81, 4096] {
                let mut out = Vec::new();
                let mut resampler = Resampler::new(rate, 11_025);
                x.chunks(size).for_each(|block| resampler.push(block, &mut out));
                resampler.finish(&mut out);
                assert_eq!(out, whole(rate, &x), "{size} at {rate}");
            }
        }
    }

    #[test]
    fn a_tone_keeps_its_place() {
        for rate in [8000_u32, 44_100, 48_000] {
            let tone = |rate: u32, n: usize| (std::f64::consts::TAU * 440.0 * n as f64 / f64::from(rate)).sin();
            let x: Vec<f32> = (0..rate as usize).map(|n| tone(rate, n) as f32).collect();
            for (n, y) in whole(rate, &x).iter().enumerate().skip(200).take(10_000) {
                assert!((f64::from(*y) - tone(11_025, n)).abs() < 2e-3, "{rate}: sample {n}");
            }
        }
    }
}
