//! Summaries of cells: the mean and the spread over recordings.

use serde::Serialize;

use super::cell::{Measured, ReadValue};
use super::{Cell, Results};
use base::declared::TS;

/// The mean of some numbers, and how they spread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of a sample (divided by n - 1); `None` for a single number.
    pub sd: Option<f64>,
    /// The least.
    #[ts(skip)]
    pub min: f64,
    /// The greatest.
    #[ts(skip)]
    pub max: f64,
    /// How many they are.
    #[ts(skip)]
    pub count: usize,
}

impl Spread {
    /// Returns the spread of finite numbers; `None` if there are none.
    pub fn of(numbers: &[f64]) -> Option<Self> {
        let count = numbers.len();
        if count == 0 {
            return None;
        }
        let mean = numbers.iter().sum::<f64>() / count as f64;
        let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
        Some(Self {
            mean,
            sd: (count > 1).then(|| (squares / (count - 1) as f64).sqrt()),
            min: numbers.iter().copied().fold(f64::INFINITY, f64::min),
            max: numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            count,
        })
    }
}

/// The values of a measure over several recordings. Infinite and missing values do not count in the mean; they are
/// counted separately.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasureSummary {
    /// The mean and spread of the numbers.
    #[serde(flatten)]
    pub spread: Option<Spread>,
    /// The recordings that do not differ at all.
    pub infinite: usize,
    /// The recordings without a value.
    pub missing: usize,
}

/// The results of a codec over several recordings.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The codec, as an index of the grid.
    pub codec: usize,
    /// The recordings that were measured.
    pub measured: usize,
    /// The recordings that failed.
    pub failed: usize,
    /// The bit rate that was reached in kbit/s.
    pub kbps: Option<Spread>,
    /// The algorithmic delay in milliseconds.
    pub latency_ms: Option<Spread>,
    /// Seconds of sound encoded in a second: all sound over all time.
    pub encode_speed: Option<f64>,
    /// Seconds of sound decoded in a second.
    pub decode_speed: Option<f64>,
    /// The summary of each measure of the grid, in the grid's order.
    pub measures: Vec<MeasureSummary>,
}

/// Returns a summary for each codec, in the grid's order, over the cells that `belongs` selects. Codecs without such a
/// cell are left out.
pub fn summaries(results: &Results, belongs: impl Fn(&Cell) -> bool) -> Vec<Summary> {
    let mut of_codecs: Vec<Vec<&Cell>> = vec![Vec::new(); results.grid.codecs.len()];
    results.cells.iter().filter(|cell| belongs(cell)).for_each(|cell| of_codecs[cell.codec].push(cell));
    let has_cells = |(_, cells): &(usize, &Vec<&Cell>)| !cells.is_empty();
    of_codecs.iter().enumerate().filter(has_cells).map(|(codec, cells)| summary(results, codec, cells)).collect()
}

fn summary(results: &Results, codec: usize, cells: &[&Cell]) -> Summary {
    let measured: Vec<&Measured> = cells.iter().filter_map(|cell| cell.outcome.as_ref().ok()).collect();
    let spread = |of: &dyn Fn(&Measured) -> f64| Spread::of(&measured.iter().map(|cell| of(cell)).collect::<Vec<_>>());
    let speed = |of: &dyn Fn(&Measured) -> f64| {
        let taken: f64 = measured.iter().map(|cell| of(cell)).sum();
        (taken > 0.0).then(|| measured.iter().map(|cell| cell.duration_s).sum::<f64>() / taken)
    };
    let of_measure = |measure| {
        let values: Vec<&ReadValue> = measured.iter().filter_map(|cell| cell.value(measure)).collect();
        let numbers: Vec<f64> = values
            .iter()
            .filter_map(|value| if let ReadValue::Number(number) = value { Some(*number) } else { None })
            .collect();
        let infinite = values.iter().filter(|value| matches!(value, ReadValue::Infinite)).count();
        MeasureSummary { missing: measured.len() - infinite - numbers.len(), spread: Spread::of(&numbers), infinite }
    };
    Summary {
        codec,
        measured: measured.len(),
        failed: cells.len() - measured.len(),
        kbps: spread(&|cell| cell.kbps),
        latency_ms: spread(&|cell| 1000.0 * cell.latency_frames as f64 / cell.coded_rate.as_f64()),
        encode_speed: speed(&|cell| cell.seconds.encode),
        decode_speed: speed(&|cell| cell.seconds.decode),
        measures: results.grid.request.measures.iter().map(|&measure| of_measure(measure)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_spread_are_those_of_a_sample() {
        let spread = Spread::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((spread.mean, spread.min, spread.max, spread.count), (5.0, 2.0, 9.0, 8));
        assert!((spread.sd.unwrap() - (32.0f64 / 7.0).sqrt()).abs() < 1e-12);
        assert_eq!(Spread::of(&[3.0]).unwrap().sd, None);
        assert_eq!(Spread::of(&[]), None);
    }
}
