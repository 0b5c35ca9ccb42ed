//! Parameters that apply only for some values of another one, such as the ripple of a design that has ripple. The window,
//! the documentation and the errors use these conditions.

use serde::Serialize;

use base::declared::TS;

use super::{Arguments, EffectSpec, Parameter, ParameterKind, Unit, Value};

/// The word of a condition that a time or a rate is given as a note.
pub(super) const NOTE: &str = "note";

/// A condition: another parameter has one of several values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub struct When {
    /// The other parameter: a choice, a number, or a time or rate that can be a note.
    pub choice: &'static str,
    /// The words or numbers, any of which meets the condition; `note` for any note.
    pub words: &'static [&'static str],
}

impl When {
    /// Returns the notation: "design=chebyshev1 or design=elliptic".
    pub fn written(&self) -> String {
        self.words.iter().map(|word| format!("{}={word}", self.choice)).collect::<Vec<_>>().join(" or ")
    }

    fn holds(&self, spec: &EffectSpec, arguments: &Arguments) -> bool {
        let usual = || spec.parameter(self.choice).and_then(Parameter::default_value);
        let takes_notes = || {
            spec.parameter(self.choice).is_some_and(|other| matches!(other.kind, ParameterKind::NumberOrNote { .. }))
        };
        match arguments.get(self.choice).cloned().or_else(usual) {
            Some(Value::Text(_)) if takes_notes() => self.words.contains(&NOTE),
            Some(Value::Text(word)) => self.words.contains(&word.as_str()),
            Some(Value::Number(number)) => self.words.contains(&Unit::None.written(number).as_str()),
            None => false,
        }
    }
}

impl EffectSpec {
    /// Returns whether a parameter applies with these arguments.
    pub fn uses(&self, parameter: &Parameter, arguments: &Arguments) -> bool {
        parameter.used_when.is_empty() || parameter.used_when.iter().any(|when| when.holds(self, arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ParameterKind, all, known};
    use super::*;

    #[test]
    fn conditions_name_what_there_is_and_each_word_of_a_choice_is_told_apart() {
        let mut count = 0;
        for spec in all() {
            for when in spec.parameters.iter().flat_map(|parameter| parameter.used_when) {
                let Some(other) = spec.parameter(when.choice) else {
                    panic!("{} has no {}", spec.name, when.choice);
                };
                match other.kind {
                    ParameterKind::Choice { options, .. } => {
                        assert!(when.words.iter().all(|word| options.contains(word)), "{} {when:?}", spec.name);
                        assert!(when.words.len() < options.len(), "{} {when:?} says nothing", spec.name);
                    }
                    ParameterKind::NumberOrNote { .. } => assert_eq!(when.words, [NOTE], "{}", spec.name),
                    ParameterKind::Number { .. } => {
                        for word in when.words {
                            let number: f64 = word.parse().unwrap();
                            other.check(&Value::Number(number)).unwrap();
                            assert_eq!(Unit::None.written(number), *word, "{} {when:?}", spec.name);
                        }
                    }
                    ParameterKind::File { .. } => panic!("{} {} is a file", spec.name, when.choice),
                }
                count += 1;
            }
        }
        assert!(count >= 20);
    }

    #[test]
    fn a_design_refuses_just_what_it_does_not_use() {
        for effect in ["lowpass", "highpass", "bandpass", "bandstop"] {
            let spec = known(effect).unwrap();
            let Some(ParameterKind::Choice { options, .. }) = spec.parameter("design").map(|p| p.kind) else {
                panic!()
            };
            for design in options {
                for (parameter, value) in [("ripple", 0.5), ("attenuation", 60.0)] {
                    let mut arguments = spec.initial_arguments();
                    arguments.set("design", Value::from(*design));
                    assert!(spec.arguments(&arguments).is_ok(), "{effect} {design}");
                    let parameter = spec.parameter(parameter).unwrap();
                    let used = spec.uses(parameter, &arguments);
                    arguments.set(parameter.name, Value::Number(value));
                    let outcome = spec.arguments(&arguments);
                    assert_eq!(outcome.is_ok(), used, "{effect} {design} {}", parameter.name);
                    if let Err(error) = outcome {
                        assert!(error.to_string().contains(&parameter.used_when[0].written()), "{error}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_a_finite_response_does_not_use_changes_none_of_its_taps() {
        use audio::AudioFormat;
        use base::units::SampleRate;
        let spec = known("fir").unwrap();
        let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 1);
        let taps = |arguments: &Arguments| {
            let stage = spec.make(arguments).unwrap().stage(format, None).unwrap();
            let super::super::Stage::Process(process) = stage else { panic!("no process") };
            process.taps().map(|(taps, _)| taps.to_vec()).unwrap()
        };
        let other = |name| match name {
            "cutoff" => Value::Number(2000.0),
            "low" => Value::Number(500.0),
            "high" => Value::Number(4000.0),
            "window" => Value::from("blackman"),
            _ => Value::Number(50.0),
        };
        let mut told_apart = 0;
        for kind in ["lowpass", "bandpass"] {
            for method in ["window", "least_squares"] {
                for window in ["hamming", "kaiser"] {
                    let mut arguments = spec.initial_arguments();
                    // Enough taps to leave room for a band between the transitions.
                    arguments.set("taps", Value::Number(1001.0));
                    for (name, word) in [("kind", kind), ("method", method), ("window", window)] {
                        arguments.set(name, Value::from(word));
                    }
                    let before = taps(&arguments);
                    for name in ["cutoff", "low", "high", "window", "attenuation"] {
                        let mut changed = arguments.clone();
                        changed.set(name, other(name));
                        let same = taps(&changed) == before;
                        assert_eq!(
                            !same,
                            spec.uses(spec.parameter(name).unwrap(), &arguments),
                            "{kind} {method} {window}: {name}"
                        );
                        told_apart += usize::from(!same);
                    }
                }
            }
        }
        assert!(told_apart > 8);
    }
}
