//! Positions in time, as typed by users.

use crate::document::FrameRange;
use crate::error::{Error, Result};
use crate::units::SampleRate;

/// Returns the frame at a position written as seconds (`12.5`), `MIN:SEC`, `HH:MM:SEC`, or frames (`44100f`).
pub fn frame_from_text(what: &str, text: &str, rate: SampleRate) -> Result<u64> {
    let refuse = || Error::invalid(what, text, "seconds (12.5), MIN:SEC (1:02.5), HH:MM:SEC, or frames (44100f)");
    if let Some(frames) = text.strip_suffix('f') {
        return frames.parse().map_err(|_| refuse());
    }
    let parts: Vec<&str> = text.split(':').collect();
    let (seconds, larger) = parts.split_last().ok_or_else(refuse)?;
    if larger.len() > 2 {
        return Err(refuse());
    }
    let mut total = 0.0;
    for part in larger {
        let whole: u32 = part.parse().map_err(|_| refuse())?;
        total = (total + f64::from(whole)) * 60.0;
    }
    let seconds: f64 = seconds.parse().map_err(|_| refuse())?;
    if !seconds.is_finite() || seconds < 0.0 || (!larger.is_empty() && seconds >= 60.0) {
        return Err(refuse());
    }
    Ok(rate.frames_from_seconds(total + seconds))
}

/// Returns the part of a recording of `frames` frames that `--start` and `--end` give. A recording that ends earlier is
/// read to its end, with a warning.
///
/// # Errors
/// [`Error::Invalid`] for a start at or after the end of the recording, and for an end at or before the start.
pub fn range_from_texts(
    start: Option<&str>,
    end: Option<&str>,
    rate: SampleRate,
    frames: u64,
) -> Result<(FrameRange, Option<String>)> {
    let frame = |what, text: Option<&str>| text.map(|text| frame_from_text(what, text, rate)).transpose();
    let (from, to) = (frame("--start", start)?.unwrap_or(0), frame("--end", end)?.unwrap_or(frames));
    let time = |frame| text_from_seconds(rate.seconds_from_frames(frame));
    if from > 0 && from >= frames {
        let allowed = format!("before the end of the recording, {}", time(frames));
        return Err(Error::invalid("--start", start.unwrap_or_default(), allowed));
    }
    match end {
        Some(text) if to <= from => {
            Err(Error::invalid("--end", text, format!("after the start of the part, {}", time(from))))
        }
        Some(text) if to > frames => {
            let warning =
                format!("--end {text} is beyond the end of the recording, {}: it was read to there.", time(frames));
            Ok((FrameRange { start: from, end: frames }, Some(warning)))
        }
        _ => Ok((FrameRange { start: from, end: to }, None)),
    }
}

/// Formats seconds as `1:02:03.456` or `2:03.456`.
pub fn text_from_seconds(seconds: f64) -> String {
    let thousandths = (seconds * 1000.0).round() as u64;
    let (hours, rest) = (thousandths / 3_600_000, thousandths % 3_600_000);
    let (minutes, rest) = (rest / 60_000, rest % 60_000);
    let (seconds, thousandths) = (rest / 1000, rest % 1000);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}.{thousandths:03}")
    } else {
        format!("{minutes}:{seconds:02}.{thousandths:03}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_read_as_people_write_them() {
        let rate = SampleRate::new(1000).expect("a rate");
        let frame = |text| frame_from_text("start", text, rate).ok();
        assert_eq!(frame("12.5"), Some(12_500));
        assert_eq!(frame("1:02.5"), Some(62_500));
        assert_eq!(frame("1:00:01"), Some(3_601_000));
        assert_eq!(frame("77f"), Some(77));
        for wrong in ["", "x", "-1", "1:60", "1:2:3:4", "nan", "1:-2", "5ff", "1.5f", "inf"] {
            assert_eq!(frame(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_part_ends_with_the_recording() {
        let rate = SampleRate::new(1000).expect("a rate");
        let part = |start, end, frames| range_from_texts(start, end, rate, frames);
        let range = |start, end, frames| part(start, end, frames).map(|(range, _)| (range.start, range.end)).ok();
        assert_eq!(range(None, None, 2000), Some((0, 2000)));
        assert_eq!(range(Some("0.5"), Some("1500f"), 2000), Some((500, 1500)));
        assert_eq!(range(Some("1"), Some("5"), 2000), Some((1000, 2000)));
        assert_eq!(range(None, Some("2"), 2000), Some((0, 2000)));
        assert_eq!(range(Some("0"), Some("5"), 0), Some((0, 0)), "an empty recording");
        assert_eq!(range(None, None, 0), Some((0, 0)));
        for (start, end, frames) in [
            (Some("5"), Some("5"), 9000),
            (Some("5"), Some("4"), 9000),
            (None, Some("0"), 9000),
            (Some("9"), None, 9000),
            (Some("10"), Some("20"), 9000),
            (Some("1"), Some("2"), 0),
        ] {
            assert_eq!(range(start, end, frames), None, "{start:?} {end:?}");
        }
        let told = |start, end| part(start, end, 2000).map_or_else(|error| Some(error.to_string()), |(_, told)| told);
        let warning = "--end 5 is beyond the end of the recording, 0:02.000: it was read to there.";
        assert_eq!(told(None, Some("5")).as_deref(), Some(warning));
        assert_eq!(told(None, Some("2")), None);
        let late = "--start must be before the end of the recording, 0:02.000, not 2.";
        assert_eq!(told(Some("2"), Some("5")).as_deref(), Some(late));
        let empty = "--end must be after the start of the part, 0:01.000, not 1.";
        assert_eq!(told(Some("1"), Some("1")).as_deref(), Some(empty));
    }

    #[test]
    fn times_are_written_with_thousandths() {
        assert_eq!(text_from_seconds(62.5), "1:02.500");
        assert_eq!(text_from_seconds(3723.0456), "1:02:03.046");
    }
}
