//! Which tracks are like this one, and why.
//!
//! The distance of two tracks is the weighted Euclidean distance on the library's [`Scale`], the weights summing to 1:
//!
//! ```text
//! d^2 = sum_j w_j delta_j^2 / sum_j w_j        score = 1 - clip(d, 0, 1)
//! ```
//!
//! so that `d` is the typical difference of the two in units of the library's own 5-to-95 % spread. Of a dimension `j`:
//! - both have a value: `delta_j` is the difference of the scaled values;
//! - one has none: nothing is known of their difference, so what is expected of it stands for it, `delta_j^2` being the
//!   mean squared difference of two tracks of this library ([`Axis::spread`](super::scale::Axis)). Leaving it out and
//!   renormalising alone would favour tracks of which little is known: the fewer dimensions, the easier all happen to
//!   be near, and a track with one known value would be the nearest of all;
//! - both have none (two pieces without a tempo): there is nothing to compare, and it leaves both sums.
//!
//! All tracks are compared with the one asked for: 25 multiplications a track, a million in tens of milliseconds on one
//! core, so that an index which may miss some would save nothing that is felt. Sums are made in f32, the answers'
//! distances and explanations again in f64. Equal distances are ordered by id.

mod nearest;
mod scan;
mod weights;

use std::collections::HashMap;

use serde::Serialize;

pub use weights::Weights;

use self::scan::{Asked, Blocks};
use super::scale::Scale;
use super::table::{DIMENSION_COUNT, Row, Table, finite};
use crate::error::{Error, Result};
use crate::features::dimensions::DIMENSIONS;

/// How many tracks answer a question where nothing else is said.
pub const DEFAULT_COUNT: usize = 10;

/// What is asked beside the track itself.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// How much each dimension counts.
    pub weights: &'a Weights,
    /// Answers wanted.
    pub count: usize,
    /// Which tracks may answer, by their place in the table; all where none is given.
    pub accept: Option<&'a dyn Fn(usize) -> bool>,
}

/// A track that is like the one asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Neighbour {
    /// Its id.
    pub id: i64,
    /// 1 for equal, 0 for as far as the library is wide or farther.
    pub score: f64,
    /// The distance `d`.
    pub distance: f64,
    /// Every dimension that counted, the largest share first.
    pub contributions: Vec<Contribution>,
}

/// What a dimension adds to a distance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Contribution {
    /// The dimension's name.
    pub dimension: &'static str,
    /// The unit of the values.
    pub unit: &'static str,
    /// The value of the track asked for.
    pub asked: Option<f64>,
    /// The neighbour's value.
    pub found: Option<f64>,
    /// `found - asked`: what the neighbour has more.
    pub difference: Option<f64>,
    /// Its share of the squared distance; all shares sum to 1, or are 0 where the distance is.
    pub share: f64,
}

/// A library that questions of likeness are asked of.
#[derive(Debug)]
pub struct Similar {
    table: Table,
    scale: Scale,
    blocks: Blocks,
    places: HashMap<i64, usize>,
}

impl Similar {
    /// Scales a library for questions: some 300 bytes a track in all.
    pub fn new(table: Table) -> Self {
        let scale = Scale::of(&table);
        let blocks = Blocks::of(&table, &scale);
        let places = table.ids().iter().enumerate().map(|(place, &id)| (id, place)).collect();
        Self { table, scale, blocks, places }
    }

    /// The library's scale.
    pub fn scale(&self) -> &Scale {
        &self.scale
    }

    /// The library itself.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The tracks nearest to one of the library, itself left out.
    ///
    /// # Errors
    /// [`Error::NotFound`] when it is not in the table; [`Error::Invalid`] when nothing that counts is known of it.
    pub fn to_track(&self, id: i64, question: &Question) -> Result<Vec<Neighbour>> {
        let &place = self.places.get(&id).ok_or_else(|| Error::NotFound { what: "track", name: id.to_string() })?;
        let accept = |other| other != place && question.accept.is_none_or(|accept| accept(other));
        self.answer(&self.table.rows()[place], &Question { accept: Some(&accept), ..*question })
    }

    /// The tracks nearest to features that may come from anywhere, such as a file outside the library.
    ///
    /// # Errors
    /// [`Error::Invalid`] when nothing that counts is known of them.
    pub fn to_features(&self, features: &Row, question: &Question) -> Result<Vec<Neighbour>> {
        self.answer(&features.map(finite), question)
    }

    fn answer(&self, features: &Row, question: &Question) -> Result<Vec<Neighbour>> {
        let scaled = self.scale.scaled(features);
        let weights = question.weights.normalized();
        if (0..DIMENSION_COUNT).all(|d| weights[d] == 0.0 || scaled[d].is_nan()) {
            let allowed = "one with a value in a dimension whose weight is not 0";
            return Err(Error::invalid("track asked for", "no feature that counts", allowed));
        }
        let spread = self.scale.axes().map(|axis| axis.spread);
        let asked = Asked::new(&scaled, &weights, &spread);
        let places = nearest::nearest(&self.blocks, self.table.ids(), &asked, question);
        let mut found: Vec<Neighbour> =
            places.into_iter().map(|place| self.explained(features, place, &weights)).collect();
        found.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.id.cmp(&b.id)));
        found.truncate(question.count);
        Ok(found)
    }

    /// The distance to a track and what it is made of, in f64.
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
