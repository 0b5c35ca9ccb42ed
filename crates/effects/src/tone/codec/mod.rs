//! Codec: what a neural codec makes of the sound.
//!
//! ```text
//! stream -> model's rate -> Flow (codecs::neural) -> stream's rate -> frames that wait for their time
//! ```

mod running;

use std::path::PathBuf;
use std::sync::Arc;

use crate::rate_conversion::MAX_RATIO;
use crate::recent_cache::RecentCache;
use crate::{
    Arguments, Effect, EffectSpec, FileDependency, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage,
    Unit,
};
use audio::AudioFormat;
use base::error::{Error, Result};
use base::files;
use base::units::SampleRate;
use dsp::measure::resample::ResamplePlan;
use neural::codecs::neural::{Described, Flow, check_channels, describe, share};
use neural::models::ModelKind;
use running::{LOUDEST, Running};

/// The bandwidth that means all books, in kbit/s. No known model has more.
const ALL_KBPS: f64 = 96.0;

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: "codec",
    title: "Codec",
    purpose: Purpose::Tone,
    summary: "Codes and decodes the sound with a neural codec: EnCodec, DAC or Mimi.",
    documentation: "\
Puts out what a neural codec makes of the sound, in time with it. `model` is a weight file, or a folder with \
`config.json`, of EnCodec, DAC or Mimi, which you have; the window asks you to confirm its licence on the Models page. \
Without a model, as when the effect is added in the window, it changes nothing.\n\
\n\
`bandwidth` is that of each channel of a mono model, and of both channels of a stereo model. The model uses as many \
books of codes as fit into it: at least those that it needs, at most all. It can be turned while the sound plays; the \
model goes on from what it remembers.\n\
\n\
The sound is converted to the rate of the model and back with the filter of `resample`. A mono model codes each of up \
to 8 channels by itself. A stereo model takes a mono sound in both channels and gives back their mean. The result is \
that of `undertone codec resynthesise`, except where that depends on the end of the sound, which a stream does not \
know: in the last code of EnCodec 24 kHz and Mimi, the last 0.4 s of DAC, the last segment of EnCodec 48 kHz. The \
first 80 ms of EnCodec 24 kHz, which depend on what follows them, are what the codec makes of the sound so far.\n\
\n\
Latency: a code of EnCodec 24 kHz (13 ms) and Mimi (80 ms), a segment of EnCodec 48 kHz (1 s), 64 codes and those that \
reach into them of DAC (about 1 s at 44.1 kHz), and that of the filters (about 10 ms); compensated. After a jump a causal \
model starts anew 1 s (Mimi 2 s) before. Samples that are `NaN` or infinite count as silence; samples of more \
than 60 dB above full scale are limited to that. Everything runs on the CPU; a model that is slower than the sound plays with gaps.",
    source: "A. Defossez and others, High Fidelity Neural Audio Compression (2022); R. Kumar and others, High-Fidelity Audio \
Compression with Improved RVQGAN (2023); A. Defossez and others, Moshi: a speech-text foundation model for real-time \
dialogue (2024).",
    parameters: &[
        Parameter {
            name: "model",
            title: "Model",
            help: "Weight file of EnCodec, DAC or Mimi, or its folder.",
            kind: ParameterKind::File { optional: false, folder: true },
            ..PLAIN
        },
        Parameter {
            name: "bandwidth",
            title: "Bandwidth",
            help: "Bit rate for which as many books of codes are used as fit.",
            kind: ParameterKind::Number {
                unit: Unit::Kbps,
                min: 0.1,
                max: ALL_KBPS,
                default: Some(ALL_KBPS),
                initial: ALL_KBPS,
                scale: Scale::Log,
            },
            ..PLAIN
        }
        .travels(0.1, 24.0)
        .rests(ALL_KBPS, "All"),
    ],
    positional: 2,
    search: "encodec dac mimi neural codec artefacts artifacts bitrate quality resynthesis",
    aliases: &["neural_codec", "encodec", "dac", "mimi"],
    selection: None,
    example: "codec(\"model\", 0.6 kbps)",
    largest_output: LOUDEST,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    Ok(Box::new(Codec {
        path: Some(arguments.checked_text("model")?).filter(|path| !path.is_empty()).map(PathBuf::from),
        kbps: arguments.checked_number("bandwidth")?,
    }))
}

#[derive(Debug)]
struct Codec {
    path: Option<PathBuf>,
    kbps: f64,
}

/// The conversions between two rates and back.
type Conversions = [Arc<ResamplePlan>; 2];

static CONVERSIONS: RecentCache<[SampleRate; 2], Conversions> = RecentCache::new(8);

/// Returns the conversions from a stream's rate to a model's and back; `None` if the rates are equal.
///
/// # Errors
/// [`Error::Setting`] for rates whose ratio exceeds [`MAX_RATIO`].
fn conversions(stream: SampleRate, model: SampleRate) -> Result<Option<Arc<Conversions>>> {
    if stream == model {
        return Ok(None);
    }
    let ratio = stream.as_f64() / model.as_f64();
    if !(1.0 / MAX_RATIO..=MAX_RATIO).contains(&ratio) {
        let problem = format!("The model codes {model}, which is too far from the {stream} of the recording");
        return Err(Error::setting(SPEC.title, problem));
    }
    let plans = |_: &_| Ok([ResamplePlan::new(stream, model), ResamplePlan::new(model, stream)]);
    CONVERSIONS.get([stream, model], plans).map(Some)
}

/// Returns the latency in frames of the stream: that of the codec and of both filters.
fn latency(model: &Described, rate: SampleRate, conversions: Option<&Conversions>) -> u64 {
    let codec_frames = Flow::latency_frames(model);
    let Some(plans) = conversions else { return codec_frames };
    let filters_s: f64 = plans.iter().map(|plan| plan.lag_s()).sum();
    ((model.facts.rate.seconds_from_frames(codec_frames) + filters_s) * rate.as_f64() - 1e-6).ceil() as u64
}

impl Codec {
    /// Returns the description of the model; `None` if there is no file.
    fn model(&self) -> Result<Option<Arc<Described>>> {
        let Some(path) = &self.path else { return Ok(None) };
        files::check_foreign(path)?;
        describe(path).map(Some)
    }

    /// Returns the model if it can be run.
    fn found(&self) -> Option<Arc<Described>> {
        self.model().ok().flatten()
    }
}

impl Effect for Codec {
    fn files(&self) -> Vec<FileDependency> {
        let Some(path) = &self.path else { return Vec::new() };
        let content = self.found().and_then(|model| blake3::Hash::from_hex(&model.identity).ok());
        vec![FileDependency { path: path.clone(), content: content.map(|hash| *hash.as_bytes()) }]
    }

    fn model_kind(&self) -> Result<Option<ModelKind>> {
        Ok(self.model()?.map(|model| model.kind()))
    }

    fn latency_frames(&self, input: AudioFormat) -> u64 {
        let Some(model) = self.found() else { return 0 };
        let plans = conversions(input.rate, model.facts.rate);
        plans.map_or(0, |plans| latency(&model, input.rate, plans.as_deref()))
    }

    fn memory_frames(&self, input: AudioFormat) -> u64 {
        let Some(model) = self.found() else { return 0 };
        let Ok(plans) = conversions(input.rate, model.facts.rate) else { return 0 };
        // The filters look back as far as they look ahead.
        let filters_s: f64 = plans.iter().flat_map(|plans| plans.iter()).map(|plan| 2.0 * plan.lag_s()).sum();
        let seconds = model.facts.rate.seconds_from_frames(Flow::memory_frames(&model)) + filters_s;
        (seconds * input.rate.as_f64()).ceil() as u64 + 1
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let (Some(path), Some(model)) = (&self.path, self.model()?) else {
            return Ok(Stage::Gain(vec![1.0; input.channels]));
        };
        check_channels(&model.facts, input.channels)?;
        let plans = conversions(input.rate, model.facts.rate)?;
        let latency = latency(&model, input.rate, plans.as_deref());
        let books = model.facts.books_near(self.kbps);
        Ok(Stage::Process(Box::new(Running::new(share(path)?, books, input.channels, plans.as_deref(), latency))))
    }
}
