//! FIR filter, designed or read from a file.

use std::path::PathBuf;
use std::sync::Arc;

use super::design::Design;
use super::recent_cache::RecentCache;
use super::running::Running;
use super::tap_file;
use crate::audio::AudioFormat;
use crate::design::fir::{Taps, minimum_phase};
use crate::effects::{
    ALWAYS, Arguments, Effect, EffectSpec, FileDependency, Measured, Parameter, ParameterKind, Purpose, Scale, Stage,
    Unit, When,
};
use crate::error::Result;
use crate::kernels::fir::{FirPlan, Strategy};
use crate::units::SampleRate;

pub(super) const NAME: &str = "fir";

/// The maximum number of taps of a design.
pub(super) const MAX_TAPS: usize = 65_537;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: NAME,
    title: "FIR filter",
    purpose: Purpose::Filter,
    summary: "Filters with taps: designed to a linear or the least phase, or read from a file.",
    documentation: "\
`y[n] = sum h[k] x[n - k]` over the taps `h`. `kind` says what passes; `lowpass` and `highpass` go by `cutoff`, \
`bandpass` and `bandstop` by `low` and `high`. All edges must be below half the sample rate.\n\
\n\
`method=window` cuts the ideal response off under `window`; the edges are its -6 dB. `window=kaiser` takes its shape from \
`attenuation`: `beta = 0.1102 (A - 8.7)` from 50 dB on. `least_squares` makes the energy of the error least, \
`equiripple` (Parks and McClellan) its largest value; both leave a transition about each edge to itself: `transition` \
wide or, at 0 Hz, `(A - 7.95) / (14.36 (taps - 1))` of the rate for `A` = `attenuation`. With `taps=0` there are as many \
taps as `attenuation` and `transition` need by the same formula, an odd number. An even number of taps is silent at half \
the rate and cannot be a `highpass` or a `bandstop`. Both methods take up to 2049 taps; a window up to 65537.\n\
\n\
`phase=minimum` keeps the magnitude (within 1e-6 of its peak where the stop band is no more than 120 dB down) and sounds \
as early as can be, without ringing before sudden sounds; frequencies then come at different times.\n\
\n\
`file` takes the taps from a file instead, as they are at any rate: numbers in text (`.txt`, `.csv`), an array (`.npy`, \
f32 or f64), or a recording of one channel; up to 2^20. Only `phase` counts beside it.\n\
\n\
Latency: `(taps - 1) / 2` frames, rounded down, for linear phase (taps of a file too that are the same, or opposite, from \
both ends), none of their own for others; and from 65 taps on the block of the transform that they run in (10240 frames \
for 1025 taps). All of it is compensated, so that a filter of linear phase changes no times. Samples that are no numbers \
are taken as silence.",
    source: "A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, chapter 7; J. Kaiser, Nonrecursive digital \
             filter design using the I0-sinh window function (1974); T. Parks, J. McClellan, Chebyshev approximation for \
             nonrecursive digital filters with linear phase (1972); T. Stockham, High-speed convolution and correlation \
             (1966).",
    parameters: &[
        Parameter {
            name: "kind",
            title: "Kind",
            help: "What passes.",
            used_when: ALWAYS,
            kind: ParameterKind::Choice {
                options: &["lowpass", "highpass", "bandpass", "bandstop"],
                default: "lowpass",
            },
        },
        edge("cutoff", "Cutoff", "The edge of a lowpass or a highpass.", 1000.0, &[ONE_EDGE]),
        Parameter {
            name: "taps",
            title: "Taps",
            help: "How many; the more, the steeper. 0: as attenuation and transition need.",
            used_when: ALWAYS,
            kind: ParameterKind::Number {
                unit: Unit::None,
                min: 0.0,
                max: MAX_TAPS as f64,
                default: Some(101.0),
                initial: 101.0,
                scale: Scale::Integer,
            },
        },
        Parameter {
            name: "window",
            title: "Window",
            help: "What the ideal response is cut off under, with method=window.",
            used_when: &[BY_WINDOW],
            kind: ParameterKind::Choice { options: WINDOWS, default: "hamming" },
        },
        edge("low", "Low", "The lower edge of a bandpass or a bandstop.", 300.0, &[TWO_EDGES]),
        edge("high", "High", "The upper edge of a bandpass or a bandstop.", 3000.0, &[TWO_EDGES]),
        Parameter {
            name: "attenuation",
            title: "Attenuation",
            help: "How far down the stop band is, for window=kaiser and for widths and taps that follow from it.",
            used_when: &[BY_ERROR, BY_KAISER],
            kind: ParameterKind::Number {
                unit: Unit::Db,
                min: 10.0,
                max: 200.0,
                default: Some(80.0),
                initial: 80.0,
                scale: Scale::Linear,
            },
        },
        Parameter {
            name: "transition",
            title: "Transition",
            help: "How wide it is from pass to stop band, for taps=0, least_squares and equiripple; 0: as the taps allow.",
            used_when: ALWAYS,
            kind: ParameterKind::Number {
                unit: Unit::Hz,
                min: 0.0,
                max: 384_000.0,
                default: Some(0.0),
                initial: 0.0,
                scale: Scale::Linear,
            },
        },
        Parameter {
            name: "method",
            title: "Method",
            help: "By a window, with the least energy of the error, or with the least ripple.",
            used_when: ALWAYS,
            kind: ParameterKind::Choice { options: &["window", "least_squares", "equiripple"], default: "window" },
        },
        Parameter {
            name: "phase",
            title: "Phase",
            help: "linear: all frequencies come at the same time; minimum: all as early as can be.",
            used_when: ALWAYS,
            kind: ParameterKind::Choice { options: &["linear", "minimum"], default: "linear" },
        },
        Parameter {
            name: "file",
            title: "File",
            help: "A file of taps to use instead of a design: .txt, .csv, .npy or a recording.",
            used_when: ALWAYS,
            kind: ParameterKind::File { optional: true },
        },
    ],
    positional: 3,
    search: "taps linear phase coefficients",
    example: "fir(lowpass, 1 kHz, taps=101)",
    largest_output: 1e2,
    build,
};

const ONE_EDGE: When = When { choice: "kind", words: &["lowpass", "highpass"] };
const TWO_EDGES: When = When { choice: "kind", words: &["bandpass", "bandstop"] };
const BY_WINDOW: When = When { choice: "method", words: &["window"] };
const BY_ERROR: When = When { choice: "method", words: &["least_squares", "equiripple"] };
const BY_KAISER: When = When { choice: "window", words: &["kaiser"] };

const WINDOWS: &[&str] = &[
    "hamming",
    "hann",
    "blackman",
    "kaiser",
    "rectangular",
    "bartlett",
    "barthann",
    "blackman_harris",
    "nuttall",
    "flattop",
    "parzen",
    "bohman",
];

const fn edge(
    name: &'static str,
    title: &'static str,
    help: &'static str,
    usual: f64,
    used_when: &'static [When],
) -> Parameter {
    let kind = ParameterKind::Number {
        unit: Unit::Hz,
        min: 0.1,
        max: 384_000.0,
        default: Some(usual),
        initial: usual,
        scale: Scale::Log,
    };
    Parameter { name, title, help, used_when, kind }
}

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let least_phase = arguments.checked_text("phase")? == "minimum";
    let source = match arguments.checked_text("file")? {
        "" => TapsSource::Design(Design::new(arguments)?),
        path => TapsSource::File(path.into()),
    };
    Ok(Box::new(Fir { source, least_phase }))
}

#[derive(Debug)]
enum TapsSource {
    Design(Design),
    File(PathBuf),
}

/// What the taps were made from.
#[derive(PartialEq)]
enum Made {
    Design(Design, SampleRate, bool),
    File(Option<[u8; 32]>, bool),
}

static TAPS: RecentCache<Made, Taps> = RecentCache::new(16);

#[derive(Debug)]
struct Fir {
    source: TapsSource,
    least_phase: bool,
}

impl Fir {
    fn taps(&self, rate: SampleRate) -> Result<Arc<Taps>> {
        let least_phase = self.least_phase;
        match &self.source {
            TapsSource::Design(design) => {
                TAPS.get(Made::Design(*design, rate, least_phase), |_| design.taps(rate, least_phase))
            }
            TapsSource::File(path) => {
                let content = FileDependency::of(path)?.content;
                TAPS.get(Made::File(content, least_phase), |_| {
                    let taps = tap_file::read(path)?;
                    Ok(Taps::new(if least_phase { minimum_phase(&taps)? } else { taps }))
                })
            }
        }
    }

    /// Returns the delay of the taps that is declared as latency, in frames, and the number of taps. `(0, 1)` for taps
    /// that cannot be read; a design that is not possible counts as one tap.
    fn lag(&self, rate: SampleRate) -> (u64, usize) {
        let linear = |count: usize| ((count.saturating_sub(1) / 2) as u64, count);
        match &self.source {
            TapsSource::Design(design) => {
                let count = design.count(rate).unwrap_or(1);
                if self.least_phase { (0, count) } else { linear(count) }
            }
            TapsSource::File(_) => self.taps(rate).map_or((0, 1), |taps| lag_of(&taps)),
        }
    }
}

fn lag_of(taps: &Taps) -> (u64, usize) {
    let count = taps.values().len();
    (if taps.have_linear_phase() { (count as u64 - 1) / 2 } else { 0 }, count)
}

impl Effect for Fir {
    fn files(&self) -> Vec<FileDependency> {
        match &self.source {
            TapsSource::Design(_) => Vec::new(),
            TapsSource::File(path) => vec![FileDependency::found(path)],
        }
    }

    fn latency_frames(&self, input: AudioFormat) -> u64 {
        let (lag, count) = self.lag(input.rate);
        lag + Strategy::new(count).unit() as u64
    }

    fn memory_frames(&self, input: AudioFormat) -> u64 {
        let shape = Strategy::new(self.lag(input.rate).1);
        (shape.before() + shape.unit()) as u64
    }

    fn tail_frames(&self, input: AudioFormat) -> u64 {
        let (lag, count) = self.lag(input.rate);
        count as u64 - 1 - lag
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let taps = self.taps(input.rate)?;
        let (lag, _) = self.lag(input.rate);
        let plan = Arc::new(FirPlan::of_taps(taps.values(), input.channels)?);
        Ok(Stage::Process(Box::new(Running::new(plan, Some(taps), lag))))
    }
}
