//! Harmonics, word length, rate and silence.
//!
//! `saturate` runs its curve at a multiple of the rate ([`oversample`]); its floor is the filters' products, some 700
//! a frame and channel, in f64 vectors, beside the curve. `bit_crush` costs a few operations a sample, `resample` what
//! [`crate::measure::resample`] does, `trim_silence` a copy.

mod bit_crush;
mod curve;
mod oversample;
mod resample;
mod saturate;
mod trim_silence;

use super::EffectSpec;

/// The family's effects, in the order in which they are listed.
pub(super) static ALL: &[&EffectSpec] = &[&saturate::SPEC, &bit_crush::SPEC, &resample::SPEC, &trim_silence::SPEC];
