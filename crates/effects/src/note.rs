//! Note lengths - `1/8`, dotted `1/8d`, triplet `1/8t` - and their duration at a tempo.

use super::spec::refuse;
use std::fmt;

use super::conditions::NOTE;
use super::{Arguments, PLAIN, Parameter, ParameterKind, Scale, Unit, Value, When};
use base::error::{Error, Result};

/// The largest numerator or denominator.
const MOST: u32 = 128;

/// A note length as a fraction of a whole note, which has four beats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    above: u32,
    below: u32,
    stretch: Modifier,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Modifier {
    Straight,
    /// One and a half times as long.
    Dotted,
    /// Two thirds as long: three in the time of two.
    Triplet,
}

impl Note {
    /// Creates a note from its parts: numerator, denominator and suffix.
    pub fn new(above: &str, below: &str, letter: &str) -> Option<Self> {
        let number = |digits: &str| {
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|number| plain && (1..=MOST).contains(number))
        };
        let stretch = match letter {
            "" => Modifier::Straight,
            "d" => Modifier::Dotted,
            "t" => Modifier::Triplet,
            _ => return None,
        };
        Some(Self { above: number(above)?, below: number(below)?, stretch })
    }

    /// Parses a note such as `3/16t`. The text must be in canonical form.
    pub fn parse(text: &str) -> Option<Self> {
        let (above, rest) = text.split_once('/')?;
        let (below, letter) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
        Self::new(above, below, letter).filter(|note| note.to_string() == text)
    }

    /// Returns its duration in seconds if a quarter note is one beat.
    pub fn seconds(self, bpm: f64) -> f64 {
        let stretch = match self.stretch {
            Modifier::Straight => 1.0,
            Modifier::Dotted => 1.5,
            Modifier::Triplet => 2.0 / 3.0,
        };
        f64::from(self.above) / f64::from(self.below) * 4.0 * 60.0 / bpm * stretch
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.stretch {
            Modifier::Straight => "",
            Modifier::Dotted => "d",
            Modifier::Triplet => "t",
        };
        write!(f, "{}/{}{letter}", self.above, self.below)
    }
}

/// A parameter for the tempo that determines the duration of an effect's notes.
const BPM: Parameter = Parameter {
    name: "bpm",
    title: "Tempo",
    help: "Beats (quarter notes) per minute, for a time or rate given as a note.",
    kind: ParameterKind::Number {
        unit: Unit::None,
        min: 10.0,
        max: 999.0,
        default: Some(120.0),
        initial: 120.0,
        scale: Scale::Linear,
    },
    ..PLAIN
}
.travels(40.0, 240.0);

/// The tempo of an effect whose time is `time`.
pub(super) const BPM_OF_TIME: Parameter = BPM.used_when(&[When { choice: "time", words: &[NOTE] }]);

/// The tempo of an effect whose rate is `rate`.
pub(super) const BPM_OF_RATE: Parameter = BPM.used_when(&[When { choice: "rate", words: &[NOTE] }]);

/// Returns the checked argument of `parameter` in the parameter's unit. A note becomes seconds or, for a rate, Hz.
///
/// # Errors
/// [`Error::Setting`] if the value of a note at this tempo is outside the parameter's range.
pub(super) fn timed(effect: &str, parameter: &Parameter, arguments: &Arguments) -> Result<f64> {
    let Some(Value::Text(text)) = arguments.get(parameter.name) else {
        return arguments.checked_number(parameter.name);
    };
    let ParameterKind::NumberOrNote { unit, min, max, .. } = parameter.kind else {
        return Err(Error::Internal(format!("{effect} {} takes no note", parameter.name)));
    };
    let bpm = arguments.checked_number(BPM.name)?;
    let seconds = Note::parse(text)
        .map(|note| note.seconds(bpm))
        .ok_or_else(|| Error::Internal(format!("{effect} was built with the note {text:?}")))?;
    let value = if unit == Unit::Hz { 1.0 / seconds } else { seconds };
    if (min..=max).contains(&value) {
        return Ok(value);
    }
    let allowed = format!(
        "{} to {}, but {text} at {bpm} beats per minute is {}",
        unit.written(min),
        unit.written(max),
        unit.rounded(value)
    );
    Err(refuse(effect, parameter.name, &allowed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_last_what_the_tempo_makes_of_them() {
        for (text, bpm, seconds) in [
            ("1/4", 60.0, 1.0),
            ("1/8", 120.0, 0.25),
            ("1/8d", 120.0, 0.375),
            ("1/8t", 120.0, 0.5 / 3.0),
            ("3/16", 100.0, 0.45),
            ("2/1", 120.0, 4.0),
            ("1/12", 120.0, 0.5 / 3.0),
        ] {
            let note = Note::parse(text).unwrap();
            assert!((note.seconds(bpm) - seconds).abs() < 1e-15, "{text}");
            assert_eq!(note.to_string(), text);
        }
    }

    #[test]
    fn what_is_no_note_is_refused() {
        for text in
            ["", "1", "1/", "/8", "0/8", "1/0", "1/8x", "1/8dt", "-1/8", "+1/8", "01/8", "1 /8", "1/129", "1/8D"]
        {
            assert_eq!(Note::parse(text), None, "{text}");
        }
    }
}
