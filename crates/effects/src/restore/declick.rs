//! De-click: detects clicks as samples that linear prediction does not explain, and replaces them by prediction.

use std::ops::Range;

use super::{number, prediction};
use crate::spectral::segments::{Outside, Segments};
use crate::spectral::{Editor, Reach};
use crate::{Arguments, Effect, EffectSpec, Measured, PLAIN, Parameter, ParameterKind, Purpose, Scale, Stage, Unit};
use audio::AudioFormat;
use base::error::Result;
use base::units::{SampleRate, gain_from_db};

pub(super) static SPEC: EffectSpec = EffectSpec {
    name: "declick",
    title: "De-click",
    purpose: Purpose::Repair,
    summary: "Detects and repairs clicks; everything else is unchanged, bit for bit.",
    documentation: "\
Predicts each channel linearly (order 32 at 48 kHz), forwards and backwards, in pieces of 43 ms with as much around \
them. A click is where both errors exceed the median of their magnitudes in the loudest of three parts (of 5 ms, or \
four times `longest`) by `threshold`. Because it is judged from both sides, its limits are exact, and an attack, \
after which the errors stay high, is not a click. Clicks of up to `longest` are replaced by the samples that \
prediction finds most likely (least squares over all errors around them). Then everything is predicted and judged \
once more without them, so that a loud click does not hide a quiet one. Samples that are `NaN` or infinite always \
count as clicks.\n\
\n\
Samples that are not judged damaged are unchanged. `output=clicks` outputs what is removed.\n\
\n\
Latency: a piece and its surroundings, 0.1 s; compensated. A lower `threshold` finds more clicks but also mistakes \
more of the music for clicks: brass, plucked strings and beeps need 25 dB and more.",
    source: "S. Godsill and P. Rayner, Digital Audio Restoration (1998), chapters 4 and 5; A. Janssen, R. Veldhuis and L. \
Vries, Adaptive interpolation of discrete-time signals that can be modeled as autoregressive processes, IEEE \
Trans. ASSP 34 (1986).",
    parameters: &[
        number(
            "threshold",
            "Threshold",
            "Level of a click above the prediction error; lower finds more.",
            Unit::Db,
            [6.0, 60.0],
            18.0,
        )
        .travels(6.0, 40.0),
        number("longest", "Longest", "Longest click to repair.", Unit::Seconds, [0.0001, 0.01], 0.002).on(Scale::Log),
        Parameter {
            name: "output",
            title: "Output",
            help: "cleaned outputs the sound without clicks; clicks outputs what is removed.",
            kind: ParameterKind::Choice { options: &["cleaned", "clicks"], default: "cleaned" },
            ..PLAIN
        },
    ],
    positional: 1,
    search: "clicks pops crackle vinyl ticks",
    aliases: &["de_click", "click_removal", "decrackle"],
    selection: None,
    example: "declick(12 dB)",
    largest_output: 8.0,
    build,
};

/// The length of a piece in seconds.
const PIECE_S: f64 = 2048.0 / 48_000.0;
/// The length of the parts whose typical errors are determined separately, in seconds.
const PART_S: f64 = 256.0 / 48_000.0;
/// The maximum number of click samples solved together.
const MAX_TOGETHER: usize = 1024;

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    Ok(Box::new(Declick {
        threshold: gain_from_db(arguments.checked_number("threshold")?),
        longest_s: arguments.checked_number("longest")?,
        taken: arguments.checked_text("output")? == "clicks",
    }))
}

#[derive(Clone, Copy, Debug)]
struct Declick {
    threshold: f64,
    longest_s: f64,
    taken: bool,
}

impl Declick {
    fn repair(self, rate: SampleRate) -> ClickRepair {
        let frames = |seconds: f64, least: usize| ((seconds * rate.as_f64()).round() as usize).max(least);
        let order = frames(1.0 / 1500.0, 8).min(64);
        let longest = frames(self.longest_s, 1);
        let piece = frames(PIECE_S, 8 * order);
        // A part must be long enough that a click does not determine its typical error.
        let part = frames(PART_S, 2 * order).max(4 * longest);
        ClickRepair { order, longest, piece, part, threshold: self.threshold, taken: self.taken }
    }
}

impl Effect for Declick {
    fn latency_frames(&self, input: AudioFormat) -> u64 {
        Segments::latency(self.repair(input.rate).reach())
    }

    fn memory_frames(&self, input: AudioFormat) -> u64 {
        Segments::memory(self.repair(input.rate).reach())
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let repair = Box::new(self.repair(input.rate));
        let outside = if self.taken { Outside::Silent } else { Outside::Unchanged };
        Ok(Stage::Process(Box::new(Segments::new(0..i64::MAX / 4, outside, repair, input.channels))))
    }
}

/// The settings of click repair for a stream, in frames.
#[derive(Debug)]
struct ClickRepair {
    order: usize,
    longest: usize,
    piece: usize,
    part: usize,
    threshold: f64,
    taken: bool,
}

impl ClickRepair {
    /// Returns which frames are damaged. Those in `broken` always are.
    fn damaged(&self, samples: &[f64], a: &[f64], broken: &[bool]) -> Vec<bool> {
        let forwards = prediction::residual(samples, a);
        let turned: Vec<f64> = samples.iter().rev().copied().collect();
        let mut backwards = prediction::residual(&turned, a);
        backwards.reverse();
        let gap = self.order / 4;
        let mut damaged = self.stands_out(&forwards);
        close(&mut damaged, 2 * gap);
        let mut from_behind = self.stands_out(&backwards);
        close(&mut from_behind, 2 * gap);
        damaged.iter_mut().zip(from_behind).for_each(|(damaged, behind)| *damaged &= behind);
        close(&mut damaged, gap);
        // The flanks of a click may be soft.
        let mut wide = damaged.clone();
        for span in spans(&damaged) {
            if span.len() <= self.longest {
                wide[span.start.saturating_sub(1)..(span.end + 1).min(damaged.len())].fill(true);
            } else {
                wide[span].fill(false);
            }
        }
        wide.iter_mut().zip(broken).for_each(|(damaged, broken)| *damaged |= broken);
        wide
    }

    /// Returns where errors exceed the typical error by the threshold.
    fn stands_out(&self, errors: &[f64]) -> Vec<bool> {
        let usual: Vec<f64> = errors
            .chunks(self.part)
            .map(|part| {
                let mut sizes: Vec<f64> = part.iter().map(|error| error.abs()).collect();
                let middle = sizes.len() / 2;
                *sizes.select_nth_unstable_by(middle, f64::total_cmp).1
            })
            .collect();
        errors
            .iter()
            .enumerate()
            .map(|(frame, error)| {
                let part = frame / self.part;
                let around = part.saturating_sub(1)..(part + 2).min(usual.len());
                // Half a step of 24 bits; anything softer is not a click.
                let usual = usual[around].iter().fold(6e-8f64, |most, usual| most.max(*usual));
                error.abs() > self.threshold * usual
            })
            .collect()
    }

    /// Fills damaged frames, solving those close to each other together.
    fn fill(&self, samples: &mut [f64], damaged: &[bool], a: &[f64]) {
        let mut missing: Vec<usize> = Vec::new();
        for span in spans(damaged) {
            if missing.last().is_some_and(|last| span.start - last > self.order || missing.len() > MAX_TOGETHER) {
                prediction::fill(samples, &missing, a);
                missing.clear();
            }
            missing.extend(span);
        }
        // Frames that cannot be filled stay silent.
        missing.truncate(4 * MAX_TOGETHER);
        prediction::fill(samples, &missing, a);
    }
}

/// Closes gaps of at most `gap` between flags.
fn close(flags: &mut [bool], gap: usize) {
    let mut last: Option<usize> = None;
    for at in 0..flags.len() {
        if flags[at] {
            if let Some(last) = last.filter(|last| at - last <= gap + 1) {
                flags[last..at].fill(true);
            }
            last = Some(at);
        }
    }
}

/// Returns the runs of set flags.
fn spans(flags: &[bool]) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for at in (0..flags.len()).filter(|at| flags[*at]) {
        match spans.last_mut() {
            Some(span) if span.end == at => span.end += 1,
            _ => spans.push(at..at + 1),
        }
    }
    spans
}

impl Editor for ClickRepair {
    fn reach(&self) -> Reach {
        let around = (self.longest + 4 * self.order).max(self.piece / 2);
        Reach { piece: self.piece, before: around, after: around }
    }

    fn edit(&self, seen: &[f32], piece: Range<usize>, _: i64) -> Result<Vec<f32>> {
        let broken: Vec<bool> = seen.iter().map(|x| !x.is_finite()).collect();
        let samples: Vec<f64> = seen.iter().map(|x| if x.is_finite() { f64::from(*x) } else { 0.0 }).collect();
        let mut mended = samples.clone();
        let mut damaged = broken.clone();
        for _ in 0..2 {
            let Some(a) = prediction::fit(&mended, self.order) else { break };
            damaged = self.damaged(&samples, &a, &broken);
            mended.copy_from_slice(&samples);
            self.fill(&mut mended, &damaged, &a);
        }
        Ok(piece
            .map(|at| match (self.taken, damaged[at]) {
                (false, false) => seen[at],
                (false, true) => mended[at] as f32,
                (true, false) => 0.0,
                (true, true) => (samples[at] - mended[at]) as f32,
            })
            .collect())
    }
}
