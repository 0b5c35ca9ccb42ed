//! The values of a configuration (`config.json`), read by name and within bounds.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use base::error::{Error, Result};

/// The most a width, a size of a book or a number of layers may be. Beyond it something is wrong.
pub const MAX_SIZE: usize = 1 << 16;

/// A configuration. Missing values take the defaults of the reference implementation.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    model: &'a str,
    values: &'a Map<String, Value>,
}

impl<'a> Settings<'a> {
    /// Takes the values of a model.
    pub fn new(model: &'a str, values: &'a Map<String, Value>) -> Self {
        Self { model, values }
    }

    fn value(self, name: &str) -> Option<&'a Value> {
        self.values.get(name).filter(|value| !value.is_null())
    }

    fn wrong(self, name: &str, got: impl ToString, allowed: impl Into<String>) -> Error {
        Error::invalid(format!("`{name}` in the configuration of {}", self.model), got.to_string(), allowed)
    }

    /// Reads a whole number.
    pub fn whole(self, name: &str, usual: usize, allowed: RangeInclusive<usize>) -> Result<usize> {
        let Some(value) = self.value(name) else { return Ok(usual) };
        let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
        number
            .filter(|number| allowed.contains(number))
            .ok_or_else(|| self.wrong(name, value, format!("a whole number, {} to {}", allowed.start(), allowed.end())))
    }

    /// Reads a number.
    pub fn number(self, name: &str, usual: f64, allowed: RangeInclusive<f64>) -> Result<f64> {
        let Some(value) = self.value(name) else { return Ok(usual) };
        let number = value.as_f64().filter(|number| allowed.contains(number));
        number.ok_or_else(|| self.wrong(name, value, format!("{} to {}", allowed.start(), allowed.end())))
    }

    /// Reads whether something is so.
    pub fn flag(self, name: &str, usual: bool) -> Result<bool> {
        let Some(value) = self.value(name) else { return Ok(usual) };
        value.as_bool().ok_or_else(|| self.wrong(name, value, "true or false"))
    }

    /// Reads one of some words.
    pub fn word(self, name: &str, usual: &'static str, allowed: &[&'static str]) -> Result<&'static str> {
        let Some(value) = self.value(name) else { return Ok(usual) };
        let word = allowed.iter().find(|allowed| value.as_str() == Some(**allowed)).copied();
        word.ok_or_else(|| self.wrong(name, value, format!("one of {}", allowed.join(", "))))
    }

    /// Reads a list of numbers.
    pub fn numbers(self, name: &str, usual: &[f64], allowed: RangeInclusive<f64>) -> Result<Vec<f64>> {
        let Some(value) = self.value(name) else { return Ok(usual.to_vec()) };
        let numbers = value.as_array().filter(|numbers| (1..=64).contains(&numbers.len()));
        let numbers: Option<Vec<f64>> = numbers.and_then(|numbers| numbers.iter().map(Value::as_f64).collect());
        numbers.filter(|numbers| numbers.iter().all(|number| allowed.contains(number))).ok_or_else(|| {
            self.wrong(name, value, format!("1 to 64 numbers, {} to {}", allowed.start(), allowed.end()))
        })
    }

    /// Reads the ratios of a model's stages. Their product is the hop.
    pub fn ratios(self, name: &str, usual: &[usize]) -> Result<Vec<usize>> {
        let Some(value) = self.value(name) else { return Ok(usual.to_vec()) };
        let ratios = value.as_array().filter(|ratios| (1..=8).contains(&ratios.len()));
        let ratio = |value: &Value| value.as_u64().filter(|ratio| (1..=64).contains(ratio)).map(|ratio| ratio as usize);
        let ratios: Option<Vec<usize>> = ratios.and_then(|ratios| ratios.iter().map(ratio).collect());
        ratios
            .filter(|ratios| ratios.iter().product::<usize>() <= MAX_SIZE)
            .ok_or_else(|| self.wrong(name, value, format!("1 to 8 ratios, 1 to 64, of a product up to {MAX_SIZE}")))
    }

    /// Checks that a value that models of this kind could have is the one that this program supports.
    pub fn only(self, name: &str, got: impl ToString + PartialEq<&'static str>, supported: &'static str) -> Result<()> {
        if got == supported {
            return Ok(());
        }
        Err(Error::unsupported(
            format!("`{name}` {} in the configuration of {}", got.to_string(), self.model),
            format!("This program runs models with {supported}."),
        ))
    }
}

/// Returns the bits of a code of a book of `size` codes.
pub fn bits_of(size: usize) -> u32 {
    size.next_power_of_two().trailing_zeros().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_by_name_and_within_bounds() {
        let Value::Object(values) = serde_json::json!({
            "a": 3, "b": -1, "c": 1e300, "d": "reflect", "e": [8, 5], "f": null, "g": [64, 64, 64, 64], "h": [], "i": [0.5],
        }) else {
            panic!("an object")
        };
        let settings = Settings::new("a model", &values);
        assert_eq!(settings.whole("a", 1, 1..=4).unwrap(), 3);
        assert_eq!(settings.whole("f", 7, 1..=4).unwrap(), 7);
        assert_eq!(settings.whole("missing", 7, 1..=4).unwrap(), 7);
        assert_eq!(settings.word("d", "zero", &["zero", "reflect"]).unwrap(), "reflect");
        assert_eq!(settings.ratios("e", &[2]).unwrap(), [8, 5]);
        assert_eq!(settings.numbers("i", &[2.0], 0.1..=1.0).unwrap(), [0.5]);
        let wrong = [
            settings.whole("a", 1, 4..=5).map(drop),
            settings.whole("b", 1, 0..=5).map(drop),
            settings.whole("c", 1, 0..=usize::MAX).map(drop),
            settings.number("c", 1.0, 0.0..=1.0).map(drop),
            settings.number("d", 1.0, 0.0..=1.0).map(drop),
            settings.flag("a", true).map(drop),
            settings.word("d", "zero", &["zero"]).map(drop),
            settings.ratios("g", &[2]).map(drop),
            settings.ratios("h", &[2]).map(drop),
            settings.ratios("i", &[2]).map(drop),
            settings.numbers("h", &[2.0], 0.1..=1.0).map(drop),
        ];
        for error in wrong {
            let error = error.unwrap_err();
            assert!(matches!(error, Error::Invalid { .. }), "{error}");
            assert!(error.to_string().contains("in the configuration of a model"), "{error}");
        }
    }
}
