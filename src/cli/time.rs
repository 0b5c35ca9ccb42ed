//! Positions in time, as typed by users.

use crate::error::{Error, Result};
use crate::units::SampleRate;

/// Returns the frame at a position written as seconds (`12.5`), `MIN:SEC`, `HH:MM:SEC`, or frames (`44100f`).
///
/// # Errors
/// [`Error::Invalid`] for any other text; it lists the accepted forms.
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
    fn times_are_written_with_thousandths() {
        assert_eq!(text_from_seconds(62.5), "1:02.500");
        assert_eq!(text_from_seconds(3723.0456), "1:02:03.046");
    }
}
