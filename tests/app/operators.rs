//! Generates `chain::operators` in Rust from the registry of effects: constructors, parameter methods, documentation.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use undertone::effects::{self, EffectSpec, Parameter, ParameterKind, Scale, Unit};

const HEAD: &str = "\
//! The constructors and parameter methods of all effects. Generated from the registry of effects by `npm run bindings`.

use super::ChainBuilder;
use super::macros::{constructors, parameters};
use crate::Value;
";

pub fn source() -> String {
    let mut text = format!("{HEAD}\nconstructors! {{\n");
    let constructors: Vec<String> = effects::all().iter().map(|spec| constructor(spec)).collect();
    text.push_str(&constructors.join("\n"));
    text.push_str(
        "}\n\n// `where` is a Rust keyword, and `ChainBuilder::mix` is the wet/dry mix of a node.\nparameters! {\n",
    );
    let names: BTreeSet<&str> =
        effects::all().iter().flat_map(|spec| spec.parameters).map(|parameter| parameter.name).collect();
    let mut methods: Vec<(String, &str)> = names.into_iter().map(|name| (method(name), name)).collect();
    methods.sort();
    for (method, name) in methods {
        let _ = writeln!(text, "    {method} {name:?}");
    }
    text.push_str("}\n");
    text
}

fn method(name: &str) -> String {
    match name {
        "where" => "where_".to_owned(),
        "mix" => "effect_mix".to_owned(),
        _ => name.to_owned(),
    }
}

fn constructor(spec: &EffectSpec) -> String {
    let mut text = format!("    /// {}. {}\n    ///\n", spec.title, spec.summary);
    for parameter in spec.parameters {
        let _ = writeln!(text, "    /// - `{}` ({}): {}", parameter.name, values(parameter), parameter.help);
    }
    let required = spec.parameters.iter().filter(|parameter| parameter.default_value().is_none());
    let arguments: Vec<String> =
        required.map(|parameter| format!("{}: {}", parameter.name, rust_type(parameter))).collect();
    let _ = writeln!(text, "    {}({});", spec.name, arguments.join(", "));
    text
}

fn values(parameter: &Parameter) -> String {
    let unit = |unit| match unit {
        Unit::None => "a number",
        Unit::Hz => "Hz",
        Unit::Db => "dB",
        Unit::Seconds => "s",
        Unit::Percent => "0..1",
        Unit::Kbps => "kbit/s",
    };
    match parameter.kind {
        ParameterKind::Number { unit: of, .. } => unit(of).to_owned(),
        ParameterKind::NumberOrNote { unit: of, .. } => format!("{} or a note", unit(of)),
        ParameterKind::Choice { options, .. } => format!("one of `{}`", options.join("`, `")),
        ParameterKind::File { .. } => "a file".to_owned(),
    }
}

fn rust_type(parameter: &Parameter) -> &'static str {
    match parameter.kind {
        ParameterKind::Number { scale: Scale::Integer, .. } => "u32",
        ParameterKind::Number { .. } => "f64",
        _ => "impl Into<Value>",
    }
}
