//! Parameters shared by dynamics effects.

use crate::{PLAIN, Parameter, ParameterKind, Scale, Unit, When};

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
    Parameter { name, title, help, kind, ..PLAIN }
}

pub(super) const fn threshold(help: &'static str, default: f64) -> Parameter {
    number(("threshold", "Threshold", help), Unit::Db, (-100.0, 12.0, default), Scale::Linear).travels(-70.0, 0.0)
}

pub(super) const fn ratio(help: &'static str, default: f64) -> Parameter {
    number(("ratio", "Ratio", help), Unit::None, (1.0, 100.0, default), Scale::Log).travels(1.0, 20.0)
}

pub(super) const fn attack(help: &'static str, default: f64) -> Parameter {
    number(("attack", "Attack", help), Unit::Seconds, (0.0, 1.0, default), Scale::Log).travels(0.0001, 0.5)
}

pub(super) const fn release(help: &'static str, default: f64) -> Parameter {
    number(("release", "Release", help), Unit::Seconds, (0.0, 5.0, default), Scale::Log).travels(0.005, 3.0)
}

pub(super) const fn knee(default: f64) -> Parameter {
    let help = "Width of the soft transition at the threshold; 0 dB is a hard knee.";
    number(("knee", "Knee", help), Unit::Db, (0.0, 48.0, default), Scale::Linear).travels(0.0, 24.0)
}

pub(super) const fn range(help: &'static str, default: f64) -> Parameter {
    number(("range", "Range", help), Unit::Db, (0.0, 120.0, default), Scale::Linear)
        .travels(1.0, 80.0)
        .rests(120.0, "No limit")
}

pub(super) const fn hold(default: f64) -> Parameter {
    let help = "How long the detected level is held after it has fallen.";
    number(("hold", "Hold", help), Unit::Seconds, (0.0, 0.5, default), Scale::Log).travels(0.001, 0.5).rests(0.0, "Off")
}

pub(super) const LOOKAHEAD: Parameter = lookahead("How far the detector looks ahead; the latency is compensated.", 0.0);

pub(super) const fn lookahead(help: &'static str, default: f64) -> Parameter {
    number(("lookahead", "Look-ahead", help), Unit::Seconds, (0.0, 0.05, default), Scale::Log)
        .travels(0.0005, 0.05)
        .rests(0.0, "Off")
}

pub(super) const LINK: Parameter = number(
    ("link", "Link", "How much the channels share one gain; at 0 % each has its own."),
    Unit::Percent,
    (0.0, 1.0, 1.0),
    Scale::Linear,
);

pub(super) const DETECTOR: Parameter = Parameter {
    name: "detector",
    title: "Detector",
    help: "Level detection: peak follows each sample; rms averages over a time.",
    kind: ParameterKind::Choice { options: &["peak", "rms"], default: "peak" },
    ..PLAIN
};

pub(super) const RMS_TIME: Parameter = number(
    ("rms_time", "RMS time", "Averaging time of the RMS detector."),
    Unit::Seconds,
    (0.0001, 1.0, 0.01),
    Scale::Log,
)
.travels(0.001, 0.5)
.used_when(&[When { choice: "detector", words: &["rms"] }]);

pub(super) const HIGHPASS: Parameter = number(
    ("highpass", "Detect from", "High-pass of the detector; 1 Hz is off."),
    Unit::Hz,
    (NO_HIGHPASS_HZ, MAX_HZ, NO_HIGHPASS_HZ),
    Scale::Log,
)
.to_nyquist(20.0)
.rests(NO_HIGHPASS_HZ, "Off");

pub(super) const LOWPASS: Parameter = number(
    ("lowpass", "Detect to", "Low-pass of the detector; half the sample rate or more is off."),
    Unit::Hz,
    (1.0, MAX_HZ, MAX_HZ),
    Scale::Log,
)
.to_nyquist(20.0)
.rests(MAX_HZ, "Off");
