//! A measure over time.

use std::borrow::Cow;
use std::ops::Range;

use serde::Serialize;

use super::reading::INFINITE;

/// A value of a curve, or why there is none.
pub(super) type Point = std::result::Result<f64, &'static str>;

/// A measure over time. Value `k` belongs to the time `start_s + k step_s` of the reference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// The time of the first value, in seconds.
    pub start_s: f64,
    /// The time from one value to the next, in seconds.
    pub step_s: f64,
    /// The values; `None` where there is none, as in silence.
    pub values: Vec<Option<f64>>,
    /// Why values are missing: every `None` lies in one gap. In order, without overlaps.
    pub gaps: Vec<Gap>,
}

/// Neighbouring values that are missing for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// The index of the first value.
    pub first: usize,
    /// The number of values.
    pub count: usize,
    /// Why they are missing.
    pub reason: Cow<'static, str>,
}

impl Curve {
    /// Creates a curve. Infinite values, which no axis has a place for, are missing.
    pub(super) fn new(start_s: f64, step_s: f64, points: impl IntoIterator<Item = Point>) -> Self {
        let mut curve = Self { start_s, step_s, values: Vec::new(), gaps: Vec::new() };
        for point in points {
            let point = match point {
                Ok(value) if value.is_finite() => Ok(value),
                Ok(value) if value.is_nan() => Err("not a number"),
                Ok(value) if value > 0.0 => Err(INFINITE),
                Ok(_) => Err("minus infinite: the two have nothing in common here"),
                Err(reason) => Err(reason),
            };
            curve.push(point.map_err(Cow::Borrowed));
        }
        curve
    }

    fn push(&mut self, point: std::result::Result<f64, Cow<'static, str>>) {
        let at = self.values.len();
        self.values.push(point.as_ref().ok().copied());
        let Err(reason) = point else { return };
        match self.gaps.last_mut() {
            Some(gap) if gap.first + gap.count == at && gap.reason == reason => gap.count += 1,
            _ => self.gaps.push(Gap { first: at, count: 1, reason }),
        }
    }

    /// Returns a curve at the same times that has no value, for one reason.
    pub(super) fn nothing(&self, reason: String) -> Self {
        let mut curve = Self { start_s: self.start_s, step_s: self.step_s, values: Vec::new(), gaps: Vec::new() };
        (0..self.values.len()).for_each(|_| curve.push(Err(Cow::Owned(reason.clone()))));
        curve
    }

    /// Returns the time of a value in the reference, in seconds.
    pub fn time_s(&self, index: usize) -> f64 {
        self.start_s + index as f64 * self.step_s
    }

    /// Returns why the value at `index` is missing; `None` if it is there or beyond the end.
    pub fn reason(&self, index: usize) -> Option<&str> {
        let gap = &self.gaps[self.gaps.partition_point(|gap| gap.first <= index).checked_sub(1)?];
        (index < gap.first + gap.count).then_some(&gap.reason)
    }

    /// Puts the curve of a pair on the time of the whole reference, where the frames of the pair are `stretches`.
    pub(super) fn placed(self, stretches: &[Range<usize>], rate_hz: f64) -> Self {
        let seconds = |frame: usize| frame as f64 / rate_hz;
        let [first, .., last] = stretches else {
            let by_s = stretches.first().map_or(0.0, |only| seconds(only.start));
            return Self { start_s: self.start_s + by_s, ..self };
        };
        let start_s = seconds(first.start) + self.start_s;
        let count = ((seconds(last.end) - start_s) / self.step_s).ceil().max(0.0) as usize;
        let mut placed = Self { start_s, step_s: self.step_s, values: Vec::new(), gaps: Vec::new() };
        // Where each stretch begins in the pair.
        let mut before = 0;
        let mut stretches = stretches.iter().peekable();
        for at in 0..count {
            let time = placed.time_s(at);
            while let Some(gone) = stretches.next_if(|stretch| seconds(stretch.end) <= time) {
                before += gone.len();
            }
            let within = stretches.peek().filter(|stretch| seconds(stretch.start) <= time);
            let Some(stretch) = within else {
                placed.push(Err(Cow::Borrowed("the other does not have this part")));
                continue;
            };
            let index =
                ((time - seconds(stretch.start) + seconds(before) - self.start_s) / self.step_s).round() as usize;
            placed.push(match self.values.get(index).copied().flatten() {
                Some(value) => Ok(value),
                None => Err(Cow::Owned(self.reason(index).unwrap_or("beyond the last window").to_owned())),
            });
        }
        placed
    }
}

/// Returns the mean of the channels that have a value, at each time; where none has, the first channel's reason.
pub(super) fn mean_curve(curves: &[Curve]) -> Option<Curve> {
    let first = curves.first()?;
    let longest = curves.iter().map(|curve| curve.values.len()).max()?;
    let mut mean = Curve { start_s: first.start_s, step_s: first.step_s, values: Vec::new(), gaps: Vec::new() };
    for at in 0..longest {
        let (mut sum, mut count) = (0.0, 0u32);
        for value in curves.iter().filter_map(|curve| curve.values.get(at).copied().flatten()) {
            sum += value;
            count += 1;
        }
        let reason = || curves.iter().find_map(|curve| curve.reason(at)).unwrap_or_default().to_owned();
        mean.push(if count > 0 { Ok(sum / f64::from(count)) } else { Err(Cow::Owned(reason())) });
    }
    Some(mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_missing_value_has_its_reason() {
        let points = [Ok(1.0), Err("silent"), Err("silent"), Ok(f64::INFINITY), Ok(2.0), Ok(f64::NAN)];
        let curve = Curve::new(0.5, 0.25, points);
        assert_eq!(curve.values, [Some(1.0), None, None, None, Some(2.0), None]);
        let reasons: Vec<Option<&str>> = (0..7).map(|at| curve.reason(at)).collect();
        assert_eq!(reasons[..3], [None, Some("silent"), Some("silent")]);
        assert_eq!(reasons[3..], [Some(INFINITE), None, Some("not a number"), None]);
        assert_eq!(curve.gaps.len(), 3);
        let later = 100..200;
        assert_eq!(curve.placed(std::slice::from_ref(&later), 100.0).time_s(2), 2.0);
    }

    #[test]
    fn pieces_keep_their_time() {
        // A second of each piece, in tenths; between them lies half a second that was cut.
        let curve = Curve::new(0.05, 0.1, (0..20).map(|at| Ok(f64::from(at))));
        let placed = curve.placed(&[100..200, 250..350], 100.0);
        assert_eq!((placed.start_s, placed.values.len()), (1.05, 25));
        assert_eq!(placed.values[9..16], [Some(9.0), None, None, None, None, None, Some(10.0)]);
        assert_eq!((placed.values[24], placed.reason(12)), (Some(19.0), Some("the other does not have this part")));
    }

    #[test]
    fn channels_without_a_value_do_not_count_at_that_time() {
        let curves = [
            Curve::new(0.0, 0.1, [Ok(1.0), Err("silent"), Err("silent")]),
            Curve::new(0.0, 0.1, [Ok(3.0), Ok(5.0), Err("other")]),
        ];
        let mean = mean_curve(&curves).unwrap();
        assert_eq!(mean.values, [Some(2.0), Some(5.0), None]);
        assert_eq!(mean.reason(2), Some("silent"));
        assert!(mean_curve(&[]).is_none());
    }
}
