//! Window functions by name, as the window and its settings offer them.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use base::declared::TS;

use super::{Window, kaiser_beta};

/// The side-lobe attenuation of Kaiser windows, in dB.
const KAISER_DB: f64 = 90.0;
/// The standard deviation of Gaussian windows, in half window lengths: side lobes at about -70 dB.
const GAUSSIAN_SIGMA: f64 = 0.28;

/// A window function. Kaiser and Gaussian windows have fixed parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "their own names; `Window` says what they are")]
pub enum WindowName {
    #[default]
    Hann,
    Hamming,
    Blackman,
    BlackmanHarris,
    Nuttall,
    Flattop,
    Kaiser,
    Gaussian,
    Bartlett,
    Parzen,
    Bohman,
    Barthann,
    Rectangular,
}

impl WindowName {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Hann,
        Self::Hamming,
        Self::Blackman,
        Self::BlackmanHarris,
        Self::Nuttall,
        Self::Flattop,
        Self::Kaiser,
        Self::Gaussian,
        Self::Bartlett,
        Self::Parzen,
        Self::Bohman,
        Self::Barthann,
        Self::Rectangular,
    ];
}

impl From<WindowName> for Window {
    fn from(name: WindowName) -> Self {
        match name {
            WindowName::Hann => Self::Hann,
            WindowName::Hamming => Self::Hamming,
            WindowName::Blackman => Self::Blackman,
            WindowName::BlackmanHarris => Self::BlackmanHarris,
            WindowName::Nuttall => Self::Nuttall,
            WindowName::Flattop => Self::FlatTop,
            WindowName::Kaiser => Self::Kaiser { beta: kaiser_beta(KAISER_DB) },
            WindowName::Gaussian => Self::Gaussian { sigma: GAUSSIAN_SIGMA },
            WindowName::Bartlett => Self::Bartlett,
            WindowName::Parzen => Self::Parzen,
            WindowName::Bohman => Self::Bohman,
            WindowName::Barthann => Self::BartlettHann,
            WindowName::Rectangular => Self::Rectangular,
        }
    }
}

/// Writes a window by its name, without its parameters. For fields with `#[serde(with = ...)]` whose windows come from
/// names.
pub fn serialize<S: Serializer>(window: &Window, to: S) -> Result<S::Ok, S::Error> {
    let text = window.to_string();
    to.serialize_str(text.split('(').next().unwrap_or(&text))
}

/// Reads a window by its name.
pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Window, D::Error> {
    WindowName::deserialize(from).map(Window::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_window_is_written_by_its_name() {
        #[derive(Serialize, Deserialize)]
        struct Field(#[serde(with = "super")] Window);
        let names = "hann hamming blackman blackman_harris nuttall flattop kaiser gaussian bartlett parzen bohman \
            barthann rectangular";
        for name in names.split_whitespace() {
            let text = format!("\"{name}\"");
            let window: Field = serde_json::from_str(&text).unwrap();
            assert_eq!(serde_json::to_string(&window).unwrap(), text);
        }
        assert!(serde_json::from_str::<Field>("\"kaiser(3)\"").is_err());
    }
}
