//! Time stretch: changes the tempo and keeps the pitch.

use super::stretcher::{StretchSettings, Stretcher};
use super::{TRANSIENTS, WINDOW};
use crate::{
    Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Process, Purpose, Scale, Stage, TimeMap,
    Unit,
};
use audio::{AudioBuffer, AudioFormat};
use base::error::{Error, Result};

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "time_stretch",
    title: "Time stretch",
    purpose: Purpose::Tone,
    summary: "Changes the duration and keeps the pitch.",
    documentation: "\
The output lasts `length` times as long as the input: 200 % is half the tempo, 50 % is twice the tempo. It has \
exactly `frames * length` frames, halves rounded up.\n\
\n\
A phase vocoder with Hann windows of about `window`, four over each output frame, each a spectrum of the \
corresponding position in the input. The phase of a tone advances between two output windows as it does over a \
quarter of a window in the input; all bins around a spectral peak are rotated together (identity phase locking), \
equally in all channels, so that steady tones keep frequency and level, and the stereo image is kept. With \
`transients=crisp`, onsets are detected from new energy in short spectra (10.7 ms); around each, time runs at its \
original speed for three quarters of a window, and new components start with their own phases, so that attacks stay \
sharp and in place. Onsets closer than that (64 ms of output with the default window) are partly smeared or doubled: \
a shorter window helps.\n\
\n\
Noise becomes 0.5 to 3 dB quieter (5 dB in the bass at 25 %), because its phases do not add up like those of tones.\n\
\n\
Latency: 1.4 windows of input at 400 %, 2.7 at 50 %, 5 at 25 % (0.12, 0.24 and 0.43 s with the default window); \
compensated. After a jump, the phases of continuing tones restart. Samples that are `NaN` or infinite count as \
silence. At 100 % every sample is unchanged.",
    source: "J. Laroche and M. Dolson, Improved phase vocoder time-scale modification of audio, IEEE Trans. SAP 7 (1999); M. \
Puckette, Phase-locked vocoder, WASPAA 1995; A. Roebel, A new approach to transient processing in the phase \
vocoder, DAFx 2003.",
    parameters: &[LENGTH, TRANSIENTS, WINDOW],
    positional: 1,
    search: "tempo atempo speed slower faster duration length",
    aliases: &["stretch", "timestretch", "change_tempo"],
    selection: None,
    example: "time_stretch(140 %)",
    largest_output: 4.0,
    build,
};

const LENGTH: Parameter = Parameter {
    name: "length",
    title: "Length",
    help: "Output duration relative to the input: 200 % is half the tempo.",
    kind: ParameterKind::Number {
        unit: Unit::Percent,
        min: 0.25,
        max: 4.0,
        default: None,
        initial: 1.0,
        scale: Scale::Log,
    },
    ..PLAIN
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    Ok(Box::new(TimeStretch(StretchSettings {
        ratio: arguments.checked_number("length")?,
        window_s: arguments.checked_number("window")?,
        crisp: arguments.checked_text("transients")? == "crisp",
        formants: None,
    })))
}

#[derive(Debug)]
struct TimeStretch(StretchSettings);

impl TimeStretch {
    /// Returns a property of the stretcher for this format; 0 if nothing is stretched or there is no stretcher for it.
    fn known(&self, input: AudioFormat, number: fn(&Stretcher) -> u64) -> u64 {
        if self.0.ratio == 1.0 { 0 } else { Stretcher::new(self.0, input).map_or(0, |stretcher| number(&stretcher)) }
    }
}

impl Effect for TimeStretch {
    fn time_map(&self, _: AudioFormat) -> TimeMap {
        TimeMap { duration_ratio: self.0.ratio, ..TimeMap::IDENTITY }
    }

    fn latency_frames(&self, input: AudioFormat) -> u64 {
        self.known(input, Stretcher::lookahead)
    }

    fn memory_frames(&self, input: AudioFormat) -> u64 {
        self.known(input, Stretcher::memory)
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        if self.0.ratio == 1.0 {
            return Ok(Stage::Gain(vec![1.0; input.channels]));
        }
        let stretcher = Stretcher::new(self.0, input)?;
        let latency = stretcher.lookahead() as i64;
        let mut stretch = StretchProcess { stretcher, ratio: self.0.ratio, latency, rendered: AudioBuffer::default() };
        stretch.begin(0);
        Ok(Stage::Process(Box::new(stretch)))
    }
}

#[derive(Debug)]
struct StretchProcess {
    stretcher: Stretcher,
    ratio: f64,
    latency: i64,
    rendered: AudioBuffer,
}

impl StretchProcess {
    /// Returns the next output frame when `frame` is the next input frame.
    fn out_from_in(&self, frame: i64) -> i64 {
        ((frame - self.latency) as f64 * self.ratio).round() as i64
    }

    /// Clears all state. The next input frame is `frame`.
    fn begin(&mut self, frame: i64) {
        self.stretcher.begin(frame, self.out_from_in(frame));
    }
}

impl Process for StretchProcess {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        self.stretcher.push(block)?;
        self.rendered.clear();
        self.rendered.resize(block.channels(), 0);
        self.stretcher.produce(self.out_from_in(self.stretcher.next_in()), &mut self.rendered)?;
        std::mem::swap(block, &mut self.rendered);
        Ok(())
    }

    fn seek(&mut self, frame: i64) -> bool {
        let goes_on = self.stretcher.is_new() || frame == self.stretcher.next_in();
        if frame != self.stretcher.next_in() {
            self.begin(frame);
        }
        goes_on
    }

    fn state(&self) -> Vec<f64> {
        self.stretcher.state()
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        self.stretcher.restore(state)?;
        if self.stretcher.next_out() != self.out_from_in(self.stretcher.next_in()) {
            return Err(Error::Internal("a stretch was given the state of another one".into()));
        }
        Ok(())
    }
}
