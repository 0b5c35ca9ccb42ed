//! What a causal model remembers from one piece of sound to the next.

use std::collections::BTreeMap;

use super::Shape;

/// The values that a model remembers, by name. What is not there yet counts as zeros.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    values: BTreeMap<String, (Shape, Vec<f32>)>,
    /// The number of frames that came before, at the rate of each sequence with positions.
    positions: BTreeMap<String, u64>,
}

impl State {
    /// Returns the state before the first piece.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the values under a name, or zeros of that shape.
    pub fn get(&self, name: &str, shape: Shape) -> Vec<f32> {
        match self.values.get(name) {
            Some((kept, values)) if *kept == shape => values.clone(),
            _ => vec![0.0; shape.len()],
        }
    }

    /// Keeps values under a name.
    pub fn set(&mut self, name: &str, shape: Shape, values: Vec<f32>) {
        self.values.insert(name.to_owned(), (shape, values));
    }

    /// Returns how many frames of the sequence of that name came before.
    pub fn position(&self, name: &str) -> u64 {
        self.positions.get(name).copied().unwrap_or(0)
    }

    /// Notes that `frames` frames of the sequence of that name were taken.
    pub fn advance(&mut self, name: &str, frames: u64) {
        *self.positions.entry(name.to_owned()).or_default() += frames;
    }
}
