//! FIR filters and convolution with recorded rooms.
//!
//! [`filter`] designs taps or reads them from a file ([`tap_file`]); [`convolve`] reads an impulse response
//! ([`impulse`]). Both run as [`running::Running`] over `kernels::signal::fir`. Recently designed or read taps are cached
//! (`recent_cache`), because every change of a parameter builds a new stage.

mod convolve;
mod design;
mod filter;
mod impulse;
mod running;
mod tap_file;

use super::EffectSpec;

/// The effects of the family, in listing order.
pub(super) static ALL: &[&EffectSpec] = &[&filter::SPEC, &convolve::SPEC];
