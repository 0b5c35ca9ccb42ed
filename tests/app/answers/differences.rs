//! The differences between a stored recording and the core's current answers. Numbers may differ as they do between
//! processors.

use serde_json::{Value, json};

use super::recording::Recording;
use super::session::{INTERRUPTS, Outcome, Request};

/// The maximum difference of two numbers, relative to the larger of them and 1.
const TOLERANCE: f64 = 2e-4;

/// Describes the first difference of each answer, and returns the recording with the current answers where they differ.
pub fn between(stored: &Recording, answered: &Recording) -> (Vec<String>, Recording) {
    let value = |outcome: &Outcome| serde_json::to_value(outcome).expect("a value");
    let mut found = Vec::new();
    let mut compare = |what: String, current: &mut Outcome, answered: &Outcome| {
        if let Some(difference) = difference("", &value(current), &value(answered)) {
            found.push(format!("{what}: {difference}"));
            current.clone_from(answered);
        }
    };
    let mut current = stored.clone();
    for (index, (state, answered)) in current.states.iter_mut().zip(&answered.states).enumerate() {
        let step = state.step.as_ref().map_or_else(|| "start".to_owned(), ToString::to_string);
        let interrupted = |request: &Request| INTERRUPTS.contains(&request.call.as_str());
        if !stored.path(index).iter().any(interrupted) {
            compare(format!("state {index}, {step}"), &mut state.outcome, &answered.outcome);
        } else if !has_same_fields(&value(&state.outcome), &value(&answered.outcome)) {
            // The progress of interrupted work differs between runs, so that only its form counts.
            state.outcome.clone_from(&answered.outcome);
        }
        for (query, answered) in state.queries.iter_mut().zip(&answered.queries) {
            compare(format!("state {index}, {}", query.request), &mut query.outcome, &answered.outcome);
        }
    }
    (found, current)
}

/// Whether two values have the same fields, whatever their values are. `null` stands for any value.
fn has_same_fields(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.iter().zip(other).all(|(one, other)| has_same_fields(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.keys().eq(other.keys()) && one.iter().all(|(name, value)| has_same_fields(value, &other[name]))
        }
        (Value::Null, _) | (_, Value::Null) => true,
        (one, other) => one.is_object() == other.is_object() && one.is_array() == other.is_array(),
    }
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

#[test]
fn values_of_interrupted_work_may_differ_and_its_fields_may_not() {
    let item = |state: &str, result: Value| json!({ "items": [{ "state": state, "result": result }] });
    let stored = item("waiting", Value::Null);
    assert!(has_same_fields(&stored, &item("done", json!({ "bytes": 5 }))));
    assert!(has_same_fields(&stored, &json!({ "items": [] })));
    assert!(!has_same_fields(&stored, &json!({ "items": [{ "state": "waiting" }] })));
    assert!(!has_same_fields(&item("done", json!(5)), &item("done", json!([5]))));
}
