//! Completes and checks arguments against the definition of an effect.

use std::path::Path;

use super::{Arguments, Effect, EffectSpec, Note, Parameter, ParameterKind, Permission, TravelEnd, Unit, Value, find};
use base::error::{Error, Result};
use base::suggestion::nearest;

impl EffectSpec {
    /// Returns the parameter with this name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// Checks the given arguments and fills in defaults.
    ///
    /// # Errors
    /// [`Error::Setting`] names the effect and the parameter by their titles, the value and what is allowed.
    pub fn arguments(&self, given: &Arguments) -> Result<Arguments> {
        for (name, _) in given.iter() {
            if self.parameter(name).is_none() {
                let names = || self.parameters.iter().map(|parameter| parameter.name);
                let problem = format!(
                    "there is no parameter {}. Its parameters: {}",
                    with_nearest(name, names()),
                    names().collect::<Vec<_>>().join(", ")
                );
                return Err(Error::setting(self.title, problem));
            }
        }
        let mut complete = Arguments::default();
        for parameter in self.parameters {
            let value = match given.get(parameter.name) {
                Some(value) => value.clone(),
                None => parameter
                    .default_value()
                    .ok_or_else(|| Error::setting(self.title, format!("{} is missing", parameter.title)))?,
            };
            parameter.check(&value).map_err(|problem| Error::setting(self.title, problem))?;
            complete.set(parameter.name, value);
        }
        (self.build)(&complete)?;
        Ok(complete)
    }

    /// Returns the arguments of an effect newly added in the window.
    pub fn initial_arguments(&self) -> Arguments {
        let mut initial = Arguments::default();
        for parameter in self.parameters {
            if let Some(value) = parameter.initial_value() {
                initial.set(parameter.name, value);
            }
        }
        initial
    }

    /// Returns the arguments of an effect newly added to a recording with frequencies up to `nyquist_hz` that lasts
    /// `seconds`: its initial values, brought below that frequency and within that time.
    pub fn initial_arguments_for(&self, nyquist_hz: f64, seconds: f64) -> Arguments {
        let mut initial = self.initial_arguments();
        for parameter in self.parameters {
            let (Some(travel), Some(value)) = (parameter.travel, initial.number(parameter.name)) else { continue };
            let is_rest = parameter.rest.is_some_and(|rest| rest.value == value);
            let most = match travel.to {
                TravelEnd::Value(_) => continue,
                // Several frequencies of one effect stay in order.
                TravelEnd::Nyquist => nyquist_hz * if value > travel.from { 0.9 } else { 0.8 },
                TravelEnd::Length => seconds,
                TravelEnd::Selection => seconds / 2.0,
            };
            if value > most && !is_rest && most > 0.0 {
                initial.set(parameter.name, tidied(most));
            }
        }
        match self.arguments(&initial) {
            Ok(initial) => initial,
            // Values that conflict at this rate or length are left for the user to see and change.
            Err(_) => self.initial_arguments(),
        }
    }

    /// Returns the files that arguments name. Reads nothing.
    pub fn named_files<'a>(&self, arguments: &'a Arguments) -> impl Iterator<Item = &'a str> {
        arguments.iter().filter_map(|(name, value)| match (self.parameter(name)?.kind, value) {
            (ParameterKind::File { .. }, Value::Text(path)) if !path.is_empty() => Some(path.as_str()),
            _ => None,
        })
    }

    /// Builds the effect with the given arguments, after checking and completing them. It may read any file and run any
    /// model.
    pub fn make(&self, given: &Arguments) -> Result<Box<dyn Effect>> {
        (self.build)(&self.arguments(given)?)
    }

    /// Builds an effect of a chain with this permission. The check is made here alone, before the effect reads anything:
    /// no effect has to know of it, and no cache gives what the chain may not have.
    ///
    /// # Errors
    /// [`Error::Refused`] for a file that the user has to allow first, and the error of an unconfirmed licence.
    pub(crate) fn make_with(&self, given: &Arguments, permission: &Permission) -> Result<Box<dyn Effect>> {
        self.named_files(given).try_for_each(|file| permission.check(Path::new(file)))?;
        let effect = self.make(given)?;
        permission.check_model(|| effect.model_kind())?;
        Ok(effect)
    }
}

/// Rounds down to two significant digits.
fn tidied(value: f64) -> f64 {
    let step = 10f64.powf(value.log10().floor() - 1.0);
    let digits = (value / step).floor();
    // A power of ten below one is inexact as a factor, but not as a divisor.
    if step < 1.0 { digits / (1.0 / step).round() } else { digits * step }
}

impl Parameter {
    /// Returns the default, used if the argument is omitted.
    pub fn default_value(&self) -> Option<Value> {
        match self.kind {
            ParameterKind::Number { default, .. } | ParameterKind::NumberOrNote { default, .. } => {
                default.map(Value::Number)
            }
            ParameterKind::Choice { default, .. } => Some(Value::from(default)),
            ParameterKind::File { optional, .. } => optional.then(|| Value::from("")),
        }
    }

    /// Returns the initial value in the window. For a file it is empty, for the user to choose one.
    pub fn initial_value(&self) -> Option<Value> {
        match self.kind {
            ParameterKind::Number { initial, .. } | ParameterKind::NumberOrNote { initial, .. } => {
                Some(Value::Number(initial))
            }
            ParameterKind::Choice { default, .. } => Some(Value::from(default)),
            ParameterKind::File { .. } => Some(Value::from("")),
        }
    }

    /// Describes the value that a new effect starts with, and whether text may omit it: "Default: 6 dB", "Required, such
    /// as 80 Hz".
    pub fn usual(&self) -> String {
        let initial = match self.kind {
            ParameterKind::Number { unit, initial, .. } | ParameterKind::NumberOrNote { unit, initial, .. } => {
                let rest = self.rest.filter(|rest| rest.value == initial);
                rest.map_or_else(|| unit.written(initial), |rest| rest.word.to_lowercase())
            }
            ParameterKind::Choice { default, .. } => default.to_owned(),
            ParameterKind::File { optional, .. } => {
                return if optional { "Default: none" } else { "Required" }.to_owned();
            }
        };
        let is_required = self.default_value().is_none();
        format!("{}{initial}", if is_required { "Required, such as " } else { "Default: " })
    }

    /// Describes for which values of others it has an effect: " Used with design=elliptic."; empty if it always does.
    pub fn used(&self) -> String {
        let all: Vec<String> = self.used_when.iter().map(super::When::written).collect();
        if all.is_empty() { String::new() } else { format!(" Used with {}.", all.join(" or ")) }
    }

    /// Describes the allowed values: "0.1 Hz to 384 kHz". The text continues "must be".
    pub fn allowed(&self) -> String {
        match self.kind {
            ParameterKind::Number { unit, min, max, scale, .. } => {
                let whole = if scale.is_whole() { "a whole number from " } else { "" };
                format!("{whole}{} to {}", unit.written(min), unit.written(max))
            }
            ParameterKind::NumberOrNote { unit, min, max, .. } => {
                format!("{} to {}, or a note such as 1/8, 1/8d, 1/8t", unit.written(min), unit.written(max))
            }
            ParameterKind::Choice { options, .. } => options.join(", "),
            ParameterKind::File { folder, .. } => {
                format!("a file{}, in quotes", if folder { " or folder" } else { "" })
            }
        }
    }

    /// Checks a value.
    ///
    /// # Errors
    /// The problem in words: the parameter by its title, what is allowed, and the value.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        let takes = match (self.kind, value) {
            // `NaN` fails the range check.
            (ParameterKind::Number { min, max, scale, .. }, Value::Number(number)) => {
                (min..=max).contains(number) && (!scale.is_whole() || number.fract() == 0.0)
            }
            (ParameterKind::NumberOrNote { min, max, .. }, Value::Number(number)) => (min..=max).contains(number),
            (ParameterKind::NumberOrNote { .. }, Value::Text(note)) => Note::parse(note).is_some(),
            (ParameterKind::Choice { options, .. }, Value::Text(word)) => options.contains(&word.as_str()),
            (ParameterKind::File { .. }, Value::Text(_)) => true,
            _ => false,
        };
        if takes {
            return Ok(());
        }
        let got = match (self.kind, value) {
            (ParameterKind::Number { unit, .. } | ParameterKind::NumberOrNote { unit, .. }, Value::Number(number)) => {
                unit.written(*number)
            }
            (ParameterKind::Choice { options, .. }, Value::Text(word)) => with_nearest(word, options.iter().copied()),
            (_, Value::Number(number)) => Unit::None.written(*number),
            (_, Value::Text(text)) => format!("{text:?}"),
        };
        Err(format!("{} must be {}, not {got}", self.title, self.allowed()))
    }
}

/// Returns the label of a parameter of an effect.
pub(super) fn title<'a>(effect: &str, parameter: &'a str) -> &'a str {
    find(effect).and_then(|spec| spec.parameter(parameter)).map_or(parameter, |parameter| parameter.title)
}

/// The error of a setting that does not fit. `allowed` continues "must be".
pub(super) fn refuse(effect: &str, parameter: &str, allowed: &str) -> Error {
    let problem = format!("{} must be {allowed}", title(effect, parameter));
    Error::setting(find(effect).map_or(effect, |spec| spec.title), problem)
}

/// Formats an unknown name with a suggestion, for an error's `got`.
pub(super) fn with_nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
    match nearest(name, names) {
        Some(near) => format!("`{name}` (did you mean `{near}`?)"),
        None => format!("`{name}`"),
    }
}
