//! Gain that follows the level of the signal itself.
//!
//! Compressor, expander, gate and de-esser are one process with different laws ([`processor`]); the limiter, which must
//! hold a ceiling exactly, is another ([`limiting`]). Time constants are those in which 63 % of a step is done. Levels
//! are dB re full scale: a sine of amplitude 1 peaks at 0 dB and has an RMS of -3.01 dB.

mod approximate;
mod compressor;
mod de_esser;
mod delay;
mod detector;
mod expander;
mod gate;
mod interpolated;
mod knee;
mod limiter;
mod limiting;
mod parameters;
mod processor;
mod sliding;
mod smoothing;

use super::{Arguments, EffectSpec};
use crate::error::Result;
use crate::units::SampleRate;
use detector::Sense;
use smoothing::coefficient;

/// The family's effects, in the order in which they are listed.
pub(super) static ALL: &[&EffectSpec] =
    &[&compressor::SPEC, &expander::SPEC, &gate::SPEC, &limiter::SPEC, &de_esser::SPEC];

/// What arguments say of times and of what is listened to, at whatever rate.
#[derive(Clone, Copy, Debug)]
struct Listening {
    rms_s: Option<f64>,
    hold_s: f64,
    lookahead_s: f64,
    attack_s: f64,
    release_s: f64,
    link: f64,
    highpass_hz: f64,
    lowpass_hz: f64,
}

impl Listening {
    /// Of the arguments of a compressor, an expander or a gate.
    fn new(arguments: &Arguments) -> Result<Self> {
        let number = |name| arguments.checked_number(name);
        let rms = arguments.checked_text("detector")? == "rms";
        Ok(Self {
            rms_s: if rms { Some(number("rms_time")?) } else { None },
            hold_s: number("hold")?,
            lookahead_s: number("lookahead")?,
            attack_s: number("attack")?,
            release_s: number("release")?,
            link: number("link")?,
            highpass_hz: number("highpass")?,
            lowpass_hz: number("lowpass")?,
        })
    }

    fn sense(&self, rate: SampleRate) -> Sense {
        self.rms_s.map_or(Sense::Peak, |seconds| Sense::Rms(coefficient(seconds, rate)))
    }

    fn lookahead_frames(&self, rate: SampleRate) -> u64 {
        rate.frames_from_seconds(self.lookahead_s)
    }

    /// So many frames that what was before is heard by less than -100 dB: exponentials of sixteen time constants each,
    /// ten seconds of them at most.
    fn memory_frames(&self, rate: SampleRate) -> u64 {
        let exponentials = 16.0 * (self.attack_s + self.release_s + self.rms_s.unwrap_or(0.0));
        rate.frames_from_seconds(self.hold_s + self.lookahead_s + exponentials.min(10.0))
    }
}
