//! Effects as a front end lists them.

use super::api::{EffectView, ParameterView};
use crate::effects::{self, EffectSpec};

/// Returns every effect with its parameters.
pub fn views() -> Vec<EffectView> {
    effects::all().iter().map(|spec| view(spec)).collect()
}

/// Returns one effect with its parameters.
pub fn view(spec: &EffectSpec) -> EffectView {
    let parameters = spec.parameters.iter().map(|&parameter| ParameterView {
        parameter,
        used_with: spec.condition(parameter.name).map_or(&[], |condition| condition.any_of),
    });
    EffectView {
        name: spec.name,
        title: spec.title,
        purpose: spec.purpose,
        summary: spec.summary,
        documentation: format!("{}\n\nSource: {}", spec.documentation.trim(), spec.source),
        parameters: parameters.collect(),
    }
}
