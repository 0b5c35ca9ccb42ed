//! Evaluates a constant-Q transform on the CPU.

use std::ops::Range;

use super::halve::Halver;
use super::{BINS_PER_OCTAVE, ConstantQ};
use crate::error::Result;
use crate::kernels::stft::{Pairs, Samples, Spectra};
use crate::progress::Progress;
use crate::simd::Simd;

/// Scratch memory for transforms, reused from block to block.
#[derive(Default)]
pub struct Memory {
    halver: Halver,
    /// The signal at the current rate, and at half of it.
    signal: Vec<f32>,
    halved: Vec<f32>,
    pairs: Option<Pairs>,
    re: Vec<f32>,
    im: Vec<f32>,
}

impl ConstantQ {
    /// Returns `C` for the given windows, lowest bin first.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`] if `progress` is cancelled.
    pub fn spectra(&self, samples: Samples<'_>, windows: Range<u64>, progress: &Progress) -> Result<Spectra<f32>> {
        let mut spectra = Spectra { bins: self.bins(), values: Vec::new() };
        self.spectra_to(samples, windows, &mut spectra.values, &mut Memory::default(), progress)?;
        Ok(spectra)
    }

    /// Same as [`ConstantQ::spectra`], but reuses memory. `to` is overwritten with the values.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`] if `progress` is cancelled.
    pub fn spectra_to(
        &self,
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
        for (level, need) in (0_u32..).zip(self.needs(&windows)) {
            done = progress.check();
            if done.is_err() {
                break;
            }
            if level == 0 {
                // Level 0 is the input itself; it is copied only if an octave is computed from it.
                first_frame = need.start;
                signal.clear();
                if self.halvings == 0 {
                    samples.extract(need, &mut signal);
                }
            } else {
                let above = Samples { samples: &signal, first_frame };
                let above = if level == 1 && self.halvings > 0 { samples } else { above };
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
        let simd = Simd::best();
        let bins = octave * BINS_PER_OCTAVE..(octave + 1) * BINS_PER_OCTAVE;
        let weights = &self.weights[bins.clone()];
        let Memory { pairs, re, im, .. } = memory;
        let pairs = pairs.get_or_insert_with(|| self.transform.memory());
        let kept = self.points / 2 + 1;
        re.resize(kept.max(self.products.bins()), 0.0);
        im.resize(kept.max(self.products.bins()), 0.0);
        for (index, window) in to.chunks_exact_mut(self.bins()).enumerate() {
            let start = self.centre(first + index as u64, level) - self.points as i64 / 2 - signal.first_frame;
            let frames = &signal.samples[start as usize..][..self.points];
            self.transform.parts(frames, pairs, &mut re[..kept], &mut im[..kept]);
            self.products.magnitudes(simd, re, im, weights, &mut window[bins.clone()]);
        }
    }
}
