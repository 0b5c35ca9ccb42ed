//! The order and design family of `lowpass`, `highpass`, `bandpass` and `bandstop`.

use crate::When;
use crate::spec::refuse;
use crate::{Arguments, PLAIN, Parameter, ParameterKind, Scale, Unit};
use base::error::Result;
use dsp::design::{Family, MAX_ORDER, Prototype};

/// A parameter for the order of a prototype, 1 to 24.
pub(super) const fn order(help: &'static str) -> Parameter {
    let kind = ParameterKind::Number {
        unit: Unit::None,
        min: 1.0,
        max: MAX_ORDER as f64,
        default: Some(2.0),
        initial: 2.0,
        scale: Scale::Integer,
    };
    Parameter { name: "order", title: "Order", help, kind, ..PLAIN }.travels(1.0, 12.0)
}

/// The design family.
pub(super) const DESIGN: Parameter = Parameter {
    name: "design",
    title: "Design",
    help: "Filter family: butterworth is flat, chebyshev and elliptic are steep, bessel preserves waveforms, linkwitz_riley is for crossovers.",
    kind: ParameterKind::Choice {
        options: &["butterworth", "chebyshev1", "chebyshev2", "elliptic", "bessel", "linkwitz_riley"],
        default: "butterworth",
    },
    ..PLAIN
};

/// The pass band ripple in dB.
pub(super) const RIPPLE: Parameter = Parameter {
    name: "ripple",
    title: "Ripple",
    help: "Ripple in the pass band.",
    used_when: &[RIPPLES],
    kind: ParameterKind::Number {
        unit: Unit::Db,
        min: 0.001,
        max: 3.0,
        default: Some(0.1),
        initial: 0.1,
        scale: Scale::Log,
    },
    ..PLAIN
};

/// The stop band attenuation in dB.
pub(super) const ATTENUATION: Parameter = Parameter {
    name: "attenuation",
    title: "Attenuation",
    help: "Minimum attenuation in the stop band.",
    used_when: &[ATTENUATES],
    kind: ParameterKind::Number {
        unit: Unit::Db,
        min: 10.0,
        max: 200.0,
        default: Some(40.0),
        initial: 40.0,
        scale: Scale::Linear,
    },
    ..PLAIN
}
.travels(20.0, 120.0);

const RIPPLES: When = When { choice: "design", words: &["chebyshev1", "elliptic"] };
const ATTENUATES: When = When { choice: "design", words: &["chebyshev2", "elliptic"] };

/// Builds the prototype for an effect's arguments.
///
/// # Errors
/// `Error::Setting` for a ripple or an attenuation other than the default with a design that has none and for an odd
/// order of a Linkwitz-Riley filter.
pub(super) fn prototype(effect: &str, arguments: &Arguments) -> Result<Prototype> {
    let order = arguments.checked_number("order")? as usize;
    let design = arguments.checked_text("design")?;
    let (ripple_db, attenuation_db) = (arguments.checked_number("ripple")?, arguments.checked_number("attenuation")?);
    let family = match design {
        "chebyshev1" => Family::Chebyshev1 { ripple_db },
        "chebyshev2" => Family::Chebyshev2 { attenuation_db },
        "elliptic" => Family::Elliptic { ripple_db, attenuation_db },
        "bessel" => Family::Bessel,
        "linkwitz_riley" => Family::LinkwitzRiley,
        _ => Family::Butterworth,
    };
    let unused = |parameter: &Parameter, takes: When| {
        let given = arguments.get(parameter.name).filter(|value| parameter.default_value().as_ref() != Some(value));
        if given.is_none() || takes.words.contains(&design) {
            return Ok(());
        }
        Err(refuse(effect, parameter.name, &format!("left out, as it is used with {}", takes.written())))
    };
    unused(&RIPPLE, RIPPLES)?;
    unused(&ATTENUATION, ATTENUATES)?;
    if family == Family::LinkwitzRiley && !order.is_multiple_of(2) {
        let allowed = "an even number with linkwitz_riley, for two filters of half the order";
        return Err(refuse(effect, "order", allowed));
    }
    family.prototype(order)
}
