//! Convolution with long responses, in partitions as long as a block.
//!
//! Real and imaginary parts of spectra are stored separately, so that products run over contiguous values.

use std::fmt;
use std::sync::Arc;

use transforms::num_complex::{Complex32, Complex64};
use transforms::{ComplexToReal, RealFftPlanner, RealToComplex};

use crate::kernels::signal::fir::Route;
use crate::kernels::signal::fir::plan::single;
use base::error::Result;
use base::simd::{Lanes, Simd, Task};

/// A spectrum: all real parts, then all imaginary parts.
pub(super) type Spectrum = Vec<f32>;

/// Filters in partitions, with the forward and inverse transforms.
pub(in crate::kernels::signal::fir) struct Partitions {
    block: usize,
    /// For each filter, the spectrum of each partition; `None` if all taps of the partition are 0.
    spectra: Vec<Vec<Option<Spectrum>>>,
    forward: Arc<dyn RealToComplex<f32>>,
    inverse: Arc<dyn ComplexToReal<f32>>,
}

/// The buffers that a thread works in.
pub(in crate::kernels::signal::fir) struct Workspace {
    values: Vec<f32>,
    bins: Vec<Complex32>,
    sum: Spectrum,
    scratch: Vec<Complex32>,
}

impl fmt::Debug for Partitions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partitions").field("block", &self.block).finish_non_exhaustive()
    }
}

impl Partitions {
    pub fn new(filters: &[Vec<f64>], length: usize, block: usize) -> Result<Self> {
        let exact = RealFftPlanner::<f64>::new().plan_fft_forward(2 * block);
        let spectrum = |part: &[f64]| -> Result<Option<Spectrum>> {
            if part.iter().all(|tap| *tap == 0.0) {
                return Ok(None);
            }
            let mut values: Vec<f64> = part.iter().map(|tap| tap / (2 * block) as f64).collect();
            values.resize(2 * block, 0.0);
            let mut bins: Vec<Complex64> = exact.make_output_vec();
            exact.process(&mut values, &mut bins)?;
            let single: Vec<Complex32> = bins.into_iter().map(single).collect();
            Ok(Some(apart(&single)))
        };
        let parts = |taps: &Vec<f64>| -> Result<Vec<Option<Spectrum>>> {
            let mut padded = taps.clone();
            padded.resize(length, 0.0);
            padded.chunks(block).map(spectrum).collect()
        };
        let mut planner = RealFftPlanner::<f32>::new();
        Ok(Self {
            block,
            spectra: filters.iter().map(parts).collect::<Result<_>>()?,
            forward: planner.plan_fft_forward(2 * block),
            inverse: planner.plan_fft_inverse(2 * block),
        })
    }

    /// Returns the number of partitions.
    pub fn count(&self) -> usize {
        self.spectra.first().map_or(0, Vec::len)
    }

    pub fn workspace(&self) -> Workspace {
        let scratch = self.forward.get_scratch_len().max(self.inverse.get_scratch_len());
        Workspace {
            values: self.forward.make_input_vec(),
            bins: self.forward.make_output_vec(),
            sum: self.silence(),
            scratch: vec![Complex32::ZERO; scratch],
        }
    }

    /// Returns the spectrum of silence.
    pub fn silence(&self) -> Spectrum {
        vec![0.0; 2 * (self.block + 1)]
    }

    /// Writes the spectrum of two blocks, the preceding and the current one, to `to`.
    pub fn spectrum(&self, buffers: &mut Workspace, blocks: &[f32], to: &mut Spectrum) -> Result<()> {
        buffers.values.copy_from_slice(&blocks[..2 * self.block]);
        let forward = self.forward.process_with_scratch(&mut buffers.values, &mut buffers.bins, &mut buffers.scratch);
        forward?;
        to.clear();
        to.extend(buffers.bins.iter().map(|bin| bin.re));
        to.extend(buffers.bins.iter().map(|bin| bin.im));
        Ok(())
    }

    /// Computes a block of an output channel. `inputs` holds, for each input channel, the spectra of the last blocks up
    /// to this one, as many as there are partitions, the latest last.
    pub fn fill(
        &self,
        buffers: &mut Workspace,
        routes: &[Route],
        inputs: &[&[Arc<Spectrum>]],
        to: &mut [f32],
    ) -> Result<()> {
        buffers.sum.fill(0.0);
        for route in routes {
            let partitions = self.spectra[route.filter].iter();
            for (partition, input) in partitions.zip(inputs[route.input].iter().rev()) {
                if let Some(partition) = partition {
                    Simd::best().dispatch(Product { input, partition, sum: &mut buffers.sum });
                }
            }
        }
        let (re, im) = buffers.sum.split_at(self.block + 1);
        for (bin, (re, im)) in buffers.bins.iter_mut().zip(re.iter().zip(im)) {
            *bin = Complex32::new(*re, *im);
        }
        // Both ends are real by symmetry. The inverse transform rejects them unless they are exactly real.
        (buffers.bins[0].im, buffers.bins[self.block].im) = (0.0, 0.0);
        let inverse = self.inverse.process_with_scratch(&mut buffers.bins, &mut buffers.values, &mut buffers.scratch);
        inverse?;
        to.copy_from_slice(&buffers.values[self.block..]);
        Ok(())
    }
}

fn apart(bins: &[Complex32]) -> Spectrum {
    bins.iter().map(|bin| bin.re).chain(bins.iter().map(|bin| bin.im)).collect()
}

struct Product<'a> {
    input: &'a [f32],
    partition: &'a [f32],
    sum: &'a mut [f32],
}

impl Task for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let half = self.sum.len() / 2;
        let (sum_re, sum_im) = self.sum.split_at_mut(half);
        let (a_re, a_im) = self.input.split_at(half);
        let (b_re, b_im) = self.partition.split_at(half);
        for n in 0..half.min(sum_im.len()).min(a_im.len()).min(b_im.len()) {
            sum_re[n] += a_re[n] * b_re[n] - a_im[n] * b_im[n];
            sum_im[n] += a_re[n] * b_im[n] + a_im[n] * b_re[n];
        }
    }
}
