//! Elliptic integrals and Jacobi elliptic functions for filter design, at full precision for moduli near 0 and near 1
//! (*NIST Digital Library of Mathematical Functions*, chapters 19, 20 and 22).

use std::f64::consts::{FRAC_PI_2, PI};

/// A modulus `k` and its complement `sqrt(1 - k^2)`, both at full precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Modulus {
    pub k: f64,
    pub complement: f64,
}

/// The three functions at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Functions {
    pub sn: f64,
    pub cn: f64,
    pub dn: f64,
}

/// Returns the arithmetic-geometric mean of two positive numbers.
fn mean(mut a: f64, mut b: f64) -> f64 {
    // Convergence is quadratic.
    while (a - b).abs() > 4.0 * f64::EPSILON * a {
        (a, b) = (f64::midpoint(a, b), (a * b).sqrt());
    }
    a
}

/// Returns `K'(k)/K(k)`.
pub(super) fn complete_ratio(k: f64) -> f64 {
    mean(1.0, ((1.0 - k) * (1.0 + k)).sqrt()) / mean(1.0, k)
}

/// Returns the `v` that solves `sc(v K'(k), k') = 1/e`.
pub(super) fn incomplete_share(e: f64, k: f64) -> f64 {
    // F(atan(1/e), k') = sin R_F(cos^2, cos^2 + k^2 sin^2, 1).
    let h2 = 1.0 + e * e;
    carlson_rf(e * e / h2, (e * e + k * k) / h2, 1.0) / h2.sqrt() * mean(1.0, k) / FRAC_PI_2
}

/// Returns Carlson's symmetric integral of the first kind by duplication. No argument may be negative.
fn carlson_rf(mut x: f64, mut y: f64, mut z: f64) -> f64 {
    loop {
        let average = (x + y + z) / 3.0;
        let (dx, dy) = (1.0 - x / average, 1.0 - y / average);
        let dz = -dx - dy;
        if dx.abs().max(dy.abs()).max(dz.abs()) < 1e-3 {
            let (e2, e3) = (dx * dy - dz * dz, dx * dy * dz);
            // The next term is of sixth order.
            return (1.0 - e2 / 10.0 + e3 / 14.0 + e2 * e2 / 24.0 - 3.0 * e2 * e3 / 44.0) / average.sqrt();
        }
        let lambda = (x * y).sqrt() + (y * z).sqrt() + (z * x).sqrt();
        (x, y, z) = (0.25 * (x + lambda), 0.25 * (y + lambda), 0.25 * (z + lambda));
    }
}

impl Modulus {
    /// Returns the modulus whose `K'/K` is `ratio`, computed from the smaller of the two nomes.
    pub fn of_ratio(ratio: f64) -> Self {
        let (small, large) = theta_squares((-PI * ratio.max(1.0 / ratio)).exp());
        if ratio >= 1.0 { Self { k: small, complement: large } } else { Self { k: large, complement: small } }
    }

    /// Swaps modulus and complement.
    pub fn complementary(self) -> Self {
        Self { k: self.complement, complement: self.k }
    }

    /// Returns `sn`, `cn` and `dn` at `share` of the quarter period, 0 to 1.
    pub fn sn_cn_dn(self, share: f64) -> Functions {
        if share <= 0.5 {
            return self.below_half(share);
        }
        // Computed from the other end, so that values that are small there keep their precision.
        let Functions { sn, cn, dn } = self.below_half(1.0 - share);
        Functions { sn: cn / dn, cn: self.complement * sn / dn, dn: self.complement / dn }
    }

    /// Uses descending means (DLMF 22.20.2), for `share` up to 0.5.
    fn below_half(self, share: f64) -> Functions {
        let (mut a, mut b, mut c) = (1.0, self.complement, self.k);
        let mut steps = Vec::with_capacity(12);
        while c > f64::EPSILON * a {
            (a, b, c) = (f64::midpoint(a, b), (a * b).sqrt(), 0.5 * (a - b));
            steps.push(c / a);
        }
        // The quarter period is pi/2 divided by the mean.
        let mut phi = share * FRAC_PI_2 * f64::from(steps.len() as u32).exp2();
        for ratio in steps.iter().rev() {
            phi = 0.5 * (phi + (ratio * phi.sin()).asin());
        }
        let (sn, cn) = phi.sin_cos();
        Functions { sn, cn, dn: self.complement.hypot(self.k * cn) }
    }
}

/// Returns `(theta2/theta3)^2` and `(theta4/theta3)^2` for a nome of at most `exp(-pi)`.
fn theta_squares(q: f64) -> (f64, f64) {
    let theta2 = 2.0 * q.powf(0.25) * (1.0 + q.powi(2) + q.powi(6) + q.powi(12));
    let theta3 = 1.0 + 2.0 * (q + q.powi(4) + q.powi(9));
    let theta4 = 1.0 - 2.0 * (q - q.powi(4) + q.powi(9));
    ((theta2 / theta3).powi(2), (theta4 / theta3).powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 2e-14 * expected.abs(), "{found} is not {expected}");
    }

    #[test]
    fn a_ratio_gives_the_modulus_that_gives_it_back() {
        near(complete_ratio(0.5f64.sqrt()), 1.0);
        for ratio in [0.2, 0.5, 1.0, 1.7, 4.0] {
            let modulus = Modulus::of_ratio(ratio);
            near(modulus.k.hypot(modulus.complement), 1.0);
            let found =
                if ratio > 1.0 { complete_ratio(modulus.k) } else { complete_ratio(modulus.complement).recip() };
            near(found, ratio);
        }
        // The complement of a modulus that differs from 1 by less than an f64 can represent.
        let tiny = Modulus::of_ratio(0.05).complement;
        near(tiny, 4.0 * (-10.0 * PI).exp());
    }

    #[test]
    fn functions_are_circular_for_small_moduli_and_hyperbolic_for_large_ones() {
        for share in [0.1, 0.5, 0.9] {
            let Functions { sn, cn, dn } = Modulus { k: 1e-9, complement: 1.0 }.sn_cn_dn(share);
            near(sn, (share * FRAC_PI_2).sin());
            near(cn, ((1.0 - share) * FRAC_PI_2).sin());
            near(dn, 1.0);
            // K = ln(4/k').
            let Functions { sn, .. } = Modulus { k: 1.0, complement: 1e-9 }.sn_cn_dn(share / 2.0);
            near(sn, (share / 2.0 * 4e9f64.ln()).tanh());
        }
        // At half the quarter period: sn = 1/sqrt(1 + k').
        for ratio in [0.1, 0.4, 2.0] {
            let modulus = Modulus::of_ratio(ratio);
            let Functions { sn, cn, dn } = modulus.sn_cn_dn(0.5);
            near(sn, (1.0 + modulus.complement).sqrt().recip());
            assert!((sn * sn + cn * cn - 1.0).abs() < 4e-15 && (dn - modulus.complement.sqrt()).abs() < 1e-10 * dn);
        }
    }
}
