//! Two stretches of a channel in one complex transform.

use std::fmt;
use std::sync::Arc;

use realfft::num_complex::{Complex32, Complex64};
use rustfft::{Fft, FftPlanner};

use super::square::{self, Output, Spectrum, Square, Work};
use super::{Route, single};
use crate::simd::{Lanes, Simd, Task};

/// Some filters, and the transforms there and back.
#[derive(Debug)]
pub(super) struct Pairs {
    taps: usize,
    transform: usize,
    way: Way,
}

enum Way {
    /// By our own transform.
    Square { square: Box<Square>, spectra: Vec<Spectrum> },
    /// By a library's.
    Other { spectra: Vec<Vec<Complex32>>, forward: Arc<dyn Fft<f32>>, inverse: Arc<dyn Fft<f32>> },
}

impl fmt::Debug for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Square { .. } => "Square",
            Self::Other { .. } => "Other",
        })
    }
}

/// What a thread works in.
pub(super) enum Bench {
    Square(Box<Work>),
    Other { values: Vec<Complex32>, sum: Vec<Complex32>, scratch: Vec<Complex32> },
}

impl Pairs {
    pub fn new(filters: &[Vec<f64>], taps: usize, transform: usize) -> Self {
        let way = if transform == square::POINTS {
            let spectra = filters.iter().map(|taps| Square::spectrum(taps)).collect();
            Way::Square { square: Box::new(Square::new()), spectra }
        } else {
            let mut planner = FftPlanner::<f32>::new();
            Way::Other {
                spectra: spectra(filters, transform),
                forward: planner.plan_fft_forward(transform),
                inverse: planner.plan_fft_inverse(transform),
            }
        };
        Self { taps, transform, way }
    }

    pub fn bench(&self) -> Bench {
        match &self.way {
            Way::Square { .. } => Bench::Square(Box::new(Work::new())),
            Way::Other { forward, inverse, .. } => {
                let scratch = forward.get_inplace_scratch_len().max(inverse.get_inplace_scratch_len());
                let zeros = |count| vec![Complex32::ZERO; count];
                Bench::Other { values: zeros(self.transform), sum: Vec::new(), scratch: zeros(scratch) }
            }
        }
    }

    /// Fills a unit of an output channel. Each of `lines` begins as many frames before it as there are taps, less one.
    pub fn fill(&self, bench: &mut Bench, routes: &[Route], lines: &[&[f32]], to: &mut [f32]) {
        if routes.is_empty() {
            to.fill(0.0);
            return;
        }
        let half = to.len() / 2;
        let stretches = |route: &Route| {
            let line = lines[route.input];
            [&line[..self.transform], &line[half..half + self.transform]]
        };
        match (&self.way, bench) {
            (Way::Square { square, spectra }, Bench::Square(work)) => {
                for (number, route) in routes.iter().enumerate() {
                    let (first, second) = to.split_at_mut(half);
                    let to = Output { first, second, adds: number > 0 };
                    square.convolve(work, &spectra[route.filter], stretches(route), self.taps - 1, to);
                }
            }
            (Way::Other { spectra, forward, inverse }, Bench::Other { values, sum, scratch }) => {
                for (number, route) in routes.iter().enumerate() {
                    let [first, second] = stretches(route);
                    for (value, (first, second)) in values.iter_mut().zip(first.iter().zip(second)) {
                        *value = Complex32::new(*first, *second);
                    }
                    forward.process_with_scratch(values, scratch);
                    Simd::best().dispatch(Product { values, spectrum: &spectra[route.filter] });
                    if routes.len() > 1 {
                        if number == 0 {
                            sum.clear();
                            sum.extend_from_slice(values);
                        } else {
                            sum.iter_mut().zip(values.iter()).for_each(|(sum, value)| *sum += value);
                        }
                    }
                }
                if routes.len() > 1 {
                    values.copy_from_slice(sum);
                }
                inverse.process_with_scratch(values, scratch);
                let (first, second) = to.split_at_mut(half);
                for ((first, second), value) in first.iter_mut().zip(second).zip(&values[self.taps - 1..]) {
                    (*first, *second) = (value.re, value.im);
                }
            }
            // A bench is made by the filters that it is given to.
            _ => to.fill(0.0),
        }
    }
}

/// The spectrum of each filter.
fn spectra(filters: &[Vec<f64>], transform: usize) -> Vec<Vec<Complex32>> {
    let exact = FftPlanner::<f64>::new().plan_fft_forward(transform);
    let spectrum = |taps: &Vec<f64>| {
        // What the transforms there and back leave as a factor is taken out here.
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
