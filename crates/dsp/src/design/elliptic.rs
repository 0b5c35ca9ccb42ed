//! Elliptic (Cauer) filters: ripples of equal height in pass band and stop band, with the narrowest transition band
//! that the order allows.
//!
//! The cutoff is the edge of the pass band, where the response leaves the ripple band for the last time. With
//! `k1 = e_p/e_s` and `e^2 = 10^(dB/10) - 1`, the degree equation `K'(k)/K(k) = K'(k1)/(N K(k1))` gives the modulus
//! `k`. The zeros are at `+-i/(k cd(u K, k))` and the poles at `i cd((u - i v) K, k)`, with `u = (2 i + 1)/N` and
//! `sc(v K'(k1), k1') = 1/e_p` (S. J. Orfanidis, *Lecture Notes on Elliptic Filter Design*, 2006).
//!
//! The transition band can be as narrow as a millionth of the cutoff (order 24 at 0.1 and 40 dB). Then `k` is too close
//! to 1 to represent `1 - k`. The modulus and its complement are therefore both computed from the nome, and each
//! function uses whichever of the two is small.

use super::chebyshev1::root_of_excess;
use super::jacobi::{Modulus, complete_ratio, incomplete_share};
use super::prototype::{Pair, Prototype, PrototypeSection};
use base::error::{Error, Result};

/// The narrowest transition band, as a fraction of the cutoff.
const NARROWEST: f64 = 1e-9;

/// Returns the prototype of `order`, 1..=[`super::MAX_ORDER`]. Ripple and attenuation are in decibels, both above 0;
/// the attenuation must exceed the ripple.
///
/// # Errors
/// [`Error::Invalid`] if the transition band would be narrower than a billionth of the cutoff, which double precision
/// cannot resolve.
pub fn elliptic(order: usize, ripple_db: f64, attenuation_db: f64) -> Result<Prototype> {
    let passed = root_of_excess(ripple_db);
    let k1 = passed / root_of_excess(attenuation_db);
    let ratio = complete_ratio(k1);
    let modulus = Modulus::of_ratio(ratio / order as f64);
    // The width of the transition band is approximately `1/k - 1`.
    if order > 1 && 0.5 * modulus.complement * modulus.complement < NARROWEST {
        return Err(Error::invalid(
            "elliptic design",
            format!("order {order} with a ripple of {ripple_db} dB and an attenuation of {attenuation_db} dB"),
            "a lower order or more attenuation: the step between the bands would be narrower than a billionth of the cutoff",
        ));
    }
    // Along the imaginary axis: `sn`, `cn` and `dn` of `v K'`, with the complement as the modulus.
    let along = modulus.complementary().sn_cn_dn(incomplete_share(passed, k1));
    let k = modulus.k;
    let mut parts = Vec::with_capacity(order.div_ceil(2));
    for index in 0..order / 2 {
        // cd(u K) = sn((1 - u) K).
        let across = modulus.sn_cn_dn((order - 2 * index - 1) as f64 / order as f64);
        let below = along.cn * along.cn + (k * across.sn * along.sn).powi(2);
        let real = across.cn * across.dn * along.sn * along.cn / below;
        let imaginary = across.sn * along.dn / below;
        parts.push(PrototypeSection::Pair(Pair::at(real, imaginary, Some(1.0 / (k * across.sn)))));
    }
    if !order.is_multiple_of(2) {
        parts.push(PrototypeSection::Real(along.sn / along.cn));
    }
    // For an even order, 0 Hz lies in a trough of the ripple.
    let gain = if order.is_multiple_of(2) { 10f64.powf(-ripple_db / 20.0) } else { 1.0 };
    Ok(Prototype::new(&parts, gain))
}
