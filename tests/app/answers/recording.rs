//! The file format of recordings: states, the steps between them, and the answers within each. The list of effects, with
//! which every scene starts, is in a file of its own, `shared/effects.json`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::session::{Outcome, Request, Session};

/// Repeated values of at least this many bytes are written once.
const SHARED_BYTES: usize = 160;
const REFERENCE: &str = "$";
/// Refers to the list of effects, in place of the index of a shared value.
const EFFECTS: &str = "effects";

/// A recording with all references resolved.
#[derive(Clone, Default)]
pub struct Recording {
    pub states: Vec<State>,
}

/// A state, and the step that leads to it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// The index of the previous state; `None` for the first.
    pub from: Option<usize>,
    /// The command that leads here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<Request>,
    #[serde(default, skip_serializing_if = "Outcome::is_empty")]
    pub outcome: Outcome,
    #[serde(default)]
    pub queries: Vec<Query>,
}

/// A query within a state, and its answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Query {
    #[serde(flatten)]
    pub request: Request,
    #[serde(default, skip_serializing_if = "Outcome::is_empty")]
    pub outcome: Outcome,
}

#[derive(Deserialize)]
struct Stored {
    shared: Vec<Value>,
    states: Vec<Value>,
}

impl Recording {
    /// Reads a file. Returns an empty recording if there is none.
    pub fn read(path: &Path) -> Self {
        let Ok(text) = std::fs::read_to_string(path) else { return Self::default() };
        let stored: Stored = serde_json::from_str(&text).expect("a recording");
        let effects = std::fs::read_to_string(effects_of(path)).unwrap_or_else(|_| "[]".into());
        let effects: Value = serde_json::from_str(&effects).expect("the effects");
        let state = |value: &Value| {
            let state = serde_json::from_value(resolved(value, &stored.shared, &effects));
            state.unwrap_or_else(|error| panic!("a state: {error}"))
        };
        Self { states: stored.states.iter().map(state).collect() }
    }

    /// Writes the file: one line per shared value, and per step and query. Writes the effects, one per line.
    pub fn write(&self, path: &Path) {
        let mut states: Vec<Value> =
            self.states.iter().map(|state| serde_json::to_value(state).expect("a value")).collect();
        let mut effects = Value::Null;
        for query in states.iter_mut().filter_map(|state| state["queries"].as_array_mut()).flatten() {
            if let Some(list) = query.pointer_mut("/outcome/answer/effects") {
                effects = std::mem::replace(list, serde_json::json!({ REFERENCE: EFFECTS }));
            }
        }
        if let Value::Array(effects) = effects {
            let mut text = String::from("[\n");
            lines(&mut text, effects.iter().map(Value::to_string));
            text += "]\n";
            written(&effects_of(path), &text);
        }
        let mut shared = Shared::of(&states);
        let states: Vec<Value> = states.into_iter().map(|state| shared.state(state)).collect();
        let mut text = String::from("{\"shared\": [\n");
        lines(&mut text, shared.values.iter().map(Value::to_string));
        text += "],\n\"states\": [\n";
        let each = states.into_iter().map(|mut state| {
            let queries = state.as_object_mut().and_then(|fields| fields.remove("queries")).unwrap_or_default();
            let mut line = state.to_string();
            line.truncate(line.len() - 1);
            line += ",\"queries\":[\n";
            lines(&mut line, queries.as_array().into_iter().flatten().map(Value::to_string));
            line + "]}"
        });
        lines(&mut text, each);
        text += "]}\n";
        written(path, &text);
    }

    /// Returns the same requests with the core's current answers.
    pub fn answered_by(&self, session: &mut Session) -> Self {
        let mut states = self.states.clone();
        // A branch is walked to its end before the next begins, so that few branches must be started again.
        for index in self.depth_first() {
            let path = self.path(index);
            let outcome = session.walk(&path);
            let state = &mut states[index];
            if state.step.is_some() {
                state.outcome = outcome;
            }
            for query in &mut state.queries {
                query.outcome = session.ask(&query.request);
            }
        }
        Self { states }
    }

    /// Returns the steps from the first state to the state `index`.
    pub fn path(&self, index: usize) -> Vec<Request> {
        let mut path = Vec::new();
        let mut at = Some(index);
        while let Some(state) = at.map(|index| &self.states[index]) {
            path.extend(state.step.clone());
            at = state.from;
        }
        path.reverse();
        path
    }

    fn depth_first(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut ahead = vec![0];
        while let Some(index) = ahead.pop() {
            order.push(index);
            let next = (0..self.states.len()).filter(|&next| self.states[next].from == Some(index));
            ahead.extend(next.collect::<Vec<_>>().into_iter().rev());
        }
        order
    }
}

fn effects_of(path: &Path) -> PathBuf {
    path.with_file_name("shared").join("effects.json")
}

fn written(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, text).expect("written");
}

fn lines(text: &mut String, lines: impl Iterator<Item = String>) {
    for (index, line) in lines.enumerate() {
        let comma = if index > 0 { ",\n" } else { "" };
        let _ = write!(text, "{comma}{line}");
    }
    text.push('\n');
}

fn resolved(value: &Value, shared: &[Value], effects: &Value) -> Value {
    let inside = |value: &Value| resolved(value, shared, effects);
    match value {
        Value::Object(fields) => match fields.get(REFERENCE) {
            Some(Value::Number(index)) => inside(&shared[index.as_u64().expect("an index") as usize]),
            Some(name) if name == EFFECTS => effects.clone(),
            _ => fields.iter().map(|(name, value)| (name.clone(), inside(value))).collect(),
        },
        Value::Array(values) => values.iter().map(inside).collect(),
        other => other.clone(),
    }
}

/// Values that occur more than once.
struct Shared {
    counts: BTreeMap<String, usize>,
    indices: BTreeMap<String, usize>,
    values: Vec<Value>,
}

impl Shared {
    fn of(states: &[Value]) -> Self {
        let mut counts = BTreeMap::new();
        for state in states {
            let queries = state["queries"].as_array().into_iter().flatten();
            for outcome in queries.map(|query| &query["outcome"]).chain([&state["outcome"]]) {
                count(outcome, &mut counts);
            }
        }
        Self { counts, indices: BTreeMap::new(), values: Vec::new() }
    }

    /// Returns a state with repeated values in its outcomes replaced by references.
    fn state(&mut self, mut state: Value) -> Value {
        let mut refer = |of: &mut Value| {
            if let Some(outcome) = of.get_mut("outcome") {
                *outcome = self.referring(outcome);
            }
        };
        refer(&mut state);
        state["queries"].as_array_mut().into_iter().flatten().for_each(refer);
        state
    }

    /// Returns a value with repeated values replaced by references.
    fn referring(&mut self, value: &Value) -> Value {
        let inside = |shared: &mut Self| match value {
            Value::Object(fields) => {
                fields.iter().map(|(name, value)| (name.clone(), shared.referring(value))).collect()
            }
            Value::Array(values) => values.iter().map(|value| shared.referring(value)).collect(),
            other => other.clone(),
        };
        let key = match value {
            Value::Object(_) | Value::Array(_) | Value::String(_) => value.to_string(),
            _ => return value.clone(),
        };
        if self.counts.get(&key).copied().unwrap_or(0) < 2 {
            return inside(self);
        }
        let index = if let Some(&index) = self.indices.get(&key) {
            index
        } else {
            let made = inside(self);
            self.values.push(made);
            self.indices.insert(key, self.values.len() - 1);
            self.values.len() - 1
        };
        serde_json::json!({ REFERENCE: index })
    }
}

fn count(value: &Value, counts: &mut BTreeMap<String, usize>) {
    let key = match value {
        Value::Object(_) | Value::Array(_) | Value::String(_) => value.to_string(),
        _ => return,
    };
    if key.len() < SHARED_BYTES {
        return;
    }
    let times = counts.entry(key).or_default();
    *times += 1;
    // The contents of a shared value are counted once.
    if *times > 1 {
        return;
    }
    match value {
        Value::Object(fields) => fields.values().for_each(|value| count(value, counts)),
        Value::Array(values) => values.iter().for_each(|value| count(value, counts)),
        _ => {}
    }
}
