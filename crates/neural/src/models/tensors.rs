//! The tensors of a weight file as the parameters of a model.
//!
//! Weight norm, `w = g v / |v|` with the length over all dimensions but the first, is folded. The first dimension is the
//! output of a convolution, but the **input** of a transposed one: PyTorch stores these weights the other way round.

use std::collections::BTreeSet;

use crate::network::{Parameter, Parameters};
use crate::weights::Weights;
use base::error::{Error, Result};

/// The spellings of the two tensors of weight norm: length and direction.
const WEIGHT_NORM: [[&str; 2]; 2] =
    [["weight_g", "weight_v"], ["parametrizations.weight.original0", "parametrizations.weight.original1"]];

/// Takes tensors from a file under the names that the file has for them, and keeps which were taken.
pub struct Tensors<'w> {
    weights: &'w Weights,
    /// The names that the file can have for what `transformers` calls so.
    spelled: fn(&str) -> Vec<String>,
    taken: BTreeSet<String>,
    parameters: Parameters,
}

impl<'w> Tensors<'w> {
    /// Begins with a file. `spelled` returns the possible names in the file of a tensor with a name of `transformers`.
    pub fn new(weights: &'w Weights, spelled: fn(&str) -> Vec<String>) -> Self {
        Self { weights, spelled, taken: BTreeSet::new(), parameters: Parameters::new() }
    }

    /// Returns whether the file has a tensor.
    pub fn has(&self, name: &str) -> bool {
        (self.spelled)(name).iter().any(|name| self.weights.entry(name).is_some())
    }

    /// The name that the file has for a tensor; of a missing one, the first that it could have.
    fn name(&self, name: &str) -> String {
        let mut names = (self.spelled)(name);
        let found = names.iter().position(|name| self.weights.entry(name).is_some());
        names.swap_remove(found.unwrap_or(0))
    }

    /// Takes the numbers of a tensor in row-major order.
    ///
    /// # Errors
    /// [`Error::Invalid`] also for numbers that are infinite or `NaN`.
    pub fn take(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let name = self.name(name);
        let values = self.weights.tensor(&name, shape)?;
        if let Some(wrong) = values.iter().find(|value| !value.is_finite()) {
            return Err(Error::invalid(format!("tensor `{name}`"), wrong.to_string(), "of finite numbers"));
        }
        self.taken.insert(name);
        Ok(values)
    }

    /// Adds a parameter of numbers that were computed.
    pub fn add(&mut self, name: &str, shape: &[usize], values: Vec<f32>) -> Result<Parameter> {
        self.parameters.add(name, shape, values)
    }

    /// Takes a tensor unchanged.
    pub fn parameter(&mut self, name: &str, shape: &[usize]) -> Result<Parameter> {
        let values = self.take(name, shape)?;
        self.add(name, shape, values)
    }

    /// Takes the weights of a layer, with weight norm folded where the file has it apart.
    pub fn folded(&mut self, layer: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let apart = WEIGHT_NORM.map(|spelling| spelling.map(|end| format!("{layer}.{end}")));
        let Some([length, direction]) = apart.iter().find(|[length, _]| self.has(length)) else {
            return self.take(&format!("{layer}.weight"), shape);
        };
        let mut of_length = vec![1; shape.len()];
        of_length[0] = shape[0];
        let lengths = self.take(length, &of_length)?;
        let mut values = self.take(direction, shape)?;
        let size = shape[1..].iter().product::<usize>().max(1);
        for (row, &length) in values.chunks_mut(size).zip(&lengths) {
            let norm = row.iter().map(|&value| f64::from(value).powi(2)).sum::<f64>().sqrt();
            // A direction of no length has no weights; PyTorch would divide by zero.
            let scale = if norm > 0.0 { f64::from(length) / norm } else { 0.0 };
            row.iter_mut().for_each(|value| *value = (f64::from(*value) * scale) as f32);
        }
        Ok(values)
    }

    /// Takes the weights of a convolution along frames, `outputs x inputs x taps`.
    pub fn convolution(&mut self, layer: &str, [outputs, inputs, taps]: [usize; 3]) -> Result<Parameter> {
        let values = self.folded(layer, &[outputs, inputs, taps])?;
        self.add(&format!("{layer}.weight"), &[outputs, inputs, 1, taps], values)
    }

    /// Takes the weights of a linear layer, `outputs x inputs`.
    pub fn linear(&mut self, layer: &str, [outputs, inputs]: [usize; 2]) -> Result<Parameter> {
        let values = self.take(&format!("{layer}.weight"), &[outputs, inputs])?;
        self.add(&format!("{layer}.weight"), &[outputs, inputs, 1, 1], values)
    }

    /// Returns all parameters. `is_training` returns whether a name is only needed for training.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a tensor that was not taken.
    pub fn finish(self, model: &str, is_training: fn(&str) -> bool) -> Result<Parameters> {
        let left: Vec<&str> =
            self.weights.names().filter(|name| !self.taken.contains(*name) && !is_training(name)).collect();
        let Some(first) = left.first() else { return Ok(self.parameters) };
        let others = match left.len() - 1 {
            0 => String::new(),
            others => format!(" and {others} more"),
        };
        Err(Error::invalid(
            format!("weights of {model}"),
            format!("tensor `{first}`{others}, which the model has no place for"),
            "those of its configuration and no others",
        ))
    }
}

/// Returns names unchanged.
pub fn as_they_are(name: &str) -> Vec<String> {
    vec![name.to_owned()]
}
