//! Turns the written arguments of an effect into checked ones. Errors carry their position in the text.

use super::lexer::{Kind, Token, error_at};
use super::parser::{plain, unit_power};
use crate::effects::{self, Arguments, EffectSpec, Parameter, ParameterKind, Unit, Value, parse_decimal};
use crate::error::NotationError;

/// One argument as written.
pub(super) struct Given {
    pub name: Option<Token>,
    pub value: Token,
    pub unit: Option<Token>,
}

impl Given {
    fn start(&self) -> usize {
        self.name.as_ref().unwrap_or(&self.value).start
    }

    fn end(&self) -> usize {
        self.unit.as_ref().unwrap_or(&self.value).end
    }
}

/// Checks the arguments of a call, which spans the bytes `call` of `text`.
pub(super) fn checked(
    text: &str,
    spec: &EffectSpec,
    call: (usize, usize),
    given: &[Given],
) -> Result<Arguments, NotationError> {
    let mut arguments = Arguments::default();
    let mut by_name = false;
    for (position, argument) in given.iter().enumerate() {
        let parameter = match &argument.name {
            Some(name) => {
                by_name = true;
                named(text, spec, name)?
            }
            None if by_name => {
                let message = "Positional arguments must come before named ones";
                return Err(error_at(text, argument.start(), argument.end(), message, unnamed(spec, &arguments)));
            }
            None => spec.parameters.get(position).ok_or_else(|| {
                let message = format!("`{}` has no more parameters", spec.name);
                error_at(text, argument.start(), argument.end(), message, vec![")".to_owned()])
            })?,
        };
        if arguments.get(parameter.name).is_some() {
            let message = format!("`{}` is given twice", parameter.name);
            return Err(error_at(text, argument.start(), argument.end(), message, unnamed(spec, &arguments)));
        }
        arguments.set(parameter.name, value(text, parameter, argument)?);
    }
    for parameter in spec.parameters {
        if arguments.get(parameter.name).is_none() && parameter.default_value().is_none() {
            let message = format!("`{}` needs a value for `{}`", spec.name, parameter.name);
            let allowed = vec![format!("{}={}", parameter.name, parameter.allowed())];
            return Err(error_at(text, call.0, call.1, message, allowed));
        }
    }
    // Each value is valid by itself. What remains are values that conflict with each other.
    spec.arguments(&arguments)
        .map_err(|error| error_at(text, call.0, call.1, error.sentences().trim_end_matches('.'), Vec::new()))
}

/// Returns the names of the parameters not given yet.
fn unnamed(spec: &EffectSpec, given: &Arguments) -> Vec<String> {
    let left = spec.parameters.iter().filter(|parameter| given.get(parameter.name).is_none());
    left.map(|parameter| format!("{}=", parameter.name)).collect()
}

fn named(text: &str, spec: &EffectSpec, name: &Token) -> Result<&'static Parameter, NotationError> {
    let word = &text[name.start..name.end];
    spec.parameter(word).ok_or_else(|| {
        let names = || spec.parameters.iter().map(|parameter| parameter.name);
        let message = format!("`{}` has no parameter `{word}`", spec.name);
        let mut error = error_at(text, name.start, name.end, message, names().map(str::to_owned).collect());
        error.nearest = effects::nearest(word, names()).map(str::to_owned);
        error
    })
}

fn value(text: &str, parameter: &Parameter, argument: &Given) -> Result<Value, NotationError> {
    let (start, end) = (argument.value.start, argument.end());
    let refuse = |message: String| error_at(text, start, end, message, vec![parameter.allowed()]);
    let written = &text[argument.value.start..argument.value.end];
    let value = match (parameter.kind, &argument.value.kind) {
        (ParameterKind::Number { unit, .. } | ParameterKind::NumberOrNote { unit, .. }, Kind::Number) => {
            let power = match &argument.unit {
                None => 0,
                Some(token) => power(text, parameter, unit, token)?,
            };
            let number = parse_decimal(&plain(written), power);
            Value::Number(number.ok_or_else(|| refuse(format!("`{}` is not a finite number", parameter.name)))?)
        }
        (ParameterKind::NumberOrNote { .. }, Kind::Note(note)) => Value::Text(note.clone()),
        (_, Kind::Note(_)) => return Err(refuse(format!("`{}` cannot be a note", parameter.name))),
        (ParameterKind::Choice { options, .. }, Kind::Name) => {
            if !options.contains(&written) {
                let message = format!("`{}` cannot be `{written}`", parameter.name);
                let mut error = error_at(text, start, end, message, options.iter().map(|&word| word.into()).collect());
                error.nearest = effects::nearest(written, options.iter().copied()).map(str::to_owned);
                return Err(error);
            }
            Value::from(written)
        }
        (ParameterKind::File { .. }, Kind::Text(path)) => Value::Text(path.clone()),
        (ParameterKind::Number { .. }, _) => return Err(refuse(format!("`{}` must be a number", parameter.name))),
        (ParameterKind::NumberOrNote { .. }, _) => {
            return Err(refuse(format!("`{}` must be a number or a note", parameter.name)));
        }
        (ParameterKind::Choice { .. }, _) => return Err(refuse(format!("`{}` must be a word", parameter.name))),
        (ParameterKind::File { .. }, _) => {
            return Err(refuse(format!("`{}` must be a file, in quotes", parameter.name)));
        }
    };
    match parameter.check(&value) {
        Ok(()) => Ok(value),
        Err(_) => Err(refuse(format!("`{}` is out of range", parameter.name))),
    }
}

/// Returns the power of ten for the written unit.
fn power(text: &str, parameter: &Parameter, unit: Unit, token: &Token) -> Result<i32, NotationError> {
    let spelling = &text[token.start..token.end];
    unit_power(unit, spelling).ok_or_else(|| {
        let spellings: Vec<&str> = unit.spellings().iter().map(|(spelling, _)| *spelling).collect();
        let message = match spellings.as_slice() {
            [] => format!("`{}` has no unit", parameter.name),
            some => format!("`{}` is in {}, not in {spelling}", parameter.name, some.join(" or ")),
        };
        let mut error =
            error_at(text, token.start, token.end, message, spellings.iter().map(|&word| word.into()).collect());
        error.nearest = effects::nearest(spelling, spellings.iter().copied()).map(str::to_owned);
        error
    })
}
