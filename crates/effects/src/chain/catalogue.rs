//! Where a chain looks its effects up.

use crate::EffectSpec;

/// Finds an effect by its name in the notation: [`crate::find`] or the caller's lookup.
pub type Catalogue = fn(&str) -> Option<&'static EffectSpec>;
