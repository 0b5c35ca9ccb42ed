//! Transforms of eight real windows of an even length, by complex ones of half the length, as in
//! [`super::super::half_length`].

use std::f64::consts::TAU;

use super::complex::{EightFft, Point};
use base::simd::{LANES, Singles};

/// A planned transform of one length.
#[derive(Clone, Debug)]
pub(crate) struct EightReal {
    fft: EightFft,
    /// `cos(2 pi k / N) / 2` and `-sin(2 pi k / N) / 2` for bins 0 to `N / 2`.
    twiddles: Vec<[f32; 2]>,
}

impl EightReal {
    /// Plans a transform of an even length of 2 or more.
    pub fn new(length: usize) -> Self {
        let turn = |k: usize| TAU * k as f64 / length as f64;
        let twiddles = (0..=length / 2).map(|k| [(0.5 * turn(k).cos()) as f32, (-0.5 * turn(k).sin()) as f32]);
        Self { twiddles: twiddles.collect(), fft: EightFft::new(length / 2) }
    }

    /// Returns the number of complex points, half of the length.
    pub fn points(&self) -> usize {
        self.fft.points()
    }

    /// Brings the frames of eight windows into lanes, as pairs. Each row has as many frames as the transform's length.
    #[inline(always)]
    pub fn take<S: Singles>(rows: [&[f32]; LANES], to: &mut [Point]) {
        let chunks = rows.map(|row| row.as_chunks::<LANES>().0);
        let whole = to.len() / (LANES / 2) * (LANES / 2);
        for (at, to) in to.as_chunks_mut::<{ LANES / 2 }>().0.iter_mut().enumerate() {
            let mut frames = [S::splat(0.0); LANES];
            for (frames, chunks) in frames.iter_mut().zip(&chunks) {
                *frames = S::load(&chunks[at]);
            }
            let columns = S::turned(frames);
            for (to, pair) in to.iter_mut().zip(columns.as_chunks::<2>().0) {
                pair[0].store(&mut to[0]);
                pair[1].store(&mut to[1]);
            }
        }
        for (at, to) in to.iter_mut().enumerate().skip(whole) {
            for (lane, row) in rows.iter().enumerate() {
                (to[0][lane], to[1][lane]) = (row[2 * at], row[2 * at + 1]);
            }
        }
    }

    /// Transforms the pairs in place.
    #[inline(always)]
    pub fn run<S: Singles>(&self, pairs: &mut [Point]) {
        self.fft.run::<S>(pairs);
    }

    /// Returns bin `k`, 0 to half the length, of the windows whose pairs [`EightReal::run`] has transformed.
    #[inline(always)]
    pub fn bin<S: Singles>(&self, transformed: &[Point], k: usize) -> [S; 2] {
        let points = self.points();
        let [a, b] = [k, points - k].map(|bin| &transformed[self.fft.place(if bin == points { 0 } else { bin })]);
        let ([ar, ai], [br, bi]) = ([S::load(&a[0]), S::load(&a[1])], [S::load(&b[0]), S::load(&b[1])]);
        let [cos, sin] = self.twiddles[k];
        let (half, cos, sin) = (S::splat(0.5), S::splat(cos), S::splat(sin));
        let (er, ei) = (half.mul(ar.add(br)), half.mul(ai.sub(bi)));
        let (dr, di) = (ar.sub(br), ai.add(bi));
        [er.add(di.mul(cos).add(dr.mul(sin))), ei.add(di.mul(sin).sub(dr.mul(cos)))]
    }
}
