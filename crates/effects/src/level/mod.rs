//! Effects that change the level.

mod gain;
mod normalize;

use super::EffectSpec;

/// The effects of the family, in listing order.
pub(super) static ALL: &[&EffectSpec] = &[&gain::SPEC, &normalize::SPEC];
