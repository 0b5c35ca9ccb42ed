//! The hybrid models of Demucs, which split stereo music into stems: htdemucs (Rouard and others 2023, "Hybrid Transformers
//! for Music Source Separation") and `hdemucs_mmi` (Défossez 2021, "Hybrid Spectrogram and Waveform Source Separation").
//!
//! Two encoders take a segment, one its spectrum and one its samples. Each layer has a convolution with a stride (along
//! rows of frequency, or along frames), residual branches over time and a gate. In htdemucs a transformer attends
//! within and across both. In `hdemucs_mmi` the samples are added to the spectrum where it has one row left; the
//! residual branches of that layer and the next have an LSTM and attention. Two decoders mirror the encoders and take
//! their results through skips. The caller sums their outputs, spectrum and samples of each stem.
//!
//! Spectrum and samples are normalised and denormalised outside the graph; see [`crate::stems::demucs`].
//!
//! Source: `htdemucs.py`, `hdemucs.py`, `demucs.py` and `transformer.py` of demucs 4.1.0.

mod configuration;
mod embedding;
mod layer_size;
mod layers;
mod local;
mod memory;
mod residual;
mod transformer;

pub use configuration::{Class, Configuration, TransformerSize};
use layer_size::LayerSize;
use layers::{Decoder, Encoder, Given};
use transformer::Transformer;

use super::tensors::{Tensors, as_they_are};
use crate::network::{Builder, Graph, Parameter, Parameters, Shape};
use crate::weights::Weights;
use base::error::{Error, Result};

const MODEL: &str = "Demucs";

/// A hybrid model.
#[derive(Debug)]
pub struct HybridDemucs {
    configuration: Configuration,
    parameters: Parameters,
    spectral: Branch,
    temporal: Branch,
    embedding: Option<Parameter>,
    transformer: Option<Transformer>,
}

/// The layers of one of the two branches.
#[derive(Debug)]
struct Branch {
    encoders: Vec<Encoder>,
    /// From the innermost to the last.
    decoders: Vec<Decoder>,
}

impl HybridDemucs {
    /// Returns whether the weights are of a hybrid Demucs model, which has an encoder over time beside the one over
    /// frequency.
    pub fn is_in(weights: &Weights) -> bool {
        weights.entry("tencoder.0.conv.weight").is_some()
            && weights.names().any(|name| name.starts_with("crosstransformer.") || name.starts_with("tdecoder."))
    }

    /// Creates a model from a weight file, which contains its configuration (`kwargs`).
    pub fn new(weights: &Weights) -> Result<Self> {
        Self::with(weights, Configuration::of(weights)?)
    }

    /// Creates a model from a weight file with a configuration that may differ from the file's in the segments.
    pub fn with(weights: &Weights, configuration: Configuration) -> Result<Self> {
        let mut tensors = Tensors::new(weights, as_they_are);
        let of = &configuration;
        let spectral = Branch::take(&mut tensors, of, "", 2 * of.audio_channels, |n| Some(of.of_spectrum(n)))?;
        let temporal = Branch::take(&mut tensors, of, "t", of.audio_channels, |n| of.of_sound(n))?;
        let embedding = embedding::of_rows(&mut tensors, of)?;
        let transformer = of.transformer.as_ref().map(|size| Transformer::take(&mut tensors, of, size)).transpose()?;
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

    /// Builds the network for `frames` frames, which must be a segment's if there is a transformer. The inputs are
    /// `spectrum`, real and imaginary parts of each channel, rows of frequency, windows; and `sound`, the samples of
    /// each channel. The outputs are the same for each stem.
    pub fn graph(&self, frames: usize) -> Result<Graph> {
        let of = &self.configuration;
        let mut b = Builder::new(&self.parameters);
        let plane = Shape { channels: 2 * of.audio_channels, rows: of.rows(), frames: of.windows(frames) };
        let spectrum = b.input("spectrum", plane);
        let sound = b.input("sound", Shape::sequence(of.audio_channels, frames));
        let (mut x, mut y) = (spectrum, sound);
        let (mut kept, mut kept_of_sound) = (Vec::new(), Vec::new());
        for n in 0..of.depth {
            let mut merged = None;
            if let Some(encoder) = self.temporal.encoders.get(n) {
                let before = y;
                y = b.within(format!("tencoder.{n}"), |b| encoder.build(b, y, None))?;
                kept_of_sound.push((before, y));
                merged = (of.merging == Some(n)).then_some(y);
            }
            let before = x;
            x = b.within(format!("encoder.{n}"), |b| self.spectral.encoders[n].build(b, x, merged))?;
            if let Some(embedding) = self.embedding.filter(|_| n == 0) {
                x = b.within("freq_emb", |b| b.offset(x, embedding))?;
            }
            kept.push((before, x));
        }
        let [mut inner, mut inner_of_sound] = match &self.transformer {
            Some(transformer) => transformer.build(&mut b, [x, y])?.map(Some),
            None => [None, None],
        };
        let first_of_sound = of.depth - self.temporal.decoders.len();
        for n in 0..of.depth {
            let (before, skip) = kept.pop().ok_or_else(without_skip)?;
            let frames = b.shape(before).frames;
            let decoder = &self.spectral.decoders[n];
            let given = Given::Skip(inner, skip);
            let [next, within] = b.within(format!("decoder.{n}"), |b| decoder.build(b, given, frames))?;
            inner = Some(next);
            let Some(at) = n.checked_sub(first_of_sound) else { continue };
            let (before, skip) = kept_of_sound.pop().ok_or_else(without_skip)?;
            let frames = b.shape(before).frames;
            let is_merged = of.merging.is_some() && at == 0;
            let given = if is_merged { Given::Alone(within) } else { Given::Skip(inner_of_sound, skip) };
            let decoder = &self.temporal.decoders[at];
            let [next, _] = b.within(format!("tdecoder.{at}"), |b| decoder.build(b, given, frames))?;
            inner_of_sound = Some(next);
        }
        let results = [("spectrum", inner), ("sound", inner_of_sound)];
        let results = results.map(|(name, value)| Ok((name.to_owned(), value.ok_or_else(without_skip)?)));
        Ok(b.finish(results.into_iter().collect::<Result<_>>()?))
    }
}

fn without_skip() -> Error {
    Error::Internal("a layer without a skip".into())
}

impl Branch {
    /// Takes the layers of a branch with the given number of input channels; `part` is the prefix of their names.
    fn take(
        tensors: &mut Tensors<'_>,
        of: &Configuration,
        part: &str,
        first: usize,
        layer: impl Fn(usize) -> Option<LayerSize>,
    ) -> Result<Self> {
        let layers: Vec<LayerSize> = (0..of.depth).map_while(layer).collect();
        let (mut encoders, mut decoders) = (Vec::new(), Vec::new());
        for (n, &layer) in layers.iter().enumerate() {
            let inputs = if n == 0 { first } else { of.width(n - 1) };
            encoders.push(Encoder::take(tensors, &format!("{part}encoder.{n}"), of, layer, [inputs, of.width(n)])?);
            // The last decoder returns every stem.
            let outputs = if n == 0 { first * of.sources.len() } else { inputs };
            let place = format!("{part}decoder.{}", layers.len() - 1 - n);
            decoders.insert(0, Decoder::take(tensors, &place, of, layer, [of.width(n), outputs], n == 0)?);
        }
        Ok(Self { encoders, decoders })
    }
}
