//! Harmonics, word length, codecs, sample rate and silence.
//!
//! `saturate` runs its curve at a multiple of the rate ([`oversample`]). Beside the curve, its cost is dominated by the
//! products of the filters, about 700 per frame and channel, in f64 vectors. `bit_crush` costs a few operations per
//! sample, `resample` as much as [`dsp::measure::resample`], and `trim_silence` a copy.

mod bit_crush;
mod codec;
mod curve;
mod oversample;
mod resample;
mod saturate;
mod trim_silence;

use super::EffectSpec;

/// The effects of the family, in listing order.
pub(super) static ALL: &[&EffectSpec] =
    &[&saturate::SPEC, &bit_crush::SPEC, &codec::SPEC, &resample::SPEC, &trim_silence::SPEC];
