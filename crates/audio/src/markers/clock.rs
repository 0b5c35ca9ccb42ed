//! Times as text: seconds, or hours, minutes and seconds.

use super::scaled;
use base::units::SampleRate;

/// The longest time in seconds, some 300 years, so that frames of every sample rate fit.
const MAX_SECONDS: f64 = 1e10;

/// Reads `12.5`, `1:02.5` or `1:00:02.5` in seconds, with a point or a comma before the decimals. Times before 0, which
/// some programs write, are 0. Returns `None` for other text.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let mut parts = text.trim().splitn(4, ':').collect::<Vec<_>>();
    let last = parts.pop()?.replace(',', ".");
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'));
    let seconds: f64 = last.parse().ok().filter(|_| is_number)?;
    let whole = |text: &&str| text.trim().parse::<u32>().ok();
    let total = match parts.as_slice() {
        [] => seconds,
        [minutes] if (0.0..60.0).contains(&seconds) => f64::from(whole(minutes)?) * 60.0 + seconds,
        [hours, minutes] if (0.0..60.0).contains(&seconds) => {
            let minutes = whole(minutes).filter(|minutes| *minutes < 60)?;
            f64::from(whole(hours)?) * 3600.0 + f64::from(minutes) * 60.0 + seconds
        }
        _ => return None,
    };
    (total < MAX_SECONDS).then(|| total.max(0.0))
}

/// Returns the frame nearest to a time as text.
pub(super) fn frame(text: &str, rate: SampleRate) -> Option<u64> {
    seconds(text).map(|seconds| rate.frames_from_seconds(seconds))
}

/// Writes the time of a frame in seconds with six decimals, which is exact to the frame up to 768 kHz.
pub(super) fn with_microseconds(frame: u64, rate: SampleRate) -> String {
    let micros = scaled(frame, 1_000_000, u64::from(rate.hz()));
    format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

/// Returns the time of a frame in milliseconds.
pub(super) fn milliseconds(frame: u64, rate: SampleRate) -> u64 {
    scaled(frame, 1000, u64::from(rate.hz()))
}

/// Writes milliseconds as `0:00:00.000`; hours have at least `digits` digits.
pub(super) fn hours(milliseconds: u64, digits: usize) -> String {
    let (seconds, fraction) = (milliseconds / 1000, milliseconds % 1000);
    format!("{:0digits$}:{:02}:{:02}.{fraction:03}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_every_spelling() {
        for (text, expected) in [
            ("0", Some(0.0)),
            (" 12.5 ", Some(12.5)),
            ("12,5", Some(12.5)),
            ("1:02.5", Some(62.5)),
            ("01:00:02,250", Some(3602.25)),
            ("75:00", Some(4500.0)),
            ("-0.25", Some(0.0)),
            ("1e-3", Some(0.001)),
            ("1:60", None),
            ("1:-2", None),
            ("1:2:3:4", None),
            ("", None),
            ("1e99", None),
            ("nan", None),
            ("inf", None),
            ("1.2.3", None),
            (":", None),
        ] {
            assert_eq!(seconds(text), expected, "{text:?}");
        }
    }

    #[test]
    fn microseconds_are_exact_at_every_rate() {
        for hz in [1, 8000, 44_100, 96_000, 767_999, 768_000] {
            let rate = SampleRate::new(hz).unwrap();
            for frame in [0, 1, 2, 12_345, 172_800_001, 9_999_999_999] {
                assert_eq!(super::frame(&with_microseconds(frame, rate), rate), Some(frame), "{frame} at {hz}");
            }
        }
        assert_eq!(hours(3_723_004, 1), "1:02:03.004");
        assert_eq!(hours(3_723_004, 2), "01:02:03.004");
    }
}
