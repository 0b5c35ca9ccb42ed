//! Where a chain looks its effects up.

use crate::effects::EffectSpec;

/// Finds an effect by its name in the notation: [`crate::effects::find`] or the caller's own lookup.
pub type Catalogue = fn(&str) -> Option<&'static EffectSpec>;
