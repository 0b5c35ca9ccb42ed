//! Normalises values that change between runs or machines.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::session::Outcome;

/// Replaces the scene's folder.
const HOME: &str = "/home/ada";
/// 20 November 2026, 18:30, in milliseconds.
const MOMENT: u64 = 1_795_199_400_000;
/// The number of significant digits that are kept.
const DIGITS: i32 = 7;
const MOMENTS: [&str; 7] =
    ["added_at", "analysed_at", "scanned_at", "vanished_at", "binned_at", "laid_out_at", "begun_at"];
/// Documentation that the interface's tests do not read is cut to this many characters.
const DOCUMENTATION: usize = 120;

/// The number of values that are kept of a picture over time: whole rows of tempi and of notes.
const SERIES_VALUES: usize = 768;
/// The number of 32-bit words at the head of a binary answer.
const HEAD: usize = 4;

/// Maps the folder of a scene to its name in its recording.
pub struct Normal {
    folder: String,
}

impl Normal {
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.display().to_string() }
    }

    /// Returns arguments for the core, with the real folder.
    pub fn given(&self, value: &Value) -> Value {
        replaced(value, HOME, &self.folder)
    }

    /// Returns an answer in its recorded form.
    pub fn shown(&self, value: &Value) -> Value {
        steady(&replaced(value, &self.folder, HOME))
    }

    /// Returns events without intermediate ones whose number differs between runs.
    pub fn events(&self, events: Vec<Value>) -> Vec<Value> {
        let mut shown: Vec<Value> = Vec::new();
        for event in events {
            let event = self.shown(&event);
            let kind = event["kind"].as_str().unwrap_or_default().to_owned();
            let same = |other: &Value| {
                let one = |name: &str| other[name] == event[name];
                other["kind"] == event["kind"] && one("document") && one("side")
            };
            match kind.as_str() {
                "devices" | "spectrogram_device" | "peaks" => {}
                "job" => {
                    let mut event = event;
                    // The progress of a job when it is first reported depends on timing.
                    if event["job"]["state"] == "running" {
                        event["job"]["done"] = json!(0);
                    }
                    let state = |event: &Value| (event["job"]["id"].clone(), event["job"]["state"].clone());
                    if !shown.iter().any(|other| other["kind"] == "job" && state(other) == state(&event)) {
                        shown.push(event);
                    }
                }
                "scan" => {
                    let phase = |event: &Value| event["scan"]["phase"].clone();
                    let last = shown.iter().rposition(|other| other["kind"] == "scan");
                    match last {
                        Some(at) if phase(&shown[at]) == phase(&event) => shown[at] = event,
                        _ => shown.push(event),
                    }
                }
                "loudness" | "library_changed" | "batch" => {
                    shown.retain(|other| !same(other));
                    shown.push(event);
                }
                _ => {
                    if shown.last() != Some(&event) {
                        shown.push(event);
                    }
                }
            }
        }
        together(&mut shown);
        shown
    }
}

/// Merges the updates of a batch's items into the last one, because their grouping depends on timing.
fn together(events: &mut Vec<Value>) {
    let mut items: Vec<Value> = Vec::new();
    for event in events.iter_mut().filter(|event| event["kind"] == "batch_items") {
        for item in event["items"].as_array_mut().map(std::mem::take).unwrap_or_default() {
            items.retain(|other| other["id"] != item["id"]);
            items.push(item);
        }
    }
    items.sort_by_key(|item| item["id"].as_u64());
    // Whether a batch is reported while it runs also depends on timing. It is always recorded once.
    if let Some(mut last) = events.iter().rfind(|event| event["kind"] == "batch_items").cloned() {
        let mut begun = last.clone();
        begun["items"] = json!([]);
        begun["status"]["phase"] = json!("running");
        last["items"] = Value::Array(items);
        events.retain(|event| event["kind"] != "batch_items");
        if last["status"]["phase"] == "finished" {
            events.push(begun);
        }
        events.push(last);
    }
    events.dedup();
    // The updates of a job and of its work come from two threads.
    events.sort_by_key(|event| match (event["kind"].as_str(), event["job"]["state"].as_str()) {
        (Some("job"), Some("running")) => 0,
        (Some("job"), _) => 2,
        _ => 1,
    });
}

/// Normalises the updates of a scan: which phases are reported, and the progress in each, depends on timing. The counts
/// of the library are those at the end of the scan.
pub fn scan(outcome: &mut Outcome, library: &Value) {
    let begun = |scan: &Value, phase: &str| {
        let mut scan = scan.clone();
        for name in ["tracks_done", "bytes_done", "analysed", "recognised", "failed", "vanished"] {
            scan[name] = json!(0);
        }
        scan["phase"] = json!(phase);
        scan["remaining_s"] = Value::Null;
        scan["device"] = Value::Null;
        scan
    };
    let Some(last) = outcome.events.iter().rfind(|event| event["kind"] == "scan").cloned() else { return };
    if let Some(answer) = outcome.answer.as_mut().filter(|answer| answer["counts"].is_object()) {
        *answer = library.clone();
        answer["scan"] = begun(&last["scan"], "walking");
    }
    let told = |scan: Value| json!({ "kind": "scan", "counts": library["counts"], "scan": scan });
    outcome.events = vec![
        told(begun(&last["scan"], "walking")),
        told(begun(&last["scan"], "analysing")),
        told(last["scan"].clone()),
        json!({ "kind": "library_changed", "library": library }),
    ];
    if last["scan"]["phase"] != "done" {
        outcome.events.drain(..2);
    }
}

/// Returns the difference between two objects as a JSON merge patch; `None` if they are equal.
pub fn change(before: &Value, after: &Value) -> Option<Value> {
    let (Value::Object(one), Value::Object(other)) = (before, after) else {
        return (before != after).then(|| after.clone());
    };
    let mut patch = Map::new();
    for (name, value) in other {
        if let Some(value) = one.get(name).map_or_else(|| Some(value.clone()), |before| change(before, value)) {
            patch.insert(name.clone(), value);
        }
    }
    (!patch.is_empty()).then_some(Value::Object(patch))
}

/// Converts a binary answer: its 32-bit words, then the remaining bytes as readable numbers.
pub fn words(name: &str, bytes: &[u8]) -> Value {
    let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    if name == "library_map" {
        return json!({ "hex": bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() });
    }
    let words: Vec<u32> = (0..HEAD).map(|index| word(index * 4)).collect();
    let float = |at: usize| match f32::from_bits(word(at)) {
        number if number.is_nan() => Value::Null,
        number if number == f32::NEG_INFINITY => json!("-Infinity"),
        number => rounded(f64::from(number), 4),
    };
    let floats: Vec<Value> = (HEAD * 4..bytes.len()).step_by(4).map(float).collect();
    json!({ "words": words, "floats": floats })
}

fn replaced(value: &Value, old: &str, new: &str) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace(old, new)),
        Value::Array(values) => values.iter().map(|value| replaced(value, old, new)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.replace(old, new), replaced(value, old, new))).collect()
        }
        other => other.clone(),
    }
}

fn rounded(number: f64, digits: i32) -> Value {
    if number == 0.0 || !number.is_finite() {
        return json!(0);
    }
    let places = digits - 1 - number.abs().log10().floor() as i32;
    let text = format!("{number:.*}", places.clamp(0, 15) as usize);
    let number: f64 = text.parse().expect("a number");
    if number.fract() == 0.0 && number.abs() < 1e15 { json!(number as i64) } else { json!(number) }
}

fn steady(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => rounded(number.as_f64().expect("a number"), DIGITS),
        Value::Array(values) => values.iter().map(steady).collect(),
        Value::Object(fields) => {
            let mut fields: Map<String, Value> =
                fields.iter().map(|(name, value)| (name.clone(), field(name, value))).collect();
            one_machine(&mut fields);
            Value::Object(fields)
        }
        other => other.clone(),
    }
}

fn field(name: &str, value: &Value) -> Value {
    match name {
        name if MOMENTS.contains(&name) && !value.is_null() => json!(MOMENT),
        "moment" => json!(0),
        "version" => json!("1.0.0"),
        "documentation" => json!(value.as_str().unwrap_or_default().chars().take(DOCUMENTATION).collect::<String>()),
        "elapsed_s" | "tracks_per_s" | "realtime_factor" | "memory_bytes" | "times_real_time" | "pool_hits"
        | "pool_misses" => {
            if value.is_null() {
                Value::Null
            } else {
                json!(1)
            }
        }
        "remaining_s" => Value::Null,
        "in_hand" => json!([]),
        // Pictures over time are recorded only up to a limit.
        "values" if value.as_array().is_some_and(|values| values.len() > SERIES_VALUES) => {
            let values = value.as_array().into_iter().flatten().take(SERIES_VALUES);
            values.map(|value| value.as_f64().map_or(Value::Null, |value| rounded(value, 3))).collect()
        }
        "seconds" | "time" if value.is_object() => {
            value.as_object().expect("an object").keys().map(|stage| (stage.clone(), json!(0.1))).collect()
        }
        _ => steady(value),
    }
}

fn has(fields: &Map<String, Value>, names: &[&str]) -> bool {
    names.iter().all(|name| fields.contains_key(*name))
}

/// Normalises fields that describe the machine.
fn one_machine(fields: &mut Map<String, Value>) {
    if has(fields, &["requested", "used", "reason", "fallback"]) {
        fields.insert("name".into(), json!("CPU"));
        if fields["fallback"] == false {
            fields.insert("reason".into(), json!("as asked"));
        } else if let Some((missing, _)) = fields["reason"].as_str().and_then(|reason| reason.split_once(", found: ")) {
            fields.insert("reason".into(), json!(format!("{missing}, found: gpu:0 Software GPU")));
        }
    }
    if has(fields, &["request", "devices", "preview"]) {
        let cpu = fields["devices"].as_array().and_then(|all| all.iter().find(|one| one["id"] == "cpu").cloned());
        let mut cpu = cpu.unwrap_or_default();
        for (name, value) in cpu.as_object_mut().into_iter().flatten() {
            match name.as_str() {
                "name" => *value = json!("CPU"),
                "driver" => *value = json!("vectors"),
                name if name.ends_with("_s") && !value.is_null() => *value = json!(1e9),
                _ => {}
            }
        }
        fields.insert("devices".into(), json!([cpu]));
    }
    if has(fields, &["exact_share", "damage"]) {
        fields.insert("exact_share".into(), json!(1));
    }
    if has(fields, &["underruns", "matched_gain_db", "problem"]) {
        fields.insert("matched_gain_db".into(), Value::Null);
        for name in ["playing", "stale", "matched"] {
            fields.insert(name.into(), json!(false));
        }
        fields.insert("frame".into(), json!(0));
        fields.insert("problem".into(), Value::Null);
        // How far it was played depends on whether there is a sound output.
        if let Some(audition) = fields["audition"].as_object_mut() {
            audition.insert("at_s".into(), json!(0));
        }
    }
    if has(fields, &["purpose", "done", "total", "rate"]) {
        fields.insert("rate".into(), json!(1));
        if fields["state"] != "done" {
            fields.insert("done".into(), json!(0));
        }
    }
    if has(fields, &["share", "target", "exists", "state"]) && fields["state"] == "running" {
        fields.insert("share".into(), json!(0.5));
    }
}
