//! The shape of each power spectrum: centroid, bandwidth, rolloff, flatness, flux, and the energies of seven bands.
//!
//! For a power spectrum `P(b)` (1 is a full-scale sine) with `M(b) = sqrt P(b)` and bins at `f(b)`:
//!
//! | | unit | formula |
//! |---|---|---|
//! | centroid | Hz | `sum f M / sum M` |
//! | bandwidth | Hz | `sqrt(sum (f - centroid)^2 M / sum M)` |
//! | rolloff | Hz | the lowest `f(b)` with `sum over bins up to b of M >= 0.85 sum M` |
//! | flatness | 0..1 | geometric over arithmetic mean of `max(P / power_scale, 1e-10)` |
//! | flux | amplitude | `sum max(0, M_k - M_(k-1))`, the rise since the preceding window; 0 for the first |
//! | bands | power | `sum P(b) w(b)` with the share `w` of the bin's width (half a bin to either side) in the band |
//!
//! The first four equal those of `librosa.feature` (`spectral_centroid`, `spectral_bandwidth`, `spectral_rolloff`,
//! `spectral_flatness`). librosa uses unscaled power, hence the division by `power_scale`. A silent window has a
//! centroid, bandwidth and rolloff of 0 and a flatness of 1, as in librosa. The values of a window with a `NaN` are
//! `NaN`. The flux follows S. Dixon ("Onset detection revisited", `DAFx` 2006).
//!
//! The CPU adds sums of eight f32 values in f64, in an order that depends only on the number of bins. A GPU ([`gpu`])
//! sums in f32, in a tree.

mod cpu;
pub mod gpu;
mod plan;

use crate::kernels::Kernel;
pub use plan::ShapePlan;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "spectral_shape",
    title: "Shapes of spectra",
    shaders: &["spectral_shape.wgsl"],
    // A relative error of 1e-5 per value.
    tolerance_db: -100.0,
    // Reads spectra for the sums and again for the moments about the centroid, and the preceding spectra for the
    // flux.
    bytes_per_sample: 24.0,
};

/// The edges of the seven bands, in hertz: sub-bass, bass, low mid, mid, upper mid, presence, air.
pub const BAND_EDGES_HZ: [f64; 8] = [20.0, 60.0, 250.0, 500.0, 2000.0, 4000.0, 8000.0, 20_000.0];
/// The number of bands.
pub const BANDS: usize = BAND_EDGES_HZ.len() - 1;
/// The share of the magnitude that lies at or below the rolloff.
const ROLLOFF_SHARE: f64 = 0.85;
/// The lowest unscaled power that counts for the flatness.
pub(crate) const FLATNESS_FLOOR: f64 = 1e-10;

/// The shape of the spectrum of one window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpectralShape {
    /// The centre of gravity of the magnitudes, in hertz.
    pub centroid_hz: f32,
    /// The magnitudes' standard deviation around the centroid, in hertz.
    pub bandwidth_hz: f32,
    /// The frequency below which 85 % of the magnitude lies, in hertz.
    pub rolloff_hz: f32,
    /// The flatness, from 0 (a tone) to 1 (white noise, or silence).
    pub flatness: f32,
    /// The rise in amplitude since the preceding window.
    pub flux: f32,
    /// The power in each band of [`BAND_EDGES_HZ`].
    pub bands: [f32; BANDS],
}
