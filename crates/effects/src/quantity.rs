//! Numbers with units as users write them: `80 Hz`, `1.5 kHz`, `-3 dB`, `20 ms`, `40 %`.
//!
//! Both directions shift the decimal point in the text instead of multiplying, so that the text written is the shortest
//! that reads back as exactly the same number.

use super::Unit;

/// The number of steps per unit to which a converted value is rounded, so that it prints shortly.
const STEPS: f64 = 1e4;

impl Unit {
    /// Returns the spellings of this unit, each with the power of ten by which it exceeds the unit.
    pub fn spellings(self) -> &'static [(&'static str, i32)] {
        match self {
            Self::None => &[],
            Self::Hz => &[("Hz", 0), ("kHz", 3)],
            Self::Db => &[("dB", 0)],
            Self::Seconds => &[("s", 0), ("ms", -3)],
            Self::Percent => &[("%", -2)],
            Self::Kbps => &[("kbps", 0)],
        }
    }

    /// Returns further spellings, which are read but not written.
    fn other_spellings(self) -> &'static [(&'static str, i32)] {
        match self {
            Self::None => &[],
            Self::Hz => &[("k", 3), ("MHz", 6)],
            Self::Db => &[("dBFS", 0), ("dBTP", 0), ("LU", 0)],
            Self::Seconds => &[("sec", 0), ("second", 0), ("seconds", 0), ("msec", -3), ("us", -6), ("\u{b5}s", -6)],
            Self::Percent => &[("percent", -2)],
            Self::Kbps => &[("kbit", 0), ("bps", -3)],
        }
    }

    /// Returns the power of ten of a spelling, ignoring case; `None` if it is none of this unit's.
    fn power(self, spelling: &str) -> Option<i32> {
        let mut known = self.spellings().iter().chain(self.other_spellings());
        known.find(|(known, _)| known.eq_ignore_ascii_case(spelling)).map(|(_, power)| *power)
    }

    /// Formats a value with the most readable spelling.
    pub fn written(self, value: f64) -> String {
        match self {
            Self::None => decimal(value, 0),
            Self::Hz if value.abs() >= 1000.0 => format!("{} kHz", decimal(value, 3)),
            Self::Hz => format!("{} Hz", decimal(value, 0)),
            Self::Db => format!("{} dB", decimal(value, 0)),
            Self::Seconds if value != 0.0 && value.abs() < 1.0 => format!("{} ms", decimal(value, -3)),
            Self::Seconds => format!("{} s", decimal(value, 0)),
            Self::Percent => format!("{} %", decimal(value, -2)),
            Self::Kbps => format!("{} kbps", decimal(value, 0)),
        }
    }

    /// Like [`Unit::written`], rounded to three digits for reading. For values that were measured, not for limits.
    pub fn rounded(self, value: f64) -> String {
        self.written(format!("{value:.2e}").parse().unwrap_or(value))
    }
}

/// Returns a number with a unit as a value of `unit`. The inner result is `None` if it is not finite; the outer one if
/// the unit means nothing here.
///
/// Spellings of the unit itself are read exactly. An amplitude in per cent or as a factor becomes decibels, and decibels
/// become a share: `50 %` is -6.0206 dB. Minutes become seconds. Such values are rounded to 0.0001.
#[allow(clippy::option_option, reason = "a unit without meaning and a number without end are refused differently")]
pub(crate) fn number_in(unit: Unit, number: &str, spelling: &str) -> Option<Option<f64>> {
    if let Some(power) = unit.power(spelling) {
        return Some(parse_decimal(number, power));
    }
    let rounded = |value: f64| value.is_finite().then(|| (value * STEPS).round() / STEPS + 0.0);
    let value = parse_decimal(number, 0);
    let converted = match (unit, spelling.to_lowercase().as_str()) {
        (Unit::Db, "%" | "percent") => value.and_then(|percent| rounded(20.0 * (percent / 100.0).log10())),
        (Unit::Db, "x") => value.and_then(|factor| rounded(20.0 * factor.log10())),
        (Unit::Percent, "db") => value.and_then(|db| rounded(10f64.powf(db / 20.0))),
        (Unit::Percent, "x") => value,
        (Unit::Seconds, "min" | "minutes") => value.and_then(|minutes| rounded(60.0 * minutes)),
        _ => return None,
    };
    Some(converted)
}

/// Returns `text` times `10^power`, correctly rounded; `None` unless it is a finite decimal number.
pub(crate) fn parse_decimal(text: &str, power: i32) -> Option<f64> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let value: f64 = format!("{mantissa}e{}", exponent.saturating_add(power)).parse().ok()?;
    // A negative zero would print differently from how it was read.
    value.is_finite().then_some(value + 0.0)
}

/// Returns `value / 10^power` in the shortest decimal form that [`parse_decimal`] reads back as `value`.
fn decimal(value: f64, power: i32) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let scientific = format!("{:e}", value + 0.0);
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits = mantissa.replace('.', "");
    // The value is `0.DIGITS` times `10^point`.
    let point = exponent.parse::<i32>().unwrap_or(0) - power + 1;
    let count = digits.len() as i32;
    match point {
        _ if digits == "0" => "0".to_owned(),
        -5..=0 => format!("{sign}0.{}{digits}", "0".repeat(-point as usize)),
        1..=15 if point >= count => format!("{sign}{digits}{}", "0".repeat((point - count) as usize)),
        1..=15 => format!("{sign}{}.{}", &digits[..point as usize], &digits[point as usize..]),
        _ => {
            let fraction = if count > 1 { format!(".{}", &digits[1..]) } else { String::new() };
            format!("{sign}{}{fraction}e{}", &digits[..1], point - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_written_as_people_write_them() {
        for (unit, value, text) in [
            (Unit::Hz, 80.0, "80 Hz"),
            (Unit::Hz, 1000.0, "1 kHz"),
            (Unit::Hz, 1234.5, "1.2345 kHz"),
            (Unit::Hz, 384_000.0, "384 kHz"),
            (Unit::Hz, 0.1, "0.1 Hz"),
            (Unit::Db, -3.0, "-3 dB"),
            (Unit::Db, -0.0, "0 dB"),
            (Unit::Seconds, 0.02, "20 ms"),
            (Unit::Seconds, 0.000_012_5, "0.0125 ms"),
            (Unit::Seconds, 1.5, "1.5 s"),
            (Unit::Percent, 0.4, "40 %"),
            (Unit::Percent, 0.07, "7 %"),
            (Unit::Percent, 1.0, "100 %"),
            (Unit::Kbps, 1.5, "1.5 kbps"),
            (Unit::None, 4.0, "4"),
            (Unit::None, 1e-9, "1e-9"),
            (Unit::None, 1.25e20, "1.25e20"),
            (Unit::None, f64::INFINITY, "inf"),
        ] {
            assert_eq!(unit.written(value), text);
        }
    }

    #[test]
    fn measured_values_are_rounded_for_reading() {
        for (unit, value, text) in [
            (Unit::Seconds, 14.186_484_999_999_998, "14.2 s"),
            (Unit::Seconds, 0.333_333, "333 ms"),
            (Unit::Hz, 12_345.6, "12.3 kHz"),
            (Unit::Db, -0.999_99, "-1 dB"),
            (Unit::None, f64::NAN, "NaN"),
        ] {
            assert_eq!(unit.rounded(value), text);
        }
    }

    #[test]
    fn a_unit_says_what_is_meant() {
        for (unit, number, spelling, value) in [
            (Unit::Db, "50", "%", Some(Some(-6.0206))),
            (Unit::Db, "100", "%", Some(Some(0.0))),
            (Unit::Db, "2", "x", Some(Some(6.0206))),
            (Unit::Db, "0", "%", Some(None)),
            (Unit::Db, "-3", "dBFS", Some(Some(-3.0))),
            (Unit::Db, "3", "Hz", None),
            (Unit::Percent, "-6", "dB", Some(Some(0.5012))),
            (Unit::Percent, "1.5", "x", Some(Some(1.5))),
            (Unit::Hz, "1.5", "k", Some(Some(1500.0))),
            (Unit::Seconds, "2", "min", Some(Some(120.0))),
            (Unit::Seconds, "250", "us", Some(Some(0.00025))),
            (Unit::Kbps, "1500", "bps", Some(Some(1.5))),
            (Unit::None, "3", "dB", None),
        ] {
            assert_eq!(number_in(unit, number, spelling), value, "{number} {spelling}");
        }
    }

    #[test]
    fn what_is_no_finite_decimal_is_refused() {
        for text in ["", "-", "e3", "1e", "1e999", "inf", "nan", "1.2.3", "0x10", "1e99999999999"] {
            assert_eq!(parse_decimal(text, 0), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_exactly(
            value in prop_oneof![proptest::num::f64::NORMAL, -1e6..1e6f64, 0.0..1.0f64],
            unit in prop_oneof![
                Just(Unit::None),
                Just(Unit::Hz),
                Just(Unit::Db),
                Just(Unit::Seconds),
                Just(Unit::Percent),
                Just(Unit::Kbps)
            ],
        ) {
            let text = unit.written(value);
            let (number, spelling) = text.split_once(' ').unwrap_or((&text, ""));
            let power = unit.spellings().iter().find(|(name, _)| *name == spelling).map_or(0, |(_, power)| *power);
            prop_assert_eq!(parse_decimal(number, power), Some(value), "{}", text);
        }
    }
}
