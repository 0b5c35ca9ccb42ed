//! Harmonic and percussive separation: how much of the energy of each spectrum is sustained, and how much is transient.
//!
//! With the power `P(k, b)` of window `k` and bin `b`, and medians of 31 neighbours, reflected at the ends
//! ([`crate::kernels::signal::median`]),
//!
//! ```text
//! H(k, b) = median over time of P(k-15..=k+15, b)        sustained: a horizontal line in a spectrogram
//! R(k, b) = median over frequency of P(k, b-15..=b+15)   transient: a vertical line
//! M_h = H / (H + R),   M_p = R / (H + R),   both 1/2 where neither H nor R is a normal number
//! ```
//!
//! (D. `FitzGerald`, "Harmonic/percussive separation using median filtering", `DAFx` 2010.) A median of powers is the
//! square of the median of magnitudes, so these are the soft masks of `librosa.decompose.hpss` with its defaults
//! (kernel of 31, power 2, margin 1). The spectrum of a component is the spectrum times its mask.
//!
//! A block consists of the wanted windows and [`MARGIN`] more on either side. It has fewer at the ends of the
//! recording, where it is reflected. Non-finite input: a median treats a broken window as an outlier, so its neighbours
//! are unaffected. The masks and energies of the broken window are not finite.
//!
//! On a GPU ([`gpu`]), the medians stay on the device, and three sums per window are read back.

mod cpu;
pub mod gpu;

use crate::kernels::Kernel;
use crate::kernels::signal::median;
use crate::kernels::signal::stft::Spectra;
pub use cpu::{Medians, energies, energies_with, masks};

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "hpss",
    title: "Harmonic and percussive energies",
    shaders: &["hpss.wgsl"],
    tolerance_db: -100.0,
    // Same as `median`, plus reading spectra and medians.
    bytes_per_sample: 56.0,
};

/// The number of windows that are needed before and after the wanted ones.
pub const MARGIN: usize = median::REACH;

/// The power of a window and of its components: sums over its bins, on the scale of the input powers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// The sum of `P`.
    pub total: f32,
    /// The sum of `M_h^2 P`: the power of the harmonic component.
    pub harmonic: f32,
    /// The sum of `M_p^2 P`: the power of the percussive component. The spectra of the components sum to the spectrum,
    /// but where both have a share, their powers sum to less than the total.
    pub percussive: f32,
}

/// The share of each component in every bin, 0 to 1. The two shares of a bin sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Masks {
    /// `M_h`.
    pub harmonic: Spectra<f32>,
    /// `M_p`.
    pub percussive: Spectra<f32>,
}
