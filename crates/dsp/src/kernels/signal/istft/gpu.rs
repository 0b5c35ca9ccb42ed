//! The inverse transform on a GPU: transforms of up to 4096 points in a workgroup (`shaders/signal/istft.wgsl`), longer ones
//! in two steps through device memory (`shaders/signal/istft_long.wgsl`).

use bytemuck::cast_slice;

use super::IstftPlan;
use crate::gpu::shaders::{istft as shader, istft_long as long};
use crate::gpu::{Engine, Finished, MAX_BINDING_BYTES, Recording, View};
use crate::kernels::signal::stft::gpu::{GpuStft, in_chunks};
use crate::kernels::signal::stft::{Complex32, Spectra};
use base::error::{Error, Result};
use base::progress::Progress;

/// An inverse transform in the form that the shaders use.
#[derive(Clone, Debug)]
pub struct GpuIstft {
    plan: IstftPlan,
    forward: GpuStft,
}

impl GpuIstft {
    /// Lowers a plan.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the window size is not a power of two. Such windows run on the CPU.
    pub fn new(plan: &IstftPlan) -> Result<Self> {
        Ok(Self { plan: plan.clone(), forward: GpuStft::new(plan.forward())? })
    }

    /// Returns the first `frames` frames of the signal whose windows 0, 1, 2.. have the given spectra, like
    /// [`super::cpu::samples`].
    pub fn samples(
        &self,
        engine: &mut Engine,
        spectra: &Spectra<Complex32>,
        frames: usize,
        progress: Option<&Progress>,
    ) -> Result<(Vec<f32>, Finished)> {
        self.plan.check(spectra, frames)?;
        let spec = self.plan.forward().spec();
        // The maximum number of windows per chunk. Windows at its ends are transformed for both neighbours.
        let windows = (MAX_BINDING_BYTES / 8) as usize / spectra.bins;
        let around = spec.size.div_ceil(spec.hop) + 1;
        if windows <= around {
            return Err(Error::Limit {
                what: "windows that overlap on a GPU".to_owned(),
                got: around.to_string(),
                limit: windows.to_string(),
            });
        }
        let most = ((windows - around) * spec.hop).min((MAX_BINDING_BYTES / 4) as usize);
        let mut samples = vec![0.0; frames];
        let finished = in_chunks(frames, most, |chunk| {
            let (mut recording, mut heard) = (Recording::new(), None);
            let ticket = {
                let signal = self.record(&mut recording, spectra, chunk.clone());
                recording.readback(signal)
            };
            let finished = engine.execute(&recording, progress, &mut |got, bytes| {
                if got == ticket {
                    heard = Some(bytemuck::pod_collect_to_vec::<u8, f32>(bytes));
                }
            })?;
            if let Some(heard) = heard {
                samples[chunk].copy_from_slice(&heard);
            }
            Ok(finished)
        })?;
        Ok((samples, finished))
    }

    fn record<'r>(
        &'r self,
        recording: &mut Recording<'r>,
        spectra: &'r Spectra<Complex32>,
        chunk: std::ops::Range<usize>,
    ) -> View {
        let plan = self.plan.forward();
        let spec = plan.spec();
        let windows = self.plan.windows_of(chunk.start, chunk.end, spectra.windows());
        let lead = chunk.start as i64 - plan.start_frame(windows.start as u64);
        let bins = spectra.bins;
        let parts: Vec<[f32; 2]> =
            spectra.values[windows.start * bins..windows.end * bins].iter().map(|x| [x.re, x.im]).collect();
        let complex_spectra = recording.buffer(parts.len() as u64 * 8);
        recording.upload(complex_spectra, cast_slice(&parts).to_vec());
        let tables = self.forward.tables(recording);
        let weighed = recording.buffer((windows.len() * spec.size * 4) as u64);
        let windowed = Windowed { complex_spectra, tables, weighed, count: windows.len() };
        if self.forward.is_short() {
            self.record_short(recording, &windowed);
        } else {
            self.record_long(recording, &windowed);
        }
        let signal = recording.buffer(chunk.len() as u64 * 4);
        let params = shader::Params { frames: chunk.len() as u32, lead: lead as u32, ..self.params(windows.len()) };
        let overlap_add = shader::OverlapAdd { tables, weighed, signal };
        let groups = [chunk.len().div_ceil(shader::WORKGROUP as usize) as u32, 1, 1];
        // The cost of a frame is the number of windows that cover it.
        let work = chunk.len() * spec.size.div_ceil(spec.hop);
        recording.dispatch(overlap_add.dispatch(&params, groups, work as u64));
        signal
    }

    fn params(&self, windows: usize) -> shader::Params {
        let spec = self.plan.forward().spec();
        let points = self.forward.points();
        shader::Params {
            windows: windows as u32,
            points: points as u32,
            size: spec.size as u32,
            hop: spec.hop as u32,
            scale: 1.0 / points as f32,
            ..bytemuck::Zeroable::zeroed()
        }
    }

    fn record_short(&self, recording: &mut Recording<'_>, windowed: &Windowed) {
        let &Windowed { complex_spectra, tables, weighed, count } = windowed;
        let slots = shader::POINTS as usize / self.forward.points();
        let groups = [count.div_ceil(slots) as u32, 1, 1];
        let inverse = shader::Inverse { complex_spectra, tables, weighed };
        recording.dispatch(inverse.dispatch(&self.params(count), groups, (count * self.forward.points()) as u64));
    }

    fn record_long(&self, recording: &mut Recording<'_>, windowed: &Windowed) {
        let &Windowed { complex_spectra, tables, weighed, count } = windowed;
        let points = self.forward.points();
        let [first, second] = self.forward.steps();
        let half_done = recording.buffer((count * points * 8) as u64);
        let step = |step_points: usize, other: usize| {
            let groups_each = other / (long::POINTS as usize / step_points);
            let params = long::Params {
                first_group: 0,
                points: points as u32,
                first: first as u32,
                second: second as u32,
                step_points: step_points as u32,
                groups_each: groups_each as u32,
                size: self.plan.forward().spec().size as u32,
                scale: 1.0 / points as f32,
            };
            (params, [(count * groups_each) as u32, 1, 1])
        };
        let work = (count * points) as u64;
        let (params, groups) = step(first, second);
        let columns_first = long::ColumnsFirst { complex_spectra, tables, half_done };
        recording.dispatch(columns_first.dispatch(&params, groups, work));
        let (params, groups) = step(second, first);
        let rows_second = long::RowsSecond { tables, half_done, weighed };
        recording.dispatch(rows_second.dispatch(&params, groups, work));
    }
}

/// Windows on the device: their spectra, the tables, and the buffer for their frames.
struct Windowed {
    complex_spectra: View,
    tables: View,
    weighed: View,
    count: usize,
}
