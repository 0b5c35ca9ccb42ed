//! FIR filter, designed or read from a file.

use std::path::PathBuf;
use std::sync::Arc;

use super::design::Design;
use super::running::Running;
use super::tap_file;
use crate::recent_cache::RecentCache;
use crate::{
    Arguments, Effect, EffectSpec, FileDependency, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage,
    Unit, When,
};
use audio::AudioFormat;
use base::error::Result;
use base::units::SampleRate;
use dsp::design::fir::{Taps, minimum_phase};
use dsp::kernels::signal::fir::{FirPlan, Strategy};

pub(super) const NAME: &str = "fir";

/// The maximum number of taps of a design.
pub(super) const MAX_TAPS: usize = 65_537;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: NAME,
    title: "FIR filter",
    purpose: Purpose::Filter,
    summary: "A filter with a finite impulse response, designed here or read from a file.",
    documentation: "\
`y[n] = sum h[k] x[n - k]` over the taps `h`. `kind` selects the response; `lowpass` and `highpass` use `cutoff`, \
`bandpass` and `bandstop` use `low` and `high`. All edges must be below half the sample rate.\n\
\n\
`method=window` truncates the ideal response with `window`; the edges are its -6 dB points. `window=kaiser` takes \
its shape from `attenuation`: `beta = 0.1102 (A - 8.7)` from 50 dB on. `least_squares` minimises the energy of the \
error, `equiripple` (Parks-McClellan) its maximum; both leave a transition band around each edge, `transition` wide \
or, at 0 Hz, `(A - 7.95) / (14.36 (taps - 1))` of the rate for `A` = `attenuation`. With `taps=0` the number of taps \
follows from `attenuation` and `transition` by the same formula and is odd. An even number of taps is silent at half \
the rate and cannot be a `highpass` or `bandstop`. Both methods take up to 2049 taps; a window up to 65537.\n\
\n\
`phase=minimum` keeps the magnitude (within 1e-6 of its peak if the stop band is at most 120 dB down), has the least \
delay and does not ring before sudden sounds; frequencies are then delayed differently.\n\
\n\
`file` reads the taps from a file instead, the same at every rate: numbers in text (`.txt`, `.csv`), an array \
(`.npy`, f32 or f64) or a mono recording; up to 2^20 taps. Only `phase` is used with it.\n\
\n\
Latency: `(taps - 1) / 2` frames, rounded down, for linear phase (including symmetric or antisymmetric taps of a \
file), none for others; in addition, from 65 taps on, the block of the transform (10240 frames for 1025 taps). It is \
compensated, so that a linear-phase filter delays nothing. Samples that are `NaN` or infinite count as silence.",
    source: "A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing, chapter 7; J. Kaiser, Nonrecursive digital \
             filter design using the I0-sinh window function (1974); T. Parks, J. McClellan, Chebyshev approximation for \
             nonrecursive digital filters with linear phase (1972); T. Stockham, High-speed convolution and correlation \
             (1966).",
    parameters: &[
        Parameter {
            name: "kind",
            title: "Kind",
            help: "Response of the filter.",
            kind: ParameterKind::Choice {
                options: &["lowpass", "highpass", "bandpass", "bandstop"],
                default: "lowpass",
            },
            ..PLAIN
        },
        edge("cutoff", "Cutoff", "Edge of the lowpass or highpass.", 1000.0, &[ONE_EDGE]),
        Parameter {
            name: "taps",
            title: "Taps",
            help: "Number of taps: more are steeper; 0 follows from attenuation and transition.",
            kind: ParameterKind::Number {
                unit: Unit::None,
                min: 0.0,
                max: MAX_TAPS as f64,
                default: Some(101.0),
                initial: 101.0,
                scale: Scale::Integer,
            },
            ..PLAIN
        }
        .travels(1.0, 1025.0)
        .rests(0.0, "Auto"),
        Parameter {
            name: "window",
            title: "Window",
            help: "Window of the ideal response.",
            used_when: &[BY_WINDOW],
            kind: ParameterKind::Choice { options: WINDOWS, default: "hamming" },
            ..PLAIN
        },
        edge("low", "Low", "Lower edge of the bandpass or bandstop.", 300.0, &[TWO_EDGES]),
        edge("high", "High", "Upper edge of the bandpass or bandstop.", 3000.0, &[TWO_EDGES]),
        Parameter {
            name: "attenuation",
            title: "Attenuation",
            help: "Attenuation of the stop band.",
            used_when: &[BY_ERROR, BY_KAISER, BY_NEED],
            kind: ParameterKind::Number {
                unit: Unit::Db,
                min: 10.0,
                max: 200.0,
                default: Some(80.0),
                initial: 80.0,
                scale: Scale::Linear,
            },
            ..PLAIN
        }
        .travels(20.0, 140.0),
        Parameter {
            name: "transition",
            title: "Transition",
            help: "Width between pass band and stop band; 0 follows from taps and attenuation.",
            kind: ParameterKind::Number {
                unit: Unit::Hz,
                min: 0.0,
                max: 384_000.0,
                default: Some(0.0),
                initial: 0.0,
                scale: Scale::Log,
            },
            used_when: &[BY_ERROR, BY_NEED],
            ..PLAIN
        }
        .to_nyquist(10.0)
        .rests(0.0, "Auto"),
        Parameter {
            name: "method",
            title: "Method",
            help: "window is quick, least_squares has the least error, equiripple the least ripple.",
            kind: ParameterKind::Choice { options: &["window", "least_squares", "equiripple"], default: "window" },
            ..PLAIN
        },
        Parameter {
            name: "phase",
            title: "Phase",
            help: "linear delays all frequencies equally; minimum has the least delay.",
            kind: ParameterKind::Choice { options: &["linear", "minimum"], default: "linear" },
            ..PLAIN
        },
        Parameter {
            name: "file",
            title: "File",
            help: "File of taps instead of a design: .txt, .csv, .npy or a recording.",
            kind: ParameterKind::File { optional: true, folder: false },
            ..PLAIN
        },
    ],
    positional: 3,
    search: "taps linear phase coefficients minimum phase",
    aliases: &["fir_filter", "linear_phase"],
    selection: None,
    example: "fir(lowpass, 1 kHz, taps=101)",
    largest_output: 1e2,
    build,
};

const ONE_EDGE: When = When { choice: "kind", words: &["lowpass", "highpass"] };
const TWO_EDGES: When = When { choice: "kind", words: &["bandpass", "bandstop"] };
const BY_WINDOW: When = When { choice: "method", words: &["window"] };
const BY_ERROR: When = When { choice: "method", words: &["least_squares", "equiripple"] };
const BY_NEED: When = When { choice: "taps", words: &["0"] };
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
    Parameter { name, title, help, used_when, kind, ..PLAIN }.to_nyquist(20.0)
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

/// The source of taps, by which they are cached.
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
