//! Chebyshev filters of the first kind: ripples of equal height in the pass band, `|H|^2 = 1 / (1 + e^2 T_N(x)^2)`.
//!
//! The cutoff is where the response leaves the ripple band for the last time. The poles lie on an ellipse,
//! `-sinh(a) sin t + i cosh(a) cos t` at `t = (2 i + 1) pi / 2N`, with `a = asinh(1/e) / N` and
//! `e^2 = 10^(ripple/10) - 1` (Oppenheim and Schafer, *Discrete-Time Signal Processing*, appendix B).

use std::f64::consts::PI;

use super::prototype::{Pair, Prototype, PrototypeSection};

/// Returns the prototype of `order`, 1..=[`super::MAX_ORDER`], with a pass-band ripple of `ripple_db` decibels (above
/// 0).
pub fn chebyshev1(order: usize, ripple_db: f64) -> Prototype {
    // For an even order, 0 Hz lies in a trough of the ripple.
    let gain = if order.is_multiple_of(2) { 10f64.powf(-ripple_db / 20.0) } else { 1.0 };
    Prototype::new(&poles(order, root_of_excess(ripple_db).recip()), gain)
}

/// Returns `sqrt(10^(db/10) - 1)`, at full precision even for a small `db`.
pub(super) fn root_of_excess(db: f64) -> f64 {
    (db * (std::f64::consts::LN_10 / 10.0)).exp_m1().sqrt()
}

/// Returns the poles on the ellipse with `a = asinh(reach) / N`, the most resonant first.
pub(super) fn poles(order: usize, reach: f64) -> Vec<PrototypeSection> {
    let a = reach.asinh() / order as f64;
    let pole = |index: usize| {
        if 2 * index + 1 == order {
            return PrototypeSection::Real(a.sinh());
        }
        let angle = PI * (2 * index + 1) as f64 / (2 * order) as f64;
        PrototypeSection::Pair(Pair::at(a.sinh() * angle.sin(), a.cosh() * angle.cos(), None))
    };
    (0..order.div_ceil(2)).map(pole).collect()
}
