//! The points of a rate-quality plot.

use crate::codec_grid::{Results, summaries};
use analysis::compare::Measure;

/// A codec's settings, in the order of their bit rates.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    pub family: String,
    pub points: Vec<Point>,
    /// The settings that have no point, since all recordings came back without a difference.
    pub infinite: Vec<String>,
}

/// A setting: the mean over recordings.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    pub setting: String,
    pub kbps: f64,
    pub value: f64,
    pub sd: f64,
}

/// Returns the series of a measure, in the grid's order of codecs.
pub fn series(results: &Results, measure: &'static Measure) -> Vec<Series> {
    let Some(place) = results.grid.request.measures.iter().position(|requested| *requested == measure) else {
        return Vec::new();
    };
    let mut all: Vec<Series> = Vec::new();
    for summary in summaries(results, |_| true) {
        let codec = &results.grid.codecs[summary.codec];
        let index = all.iter().position(|series| series.family == codec.family()).unwrap_or(all.len());
        if index == all.len() {
            all.push(Series { family: codec.family().to_owned(), points: Vec::new(), infinite: Vec::new() });
        }
        let (setting, of_measure) = (codec.setting().to_owned(), &summary.measures[place]);
        match (of_measure.spread, summary.kbps) {
            (Some(spread), Some(kbps)) if kbps.mean > 0.0 => {
                let sd = spread.sd.unwrap_or(0.0);
                all[index].points.push(Point { setting, kbps: kbps.mean, value: spread.mean, sd });
            }
            (None, _) if of_measure.infinite > 0 => all[index].infinite.push(codec.name()),
            _ => {}
        }
    }
    all.iter_mut().for_each(|series| series.points.sort_by(|a, b| a.kbps.total_cmp(&b.kbps)));
    all
}
