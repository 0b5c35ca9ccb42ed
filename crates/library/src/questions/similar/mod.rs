//! Finds tracks that are similar to a given one, with reasons.
//!
//! The distance of two tracks is the weighted Euclidean distance on the library's [`Scale`], with weights normalised to
//! a sum of 1:
//!
//! ```text
//! d^2 = sum_j w_j delta_j^2 / sum_j w_j        score = 1 - clip(d, 0, 1)
//! ```
//!
//! so that `d` is the typical difference of the two tracks in units of the library's 5-to-95 % range. For a dimension
//! `j`:
//! - if both tracks have a value, `delta_j` is the difference of the scaled values;
//! - if one has none, their difference is unknown, and its expectation is used: `delta_j^2` is the mean squared
//!   difference of two tracks of this library ([`DimensionScale::spread`](super::scale::DimensionScale)). Leaving the dimension out and
//!   renormalising would favour tracks with few known values: the fewer dimensions, the more likely all are close by
//!   chance, and a track with one known value would be the nearest of all;
//! - if both have none (two pieces without a tempo), the dimension is left out of both sums.
//!
//! The given track is compared with all others: 25 multiplications per track, a million tracks in tens of milliseconds
//! on one core. An approximate index would save no noticeable time. Sums are computed in `f32`; the distances and
//! explanations of the results are computed again in `f64`. Equal distances are ordered by id.

mod nearest;
mod scan;
mod weights;

use std::collections::HashMap;

use serde::Serialize;

pub use weights::Weights;

use self::scan::{PreparedTrack, ValueBlocks};
use super::scale::Scale;
use super::table::{DIMENSION_COUNT, Row, Table, finite};
use analysis::features::dimensions::DIMENSIONS;
use base::declared::TS;
use base::error::{Error, Result};

/// The default number of results.
pub const DEFAULT_COUNT: usize = 10;

/// The parameters of a search, besides the track itself.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The weight of each dimension.
    pub weights: &'a Weights,
    /// Number of results.
    pub count: usize,
    /// Decides which tracks may be results, by their index in the table; `None` accepts all.
    pub accept: Option<&'a dyn Fn(usize) -> bool>,
}

/// A track that is similar to the given one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Neighbour {
    /// Its id.
    pub id: i64,
    /// 1 for equal, 0 at a distance of 1 or more.
    pub score: f64,
    /// The distance `d`.
    pub distance: f64,
    /// Every dimension that counted, largest share first.
    pub contributions: Vec<Contribution>,
}

/// The contribution of a dimension to a distance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, TS)]
#[ts(rename = "ContributionView")]
pub struct Contribution {
    /// The dimension's name.
    pub dimension: &'static str,
    /// The unit of the values. The window takes it from the dimension.
    #[ts(skip)]
    pub unit: &'static str,
    /// The value of the given track.
    pub asked: Option<f64>,
    /// The value of the neighbour.
    pub found: Option<f64>,
    /// `found - asked`: how much greater the neighbour's value is.
    #[ts(skip)]
    pub difference: Option<f64>,
    /// Its share of the squared distance. All shares sum to 1, or are 0 if the distance is 0.
    pub share: f64,
}

/// A library prepared for similarity searches.
#[derive(Debug)]
pub struct Similar {
    table: Table,
    scale: Scale,
    blocks: ValueBlocks,
    places: HashMap<i64, usize>,
}

impl Similar {
    /// Scales a library for searches. It takes about 300 bytes per track in total.
    pub fn new(table: Table) -> Self {
        let scale = Scale::of(&table);
        let blocks = ValueBlocks::of(&table, &scale);
        let places = table.ids().iter().enumerate().map(|(place, &id)| (id, place)).collect();
        Self { table, scale, blocks, places }
    }

    /// Returns the library's scale.
    pub fn scale(&self) -> &Scale {
        &self.scale
    }

    /// Returns the table of the library.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Returns the tracks nearest to one of the library, without that track itself.
    ///
    /// # Errors
    /// [`Error::Invalid`] if it has no value in a dimension with a weight.
    pub fn to_track(&self, id: i64, question: &Question) -> Result<Vec<Neighbour>> {
        let &place = self.places.get(&id).ok_or_else(|| Error::NotFound { what: "track", name: id.to_string() })?;
        let accept = |other| other != place && question.accept.is_none_or(|accept| accept(other));
        self.answer(&self.table.rows()[place], &Question { accept: Some(&accept), ..*question })
    }

    /// Returns the tracks nearest to given features, such as those of a file outside the library.
    ///
    /// # Errors
    /// [`Error::Impossible`] if they have no value in a dimension with a weight.
    pub fn to_features(&self, features: &Row, question: &Question) -> Result<Vec<Neighbour>> {
        self.answer(&features.map(finite), question)
    }

    fn answer(&self, features: &Row, question: &Question) -> Result<Vec<Neighbour>> {
        let scaled = self.scale.scaled(features);
        let weights = question.weights.normalized();
        if (0..DIMENSION_COUNT).all(|d| weights[d] == 0.0 || scaled[d].is_nan()) {
            return Err(Error::impossible(
                "This track has no value in any dimension that counts. Raise the weight of another dimension.",
            ));
        }
        let spread = self.scale.axes().map(|axis| axis.spread);
        let asked = PreparedTrack::new(&scaled, &weights, &spread);
        let places = nearest::nearest(&self.blocks, self.table.ids(), &asked, question);
        let mut found: Vec<Neighbour> =
            places.into_iter().map(|place| self.explained(features, place, &weights)).collect();
        found.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.id.cmp(&b.id)));
        found.truncate(question.count);
        Ok(found)
    }

    /// Returns a track with its distance and the contributions to it, computed in `f64`.
    fn explained(&self, features: &Row, place: usize, weights: &[f64; DIMENSION_COUNT]) -> Neighbour {
        let row = &self.table.rows()[place];
        let known = |value: f32| (!value.is_nan()).then_some(f64::from(value));
        let (mut total, mut counted) = (0.0, 0.0);
        let mut contributions = Vec::new();
        for (d, dimension) in DIMENSIONS.iter().enumerate().filter(|&(d, _)| weights[d] > 0.0) {
            let axis = &self.scale.axes()[d];
            let (asked, found) = (known(features[d]), known(row[d]));
            let squared = match (asked, found) {
                (Some(asked), Some(found)) => (axis.scaled(asked) - axis.scaled(found)).powi(2),
                (None, None) => continue,
                _ => axis.spread,
            };
            total += weights[d] * squared;
            counted += weights[d];
            contributions.push(Contribution {
                dimension: dimension.name,
                unit: dimension.unit,
                asked,
                found,
                difference: asked.zip(found).map(|(asked, found)| found - asked),
                share: weights[d] * squared,
            });
        }
        if total > 0.0 {
            contributions.iter_mut().for_each(|contribution| contribution.share /= total);
        }
        contributions.sort_by(|a, b| b.share.total_cmp(&a.share));
        let distance = (total / counted).sqrt();
        Neighbour { id: self.table.ids()[place], score: 1.0 - distance.clamp(0.0, 1.0), distance, contributions }
    }
}

#[cfg(test)]
mod tests;
