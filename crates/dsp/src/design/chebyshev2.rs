//! Chebyshev filters of the second kind: flat in the pass band, ripples of equal height in the stop band,
//! `|H|^2 = 1 / (1 + 1/(e^2 T_N(1/x)^2))`.
//!
//! The cutoff is the edge of the stop band, where the response first reaches the attenuation. The poles are the
//! reciprocals of those of the first kind with `e^2 = 1/(10^(attenuation/10) - 1)`. The zeros are at
//! `+-i / cos((2 i + 1) pi / 2N)` (Oppenheim and Schafer, *Discrete-Time Signal Processing*, appendix B).

use std::f64::consts::PI;

use super::chebyshev1::{poles, root_of_excess};
use super::prototype::{Pair, Prototype, PrototypeSection};

/// Returns the prototype of `order`, 1..=[`super::MAX_ORDER`], with a stop-band attenuation of `attenuation_db`
/// decibels (above 0).
pub fn chebyshev2(order: usize, attenuation_db: f64) -> Prototype {
    let inverse = |(index, part): (usize, PrototypeSection)| match part {
        PrototypeSection::Real(pole) => PrototypeSection::Real(1.0 / pole),
        PrototypeSection::Pair(pair) => {
            let angle = PI * (2 * index + 1) as f64 / (2 * order) as f64;
            PrototypeSection::Pair(Pair { frequency: 1.0 / pair.frequency, zero: Some(1.0 / angle.cos()), ..pair })
        }
    };
    let parts: Vec<PrototypeSection> =
        poles(order, root_of_excess(attenuation_db)).into_iter().enumerate().map(inverse).collect();
    Prototype::new(&parts, 1.0)
}
