//! Turns the written arguments of an effect into checked ones. Errors carry their position in the text.

use super::lexer::{Kind, Token, error_at};
use super::parser::plain;
use crate::{Arguments, EffectSpec, Parameter, ParameterKind, Unit, UnitChoice, Value, number_in, parse_decimal};
use base::error::NotationError;

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
    let mut meant = Vec::new();
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
        let (value, choice) = value(text, parameter, argument)?;
        arguments.set(parameter.name, value);
        meant.extend(choice.map(|choice| (choice, argument)));
    }
    for (UnitChoice { unit, choice, word }, argument) in meant {
        match arguments.text(choice) {
            Some(other) if other != word => {
                let message = format!("{unit} means {choice}={word}, but {choice}={other} is given");
                return Err(error_at(
                    text,
                    argument.start(),
                    argument.end(),
                    message,
                    vec![format!("{choice}={word}")],
                ));
            }
            _ => arguments.set(choice, word),
        }
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
    spec.parameter_by_any_name(word).ok_or_else(|| {
        let names = || spec.parameters.iter().map(|parameter| parameter.name);
        let message = format!("`{}` has no parameter `{word}`", spec.name);
        let mut error = error_at(text, name.start, name.end, message, names().map(str::to_owned).collect());
        error.nearest = base::suggestion::nearest(word, names()).map(str::to_owned);
        error
    })
}

fn value(
    text: &str,
    parameter: &'static Parameter,
    argument: &Given,
) -> Result<(Value, Option<UnitChoice>), NotationError> {
    let (start, end) = (argument.value.start, argument.end());
    let refuse = |message: String| error_at(text, start, end, message, vec![parameter.allowed()]);
    let written = &text[argument.value.start..argument.value.end];
    let mut meant = None;
    let value = match (parameter.kind, &argument.value.kind) {
        (ParameterKind::Number { unit, .. } | ParameterKind::NumberOrNote { unit, .. }, Kind::Number) => {
            let number = match &argument.unit {
                None => parse_decimal(&plain(written), 0),
                Some(token) => {
                    let (number, choice) = with_unit(text, parameter, unit, &plain(written), token)?;
                    meant = choice;
                    number
                }
            };
            Value::Number(number.ok_or_else(|| refuse(format!("`{}` is not a finite number", parameter.name)))?)
        }
        (ParameterKind::Number { unit: Unit::None, .. }, Kind::Ratio(ratio)) => Value::Number(*ratio),
        (ParameterKind::Number { .. } | ParameterKind::NumberOrNote { .. }, Kind::Name)
            if number_of(parameter, written).is_some() =>
        {
            Value::Number(number_of(parameter, written).unwrap_or_default())
        }
        (ParameterKind::NumberOrNote { .. }, Kind::Note(note)) => Value::Text(note.clone()),
        (_, Kind::Note(_)) => return Err(refuse(format!("`{}` cannot be a note", parameter.name))),
        (_, Kind::Ratio(_)) => return Err(refuse(format!("`{}` cannot be a ratio", parameter.name))),
        (ParameterKind::Choice { options, .. }, Kind::Name) => {
            let Some(word) = crate::meant_choice(parameter.kind, written) else {
                let message = format!("`{}` cannot be `{written}`", parameter.name);
                let mut error = error_at(text, start, end, message, options.iter().map(|&word| word.into()).collect());
                error.nearest = base::suggestion::nearest(written, options.iter().copied()).map(str::to_owned);
                return Err(error);
            };
            Value::from(word)
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
        Ok(()) => Ok((value, meant)),
        Err(_) => Err(refuse(format!("`{}` is out of range", parameter.name))),
    }
}

/// Returns the number that a word means for a parameter: its resting value, or the frequency of a pitch.
fn number_of(parameter: &Parameter, word: &str) -> Option<f64> {
    let rest = parameter.rest.filter(|rest| rest.word.eq_ignore_ascii_case(word)).map(|rest| rest.value);
    let is_frequency = matches!(
        parameter.kind,
        ParameterKind::Number { unit: Unit::Hz, .. } | ParameterKind::NumberOrNote { unit: Unit::Hz, .. }
    );
    rest.or_else(|| crate::hz_from_pitch(word).filter(|_| is_frequency))
}

/// Returns a number with a unit, `None` if it is not finite, and the choice that the unit makes.
fn with_unit(
    text: &str,
    parameter: &'static Parameter,
    unit: Unit,
    number: &str,
    token: &Token,
) -> Result<(Option<f64>, Option<UnitChoice>), NotationError> {
    let spelling = &text[token.start..token.end];
    if let Some(choice) = parameter.units.iter().find(|choice| choice.unit.eq_ignore_ascii_case(spelling)) {
        return Ok((parse_decimal(number, 0), Some(*choice)));
    }
    // A number without a unit may be followed by the parameter's name: `120 bpm`, `7 semitones`, `1 semitone`.
    let names_itself = unit == Unit::None && {
        let word = spelling.to_lowercase();
        word == parameter.name || format!("{word}s") == parameter.name
    };
    if names_itself {
        return Ok((parse_decimal(number, 0), None));
    }
    number_in(unit, number, spelling).map(|number| (number, None)).ok_or_else(|| {
        let of_unit = unit.spellings().iter().map(|(spelling, _)| *spelling);
        let spellings: Vec<&str> = of_unit.chain(parameter.units.iter().map(|choice| choice.unit)).collect();
        let message = match spellings.as_slice() {
            [] => format!("`{}` has no unit", parameter.name),
            some => format!("`{}` is in {}, not in {spelling}", parameter.name, some.join(" or ")),
        };
        let mut error =
            error_at(text, token.start, token.end, message, spellings.iter().map(|&word| word.into()).collect());
        error.nearest = base::suggestion::nearest(spelling, spellings.iter().copied()).map(str::to_owned);
        error
    })
}
