//! EnCodec (Défossez and others 2022, "High Fidelity Neural Audio Compression"): SEANet with two recurrent layers, and
//! residual vector quantisation.
//!
//! The model of 24 kHz is mono and causal: it runs on pieces of any size. The one of 48 kHz is stereo and normalises
//! over the whole of a piece; it codes pieces of 1 s every 0.99 s, each divided by its RMS.
//!
//! Source: `modeling_encodec.py` of transformers 5.24; encodec 0.1.1.

mod configuration;
mod names;

use serde_json::{Map, Value as Json};

pub use configuration::Configuration;

use super::seanet::Seanet;
use super::tensors::{Tensors, as_they_are};
use super::{CodecKind, CodecModel, Cutting, Facts, Piece, residual, settings};
use crate::network::{Builder, Graph, Parameter, Parameters, Shape};
use crate::weights::Weights;
use base::error::Result;

/// An EnCodec model.
#[derive(Debug)]
pub struct Encodec {
    configuration: Configuration,
    facts: Facts,
    parameters: Parameters,
    encoder: Seanet,
    decoder: Seanet,
    books: Vec<Parameter>,
}

impl Encodec {
    /// Returns whether weights are EnCodec's, in either naming.
    pub fn is_in(weights: &Weights) -> bool {
        let has = |start: &str| weights.names().any(|name| name.starts_with(start));
        has("encoder.layers.0.conv.") && has("quantizer.layers.") || names::is_of_package(weights)
    }

    /// Creates a model from its weights and a configuration in `transformers`' form. Without one, the configuration is
    /// derived from the shapes of tensors.
    pub fn new(configuration: Option<&Map<String, Json>>, weights: &Weights) -> Result<Self> {
        let is_of_package = names::is_of_package(weights);
        let configuration = match configuration {
            Some(values) => Configuration::read(values)?,
            None if is_of_package => names::told_by_shapes(weights, names::of_package)?,
            None => names::told_by_shapes(weights, as_they_are)?,
        };
        let form = &configuration.form;
        let mut tensors = Tensors::new(weights, if is_of_package { names::of_package } else { as_they_are });
        let encoder = Seanet::encoder(&mut tensors, form)?;
        let decoder = Seanet::decoder(&mut tensors, form)?;
        let shape = [configuration.book_size, form.hidden];
        let book = |n: usize| tensors.parameter(&format!("quantizer.layers.{n}.codebook.embed"), &shape);
        let books = (0..configuration.books).map(book).collect::<Result<_>>()?;
        let parameters = tensors.finish("EnCodec", names::is_training)?;
        let facts = Facts {
            kind: CodecKind::Encodec,
            rate: configuration.rate,
            channels: form.channels,
            hop: form.hop(),
            books: configuration.books,
            fewest_books: 1,
            book_size: configuration.book_size,
            bits: settings::bits_of(configuration.book_size),
            trained_kbps: configuration.trained_kbps.clone(),
        };
        Ok(Self { configuration, facts, parameters, encoder, decoder, books })
    }
}

impl CodecModel for Encodec {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn cutting(&self) -> Cutting {
        if let Some([frames, stride]) = self.configuration.segment {
            return Cutting::Segments { frames, stride, is_scaled: self.configuration.is_scaled };
        }
        let encoded = self.encoder.first_frames().div_ceil(self.facts.hop);
        Cutting::Stream { first_codes: encoded.max(self.decoder.first_frames()) }
    }

    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn encoder(&self, books: usize, piece: Piece) -> Result<Graph> {
        let mut b = Builder::new(&self.parameters);
        let x = b.input("sound", Shape::sequence(self.encoder.channels(), piece.length));
        let x = self.encoder.build(&mut b, x, piece)?;
        let codes = b.within("quantizer", |b| residual::encode(b, x, &self.books[..books.min(self.books.len())]))?;
        let codes = b.join(&codes)?;
        Ok(b.finish(vec![("codes".into(), codes)]))
    }

    fn decoder(&self, books: usize, piece: Piece) -> Result<Graph> {
        let books = &self.books[..books.min(self.books.len())];
        let mut b = Builder::new(&self.parameters);
        let codes = b.input("codes", Shape::sequence(books.len(), piece.length));
        let x = b.within("quantizer", |b| residual::decode(b, codes, 0, books))?;
        let sound = self.decoder.build(&mut b, x, piece)?;
        Ok(b.finish(vec![("sound".into(), sound)]))
    }

    fn latency_frames(&self) -> usize {
        self.configuration.segment.map_or(self.facts.hop, |[frames, _]| frames)
    }
}
