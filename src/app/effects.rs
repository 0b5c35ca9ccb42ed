//! Effects as a front end lists them.

use super::api::EffectView;
use crate::effects::{self, EffectSpec};

/// Returns every effect with its parameters.
pub fn views() -> Vec<EffectView> {
    effects::all().iter().map(|spec| view(spec)).collect()
}

/// Returns the effects that match the words, best first.
pub fn found(words: &str) -> Vec<EffectView> {
    effects::search(words).into_iter().map(view).collect()
}

/// Returns one effect with its parameters.
pub fn view(spec: &EffectSpec) -> EffectView {
    let EffectSpec { example, source, .. } = spec;
    EffectView {
        name: spec.name,
        title: spec.title,
        purpose: spec.purpose,
        summary: spec.summary,
        documentation: format!("{}\n\nExample: `{example}`\n\nSource: {source}", spec.documentation.trim()),
        parameters: spec.parameters,
        selection: spec.selection,
    }
}
