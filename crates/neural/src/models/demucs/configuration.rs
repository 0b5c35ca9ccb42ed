//! The configuration of a hybrid model: the arguments of Demucs' class.

use serde_json::{Map, Value};

use super::MODEL;
use super::local::HEADS;
use crate::models::settings::{MAX_SIZE, Settings};
use crate::weights::Weights;
use base::error::{Error, Result};
use base::units::SampleRate;

/// The most frames of a segment: 47 s at 44.1 kHz.
const MAX_SEGMENT: usize = 1 << 21;
/// The most stems.
const MAX_SOURCES: usize = 16;

/// The settings that determine a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// The names of the stems, in the order of the results.
    pub sources: Vec<String>,
    /// The channels of the sound.
    pub audio_channels: usize,
    /// The sample rate.
    pub rate: SampleRate,
    /// The frames of a segment. A model without a transformer takes fewer too.
    pub segment_frames: usize,
    /// The frames of a window of the spectrum; a quarter of it is the hop.
    pub nfft: usize,
    /// The channels of the first layer.
    pub channels: usize,
    /// How many times as many the next layer has.
    pub growth: usize,
    /// Layers of each encoder and decoder.
    pub depth: usize,
    /// Taps of the convolutions with a stride.
    pub kernel: usize,
    /// Their stride.
    pub stride: usize,
    /// Places on both sides that the decoder's gate sees.
    pub context: usize,
    /// Places on both sides that the encoder's gate sees.
    pub context_of_encoder: usize,
    /// The gain of the embedding of rows; 0 for a model without.
    pub embedding_gain: f64,
    /// The gain by which the embedding was trained faster.
    pub embedding_scale: f64,
    /// Whether encoders have residual branches.
    pub residual_in_encoder: bool,
    /// Whether decoders have them.
    pub residual_in_decoder: bool,
    /// Residual branches of a layer.
    pub residual_depth: usize,
    /// How many times fewer channels they have within.
    pub residual_compress: usize,
    /// The layer that brings both branches together, if one does.
    pub merging: Option<usize>,
    /// The stride of layers after it.
    pub stride_after_merging: usize,
    /// The first layer with norms.
    pub norms_from: usize,
    /// The groups of these norms.
    pub norm_groups: usize,
    /// The first layer whose residual branches have an LSTM.
    pub lstm_from: usize,
    /// The first layer whose residual branches have attention.
    pub attention_from: usize,
    /// The transformer between encoders and decoders, if any.
    pub transformer: Option<TransformerSize>,
}

/// The size of a transformer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransformerSize {
    /// The components of its vectors, if layers before and after it bring them there.
    pub bottom: Option<usize>,
    /// Its layers.
    pub layers: usize,
    /// Heads of its attention.
    pub heads: usize,
    /// How many times as many components its inner layers have.
    pub hidden_scale: f64,
    /// The longest period of its embedding.
    pub max_period: f64,
    /// The gain of its embedding.
    pub position_gain: f64,
    /// Whether its first layer attends across.
    pub cross_first: bool,
}

/// The classes of Demucs that are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `HDemucs`: branches that are merged, with an LSTM and attention in the innermost layers.
    Hybrid,
    /// `HTDemucs`: branches that a transformer connects.
    Transformer,
}

impl Class {
    /// The name in Demucs' files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "HDemucs",
            Self::Transformer => "HTDemucs",
        }
    }
}

impl Configuration {
    /// Reads the configuration from a weight file: `kwargs` as an object, or as its JSON.
    pub fn of(weights: &Weights) -> Result<Self> {
        let missing = |what: &str| Error::malformed(format!("The file does not say {what}"), weights.path());
        let metadata = weights.metadata();
        let class = metadata.get("klass").and_then(Value::as_str);
        let class = class.ok_or_else(|| missing("which class the model is (`klass`)"))?;
        let named =
            [Class::Transformer, Class::Hybrid].into_iter().find(|kind| class.rsplit('.').next() == Some(kind.name()));
        let Some(named) = named else {
            return Err(Error::unsupported(
                format!("The class `{class}` of a Demucs model"),
                "This program runs models of the classes `HTDemucs` and `HDemucs`.",
            ));
        };
        let read = |name: &str| -> Option<Value> {
            let value = metadata.get(name)?;
            value.as_str().map_or_else(|| Some(value.clone()), |text| serde_json::from_str(text).ok())
        };
        let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty) || value.is_null();
        if read("args").is_some_and(|args| !is_empty(&args)) {
            return Err(Error::unsupported(
                "Arguments without names in a Demucs model",
                "They are expected in `kwargs`.",
            ));
        }
        match read("kwargs") {
            Some(Value::Object(values)) => Self::read(named, &values),
            _ => Err(missing("its configuration (`kwargs`)")),
        }
    }

    /// Reads the arguments of a class. Names that it does not have are passed by, as Demucs does.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a form of the model that this program does not run.
    pub fn read(class: Class, values: &Map<String, Value>) -> Result<Self> {
        let settings = Settings::new(MODEL, values);
        let is_hybrid = class == Class::Hybrid;
        let of_class = if is_hybrid { FIXED_OF_HYBRID } else { FIXED_OF_TRANSFORMER };
        for (name, usual) in FIXED.iter().chain(of_class) {
            only(values, name, *usual)?;
        }
        let size = |name, usual, least| settings.whole(name, usual, least..=MAX_SIZE);
        let hz = settings.whole("samplerate", 44_100, 1000..=SampleRate::MAX as usize)?;
        let mode = settings.whole("dconv_mode", 1, 0..=3)?;
        let never = MAX_SIZE;
        let from = |name: &str| if is_hybrid { settings.whole(name, 4, 0..=never) } else { Ok(never) };
        let mut configuration = Self {
            sources: sources(values)?,
            audio_channels: settings.whole("audio_channels", 2, 2..=2)?,
            rate: SampleRate::new(hz as u32)?,
            segment_frames: segment(values, if is_hybrid { 40 } else { 10 }, hz)?,
            nfft: settings.whole("nfft", 4096, 64..=65_536)?,
            channels: size("channels", 48, 1)?,
            growth: settings.whole("growth", 2, 1..=8)?,
            depth: settings.whole("depth", if is_hybrid { 6 } else { 4 }, 1..=8)?,
            kernel: settings.whole("kernel_size", 8, 2..=64)?,
            stride: settings.whole("stride", 4, 1..=32)?,
            context: settings.whole("context", 1, 0..=8)?,
            context_of_encoder: settings.whole("context_enc", 0, 0..=8)?,
            embedding_gain: settings.number("freq_emb", 0.2, 0.0..=1e3)?,
            embedding_scale: settings.number("emb_scale", 10.0, 1e-3..=1e3)?,
            residual_in_encoder: mode & 1 != 0,
            residual_in_decoder: mode & 2 != 0,
            residual_depth: settings.whole("dconv_depth", 2, 1..=8)?,
            residual_compress: size("dconv_comp", if is_hybrid { 4 } else { 8 }, 1)?,
            merging: None,
            stride_after_merging: settings.whole("time_stride", 2, 2..=32)?,
            norms_from: settings.whole("norm_starts", 4, 0..=MAX_SIZE)?,
            norm_groups: settings.whole("norm_groups", 4, 1..=MAX_SIZE)?,
            lstm_from: from("dconv_lstm")?,
            attention_from: from("dconv_attn")?,
            transformer: if is_hybrid { None } else { Some(TransformerSize::read(settings)?) },
        };
        configuration.check()?;
        if is_hybrid {
            configuration.merging =
                (0..configuration.depth).find(|&n| configuration.rows_before(n) <= configuration.kernel);
            configuration.check_merging()?;
        } else {
            configuration.check_transformer()?;
        }
        Ok(configuration)
    }

    /// Sets another segment length, in seconds. A model with a transformer keeps its length if that is shorter.
    ///
    /// # Errors
    /// [`Error::Invalid`] for less than one frame or more than 2^21.
    pub fn with_segment(mut self, seconds: f64) -> Result<Self> {
        let frames = seconds * self.rate.as_f64();
        if !(1.0..=MAX_SEGMENT as f64).contains(&frames) {
            let allowed = format!("seconds, of at most {MAX_SEGMENT} frames");
            return Err(Error::invalid(format!("segment of {MODEL}"), seconds.to_string(), allowed));
        }
        let frames = frames as usize;
        if self.transformer.is_none() || frames <= self.segment_frames {
            self.segment_frames = frames;
        }
        self.check()?;
        Ok(self)
    }

    /// Checks values against each other.
    fn check(&self) -> Result<()> {
        if self.kernel != 2 * self.stride || !self.stride.is_multiple_of(2) {
            let got = format!("{} and {}", self.kernel, self.stride);
            return wrong("kernel size and stride", got, "an even stride, and twice as large a kernel");
        }
        let widest =
            self.growth.checked_pow(self.depth as u32 - 1).and_then(|growth| growth.checked_mul(self.channels));
        if widest.is_none_or(|widest| widest > MAX_SIZE) {
            let got = format!("{} times {} in each of {} layers", self.channels, self.growth, self.depth);
            return wrong("channels", got, "at most 65536 in the last layer");
        }
        if self.channels / self.residual_compress == 0 {
            return wrong("dconv_comp", self.residual_compress.to_string(), "at most the channels of the first layer");
        }
        if !self.nfft.is_multiple_of(8) {
            return wrong("nfft", self.nfft.to_string(), "a multiple of 8");
        }
        if self.segment_frames <= self.padding() + self.hop() {
            let got = format!("{} frames", self.segment_frames);
            return wrong("segment", got, "longer than half a window of the spectrum and a hop");
        }
        Ok(())
    }

    /// Checks the requirements of a transformer: every layer reduces the rows, and none has a norm.
    fn check_transformer(&self) -> Result<()> {
        if self.norms_from < self.depth {
            let allowed = "the number of layers or more: layers without norms";
            return wrong("norm_starts", self.norms_from.to_string(), allowed);
        }
        let rows = self.stride.checked_pow(self.depth as u32).map(|all| self.rows() % all);
        if rows != Some(0) || self.rows_before(self.depth - 1) <= self.kernel {
            let allowed =
                "twice the product of all strides and a whole number, more than the kernel rows before the last layer";
            return wrong("nfft", self.nfft.to_string(), allowed);
        }
        let (components, heads) = (self.components(), self.transformer.map_or(1, |size| size.heads));
        if !components.is_multiple_of(4) || !components.is_multiple_of(heads) {
            let got = format!("{components} components in {heads} heads");
            return wrong("transformer", got, "a multiple of 4 and of the heads");
        }
        Ok(())
    }

    /// Checks what merging asks for. Norms, memory and attention are run where there is one row of frequency.
    fn check_merging(&self) -> Result<()> {
        let merging = self.merging.unwrap_or(self.depth);
        let rows = self.stride.checked_pow(merging as u32).map(|all| self.rows() % all);
        if rows != Some(0) || self.rows_before(merging) == 0 {
            let allowed = "twice the product of the strides before the branches merge, and a whole number";
            return wrong("nfft", self.nfft.to_string(), allowed);
        }
        // The sound then has as many frames as the spectrum has windows.
        if self.merging.is_some() && self.stride.checked_pow(merging as u32 + 1) != Some(self.hop()) {
            let allowed = "4 times the product of the strides before the branches merge";
            return wrong("nfft", self.nfft.to_string(), allowed);
        }
        if !self.stride_after_merging.is_multiple_of(2) {
            return wrong("time_stride", self.stride_after_merging.to_string(), "even");
        }
        let starts =
            [("norm_starts", self.norms_from), ("dconv_lstm", self.lstm_from), ("dconv_attn", self.attention_from)];
        for (name, from) in starts {
            if from < merging {
                let allowed = format!("{merging}, the layer that merges both branches, or more");
                return wrong(name, from.to_string(), &allowed);
            }
        }
        // A decoder's second norm is on its output, which has as many channels as the layer before.
        let of_norms = (self.norms_from..self.depth).flat_map(|n| [n, n.saturating_sub(1)]);
        if of_norms.into_iter().any(|n| !self.width(n).is_multiple_of(self.norm_groups)) {
            let allowed = "a divisor of the channels of layers with norms and of the one before";
            return wrong("norm_groups", self.norm_groups.to_string(), allowed);
        }
        for n in self.attention_from..self.depth {
            let inner = self.inner_width(self.width(n));
            if !inner.is_multiple_of(HEADS) {
                let got = format!("{inner} channels within the residual branches of layer {n}");
                return wrong("dconv_comp", got, "a multiple of the 4 heads of their attention");
            }
        }
        Ok(())
    }

    /// Rows of frequency that the network sees: all but the highest.
    pub fn rows(&self) -> usize {
        self.nfft / 2
    }

    /// Frames from one window to the next.
    pub fn hop(&self) -> usize {
        self.nfft / 4
    }

    /// Returns the number of windows of `frames` frames.
    pub fn windows(&self, frames: usize) -> usize {
        frames.div_ceil(self.hop())
    }

    /// Frames by which a segment is mirrored at its beginning.
    pub fn padding(&self) -> usize {
        self.hop() / 2 * 3
    }

    /// The channels of layer `n`.
    pub fn width(&self, n: usize) -> usize {
        self.channels * self.growth.pow(n as u32)
    }

    /// The channels within residual branches of a layer of `width` channels.
    pub fn inner_width(&self, width: usize) -> usize {
        width / self.residual_compress
    }

    /// The components of the transformer's vectors.
    pub fn components(&self) -> usize {
        self.transformer.and_then(|size| size.bottom).unwrap_or_else(|| self.width(self.depth - 1))
    }

    /// Rows of frequency that the transformer sees.
    pub fn last_rows(&self) -> usize {
        self.rows() / self.stride.pow(self.depth as u32)
    }

    /// Frames of the sound that the transformer sees.
    pub fn last_frames(&self) -> usize {
        (0..self.depth).fold(self.segment_frames, |frames, _| frames.div_ceil(self.stride))
    }
}

impl TransformerSize {
    /// Returns the number of components inside the layers, for vectors of `components` components.
    pub fn inner(&self, components: usize) -> usize {
        (components as f64 * self.hidden_scale) as usize
    }

    fn read(settings: Settings<'_>) -> Result<Self> {
        let bottom = settings.whole("bottom_channels", 0, 0..=MAX_SIZE)?;
        Ok(Self {
            bottom: (bottom > 0).then_some(bottom),
            layers: settings.whole("t_layers", 5, 1..=64)?,
            heads: settings.whole("t_heads", 8, 1..=256)?,
            hidden_scale: settings.number("t_hidden_scale", 4.0, 0.01..=64.0)?,
            max_period: settings.number("t_max_period", 10_000.0, 1.0..=1e9)?,
            position_gain: settings.number("t_weight_pos_embed", 1.0, 0.0..=1e3)?,
            cross_first: settings.flag("t_cross_first", false)?,
        })
    }
}

fn wrong(what: &str, got: String, allowed: &str) -> Result<()> {
    Err(Error::invalid(format!("{what} of {MODEL}"), got, allowed))
}

/// Arguments with only one supported value, and the value of each if it is missing. A value counts as off if it is
/// false, zero or an empty list.
const FIXED: &[(&str, bool)] = &[("cac", true), ("rewrite", true), ("multi_freqs", false), ("channels_time", false)];

const FIXED_OF_HYBRID: &[(&str, bool)] = &[("hybrid", true), ("hybrid_old", false)];

const FIXED_OF_TRANSFORMER: &[(&str, bool)] = &[
    ("t_norm_in", true),
    ("t_norm_in_group", false),
    ("t_group_norm", false),
    ("t_norm_first", true),
    ("t_norm_out", true),
    ("t_layer_scale", true),
    ("t_gelu", true),
    ("t_sin_random_shift", false),
    ("t_sparse_self_attn", false),
    ("t_sparse_cross_attn", false),
    ("use_train_segment", true),
];

fn only(values: &Map<String, Value>, name: &str, is: bool) -> Result<()> {
    let unsupported = |value: &Value, allowed: &str| {
        Err(Error::unsupported(
            format!("`{name}` {value} in the configuration of {MODEL}"),
            format!("This program runs models with {allowed}."),
        ))
    };
    if let Some(emb) = values.get("t_emb").filter(|emb| emb.as_str() != Some("sin")) {
        return unsupported(emb, "`t_emb` sin");
    }
    let Some(value) = values.get(name) else { return Ok(()) };
    let is_off = match value {
        Value::Null => !is,
        Value::Bool(on) => !on,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Array(members) => members.is_empty(),
        _ => return unsupported(value, if is { "true" } else { "false" }),
    };
    if is_off == is { unsupported(value, if is { "true" } else { "false" }) } else { Ok(()) }
}

/// Reads the names of the stems.
fn sources(values: &Map<String, Value>) -> Result<Vec<String>> {
    let given = values.get("sources");
    let names: Option<Vec<String>> = given
        .and_then(Value::as_array)
        .and_then(|names| names.iter().map(|name| name.as_str().map(str::to_owned)).collect());
    names.filter(|names| (1..=MAX_SOURCES).contains(&names.len())).ok_or_else(|| {
        let got = given.map_or_else(|| "nothing".to_owned(), Value::to_string);
        Error::invalid(format!("`sources` in the configuration of {MODEL}"), got, format!("1 to {MAX_SOURCES} names"))
    })
}

/// Reads the length of a segment in seconds, `usual` if it is not named: a number, a fraction `39/5`, or one as Demucs'
/// JSON has it.
fn segment(values: &Map<String, Value>, usual: u64, hz: usize) -> Result<usize> {
    let given = values.get("segment");
    let whole = |text: &str| text.trim().parse::<u64>().ok();
    let fraction = match given {
        None | Some(Value::Null) => Some((usual, 1)),
        Some(Value::String(text)) => match text.split_once('/') {
            Some((over, under)) => whole(over).zip(whole(under)),
            None => whole(text).map(|seconds| (seconds, 1)),
        },
        Some(Value::Object(parts)) => {
            let part = |name| parts.get(name).and_then(Value::as_u64);
            part("numerator").zip(part("denominator"))
        }
        Some(_) => None,
    };
    let frames = match (fraction, given.and_then(Value::as_f64)) {
        (Some((over, under)), _) => over.checked_mul(hz as u64).and_then(|frames| frames.checked_div(under)),
        // As the product is rounded in Python.
        (None, Some(seconds)) if (0.0..1e6).contains(&seconds) => Some((seconds * hz as f64) as u64),
        _ => None,
    };
    let frames =
        frames.and_then(|frames| usize::try_from(frames).ok()).filter(|frames| (1..=MAX_SEGMENT).contains(frames));
    frames.ok_or_else(|| {
        let got = given.map_or_else(|| "nothing".to_owned(), Value::to_string);
        let allowed = format!("seconds, of at most {MAX_SEGMENT} frames");
        Error::invalid(format!("`segment` in the configuration of {MODEL}"), got, allowed)
    })
}
