//! Gain controlled by the level of the signal itself.
//!
//! Compressor, expander, gate and de-esser are one process with different laws ([`processor`]). The limiter, which must
//! hold a ceiling exactly, is another ([`limiting`]). A time constant is the time to complete 63 % of a step. Levels
//! are in dB re full scale: a sine of amplitude 1 peaks at 0 dB and has an RMS of -3.01 dB.

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
use base::error::Result;
use base::units::SampleRate;
use detector::Sense;
use smoothing::coefficient;

/// The effects of the family, in listing order.
pub(super) static ALL: &[&EffectSpec] =
    &[&compressor::SPEC, &expander::SPEC, &gate::SPEC, &limiter::SPEC, &de_esser::SPEC];

/// The timing and detector settings in the arguments, independent of the rate.
#[derive(Clone, Copy, Debug)]
struct DetectorSettings {
    rms_s: Option<f64>,
    hold_s: f64,
    lookahead_s: f64,
    attack_s: f64,
    release_s: f64,
    link: f64,
    highpass_hz: f64,
    lowpass_hz: f64,
}

impl DetectorSettings {
    /// Reads the arguments of a compressor, an expander or a gate.
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

    /// Returns the number of frames after which earlier input affects the output by less than -100 dB: sixteen time
    /// constants of each exponential, at most ten seconds for all, plus hold and look-ahead.
    fn memory_frames(&self, rate: SampleRate) -> u64 {
        let exponentials = 16.0 * (self.attack_s + self.release_s + self.rms_s.unwrap_or(0.0));
        rate.frames_from_seconds(self.hold_s + self.lookahead_s + exponentials.min(10.0))
    }
}
