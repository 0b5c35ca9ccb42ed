//! Converts rows of the image to items: sixteen differences of areas, two bits each.
#![allow(clippy::unreadable_literal, reason = "the numbers of the format are easiest compared as it has them")]

use super::chroma::{CLASSES, Row};

/// The shape of a difference: which part of a rectangle (windows by pitch classes) is compared with which.
#[derive(Clone, Copy)]
enum Comparison {
    /// The whole rectangle, compared with nothing.
    Whole,
    /// The upper half of the pitch classes, compared with the lower half.
    UpperLower,
    /// The later half of the windows, compared with the earlier half.
    LaterEarlier,
    /// Two diagonally opposite quarters, compared with the other two.
    Checkers,
    /// The middle third of the pitch classes, compared with the outer two thirds.
    MiddleClasses,
    /// The middle third of the windows, compared with the outer two thirds.
    MiddleWindows,
}

use Comparison::{Checkers, LaterEarlier, MiddleClasses, MiddleWindows, UpperLower, Whole};

/// A difference and the three thresholds between its four codes.
struct Classifier {
    shape: Comparison,
    /// The lowest pitch class.
    class: usize,
    /// Number of pitch classes covered.
    classes: usize,
    /// Number of windows covered.
    windows: usize,
    limits: [f64; 3],
}

const fn classifier(shape: Comparison, class: usize, classes: usize, windows: usize, limits: [f64; 3]) -> Classifier {
    Classifier { shape, class, classes, windows, limits }
}

/// The classifiers of algorithm 1, those of the highest bits first. They define the format.
const CLASSIFIERS: [Classifier; 16] = [
    classifier(Whole, 4, 3, 15, [1.98215, 2.35817, 2.63523]),
    classifier(MiddleClasses, 4, 6, 15, [-1.03809, -0.651211, -0.282167]),
    classifier(UpperLower, 0, 4, 16, [-0.298702, 0.119262, 0.558497]),
    classifier(Checkers, 8, 2, 12, [-0.105439, 0.0153946, 0.135898]),
    classifier(Checkers, 4, 4, 8, [-0.142891, 0.0258736, 0.200632]),
    classifier(MiddleClasses, 0, 3, 5, [-0.826319, -0.590612, -0.368214]),
    classifier(UpperLower, 2, 2, 9, [-0.557409, -0.233035, 0.0534525]),
    classifier(LaterEarlier, 7, 3, 4, [-0.0646826, 0.00620476, 0.0784847]),
    classifier(LaterEarlier, 6, 2, 16, [-0.192387, -0.029699, 0.215855]),
    classifier(LaterEarlier, 1, 3, 2, [-0.0397818, -0.00568076, 0.0292026]),
    classifier(MiddleWindows, 10, 1, 15, [-0.53823, -0.369934, -0.190235]),
    classifier(Checkers, 6, 2, 10, [-0.124877, 0.0296483, 0.139239]),
    classifier(LaterEarlier, 1, 1, 14, [-0.101475, 0.0225617, 0.231971]),
    classifier(Checkers, 5, 6, 4, [-0.0799915, -0.00729616, 0.063262]),
    classifier(UpperLower, 9, 2, 12, [-0.272556, 0.019424, 0.302559]),
    classifier(Checkers, 4, 2, 14, [-0.164292, -0.0321188, 0.0846339]),
];

/// Number of windows of the widest classifier.
pub(super) const WIDEST: usize = 16;

/// Cumulative sums over the rows so far. Only the rows that the next item needs are kept.
#[derive(Default)]
pub(super) struct Image {
    /// `sums[r % KEPT][c]` is the sum over rows `..=r` and pitch classes `..=c`.
    sums: [Row; WIDEST + 1],
    rows: usize,
}

const KEPT: usize = WIDEST + 1;

impl Image {
    /// Takes the next row. Returns the item of the last [`WIDEST`] rows, or `None` if there are not that many rows yet.
    pub fn push(&mut self, row: Row) -> Option<u32> {
        let above = if self.rows == 0 { [0.0; CLASSES] } else { self.sums[(self.rows - 1) % KEPT] };
        let to = &mut self.sums[self.rows % KEPT];
        let mut sum = 0.0;
        for class in 0..CLASSES {
            sum += row[class];
            to[class] = above[class] + sum;
        }
        self.rows += 1;
        let first = self.rows.checked_sub(WIDEST)?;
        Some(CLASSIFIERS.iter().fold(0, |bits, classifier| bits << 2 | self.code(classifier, first)))
    }

    fn code(&self, classifier: &Classifier, row: usize) -> u32 {
        let &Classifier { shape, class, classes, windows, limits } = classifier;
        // Sums windows `from_w..to_w` and pitch classes `from_c..to_c` of the rectangle.
        let area = |from_w: usize, to_w: usize, from_c: usize, to_c: usize| {
            self.area(row + from_w, row + to_w, class + from_c, class + to_c)
        };
        let (half_w, half_c, third_w, third_c) = (windows / 2, classes / 2, windows / 3, classes / 3);
        let (counted, against) = match shape {
            Whole => (area(0, windows, 0, classes), 0.0),
            UpperLower => (area(0, windows, half_c, classes), area(0, windows, 0, half_c)),
            LaterEarlier => (area(half_w, windows, 0, classes), area(0, half_w, 0, classes)),
            Checkers => (
                area(0, half_w, half_c, classes) + area(half_w, windows, 0, half_c),
                area(0, half_w, 0, half_c) + area(half_w, windows, half_c, classes),
            ),
            MiddleClasses => (
                area(0, windows, third_c, 2 * third_c),
                area(0, windows, 0, third_c) + area(0, windows, 2 * third_c, classes),
            ),
            MiddleWindows => (
                area(third_w, 2 * third_w, 0, classes),
                area(0, third_w, 0, classes) + area(2 * third_w, windows, 0, classes),
            ),
        };
        let value = ((1.0 + counted) / (1.0 + against)).ln();
        let level = limits.iter().filter(|&&limit| value >= limit).count() as u32;
        // Gray code: neighbouring levels differ in one bit.
        level ^ (level >> 1)
    }

    fn area(&self, from_row: usize, to_row: usize, from_class: usize, to_class: usize) -> f64 {
        if from_row == to_row || from_class == to_class {
            return 0.0;
        }
        let lower = &self.sums[(to_row - 1) % KEPT];
        let left = |row: &Row| if from_class == 0 { 0.0 } else { row[from_class - 1] };
        if from_row == 0 {
            lower[to_class - 1] - left(lower)
        } else {
            let upper = &self.sums[(from_row - 1) % KEPT];
            lower[to_class - 1] - upper[to_class - 1] - left(lower) + left(upper)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::chromaprint::SILENCE;

    #[test]
    fn silence_has_an_item_of_its_own() {
        let mut image = Image::default();
        for _ in 1..WIDEST {
            assert_eq!(image.push([0.0; CLASSES]), None);
        }
        for _ in 0..40 {
            assert_eq!(image.push([0.0; CLASSES]), Some(SILENCE));
        }
    }

    #[test]
    fn areas_are_sums() {
        let mut image = Image::default();
        let value = |row: usize, class: usize| ((row * 31 + class * 17) % 23) as f64;
        for row in 0..50 {
            image.push(std::array::from_fn(|class| value(row, class)));
        }
        for (from_row, to_row, from_class, to_class) in
            [(34, 50, 0, 12), (40, 41, 3, 4), (36, 44, 2, 9), (37, 37, 0, 1)]
        {
            let expected: f64 = (from_row..to_row).flat_map(|r| (from_class..to_class).map(move |c| value(r, c))).sum();
            assert!((image.area(from_row, to_row, from_class, to_class) - expected).abs() < 1e-9);
        }
    }
}
