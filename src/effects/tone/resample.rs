//! Converts the sample rate within a chain.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::audio::{AudioBuffer, AudioFormat};
use crate::effects::spec::refuse;
use crate::effects::{
    ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Process, Purpose, Scale, Stage, TimeMap,
    Unit,
};
use crate::error::{Error, Result};
use crate::measure::resample::{ResamplePlan, Resampler};
use crate::units::SampleRate;

pub(in crate::effects) static SPEC: EffectSpec = EffectSpec {
    name: "resample",
    title: "Resample",
    purpose: Purpose::Tone,
    summary: "Converts to another sample rate.",
    documentation: "\
Converts the stream to `rate`: all that stands behind it runs at that rate, and so does what comes out. Duration and \
pitch stay. The filter is a Kaiser-windowed sinc of linear phase, designed and applied in f64: flat within -120 dB up to \
5/11 of the lower of the two rates (20.04 kHz at 44.1 kHz), aliases and images at most -120 dB from half of it on, and -6 dB in the \
middle between. Ratios with many phases (44,099 to 48,000 Hz) interpolate their coefficients, with an error below -160 \
dB. Output frame `n` is the band-limited input at the time `n / rate`, whatever the stream is cut into.\n\
\n\
There are `frames rate / input rate` frames, rounded. The stream's own rate changes nothing. As a sum meets frame by \
frame, a branch or a wet side cannot have a rate of its own. A rate can be changed by up to 256 in one step.\n\
\n\
Latency: none in the output, which is in step with the input; a frame comes out when the input that it needs is there, \
about 5 ms at 48 kHz.",
    source: "J. F. Kaiser, Nonrecursive digital filter design using the I0-sinh window function (1974).",
    parameters: &[Parameter {
        name: "rate",
        title: "Rate",
        help: "The rate that comes out.",
        used_when: ALWAYS,
        kind: ParameterKind::Number {
            unit: Unit::Hz,
            min: SampleRate::MIN as f64,
            max: SampleRate::MAX as f64,
            default: None,
            initial: 48_000.0,
            scale: Scale::Integer,
        },
    }],
    positional: 1,
    search: "sample rate conversion speed",
    example: "resample(32 kHz)",
    largest_output: 2.0,
    build,
};

/// The maximum rate ratio. A larger one would have to hold minutes of input.
const MAX_RATIO: f64 = 256.0;

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    Ok(Box::new(Resample { rate: SampleRate::new(arguments.checked_number("rate")? as u32)? }))
}

#[derive(Debug)]
struct Resample {
    rate: SampleRate,
}

impl Effect for Resample {
    fn time_map(&self, input: AudioFormat) -> TimeMap {
        TimeMap { rate_ratio: self.rate.as_f64() / input.rate.as_f64(), duration_ratio: 1.0 }
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        if self.rate == input.rate {
            return Ok(Stage::Gain(vec![1.0; input.channels]));
        }
        let ratio = self.rate.as_f64() / input.rate.as_f64();
        if !(1.0 / MAX_RATIO..=MAX_RATIO).contains(&ratio) {
            let allowed = format!("from 1/{MAX_RATIO} to {MAX_RATIO} times the rate before it, {}", input.rate);
            return Err(refuse("resample", "rate", &allowed));
        }
        let plan = ResamplePlan::new(input.rate, self.rate);
        Ok(Stage::Process(Box::new(Converted::new(plan, input.channels))))
    }
}

/// A rate conversion of a stream.
#[derive(Debug)]
struct Converted {
    plan: Arc<ResamplePlan>,
    resampler: Resampler,
    /// Whole seconds added to frame numbers on both sides, so that frames before the start of the stream have
    /// non-negative numbers.
    ahead_s: i64,
    /// The next input frame.
    position: i64,
    /// The last input frames that the next output frame needs, channel by channel: the state.
    held: Vec<VecDeque<f32>>,
    out: AudioBuffer,
}

impl Converted {
    fn new(plan: Arc<ResamplePlan>, channels: usize) -> Self {
        let resampler = Resampler::new(&plan, channels);
        let held = vec![VecDeque::new(); channels];
        let mut new = Self { plan, resampler, ahead_s: 0, position: 0, held, out: AudioBuffer::new(channels, 0) };
        // There was no input yet, so this cannot fail.
        let _ = new.begin(0);
        new
    }

    fn rates(&self) -> (i64, i64) {
        (i64::from(self.plan.from().hz()), i64::from(self.plan.to().hz()))
    }

    /// Starts with silence before the input frame `frame`.
    fn begin(&mut self, frame: i64) -> Result<()> {
        let (from, to) = self.rates();
        let next = (frame as f64 * to as f64 / from as f64).round() as i64;
        // The conversion looks back no further than this; an extra second is harmless.
        let reach = next * from / to - self.plan.first_input(next);
        self.ahead_s = (reach.max(0) - frame.min(0)) / from + 2;
        self.position = frame;
        self.held.iter_mut().for_each(VecDeque::clear);
        self.go_on(next)
    }

    /// Starts at the output frame `next`, using the held input and silence before it.
    fn go_on(&mut self, next: i64) -> Result<()> {
        let (from, to) = self.rates();
        let first = self.resampler.seek((next + self.ahead_s * to) as u64) as i64 - self.ahead_s * from;
        let wanted = usize::try_from(self.position - first).unwrap_or(0);
        for held in &mut self.held {
            while held.len() < wanted {
                held.push_front(0.0);
            }
            held.drain(..held.len() - wanted);
        }
        let planes = self.held.iter().map(|held| held.iter().copied().collect()).collect();
        self.out.clear();
        self.resampler.push(&AudioBuffer::from_channels(planes), &mut self.out)?;
        if self.out.is_empty() {
            return Ok(());
        }
        Err(Error::Internal("a conversion went on where it had been before".into()))
    }

    fn next_output(&self) -> i64 {
        self.resampler.position() as i64 - self.ahead_s * self.rates().1
    }
}

impl Process for Converted {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        self.position += block.frames() as i64;
        self.out.clear();
        self.resampler.push(block, &mut self.out)?;
        let keep = usize::try_from(self.position - self.plan.first_input(self.next_output())).unwrap_or(0);
        for (held, samples) in self.held.iter_mut().zip(block.iter()) {
            held.extend(samples);
            held.drain(..held.len().saturating_sub(keep));
        }
        std::mem::swap(block, &mut self.out);
        Ok(())
    }

    fn seek(&mut self, frame: i64) -> bool {
        if frame == self.position {
            return true;
        }
        let fresh = self.held.iter().all(|held| held.iter().all(|sample| *sample == 0.0));
        self.begin(frame).is_ok() && fresh
    }

    /// Position and next output frame, then the held input.
    fn state(&self) -> Vec<f64> {
        let held = self.held.iter().flatten().map(|sample| f64::from(*sample));
        [self.position as f64, self.next_output() as f64].into_iter().chain(held).collect()
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let channels = self.held.len().max(1);
        let [position, next, samples @ ..] = state else { return Err(another()) };
        if !samples.len().is_multiple_of(channels) {
            return Err(another());
        }
        self.begin(*position as i64)?;
        let frames = samples.len() / channels;
        for (held, samples) in self.held.iter_mut().zip(samples.chunks(frames.max(1))) {
            held.clear();
            held.extend(samples.iter().map(|sample| *sample as f32));
        }
        self.go_on(*next as i64)
    }
}

fn another() -> Error {
    Error::Internal("a conversion was given the state of another one".into())
}
