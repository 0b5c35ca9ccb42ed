//! Prints a chain as its canonical text.

use std::fmt::{self, Write};

use crate::chain::graph::{Chain, Node, NodeKind, TimeSpan};
use crate::{Arguments, Parameter, ParameterKind, Unit, Value};

pub(super) fn chain(f: &mut fmt::Formatter<'_>, chain: &Chain) -> fmt::Result {
    // Brackets around a sum beside `|` are redundant but easier to read. A sum alone has none.
    let alone = chain.nodes.len() == 1;
    for (index, node) in chain.nodes.iter().enumerate() {
        if index > 0 {
            f.write_str(" | ")?;
        }
        match &node.kind {
            NodeKind::Parallel { nodes } if alone && nodes.len() > 1 && is_plain(node) => joined(f, nodes, " + ")?,
            _ => item(f, node)?,
        }
    }
    Ok(())
}

/// Returns whether the node has no attributes.
fn is_plain(node: &Node) -> bool {
    !node.bypass && node.mix == 1.0 && node.label.is_none()
}

/// Prints a node within a group: wrapped in `off(mix(40 %, label("x", ...)))` as needed, or in brackets if it is a
/// group without attributes.
fn item(f: &mut fmt::Formatter<'_>, node: &Node) -> fmt::Result {
    let mut open = 0;
    if node.bypass {
        f.write_str("off(")?;
        open += 1;
    }
    if node.mix != 1.0 {
        write!(f, "mix({}, ", Unit::Percent.written(node.mix))?;
        open += 1;
    }
    if let Some(label) = &node.label {
        f.write_str("label(")?;
        quoted(f, label)?;
        f.write_str(", ")?;
        open += 1;
    }
    let (nodes, between) = match &node.kind {
        NodeKind::Effect { effect, arguments } => {
            call(f, effect, arguments)?;
            return close(f, open);
        }
        NodeKind::Series { nodes } => (nodes, " | "),
        NodeKind::Parallel { nodes } => (nodes, " + "),
        NodeKind::During { span, nodes } => {
            let seconds = |seconds| Unit::Seconds.written(seconds);
            write!(f, "during({}, {}, ", seconds(span.from_s), seconds(span.to_s))?;
            if span.fade_s != TimeSpan::DEFAULT_FADE_S {
                write!(f, "fade={}, ", seconds(span.fade_s))?;
            }
            joined(f, nodes, " | ")?;
            return close(f, open + 1);
        }
    };
    if open == 0 {
        f.write_char('(')?;
        open += 1;
    }
    joined(f, nodes, between)?;
    close(f, open)
}

fn close(f: &mut fmt::Formatter<'_>, count: usize) -> fmt::Result {
    (0..count).try_for_each(|_| f.write_char(')'))
}

fn joined(f: &mut fmt::Formatter<'_>, nodes: &[Node], between: &str) -> fmt::Result {
    for (index, node) in nodes.iter().enumerate() {
        if index > 0 {
            f.write_str(between)?;
        }
        item(f, node)?;
    }
    Ok(())
}

fn call(f: &mut fmt::Formatter<'_>, name: &str, arguments: &Arguments) -> fmt::Result {
    f.write_str(name)?;
    let mut written = Vec::new();
    match crate::find(name) {
        Some(spec) => {
            // An argument is positional only if none before it was omitted.
            let mut gapless = true;
            for (index, parameter) in spec.parameters.iter().enumerate() {
                let Some(value) = arguments.get(parameter.name) else {
                    gapless = false;
                    continue;
                };
                if parameter.default_value().as_ref() == Some(value) {
                    gapless = false;
                    continue;
                }
                let value = value_text(Some(parameter), value);
                let by_position = gapless && index < spec.positional;
                written.push(if by_position { value } else { format!("{}={value}", parameter.name) });
            }
        }
        // An unknown effect cannot run but can be shown.
        None => written.extend(arguments.iter().map(|(name, value)| format!("{name}={}", value_text(None, value)))),
    }
    if written.is_empty() { Ok(()) } else { write!(f, "({})", written.join(", ")) }
}

fn value_text(parameter: Option<&Parameter>, value: &Value) -> String {
    let kind = parameter.map(|parameter| parameter.kind);
    match (kind, value) {
        (
            Some(ParameterKind::Number { unit, .. } | ParameterKind::NumberOrNote { unit, .. }),
            Value::Number(number),
        ) => unit.written(*number),
        (_, Value::Number(number)) => Unit::None.written(*number),
        (Some(ParameterKind::Choice { .. } | ParameterKind::NumberOrNote { .. }), Value::Text(word)) => word.clone(),
        (_, Value::Text(text)) => {
            let mut written = String::new();
            // Writing into a string cannot fail.
            let _ = quoted(&mut written, text);
            written
        }
    }
}

fn quoted(f: &mut impl Write, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_control() => write!(f, "\\u{{{:x}}}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}
