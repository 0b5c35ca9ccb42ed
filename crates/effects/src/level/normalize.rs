//! Normalises the whole signal to a level.

use crate::bounds::not_below;
use crate::{
    Arguments, Effect, EffectSpec, Measured, MeasuredPart, PLAIN, Parameter, ParameterKind, Purpose, Scale,
    SelectionUse, Stage, Unit, UnitChoice, When, WholeSignal,
};
use audio::AudioFormat;
use base::error::{Error, Result};
use base::units::gain_from_db;

/// A ceiling that never limits the gain.
const NO_CEILING_DB: f64 = 60.0;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "normalize",
    title: "Normalise",
    purpose: Purpose::Level,
    summary: "Sets the peak, RMS or loudness of the whole signal to a target.",
    documentation: "\
Measures the signal at this place in the chain and applies one gain that brings the measured level to `target`: \
`gain = 10^(target / 20 dB) / level`. With `mode=linked` all channels get the same gain, so that their balance is \
kept; with `mode=per_channel` each channel gets its own. `to` selects the level:\n\
\n\
- `peak`: the largest sample magnitude. The waveform between samples can exceed it by some tenths of a dB, hence the \
default of -1 dB.\n\
- `true_peak`: the largest magnitude including between samples, in dBTP, interpolated fourfold (twofold from 96 kHz \
on) according to ITU-R BS.1770-4, annex 2.\n\
- `rms`: the root mean square, of all channels together if linked. A full-scale sine has -3.01 dB.\n\
- `percentile`: the magnitude that the share `percentile` of all samples does not exceed, to 0.002 dB: a peak that a \
few clicks do not determine.\n\
- `lufs`: the gated, integrated loudness of EBU R 128 (ITU-R BS.1770-4). If linked, all channels are measured \
together and surround channels count 1.5 dB more; per channel, each as mono. Requires a sample rate of at least 2 \
kHz. With `ceiling` the gain is reduced where the true peak would exceed it: `normalize(-14 LUFS, ceiling=-1 dB)` \
gets as close to -14 LUFS as -1 dBTP allows. A limiter before it makes room.\n\
\n\
A unit selects the level: `normalize(-16 LUFS)` sets `to=lufs`, `normalize(-1 dBTP)` sets `to=true_peak`.\n\
\n\
`from` and `until` limit the measurement to a part of the signal, such as the loudest phrase; the gain applies to \
all of it. If both are equal, all of it is measured.\n\
\n\
Except with the peaks, samples can exceed full scale. This does no harm inside a chain; put a limiter after it. \
Signals without a level are unchanged: silence; less than the smallest normal 32-bit float (-758 dB); for `lufs`, \
signals shorter than 400 ms and those that never exceed -70 LUFS.\n\
\n\
No latency, but the signal must be measured first: an export makes a separate pass; a preview uses no gain, or the \
last known one, until that pass is done.",
    source: "AES17 (sample peak, RMS); ITU-R BS.1770-4 and EBU R 128 (true peak, loudness).",
    parameters: &[
        Parameter {
            name: "target",
            title: "Target",
            help: "Level of the output, relative to full scale; in LUFS with to=lufs.",
            units: &[
                UnitChoice { unit: "LUFS", choice: "to", word: "lufs" },
                UnitChoice { unit: "LKFS", choice: "to", word: "lufs" },
                UnitChoice { unit: "dBTP", choice: "to", word: "true_peak" },
                UnitChoice { unit: "dBFS", choice: "to", word: "peak" },
            ],
            kind: ParameterKind::Number {
                unit: Unit::Db,
                min: -120.0,
                max: 0.0,
                default: Some(-1.0),
                initial: -1.0,
                scale: Scale::Linear,
            },
            ..PLAIN
        }
        .travels(-40.0, 0.0),
        Parameter {
            name: "mode",
            title: "Mode",
            help: "linked uses one gain for all channels; per_channel one for each.",
            kind: ParameterKind::Choice { options: &["linked", "per_channel"], default: "linked" },
            ..PLAIN
        },
        Parameter {
            name: "to",
            title: "Level of",
            help: "Level that is brought to the target; lufs is loudness.",
            kind: ParameterKind::Choice {
                options: &["peak", "true_peak", "rms", "percentile", "lufs"],
                default: "peak",
            },
            ..PLAIN
        },
        Parameter {
            name: "percentile",
            title: "Percentile",
            help: "Share of samples that stay at or below the target.",
            kind: ParameterKind::Number {
                unit: Unit::Percent,
                min: 0.01,
                max: 1.0,
                default: Some(0.999),
                initial: 0.999,
                scale: Scale::Linear,
            },
            ..PLAIN
        }
        .travels(0.98, 1.0)
        .used_when(&[When { choice: "to", words: &["percentile"] }]),
        Parameter {
            name: "ceiling",
            title: "Ceiling",
            help: "True peak that the gain does not exceed; 60 dB is off.",
            kind: ParameterKind::Number {
                unit: Unit::Db,
                min: -60.0,
                max: NO_CEILING_DB,
                default: Some(NO_CEILING_DB),
                initial: NO_CEILING_DB,
                scale: Scale::Linear,
            },
            ..PLAIN
        }
        .travels(-12.0, 0.0)
        .rests(NO_CEILING_DB, "Off")
        .used_when(&[When { choice: "to", words: &["lufs"] }]),
        time("from", "Measure from", "Start of the part whose level is measured.").rests(0.0, "Beginning"),
        time("until", "Measure until", "End of that part; equal to from to measure all.").rests(0.0, "Whole"),
    ],
    positional: 1,
    search: "loudnorm loudness louder amplify lufs volume loudest peak maximum rms ebu r128 broadcast podcast",
    aliases: &["normalise", "norm", "loudness_normalization"],
    selection: Some(SelectionUse::Level),
    example: "normalize(-16 LUFS)",
    largest_output: 1001.0,
    build,
};

const fn time(name: &'static str, title: &'static str, help: &'static str) -> Parameter {
    let kind = ParameterKind::Number {
        unit: Unit::Seconds,
        min: 0.0,
        max: 1e6,
        default: Some(0.0),
        initial: 0.0,
        scale: Scale::Linear,
    };
    Parameter { name, title, help, kind, ..PLAIN }.to_length(0.0)
}

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let target = gain_from_db(arguments.checked_number("target")?);
    let ceiling_db = arguments.checked_number("ceiling")?;
    let linked = arguments.checked_text("mode")? == "linked";
    let what = match arguments.checked_text("to")? {
        "true_peak" => WholeSignal::TruePeak,
        "rms" => WholeSignal::Rms,
        "percentile" => WholeSignal::Percentile(arguments.checked_number("percentile")?),
        "lufs" if ceiling_db < NO_CEILING_DB => WholeSignal::LoudnessAndPeak,
        "lufs" => WholeSignal::Loudness,
        _ => WholeSignal::SamplePeak,
    };
    let (from_s, to_s) = (arguments.checked_number("from")?, arguments.checked_number("until")?);
    if from_s > to_s {
        return Err(not_below("normalize", "from", "until", Unit::Seconds, to_s));
    }
    let part = (from_s < to_s).then_some(MeasuredPart { from_s, to_s });
    Ok(Box::new(Normalize { target, linked, what, part, ceiling: gain_from_db(ceiling_db) }))
}

#[derive(Debug)]
struct Normalize {
    target: f64,
    linked: bool,
    what: WholeSignal,
    part: Option<MeasuredPart>,
    ceiling: f64,
}

impl Normalize {
    /// Returns the gain that brings `level` to the target, limited so that the true peak stays below the ceiling.
    fn gain(&self, level: f64, true_peak: f64) -> f64 {
        // Below this level the gain would exceed the range of f32.
        if level < f64::from(f32::MIN_POSITIVE) {
            return 1.0;
        }
        let wanted = self.target / level;
        if true_peak * wanted > self.ceiling { self.ceiling / true_peak } else { wanted }
    }
}

impl Effect for Normalize {
    fn whole_signal(&self) -> Option<WholeSignal> {
        Some(self.what)
    }

    fn measured_part(&self) -> Option<MeasuredPart> {
        self.part
    }

    fn note(&self, measured: &Measured) -> Option<String> {
        if measured.what != self.what || measured.part != self.part {
            return None;
        }
        let least = f64::from(f32::MIN_POSITIVE);
        let level = measured.channels.iter().copied().fold(measured.together, f64::max);
        let sound = if self.part.is_some() { "the measured part" } else { "the sound" };
        let reason = match self.what {
            _ if !level.is_finite() || level >= least => return None,
            WholeSignal::Loudness | WholeSignal::LoudnessAndPeak => {
                "too short (below 400 ms) or too quiet (below -70 LUFS) to have a loudness"
            }
            _ if self.part.is_some() => "silent or beyond the end",
            _ => "silent",
        };
        Some(format!("{}: {sound} is {reason}, so the level is unchanged.", SPEC.title))
    }

    fn stage(&self, input: AudioFormat, measured: Option<&Measured>) -> Result<Stage> {
        // A measurement of another level or part does not apply.
        let Some(measured) = measured.filter(|measured| measured.what == self.what && measured.part == self.part)
        else {
            return Ok(Stage::Gain(vec![1.0; input.channels]));
        };
        if measured.channels.len() != input.channels {
            let (levels, channels) = (measured.channels.len(), input.channels);
            return Err(Error::Internal(format!("normalize was given {levels} levels for {channels} channels")));
        }
        let mut levels = measured.channels.iter().chain([&measured.together]).chain(&measured.true_peaks);
        if levels.any(|level| !level.is_finite()) {
            return Err(Error::setting(SPEC.title, "The sound before it is infinite. Lower the gains before it"));
        }
        let most = measured.true_peaks.iter().copied().fold(0.0, f64::max);
        let gains = measured.channels.iter().enumerate().map(|(channel, level)| {
            if self.linked {
                return self.gain(measured.together, most);
            }
            self.gain(*level, measured.true_peaks.get(channel).copied().unwrap_or(0.0))
        });
        Ok(Stage::Gain(gains.collect()))
    }
}
