//! Real inverse transforms of an even length by complex transforms of half the length: the way back from
//! [`super::half_length`].
//!
//! With `E = (X(k) + conj X(M - k)) / 2` and `O = exp(2 pi i k / N) (X(k) - conj X(M - k)) / 2`, the complex points are
//! `Z(k) = E + i O` and `Z(M - k) = conj(E) + i conj(O)`; their inverse transform has the even frames as real parts and
//! the odd frames as imaginary parts. The bins come from the caller, eight pairs at a time, so that what makes them and
//! what brings them together is one pass.

use std::sync::Arc;

use transforms::num_complex::Complex32;
use transforms::{Fft, FftPlanner};

use base::simd::{LANES, Lanes, Simd, Singles, Task};

/// A planned inverse transform of one length.
#[derive(Clone)]
pub(crate) struct InverseHalfLength {
    fft: Arc<dyn Fft<f32>>,
    /// The twiddle factors of every pair: `cos(2 pi k / N) / 2` and `sin(2 pi k / N) / 2`.
    twiddles: Arc<[Vec<f32>; 2]>,
    simd: Simd,
}

/// Scratch memory for one inverse transform.
pub(crate) struct InversePairs {
    /// One more than there are: the mirror of the first.
    points: Vec<Complex32>,
    scratch: Vec<Complex32>,
}

/// A source of bins.
pub(crate) trait Bins {
    /// Returns bins `k..` and, one per lane, bins `last, last - 1, ..`.
    fn block<S: Singles>(&self, k: usize, last: usize) -> ([S; 2], [S; 2]);

    /// Returns a bin. The imaginary parts of the first and the last, which are zero for a real signal, are ignored.
    fn one(&self, bin: usize) -> Complex32;
}

impl InverseHalfLength {
    /// Plans an inverse transform to an even number of frames.
    pub fn new(length: usize) -> Self {
        let half = length / 2;
        let turn = |k: usize| std::f64::consts::TAU * k as f64 / length as f64;
        let pairs = 0..half.div_ceil(2);
        let cosines = pairs.clone().map(|k| (0.5 * turn(k).cos()) as f32).collect();
        let sines = pairs.map(|k| (0.5 * turn(k).sin()) as f32).collect();
        Self { fft: FftPlanner::new().plan_fft_inverse(half), twiddles: Arc::new([cosines, sines]), simd: Simd::best() }
    }

    /// Creates the scratch memory for one thread.
    pub fn memory(&self) -> InversePairs {
        InversePairs {
            points: vec![Complex32::default(); self.fft.len() + 1],
            scratch: vec![Complex32::default(); self.fft.get_inplace_scratch_len()],
        }
    }

    /// Returns the frames whose spectrum has these bins, multiplied by half the length.
    pub fn frames<'p>(&self, bins: &impl Bins, pairs: &'p mut InversePairs) -> &'p [f32] {
        let InversePairs { points, scratch } = pairs;
        self.simd.dispatch(BringTogether { bins, twiddles: &self.twiddles, points });
        let points = &mut points[..self.fft.len()];
        self.fft.process_with_scratch(points, scratch);
        bytemuck::cast_slice(points)
    }
}

struct BringTogether<'a, B> {
    bins: &'a B,
    twiddles: &'a [Vec<f32>; 2],
    points: &'a mut [Complex32],
}

impl<B: Bins> Task for BringTogether<'_, B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { bins, twiddles: [cosines, sines], points } = self;
        let half = points.len() - 1;
        let pairs = half.div_ceil(2);
        let whole = pairs - pairs % LANES;
        for k in (0..whole).step_by(LANES) {
            let last = half - k;
            let (x, y) = bins.block::<L::Singles>(k, last);
            let turn = [L::Singles::load(eight(cosines, k)), L::Singles::load(eight(sines, k))];
            let (z, [re, im]) = pair(x, y, turn);
            L::Singles::store_complex(z, eight_mut(points, k));
            L::Singles::store_complex([re.reversed(), im.reversed()], eight_mut(points, last + 1 - LANES));
        }
        // The remaining pairs, fewer than eight.
        let (mut x, mut y) = ([Complex32::default(); LANES], [Complex32::default(); LANES]);
        let mut turn = [[0.0; LANES]; 2];
        for k in whole..pairs {
            (x[k - whole], y[k - whole]) = (bins.one(k), bins.one(half - k));
            (turn[0][k - whole], turn[1][k - whole]) = (cosines[k], sines[k]);
        }
        let turn = [L::Singles::load(&turn[0]), L::Singles::load(&turn[1])];
        let (z, mirrored) = pair(L::Singles::load_complex(&x), L::Singles::load_complex(&y), turn);
        L::Singles::store_complex(z, &mut x);
        L::Singles::store_complex(mirrored, &mut y);
        for k in whole..pairs {
            (points[k], points[half - k]) = (x[k - whole], y[k - whole]);
        }
        // The first and the last bin of a real signal are real.
        let (first, last) = (bins.one(0).re, bins.one(half).re);
        points[0] = Complex32::new(0.5 * (first + last), 0.5 * (first - last));
        if half.is_multiple_of(2) {
            points[half / 2] = bins.one(half / 2).conj();
        }
    }
}

/// Returns `Z(k)` and `Z(M - k)` from `X(k)`, `X(M - k)` and half the twiddle factor.
#[inline(always)]
fn pair<S: Singles>([ar, ai]: [S; 2], [br, bi]: [S; 2], [cos, sin]: [S; 2]) -> ([S; 2], [S; 2]) {
    let half = S::splat(0.5);
    let (er, ei) = (half.mul(ar.add(br)), half.mul(ai.sub(bi)));
    let (dr, di) = (ar.sub(br), ai.add(bi));
    let or = dr.mul(cos).sub(di.mul(sin));
    let oi = dr.mul(sin).add(di.mul(cos));
    ([er.sub(oi), ei.add(or)], [er.add(oi), or.sub(ei)])
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
    use super::*;
    use crate::kernels::signal::stft::HalfLength;

    struct Whole<'a>(&'a [Complex32]);

    impl Bins for Whole<'_> {
        #[inline(always)]
        fn block<S: Singles>(&self, k: usize, last: usize) -> ([S; 2], [S; 2]) {
            let [re, im] = S::load_complex(eight(self.0, last + 1 - LANES));
            (S::load_complex(eight(self.0, k)), [re.reversed(), im.reversed()])
        }

        fn one(&self, bin: usize) -> Complex32 {
            self.0[bin]
        }
    }

    #[test]
    fn the_inverse_gives_the_frames_back_on_every_instruction_set_to_the_same_bits() {
        for length in [2, 4, 6, 16, 30, 32, 34, 64, 100, 102, 250, 1536, 2048] {
            let frames: Vec<f32> = (0..length).map(|n| ((n * n * 7 + n) % 101) as f32 / 50.0 - 1.0).collect();
            let forward = HalfLength::new(length);
            let mut pairs = forward.memory();
            pairs.frames().copy_from_slice(&frames);
            let mut spectrum = vec![Complex32::default(); length / 2 + 1];
            forward.spectrum(&mut pairs, &mut spectrum);
            // The imaginary parts of real bins, which rounding may leave, are ignored.
            (spectrum[0].im, spectrum[length / 2].im) = (1.0, 1.0);
            let run = |simd| {
                let plan = InverseHalfLength { simd, ..InverseHalfLength::new(length) };
                plan.frames(&Whole(&spectrum), &mut plan.memory()).to_vec()
            };
            let portable = run(Simd::Portable);
            for (n, (got, x)) in portable.iter().zip(&frames).enumerate() {
                let expected = x * (length / 2) as f32;
                assert!(
                    (got - expected).abs() < 2e-6 * length as f32,
                    "{length}, frame {n}: {got}, expected {expected}"
                );
            }
            for simd in Simd::available() {
                assert_eq!(run(simd), portable, "{simd:?}, {length}");
            }
        }
    }
}
