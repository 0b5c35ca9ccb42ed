//! The numbers of a model.

use std::sync::Arc;

use base::error::{Error, Result};

/// One parameter of [`Parameters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Parameter(pub(super) u32);

/// The parameters of a model, which its graphs share. A clone shares the numbers.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    name: String,
    shape: Vec<usize>,
    values: Arc<[f32]>,
}

impl Parameters {
    /// Returns an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a parameter of a shape, in row-major order.
    pub fn add(&mut self, name: impl Into<String>, shape: &[usize], values: Vec<f32>) -> Result<Parameter> {
        let name = name.into();
        let count = shape.iter().try_fold(1_usize, |all, &size| all.checked_mul(size));
        if count != Some(values.len()) {
            return Err(Error::invalid(
                format!("parameter {name}"),
                format!("{} values", values.len()),
                format!("as many as its shape {shape:?} has"),
            ));
        }
        self.entries.push(Entry { name, shape: shape.to_vec(), values: values.into() });
        Ok(Parameter(self.entries.len() as u32 - 1))
    }

    /// Returns whether a parameter exists.
    pub fn contains(&self, parameter: Parameter) -> bool {
        (parameter.0 as usize) < self.entries.len()
    }

    /// Returns the name of a parameter.
    pub fn name(&self, parameter: Parameter) -> &str {
        &self.entry(parameter).name
    }

    /// Returns the shape of a parameter.
    pub fn shape(&self, parameter: Parameter) -> &[usize] {
        &self.entry(parameter).shape
    }

    /// Returns the values of a parameter in row-major order.
    pub fn values(&self, parameter: Parameter) -> &Arc<[f32]> {
        &self.entry(parameter).values
    }

    /// Returns all parameters.
    pub fn iter(&self) -> impl Iterator<Item = Parameter> {
        (0..self.entries.len() as u32).map(Parameter)
    }

    /// Returns the number of values of all parameters.
    pub fn count(&self) -> usize {
        self.entries.iter().map(|entry| entry.values.len()).sum()
    }

    fn entry(&self, parameter: Parameter) -> &Entry {
        &self.entries[parameter.0 as usize]
    }
}
