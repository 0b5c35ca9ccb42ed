//! Convolution with an impulse response.

use std::path::PathBuf;
use std::sync::Arc;

use super::impulse::{self, Normalize, Preparation};
use super::running::Running;
use crate::recent_cache::RecentCache;
use crate::{
    Arguments, Effect, EffectSpec, FileDependency, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage,
    Unit, When,
};
use audio::AudioFormat;
use base::error::Result;
use base::units::SampleRate;
use dsp::design::fir::Taps;
use dsp::kernels::signal::fir::{FirPlan, Route, Strategy};

const NAME: &str = "convolve";

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: NAME,
    title: "Convolution",
    purpose: Purpose::Space,
    summary: "Applies the sound of a room, loudspeaker or device from its impulse response.",
    documentation: "\
`y[n] = sum h[k] x[n - k]`, where `h` is the recording in `file`: up to 60 s, in any format that can be opened. If \
its rate differs from the stream's, it is converted (band-limited to -120 dB), and its gain is kept.\n\
\n\
A mono response applies to every channel of the stream; one with as many channels applies channel by channel; one of \
`n n` channels for `n` of the stream (four for stereo) has a path for each input and output, inputs first (left to \
left, left to right, right to left, right to right). Otherwise channel `c` uses the response's channel `c` modulo \
their number, and a mono stream uses the mean of them all.\n\
\n\
`normalize=none` keeps the recorded gain, which for rooms is often well above 1; `energy` keeps the level of white \
noise where the response is loudest (`sum h^2 = 1`); `peak` scales its largest sample to 1. `trim` removes what is \
below `threshold` relative to its peak at its start (the distance between loudspeaker and microphone), its end or \
both; `predelay` inserts silence before it. The effect's mix in the chain sets wet against dry. Without a file, as \
when it is added in the window, the effect changes nothing.\n\
\n\
Latency: the block of the transform, from 65 frames of response on (32768 frames for 10 s at 48 kHz); compensated, \
so that the dry sound stays in time. Tail: the length of the response. Responses longer than 65536 frames are not \
plotted. Samples that are `NaN` or infinite count as silence.",
    source: "T. Stockham, High-speed convolution and correlation (1966); W. G. Gardner, Efficient convolution without \
             input-output delay (1995).",
    parameters: &[
        Parameter {
            name: "file",
            title: "File",
            help: "Recording of the impulse response.",
            kind: ParameterKind::File { optional: false, folder: false },
            ..PLAIN
        },
        Parameter {
            name: "normalize",
            title: "Normalise",
            help: "none keeps the recorded gain; energy keeps the level of noise; peak scales the largest sample to 1.",
            kind: ParameterKind::Choice { options: &["none", "energy", "peak"], default: "none" },
            ..PLAIN
        },
        Parameter {
            name: "predelay",
            title: "Pre-delay",
            help: "Silence before the response.",
            kind: ParameterKind::Number {
                unit: Unit::Seconds,
                min: 0.0,
                max: 2.0,
                default: Some(0.0),
                initial: 0.0,
                scale: Scale::Log,
            },
            ..PLAIN
        }
        .travels(0.001, 0.5)
        .rests(0.0, "None"),
        Parameter {
            name: "trim",
            title: "Trim",
            help: "Which quiet ends of the response are removed.",
            kind: ParameterKind::Choice { options: &["none", "start", "end", "both"], default: "none" },
            ..PLAIN
        },
        Parameter {
            name: "threshold",
            title: "Threshold",
            help: "Level below which the ends are removed, relative to the response's peak.",
            kind: ParameterKind::Number {
                unit: Unit::Db,
                min: -200.0,
                max: -10.0,
                default: Some(-60.0),
                initial: -60.0,
                scale: Scale::Linear,
            },
            ..PLAIN
        }
        .travels(-100.0, -20.0)
        .used_when(&[When { choice: "trim", words: &["start", "end", "both"] }]),
    ],
    positional: 1,
    search: "reverb room cabinet space",
    aliases: &["convolution", "convolution_reverb", "impulse_response", "ir"],
    selection: None,
    example: "convolve(\"room.wav\")",
    largest_output: 2e3,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let trim = arguments.checked_text("trim")?;
    Ok(Box::new(Convolve {
        file: Some(arguments.checked_text("file")?).filter(|path| !path.is_empty()).map(PathBuf::from),
        normalize: match arguments.checked_text("normalize")? {
            "energy" => Normalize::Energy,
            "peak" => Normalize::Peak,
            _ => Normalize::Off,
        },
        predelay_s: arguments.checked_number("predelay")?,
        trim: (matches!(trim, "start" | "both"), matches!(trim, "end" | "both")),
        threshold_db: arguments.checked_number("threshold")?,
    }))
}

#[derive(Debug)]
struct Convolve {
    file: Option<PathBuf>,
    normalize: Normalize,
    predelay_s: f64,
    trim: (bool, bool),
    threshold_db: f64,
}

/// The cache key of a response: the content of the file, the rate of the stream, and the preparation.
type Made = (Option<[u8; 32]>, SampleRate, Preparation);

/// A response, and the plans for the channel counts that it was last used with.
struct Response {
    channels: Vec<Vec<f64>>,
    plans: RecentCache<usize, FirPlan>,
}

static RESPONSES: RecentCache<Made, Response> = RecentCache::new(3);

impl Convolve {
    fn response(&self, rate: SampleRate) -> Result<Option<Arc<Response>>> {
        let Some(path) = &self.file else { return Ok(None) };
        let preparation = Preparation {
            trim: self.trim,
            threshold_db: self.threshold_db,
            normalize: self.normalize,
            predelay: rate.frames_from_seconds(self.predelay_s) as usize,
        };
        let content = FileDependency::of(path)?.content;
        let made = |(_, rate, preparation): &Made| {
            let channels = impulse::read(path, *rate, *preparation)?;
            Ok(Response { channels, plans: RecentCache::new(2) })
        };
        RESPONSES.get((content, rate, preparation), made).map(Some)
    }

    /// Returns the length of the response at this rate in frames; `None` if there is no file or it cannot be read.
    fn length(&self, rate: SampleRate) -> Option<usize> {
        let response = self.response(rate).ok().flatten()?;
        response.channels.first().map(Vec::len)
    }
}

/// Returns the filters for a stream with `channels` channels, and for each output the routes from input to filter.
fn routed(response: &[Vec<f64>], channels: usize) -> (Vec<Vec<f64>>, Vec<Vec<Route>>) {
    let count = response.len();
    if channels == 1 && count > 1 {
        let mean = (0..response[0].len()).map(|n| response.iter().map(|h| h[n]).sum::<f64>() / count as f64).collect();
        return (vec![mean], vec![vec![Route { input: 0, filter: 0 }]]);
    }
    let routes = |output: usize| {
        if channels > 1 && count == channels * channels {
            (0..channels).map(|input| Route { input, filter: input * channels + output }).collect()
        } else {
            vec![Route { input: output, filter: output % count }]
        }
    };
    (response.to_vec(), (0..channels).map(routes).collect())
}

impl Effect for Convolve {
    fn files(&self) -> Vec<FileDependency> {
        self.file.iter().map(|path| FileDependency::found(path)).collect()
    }

    fn latency_frames(&self, input: AudioFormat) -> u64 {
        self.length(input.rate).map_or(0, |length| Strategy::new(length).unit() as u64)
    }

    fn memory_frames(&self, input: AudioFormat) -> u64 {
        self.length(input.rate).map_or(0, |length| {
            let shape = Strategy::new(length);
            (shape.before() + shape.unit()) as u64
        })
    }

    fn tail_frames(&self, input: AudioFormat) -> u64 {
        self.length(input.rate).map_or(0, |length| length as u64 - 1)
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let Some(response) = self.response(input.rate)? else { return Ok(Stage::Gain(vec![1.0; input.channels])) };
        let plan = response.plans.get(input.channels, |channels| {
            let (filters, routes) = routed(&response.channels, *channels);
            FirPlan::new(&filters, routes)
        })?;
        let taps = (input.channels == 1).then(|| Arc::new(Taps::new(routed(&response.channels, 1).0.remove(0))));
        Ok(Stage::Process(Box::new(Running::new(plan, taps, 0))))
    }
}
