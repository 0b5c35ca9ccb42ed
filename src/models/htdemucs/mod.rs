//! htdemucs, the hybrid transformer of Demucs (Rouard and others 2023, "Hybrid Transformers for Music Source
//! Separation"): splits stereo music into stems.
//!
//! Two encoders take a segment of fixed length, one its spectrum and one its samples. Each layer has a convolution with
//! a stride (along rows of frequency, or along frames), a residual branch over time and a gate. A transformer attends
//! within and across both. Two decoders mirror the encoders and take what these gave; what they give, spectrum and
//! samples of each stem, is summed by the caller.
//!
//! Spectrum and samples are normalised and brought back outside of the graph; see [`crate::stems::demucs`].
//!
//! Source: `htdemucs.py`, `hdemucs.py`, `demucs.py` and `transformer.py` of demucs 4.1.0.

mod configuration;
mod embedding;
mod layers;
mod transformer;

pub use configuration::Configuration;
use layers::{Along, Decoder, Encoder};
use transformer::Transformer;

use super::tensors::{Tensors, as_they_are};
use crate::error::{Error, Result};
use crate::network::{Builder, Graph, Parameter, Parameters, Shape, Value};
use crate::weights::Weights;

const MODEL: &str = "htdemucs";

/// An htdemucs model.
#[derive(Debug)]
pub struct Htdemucs {
    configuration: Configuration,
    parameters: Parameters,
    spectral: Branch,
    temporal: Branch,
    embedding: Option<Parameter>,
    transformer: Transformer,
}

/// The layers of one of the two branches.
#[derive(Debug)]
struct Branch {
    encoders: Vec<Encoder>,
    decoders: Vec<Decoder>,
}

impl Htdemucs {
    /// Returns whether weights are those of Demucs' hybrid transformer: an encoder over time, and attention across.
    pub fn is_in(weights: &Weights) -> bool {
        weights.entry("tencoder.0.conv.weight").is_some()
            && weights.names().any(|name| name.starts_with("crosstransformer."))
    }

    /// Makes a model of a weight file, which says its configuration (`kwargs`) itself.
    ///
    /// # Errors
    /// [`Error::Malformed`] for a file without a configuration; [`Error::Invalid`] and [`Error::Unsupported`] for one
    /// that cannot be; [`Error::Malformed`] and [`Error::Invalid`] for tensors that do not fit it, by name.
    pub fn new(weights: &Weights) -> Result<Self> {
        let configuration = Configuration::of(weights)?;
        let mut tensors = Tensors::new(weights, as_they_are);
        let spectral = Branch::take(&mut tensors, &configuration, Along::Rows)?;
        let temporal = Branch::take(&mut tensors, &configuration, Along::Frames)?;
        let embedding = embedding::of_rows(&mut tensors, &configuration)?;
        let transformer = Transformer::take(&mut tensors, &configuration)?;
        let parameters = tensors.finish(MODEL, |_| false)?;
        Ok(Self { configuration, parameters, spectral, temporal, embedding, transformer })
    }

    /// The configuration.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// The numbers.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Builds the network of a segment. Takes and gives `spectrum`, real and imaginary parts of each channel, rows of
    /// frequency, windows; and `sound`, the samples of each channel. The results have these for each stem.
    ///
    /// # Errors
    /// Those of [`Builder::operation`].
    pub fn graph(&self) -> Result<Graph> {
        let of = &self.configuration;
        let mut b = Builder::new(&self.parameters);
        let channels = of.audio_channels;
        let spectrum = b.input("spectrum", Shape { channels: 2 * channels, rows: of.rows(), frames: of.windows() });
        let sound = b.input("sound", Shape::sequence(channels, of.segment_frames));
        let (mut x, mut kept, mut lengths) = (spectrum, Vec::new(), Vec::new());
        let (mut y, mut kept_of_sound) = (sound, Vec::new());
        for n in 0..of.depth {
            lengths.push(b.shape(y).frames);
            y = b.within(format!("tencoder.{n}"), |b| self.temporal.encoders[n].build(b, y))?;
            kept_of_sound.push(y);
            x = b.within(format!("encoder.{n}"), |b| self.spectral.encoders[n].build(b, x))?;
            if let Some(embedding) = self.embedding.filter(|_| n == 0) {
                x = b.within("freq_emb", |b| b.offset(x, embedding))?;
            }
            kept.push(x);
        }
        [x, y] = self.transformer.build(&mut b, [x, y])?;
        for n in 0..of.depth {
            let skip =
                |kept: &mut Vec<Value>| kept.pop().ok_or_else(|| Error::Internal("a layer without a skip".into()));
            let (skip, skip_of_sound) = (skip(&mut kept)?, skip(&mut kept_of_sound)?);
            x = b.within(format!("decoder.{n}"), |b| self.spectral.decoders[n].build(b, x, skip, None))?;
            let length = lengths.pop();
            y = b.within(format!("tdecoder.{n}"), |b| self.temporal.decoders[n].build(b, y, skip_of_sound, length))?;
        }
        Ok(b.finish(vec![("spectrum".into(), x), ("sound".into(), y)]))
    }
}

impl Branch {
    fn take(tensors: &mut Tensors<'_>, of: &Configuration, along: Along) -> Result<Self> {
        let (first, part) = match along {
            Along::Rows => (2 * of.audio_channels, ""),
            Along::Frames => (of.audio_channels, "t"),
        };
        let (mut encoders, mut decoders) = (Vec::new(), Vec::new());
        for n in 0..of.depth {
            let inputs = if n == 0 { first } else { of.width(n - 1) };
            let place = format!("{part}encoder.{n}");
            encoders.push(Encoder::take(tensors, &place, of, along, [inputs, of.width(n)])?);
            // The last decoder gives every stem.
            let outputs = if n == 0 { first * of.sources.len() } else { inputs };
            let place = format!("{part}decoder.{}", of.depth - 1 - n);
            decoders.insert(0, Decoder::take(tensors, &place, of, along, [of.width(n), outputs], n == 0)?);
        }
        Ok(Self { encoders, decoders })
    }
}
