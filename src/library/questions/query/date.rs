//! Days of the Gregorian calendar, as milliseconds since 1970 in universal time.

/// A year, month or day as written: `2026`, `2026-03`, `2026-03-14`; its first millisecond and the first after it.
pub(super) fn span(text: &str) -> Option<(i64, i64)> {
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

/// Days from 1 January 1970 to the first of a month, the 13th being the next year's first. Leap years are counted up to
/// the end of the year before.
fn days(year: i64, month: i64) -> i64 {
    const BEFORE: [i64; 13] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
    let leap_days = |year: i64| year / 4 - year / 100 + year / 400;
    let is_leap = leap_days(year) != leap_days(year - 1);
    let in_year = BEFORE[(month - 1) as usize] + i64::from(is_leap && month > 2);
    365 * (year - 1970) + leap_days(year - 1) - leap_days(1969) + in_year
}

#[cfg(test)]
mod tests {
    use super::span;

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
