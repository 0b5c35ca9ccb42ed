//! Trims silence at the beginning and the end.

use crate::audio::{AudioBuffer, AudioFormat};
use crate::effects::{
    ALWAYS, Arguments, Effect, EffectSpec, Measured, Parameter, ParameterKind, Process, Purpose, Scale, Stage, Unit,
    WholeSignal,
};
use crate::error::{Error, Result};
use crate::units::gain_from_db;

pub(in crate::effects) static SPEC: EffectSpec = EffectSpec {
    name: "trim_silence",
    title: "Trim silence",
    purpose: Purpose::Tone,
    summary: "Cuts silence from the beginning and the end.",
    documentation: "\
Leaves out all before the first frame and after the last one in which a sample of any channel exceeds `threshold`, but for \
`padding` on either side, as far as there is so much. `where` limits it to the start or the end. What stays keeps its \
samples, to the last bit; a fade behind it softens the cut. A recording that never exceeds the threshold stays whole, as \
nothing would be left of it.\n\
\n\
The output is as much shorter as was cut; what follows in the chain begins with the first frame that stays. Where sound \
begins and ends is measured of the whole signal as it comes to this place of the chain: an export makes a pass of its own, \
a preview runs uncut, or cut as was last known, until that pass is done. As a sum meets frame by frame, a branch or a wet side \
cannot be trimmed by itself. No latency.",
    source: "The definition of the sample peak (AES17).",
    parameters: &[
        Parameter {
            name: "threshold",
            title: "Threshold",
            help: "What is not louder than this counts as silence, re full scale.",
            used_when: ALWAYS,
            kind: ParameterKind::Number {
                unit: Unit::Db,
                min: -144.0,
                max: 0.0,
                default: Some(-60.0),
                initial: -60.0,
                scale: Scale::Linear,
            },
        },
        Parameter {
            name: "padding",
            title: "Padding",
            help: "How much of the silence is kept on either side.",
            used_when: ALWAYS,
            kind: ParameterKind::Number {
                unit: Unit::Seconds,
                min: 0.0,
                max: 60.0,
                default: Some(0.0),
                initial: 0.0,
                scale: Scale::Linear,
            },
        },
        Parameter {
            name: "where",
            title: "Where",
            help: "Whether the start, the end or both are cut.",
            used_when: ALWAYS,
            kind: ParameterKind::Choice { options: &["both", "start", "end"], default: "both" },
        },
    ],
    positional: 1,
    search: "silence cut ends",
    example: "trim_silence(-20 dB)",
    largest_output: 1.0,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    let place = arguments.checked_text("where")?;
    Ok(Box::new(TrimSilence {
        threshold: gain_from_db(arguments.checked_number("threshold")?),
        padding_s: arguments.checked_number("padding")?,
        start: place != "end",
        end: place != "start",
    }))
}

#[derive(Debug)]
struct TrimSilence {
    threshold: f64,
    padding_s: f64,
    start: bool,
    end: bool,
}

impl TrimSilence {
    /// Returns the range that remains.
    fn kept(&self, input: AudioFormat, measured: Option<&Measured>) -> Option<KeptRange> {
        let measured = measured.filter(|measured| measured.what == WholeSignal::Sound(self.threshold))?;
        let sound = measured.sound.clone().unwrap_or(0..measured.frames);
        let padding = input.rate.frames_from_seconds(self.padding_s);
        let start = if self.start { sound.start.saturating_sub(padding) } else { 0 };
        let end = if self.end { (sound.end + padding).min(measured.frames) } else { measured.frames };
        Some(KeptRange { start: start as i64, end: end as i64, frames: measured.frames as i64 })
    }
}

impl Effect for TrimSilence {
    fn whole_signal(&self) -> Option<WholeSignal> {
        Some(WholeSignal::Sound(self.threshold))
    }

    fn frames_out(&self, input: AudioFormat, measured: Option<&Measured>) -> Option<u64> {
        self.kept(input, measured).map(|kept| (kept.end - kept.start) as u64)
    }

    fn frames_skipped(&self, input: AudioFormat, measured: Option<&Measured>) -> u64 {
        self.kept(input, measured).map_or(0, |kept| kept.start as u64)
    }

    fn stage(&self, input: AudioFormat, measured: Option<&Measured>) -> Result<Stage> {
        Ok(Stage::Process(Box::new(Trim { kept: self.kept(input, measured), position: 0 })))
    }
}

/// The range of frames that remains, and the total number.
#[derive(Clone, Copy, Debug)]
struct KeptRange {
    start: i64,
    end: i64,
    frames: i64,
}

#[derive(Debug)]
struct Trim {
    kept: Option<KeptRange>,
    /// The next frame of the stream.
    position: i64,
}

impl Process for Trim {
    /// Frames before the start of the stream pass, because the latency of earlier effects is counted with them. Frames
    /// after its end pass as silence, to flush the latency of later effects.
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        let first = self.position;
        let count = block.frames() as i64;
        self.position += count;
        let Some(KeptRange { start, end, frames }) = self.kept else { return Ok(()) };
        if first >= start.max(0) && first + count <= end {
            return Ok(());
        }
        let within = |frame: i64| (frame - first).clamp(0, count) as usize;
        for samples in block.as_mut_vecs() {
            samples[within(frames)..].fill(0.0);
            samples.drain(within(end)..within(frames));
            samples.drain(within(0)..within(start));
        }
        Ok(())
    }

    fn seek(&mut self, frame: i64) -> bool {
        self.position = frame;
        true
    }

    fn state(&self) -> Vec<f64> {
        vec![self.position as f64]
    }

    fn restore(&mut self, state: &[f64]) -> Result<()> {
        let [position] = state else {
            return Err(Error::Internal("a trim was given the state of another effect".into()));
        };
        self.position = *position as i64;
        Ok(())
    }
}
