//! Freeverb.

mod bank;
mod combs;

use super::clocked::PerChannel;
use super::decay::tail_frames;
use super::{mix, share};
use crate::{Arguments, Effect, EffectSpec, Measured, Purpose, Stage};
use audio::AudioFormat;
use bank::{Bank, LONGEST_COMB, Room, Tuning};
use base::error::{Error, Result};

/// The rate for which the tunings were made.
const TUNED_HZ: f64 = 44_100.0;

/// Below this rate the tunings coincide.
const MIN_HZ: f64 = 1000.0;

pub(crate) static SPEC: EffectSpec = EffectSpec {
    name: "reverb",
    title: "Reverb",
    purpose: Purpose::Space,
    summary: "A fast, dense reverb after Freeverb.",
    documentation: "\
Eight parallel combs followed by four all-passes in series for each channel: the reverberator of Schroeder and \
Moorer with the tunings of Freeverb. Lengths at 44.1 kHz: combs 1116, 1188, 1277, 1356, 1422, 1491, 1557, 1617 \
frames, all-passes 556, 441, 341, 225; those of the right channel are 23 longer. They scale with the rate, from 1 \
kHz up.\n\
\n\
Comb: `y[n] = line[n - D]`, `f[n] = (1 - d) y[n] + d f[n-1]`, `line[n] = x[n] + g f[n]` with `g = 0.7 + 0.28 room` \
and `d = 0.4 damping` (to the power of 44.1 kHz over the rate, which keeps its cutoff). All-pass: `w = line[n - D]`, \
`y = w - x`, `line[n] = x + w / 2`. Both channels of a pair feed `0.015 (left + right)`; the wet sound is three \
times the result, `wet left = (1 + width)/2 left + (1 - width)/2 right`. A channel without a partner has the lengths \
of the left one. The output is `(1 - mix) x + mix wet`.\n\
\n\
No latency. Declared tail: until the longest comb is 60 dB down at 0 Hz, `3 / -log10(g)` rounds: 1.5 s for a room of \
50 %, 13 s for one of 100 %. State and lines are in single precision; `NaN` and infinite samples do not stay in \
them.",
    source: "J. A. Moorer, About this reverberation business (1979); Jezar at Dreampoint, Freeverb (2000), whose \
             tunings are in the public domain.",
    parameters: &[
        share("room", "Room", "Size of the room, which sets the decay time.", 0.0, 1.0, 0.5),
        share("damping", "Damping", "How much faster high frequencies decay.", 0.0, 1.0, 0.5),
        mix(0.3),
        share("width", "Width", "Stereo width; 0 % is mono.", 0.0, 1.0, 1.0),
    ],
    positional: 1,
    search: "room hall plate space ambience",
    aliases: &["freeverb", "room_reverb"],
    selection: None,
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
