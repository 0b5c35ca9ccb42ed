//! Weights of the dimensions in a comparison.

use serde::{Serialize, Serializer};

use crate::questions::query::nearest_name;
use crate::questions::table::DIMENSION_COUNT;
use analysis::features::dimensions::DIMENSIONS;
use base::error::{Error, Result};

/// Maximum weight of a dimension; 0 excludes it. Only the proportions of the weights matter.
const LARGEST: f64 = 1e6;

/// One weight per dimension, in the order of [`DIMENSIONS`]. At least one is not 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights([f64; DIMENSION_COUNT]);

impl Default for Weights {
    /// Returns the documented weights of the dimensions.
    fn default() -> Self {
        Self(std::array::from_fn(|d| DIMENSIONS[d].weight))
    }
}

impl Weights {
    /// Creates weights with any sum.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a weight is negative, `NaN` or above 1,000,000, or if all are 0.
    pub fn new(weights: [f64; DIMENSION_COUNT]) -> Result<Self> {
        for (weight, dimension) in weights.iter().zip(&DIMENSIONS) {
            check(dimension.name, *weight)?;
        }
        if weights.iter().all(|&weight| weight == 0.0) {
            return Err(Error::impossible("All weights are 0. Raise at least one."));
        }
        Ok(Self(weights))
    }

    /// Creates the documented weights with some replaced by name.
    pub fn with<'a>(changes: impl IntoIterator<Item = (&'a str, f64)>) -> Result<Self> {
        let mut weights = Self::default().0;
        for (name, weight) in changes {
            let Some(d) = DIMENSIONS.iter().position(|dimension| dimension.name == name) else {
                let names = || DIMENSIONS.iter().map(|dimension| dimension.name);
                let nearest =
                    nearest_name(name, names()).map_or(String::new(), |name| format!("; did you mean `{name}`?"));
                let allowed = format!("{}{nearest}", names().collect::<Vec<_>>().join(", "));
                return Err(Error::invalid("dimension", name, allowed));
            };
            weights[d] = weight;
        }
        Self::new(weights)
    }

    /// Returns the weights as given.
    pub fn values(&self) -> &[f64; DIMENSION_COUNT] {
        &self.0
    }

    /// Returns the weights in the same proportions, summing to 1.
    pub fn normalized(&self) -> [f64; DIMENSION_COUNT] {
        let sum: f64 = self.0.iter().sum();
        self.0.map(|weight| weight / sum)
    }
}

impl Serialize for Weights {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(DIMENSIONS.iter().map(|dimension| dimension.name).zip(self.0))
    }
}

fn check(name: &str, weight: f64) -> Result<()> {
    let is_allowed = (0.0..=LARGEST).contains(&weight);
    is_allowed.then_some(()).ok_or_else(|| {
        Error::invalid(format!("weight of {name}"), weight.to_string(), format!("0 to {LARGEST}, 0 leaving it out"))
    })
}
