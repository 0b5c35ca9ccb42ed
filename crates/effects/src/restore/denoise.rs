//! Denoise: removes steady noise, based on a profile of the noise alone.

use super::gate::{Gate, GateSettings};
use super::{number, profile};
use crate::bounds::not_below;
use crate::{
    Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, SelectionUse, Stage,
    Unit, WholeSignal,
};
use audio::AudioFormat;
use base::error::{Error, Result};

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "denoise",
    title: "Denoise",
    purpose: Purpose::Repair,
    summary: "Reduces steady noise such as hiss, wind or a fan.",
    documentation: "\
Learns the mean power of the noise at every frequency from the part between `from` and `to`, which should contain \
only noise; if both are equal, from the quietest parts of the recording: a tenth of it, at most 4 s, in pieces of \
0.26 s. Then every frequency is gated: where the mean power over `time` and `width` is less than `sensitivity` above \
that of the noise, it is attenuated by `reduction`, with a soft knee of 6 dB. A gate opens in `attack` and closes in \
`release` (to 1/e of the way in dB). The channel that stands out most opens the gates of all, so that the stereo \
image is kept. `output=noise` outputs what is removed: it should contain no music.\n\
\n\
Noise is random and occasionally exceeds its mean; where a single bin opens, a brief tone is heard (musical noise). \
Larger values of `time` and `width` make it rarer and leave more noise around tones.\n\
\n\
Hann windows of 43 ms (2048 frames at 48 kHz), four over each frame. Latency: one and a half windows and half of \
`time`, 75 ms by default; compensated. The noise must be learned first: an export makes a separate pass; a preview \
passes the signal unchanged until that pass is done. Samples that are `NaN` or infinite count as silence.",
    source: "S. Boll, Suppression of acoustic noise in speech using spectral subtraction, IEEE Trans. ASSP 27 (1979), for \
profiles and their averaging; O. Cappe, Elimination of the musical noise phenomenon with the Ephraim and Malah \
noise suppressor, IEEE Trans. SAP 2 (1994), for what makes musical noise.",
    parameters: &[
        number("from", "Noise from", "Start of the part that contains only noise.", Unit::Seconds, [0.0, 1e6], 0.0)
            .to_length(0.0)
            .rests(0.0, "Beginning"),
        number(
            "to",
            "Noise to",
            "End of that part; equal to from to use the quietest parts.",
            Unit::Seconds,
            [0.0, 1e6],
            0.0,
        )
        .to_length(0.0)
        .rests(0.0, "Automatic"),
        number("reduction", "Reduction", "Attenuation of the noise.", Unit::Db, [0.0, 80.0], 18.0).travels(0.0, 40.0),
        number(
            "sensitivity",
            "Sensitivity",
            "Level above the noise at which a gate opens.",
            Unit::Db,
            [-10.0, 40.0],
            6.0,
        )
        .travels(-6.0, 24.0),
        number("time", "Time", "Averaging time of the level.", Unit::Seconds, [0.0, 0.5], 0.05)
            .on(Scale::Log)
            .travels(0.005, 0.5),
        number("width", "Width", "Averaging bandwidth of the level.", Unit::Hz, [0.0, 5000.0], 120.0)
            .on(Scale::Log)
            .travels(10.0, 2000.0),
        number("attack", "Attack", "Time in which a gate opens.", Unit::Seconds, [0.0, 1.0], 0.01)
            .on(Scale::Log)
            .travels(0.001, 0.5),
        number("release", "Release", "Time in which a gate closes.", Unit::Seconds, [0.0, 5.0], 0.08)
            .on(Scale::Log)
            .travels(0.005, 2.0),
        Parameter {
            name: "output",
            title: "Output",
            help: "cleaned outputs the sound without noise; noise outputs what is removed.",
            kind: ParameterKind::Choice { options: &["cleaned", "noise"], default: "cleaned" },
            ..PLAIN
        },
    ],
    positional: 2,
    search: "noise noisered hiss clean background restoration",
    aliases: &["noise_reduction", "denoiser", "remove_noise"],
    selection: Some(SelectionUse::Noise),
    example: "denoise(0 s, 100 ms)",
    largest_output: 8.0,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let number = |name| arguments.checked_number(name);
    let (from_s, to_s) = (number("from")?, number("to")?);
    if from_s > to_s {
        return Err(not_below("denoise", "from", "to", Unit::Seconds, to_s));
    }
    Ok(Box::new(Denoise {
        from_s,
        to_s,
        reduction_db: number("reduction")? as f32,
        sensitivity_db: number("sensitivity")? as f32,
        time_s: number("time")?,
        width_hz: number("width")?,
        attack_s: number("attack")?,
        release_s: number("release")?,
        taken: arguments.checked_text("output")? == "noise",
    }))
}

#[derive(Debug)]
struct Denoise {
    from_s: f64,
    to_s: f64,
    reduction_db: f32,
    sensitivity_db: f32,
    time_s: f64,
    width_hz: f64,
    attack_s: f64,
    release_s: f64,
    taken: bool,
}

impl Denoise {
    /// Returns the number of windows on either side that are averaged with one.
    fn windows(&self, hop_s: f64) -> usize {
        (self.time_s / hop_s / 2.0).round().min(64.0) as usize
    }

    fn reach(&self, input: AudioFormat) -> u64 {
        let reach = |plan: dsp::kernels::signal::stft::StftPlan| {
            let hop_s = plan.spec().hop as f64 / input.rate.as_f64();
            Gate::latency(&plan, self.windows(hop_s))
        };
        profile::transform(input.rate).map_or(0, reach)
    }
}

impl Effect for Denoise {
    fn latency_frames(&self, input: AudioFormat) -> u64 {
        self.reach(input)
    }

    /// The windows averaged, plus the time in which gates close to -120 dB.
    fn memory_frames(&self, input: AudioFormat) -> u64 {
        self.reach(input) + (14.0 * self.attack_s.max(self.release_s) * input.rate.as_f64()).ceil() as u64
    }

    fn whole_signal(&self) -> Option<WholeSignal> {
        Some(WholeSignal::Noise { from_s: self.from_s, to_s: self.to_s })
    }

    fn note(&self, measured: &Measured) -> Option<String> {
        let is_silent = measured.channels.iter().all(|level| *level == 0.0);
        let place = if self.from_s < self.to_s { "the part that was to have only noise" } else { "the sound" };
        is_silent.then(|| format!("{}: {place} is too short or silent, so no noise was removed.", SPEC.title))
    }

    fn stage(&self, input: AudioFormat, measured: Option<&Measured>) -> Result<Stage> {
        let plan = profile::transform(input.rate)?;
        let hop_s = plan.spec().hop as f64 / input.rate.as_f64();
        let noise = measured.map(|measured| &measured.channels);
        if let Some(noise) = noise.filter(|noise| noise.len() != input.channels * plan.bins()) {
            let bins = noise.len();
            return Err(Error::Internal(format!("denoise was given {bins} bins for {} channels", input.channels)));
        }
        let left = |seconds: f64| if seconds > 0.0 { (-hop_s / seconds).exp() as f32 } else { 0.0 };
        let settings = GateSettings {
            reduction_db: self.reduction_db,
            sensitivity_db: self.sensitivity_db,
            windows: self.windows(hop_s),
            bins: (plan.bins_at(input.rate.as_f64()).bin_from_hz(self.width_hz) / 2.0).round() as usize,
            attack: left(self.attack_s),
            release: left(self.release_s),
            taken: self.taken,
            noise: noise.map(|noise| noise.iter().map(|level| (level * level) as f32).collect()),
        };
        Ok(Stage::Process(Box::new(Gate::new(settings, plan, input.channels))))
    }
}
