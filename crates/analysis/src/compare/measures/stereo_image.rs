//! Differences of the stereo image: width, correlation, balance.

use super::curve::Point;
use super::frame_ratios::{IN_TENTHS, SILENT_OTHER, SILENT_REFERENCE, of_tenths, step};
use super::{Direction, Measure, Outcome, OverTime, Reading};
use crate::compare::pair::Pair;

pub(super) const WIDTH: Measure = Measure {
    name: "width_difference",
    title: "Width difference",
    unit: "1",
    direction: Direction::NearZero,
    range: "-1 to 1; positive if the other is wider",
    definition: "side's share of the energy, S / (M + S), M and S the energies of (left + right)/2 and (left - right)/2, of \
                 the other less the reference's; two channels",
    source: "this program (`width` of the features)",
    decimals: 4,
    needs_alignment: false,
    over_time: Some(OverTime { unit: "1", definition: IN_TENTHS }),
    compute: |pair, curves, _| Ok(measured(pair, curves, width)),
};

pub(super) const CORRELATION: Measure = Measure {
    name: "correlation_difference",
    title: "Correlation difference",
    unit: "1",
    direction: Direction::NearZero,
    range: "-2 to 2; negative if the other's channels have less in common",
    definition: "sum left right / sqrt(sum left^2 sum right^2) of the other less the reference's; two channels",
    source: "correlation meter, as in `measure::stereo`",
    decimals: 4,
    needs_alignment: false,
    over_time: Some(OverTime { unit: "1", definition: IN_TENTHS }),
    compute: |pair, curves, _| Ok(measured(pair, curves, correlation)),
};

pub(super) const BALANCE: Measure = Measure {
    name: "balance_difference",
    title: "Balance difference",
    unit: "dB",
    direction: Direction::NearZero,
    range: "any; positive if the other lies further to the right",
    definition: "10 log10(sum right^2 / sum left^2) of the other less the reference's; two channels",
    source: "this program",
    decimals: 2,
    needs_alignment: false,
    over_time: Some(OverTime { unit: "dB", definition: IN_TENTHS }),
    compute: |pair, curves, _| Ok(measured(pair, curves, balance)),
};

/// Sums over two channels.
#[derive(Clone, Copy, Debug, Default)]
struct Image {
    left: f64,
    right: f64,
    both: f64,
}

impl Image {
    fn of(left: &[f32], right: &[f32]) -> Self {
        let mut sums = Self::default();
        for (l, r) in left.iter().zip(right) {
            let (l, r) = (f64::from(*l), f64::from(*r));
            sums.left += l * l;
            sums.right += r * r;
            sums.both += l * r;
        }
        sums
    }

    fn added(self, other: Self) -> Self {
        Self { left: self.left + other.left, right: self.right + other.right, both: self.both + other.both }
    }
}

/// A value of one image; `None` if it has none.
type Value = fn(Image) -> Option<f64>;

fn width(image: Image) -> Option<f64> {
    let total = image.left + image.right;
    // Rounding must not make the side of equal channels negative.
    (total > 0.0).then(|| ((total - 2.0 * image.both) / total / 2.0).clamp(0.0, 1.0))
}

fn correlation(image: Image) -> Option<f64> {
    let norm = (image.left * image.right).sqrt();
    (norm > 0.0).then(|| (image.both / norm).clamp(-1.0, 1.0))
}

fn balance(image: Image) -> Option<f64> {
    (image.left > 0.0 && image.right > 0.0).then(|| 10.0 * (image.right / image.left).log10())
}

fn measured(pair: &Pair, curves: bool, value: Value) -> Reading {
    if pair.channels() != 2 {
        return Reading::missing("two channels have a stereo image, and these have not two");
    }
    let tenth = step(pair.rate);
    let images = |channels: &[Vec<f32>]| -> Vec<Image> {
        channels[0].chunks(tenth).zip(channels[1].chunks(tenth)).map(|(l, r)| Image::of(l, r)).collect()
    };
    let [reference, other] = [images(&pair.reference), images(&pair.other)];
    let all = |images: &[Image]| images.iter().copied().fold(Image::default(), Image::added);
    let whole = Outcome::of(difference(all(&reference), all(&other), value));
    let points = || reference.iter().zip(&other).map(|(r, o)| difference(*r, *o, value));
    Reading::of_whole(whole, curves.then(|| of_tenths(pair.rate, points())))
}

fn difference(reference: Image, other: Image, value: Value) -> Point {
    let silent =
        |image: Image, all: &'static str| if image.left + image.right > 0.0 { "a channel is silent" } else { all };
    let reference_value = value(reference).ok_or_else(|| silent(reference, SILENT_REFERENCE))?;
    Ok(value(other).ok_or_else(|| silent(other, SILENT_OTHER))? - reference_value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::noise::noise;
    use base::units::SampleRate;

    fn pair(reference: [Vec<f32>; 2], other: [Vec<f32>; 2]) -> Pair {
        Pair::new(SampleRate::new(44_100).unwrap(), reference.to_vec(), other.to_vec())
    }

    #[test]
    fn what_is_done_to_an_image_is_measured() {
        let (a, b) = (noise(1, 44_100), noise(2, 44_100));
        let half: Vec<f32> = b.iter().map(|x| 0.5 * x).collect();
        let value = |of: Value, pair: &Pair| measured(pair, true, of).whole.value().unwrap();
        let apart = [a.clone(), b.clone()];
        let mono = pair(apart.clone(), [a.clone(), a.clone()]);
        assert!((value(width, &mono) + 0.5).abs() < 0.01 && (value(correlation, &mono) - 1.0).abs() < 0.02);
        let left = pair(apart.clone(), [a.clone(), half]);
        assert!((value(balance, &left) + 6.0206).abs() < 1e-4, "{}", value(balance, &left));
        let same = pair(apart.clone(), apart.clone());
        for of in [width as Value, correlation, balance] {
            let reading = measured(&same, true, of);
            assert_eq!(reading.whole, Outcome::Value(0.0));
            assert!(reading.curve.unwrap().values.iter().all(|value| *value == Some(0.0)));
        }
        let silent = pair(apart, [vec![0.0; 44_100], vec![0.0; 44_100]]);
        assert_eq!(measured(&silent, false, balance).whole, Outcome::Missing(SILENT_OTHER.to_owned()));
    }

    #[test]
    fn one_channel_has_no_image() {
        let one = Pair::new(SampleRate::new(44_100).unwrap(), vec![noise(1, 100)], vec![noise(1, 100)]);
        assert!(measured(&one, false, width).whole.value().is_none());
    }
}
