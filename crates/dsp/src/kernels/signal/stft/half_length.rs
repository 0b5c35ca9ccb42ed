//! Real transforms of an even length by complex transforms of half the length.
//!
//! Pairs of frames become `M = N / 2` complex points, which are transformed to `Z` and then separated: with
//! `E = (Z(k) + conj Z(M - k)) / 2` and `T = -i exp(-2 pi i k / N) (Z(k) - conj Z(M - k)) / 2`, the bins are
//! `X(k) = E + T` and `X(M - k) = conj(E - T)` (Sorensen, Jones, Heideman and Burrus, "Real-valued fast Fourier
//! transform algorithms", 1987). The separation and the computation of the power are one pass over eight pairs at a
//! time.

use std::sync::Arc;

use transforms::num_complex::Complex32;
use transforms::{Fft, FftPlanner};

use base::simd::{LANES, Lanes, Simd, Singles, Task};

/// A planned transform of one length.
#[derive(Clone)]
pub struct HalfLength {
    fft: Arc<dyn Fft<f32>>,
    /// The twiddle factors of every pair: `cos(2 pi k / N) / 2` and `-sin(2 pi k / N) / 2`.
    twiddles: Arc<[Vec<f32>; 2]>,
    simd: Simd,
}

/// Scratch memory for one transform. `points` holds the frames as pairs; its last point duplicates the first one.
pub struct Pairs {
    points: Vec<Complex32>,
    scratch: Vec<Complex32>,
}

impl Pairs {
    /// Returns the frames to transform.
    pub fn frames(&mut self) -> &mut [f32] {
        let half = self.points.len() - 1;
        bytemuck::cast_slice_mut(&mut self.points[..half])
    }
}

impl HalfLength {
    /// Plans a transform of an even length.
    pub fn new(length: usize) -> Self {
        let half = length / 2;
        let turn = |k: usize| std::f64::consts::TAU * k as f64 / length as f64;
        let pairs = 0..half.div_ceil(2);
        let cosines = pairs.clone().map(|k| (0.5 * turn(k).cos()) as f32).collect();
        let sines = pairs.map(|k| (-0.5 * turn(k).sin()) as f32).collect();
        Self { fft: FftPlanner::new().plan_fft_forward(half), twiddles: Arc::new([cosines, sines]), simd: Simd::best() }
    }

    /// Creates the scratch memory for one thread.
    pub fn memory(&self) -> Pairs {
        Pairs {
            points: vec![Complex32::default(); self.fft.len() + 1],
            scratch: vec![
                Complex32::default();
                self.fft.get_inplace_scratch_len().max(self.fft.get_immutable_scratch_len())
            ],
        }
    }

    /// Computes the spectrum of the frames in `pairs`, which are overwritten.
    pub fn spectrum(&self, pairs: &mut Pairs, to: &mut [Complex32]) {
        self.run(pairs, Spectrum { to });
    }

    /// Computes the spectrum of `frames`, which stay as they are. Overwrites `pairs`.
    pub fn spectrum_of(&self, frames: &[f32], pairs: &mut Pairs, to: &mut [Complex32]) {
        let points = &mut pairs.points[..self.fft.len()];
        self.fft.process_immutable_with_scratch(bytemuck::cast_slice(frames), points, &mut pairs.scratch);
        self.take_apart(pairs, Spectrum { to });
    }

    /// Computes `scale |X|^2` of every bin. Overwrites the frames.
    pub fn power(&self, pairs: &mut Pairs, scale: f32, to: &mut [f32]) {
        self.run(pairs, Power { scale, to });
    }

    /// Adds `scale |X|^2` to the sum of every bin. Overwrites the frames.
    pub fn add_power(&self, pairs: &mut Pairs, scale: f32, sums: &mut [f32]) {
        self.run(pairs, AddedPower { scale, sums });
    }

    fn run(&self, pairs: &mut Pairs, take: impl Take) {
        let half = self.fft.len();
        self.fft.process_with_scratch(&mut pairs.points[..half], &mut pairs.scratch);
        self.take_apart(pairs, take);
    }

    fn take_apart(&self, pairs: &mut Pairs, take: impl Take) {
        pairs.points[self.fft.len()] = pairs.points[0];
        self.simd.dispatch(TakeApart { points: &pairs.points, twiddles: &self.twiddles, take });
    }
}

/// A consumer of bins.
trait Take {
    /// Takes bins `k..` and, one per lane, bins `last, last - 1, ..`.
    fn block<S: Singles>(&mut self, k: usize, x: [S; 2], last: usize, mirrored: [S; 2]);

    fn one(&mut self, bin: usize, x: Complex32);
}

struct Spectrum<'a> {
    to: &'a mut [Complex32],
}

impl Take for Spectrum<'_> {
    #[inline(always)]
    fn block<S: Singles>(&mut self, k: usize, x: [S; 2], last: usize, mirrored: [S; 2]) {
        S::store_complex(x, eight_mut(self.to, k));
        S::store_complex(reversed(mirrored), eight_mut(self.to, last + 1 - LANES));
    }

    #[inline(always)]
    fn one(&mut self, bin: usize, x: Complex32) {
        self.to[bin] = x;
    }
}

struct Power<'a> {
    scale: f32,
    to: &'a mut [f32],
}

impl Take for Power<'_> {
    #[inline(always)]
    fn block<S: Singles>(&mut self, k: usize, x: [S; 2], last: usize, mirrored: [S; 2]) {
        let scale = S::splat(self.scale);
        scale.mul(power(x)).store(eight_mut(self.to, k));
        scale.mul(power(mirrored)).reversed().store(eight_mut(self.to, last + 1 - LANES));
    }

    #[inline(always)]
    fn one(&mut self, bin: usize, x: Complex32) {
        self.to[bin] = self.scale * x.norm_sqr();
    }
}

struct AddedPower<'a> {
    scale: f32,
    sums: &'a mut [f32],
}

impl Take for AddedPower<'_> {
    #[inline(always)]
    fn block<S: Singles>(&mut self, k: usize, x: [S; 2], last: usize, mirrored: [S; 2]) {
        let scale = S::splat(self.scale);
        let sums = eight_mut(self.sums, k);
        S::load(sums).add(scale.mul(power(x))).store(sums);
        let sums = eight_mut(self.sums, last + 1 - LANES);
        S::load(sums).add(scale.mul(power(mirrored)).reversed()).store(sums);
    }

    #[inline(always)]
    fn one(&mut self, bin: usize, x: Complex32) {
        self.sums[bin] += self.scale * x.norm_sqr();
    }
}

struct TakeApart<'a, T> {
    /// `Z`, followed by its first value.
    points: &'a [Complex32],
    twiddles: &'a [Vec<f32>; 2],
    take: T,
}

impl<T: Take> Task for TakeApart<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(mut self) {
        let points = self.points;
        let half = points.len() - 1;
        let pairs = half.div_ceil(2);
        let [cosines, sines] = self.twiddles;
        let whole = pairs - pairs % LANES;
        for k in (0..whole).step_by(LANES) {
            let z = L::Singles::load_complex(eight(points, k));
            let last = half - k;
            let mirrored = reversed(L::Singles::load_complex(eight(points, last + 1 - LANES)));
            let turn = [L::Singles::load(eight(cosines, k)), L::Singles::load(eight(sines, k))];
            let (x, y) = pair(z, mirrored, turn);
            self.take.block(k, x, last, y);
        }
        // The remaining pairs, fewer than eight.
        let (mut z, mut mirrored) = ([Complex32::default(); LANES], [Complex32::default(); LANES]);
        let mut turn = [[0.0; LANES]; 2];
        for k in whole..pairs {
            (z[k - whole], mirrored[k - whole]) = (points[k], points[half - k]);
            (turn[0][k - whole], turn[1][k - whole]) = (cosines[k], sines[k]);
        }
        let turn = [L::Singles::load(&turn[0]), L::Singles::load(&turn[1])];
        let (x, y) = pair(L::Singles::load_complex(&z), L::Singles::load_complex(&mirrored), turn);
        L::Singles::store_complex(x, &mut z);
        L::Singles::store_complex(y, &mut mirrored);
        for k in whole..pairs {
            self.take.one(k, z[k - whole]);
            self.take.one(half - k, mirrored[k - whole]);
        }
        if half.is_multiple_of(2) {
            self.take.one(half / 2, points[half / 2].conj());
        }
    }
}

/// Returns `X(k)` and `X(M - k)` from `Z(k)`, `Z(M - k)` and half the twiddle factor.
#[inline(always)]
fn pair<S: Singles>([ar, ai]: [S; 2], [br, bi]: [S; 2], [cos, sin]: [S; 2]) -> ([S; 2], [S; 2]) {
    let half = S::splat(0.5);
    let (er, ei) = (half.mul(ar.add(br)), half.mul(ai.sub(bi)));
    let (dr, di) = (ar.sub(br), ai.add(bi));
    let tr = di.mul(cos).add(dr.mul(sin));
    let ti = di.mul(sin).sub(dr.mul(cos));
    ([er.add(tr), ei.add(ti)], [er.sub(tr), ti.sub(ei)])
}

// Not `array::map`: a closure is not compiled for the instruction set of its caller.
#[inline(always)]
fn reversed<S: Singles>([re, im]: [S; 2]) -> [S; 2] {
    [re.reversed(), im.reversed()]
}

#[inline(always)]
fn power<S: Singles>([re, im]: [S; 2]) -> S {
    re.mul(re).add(im.mul(im))
}

#[inline(always)]
fn eight<T>(values: &[T], from: usize) -> &[T; LANES] {
    values[from..].first_chunk().expect("eight values, as planned")
}

#[inline(always)]
fn eight_mut<T>(values: &mut [T], from: usize) -> &mut [T; LANES] {
    values[from..].first_chunk_mut().expect("eight values, as planned")
}

#[cfg(test)]
mod tests {
    use transforms::num_complex::Complex64;

    use super::*;

    fn frames(length: usize) -> Vec<f32> {
        (0..length).map(|n| ((n * n * 7 + n) % 101) as f32 / 50.0 - 1.0).collect()
    }

    fn reference(frames: &[f32]) -> Vec<Complex64> {
        let mut points: Vec<Complex64> = frames.iter().map(|&x| Complex64::new(f64::from(x), 0.0)).collect();
        FftPlanner::new().plan_fft_forward(points.len()).process(&mut points);
        points.truncate(frames.len() / 2 + 1);
        points
    }

    fn run(simd: Simd, length: usize) -> (Vec<Complex32>, Vec<f32>) {
        let plan = HalfLength { simd, ..HalfLength::new(length) };
        let mut pairs = plan.memory();
        let (mut spectrum, mut sums) = (vec![Complex32::default(); length / 2 + 1], vec![1.0; length / 2 + 1]);
        pairs.frames().copy_from_slice(&frames(length));
        plan.spectrum(&mut pairs, &mut spectrum);
        let mut kept = vec![Complex32::default(); spectrum.len()];
        plan.spectrum_of(&frames(length), &mut pairs, &mut kept);
        let largest = spectrum.iter().map(|x| x.norm()).fold(0.0, f32::max);
        assert!(spectrum.iter().zip(kept).all(|(x, y)| (x - y).norm() <= 1e-5 * largest), "{length} frames that stay");
        pairs.frames().copy_from_slice(&frames(length));
        plan.add_power(&mut pairs, 0.5, &mut sums);
        let (mut alone, mut added) = (vec![f32::NAN; sums.len()], vec![0.0; sums.len()]);
        pairs.frames().copy_from_slice(&frames(length));
        plan.power(&mut pairs, 0.5, &mut alone);
        pairs.frames().copy_from_slice(&frames(length));
        plan.add_power(&mut pairs, 0.5, &mut added);
        assert_eq!(alone, added);
        (spectrum, sums)
    }

    #[test]
    fn spectra_are_the_definitions_for_whole_and_broken_blocks_and_odd_halves() {
        for length in [2, 4, 6, 16, 30, 32, 34, 64, 100, 102, 250, 2048, 4096] {
            let expected = reference(&frames(length));
            let energy: f64 = expected.iter().map(Complex64::norm_sqr).sum();
            let (spectrum, sums) = run(Simd::best(), length);
            let error: f64 = (spectrum.iter().zip(&expected))
                .map(|(x, y)| (Complex64::new(f64::from(x.re), f64::from(x.im)) - y).norm_sqr())
                .sum();
            assert!(error < 1e-13 * energy, "{length}: {error} of {energy}");
            for (bin, (sum, x)) in sums.iter().zip(&spectrum).enumerate() {
                let expected = 1.0 + 0.5 * x.norm_sqr();
                assert!((sum - expected).abs() <= 1e-6 * expected, "{length}, bin {bin}: {sum}, expected {expected}");
            }
        }
    }

    #[test]
    fn every_instruction_set_takes_apart_to_the_same_bits() {
        for length in [34, 100, 2048] {
            let expected = run(Simd::Portable, length);
            for simd in Simd::available() {
                assert_eq!(run(simd, length), expected, "{simd:?}, {length}");
            }
        }
    }
}
