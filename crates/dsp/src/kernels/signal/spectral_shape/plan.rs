//! The plan: bands, scale and floor for the spectra of one transform.

use super::{BAND_EDGES_HZ, BANDS, FLATNESS_FLOOR};
use crate::design::Bins;

/// A plan of the shapes of one transform's spectra.
#[derive(Clone, Debug)]
pub struct ShapePlan {
    pub(super) bins: usize,
    pub(super) hz_per_bin: f64,
    pub(super) power_scale: f64,
    pub(super) bands: [Band; BANDS],
    /// The edges of the bands, in bins, at most the last bin.
    pub(super) edges: [f64; BANDS + 1],
}

/// The whole bins of a band, and the two bins at its edges with their weights.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band {
    pub(super) whole: (usize, usize),
    pub(super) edges: [(usize, f64); 2],
}

impl Band {
    /// Creates the band `low..high`, in bins, at most the last bin. Bin `b` covers `b - 1/2..b + 1/2`, clipped at 0 Hz
    /// and the Nyquist frequency.
    fn new(count: usize, low: f64, high: f64) -> Self {
        let share = |bin: usize| {
            let (from, to) = ((bin as f64 - 0.5).max(low), (bin as f64 + 0.5).min(high));
            (to - from).max(0.0)
        };
        let (first, last) = ((low + 0.5).floor() as usize, ((high + 0.5).floor() as usize).min(count - 1));
        if first == last {
            return Self { whole: (0, 0), edges: [(first, share(first)), (first, 0.0)] };
        }
        Self { whole: (first + 1, last), edges: [(first, share(first)), (last, share(last))] }
    }
}

impl ShapePlan {
    /// Returns the number of bins of a spectrum.
    pub fn bins(&self) -> usize {
        self.bins
    }

    /// Plans the shapes of the spectra of a transform whose powers were multiplied by `power_scale`
    /// ([`crate::kernels::signal::stft::StftPlan::power_scale`]).
    pub fn new(bins: Bins, power_scale: f64) -> Self {
        let count = bins.count();
        let edges = BAND_EDGES_HZ.map(|hz| bins.bin_from_hz(hz).min((count - 1) as f64));
        let bands = std::array::from_fn(|band| Band::new(count, edges[band], edges[band + 1]));
        Self { bins: count, hz_per_bin: bins.rate_hz / bins.fft_length as f64, power_scale, bands, edges }
    }

    /// Returns the lowest power that counts for the flatness.
    pub(super) fn floor(&self) -> f32 {
        (FLATNESS_FLOOR * self.power_scale) as f32
    }
}
