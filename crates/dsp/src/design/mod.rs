//! Filter design in f64, from a specification to poles, zeros and second-order sections, or to FIR taps. Also the tools
//! of spectral analysis: windows, frequency scales and banks.
//!
//! Filters are designed in the plane of the bilinear transform, `S = (z - 1)/(z + 1)`. It maps a frequency `f` to
//! `S = i tan(pi f / rate)` and the unit circle to the imaginary axis. A state-variable section takes its parameters
//! directly from this plane, so a cutoff of 0.5 Hz at 768 kHz keeps full precision. Polynomials in `z` lose that
//! precision, so they are only an output, never an intermediate step.

mod bank;
mod bessel;
mod butterworth;
mod chebyshev1;
mod chebyshev2;
mod cookbook;
mod elliptic;
mod family;
pub mod fir;
mod frequency;
mod jacobi;
mod linkwitz_riley;
mod prototype;
mod response;
mod scale;
mod section;
mod sinc;
mod window;
pub mod window_name;

pub use bank::{Bank, BankRow, Bins, MelNorm, OctaveBins, RowKind};
pub use bessel::bessel;
pub use butterworth::{
    butterworth, butterworth_bandpass, butterworth_bandstop, butterworth_highpass, butterworth_lowpass,
};
pub use chebyshev1::chebyshev1;
pub use chebyshev2::chebyshev2;
pub use cookbook::{
    BandpassPeak, cookbook_allpass, cookbook_bandpass, cookbook_high_shelf, cookbook_highpass, cookbook_low_shelf,
    cookbook_lowpass, cookbook_notch, cookbook_peaking,
};
pub use elliptic::elliptic;
pub use family::Family;
pub use frequency::{Band, Warped};
pub use linkwitz_riley::{linkwitz_riley, linkwitz_riley_allpass};
pub use prototype::{MAX_ORDER, Prototype};
pub use response::Response;
pub use scale::FrequencyScale;
pub use section::{Section, Svf};
pub use sinc::{KaiserSinc, ideal_low_pass, normalized};
pub use window::bessel_i0;
pub use window::{Window, coherent_gain, equivalent_noise_bandwidth, kaiser_beta};
pub use window_name::WindowName;
