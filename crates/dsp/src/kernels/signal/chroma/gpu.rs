//! Chroma on a GPU. The signal is halved on the device; each octave is transformed, multiplied with the basis and
//! folded, so that only twelve values per window are read back.

use std::ops::Range;

use super::{BINS_PER_OCTAVE, CLASSES, ConstantQ};
use crate::design::Window;
use crate::gpu::shaders::chroma as shader;
use crate::gpu::{Constant, MAX_BINDING_BYTES, Recording, View};
use crate::kernels::signal::constant_q::gpu::halve;
use crate::kernels::signal::stft::gpu::{GpuStft, SpectraBuffers};
use crate::kernels::signal::stft::{StftPlan, StftSpec};
use crate::kernels::signal::{FrameSpan, Plane};
use base::error::Result;

/// A plan in the form that the shaders use.
#[derive(Clone, Debug)]
pub struct GpuChroma {
    plan: ConstantQ,
    transform: GpuStft,
    /// The half-band filter taps as complex values.
    half_band: Constant,
    places: Constant,
    basis: Constant,
}

impl GpuChroma {
    /// Lowers a plan.
    pub fn new(plan: &ConstantQ) -> Result<Self> {
        // The basis already contains the windows.
        let spec = StftSpec { window: Window::Rectangular, size: plan.points, padding: 1, hop: plan.points };
        let (mut places, mut basis) = (Vec::new(), Vec::new());
        for row in 0..BINS_PER_OCTAVE {
            let (first, values) = plan.products.row(row);
            let first_value = basis.len();
            basis.extend_from_slice(values);
            places.extend([first, first_value, basis.len() - first_value].map(|place| place as u32));
        }
        places.extend(plan.weights.iter().map(|weight| weight.to_bits()));
        Ok(Self {
            transform: GpuStft::new(&StftPlan::new(spec)?)?,
            half_band: Constant::of(&plan.half_band.iter().map(|&tap| [tap, 0.0]).collect::<Vec<[f32; 2]>>()),
            places: Constant::of(&places),
            basis: Constant::of(&basis),
            plan: plan.clone(),
        })
    }

    /// Returns the plan that this was lowered from.
    pub fn plan(&self) -> &ConstantQ {
        &self.plan
    }

    /// Returns the device memory per window in bytes, without the signal.
    pub fn bytes_a_window(&self) -> usize {
        let through_memory = if self.transform.is_short() { 0 } else { 16 * self.transform.points() };
        8 * (self.plan.points / 2 + 1) + 4 * (self.plan.bins() + CLASSES) + through_memory
    }

    /// Returns the maximum number of windows per recording: their spectra, their bins and their signal must each fit
    /// into a buffer.
    pub fn max_windows(&self) -> usize {
        let one = self.plan.reach(0..1);
        let signal = (MAX_BINDING_BYTES as usize / 4).saturating_sub((one.end - one.start) as usize);
        let spectra = Plane::max_rows(self.plan.points + 2).min(Plane::max_rows(4 * self.transform.points()));
        spectra.min(Plane::max_rows(self.plan.bins())).min(signal / self.plan.spec.hop).max(1)
    }

    /// Records the classes of `windows` and returns a view of twelve f32 values per window. `signal` must cover
    /// [`ConstantQ::reach`] of the windows.
    pub fn record<'r>(&'r self, recording: &mut Recording<'r>, signal: FrameSpan, windows: Range<u64>) -> View {
        let plan = &self.plan;
        let count = (windows.end - windows.start) as usize;
        let results = recording.buffer((count * CLASSES * 4) as u64);
        let taps = recording.constant(&self.half_band);
        let places = recording.constant(&self.places);
        let basis = recording.constant(&self.basis);
        let tables = self.transform.tables(recording);
        let magnitudes = recording.buffer((count * plan.bins() * 4) as u64);
        let spectra = recording.buffer((count * (plan.points / 2 + 1) * 8) as u64);
        let scratch = self.transform.scratch_of(recording, count);
        let (mut samples, mut there) = (signal.view, signal.first_frame..signal.first_frame + signal.frames as i64);
        for (level, need) in (0_u32..).zip(plan.needs(&windows)) {
            if level > 0 {
                samples = halve(recording, samples, taps, &there, &need);
                there = need;
            }
            let Some(below) = level.checked_sub(plan.halvings) else { continue };
            let start = |window| (plan.centre(window, level) - plan.points as i64 / 2 - there.start) as u32;
            let starts: Vec<u32> = windows.clone().map(start).collect();
            let buffers = SpectraBuffers::of(recording, samples, &starts, scratch);
            self.transform.record_spectra(recording, &buffers, tables, count, (spectra, 0));
            let octave = plan.octaves - 1 - below as usize;
            let params = shader::Params {
                points: (plan.points / 2 + 1) as u32,
                first_bin: (octave * BINS_PER_OCTAVE) as u32,
                ..self.params(count)
            };
            let kernel = shader::Products { spectra, places, basis, magnitudes };
            let work = count as u64 * (basis.bytes / 8);
            recording.dispatch(kernel.dispatch(&params, groups(count * BINS_PER_OCTAVE, shader::AT_ONCE), work));
        }
        let kernel = shader::Fold { magnitudes, results };
        let work = (count * plan.bins()) as u64;
        recording.dispatch(kernel.dispatch(&self.params(count), groups(count * CLASSES, shader::WORKGROUP), work));
        results
    }

    fn params(&self, windows: usize) -> shader::Params {
        shader::Params { windows: windows as u32, bins: self.plan.bins() as u32, ..bytemuck::Zeroable::zeroed() }
    }

    /// Decodes the results of [`GpuChroma::record`].
    pub fn read(bytes: &[u8], windows: usize) -> Vec<[f32; CLASSES]> {
        bytemuck::pod_collect_to_vec(&bytes[..windows * CLASSES * 4])
    }
}

/// Returns the grid for `count` results, of which a workgroup computes `each`.
fn groups(count: usize, each: u32) -> [u32; 3] {
    [count.div_ceil(each as usize) as u32, 1, 1]
}
