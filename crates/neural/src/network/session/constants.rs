//! The parameters of a model in the order that kernels read them, prepared when first needed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::on_device::OnDevice;
use crate::network::{Lstm, Parameter, Parameters};
use base::lock::lock;
use dsp::kernels::network::convolution::{Kind, Weights};
use dsp::kernels::network::{lstm, nearest};

/// The weights of a model, prepared once for all its graphs.
#[derive(Debug)]
pub struct Constants {
    parameters: Parameters,
    weights: Mutex<HashMap<(Parameter, usize, Option<usize>), Arc<Weights>>>,
    books: Mutex<HashMap<Parameter, Arc<nearest::Book>>>,
    layers: Mutex<HashMap<[Parameter; 3], Arc<lstm::Layer>>>,
    pub(super) device: OnDevice,
}

impl Constants {
    /// Takes the parameters of a model, which share their numbers with it.
    pub fn new(parameters: &Parameters) -> Arc<Self> {
        Arc::new(Self {
            parameters: parameters.clone(),
            weights: Mutex::default(),
            books: Mutex::default(),
            layers: Mutex::default(),
            device: OnDevice::default(),
        })
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    pub(super) fn weights(&self, parameter: Parameter, kind: Kind, groups: usize) -> Arc<Weights> {
        let stride = match kind {
            Kind::Forward { .. } => None,
            Kind::Transposed { stride, .. } => Some(stride),
        };
        let make = || {
            let shape = self.parameters.shape(parameter);
            let (outputs, inputs) = match kind {
                Kind::Forward { .. } => (shape[0], shape[1] * groups),
                Kind::Transposed { .. } => (shape[1] * groups, shape[0]),
            };
            Arc::new(Weights::new(kind, groups, outputs, inputs, self.parameters.values(parameter)))
        };
        Arc::clone(lock(&self.weights).entry((parameter, groups, stride)).or_insert_with(make))
    }

    pub(super) fn book(&self, parameter: Parameter) -> Arc<nearest::Book> {
        let components = self.parameters.shape(parameter)[1];
        let make = || Arc::new(nearest::Book::new(self.parameters.values(parameter), components));
        Arc::clone(lock(&self.books).entry(parameter).or_insert_with(make))
    }

    pub(super) fn layer(&self, of: &Lstm) -> Arc<lstm::Layer> {
        let parameters = [of.input_weights, of.hidden_weights, of.bias];
        let make = || {
            let shape = self.parameters.shape(of.input_weights);
            let [input, hidden, bias] = parameters.map(|parameter| self.parameters.values(parameter));
            Arc::new(lstm::Layer::new(shape[1], shape[0] / 4, input, hidden, bias))
        };
        Arc::clone(lock(&self.layers).entry(parameters).or_insert_with(make))
    }
}
