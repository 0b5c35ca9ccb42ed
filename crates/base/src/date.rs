//! Dates of the Gregorian calendar, as milliseconds since 1970 in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the current time.
pub fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}

/// Parses a year, month or day such as `2026`, `2026-03`, `2026-03-14`. Returns its first millisecond and the first one
/// after it.
pub fn span(text: &str) -> Option<(i64, i64)> {
    let digits = |part: &str, count: usize| {
        (part.len() == count && part.bytes().all(|b| b.is_ascii_digit())).then(|| part.parse::<i64>().ok()).flatten()
    };
    let mut parts = text.split('-');
    let year = digits(parts.next()?, 4).filter(|year| *year >= 1)?;
    let month = parts.next().map(|part| digits(part, 2).filter(|month| (1..=12).contains(month)));
    let day = parts.next().map(|part| digits(part, 2));
    if parts.next().is_some() {
        return None;
    }
    let (first, last) = match (month, day) {
        (None, _) => (days(year, 1), days(year + 1, 1)),
        (Some(month), None) => (days(year, month?), days(year, month? + 1)),
        (Some(month), Some(day)) => {
            let first = days(year, month?) + day? - 1;
            ((1..=days(year, month? + 1) - days(year, month?)).contains(&day?)).then_some((first, first + 1))?
        }
    };
    Some((first * 86_400_000, last * 86_400_000))
}

/// Returns the days from 1 January 1970 to the first of a month. Month 13 is January of the next year. Leap days are
/// counted up to the end of the previous year.
fn days(year: i64, month: i64) -> i64 {
    const BEFORE: [i64; 13] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
    let leap_days = |year: i64| year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let is_leap = leap_days(year) != leap_days(year - 1);
    let in_year = BEFORE[(month - 1) as usize] + i64::from(is_leap && month > 2);
    365 * (year - 1970) + leap_days(year - 1) - leap_days(1969) + in_year
}

/// Formats a time in milliseconds since 1970 as in RFC 3339: `2026-03-14T12:00:00.000Z`. Years beyond 9999 have as many
/// digits as necessary.
pub fn moment(ms: i64) -> String {
    const DAY_MS: i64 = 86_400_000;
    let (day, in_day) = (ms.div_euclid(DAY_MS), ms.rem_euclid(DAY_MS));
    // The estimate by the mean length of a year is off by less than two years.
    let estimate = 1970 + (day as f64 / 365.2425).floor() as i64;
    let year = (estimate - 2..estimate + 3).find(|&year| days(year + 1, 1) > day).unwrap_or(estimate);
    let month = (1..=12).rev().find(|&month| days(year, month) <= day).unwrap_or(1);
    let date = day - days(year, month) + 1;
    let (seconds, ms) = (in_day / 1000, in_day % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

#[cfg(test)]
mod tests {
    use super::{moment, span};

    #[test]
    fn moments_are_written_as_clocks_write_them() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            // date -u -d @1773489600
            (1_773_489_600_123, "2026-03-14T12:00:00.123Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (1_798_761_599_999, "2026-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(moment(ms), text);
        }
        for day in (-200_000..200_000).step_by(97) {
            let text = moment(day * 86_400_000);
            assert_eq!(span(&text[..10]).map(|(first, _)| first), Some(day * 86_400_000), "{text}");
        }
        // Any value from a database can be formatted.
        moment(i64::MAX);
        moment(i64::MIN);
    }

    #[test]
    fn days_are_counted_as_clocks_count_them() {
        const DAY: i64 = 86_400_000;
        assert_eq!(span("1970"), Some((0, 365 * DAY)));
        assert_eq!(span("1970-01-01"), Some((0, DAY)));
        // date -u -d 2026-03-14 +%s
        assert_eq!(span("2026-03-14"), Some((1_773_446_400_000, 1_773_532_800_000)));
        assert_eq!(span("2000-02").map(|(from, to)| (to - from) / DAY), Some(29));
        assert_eq!(span("1900-02").map(|(from, to)| (to - from) / DAY), Some(28));
        assert_eq!(span("2024-12").map(|(from, to)| (to - from) / DAY), Some(31));
        assert_eq!(span("1969-12-31"), Some((-DAY, 0)));
        for wrong in ["", "26", "2026-", "2026-13", "2026-00", "2026-02-29", "2026-1-1", "2026-01-01-01", "0000"] {
            assert_eq!(span(wrong), None, "{wrong}");
        }
    }
}
