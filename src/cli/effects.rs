//! `undertone effects`: lists the effects, finds them by words, and documents one.

use super::Outcome;
use super::arguments::Effects;
use super::output::Output;
use crate::effects::known;
use crate::error::Result;
use crate::work::effects::{EffectView, found, views};

/// The width of text in columns.
const WIDTH: usize = 100;

pub fn run(words: &Effects, output: &Output) -> Result<Outcome> {
    let mut effects = words.search.as_ref().map_or_else(views, |words| found(&words.join(" ")));
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
        // The default comes first because lists of values can be long.
        let lines = [
            format!("{}{}", parameter.help, parameter.used()),
            parameter.usual(),
            format!("Values: {}", parameter.allowed()),
        ];
        lines.iter().for_each(|line| wrapped(line, "      ", output));
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
