//! Trims silence at the beginning and the end.

use crate::{
    Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Process, Purpose, Scale, Stage, Unit,
    WholeSignal,
};
use audio::{AudioBuffer, AudioFormat};
use base::error::{Error, Result};
use base::units::{db_from_gain, gain_from_db};

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: "trim_silence",
    title: "Trim silence",
    purpose: Purpose::Tone,
    summary: "Removes silence from the beginning and the end.",
    documentation: "\
Removes everything before the first frame and after the last one in which a sample of any channel exceeds \
`threshold`, except for `padding` on either side, if there is that much. `where` limits it to the start or the end. \
The remaining samples are unchanged, bit for bit; a fade after it softens the cut. A recording that never exceeds \
the threshold is kept whole.\n\
\n\
The output is shorter by what was removed; the following effects begin with the first remaining frame. The limits of \
the sound are measured on the whole signal at this place in the chain: an export makes a separate pass; a preview is \
not trimmed, or trimmed as last known, until that pass is done. Because a sum adds frame by frame, a branch or a wet \
side cannot be trimmed separately. No latency.",
    source: "The definition of the sample peak (AES17).",
    parameters: &[
        Parameter {
            name: "threshold",
            title: "Threshold",
            help: "Level up to which sound counts as silence, relative to full scale.",
            kind: ParameterKind::Number {
                unit: Unit::Db,
                min: -144.0,
                max: 0.0,
                default: Some(-60.0),
                initial: -60.0,
                scale: Scale::Linear,
            },
            ..PLAIN
        }
        .travels(-96.0, -20.0),
        Parameter {
            name: "padding",
            title: "Padding",
            help: "Silence kept on either side.",
            kind: ParameterKind::Number {
                unit: Unit::Seconds,
                min: 0.0,
                max: 60.0,
                default: Some(0.0),
                initial: 0.0,
                scale: Scale::Log,
            },
            ..PLAIN
        }
        .travels(0.01, 5.0)
        .rests(0.0, "None"),
        Parameter {
            name: "where",
            title: "Where",
            help: "Which ends are trimmed.",
            kind: ParameterKind::Choice { options: &["both", "start", "end"], default: "both" },
            ..PLAIN
        },
    ],
    positional: 1,
    search: "trim cut ends crop",
    aliases: &["strip_silence", "remove_silence", "truncate_silence"],
    selection: None,
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
    fn keeps_level(&self) -> bool {
        true
    }

    fn note(&self, measured: &Measured) -> Option<String> {
        let is_silent = measured.what == WholeSignal::Sound(self.threshold) && measured.sound.is_none();
        is_silent.then(|| {
            let threshold = db_from_gain(self.threshold);
            format!("{}: nothing exceeds {threshold:.1} dB, so nothing was trimmed.", SPEC.title)
        })
    }

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
