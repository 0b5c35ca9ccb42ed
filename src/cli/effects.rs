//! `undertone effects`: lists the effects and their parameters.

use super::Outcome;
use super::arguments::Effects;
use super::output::Output;
use crate::app::api::EffectView;
use crate::app::effect_views;
use crate::effects::{ParameterKind, When, known};
use crate::error::Result;

pub fn run(words: &Effects, output: &Output) -> Result<Outcome> {
    let mut effects = effect_views();
    if let Some(name) = &words.name {
        let name = known(name)?.name;
        effects.retain(|effect| effect.name == name);
    }
    if output.is_json() {
        output.json(&serde_json::json!({ "effects": effects }))?;
    } else if words.name.is_some() {
        effects.iter().for_each(|effect| document(effect, output));
    } else {
        effects.iter().for_each(|effect| output.line(&format!("{:<14} {}", effect.name, effect.summary)));
        output.note("`undertone effects NAME` describes one.");
    }
    Ok(Outcome::Done)
}

fn document(effect: &EffectView, output: &Output) {
    output.line(&format!("{} - {}", effect.name, effect.title));
    output.line("");
    effect.documentation.lines().for_each(|line| output.line(line));
    output.line("");
    output.line("Parameters:");
    for parameter in effect.parameters {
        let used = used(parameter.used_when);
        output.line(&format!("  {:<8} {:<44} {}{used}", parameter.name, values(&parameter.kind), parameter.help));
    }
}

/// Returns the choices with which a parameter takes effect, or an empty string if it always does.
fn used(used_with: &[When]) -> String {
    let all: Vec<String> = used_with.iter().map(When::written).collect();
    if all.is_empty() { String::new() } else { format!(" Used with {}.", all.join(" or ")) }
}

fn values(kind: &ParameterKind) -> String {
    match kind {
        ParameterKind::Number { unit, min, max, initial, .. } => {
            format!("{} to {}; default {}", unit.written(*min), unit.written(*max), unit.written(*initial))
        }
        ParameterKind::NumberOrNote { unit, min, max, initial, .. } => {
            let (min, max, initial) = (unit.written(*min), unit.written(*max), unit.written(*initial));
            format!("{min} to {max} or a note (1/8, 1/8d, 1/8t); default {initial}")
        }
        ParameterKind::Choice { options, default } => format!("{}; default {default}", options.join(" | ")),
        ParameterKind::File { .. } => "a file in quotes".into(),
    }
}
