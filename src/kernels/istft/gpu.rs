//! The inversion on a GPU, for transforms of up to 4096 points. Longer ones are refused: the CPU takes them.

use bytemuck::cast_slice;

use super::IstftPlan;
use crate::error::{Error, Result};
use crate::gpu::shaders::istft as shader;
use crate::gpu::{Engine, Finished, MAX_BINDING_BYTES, Recording};
use crate::kernels::stft::gpu::{GpuStft, in_chunks};
use crate::kernels::stft::{Complex32, Spectra};
use crate::progress::Progress;

/// An inversion as the shader wants it.
#[derive(Clone, Debug)]
pub struct GpuIstft {
    plan: IstftPlan,
    forward: GpuStft,
}

impl GpuIstft {
    /// Lowers a plan.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a window that is no power of two and for a transform of more than 4096 points: run
    /// these on the CPU.
    pub fn new(plan: &IstftPlan) -> Result<Self> {
        let forward = GpuStft::new(plan.forward())?;
        let most = 2 * shader::POINTS as usize;
        if plan.forward().fft_length() > most {
            let what = format!("an inversion of {} points on a GPU", plan.forward().fft_length());
            return Err(Error::unsupported(what, format!("{most} points fit a workgroup; the CPU takes any number")));
        }
        Ok(Self { plan: plan.clone(), forward })
    }

    /// The first `frames` frames of the signal whose windows 0, 1, 2.. have these spectra, as the CPU twin's.
    ///
    /// # Errors
    /// As the CPU twin, and those of [`Engine::execute`].
    pub fn samples(
        &self,
        engine: &mut Engine,
        spectra: &Spectra<Complex32>,
        frames: usize,
        progress: Option<&Progress>,
    ) -> Result<(Vec<f32>, Finished)> {
        self.plan.check(spectra, frames)?;
        let spec = self.plan.forward().spec();
        // A chunk takes in so many windows at the most; those at its ends go to both neighbours.
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
    ) -> crate::gpu::View {
        let plan = self.plan.forward();
        let spec = plan.spec();
        let windows = self.plan.windows_of(chunk.start, chunk.end, spectra.windows());
        let lead = chunk.start as i64 - plan.start_frame(windows.start as u64);
        let bins = spectra.bins;
        let parts: Vec<[f32; 2]> =
            spectra.values[windows.start * bins..windows.end * bins].iter().map(|x| [x.re, x.im]).collect();
        let complex_spectra = recording.buffer(parts.len() as u64 * 8);
        recording.upload(complex_spectra, cast_slice(&parts).to_vec());
        let tables = self.forward.upload_tables(recording);
        let weighed = recording.buffer((windows.len() * spec.size * 4) as u64);
        let signal = recording.buffer(chunk.len() as u64 * 4);
        let points = plan.fft_length() / 2;
        let params = shader::Params {
            first_group: 0,
            windows: windows.len() as u32,
            points: points as u32,
            size: spec.size as u32,
            hop: spec.hop as u32,
            frames: chunk.len() as u32,
            lead: lead as u32,
            scale: 1.0 / points as f32,
        };
        let slots = shader::POINTS as usize / points;
        let inverse = shader::Inverse { complex_spectra, tables, weighed };
        let groups = [windows.len().div_ceil(slots) as u32, 1, 1];
        recording.dispatch(inverse.dispatch(&params, groups, (windows.len() * points) as u64));
        let overlap_add = shader::OverlapAdd { tables, weighed, signal };
        let groups = [chunk.len().div_ceil(shader::WORKGROUP as usize) as u32, 1, 1];
        // A frame costs as much as windows take it in.
        let work = chunk.len() * spec.size.div_ceil(spec.hop);
        recording.dispatch(overlap_add.dispatch(&params, groups, work as u64));
        signal
    }
}
