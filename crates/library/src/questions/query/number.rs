//! Numbers in a query: text, value and precision.

use std::fmt;

use super::fields::{Field, Kind, Unit};
use base::date;

/// A number, duration or date as written, in the unit of its field's column.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    text: String,
    value: f64,
    low: f64,
    high: f64,
    /// Whether the number is a period of time (a date). Values after it begin at `high`, not at `value`.
    spans: bool,
    kind: Kind,
}

/// Largest number accepted; beyond it, `f64` no longer holds every integer.
const LARGEST: f64 = 9e15;

impl Number {
    /// Parses a number for a field; `None` if the field does not accept it.
    pub fn read(text: &str, field: &Field) -> Option<Self> {
        let text = text.trim();
        let number = match field.kind {
            Kind::Number(units) => plain(text, units)?,
            Kind::Duration => clock(text).or_else(|| plain(text, DURATIONS))?,
            Kind::Date => {
                let (low, high) = date::span(text)?;
                WrittenNumber { text: text.to_owned(), value: low as f64, low: low as f64, high: high as f64 }
            }
            Kind::Text | Kind::Choice(_) | Kind::Key => return None,
        };
        let WrittenNumber { text, value, low, high } = number;
        let is_held = [value, low, high].iter().all(|x| x.abs() <= LARGEST);
        is_held.then_some(Self { text, value, low, high, spans: field.kind == Kind::Date, kind: field.kind })
    }

    /// Creates a number from a value in the unit of a field's column, with the fewest digits that read back as the same
    /// number.
    pub fn of(value: f64, field: &Field) -> Option<Self> {
        matches!(field.kind, Kind::Number(_) | Kind::Duration).then(|| Self::read(&format!("{value}"), field)).flatten()
    }

    /// Returns the value in the unit of the column. For a date, it is the first moment in milliseconds since 1970.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// Returns the half-open range of values that round to this number at its written precision.
    pub(super) fn written_like_this(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Returns the first value after it, if it is a period of time.
    pub(super) fn end(&self) -> Option<f64> {
        self.spans.then_some(self.high)
    }

    pub(super) fn is_of(&self, field: &Field) -> bool {
        self.kind == field.kind
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

struct WrittenNumber {
    text: String,
    value: f64,
    low: f64,
    high: f64,
}

/// Units of a duration. A number without a unit is in seconds.
pub(super) const DURATIONS: &[Unit] = &[
    Unit { name: "s", also: &["sec"], factor: 1.0 },
    Unit { name: "ms", also: &[], factor: 0.001 },
    Unit { name: "min", also: &["m"], factor: 60.0 },
    Unit { name: "h", also: &[], factor: 3600.0 },
];

/// Parses a decimal number with an optional unit.
fn plain(text: &str, units: &[Unit]) -> Option<WrittenNumber> {
    let (sign, unsigned) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let end = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(unsigned.len());
    let (digits, unit) = unsigned.split_at(end);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') || digits.ends_with('.') {
        return None;
    }
    let unit = unit.trim();
    let (name, factor) = match units.iter().find(|known| known.is_called(unit)) {
        Some(known) => (known.name, known.factor),
        None if unit.is_empty() => ("", 1.0),
        None => return None,
    };
    let digits = if whole.is_empty() { format!("0{digits}") } else { digits.to_owned() };
    let written: f64 = format!("{sign}{digits}").parse().ok()?;
    let half = 0.5 * 10f64.powi(-i32::try_from(fraction.len()).ok()?);
    Some(WrittenNumber {
        text: format!("{sign}{digits}{name}"),
        value: written * factor,
        low: (written - half) * factor,
        high: (written + half) * factor,
    })
}

/// Parses a clock time, `m:ss` or `h:mm:ss` with optional decimals, in seconds.
fn clock(text: &str) -> Option<WrittenNumber> {
    let (clock, fraction) = text.split_once('.').map_or((text, None), |(clock, fraction)| (clock, Some(fraction)));
    let are_digits = |part: &str| !part.is_empty() && part.len() <= 9 && part.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = clock.split(':').collect();
    let is_clock = matches!(parts.len(), 2 | 3)
        && parts.iter().all(|part| are_digits(part))
        && parts[1..].iter().all(|part| part.len() == 2 && *part < "60")
        && fraction.is_none_or(are_digits);
    if !is_clock {
        return None;
    }
    let whole = parts.iter().try_fold(0.0, |sum, part| Some(sum * 60.0 + part.parse::<f64>().ok()?))?;
    let digits = fraction.map_or(0, str::len) as i32;
    let value = whole + fraction.map_or(Some(0.0), |fraction| format!("0.{fraction}").parse().ok())?;
    let half = 0.5 * 10f64.powi(-digits);
    Some(WrittenNumber { text: text.to_owned(), value, low: value - half, high: value + half })
}
