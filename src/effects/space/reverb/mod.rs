//! Freeverb.

mod bank;
mod combs;

use super::clocked::PerChannel;
use super::decay::tail_frames;
use super::{mix, share};
use crate::audio::AudioFormat;
use crate::effects::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use crate::error::{Error, Result};
use bank::{Bank, LONGEST_COMB, Room, Tuning};

/// The rate for which the tunings were made.
const TUNED_HZ: f64 = 44_100.0;

/// Below this rate the tunings coincide.
const MIN_HZ: f64 = 1000.0;

pub(in crate::effects) static SPEC: EffectSpec = EffectSpec {
    name: "reverb",
    title: "Reverb",
    purpose: Purpose::Space,
    summary: "A room after Freeverb: quick, dense, as in many records.",
    documentation: "\
Eight combs side by side, then four all-passes one after the other, for each channel: the reverberator of Schroeder \
and Moorer with the tunings of Freeverb. Lengths at 44.1 kHz: combs 1116, 1188, 1277, 1356, 1422, 1491, 1557, 1617 \
frames, all-passes 556, 441, 341, 225; the right channel's are 23 longer. They are scaled with the rate, from 1 kHz \
up.\n\
\n\
Comb: `y[n] = line[n - D]`, `f[n] = (1 - d) y[n] + d f[n-1]`, `line[n] = x[n] + g f[n]` with `g = 0.7 + 0.28 room` and \
`d = 0.4 damping` (to the power of 44.1 kHz over the rate, which keeps its cutoff). All-pass: `w = line[n - D]`, `y = \
w - x`, `line[n] = x + w / 2`. Both channels of a pair hear `0.015 (left + right)`; the wet sound is three times what \
comes out, `wet left = (1 + width)/2 left + (1 - width)/2 right`. A channel without a partner has the left one's \
lengths. The output is `(1 - mix) x + mix wet`.\n\
\n\
No latency. Declared tail: until the longest comb is 60 dB down at 0 Hz, `3 / -log10(g)` rounds: 1.5 s for a room of \
50 %, 13 s for one of 100 %. State and lines are in single precision; nothing that is no number stays in them.",
    source: "J. A. Moorer, About this reverberation business (1979); Jezar at Dreampoint, Freeverb (2000), whose \
             tunings are in the public domain.",
    parameters: &[
        share("room", "Room", "How long it sounds: the combs' feedback, from 0.7 to 0.98.", 0.0, 1.0, 0.5),
        share("damping", "Damping", "How much sooner the treble dies away.", 0.0, 1.0, 0.5),
        mix(0.3),
        share("width", "Width", "How far apart the sides of a pair are: 0 % is one room for both.", 0.0, 1.0, 1.0),
    ],
    positional: 1,
    search: "room hall plate echo space freeverb",
    example: "reverb(60 %)",
    largest_output: 2e2,
    build,
};

fn build(arguments: &Arguments) -> Result<Box<dyn Effect>> {
    Ok(Box::new(Reverb {
        feedback: 0.7 + 0.28 * arguments.checked_number("room")?,
        damping: 0.4 * arguments.checked_number("damping")?,
        width: arguments.checked_number("width")?,
        mix: arguments.checked_number("mix")?,
    }))
}

#[derive(Debug)]
struct Reverb {
    feedback: f64,
    damping: f64,
    width: f64,
    mix: f64,
}

impl Effect for Reverb {
    fn tail_frames(&self, input: AudioFormat) -> u64 {
        tail_frames(LONGEST_COMB as f64 * input.rate.as_f64() / TUNED_HZ, self.feedback, input)
    }

    /// The same as the tail: memory and tail together reach -120 dB.
    fn memory_frames(&self, input: AudioFormat) -> u64 {
        self.tail_frames(input)
    }

    fn stage(&self, input: AudioFormat, _: Option<&Measured>) -> Result<Stage> {
        let rate = input.rate.as_f64();
        if rate < MIN_HZ {
            return Err(Error::setting(SPEC.title, "It needs a sample rate of 1 kHz or more"));
        }
        let tuning = Tuning {
            scale: rate / TUNED_HZ,
            feedback: self.feedback as f32,
            damping: self.damping.powf(TUNED_HZ / rate) as f32,
        };
        Ok(Stage::Process(Box::new(PerChannel::new(input.channels, 2, |_, channels| {
            let banks = (0..channels).map(|side| Bank::new(side, tuning)).collect();
            Room::new(banks, self.width as f32, self.mix as f32)
        }))))
    }
}
