//! Normalises the whole signal to a level.

use crate::audio::AudioFormat;
use crate::effects::{
    ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Purpose, Scale, Stage, Unit, WholeSignal,
};
use crate::error::{Error, Result};
use crate::units::gain_from_db;

/// A ceiling that never limits the gain.
const NO_CEILING_DB: f64 = 60.0;

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "normalize",
    title: "Normalise",
    purpose: Purpose::Level,
    summary: "Brings the whole signal to a level: of its peak, its RMS or its loudness.",
    documentation: "\
Measures the whole signal as it comes to this place of the chain, and multiplies all by one gain that brings what was \
measured to `target`: `gain = 10^(target / 20 dB) / level`. With `mode=linked` one gain serves all channels, so that \
their balance stays; with `mode=per_channel` each channel gets its own. What is measured is `to`:\n\
\n\
- `peak`: the largest sample magnitude. The curve between samples may go higher by some tenths of a dB, which is why the \
default is -1 dB.\n\
- `true_peak`: the largest magnitude between samples too, in dBTP, interpolated fourfold (twofold from 96 kHz on) as \
ITU-R BS.1770-4, annex 2 says.\n\
- `rms`: the root of the mean square, of all channels together when linked. A full-scale sine has -3.01 dB.\n\
- `percentile`: the magnitude that the share `percentile` of all samples does not exceed, to 0.002 dB: a peak that a few \
clicks do not decide.\n\
- `lufs`: the gated, integrated loudness of EBU R 128 (ITU-R BS.1770-4); `normalize(-16 dB, to=lufs)` gives -16 LUFS, \
whose steps are decibels. Linked, all channels count together and surrounds 1.5 dB more; by channel, each as mono. From \
2 kHz sample rate on. With `ceiling` the gain is held back where the true peak would pass it: \
`normalize(-14 dB, to=lufs, ceiling=-1 dB)` is as near to -14 LUFS as -1 dBTP allows. A limiter before it makes room.\n\
\n\
Whatever but the peaks can push samples beyond full scale, which inside a chain does no harm: put a limiter behind it. \
What has no level stays as it is: silence; less than the smallest normal 32-bit float (-758 dB); for `lufs`, less than \
400 ms and what never exceeds -70 LUFS.\n\
\n\
No latency, but the whole signal must be known first: an export makes a pass of its own, a preview runs with no gain, or \
the last known one, until that pass is done.",
    source: "AES17 (sample peak, RMS); ITU-R BS.1770-4 and EBU R 128 (true peak, loudness).",
    parameters: &[
        Parameter {
            name: "target",
            title: "Target",
            help: "The level that comes out, re full scale; in LUFS with to=lufs.",
            used_when: ALWAYS,
            kind: ParameterKind::Number {
                unit: Unit::Db,
                min: -120.0,
                max: 0.0,
                default: Some(-1.0),
                initial: -1.0,
                scale: Scale::Linear,
            },
        },
        Parameter {
            name: "mode",
            title: "Mode",
            help: "linked: one gain for all channels; per_channel: each its own.",
            used_when: ALWAYS,
            kind: ParameterKind::Choice { options: &["linked", "per_channel"], default: "linked" },
        },
        Parameter {
            name: "to",
            title: "Level of",
            help: "What is brought to the target: peak, true_peak, rms, percentile, or loudness in lufs.",
            used_when: ALWAYS,
            kind: ParameterKind::Choice {
                options: &["peak", "true_peak", "rms", "percentile", "lufs"],
                default: "peak",
            },
        },
        Parameter {
            name: "percentile",
            title: "Percentile",
            help: "With to=percentile, the share of samples that stay at or below the target.",
            used_when: ALWAYS,
            kind: ParameterKind::Number {
                unit: Unit::Percent,
                min: 0.01,
                max: 1.0,
                default: Some(0.999),
                initial: 0.999,
                scale: Scale::Linear,
            },
        },
        Parameter {
            name: "ceiling",
            title: "Ceiling",
            help: "With to=lufs, the true peak that the gain does not take it beyond; 60 dB for none.",
            used_when: ALWAYS,
            kind: ParameterKind::Number {
                unit: Unit::Db,
                min: -60.0,
                max: NO_CEILING_DB,
                default: Some(NO_CEILING_DB),
                initial: NO_CEILING_DB,
                scale: Scale::Linear,
            },
        },
    ],
    positional: 1,
    search: "volume loudest peak maximum",
    example: "normalize(-16 dB, to=lufs)",
    largest_output: 1001.0,
    build,
};

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
    Ok(Box::new(Normalize { target, linked, what, ceiling: gain_from_db(ceiling_db) }))
}

#[derive(Debug)]
struct Normalize {
    target: f64,
    linked: bool,
    what: WholeSignal,
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

    fn stage(&self, input: AudioFormat, measured: Option<&Measured>) -> Result<Stage> {
        // A measurement made for another `to` does not apply.
        let Some(measured) = measured.filter(|measured| measured.what == self.what) else {
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
        let gains = measured.channels.iter().enumerate().map(|(channel, own)| {
            if self.linked {
                return self.gain(measured.together, most);
            }
            self.gain(*own, measured.true_peaks.get(channel).copied().unwrap_or(0.0))
        });
        Ok(Stage::Gain(gains.collect()))
    }
}
