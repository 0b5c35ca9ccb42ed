//! Checks that constructors and methods match the registry of effects, and that waves run through chains.

use super::effects::CONSTRUCTORS;
use super::parameters::PARAMETERS;
use super::*;
use crate::effects::{self, EffectSpec, ParameterKind};

/// Returns the documentation that the constructor of an effect must have.
fn described(spec: &EffectSpec) -> String {
    let unit = |unit| match unit {
        Unit::None => "a number",
        Unit::Hz => "Hz",
        Unit::Db => "dB",
        Unit::Seconds => "s",
        Unit::Percent => "0..1",
    };
    let lines = spec.parameters.iter().map(|parameter| {
        let kind = match parameter.kind {
            ParameterKind::Number { unit: of, .. } => unit(of).to_owned(),
            ParameterKind::NumberOrNote { unit: of, .. } => format!("{} or a note", unit(of)),
            ParameterKind::Choice { options, .. } => format!("one of `{}`", options.join("`, `")),
            ParameterKind::File { .. } => "a file".to_owned(),
        };
        format!("    /// - `{}` ({kind}): {}\n", parameter.name, parameter.help)
    });
    format!("    /// {}. {}\n    ///\n{}", spec.title, spec.summary, lines.collect::<String>())
}

#[test]
fn every_effect_has_its_constructor() {
    let source = include_str!("effects.rs");
    let names: Vec<&str> = CONSTRUCTORS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, effects::all().iter().map(|spec| spec.name).collect::<Vec<_>>());
    for (spec, (name, arguments)) in effects::all().iter().zip(CONSTRUCTORS) {
        let required = spec.parameters.iter().filter(|parameter| parameter.default_value().is_none());
        assert_eq!(required.map(|parameter| parameter.name).collect::<Vec<_>>(), *arguments, "{name}");
        assert!(source.contains(&described(spec)), "{name} should say:\n{}", described(spec));
    }
}

#[test]
fn every_parameter_has_its_method() {
    let mut names: Vec<&str> =
        effects::all().iter().flat_map(|spec| spec.parameters).map(|parameter| parameter.name).collect();
    names.sort_unstable();
    names.dedup();
    let mut methods = PARAMETERS.to_vec();
    methods.sort_unstable();
    assert_eq!(methods, names);
}

#[test]
fn a_wave_through_a_chain_is_what_the_chain_makes_of_it() {
    let wave = Wave::from_channels(48_000, vec![vec![0.25; 3000], vec![-0.5; 3000]]).unwrap();
    let out = (wave.clone() | (gain(6.0) + gain(0.0)) | normalize().target(0.0)).render().unwrap();
    assert_eq!(out.format(), wave.format());
    for (got, want) in out.audio.iter().zip([0.5, -1.0]) {
        assert!(got.iter().all(|sample| (sample - want).abs() < 1e-6), "{}", got[5]);
    }
    let slower = (wave.clone() | resample(24_000)).render().unwrap();
    assert_eq!((slower.rate.hz(), slower.audio.frames()), (24_000, 1500));
    let message = (wave | gain(999.0)).render().unwrap_err().to_string();
    assert!(message.contains("gain"), "{message}");
}

#[test]
fn a_wave_is_saved_and_opened_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wave.wav");
    let wave = Wave::from_channels(44_100, vec![(0..999).map(|n| (n as f32 * 0.01).sin()).collect()]).unwrap();
    wave.save(&path).unwrap();
    assert_eq!(Wave::open(&path).unwrap(), wave);
    assert!(wave.save(&path).is_err(), "what stands there is left alone");
}
