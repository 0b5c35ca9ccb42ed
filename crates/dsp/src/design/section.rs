//! A second-order section, as coefficients and as a state-variable filter.

use serde::{Deserialize, Serialize};

use base::error::{Error, Result};

/// One second-order section in f64, in two equivalent forms.
///
/// `b` and `a` are the transfer function `(b0 + b1 z^-1 + b2 z^-2) / (1 + a1 z^-1 + a2 z^-2)` with `a[0] == 1`, for
/// interchange. `svf` is the form that runs and from which responses are computed. Designs derive it from poles and
/// zeros where they have them, because `1 + a1 + a2` loses precision at low cutoffs. A first-order section has
/// `b2 = a2 = 0` and still runs as an SVF section.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// Numerator.
    pub b: [f64; 3],
    /// Denominator, `a[0] == 1`.
    pub a: [f64; 3],
    /// The same filter as a state-variable filter.
    pub svf: Svf,
}

/// A trapezoidal (topology-preserving) state-variable filter.
///
/// For an input `v0`: `v1 = a1 (s1 + g (v0 - s2))`, `v2 = s2 + g v1`, `s1' = 2 v1 - s1`, `s2' = 2 v2 - s2`, where
/// `a1 = 1/(1 + g (g + k))`. The output is `y = m0 v0 + m1 v1 + m2 v2`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Svf {
    /// `tan(pi f / rate)`, where `f` is the section's natural frequency.
    pub g: f64,
    /// Damping, `1/Q`.
    pub k: f64,
    /// Mix of the input, band-pass and low-pass outputs.
    pub m: [f64; 3],
}

impl Section {
    /// Creates the section with the analog prototype `(n2 s^2 + n1 s + n0) / (s^2 + k s + 1)`, where `s` is in units of
    /// the natural frequency and `g` is that frequency warped, `tan(pi f / rate)`.
    pub fn from_prototype(g: f64, k: f64, [n2, n1, n0]: [f64; 3]) -> Self {
        let scale = 1.0 / (1.0 + g * (g + k));
        let (h1, h0) = (n1 * g, n0 * g * g);
        Self {
            b: [(n2 + h1 + h0) * scale, 2.0 * (h0 - n2) * scale, (n2 - h1 + h0) * scale],
            a: [1.0, 2.0 * (g * g - 1.0) * scale, (1.0 + g * (g - k)) * scale],
            svf: Svf { g, k, m: [n2, n1 - n2 * k, n0 - n2] },
        }
    }

    /// Creates the first-order section `(n1 s + n0) / (s + 1)`, where `s` is in units of the corner frequency and
    /// `corner` is that frequency warped.
    ///
    /// As an SVF, it has a second pole at `S = -1` (`z = 0`), cancelled by a zero in the same place.
    pub fn first_order(corner: f64, [n1, n0]: [f64; 2]) -> Self {
        let scale = 1.0 / (1.0 + corner);
        let g = corner.sqrt();
        let k = (1.0 + corner) / g;
        // (n1 S + n0 G)(S + 1) / ((S + G)(S + 1)), with S = g s: [n1, (n1 + n0 G)/g, n0].
        // In `n1 - n2 k`, the `n1/g` terms cancel analytically: (n1 + n0 G - n1 - n1 G)/g = (n0 - n1) g.
        Self {
            b: [(n1 + n0 * corner) * scale, (n0 * corner - n1) * scale, 0.0],
            a: [1.0, (corner - 1.0) * scale, 0.0],
            svf: Svf { g, k, m: [n1, (n0 - n1) * g, n0 - n1] },
        }
    }

    /// Creates a section from transfer function coefficients: `g^2 = (1 + a1 + a2)/(1 - a1 + a2)`,
    /// `k = 2 (1 - a2)/((1 - a1 + a2) g)`.
    ///
    /// The sums lose precision if the poles are at very low frequencies. The designs in this module do not use this
    /// function.
    ///
    /// # Errors
    /// [`Error::Invalid`] unless all coefficients are finite, `a[0]` is not 0, both poles are inside the unit circle,
    /// and the SVF parameters are finite.
    pub fn from_coefficients(b: [f64; 3], a: [f64; 3]) -> Result<Self> {
        let refuse = |allowed: &str| Err(Error::invalid("section", format!("b = {b:?}, a = {a:?}"), allowed));
        if a[0] == 0.0 || !b.iter().chain(&a).all(|value| value.is_finite()) {
            return refuse("finite coefficients with a0 other than 0");
        }
        let b = b.map(|value| value / a[0]);
        let a = [1.0, a[1] / a[0], a[2] / a[0]];
        let (at_dc, at_nyquist) = ((1.0 + a[2]) + a[1], (1.0 + a[2]) - a[1]);
        let stable = at_dc > 0.0 && at_nyquist > 0.0 && a[2] < 1.0;
        if !stable {
            return refuse("poles inside the unit circle");
        }
        let g = (at_dc / at_nyquist).sqrt();
        let k = 2.0 * (1.0 - a[2]) / (at_nyquist * g);
        // The numerator at z = -1, its middle term, and the numerator at z = 1, divided by the matching denominator
        // values.
        let n2 = (b[0] - b[1] + b[2]) / at_nyquist;
        let n1 = 2.0 * (b[0] - b[2]) / (at_nyquist * g);
        let n0 = (b[0] + b[1] + b[2]) / at_dc;
        if ![g, k, n2, n1, n0].iter().all(|value| value.is_finite()) {
            return refuse("coefficients of a stable section within range");
        }
        Ok(Self { b, a, svf: Svf { g, k, m: [n2, n1 - n2 * k, n0 - n2] } })
    }

    /// Returns the same filter with its gain multiplied by `gain`.
    #[must_use]
    pub fn scaled(mut self, gain: f64) -> Self {
        for value in self.b.iter_mut().chain(&mut self.svf.m) {
            *value *= gain;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::design::{Warped, butterworth_highpass, cookbook_peaking};

    /// Runs the section as an SVF.
    fn run_svf(svf: &Svf, input: &[f64]) -> Vec<f64> {
        let Svf { g, k, m: [m0, m1, m2] } = *svf;
        let a1 = 1.0 / (1.0 + g * (g + k));
        let (mut s1, mut s2) = (0.0, 0.0);
        let step = |&v0: &f64| {
            let v1 = a1 * (s1 + g * (v0 - s2));
            let v2 = s2 + g * v1;
            (s1, s2) = (2.0 * v1 - s1, 2.0 * v2 - s2);
            m0 * v0 + m1 * v1 + m2 * v2
        };
        input.iter().map(step).collect()
    }

    /// Runs the section as a difference equation.
    fn run_coefficients(section: &Section, input: &[f64]) -> Vec<f64> {
        let ([b0, b1, b2], [_, a1, a2]) = (section.b, section.a);
        let (mut x, mut y) = ([0.0; 2], [0.0; 2]);
        let step = |&v: &f64| {
            let out = b0 * v + b1 * x[0] + b2 * x[1] - a1 * y[0] - a2 * y[1];
            (x, y) = ([v, x[0]], [out, y[0]]);
            out
        };
        input.iter().map(step).collect()
    }

    fn impulse() -> Vec<f64> {
        let mut input = vec![0.0; 400];
        input[0] = 1.0;
        input
    }

    fn residual(left: &[f64], right: &[f64]) -> f64 {
        let energy: f64 = right.iter().map(|value| value * value).sum();
        let error: f64 = left.iter().zip(right).map(|(left, right)| (left - right).powi(2)).sum();
        (error / energy.max(1.0)).sqrt()
    }

    /// Generates coefficients with poles of magnitude below 0.98 and zeros of magnitude below 1.5, scaled by an
    /// arbitrary gain and `a0`.
    fn coefficients() -> impl Strategy<Value = ([f64; 3], [f64; 3])> {
        let pair = |limit: f64| {
            prop_oneof![
                (0.0..limit, 0.0..std::f64::consts::PI).prop_map(|(r, t)| [1.0, -2.0 * r * t.cos(), r * r]),
                (-limit..limit, -limit..limit).prop_map(|(p, q)| [1.0, -(p + q), p * q]),
            ]
        };
        (pair(1.5), pair(0.98), -4.0..4.0f64, 0.1..4.0f64)
            .prop_map(|(b, a, gain, a0)| (b.map(|value| value * gain), a.map(|value| value * a0)))
    }

    proptest! {
        #[test]
        fn a_section_of_coefficients_runs_and_responds_as_they_do((b, a) in coefficients(), w in 0.0..std::f64::consts::PI) {
            let section = Section::from_coefficients(b, a).unwrap();
            let input = impulse();
            let as_svf = run_svf(&section.svf, &input);
            prop_assert!(residual(&as_svf, &run_coefficients(&section, &input)) < 1e-9);
            let at = |[c0, c1, c2]: [f64; 3]| {
                let d = transforms::num_complex::Complex64::cis(-w);
                c0 + d * (c1 + d * c2)
            };
            prop_assert!((section.response(w) - at(b) / at(a)).norm() < 1e-9 * (at(b) / at(a)).norm().max(1.0));
        }

        #[test]
        fn a_prototype_gives_the_coefficients_that_give_it_back(
            g in 0.001..100.0f64, k in 0.01..10.0f64, n in proptest::array::uniform3(-2.0..2.0f64),
        ) {
            let section = Section::from_prototype(g, k, n);
            let back = Section::from_coefficients(section.b, section.a).unwrap();
            for (found, expected) in [(back.svf.g, g), (back.svf.k, k)] {
                prop_assert!((found - expected).abs() < 1e-6 * expected, "{found} is not {expected}");
            }
            prop_assert!(residual(&run_svf(&back.svf, &impulse()), &run_svf(&section.svf, &impulse())) < 1e-6);
        }
    }

    #[test]
    fn a_first_order_section_runs_as_its_coefficients() {
        for hz in [1.0, 1000.0, 23_000.0] {
            let section = butterworth_highpass(1, Warped::new(hz, 48_000.0).unwrap())[0];
            let input = impulse();
            assert!(residual(&run_svf(&section.svf, &input), &run_coefficients(&section, &input)) < 1e-12, "{hz} Hz");
        }
    }

    #[test]
    fn unstable_or_senseless_coefficients_are_refused() {
        for a in [
            [0.0, 0.0, 0.0],
            [1.0, -2.0, 1.0],
            [1.0, 0.0, 1.0],
            [1.0, 2.1, 1.05],
            [1.0, 0.0, -1.5],
            [1.0, f64::NAN, 0.0],
            [f64::INFINITY, 0.0, 0.0],
        ] {
            assert!(Section::from_coefficients([1.0, 0.0, 0.0], a).is_err(), "{a:?}");
        }
        assert!(Section::from_coefficients([f64::NAN, 0.0, 0.0], [1.0, 0.0, 0.0]).is_err());
    }

    #[test]
    fn a_spoiled_mix_is_told_from_the_right_one() {
        let section = cookbook_peaking(Warped::new(1000.0, 48_000.0).unwrap(), 100.0, 6.0);
        let mut spoiled = section;
        spoiled.svf.m[1] *= 1.0 + 1e-6;
        let input = impulse();
        let right = run_svf(&section.svf, &input);
        assert!(residual(&right, &run_coefficients(&section, &input)) < 1e-12);
        assert!(residual(&run_svf(&spoiled.svf, &input), &right) > 1e-10);
    }
}
