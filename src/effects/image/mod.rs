//! Levels of channels against each other, and over time.

use super::EffectSpec;

/// The family's effects, in the order in which they are listed.
pub(super) static ALL: &[&EffectSpec] = &[];
