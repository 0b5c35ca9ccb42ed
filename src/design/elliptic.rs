//! Elliptic (Cauer) filters: ripples of equal height in pass band and stop band, and the narrowest step between them that
//! an order allows.
//!
//! The cutoff is the edge of the pass band, where the response leaves the ripple for good. With `k1 = e_p/e_s`,
//! `e^2 = 10^(dB/10) - 1`, the degree equation `K'(k)/K(k) = K'(k1)/(N K(k1))` gives the modulus `k`; zeros are at
//! `+-i/(k cd(u K, k))` and poles at `i cd((u - i v) K, k)` with `u = (2 i + 1)/N` and `sc(v K'(k1), k1') = 1/e_p`
//! (S. J. Orfanidis, *Lecture Notes on Elliptic Filter Design*, 2006).
//!
//! The step may be as narrow as a millionth of the cutoff (order 24 at 0.1 and 40 dB), where `1 - k` has no digits left
//! in `k`: modulus and complement are both taken from the nome, and every function from whichever of them is small.

use super::chebyshev1::root_of_excess;
use super::jacobi::{Modulus, complete_ratio, incomplete_share};
use super::prototype::{Pair, Part, Prototype};
use crate::error::{Error, Result};

/// The narrowest step from pass band to stop band, as a share of the cutoff.
const NARROWEST: f64 = 1e-9;

/// The prototype of this order, 1..=[`super::MAX_ORDER`], with ripple and attenuation in decibels, both above 0 and the
/// attenuation above the ripple.
///
/// # Errors
/// [`Error::Invalid`] where the step between the bands would be narrower than a billionth of the cutoff, which numbers of
/// double precision cannot keep apart.
pub fn elliptic(order: usize, ripple_db: f64, attenuation_db: f64) -> Result<Prototype> {
    let passed = root_of_excess(ripple_db);
    let k1 = passed / root_of_excess(attenuation_db);
    let ratio = complete_ratio(k1);
    let modulus = Modulus::of_ratio(ratio / order as f64);
    // 1/k - 1, nearly.
    if order > 1 && 0.5 * modulus.complement * modulus.complement < NARROWEST {
        return Err(Error::invalid(
            "elliptic design",
            format!("order {order} with a ripple of {ripple_db} dB and an attenuation of {attenuation_db} dB"),
            "a lower order or more attenuation: the step between the bands would be narrower than a billionth of the cutoff",
        ));
    }
    // Along the imaginary axis: sn, cn and dn of v K' with the complement as their modulus.
    let along = modulus.complementary().sn_cn_dn(incomplete_share(passed, k1));
    let k = modulus.k;
    let mut parts = Vec::with_capacity(order.div_ceil(2));
    for index in 0..order / 2 {
        // cd(u K) = sn((1 - u) K).
        let across = modulus.sn_cn_dn((order - 2 * index - 1) as f64 / order as f64);
        let below = along.cn * along.cn + (k * across.sn * along.sn).powi(2);
        let real = across.cn * across.dn * along.sn * along.cn / below;
        let imaginary = across.sn * along.dn / below;
        parts.push(Part::Pair(Pair::at(real, imaginary, Some(1.0 / (k * across.sn)))));
    }
    if !order.is_multiple_of(2) {
        parts.push(Part::Real(along.sn / along.cn));
    }
    // Of even order, 0 Hz lies in a trough of the ripple.
    let gain = if order.is_multiple_of(2) { 10f64.powf(-ripple_db / 20.0) } else { 1.0 };
    Ok(Prototype::new(&parts, gain))
}
