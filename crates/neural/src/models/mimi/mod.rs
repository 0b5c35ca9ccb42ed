//! Mimi (Défossez and others 2024, the codec of "Moshi"): SEANet, a transformer on each side, 12.5 codes a second.
//!
//! Everything is causal: it runs on pieces of any size. The transformers work at 25 vectors a second, each seeing the
//! last 250. One book codes the content of speech (it was trained to match a speech model), the others the rest. Unlike
//! in EnCodec, both parts code the same vector, through separate projections, and their results are added.
//!
//! The rows of the books are stored as sums and counts of the vectors assigned to them: `row = sum / max(count, 1e-5)`.
//!
//! Source: `modeling_mimi.py` of transformers 5.24; the names of the authors' checkpoint by its conversion to
//! `transformers`.

mod configuration;
mod names;
mod transformer;

use serde_json::{Map, Value as Json};

pub use configuration::Configuration;
use transformer::Transformer;

use super::seanet::{Convolution1d, Seanet, Style, Transposed1d};
use super::tensors::Tensors;
use super::{CodecKind, CodecModel, Cutting, Facts, Piece, residual, settings};
use crate::network::{Builder, Convolution, Edge, Graph, Parameter, Parameters, Shape, Value};
use crate::weights::Weights;
use base::error::Result;

/// The least count of a row.
const LEAST_COUNT: f32 = 1e-5;

/// A Mimi model.
#[derive(Debug)]
pub struct Mimi {
    facts: Facts,
    parameters: Parameters,
    encoder: Seanet,
    encoder_transformer: Transformer,
    downsample: Convolution1d,
    semantic: Quantizer,
    acoustic: Quantizer,
    upsample: Transposed1d,
    decoder_transformer: Transformer,
    decoder: Seanet,
}

/// Books behind a projection to their components, and one back.
#[derive(Debug)]
struct Quantizer {
    place: &'static str,
    inward: Option<Convolution>,
    outward: Option<Convolution>,
    books: Vec<Parameter>,
}

impl Mimi {
    /// Returns whether weights are Mimi's, in either naming.
    pub fn is_in(weights: &Weights) -> bool {
        weights.names().any(|name| name.starts_with("quantizer.semantic_residual_vector_quantizer."))
            || names::is_of_package(weights)
    }

    /// Creates a model from its weights and a configuration in `transformers`' form. Without one, it takes the
    /// published configuration, with the widths derived from the shapes of the tensors.
    pub fn new(configuration: Option<&Map<String, Json>>, weights: &Weights) -> Result<Self> {
        let is_of_package = names::is_of_package(weights);
        let spelled = if is_of_package { names::of_package } else { super::tensors::as_they_are };
        let configuration = match configuration {
            Some(values) => Configuration::read(values)?,
            None => names::told_by_shapes(weights, spelled)?,
        };
        let (form, hidden) = (&configuration.form, configuration.form.hidden);
        let mut tensors = Tensors::new(weights, spelled);
        let encoder = Seanet::encoder(&mut tensors, form)?;
        let encoder_transformer =
            Transformer::take(&mut tensors, "encoder_transformer", &configuration, is_of_package)?;
        let half = Style { has_bias: false, edge: Edge::Replicate, ..form.style };
        let ratio = configuration.ratio;
        let downsample = Convolution1d::take(&mut tensors, "downsample", [hidden, hidden, 2 * ratio], ratio, 1, half)?;
        let semantic = Quantizer::take(
            &mut tensors,
            "semantic_residual_vector_quantizer",
            &configuration,
            configuration.semantic_books,
        )?;
        let others = configuration.books - configuration.semantic_books;
        let acoustic = Quantizer::take(&mut tensors, "acoustic_residual_vector_quantizer", &configuration, others)?;
        let groups = configuration.upsample_groups;
        let upsample = Transposed1d::take(&mut tensors, "upsample", [hidden, hidden, 2 * ratio], ratio, groups, half)?;
        let decoder_transformer =
            Transformer::take(&mut tensors, "decoder_transformer", &configuration, is_of_package)?;
        let decoder = Seanet::decoder(&mut tensors, form)?;
        let parameters = tensors.finish("Mimi", names::is_training)?;
        let mut facts = Facts {
            kind: CodecKind::Mimi,
            rate: configuration.rate,
            channels: form.channels,
            hop: form.hop() * ratio,
            books: configuration.books,
            fewest_books: configuration.semantic_books,
            book_size: configuration.book_size,
            bits: settings::bits_of(configuration.book_size),
            trained_kbps: Vec::new(),
        };
        // Moshi uses 8; the checkpoint has 32.
        facts.trained_kbps =
            [8, 16].into_iter().filter(|&n| n < facts.books).chain([facts.books]).map(|n| facts.kbps(n)).collect();
        Ok(Self {
            facts,
            parameters,
            encoder,
            encoder_transformer,
            downsample,
            semantic,
            acoustic,
            upsample,
            decoder_transformer,
            decoder,
        })
    }
}

impl Quantizer {
    fn take(
        tensors: &mut Tensors<'_>,
        place: &'static str,
        configuration: &Configuration,
        books: usize,
    ) -> Result<Self> {
        let Configuration { book_size, book_width, .. } = *configuration;
        let hidden = configuration.form.hidden;
        let mut projection = |part: &str, [outputs, inputs]: [usize; 2]| -> Result<Option<Convolution>> {
            if book_width == hidden {
                return Ok(None);
            }
            let weights = tensors.convolution(&format!("quantizer.{place}.{part}"), [outputs, inputs, 1])?;
            Ok(Some(Convolution { weights, bias: None, stride: [1, 1], dilation: [1, 1], groups: 1, row_padding: 0 }))
        };
        let inward = projection("input_proj", [book_width, hidden])?;
        let outward = projection("output_proj", [hidden, book_width])?;
        let mut book = |n: usize| -> Result<Parameter> {
            let name = |part: &str| format!("quantizer.{place}.layers.{n}.codebook.{part}");
            let mut rows = tensors.take(&name("embed_sum"), &[book_size, book_width])?;
            let counts = tensors.take(&name("cluster_usage"), &[book_size])?;
            for (row, count) in rows.chunks_mut(book_width).zip(counts) {
                row.iter_mut().for_each(|x| *x /= count.max(LEAST_COUNT));
            }
            tensors.add(&name("embed"), &[book_size, book_width], rows)
        };
        let books = (0..books).map(&mut book).collect::<Result<_>>()?;
        Ok(Self { place, inward, outward, books })
    }

    fn encode(&self, b: &mut Builder<'_>, x: Value, books: usize) -> Result<Vec<Value>> {
        b.within(format!("quantizer.{}", self.place), |b| {
            let x = match &self.inward {
                Some(inward) => b.within("input_proj", |b| b.convolution(x, inward.clone()))?,
                None => x,
            };
            residual::encode(b, x, &self.books[..books])
        })
    }

    fn decode(&self, b: &mut Builder<'_>, codes: Value, first: usize, books: usize) -> Result<Value> {
        b.within(format!("quantizer.{}", self.place), |b| {
            let x = residual::decode(b, codes, first, &self.books[..books])?;
            match &self.outward {
                Some(outward) => b.within("output_proj", |b| b.convolution(x, outward.clone())),
                None => Ok(x),
            }
        })
    }
}

impl CodecModel for Mimi {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn cutting(&self) -> Cutting {
        // The beginning is padded with zeros, and one frame is repeated, so a single code is enough.
        Cutting::Stream { first_codes: 1 }
    }

    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn encoder(&self, books: usize, piece: Piece) -> Result<Graph> {
        let books = books.clamp(self.facts.fewest_books, self.facts.books);
        let mut b = Builder::new(&self.parameters);
        let x = b.input("sound", Shape::sequence(self.encoder.channels(), piece.length));
        let x = self.encoder.build(&mut b, x, piece)?;
        let x = self.encoder_transformer.build(&mut b, x, piece)?;
        let x = b.within("downsample", |b| self.downsample.build(b, x, piece))?;
        let mut codes = self.semantic.encode(&mut b, x, self.semantic.books.len())?;
        if books > codes.len() {
            codes.extend(self.acoustic.encode(&mut b, x, books - codes.len())?);
        }
        let codes = b.join(&codes)?;
        Ok(b.finish(vec![("codes".into(), codes)]))
    }

    fn decoder(&self, books: usize, piece: Piece) -> Result<Graph> {
        let books = books.clamp(self.facts.fewest_books, self.facts.books);
        let mut b = Builder::new(&self.parameters);
        let codes = b.input("codes", Shape::sequence(books, piece.length));
        let semantic = self.semantic.books.len();
        let mut x = self.semantic.decode(&mut b, codes, 0, semantic)?;
        if books > semantic {
            let others = self.acoustic.decode(&mut b, codes, semantic, books - semantic)?;
            x = b.within("quantizer", |b| b.add(x, others))?;
        }
        let x = b.within("upsample", |b| self.upsample.build(b, x, piece))?;
        let x = self.decoder_transformer.build(&mut b, x, piece)?;
        let sound = self.decoder.build(&mut b, x, piece)?;
        Ok(b.finish(vec![("sound".into(), sound)]))
    }

    fn latency_frames(&self) -> usize {
        self.facts.hop
    }
}
