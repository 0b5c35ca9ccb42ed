//! Time stretch: changes the tempo and keeps the pitch.

use super::stretcher::{StretchSettings, Stretcher};
use super::{TRANSIENTS, WINDOW};
use crate::audio::{AudioBuffer, AudioFormat};
use crate::effects::{
    ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Process, Purpose, Scale, Stage, TimeMap,
    Unit,
};
use crate::error::{Error, Result};

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "time_stretch",
    title: "Time stretch",
    purpose: Purpose::Tone,
    summary: "Makes the signal longer or shorter and keeps its pitch.",
    documentation: "\
The output lasts `length` times as long as the input: 200 % is half the tempo, 50 % is twice the tempo. It has \
exactly `frames * length` frames, halves rounded up.\n\
\n\
A phase vocoder: Hann windows of about `window`, four over each frame of the output, each a spectrum from the place \
of the input that belongs there. What a tone's phase gains over a quarter of a window in the input, it gains between \
two windows of the output; all bins around a peak of the spectrum are turned together (identity phase locking), by \
the same in all channels, so that a steady tone keeps frequency and level, and the stereo image stays. With \
`transients=crisp` onsets are found from what is new in short spectra (10.7 ms); around each, time runs as in the \
input for three quarters of a window, and what has just come begins with the phases it has, so that an attack stays \
sharp and stands where it belongs. Onsets closer than that (64 ms with the default window, of the output) are partly \
smeared or doubled: a shorter window helps.\n\
\n\
Noise comes out 0.5 to 3 dB softer (5 dB in the bass at 25 %), as its phases do not add up as a tone's do.\n\
\n\
Latency: 1.4 windows of input at 400 %, 2.7 at 50 %, 5 at 25 % (0.12, 0.24 and 0.43 s with the default window); \
compensated. After a jump, phases of tones that go on begin anew. Samples that are no numbers are taken as silence. \
At 100 % every sample stays as it is.",
    source: "J. Laroche and M. Dolson, Improved phase vocoder time-scale modification of audio, IEEE Trans. SAP 7 (1999); M. \
Puckette, Phase-locked vocoder, WASPAA 1995; A. Roebel, A new approach to transient processing in the phase \
vocoder, DAFx 2003.",
    parameters: &[LENGTH, TRANSIENTS, WINDOW],
    positional: 1,
    search: "tempo speed slower faster duration",
    example: "time_stretch(140 %)",
    largest_output: 4.0,
    build,
};

const LENGTH: Parameter = Parameter {
    name: "length",
    title: "Length",
    help: "Of the output, of the input's: 200 % is half the tempo.",
    used_when: ALWAYS,
    kind: ParameterKind::Number {
        unit: Unit::Percent,
        min: 0.25,
        max: 4.0,
        default: None,
        initial: 1.0,
        scale: Scale::Log,
    },
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
