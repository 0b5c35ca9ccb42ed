//! Computes shapes on a GPU. The shader returns sixteen numbers per window, which the host scales to hertz and
//! amplitudes in f64.

use std::ops::Range;

use super::{BANDS, ROLLOFF_SHARE, ShapePlan, SpectralShape};
use crate::gpu::shaders::spectral_shape as shader;
use crate::gpu::{Recording, View};
use crate::kernels::signal::Plane;

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
}
