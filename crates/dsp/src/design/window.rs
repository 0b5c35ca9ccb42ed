//! Window functions, for spectra and for FIR design by the window method.
//!
//! Cosine sums, triangles and related windows follow F. Harris, "On the use of windows for harmonic analysis with the
//! discrete Fourier transform", Proc. IEEE 66 (1978), A. Nuttall, "Some windows with very good sidelobe behavior", IEEE
//! Trans. ASSP 29 (1981), and J. Kaiser, "Nonrecursive digital filter design using the I0-sinh window function" (1974).
//! The values equal those of `scipy.signal.get_window`.

use std::f64::consts::PI;
use std::fmt;
use std::str::FromStr;

use base::error::{Error, Result};

/// A window function of any length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Window {
    /// All ones; also called boxcar.
    Rectangular,
    /// A triangle that is zero at both ends.
    Bartlett,
    /// A raised cosine, zero at both ends.
    Hann,
    /// A raised cosine on a pedestal; first side lobe at -43 dB.
    Hamming,
    /// Three cosine terms; side lobes below -58 dB.
    Blackman,
    /// Four cosine terms; side lobes below -92 dB.
    BlackmanHarris,
    /// Four cosine terms; side lobes below -98 dB (Nuttall's minimum four-term window, "4c" in the paper).
    Nuttall,
    /// Five cosine terms; a tone between two bins reads at most 0.01 dB low.
    FlatTop,
    /// A combination of the Bartlett and Hann windows, for filters.
    BartlettHann,
    /// Four boxcars convolved: a cubic spline.
    Parzen,
    /// Two half cosines convolved.
    Bohman,
    /// Approximately the most energy in the main lobe for a given width.
    Kaiser {
        /// `pi alpha`. 0 is rectangular; larger values widen the main lobe and lower the side lobes. [`kaiser_beta`]
        /// computes it from an attenuation.
        beta: f64,
    },
    /// A truncated Gaussian.
    Gaussian {
        /// Standard deviation in units of half the window length.
        sigma: f64,
    },
}

/// Windows without parameters, by name.
const NAMED: &[(&str, Window)] = &[
    ("rectangular", Window::Rectangular),
    ("bartlett", Window::Bartlett),
    ("hann", Window::Hann),
    ("hamming", Window::Hamming),
    ("blackman", Window::Blackman),
    ("blackman_harris", Window::BlackmanHarris),
    ("nuttall", Window::Nuttall),
    ("flattop", Window::FlatTop),
    ("barthann", Window::BartlettHann),
    ("parzen", Window::Parzen),
    ("bohman", Window::Bohman),
    // Aliases.
    ("boxcar", Window::Rectangular),
    ("blackmanharris", Window::BlackmanHarris),
];

impl Window {
    /// Returns `length` values of the symmetric window, whose first and last values are equal. For filters.
    pub fn symmetric(self, length: usize) -> Vec<f64> {
        self.first(length, length)
    }

    /// Returns `length` values of the periodic ("DFT-even") window: the symmetric window of `length + 1` without its
    /// last value. For spectra, because the DFT is periodic too.
    pub fn periodic(self, length: usize) -> Vec<f64> {
        self.first(length, length + 1)
    }

    /// Returns the first `count` values of the symmetric window of `length`.
    fn first(self, count: usize, length: usize) -> Vec<f64> {
        if length <= 1 || count <= 1 {
            return vec![1.0; count];
        }
        (0..count).map(|n| self.at(n, length)).collect()
    }

    /// Returns value `n` of the symmetric window of `length` values, where `length` is 2 or more.
    fn at(self, n: usize, length: usize) -> f64 {
        // Counted from the nearer end, so that both halves are bit-identical.
        let n = n.min(length - 1 - n) as f64;
        let last = (length - 1) as f64;
        let x = 1.0 - 2.0 * n / last;
        let angle = 2.0 * PI * n / last;
        match self {
            Self::Parzen => {
                let from_middle = last / 2.0 - n;
                let y = from_middle / (length as f64 / 2.0);
                if from_middle <= last / 4.0 { 1.0 - 6.0 * y * y * (1.0 - y) } else { 2.0 * (1.0 - y).powi(3) }
            }
            Self::Bartlett => 2.0 * n / last,
            _ => self.around(x, angle),
        }
    }

    /// Returns the value at a distance from the middle, where 0 is the middle and 1 is an end. For windows of
    /// fractional length. Returns 0 beyond the ends.
    pub fn at_distance(self, x: f64) -> f64 {
        let x = x.abs();
        match self {
            _ if x > 1.0 => 0.0,
            Self::Parzen if x <= 0.5 => 1.0 - 6.0 * x * x * (1.0 - x),
            Self::Parzen => 2.0 * (1.0 - x).powi(3),
            Self::Bartlett => 1.0 - x,
            _ => self.around(x, PI * (1.0 - x)),
        }
    }

    /// Returns the value at the distance `x` from the middle, 0..=1, and the angle `pi (1 - x)` from the end. For
    /// windows that are a function of these.
    fn around(self, x: f64, angle: f64) -> f64 {
        match self {
            Self::Rectangular => 1.0,
            Self::Hann => cosine_sum(angle, &[0.5, 0.5]),
            Self::Hamming => cosine_sum(angle, &[0.54, 0.46]),
            Self::Blackman => cosine_sum(angle, &[0.42, 0.50, 0.08]),
            Self::BlackmanHarris => cosine_sum(angle, &[0.35875, 0.48829, 0.14128, 0.01168]),
            Self::Nuttall => cosine_sum(angle, &[0.363_581_9, 0.489_177_5, 0.136_599_5, 0.010_641_1]),
            Self::FlatTop => {
                cosine_sum(angle, &[0.215_578_95, 0.416_631_58, 0.277_263_158, 0.083_578_947, 0.006_947_368])
            }
            Self::BartlettHann => 0.62 - 0.24 * x + 0.38 * (PI * x).cos(),
            Self::Bartlett | Self::Parzen => self.at_distance(x),
            // Exactly zero at the ends.
            Self::Bohman if x >= 1.0 => 0.0,
            Self::Bohman => (1.0 - x) * (PI * x).cos() + (PI * x).sin() / PI,
            Self::Kaiser { beta } => bessel_i0(beta * ((1.0 - x) * (1.0 + x)).sqrt()) / bessel_i0(beta),
            Self::Gaussian { sigma } => (-0.5 * (x / sigma).powi(2)).exp(),
        }
    }
}

/// Returns `a0 - a1 cos(angle) + a2 cos(2 angle) - ..`, with the angle measured from the window's end.
fn cosine_sum(angle: f64, terms: &[f64]) -> f64 {
    let mut sign = 1.0;
    let mut sum = 0.0;
    for (k, term) in terms.iter().enumerate() {
        sum += sign * term * (k as f64 * angle).cos();
        sign = -sign;
    }
    sum
}

/// Returns the Kaiser window's `beta` for a side-lobe or stop-band attenuation of `attenuation_db` decibels (Kaiser
/// 1974).
pub fn kaiser_beta(attenuation_db: f64) -> f64 {
    let a = attenuation_db;
    if a > 50.0 {
        0.1102 * (a - 8.7)
    } else if a > 21.0 {
        0.5842 * (a - 21.0).powf(0.4) + 0.07886 * (a - 21.0)
    } else {
        0.0
    }
}

/// Returns the mean of the window's values: the factor by which it scales the amplitude of a tone centred on a bin.
pub fn coherent_gain(window: &[f64]) -> f64 {
    window.iter().sum::<f64>() / window.len() as f64
}

/// Returns the equivalent noise bandwidth in bins: the width of the rectangle that passes as much white noise at the
/// same gain for a tone (Harris 1978). It is 1 for the rectangular window and 1.5 for the Hann window.
pub fn equivalent_noise_bandwidth(window: &[f64]) -> f64 {
    let power: f64 = window.iter().map(|w| w * w).sum();
    window.len() as f64 * power / window.iter().sum::<f64>().powi(2)
}

/// The modified Bessel function of the first kind and order zero, by its power series. All terms are positive, so no
/// precision is lost.
pub fn bessel_i0(x: f64) -> f64 {
    let quarter = x * x / 4.0;
    let (mut term, mut sum, mut k) = (1.0, 1.0, 1.0);
    while term > sum * 1e-18 {
        term *= quarter / (k * k);
        sum += term;
        k += 1.0;
    }
    sum
}

impl fmt::Display for Window {
    /// Formats the window in the form that [`Window::from_str`] parses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kaiser { beta } => write!(f, "kaiser({beta})"),
            Self::Gaussian { sigma } => write!(f, "gaussian({sigma})"),
            plain => {
                let (name, _) = NAMED.iter().find(|(_, window)| window == plain).ok_or(fmt::Error)?;
                f.write_str(name)
            }
        }
    }
}

impl FromStr for Window {
    type Err = Error;

    /// Parses `hann`, `blackman_harris`, `kaiser(8.6)`, `gaussian(0.4)` and so on.
    fn from_str(text: &str) -> Result<Self> {
        if let Some((_, window)) = NAMED.iter().find(|(name, _)| *name == text) {
            return Ok(*window);
        }
        let parameter = |name: &str| -> Option<f64> {
            text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')?.trim().parse().ok()
        };
        if let Some(beta) = parameter("kaiser").filter(|beta| (0.0..=100.0).contains(beta)) {
            return Ok(Self::Kaiser { beta });
        }
        if let Some(sigma) = parameter("gaussian").filter(|sigma| (0.01..=100.0).contains(sigma)) {
            return Ok(Self::Gaussian { sigma });
        }
        let names: Vec<&str> = NAMED.iter().map(|(name, _)| *name).collect();
        let allowed = format!("{}, kaiser(BETA 0 to 100), gaussian(SIGMA 0.01 to 100)", names.join(", "));
        Err(Error::invalid("window", text, allowed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERY: [Window; 13] = [
        Window::Rectangular,
        Window::Bartlett,
        Window::Hann,
        Window::Hamming,
        Window::Blackman,
        Window::BlackmanHarris,
        Window::Nuttall,
        Window::FlatTop,
        Window::BartlettHann,
        Window::Parzen,
        Window::Bohman,
        Window::Kaiser { beta: 8.6 },
        Window::Gaussian { sigma: 0.4 },
    ];

    #[test]
    fn names_round_trip() {
        for window in EVERY {
            assert_eq!(window.to_string().parse::<Window>().unwrap(), window);
        }
        for wrong in ["", "han", "kaiser", "kaiser(-1)", "kaiser(x)", "gaussian(0)", "kaiser(NaN)", "hann(2)"] {
            let message = wrong.parse::<Window>().unwrap_err().to_string();
            assert!(message.contains("blackman_harris") && message.contains("kaiser(BETA"), "{message}");
        }
    }

    #[test]
    fn windows_are_symmetric_and_the_periodic_one_lacks_the_last_value() {
        for window in EVERY {
            for length in [3, 7, 8, 64, 101] {
                let symmetric = window.symmetric(length);
                let mut reversed = symmetric.clone();
                reversed.reverse();
                assert_eq!(symmetric, reversed, "{window} of {length}");
                assert_eq!(window.periodic(length - 1), window.symmetric(length)[..length - 1], "{window} of {length}");
                assert!(symmetric.iter().all(|w| (-0.1..=1.000_001).contains(w)), "{window}: {symmetric:?}");
            }
            assert_eq!(window.symmetric(1), [1.0]);
            assert!(window.symmetric(0).is_empty() && window.periodic(0).is_empty());
        }
    }

    #[test]
    fn windows_of_any_length_are_those_of_a_whole_one() {
        for window in EVERY {
            for (n, value) in window.symmetric(101).into_iter().enumerate() {
                let got = window.at_distance((n as f64 - 50.0) / 50.0);
                // The Parzen window of a whole length uses half of `length`, not of `length - 1`, so it extends beyond
                // the end values.
                let allowed = if window == Window::Parzen { 0.03 } else { 1e-12 };
                assert!((got - value).abs() < allowed, "{window}, {n}: {got}, {value}");
            }
            assert_eq!(window.at_distance(1.01), 0.0);
        }
    }

    #[test]
    fn the_figures_of_known_windows() {
        let hann = Window::Hann.periodic(1024);
        assert!((coherent_gain(&hann) - 0.5).abs() < 1e-14);
        assert!((equivalent_noise_bandwidth(&hann) - 1.5).abs() < 1e-13);
        let plain = Window::Rectangular.periodic(100);
        assert_eq!((coherent_gain(&plain), equivalent_noise_bandwidth(&plain)), (1.0, 1.0));
        // Harris 1978, table I.
        for (window, bins) in [(Window::Hamming, 1.36), (Window::Blackman, 1.73), (Window::BlackmanHarris, 2.00)] {
            let got = equivalent_noise_bandwidth(&window.periodic(4096));
            assert!((got - bins).abs() < 0.01, "{window}: {got}");
        }
    }

    #[test]
    fn kaisers_beta_for_an_attenuation() {
        for (attenuation, beta) in [(20.0, 0.0), (40.0, 3.395_321), (60.0, 5.653_26), (100.0, 10.061_26)] {
            assert!((kaiser_beta(attenuation) - beta).abs() < 1e-5, "{attenuation} dB: {}", kaiser_beta(attenuation));
        }
    }
}
