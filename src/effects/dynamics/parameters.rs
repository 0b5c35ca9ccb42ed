//! Parameters shared by dynamics effects.

use crate::effects::{ALWAYS, Parameter, ParameterKind, Scale, Unit};

/// A detector high-pass at or below this frequency is off.
pub(super) const NO_HIGHPASS_HZ: f64 = 1.0;

/// The upper limit of frequency parameters in Hz.
const MAX_HZ: f64 = 384_000.0;

pub(super) const fn number(
    (name, title, help): (&'static str, &'static str, &'static str),
    unit: Unit,
    (min, max, default): (f64, f64, f64),
    scale: Scale,
) -> Parameter {
    let kind = ParameterKind::Number { unit, min, max, default: Some(default), initial: default, scale };
    Parameter { name, title, help, kind, used_when: ALWAYS }
}

pub(super) const fn threshold(help: &'static str, default: f64) -> Parameter {
    number(("threshold", "Threshold", help), Unit::Db, (-100.0, 12.0, default), Scale::Linear)
}

pub(super) const fn ratio(help: &'static str, default: f64) -> Parameter {
    number(("ratio", "Ratio", help), Unit::None, (1.0, 100.0, default), Scale::Log)
}

pub(super) const fn attack(help: &'static str, default: f64) -> Parameter {
    number(("attack", "Attack", help), Unit::Seconds, (0.0, 1.0, default), Scale::Linear)
}

pub(super) const fn release(help: &'static str, default: f64) -> Parameter {
    number(("release", "Release", help), Unit::Seconds, (0.0, 5.0, default), Scale::Linear)
}

pub(super) const fn knee(default: f64) -> Parameter {
    let help = "How wide the bend at the threshold is; 0 dB is a corner.";
    number(("knee", "Knee", help), Unit::Db, (0.0, 48.0, default), Scale::Linear)
}

pub(super) const fn range(help: &'static str, default: f64) -> Parameter {
    number(("range", "Range", help), Unit::Db, (0.0, 120.0, default), Scale::Linear)
}

pub(super) const fn hold(default: f64) -> Parameter {
    let help = "How long a level counts on after it has fallen.";
    number(("hold", "Hold", help), Unit::Seconds, (0.0, 0.5, default), Scale::Linear)
}

pub(super) const LOOKAHEAD: Parameter = lookahead("How much earlier the detector hears; it is compensated.", 0.0);

pub(super) const fn lookahead(help: &'static str, default: f64) -> Parameter {
    number(("lookahead", "Look-ahead", help), Unit::Seconds, (0.0, 0.05, default), Scale::Linear)
}

pub(super) const LINK: Parameter = number(
    ("link", "Link", "How far the channels share one gain; at 0 % each has its own."),
    Unit::Percent,
    (0.0, 1.0, 1.0),
    Scale::Linear,
);

pub(super) const DETECTOR: Parameter = Parameter {
    name: "detector",
    title: "Detector",
    help: "peak: each sample counts; rms: the mean square over a time.",
    used_when: ALWAYS,
    kind: ParameterKind::Choice { options: &["peak", "rms"], default: "peak" },
};

pub(super) const RMS_TIME: Parameter = number(
    ("rms_time", "RMS time", "Over how long the mean square is taken, with detector=rms."),
    Unit::Seconds,
    (0.0001, 1.0, 0.01),
    Scale::Log,
);

pub(super) const HIGHPASS: Parameter = number(
    ("highpass", "Detect from", "The detector hears what is above; 1 Hz is all of it."),
    Unit::Hz,
    (NO_HIGHPASS_HZ, MAX_HZ, NO_HIGHPASS_HZ),
    Scale::Log,
);

pub(super) const LOWPASS: Parameter = number(
    ("lowpass", "Detect to", "The detector hears what is below; half the sample rate or more is all of it."),
    Unit::Hz,
    (1.0, MAX_HZ, MAX_HZ),
    Scale::Log,
);
