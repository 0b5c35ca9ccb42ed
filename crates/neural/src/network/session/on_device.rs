//! The parameters of a model in the order that a GPU reads them.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::network::{Lstm, Parameter, Parameters};
use base::error::Result;
use base::lock::lock;
use dsp::gpu::Constant;
use dsp::kernels::network::convolution::Kind;
use dsp::kernels::network::convolution::gpu::{Numbers, Weights};
use dsp::kernels::network::{lstm, nearest, norm};

/// The numbers that recordings read, made when they are first needed and shared by all of them.
#[derive(Debug, Default)]
pub(super) struct OnDevice {
    weights: Mutex<HashMap<(Parameter, usize, Option<usize>), Weights>>,
    numbers: Mutex<HashMap<[Option<Parameter>; 3], Numbers>>,
    plain: Mutex<HashMap<Parameter, Constant>>,
    norms: Mutex<HashMap<[Option<Parameter>; 2], Option<Constant>>>,
    books: Mutex<HashMap<Parameter, Constant>>,
    layers: Mutex<HashMap<[Parameter; 3], lstm::gpu::Weights>>,
}

impl OnDevice {
    pub fn weights(&self, parameters: &Parameters, weights: Parameter, kind: Kind, groups: usize) -> Weights {
        let shape = parameters.shape(weights);
        let (outputs, inputs, stride) = match kind {
            Kind::Forward { .. } => (shape[0], shape[1] * groups, None),
            Kind::Transposed { stride, .. } => (shape[1] * groups, shape[0], Some(stride)),
        };
        let make = || Weights::new(kind, groups, outputs, inputs, parameters.values(weights));
        lock(&self.weights).entry((weights, groups, stride)).or_insert_with(make).clone()
    }

    /// Bias, numbers of Snake, and gains.
    pub fn numbers(&self, parameters: &Parameters, of: [Option<Parameter>; 3]) -> Numbers {
        let [bias, alpha, gains] = of.map(|of| of.map(|of| &**parameters.values(of)));
        lock(&self.numbers).entry(of).or_insert_with(|| Numbers::new(bias, alpha, gains)).clone()
    }

    pub fn plain(&self, parameters: &Parameters, of: Parameter) -> Constant {
        lock(&self.plain).entry(of).or_insert_with(|| Constant::of(parameters.values(of))).clone()
    }

    pub fn norm(&self, of: [Option<Parameter>; 2], norm: &norm::Norm<'_>) -> Option<Constant> {
        lock(&self.norms).entry(of).or_insert_with(|| norm::gpu::constant(norm)).clone()
    }

    pub fn book(&self, of: Parameter, book: &nearest::Book, rows: &[f32]) -> Result<Constant> {
        if let Some(known) = lock(&self.books).get(&of) {
            return Ok(known.clone());
        }
        let made = nearest::gpu::constant(book, rows)?;
        Ok(lock(&self.books).entry(of).or_insert(made).clone())
    }

    pub fn layer(&self, parameters: &Parameters, of: &Lstm) -> Result<lstm::gpu::Weights> {
        let key = [of.input_weights, of.hidden_weights, of.bias];
        if let Some(known) = lock(&self.layers).get(&key) {
            return Ok(known.clone());
        }
        let shape = parameters.shape(of.input_weights);
        let [input, hidden, bias] = key.map(|parameter| parameters.values(parameter));
        let made = lstm::gpu::weights(shape[1], shape[0] / 4, input, hidden, bias)?;
        Ok(lock(&self.layers).entry(key).or_insert(made).clone())
    }
}
