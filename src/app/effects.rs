//! Effects as a front end lists them.

use super::api::{ControlView, EffectView, ParameterView, UsedWith};
use crate::effects::{self, EffectSpec, Parameter, ParameterKind, Value, When};

/// Returns every effect with its parameters.
pub fn views() -> Vec<EffectView> {
    effects::all().iter().map(|spec| view(spec)).collect()
}

/// Returns one effect with its parameters.
pub fn view(spec: &EffectSpec) -> EffectView {
    EffectView {
        name: spec.name.to_owned(),
        title: spec.title.to_owned(),
        purpose: spec.purpose,
        summary: spec.summary.to_owned(),
        documentation: format!(
            "{}\n\nExample: `{}`\n\nSource: {}",
            spec.documentation.trim(),
            spec.example,
            spec.source
        ),
        parameters: spec.parameters.iter().map(parameter).collect(),
        search: spec.search.to_owned(),
    }
}

fn parameter(parameter: &Parameter) -> ParameterView {
    let initial = parameter.initial_value();
    let control = match parameter.kind {
        ParameterKind::Number { unit, min, max, initial, scale, .. } => {
            ControlView::Number { unit, min, max, initial, scale }
        }
        ParameterKind::NumberOrNote { unit, min, max, initial, scale, .. } => {
            ControlView::NumberOrNote { unit, min, max, initial, scale }
        }
        ParameterKind::Choice { options, default } => ControlView::Choice {
            options: options.iter().map(|&option| option.to_owned()).collect(),
            initial: match initial {
                Some(Value::Text(word)) => word,
                _ => default.to_owned(),
            },
        },
        ParameterKind::File { .. } => ControlView::File,
    };
    ParameterView {
        name: parameter.name.to_owned(),
        title: parameter.title.to_owned(),
        help: parameter.help.to_owned(),
        control,
        used_with: parameter.used_when.iter().map(used_with).collect(),
    }
}

fn used_with(when: &When) -> UsedWith {
    UsedWith { choice: when.choice.to_owned(), words: when.words.iter().map(|&word| word.to_owned()).collect() }
}
