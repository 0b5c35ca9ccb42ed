//! The differences between a stored recording and the core's current answers. Numbers may differ as they do between
//! processors.

use serde_json::Value;

use super::recording::Recording;
use super::session::{INTERRUPTS, Outcome, Request};

/// The maximum difference of two numbers, relative to the larger of them and 1.
const TOLERANCE: f64 = 2e-4;

/// Describes the first difference of each answer.
pub fn between(stored: &Recording, answered: &Recording) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: String, stored: &Outcome, answered: &Outcome| {
        let value = |outcome: &Outcome| serde_json::to_value(outcome).expect("a value");
        if let Some(difference) = difference("", &value(stored), &value(answered)) {
            found.push(format!("{what}: {difference}"));
        }
    };
    let answers = stored;
    for (index, (stored, answered)) in stored.states.iter().zip(&answered.states).enumerate() {
        let step = stored.step.as_ref().map_or_else(|| "start".to_owned(), ToString::to_string);
        // The progress of interrupted work differs between runs.
        let interrupted = |request: &Request| INTERRUPTS.contains(&request.call.as_str());
        if !answers.path(index).iter().any(interrupted) {
            compare(format!("state {index}, {step}"), &stored.outcome, &answered.outcome);
        }
        for (stored, answered) in stored.queries.iter().zip(&answered.queries) {
            compare(format!("state {index}, {}", stored.request), &stored.outcome, &answered.outcome);
        }
    }
    found
}

fn difference(at: &str, stored: &Value, answered: &Value) -> Option<String> {
    match (stored, answered) {
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (one.as_f64()?, other.as_f64()?);
            let far = (one - other).abs() > TOLERANCE * one.abs().max(other.abs()).max(1.0);
            far.then(|| format!("{at} was {one}, is {other}"))
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => one
            .iter()
            .zip(other)
            .enumerate()
            .find_map(|(i, (one, other))| difference(&format!("{at}[{i}]"), one, other)),
        (Value::Object(one), Value::Object(other)) if one.keys().eq(other.keys()) => {
            one.iter().find_map(|(name, value)| difference(&format!("{at}.{name}"), value, &other[name]))
        }
        (one, other) => {
            let shown = |value: &Value| value.to_string().chars().take(160).collect::<String>();
            (one != other).then(|| format!("{at} was {}, is {}", shown(one), shown(other)))
        }
    }
}
