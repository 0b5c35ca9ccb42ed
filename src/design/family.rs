//! The families of designs under one name, with what each of them asks for.

use super::{Prototype, bessel, butterworth, chebyshev1, chebyshev2, elliptic, linkwitz_riley};
use crate::error::Result;

/// A family of filters, with its own parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Family {
    /// As flat as its order allows; -3 dB at the cutoff.
    Butterworth,
    /// Ripples in the pass band; the cutoff is where they end.
    Chebyshev1 {
        /// Their height in decibels.
        ripple_db: f64,
    },
    /// Ripples in the stop band; the cutoff is where they begin.
    Chebyshev2 {
        /// How far down they stay, in decibels.
        attenuation_db: f64,
    },
    /// Ripples in both; the cutoff is the edge of the pass band.
    Elliptic {
        /// Their height in the pass band in decibels.
        ripple_db: f64,
        /// How far down they stay in the stop band, in decibels.
        attenuation_db: f64,
    },
    /// The flattest group delay; -3 dB at the cutoff.
    Bessel,
    /// Two Butterworth filters of half the order, which must be even; -6 dB at the cutoff.
    LinkwitzRiley,
}

impl Family {
    /// The prototype of this order, 1..=[`super::MAX_ORDER`].
    ///
    /// # Errors
    /// As [`elliptic`].
    pub fn prototype(self, order: usize) -> Result<Prototype> {
        Ok(match self {
            Self::Butterworth => butterworth(order),
            Self::Chebyshev1 { ripple_db } => chebyshev1(order, ripple_db),
            Self::Chebyshev2 { attenuation_db } => chebyshev2(order, attenuation_db),
            Self::Elliptic { ripple_db, attenuation_db } => elliptic(order, ripple_db, attenuation_db)?,
            Self::Bessel => bessel(order),
            Self::LinkwitzRiley => linkwitz_riley(order),
        })
    }
}
