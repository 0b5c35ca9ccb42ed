//! Linkwitz-Riley filters: two Butterworth filters of half the order in series. The response is -6 dB at the cutoff,
//! and low-pass and high-pass sum to an all-pass (S. Linkwitz, "Active Crossover Networks for Noncoincident Drivers",
//! JAES 24, 1976).

use super::butterworth::poles;
use super::prototype::{Pair, Prototype, PrototypeSection};
use super::{Section, Warped};

/// Returns the prototype of an even `order`, 2..=[`super::MAX_ORDER`].
pub fn linkwitz_riley(order: usize) -> Prototype {
    let double = |part: PrototypeSection| match part {
        // Two coincident real poles form one second-order section.
        PrototypeSection::Real(pole) => {
            vec![PrototypeSection::Pair(Pair { frequency: pole, damping: 1.0, imaginary: 0.0, zero: None })]
        }
        PrototypeSection::Pair(_) => vec![part; 2],
    };
    let parts: Vec<PrototypeSection> = poles(order / 2).into_iter().flat_map(double).collect();
    Prototype::new(&parts, 1.0)
}

/// Returns the all-pass that the low-pass and the high-pass of an even `order` sum to: `B(-s)/B(s)`, where `B` is the
/// Butterworth polynomial of half the order. If half the order is odd, the high-pass must be inverted before it is
/// summed.
pub fn linkwitz_riley_allpass(order: usize, cutoff: Warped) -> Vec<Section> {
    let g = cutoff.get();
    let allpass = |part| match part {
        PrototypeSection::Real(pole) => Section::first_order(g * pole, [-1.0, 1.0]),
        PrototypeSection::Pair(Pair { frequency, damping, .. }) => {
            let k = 2.0 * damping;
            Section::from_prototype(g * frequency, k, [1.0, -k, 1.0])
        }
    };
    poles(order / 2).into_iter().map(allpass).collect()
}
