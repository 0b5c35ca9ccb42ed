//! Filters given by their taps, and convolution with recorded rooms.
//!
//! [`filter`] designs taps or reads them from a file ([`tap_file`]); [`convolve`] reads an impulse response
//! ([`impulse`]). Both run as [`running::Running`] over `kernels::fir`. What is designed or read is kept ([`kept`]) for as
//! long as it is asked for again, as stages are made at every touch of a parameter.

mod convolve;
mod design;
mod filter;
mod impulse;
mod kept;
mod running;
mod tap_file;

pub(super) use self::filter::CONDITIONS;
use super::EffectSpec;

/// The family's effects, in the order in which they are listed.
pub(super) static ALL: &[&EffectSpec] = &[&filter::SPEC, &convolve::SPEC];
