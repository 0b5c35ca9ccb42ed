//! DAC, the Descript Audio Codec (Kumar and others 2023, "High-Fidelity Audio Compression with Improved RVQGAN"):
//! convolutions with Snake activations, and quantisation in a space of few components.
//!
//! Convolutions have zeros on both sides, so a code depends on the sound before and after it. Long sounds are therefore
//! processed in pieces with context on both sides, with the same result as the whole.
//!
//! The vector of a frame is projected to few components. The nearest row of the book is searched with both at unit
//! length; the row itself, not its unit vector, is projected back.
//!
//! Source: `modeling_dac.py` of transformers 5.24, whose `DacModel` this follows; descript-audio-codec 1.0.0.

mod configuration;
mod layers;
mod names;
mod reach;

use serde_json::{Map, Value as Json};

pub use configuration::Configuration;
use layers::{Projections, Unit};

use super::tensors::{Tensors, as_they_are};
use super::{Chunks, CodecKind, CodecModel, Cutting, Facts, Piece, settings};
use crate::network::{Activation, Builder, Graph, Parameters, Shape};
use crate::weights::Weights;
use base::error::Result;

/// A DAC model.
#[derive(Debug)]
pub struct Dac {
    configuration: Configuration,
    facts: Facts,
    parameters: Parameters,
    encoder: Vec<Unit>,
    decoder: Vec<Unit>,
    books: Vec<Projections>,
}

impl Dac {
    /// Returns whether weights are DAC's, in either naming.
    pub fn is_in(weights: &Weights) -> bool {
        let has = |start: &str| weights.names().any(|name| name.starts_with(start));
        has("quantizer.quantizers.") && (has("decoder.block.0.conv_t1.") || names::is_of_package(weights))
    }

    /// Creates a model from its weights and a configuration in `transformers`' form. Without one, the configuration is
    /// derived from the shapes of tensors and the checkpoint's metadata.
    pub fn new(configuration: Option<&Map<String, Json>>, weights: &Weights) -> Result<Self> {
        let spelled = if names::is_of_package(weights) { names::of_package } else { as_they_are };
        let configuration = match configuration {
            Some(values) => Configuration::read(values)?,
            None => names::told_by_shapes(weights, spelled)?,
        };
        let mut tensors = Tensors::new(weights, spelled);
        let encoder = layers::encoder(&mut tensors, &configuration)?;
        let decoder = layers::decoder(&mut tensors, &configuration)?;
        let book = |n: usize| Projections::take(&mut tensors, &format!("quantizer.quantizers.{n}"), &configuration);
        let books = (0..configuration.books).map(book).collect::<Result<_>>()?;
        let parameters = tensors.finish("DAC", |_| false)?;
        let mut facts = Facts {
            kind: CodecKind::Dac,
            rate: configuration.rate,
            channels: 1,
            hop: configuration.encoder_ratios.iter().product(),
            books: configuration.books,
            fewest_books: 1,
            book_size: configuration.book_size,
            bits: settings::bits_of(configuration.book_size),
            trained_kbps: Vec::new(),
        };
        facts.trained_kbps = vec![facts.kbps(facts.books)];
        Ok(Self { configuration, facts, parameters, encoder, decoder, books })
    }
}

impl CodecModel for Dac {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn cutting(&self) -> Cutting {
        let [before, after] = reach::of_encoder(&self.configuration);
        let [earlier, later] = reach::of_decoder(&self.configuration);
        let hop = self.facts.hop;
        // `after` counts from the first frame of a code.
        Cutting::Context { encoder: before.max(after).div_ceil(hop), decoder: earlier.max(later) }
    }

    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn encoder(&self, books: usize, piece: Piece) -> Result<Graph> {
        let mut b = Builder::new(&self.parameters);
        let sound = b.input("sound", Shape::sequence(1, piece.length));
        let mut left = b.within("encoder", |b| layers::build(b, sound, &self.encoder, piece.is_bare))?;
        let mut codes = Vec::new();
        for (n, book) in self.books.iter().take(books).enumerate() {
            let (code, found) = b.within(format!("quantizer.quantizers.{n}"), |b| book.encode(b, left))?;
            left = b.within(format!("quantizer.quantizers.{n}"), |b| b.subtract(left, found))?;
            codes.push(code);
        }
        let codes = b.join(&codes)?;
        Ok(b.finish(vec![("codes".into(), codes)]))
    }

    fn decoder(&self, books: usize, piece: Piece) -> Result<Graph> {
        let books = &self.books[..books.min(self.books.len())];
        let mut b = Builder::new(&self.parameters);
        let codes = b.input("codes", Shape::sequence(books.len(), piece.length));
        let mut sum = None;
        for (n, book) in books.iter().enumerate() {
            let next = b.within(format!("quantizer.quantizers.{n}"), |b| {
                let code = b.channels(codes, n, 1)?;
                let found = book.decode(b, code)?;
                sum.map_or(Ok(found), |sum| b.add(sum, found))
            })?;
            sum = Some(next);
        }
        let Some(sum) = sum else { return Err(base::error::Error::Internal("a quantiser without books".into())) };
        let sound = b.within("decoder", |b| {
            let sound = layers::build(b, sum, &self.decoder, piece.is_bare)?;
            b.activate(sound, Activation::Tanh)
        })?;
        Ok(b.finish(vec![("sound".into(), sound)]))
    }

    fn chunks(&self) -> Option<Chunks> {
        reach::chunks(&self.configuration)
    }

    fn bare_frames(&self, codes: usize) -> Option<usize> {
        reach::bare_frames(&self.configuration, codes)
    }

    fn latency_frames(&self) -> usize {
        reach::of_encoder(&self.configuration)[1] + reach::of_decoder(&self.configuration)[1] * self.facts.hop
    }
}
