//! The plain values of a pickle as JSON.

use serde_json::{Map, Number, Value};

use super::object::{Object, ObjectId, Pickle};

/// The deepest nesting of values.
const MAX_DEPTH: usize = 32;

/// The numbers of values and of bytes of text that a conversion may still use. An object that is referred to in many
/// places is written out in each, so that a small pickle can describe a large value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    values: usize,
    text_bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { values: 200_000, text_bytes: 4 << 20 }
    }
}

impl Budget {
    /// Takes a value with its text.
    pub fn take(&mut self, text_bytes: usize) -> Result<(), String> {
        let left = (self.values.checked_sub(1), self.text_bytes.checked_sub(text_bytes));
        let (Some(values), Some(text_bytes)) = left else {
            return Err("The pickle describes more values than a model's settings can have".into());
        };
        (self.values, self.text_bytes) = (values, text_bytes);
        Ok(())
    }
}

/// Returns a value as JSON. `special` may return the value of an object that JSON does not have, or leave it out
/// (`Value::Null`); it is called first.
pub(crate) fn json(
    pickle: &Pickle,
    id: ObjectId,
    budget: &mut Budget,
    special: &mut dyn FnMut(ObjectId) -> Result<Option<Value>, String>,
) -> Result<Value, String> {
    at_depth(pickle, id, budget, special, 0)
}

fn at_depth(
    pickle: &Pickle,
    id: ObjectId,
    budget: &mut Budget,
    special: &mut dyn FnMut(ObjectId) -> Result<Option<Value>, String>,
    depth: usize,
) -> Result<Value, String> {
    if depth > MAX_DEPTH {
        return Err(format!("The pickle's values are nested deeper than {MAX_DEPTH}, or contain themselves"));
    }
    let text = pickle.text(id);
    budget.take(text.map_or(0, str::len))?;
    if let Some(value) = special(id)? {
        return Ok(value);
    }
    if let Some(items) = pickle.items(id) {
        let mut map = Map::new();
        for (key, value) in items {
            let key = key_text(pickle, *key)?;
            budget.take(key.len())?;
            map.insert(key, at_depth(pickle, *value, budget, special, depth + 1)?);
        }
        return Ok(Value::Object(map));
    }
    Ok(match pickle.object(id) {
        Object::Nothing => Value::Null,
        Object::Bool(is_true) => Value::Bool(*is_true),
        Object::Int(number) => Value::from(*number),
        // JSON has neither infinities nor `NaN`.
        Object::Float(number) => Number::from_f64(*number).map_or_else(|| number.to_string().into(), Value::Number),
        Object::Text(_) => text.unwrap_or_default().into(),
        Object::Bytes(range) => format!("{} bytes", range.len()).into(),
        Object::Tuple(members) | Object::List(members) => members
            .iter()
            .map(|member| at_depth(pickle, *member, budget, special, depth + 1))
            .collect::<Result<_, _>>()?,
        Object::Global(name) => name.as_str().into(),
        Object::Dict(_) | Object::Stored(_) | Object::Call { .. } => {
            let what = pickle.call(id).map_or("data stored elsewhere", |(name, _)| name);
            return Err(format!("The pickle has `{what}` where a plain value is expected"));
        }
    })
}

fn key_text(pickle: &Pickle, id: ObjectId) -> Result<String, String> {
    match pickle.object(id) {
        Object::Text(_) => Ok(pickle.text(id).unwrap_or_default().to_owned()),
        Object::Int(number) => Ok(number.to_string()),
        Object::Bool(is_true) => Ok(is_true.to_string()),
        Object::Nothing => Ok("None".into()),
        _ => Err("The pickle has a dictionary with keys that are neither text nor integers".into()),
    }
}
