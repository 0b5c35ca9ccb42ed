//! Formats a query as text.

use std::fmt::{self, Display, Formatter};

use super::{Node, Query, Test};

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        node(f, &self.0)
    }
}

fn node(f: &mut Formatter<'_>, query: &Node) -> fmt::Result {
    match query {
        Node::All => Ok(()),
        Node::And(parts) => separated(f, parts, " ", |f, part| match part {
            Node::Or(_) => bracketed(f, part),
            _ => node(f, part),
        }),
        Node::Or(parts) => separated(f, parts, " or ", node),
        Node::Not(inner) => {
            f.write_str("-")?;
            match **inner {
                Node::And(_) | Node::Or(_) => bracketed(f, inner),
                _ => node(f, inner),
            }
        }
        Node::Text(words) => f.write_str(&quoted(words)),
        Node::Field(field, tests) => {
            write!(f, "{}:", field.name)?;
            separated(f, tests, ",", test)
        }
    }
}

fn bracketed(f: &mut Formatter<'_>, query: &Node) -> fmt::Result {
    f.write_str("(")?;
    node(f, query)?;
    f.write_str(")")
}

fn separated<T>(
    f: &mut Formatter<'_>,
    parts: &[T],
    separator: &str,
    print: impl Fn(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        print(f, part)?;
    }
    Ok(())
}

fn test(f: &mut Formatter<'_>, test: &Test) -> fmt::Result {
    match test {
        Test::Contains(value) => f.write_str(&quoted(value)),
        Test::Is(value) => {
            f.write_str("=")?;
            f.write_str(&quoted(value))
        }
        Test::Key(key) => write!(f, "{key}"),
        Test::Equal(number) => write!(f, "{number}"),
        Test::Below(number) => write!(f, "<{number}"),
        Test::AtMost(number) => write!(f, "<={number}"),
        Test::Above(number) => write!(f, ">{number}"),
        Test::AtLeast(number) => write!(f, ">={number}"),
        Test::Between(from, to) => write!(f, "{from}..{to}"),
        Test::Missing => f.write_str("none"),
        Test::Known => f.write_str("any"),
    }
}

/// Returns text as it is written in a query, in quotes where it would otherwise be parsed as something else.
pub fn quoted(text: &str) -> String {
    let is_plain = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '\'' | '&' | '.' | '-'))
        && !text.starts_with('-')
        && !["or", "and", "not", "none", "any"].iter().any(|keyword| text.eq_ignore_ascii_case(keyword));
    if is_plain { text.to_owned() } else { format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")) }
}
