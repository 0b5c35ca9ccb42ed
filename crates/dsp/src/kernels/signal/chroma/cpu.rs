//! Evaluates a constant-Q transform on the CPU, eight windows at a time.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use std::ops::Range;

use super::halve::Halver;
use super::{BINS_PER_OCTAVE, ConstantQ, Decimator};
use crate::kernels::signal::stft::{EightReal, Point, Samples, Spectra};
use base::error::{Error, Result};
use base::progress::Progress;
use base::simd::{LANES, Lanes, Simd, Singles as _, Task};

/// Scratch memory for transforms, reused from block to block.
#[derive(Default)]
pub struct Memory {
    pub(super) halver: Halver,
    /// The signal at the current rate, and at half of it.
    pub(super) signal: Vec<f32>,
    halved: Vec<f32>,
    /// The windows in lanes, and the bins of their spectra that the products need.
    pairs: Vec<Point>,
    spectra: Vec<Point>,
}

impl ConstantQ {
    /// Returns `C` for the given windows, lowest bin first.
    pub fn spectra(&self, samples: Samples<'_>, windows: Range<u64>, progress: &Progress) -> Result<Spectra<f32>> {
        let mut spectra = Spectra { bins: self.bins(), values: Vec::new() };
        self.spectra_to(samples, windows, &mut spectra.values, &mut Memory::default(), progress)?;
        Ok(spectra)
    }

    /// Same as [`ConstantQ::spectra`], but reuses memory. `to` is overwritten with the values.
    pub fn spectra_to(
        &self,
        samples: Samples<'_>,
        windows: Range<u64>,
        to: &mut Vec<f32>,
        memory: &mut Memory,
        progress: &Progress,
    ) -> Result<()> {
        self.spectra_from(0, samples, windows, to, memory, progress)
    }

    /// Same as [`ConstantQ::spectra_to`], from a signal that `decimator` has decimated, with
    /// [`Decimator::RINGING`] frames before its start and after its end.
    ///
    /// # Errors
    /// [`base::Error::Internal`] if the decimator was planned for other tunings.
    pub fn spectra_of_decimated(
        &self,
        decimator: &Decimator,
        decimated: Samples<'_>,
        windows: Range<u64>,
        to: &mut Vec<f32>,
        memory: &mut Memory,
        progress: &Progress,
    ) -> Result<()> {
        if decimator.halvings() > self.halvings {
            let (got, halvings) = (decimator.halvings(), self.halvings);
            return Err(Error::Internal(format!(
                "a rate was halved {got} times for octaves that begin after {halvings}"
            )));
        }
        self.spectra_from(decimator.halvings(), decimated, windows, to, memory, progress)
    }

    /// Computes the spectra from a signal whose rate was halved `given` times.
    fn spectra_from(
        &self,
        given: u32,
        samples: Samples<'_>,
        windows: Range<u64>,
        to: &mut Vec<f32>,
        memory: &mut Memory,
        progress: &Progress,
    ) -> Result<()> {
        let count = windows.end.saturating_sub(windows.start) as usize;
        to.resize(count * self.bins(), 0.0);
        let (mut signal, mut halved) = (std::mem::take(&mut memory.signal), std::mem::take(&mut memory.halved));
        let mut done = Ok(());
        let mut first_frame = 0;
        for (level, need) in (0_u32..).zip(self.needs(&windows)).skip(given as usize) {
            done = progress.check();
            if done.is_err() {
                break;
            }
            if level == given {
                // The given signal is copied only if an octave is computed from it.
                first_frame = need.start;
                signal.clear();
                if self.halvings == given {
                    samples.extract(need, &mut signal);
                }
            } else {
                let above = Samples { samples: &signal, first_frame };
                let above = if level == given + 1 && self.halvings > given { samples } else { above };
                memory.halver.halve(above, need.clone(), &self.half_band, &mut halved);
                std::mem::swap(&mut signal, &mut halved);
                first_frame = need.start;
            }
            if let Some(below) = level.checked_sub(self.halvings) {
                let octave = self.octaves - 1 - below as usize;
                let part = Samples { samples: &signal, first_frame };
                self.octave(part, level, octave, windows.start, to, memory);
            }
        }
        (memory.signal, memory.halved) = (signal, halved);
        done
    }

    /// Computes one octave of all windows from the signal at that octave's rate.
    fn octave(&self, signal: Samples<'_>, level: u32, octave: usize, first: u64, to: &mut [f32], memory: &mut Memory) {
        let Memory { pairs, spectra, .. } = memory;
        pairs.resize(self.transform.points(), Point::default());
        spectra.resize(self.products.bins().len(), Point::default());
        let bins = octave * BINS_PER_OCTAVE..(octave + 1) * BINS_PER_OCTAVE;
        for (group, windows) in to.chunks_mut(LANES * self.bins()).enumerate() {
            let count = windows.len() / self.bins();
            // Lanes beyond the last window repeat it.
            let rows = std::array::from_fn(|lane| {
                let window = first + (group * LANES + lane.min(count - 1)) as u64;
                let start = self.centre(window, level) - self.points as i64 / 2 - signal.first_frame;
                &signal.samples[start as usize..][..self.points]
            });
            let to = (windows, bins.clone());
            Simd::best().dispatch(EightWindows { plan: self, rows, pairs, spectra, to });
        }
    }
}

/// One octave of up to eight windows.
struct EightWindows<'a> {
    plan: &'a ConstantQ,
    rows: [&'a [f32]; LANES],
    pairs: &'a mut [Point],
    spectra: &'a mut [Point],
    /// The bins of the windows, and the range of them that the octave has.
    to: (&'a mut [f32], Range<usize>),
}

impl Task for EightWindows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { plan: ConstantQ { transform, products, weights, .. }, rows, pairs, spectra, to: (to, bins) } = self;
        EightReal::take::<L::Singles>(rows, pairs);
        transform.run::<L::Singles>(pairs);
        for (bin, to) in products.bins().zip(spectra.iter_mut()) {
            let [re, im] = transform.bin::<L::Singles>(pairs, bin);
            re.store(&mut to[0]);
            im.store(&mut to[1]);
        }
        let all = weights.len();
        for first in (0..BINS_PER_OCTAVE).step_by(LANES) {
            let block = first..BINS_PER_OCTAVE.min(first + LANES);
            let mut columns = [L::Singles::splat(0.0); LANES];
            for (column, row) in columns.iter_mut().zip(block.clone()) {
                let weight = L::Singles::splat(weights[bins.start + row]);
                *column = weight.mul(products.magnitudes::<L::Singles>(row, spectra));
            }
            for (values, window) in L::Singles::turned(columns).into_iter().zip(to.chunks_exact_mut(all)) {
                let mut lanes = [0.0; LANES];
                values.store(&mut lanes);
                window[bins.start + block.start..bins.start + block.end].copy_from_slice(&lanes[..block.len()]);
            }
        }
    }
}
