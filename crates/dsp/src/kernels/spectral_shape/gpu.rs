//! Computes shapes on a GPU. The shader returns sixteen numbers per window, which the host scales to hertz and
//! amplitudes in f64.

use std::ops::Range;

use super::{BANDS, ROLLOFF_SHARE, ShapePlan, SpectralShape};
use crate::gpu::shaders::spectral_shape as shader;
use crate::gpu::{Engine, Finished, Recording, View};
use crate::kernels::Plane;
use crate::kernels::stft::Spectra;
use crate::kernels::stft::gpu::in_chunks;
use base::error::{Error, Result};
use base::progress::Progress;

/// The shader's result for a window.
type Words = [f32; shader::WORDS as usize];

impl ShapePlan {
    /// Records the shapes of the windows `wanted` of power spectra. [`ShapePlan::read`] decodes the readback. The flux
    /// of the first window compares with the row before it, if there is one.
    pub fn record(&self, recording: &mut Recording<'_>, power: Plane, wanted: Range<usize>) -> View {
        let results = recording.buffer((wanted.len() * size_of::<Words>()) as u64);
        // An edge is at most half a bin from the centre of its bin.
        let bin = |edge: f64| (edge + 0.5).floor();
        let four = |from: usize| -> [f64; 4] { std::array::from_fn(|k| self.edges[(from + k).min(BANDS)]) };
        let (low, high) = ([four(0), four(4)], [four(1), four(5)]);
        let bins = |edges: [[f64; 4]; 2]| edges.map(|four| four.map(|edge| bin(edge) as u32));
        let places = |edges: [[f64; 4]; 2]| edges.map(|four| four.map(|edge| (edge - bin(edge)) as f32));
        let params = shader::Params {
            bins: self.bins as u32,
            run: self.bins.div_ceil(shader::WORKGROUP as usize) as u32,
            first_window: wanted.start as u32,
            power_floor: self.floor(),
            rolloff_share: ROLLOFF_SHARE as f32,
            low_bins: bins(low),
            low_places: places(low),
            high_bins: bins(high),
            high_places: places(high),
            ..bytemuck::Zeroable::zeroed()
        };
        let kernel = shader::Shapes { power: power.view, results };
        let work = (wanted.len() * self.bins) as u64;
        recording.dispatch(kernel.dispatch(&params, [wanted.len() as u32, 1, 1], work));
        results
    }

    /// Decodes the readback of [`ShapePlan::record`] for `windows` windows. `None` for a window with a power or a sum
    /// that is not finite.
    pub fn read(&self, bytes: &[u8], windows: usize) -> Vec<Option<SpectralShape>> {
        let words: Vec<Words> = bytemuck::pod_collect_to_vec(&bytes[..windows * size_of::<Words>()]);
        words.iter().map(|words| self.shape_of(words)).collect()
    }

    fn shape_of(&self, words: &Words) -> Option<SpectralShape> {
        let [_, centroid, variance, rolloff, exponents, mantissas, clamped, flux, bands @ ..] = words;
        let (bands, broken) = bands.split_first_chunk::<BANDS>()?;
        if broken != [0.0] || words.iter().any(|word| !word.is_finite()) {
            return None;
        }
        let bins = self.bins as f64;
        let log = (f64::from(*exponents) + f64::from(*mantissas)) / bins;
        let hz = |bins: f64| (bins * self.hz_per_bin) as f32;
        Some(SpectralShape {
            centroid_hz: hz(f64::from(*centroid)),
            bandwidth_hz: hz(f64::from(*variance).sqrt()),
            rolloff_hz: hz(f64::from(*rolloff)),
            flatness: (log.exp2() / (f64::from(*clamped) / bins)) as f32,
            flux: *flux,
            bands: *bands,
        })
    }

    /// Returns the shapes of the windows from `first` on, like [`ShapePlan::shapes`], but `None` for a window that is
    /// not finite.
    pub fn shapes_on_gpu(
        &self,
        engine: &mut Engine,
        spectra: &Spectra<f32>,
        first: usize,
        progress: Option<&Progress>,
    ) -> Result<(Vec<Option<SpectralShape>>, Finished)> {
        let bins = self.bins;
        if spectra.bins != bins || first > spectra.windows() {
            let got = format!("{} bins from window {first} on", spectra.bins);
            return Err(Error::invalid("spectra", got, format!("{bins} bins, of 0..={}", spectra.windows())));
        }
        let most = Plane::max_rows(bins).saturating_sub(1);
        if most == 0 {
            let (got, limit) = (format!("{bins} bins"), format!("{} bins", Plane::max_rows(2)));
            return Err(Error::Limit { what: "spectra on a GPU".to_owned(), got, limit });
        }
        let mut shapes = Vec::with_capacity(spectra.windows() - first);
        let finished = in_chunks(spectra.windows() - first, most, |chunk| {
            let chunk = first + chunk.start..first + chunk.end;
            let around = chunk.start.saturating_sub(1)..chunk.end;
            let mut recording = Recording::new();
            let plane = Plane::upload(&mut recording, bins, &spectra.values[around.start * bins..around.end * bins]);
            let results = self.record(&mut recording, plane, chunk.start - around.start..around.len());
            let ticket = recording.readback(results);
            engine.execute(&recording, progress, &mut |got, bytes| {
                if got == ticket {
                    shapes.extend(self.read(bytes, chunk.len()));
                }
            })
        })?;
        Ok((shapes, finished))
    }
}
