//! Overlap-save with two stretches of a channel in one complex transform.

use std::fmt;
use std::sync::Arc;

use transforms::num_complex::{Complex32, Complex64};
use transforms::{Fft, FftPlanner};

use crate::kernels::signal::fir::Route;
use crate::kernels::signal::fir::plan::single;
use base::simd::{Lanes, Simd, Task};

/// Filters as spectra, with the forward and inverse transforms.
pub(in crate::kernels::signal::fir) struct Pairs {
    taps: usize,
    transform: usize,
    spectra: Vec<Vec<Complex32>>,
    forward: Arc<dyn Fft<f32>>,
    inverse: Arc<dyn Fft<f32>>,
}

impl fmt::Debug for Pairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pairs").field("taps", &self.taps).field("transform", &self.transform).finish_non_exhaustive()
    }
}

/// The buffers that a thread works in.
pub(in crate::kernels::signal::fir) struct Workspace {
    values: Vec<Complex32>,
    sum: Vec<Complex32>,
    scratch: Vec<Complex32>,
}

impl Pairs {
    pub fn new(filters: &[Vec<f64>], taps: usize, transform: usize) -> Self {
        let mut planner = FftPlanner::<f32>::new();
        Self {
            taps,
            transform,
            spectra: spectra(filters, transform),
            forward: planner.plan_fft_forward(transform),
            inverse: planner.plan_fft_inverse(transform),
        }
    }

    pub fn workspace(&self) -> Workspace {
        let scratch = self.forward.get_inplace_scratch_len().max(self.inverse.get_inplace_scratch_len());
        let zeros = |count| vec![Complex32::ZERO; count];
        Workspace { values: zeros(self.transform), sum: Vec::new(), scratch: zeros(scratch) }
    }

    /// Computes a unit of an output channel. Each of `lines` begins `taps - 1` frames before the unit.
    pub fn fill(&self, buffers: &mut Workspace, routes: &[Route], lines: &[&[f32]], to: &mut [f32]) {
        if routes.is_empty() {
            to.fill(0.0);
            return;
        }
        let half = to.len() / 2;
        let Workspace { values, sum, scratch } = buffers;
        for (number, route) in routes.iter().enumerate() {
            let line = lines[route.input];
            let (first, second) = (&line[..self.transform], &line[half..half + self.transform]);
            for (value, (first, second)) in values.iter_mut().zip(first.iter().zip(second)) {
                *value = Complex32::new(*first, *second);
            }
            self.forward.process_with_scratch(values, scratch);
            Simd::best().dispatch(Product { values, spectrum: &self.spectra[route.filter] });
            if routes.len() > 1 && number == 0 {
                sum.clear();
                sum.extend_from_slice(values);
            } else if routes.len() > 1 {
                sum.iter_mut().zip(values.iter()).for_each(|(sum, value)| *sum += value);
            }
        }
        if routes.len() > 1 {
            values.copy_from_slice(sum);
        }
        self.inverse.process_with_scratch(values, scratch);
        let (first, second) = to.split_at_mut(half);
        for ((first, second), value) in first.iter_mut().zip(second).zip(&values[self.taps - 1..]) {
            (*first, *second) = (value.re, value.im);
        }
    }
}

/// Returns the spectrum of each filter.
fn spectra(filters: &[Vec<f64>], transform: usize) -> Vec<Vec<Complex32>> {
    let exact = FftPlanner::<f64>::new().plan_fft_forward(transform);
    let spectrum = |taps: &Vec<f64>| {
        // Compensates for the gain of a forward and an inverse transform.
        let scaled = taps.iter().map(|tap| Complex64::new(tap / transform as f64, 0.0));
        let mut values: Vec<Complex64> = scaled.collect();
        values.resize(transform, Complex64::ZERO);
        exact.process(&mut values);
        values.into_iter().map(single).collect()
    };
    filters.iter().map(spectrum).collect()
}

struct Product<'a> {
    values: &'a mut [Complex32],
    spectrum: &'a [Complex32],
}

impl Task for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (value, bin) in self.values.iter_mut().zip(self.spectrum) {
            *value = Complex32::new(value.re * bin.re - value.im * bin.im, value.re * bin.im + value.im * bin.re);
        }
    }
}
