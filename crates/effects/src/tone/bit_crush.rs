//! Bit crusher: reduces word length and sample rate.

use crate::{
    Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Process, Purpose, Scale, Stage, Unit,
};
use audio::encode::dither::{BLOCK, triangular};
use audio::{AudioBuffer, AudioFormat};
use base::error::{Error, Result};
use base::units::SampleRate;
use dsp::design::{Svf, Warped, butterworth_lowpass};

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: "bit_crush",
    title: "Bit crusher",
    purpose: Purpose::Tone,
    summary: "Reduces word length and sample rate, for a lo-fi sound.",
    documentation: "\
Rounds to `bits` bits, as an integer file of this word length would: steps of `2^(1 - bits)`, from -1 up to one step \
below 1. `dither=tpdf` first adds triangular noise of two steps, which turns the distortion of rounding into \
constant hiss; with `dither=none` quiet sounds distort and the quietest disappear. `bit_crush(16, dither=tpdf)` is \
plain dither to 16 bits.\n\
\n\
With a `rate` below the stream's, every sample is held until the next one of that rate is due (sample and hold), so \
that content above half that rate aliases. `antialias=on` removes this content first with a Butterworth low-pass of \
order 8 at 0.45 `rate`; the images above half the rate, the sound of an old sampler, remain. Holding starts with the \
first frame and depends only on the frame number, and so does the noise: the result is the same every time.\n\
\n\
The stream keeps its rate; `resample` changes it. No latency (apart from the delay of the causal low-pass).",
    source: "S. Lipshitz, R. Wannamaker, J. Vanderkooy, Quantization and dither: a theoretical survey (1992).",
    parameters: &[
        Parameter {
            name: "bits",
            title: "Bits",
            help: "Word length.",
            kind: ParameterKind::Number {
                unit: Unit::None,
                min: 2.0,
                max: 24.0,
                default: Some(8.0),
                initial: 8.0,
                scale: Scale::Integer,
            },
            ..PLAIN
        },
        Parameter {
            name: "rate",
            title: "Rate",
            help: "Rate at which samples are held; the stream's own rate or more is off.",
            kind: ParameterKind::Number {
                unit: Unit::Hz,
                min: 1.0,
                max: SampleRate::MAX as f64,
                default: Some(SampleRate::MAX as f64),
                initial: SampleRate::MAX as f64,
                scale: Scale::Log,
            },
            ..PLAIN
        }
        .travels(500.0, 48_000.0)
        .rests(SampleRate::MAX as f64, "Off"),
        Parameter {
            name: "antialias",
            title: "Anti-alias",
            help: "Removes content that the lower rate would alias.",
            kind: ParameterKind::Choice { options: &["off", "on"], default: "off" },
            ..PLAIN
        },
        Parameter {
            name: "dither",
            title: "Dither",
            help: "tpdf adds noise before rounding, which prevents distortion.",
            kind: ParameterKind::Choice { options: &["none", "tpdf"], default: "none" },
            ..PLAIN
        },
    ],
    positional: 1,
    search: "decimate lo-fi distortion bits sample rate dither retro",
    aliases: &["bitcrusher", "bit_crusher", "quantize"],
    selection: None,
    example: "bit_crush(6, rate=5 kHz, antialias=on)",
    largest_output: 2.0,
    build,
};

/// The cutoff of the low-pass as a share of the lower rate.
const CUTOFF: f64 = 0.45;
const ORDER: usize = 8;
/// The seed of the dither noise, different from that of an export.
const SEED: u64 = 0x6372_7573_6800;

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    Ok(Box::new(BitCrush {
        bits: arguments.checked_number("bits")? as i32,
        rate_hz: arguments.checked_number("rate")?,
        antialias: arguments.checked_text("antialias")? == "on",
        dither: arguments.checked_text("dither")? == "tpdf",
    }))
}

#[derive(Debug)]
struct BitCrush {
    bits: i32,
    rate_hz: f64,
    antialias: bool,
    dither: bool,
}

impl Effect for BitCrush {
    fn memory_frames(&self, input: AudioFormat) -> u64 {
        let held = input.rate.as_f64() / self.rate_hz;
        // The held samples, and the ringing of the low-pass.
        if held <= 1.0 { 0 } else { (held * if self.antialias { 60.0 } else { 1.0 }).ceil() as u64 }
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let held = (self.rate_hz < input.rate.as_f64()).then_some(self.rate_hz);
        let cutoff =
            held.filter(|_| self.antialias).and_then(|_| Warped::new(CUTOFF * self.rate_hz, input.rate.as_f64()));
        let sections: Vec<Svf> = cutoff
            .map(|cutoff| butterworth_lowpass(ORDER, cutoff).iter().map(|section| section.svf).collect())
            .unwrap_or_default();
        let channel = Channel { filter: vec![[0.0; 2]; sections.len()], held: 0.0 };
        Ok(Stage::Process(Box::new(Crusher {
            steps: 2f64.powi(self.bits - 1),
            dither: self.dither,
            held,
            rate_hz: input.rate.as_f64(),
            sections,
            position: 0,
            channels: vec![channel; input.channels],
            noise: Box::new([0.0; BLOCK]),
        })))
    }
}

#[derive(Debug)]
struct Crusher {
    /// Quantisation steps from 0 to full scale.
    steps: f64,
    dither: bool,
    /// The reduced rate in Hz; `None` if all samples are kept.
    held: Option<f64>,
    rate_hz: f64,
    sections: Vec<Svf>,
    /// The next frame of the stream.
    position: i64,
    channels: Vec<Channel>,
    noise: Box<[f32; BLOCK]>,
}

#[derive(Clone, Debug)]
struct Channel {
    /// The integrators of the low-pass. It runs frame by frame, so that block sizes do not affect the bits before
    /// rounding.
    filter: Vec<[f64; 2]>,
    held: f64,
}

impl Channel {
    /// Filters a sample with the low-pass.
    fn low(&mut self, sections: &[Svf], sample: f64) -> f64 {
        sections.iter().zip(&mut self.filter).fold(sample, |x, (section, [s1, s2])| {
            let Svf { g, k, m } = *section;
            let v1 = (*s1 + g * (x - *s2)) / (1.0 + g * (g + k));
            let v2 = *s2 + g * v1;
            *s1 = 2.0 * v1 - *s1;
            *s2 = 2.0 * v2 - *s2;
            m[0] * x + m[1] * v1 + m[2] * v2
        })
    }

    /// Clears values that are `NaN` or infinite, and values about to become denormal.
    fn settle(&mut self) {
        for value in self.filter.iter_mut().flatten().chain([&mut self.held]) {
            if !value.is_finite() || value.abs() < 1e-30 {
                *value = 0.0;
            }
        }
    }
}

impl Process for Crusher {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        let start = self.position;
        self.position += block.frames() as i64;
        // In this order, an integer quotient is exact.
        let (kept, rate) = (self.held.unwrap_or(1.0), self.rate_hz);
        let number = |frame: i64| (frame as f64 * kept / rate).floor();
        for (index, (channel, samples)) in self.channels.iter_mut().zip(block.iter_mut()).enumerate() {
            let mut noise_of = None;
            for (frame, sample) in (start..).zip(samples.iter_mut()) {
                let heard = channel.low(&self.sections, f64::from(*sample));
                if self.held.is_none() || number(frame) != number(frame - 1) {
                    channel.held = heard;
                }
                let noise = if self.dither {
                    let block = frame.div_euclid(BLOCK as i64);
                    if noise_of != Some(block) {
                        triangular(SEED, index, block as u64, &mut self.noise);
                        noise_of = Some(block);
                    }
                    f64::from(self.noise[frame.rem_euclid(BLOCK as i64) as usize])
                } else {
                    0.0
                };
                let rounded = (channel.held * self.steps + noise).round_ties_even();
                *sample = (rounded.clamp(-self.steps, self.steps - 1.0) / self.steps) as f32;
                // Frame by frame as well, so that block sizes do not matter.
                if frame % 64 == 0 {
                    channel.settle();
                }
            }
        }
        Ok(())
    }

    fn seek(&mut self, frame: i64) -> bool {
        self.position = frame;
        true
    }

    fn state(&self) -> Vec<f64> {
        let channels = self.channels.iter().flat_map(|channel| channel.filter.iter().flatten().chain([&channel.held]));
        std::iter::once(self.position as f64).chain(channels.copied()).collect()
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let length = 1 + self.channels.len() * (2 * self.sections.len() + 1);
        if state.len() != length {
            return Err(Error::Internal("a bit crusher was given the state of another one".into()));
        }
        self.position = state[0] as i64;
        let to =
            self.channels.iter_mut().flat_map(|channel| channel.filter.iter_mut().flatten().chain([&mut channel.held]));
        to.zip(&state[1..]).for_each(|(to, from)| *to = *from);
        Ok(())
    }
}
