//! Harmonics, word length, pitch, tempo and rate.

use super::EffectSpec;

/// The family's effects, in the order in which they are listed.
pub(super) static ALL: &[&EffectSpec] = &[];
