//! Harmonic and percussive parts of a sound: the energy of each spectrum that is sustained, and that is transient.
//!
//! With the power `P(k, b)` of window `k` and bin `b`, and medians of 31 neighbours, reflected at the ends
//! ([`crate::kernels::median`]),
//!
//! ```text
//! H(k, b) = median over time of P(k-15..=k+15, b)        sustained: a horizontal line in a spectrogram
//! R(k, b) = median over frequency of P(k, b-15..=b+15)   transient: a vertical line
//! M_h = H / (H + R),   M_p = R / (H + R),   both 1/2 where neither H nor R is a normal number
//! ```
//!
//! (D. `FitzGerald`, "Harmonic/percussive separation using median filtering", `DAFx` 2010.) A median of powers is the
//! square of the median of magnitudes, so that these are the soft masks of `librosa.decompose.hpss` with its defaults
//! (kernel of 31, power 2, margin 1). The spectrum of a component is the spectrum times its mask.
//!
//! A block consists of consecutive windows, with [`MARGIN`] more on either side of the wanted ones, or fewer where the
//! recording ends: there the block is reflected. Non-finite input: a median treats a broken window as an outlier, so that
//! its neighbours are unaffected; its own masks and energies are not finite.
//!
//! On a GPU ([`gpu`]) the medians stay in its memory, and three sums per window are read back.

mod cpu;
pub mod gpu;
mod trial;

use crate::kernels::Kernel;
use crate::kernels::median;
use crate::kernels::stft::Spectra;
use cpu::check;
pub use cpu::{Medians, energies, energies_with, masks};
pub use trial::exact;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "hpss",
    title: "Harmonic and percussive energies",
    shaders: &["hpss.wgsl"],
    tolerance_db: -100.0,
    // Same as `median`, plus reading spectra and medians.
    bytes_per_sample: 56.0,
    trial: trial::trial,
};

/// Windows that are needed before and after the wanted ones.
pub const MARGIN: usize = median::REACH;

/// The power of a window and of its components: sums over its bins, on the scale of the input powers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// The sum of `P`.
    pub total: f32,
    /// The sum of `M_h^2 P`: the power of the harmonic component.
    pub harmonic: f32,
    /// The sum of `M_p^2 P`: the power of the percussive component. Where both components have a share, their powers sum
    /// to less than the total; their spectra sum to the spectrum.
    pub percussive: f32,
}

/// The share of each component in every bin, from 0 to 1; both sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Masks {
    /// `M_h`.
    pub harmonic: Spectra<f32>,
    /// `M_p`.
    pub percussive: Spectra<f32>,
}
