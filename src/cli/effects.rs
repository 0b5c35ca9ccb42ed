//! `undertone effects`: lists the effects, finds them by words, and documents one.

use super::Outcome;
use super::arguments::Effects;
use super::output::Output;
use crate::app::api::EffectView;
use crate::app::{effect_views, found_effects};
use crate::effects::{Parameter, ParameterKind, Unit, When, known};
use crate::error::Result;

/// The width of text in columns.
const WIDTH: usize = 100;

pub fn run(words: &Effects, output: &Output) -> Result<Outcome> {
    let mut effects = words.search.as_ref().map_or_else(effect_views, |words| found_effects(&words.join(" ")));
    if let Some(name) = &words.name {
        let name = known(name)?.name;
        effects.retain(|effect| effect.name == name);
    }
    if output.is_json() {
        output.json(&serde_json::json!({ "effects": effects }))?;
    } else if words.name.is_some() {
        effects.iter().for_each(|effect| document(effect, output));
    } else {
        effects.iter().for_each(|effect| output.line(&format!("{:<16} {}", effect.name, effect.summary)));
        output.note(if effects.is_empty() {
            "No effect matches. `undertone effects` lists all."
        } else {
            "`undertone effects NAME` documents one; `--search WORDS` finds one."
        });
    }
    Ok(Outcome::Done)
}

fn document(effect: &EffectView, output: &Output) {
    output.line(&format!("{} - {}", effect.name, effect.title));
    output.line("");
    output.line(effect.summary);
    output.line("");
    effect.documentation.lines().for_each(|line| wrapped(line, "", output));
    output.line("");
    output.line("Parameters:");
    for parameter in effect.parameters {
        output.line(&format!("  {}", parameter.name));
        wrapped(&format!("{}{}", parameter.help, used(parameter.used_when)), "      ", output);
        for line in values(parameter) {
            wrapped(&line, "      ", output);
        }
    }
}

/// Prints a text in lines of at most [`WIDTH`] columns, each after the indent.
fn wrapped(text: &str, indent: &str, output: &Output) {
    let mut line = String::from(indent);
    for word in text.split(' ') {
        if line.len() > indent.len() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            output.line(&line);
            line = String::from(indent);
        }
        if line.len() > indent.len() {
            line.push(' ');
        }
        line.push_str(word);
    }
    output.line(&line);
}

/// Returns the values of other parameters for which a parameter has an effect, or an empty string if it always does.
fn used(used_with: &[When]) -> String {
    let all: Vec<String> = used_with.iter().map(When::written).collect();
    if all.is_empty() { String::new() } else { format!(" Used with {}.", all.join(" or ")) }
}

/// Returns the allowed values and the default, which comes first because lists can be long.
fn values(parameter: &Parameter) -> Vec<String> {
    let number = |unit: Unit, default: Option<f64>, initial: f64, allowed: String| {
        let rest = parameter.rest.filter(|rest| rest.value == initial);
        let written = rest.map_or_else(|| unit.written(initial), |rest| rest.word.to_lowercase());
        let default =
            if default.is_some() { format!("Default: {written}") } else { format!("Required, such as {written}") };
        vec![default, format!("Values: {allowed}")]
    };
    match parameter.kind {
        ParameterKind::Number { unit, default, initial, .. }
        | ParameterKind::NumberOrNote { unit, default, initial, .. } => {
            number(unit, default, initial, parameter.allowed())
        }
        ParameterKind::Choice { options, default } => {
            vec![format!("Default: {default}"), format!("Values: {}", options.join(", "))]
        }
        ParameterKind::File { .. } => vec!["Values: a file name in quotes".to_owned()],
    }
}
