//! A line from the reference's clock to the other's.

use std::ops::Range;

/// Where a frame of the reference is in the other, in frames: `offset + slope frame`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::compare) struct Line {
    pub offset: f64,
    pub slope: f64,
}

impl Line {
    pub fn at(&self, frame: f64) -> f64 {
        self.offset + self.slope * frame
    }

    /// Returns the line from the other's clock to the reference's.
    pub fn inverted(self) -> Self {
        Self { offset: -self.offset / self.slope, slope: 1.0 / self.slope }
    }

    /// Returns the offset if it is whole and there is no drift.
    pub fn whole_offset(&self) -> Option<i64> {
        (self.slope == 1.0 && self.offset.fract() == 0.0).then_some(self.offset as i64)
    }

    /// Returns the frames of the reference, of `frames`, that lie within the `others` frames of the other.
    pub fn common(&self, frames: usize, others: usize) -> Range<usize> {
        let first = ((-self.offset) / self.slope).ceil().max(0.0);
        let end = ((others as f64 - 1.0 - self.offset) / self.slope).floor() + 1.0;
        let end = (end.max(0.0) as usize).min(frames);
        let first = (first as usize).min(end);
        first..end
    }
}

/// A place of one recording found in the other: the line should pass through it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// The frame of the reference.
    pub x: f64,
    /// The frame of the other.
    pub y: f64,
    /// How much it counts.
    pub weight: f64,
}

/// Fits a line to points by least squares; with less than two distinct places the slope stays `slope`.
pub(super) fn fitted(points: impl Iterator<Item = Point> + Clone, slope: f64) -> Option<Line> {
    let weight: f64 = points.clone().map(|point| point.weight).sum();
    if !(weight > 0.0) {
        return None;
    }
    let mean = |of: fn(&Point) -> f64| points.clone().map(|point| point.weight * of(&point)).sum::<f64>() / weight;
    let (x, y) = (mean(|point| point.x), mean(|point| point.y));
    // Deviations from a line of slope 1: slopes are near 1, and times may be long.
    let (mut xx, mut xd) = (0.0, 0.0);
    for point in points.clone() {
        let across = point.x - x;
        xx += point.weight * across * across;
        xd += point.weight * across * ((point.y - y) - across);
    }
    let slope = if xx > weight * 1e-6 { 1.0 + xd / xx } else { slope };
    Some(Line { offset: y - slope * x, slope })
}

/// Fits a line to points, some of which may be wrong: least squares, repeated with Tukey's weights of the deviations
/// from the last fit. Returns the line and the share of the weight that lies near it.
pub(super) fn robust(points: &[Point], start: Line, least_scale: f64) -> Option<(Line, f64)> {
    let total: f64 = points.iter().map(|point| point.weight).sum();
    let mut line = start;
    let mut share = 0.0;
    for _ in 0..8 {
        let mut off: Vec<(f64, f64)> = points.iter().map(|p| ((p.y - line.at(p.x)).abs(), p.weight)).collect();
        off.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut sum = 0.0;
        let half = off.iter().find(|(_, weight)| {
            sum += weight;
            sum >= total / 2.0
        });
        let scale = (1.483 * half?.0).max(least_scale);
        let kept = |point: &Point| {
            let u = (point.y - line.at(point.x)) / (4.7 * scale);
            Point { weight: point.weight * (1.0 - u * u).max(0.0).powi(2), ..*point }
        };
        let next = fitted(points.iter().map(kept), line.slope)?;
        share = points.iter().map(kept).filter(|p| p.weight > 0.0).map(|p| p.weight).sum::<f64>() / total;
        let moved = points.iter().map(|p| (next.at(p.x) - line.at(p.x)).abs()).fold(0.0, f64::max);
        line = next;
        if moved < 1e-7 {
            break;
        }
    }
    Some((line, share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_have_in_common() {
        let line = Line { offset: 10.0, slope: 1.0 };
        assert_eq!(line.common(100, 50), 0..40);
        assert_eq!(line.inverted().common(50, 100), 10..50);
        assert_eq!(Line { offset: -10.5, slope: 1.0 }.common(100, 50), 11..60);
        assert!(Line { offset: 500.0, slope: 1.0 }.common(100, 50).is_empty());
        assert!(Line { offset: -500.0, slope: 1.0 }.common(100, 50).is_empty());
    }

    #[test]
    fn wrong_points_do_not_move_a_line() {
        let line = Line { offset: 1234.5, slope: 1.000_2 };
        let point = |n: usize| {
            let x = n as f64 * 1e5;
            Point { x, y: line.at(x) + if n.is_multiple_of(3) { 77.0 } else { 0.0 }, weight: 1.0 }
        };
        let points: Vec<Point> = (0..30).map(point).collect();
        let (found, share) = robust(&points, Line { offset: 1236.0, slope: 1.000_2 }, 0.01).unwrap();
        assert!((found.offset - line.offset).abs() < 1e-6 && (found.slope - line.slope).abs() < 1e-12, "{found:?}");
        assert!((0.6..0.7).contains(&share), "{share}");
    }
}
