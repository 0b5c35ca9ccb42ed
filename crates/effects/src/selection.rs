//! How effects use the selected part of a recording.

use serde::Serialize;

use base::declared::TS;

use super::{Arguments, EffectSpec};

/// The way in which an effect uses the selected part of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SelectionUse {
    /// The part, and its band of frequencies, that the effect changes.
    Region,
    /// The part in which noise alone is heard.
    Noise,
    /// The part whose level is measured.
    Level,
    /// The part over which the sound fades in.
    FadeIn,
    /// The part over which the sound fades out.
    FadeOut,
}

impl SelectionUse {
    /// Returns whether a newly added effect takes the selection without being asked: it would make little sense
    /// elsewhere.
    pub fn is_taken(self) -> bool {
        matches!(self, Self::Region | Self::Noise)
    }
}

/// A selected part of a recording, as arguments express it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelectedPart {
    /// Its start in seconds.
    pub from_s: f64,
    /// Its end in seconds.
    pub to_s: f64,
    /// Its lowest frequency in Hz.
    pub low_hz: f64,
    /// Its highest frequency in Hz.
    pub high_hz: f64,
    /// The length of the recording in seconds.
    pub length_s: f64,
}

impl SelectedPart {
    /// Returns the arguments that make an effect take this part; nothing if it has no use for it. Times are rounded to
    /// 1 us and frequencies to 0.01 Hz: within half a frame of the selection, and short in the chain's text.
    pub fn arguments(&self, spec: &EffectSpec) -> Arguments {
        let time = |seconds: f64| (seconds * 1e6).round() / 1e6;
        let frequency = |hz: f64| (hz * 100.0).round() / 100.0;
        let mut arguments = Arguments::default();
        match spec.selection {
            None => {}
            Some(SelectionUse::Region) => {
                arguments.set("from", time(self.from_s));
                arguments.set("to", time(self.to_s));
                arguments.set("low", frequency(self.low_hz));
                arguments.set("high", frequency(self.high_hz));
            }
            Some(SelectionUse::Noise) => {
                arguments.set("from", time(self.from_s));
                arguments.set("to", time(self.to_s));
            }
            Some(SelectionUse::Level) => {
                arguments.set("from", time(self.from_s));
                arguments.set("until", time(self.to_s));
            }
            Some(SelectionUse::FadeIn) => {
                arguments.set("start", time(self.from_s));
                arguments.set("duration", time(self.to_s - self.from_s));
            }
            Some(SelectionUse::FadeOut) => {
                arguments.set("before", time((self.length_s - self.to_s).max(0.0)));
                arguments.set("duration", time(self.to_s - self.from_s));
            }
        }
        arguments
    }

    /// Returns the part of a recording of `length_s` seconds that the arguments of an effect name. `None` for an effect
    /// that has no use for a part, or that takes none.
    pub fn of_arguments(spec: &EffectSpec, arguments: &Arguments, length_s: f64) -> Option<Self> {
        let number = |name: &str| arguments.number(name);
        let (from_s, to_s) = match spec.selection? {
            SelectionUse::Region | SelectionUse::Noise => (number("from")?, number("to")?),
            SelectionUse::Level => (number("from")?, number("until")?),
            SelectionUse::FadeIn => {
                let from_s = number("start").filter(|from_s| *from_s > 0.0)?;
                (from_s, from_s + number("duration")?)
            }
            SelectionUse::FadeOut => {
                let to_s = length_s - number("before").filter(|before_s| *before_s > 0.0)?;
                (to_s - number("duration")?, to_s)
            }
        };
        let (low_hz, high_hz) = (number("low").unwrap_or(0.0), number("high").unwrap_or(0.0));
        (from_s < to_s).then_some(Self { from_s, to_s, low_hz, high_hz, length_s })
    }
}

#[cfg(test)]
mod tests {
    use super::super::all;
    use super::*;

    #[test]
    fn a_selection_gives_every_effect_that_knows_it_arguments_that_it_takes() {
        let part = SelectedPart { from_s: 1.25, to_s: 2.0, low_hz: 300.004, high_hz: 4000.0, length_s: 10.0 };
        let mut count = 0;
        for spec in all() {
            let given = part.arguments(spec);
            assert_eq!(given.iter().count() > 0, spec.selection.is_some(), "{}", spec.name);
            let mut arguments = spec.initial_arguments();
            for (name, value) in given.iter() {
                arguments.set(name, value.clone());
            }
            spec.arguments(&arguments).unwrap();
            count += usize::from(spec.selection.is_some());
        }
        for spec in all().iter().filter(|spec| spec.selection.is_some()) {
            let named = SelectedPart::of_arguments(spec, &part.arguments(spec), part.length_s).unwrap();
            assert!(
                (named.from_s - part.from_s).abs() < 1e-6 && (named.to_s - part.to_s).abs() < 1e-6,
                "{}",
                spec.name
            );
        }
        assert_eq!(count, 7, "three repairs, denoise, normalise, two fades");
        let of = |name: &str| part.arguments(super::super::find(name).unwrap());
        assert_eq!(of("spectral_gain").number("low"), Some(300.0));
        assert_eq!(of("denoise").number("to"), Some(2.0));
        assert_eq!(of("fade_in").number("start"), Some(1.25));
        assert_eq!(of("fade_out").number("before"), Some(8.0));
        assert_eq!(of("fade_out").number("duration"), Some(0.75));
    }
}
