//! Filter design in f64: from a specification to poles, zeros and second-order sections.
//!
//! Everything is designed in the plane of the bilinear transform, `S = (z - 1)/(z + 1)`, where a frequency `f` stands at
//! `S = i tan(pi f / rate)` and the unit circle is the imaginary axis. A state-variable section takes its parameters
//! from there directly, so that a cutoff of half a hertz at 768 kHz keeps all its digits; polynomials in `z`, which lose
//! them, are only given out.

mod butterworth;
mod cookbook;
mod frequency;
mod response;
mod section;

pub use butterworth::{
    MAX_ORDER, butterworth_bandpass, butterworth_bandstop, butterworth_highpass, butterworth_lowpass,
};
pub use cookbook::{
    BandpassPeak, cookbook_allpass, cookbook_bandpass, cookbook_high_shelf, cookbook_highpass, cookbook_low_shelf,
    cookbook_lowpass, cookbook_notch, cookbook_peaking,
};
pub use frequency::{Band, Warped};
pub use response::Response;
pub use section::{Section, Svf};
