//! The filter families as one type, with the parameters of each.

use super::{Prototype, bessel, butterworth, chebyshev1, chebyshev2, elliptic, linkwitz_riley};
use base::error::Result;

/// A family of filters, with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Family {
    /// Maximally flat pass band; -3 dB at the cutoff.
    Butterworth,
    /// Ripple in the pass band; the cutoff is the edge of the ripple band.
    Chebyshev1 {
        /// Pass-band ripple in decibels, above 0.
        ripple_db: f64,
    },
    /// Ripple in the stop band; the cutoff is the edge of the stop band.
    Chebyshev2 {
        /// Stop-band attenuation in decibels, above 0.
        attenuation_db: f64,
    },
    /// Ripple in both bands; the cutoff is the edge of the pass band.
    Elliptic {
        /// Pass-band ripple in decibels, above 0.
        ripple_db: f64,
        /// Stop-band attenuation in decibels, above the ripple.
        attenuation_db: f64,
    },
    /// Maximally flat group delay; -3 dB at the cutoff.
    Bessel,
    /// Two Butterworth filters of half the order, which must be even; -6 dB at the cutoff.
    LinkwitzRiley,
}

impl Family {
    /// Returns the prototype of `order`, 1..=[`super::MAX_ORDER`].
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
