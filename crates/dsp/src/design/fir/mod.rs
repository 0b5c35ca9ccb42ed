//! Design of FIR filters, with taps in f64.
//!
//! Frequencies are in cycles per frame, 0 to 0.5. [`windowed()`] truncates the ideal response with a window, [`firls`]
//! minimises the energy of the error, and [`remez`] minimises its largest magnitude. All three give linear phase: the
//! taps are symmetric about their middle. [`minimum_phase()`] converts a filter to one of the same magnitude and minimum
//! phase. [`Taps`] computes the frequency response.

mod equiripple;
mod least_squares;
mod minimum_phase;
mod taps;
mod windowed;

pub use equiripple::{MAX_EQUIRIPPLE_TAPS, remez};
pub use least_squares::{MAX_LEAST_SQUARES_TAPS, firls};
pub use minimum_phase::minimum_phase;
pub use taps::Taps;
pub use windowed::{kaiser_taps, kaiser_transition, windowed};

use base::error::{Error, Result};

/// The pass band of a filter, by its edge frequencies in cycles per frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pass {
    /// Low-pass: everything below the edge passes.
    Low(f64),
    /// High-pass: everything above the edge passes.
    High(f64),
    /// Band-pass: everything between the edges passes.
    Band(f64, f64),
    /// Band-stop: everything outside the edges passes.
    Stop(f64, f64),
}

impl Pass {
    /// Returns the pass bands.
    fn stretches(self) -> Vec<(f64, f64)> {
        match self {
            Self::Low(edge) => vec![(0.0, edge)],
            Self::High(edge) => vec![(edge, 0.5)],
            Self::Band(low, high) => vec![(low, high)],
            Self::Stop(low, high) => vec![(0.0, low), (high, 0.5)],
        }
    }

    /// Returns the edges in ascending order.
    fn edges(self) -> Vec<f64> {
        match self {
            Self::Low(edge) | Self::High(edge) => vec![edge],
            Self::Band(low, high) | Self::Stop(low, high) => vec![low, high],
        }
    }

    /// Returns whether the Nyquist frequency passes, which is impossible with an even number of taps.
    pub fn passes_nyquist(self) -> bool {
        matches!(self, Self::High(_) | Self::Stop(..))
    }

    /// Returns the pass and stop bands with a transition of `width` cycles per frame centred on each edge, in the form
    /// that [`firls`] and [`remez`] take.
    ///
    /// # Errors
    /// [`Error::Invalid`] if a transition would reach beyond 0..0.5 or overlap its neighbour.
    pub fn bands(self, width: f64) -> Result<Vec<DesiredBand>> {
        let half = width / 2.0;
        let mut from = 0.0;
        let mut passes = matches!(self, Self::Low(_) | Self::Stop(..));
        let mut bands = Vec::new();
        for edge in self.edges().into_iter().map(Some).chain([None]) {
            let to = edge.map_or(0.5, |edge| edge - half);
            // A band of zero width would be a single point to match exactly.
            if to - from < 1e-6 {
                let got = format!("{width:.6} cycles a frame");
                return Err(Error::invalid("width of a transition", got, "a narrower transition"));
            }
            let gain = f64::from(u8::from(passes));
            bands.push(DesiredBand { from, to, gain: (gain, gain), weight: 1.0 });
            from = edge.map_or(0.5, |edge| edge + half);
            passes = !passes;
        }
        Ok(bands)
    }
}

/// The desired gain over a range of frequencies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DesiredBand {
    /// The lower edge in cycles per frame.
    pub from: f64,
    /// The upper edge in cycles per frame.
    pub to: f64,
    /// The gain at the lower and at the upper edge, interpolated linearly between them.
    pub gain: (f64, f64),
    /// The weight of the error in this band, above 0.
    pub weight: f64,
}

impl DesiredBand {
    fn gain_at(&self, frequency: f64) -> f64 {
        let (first, last) = self.gain;
        first + (last - first) * (frequency - self.from) / (self.to - self.from)
    }
}

/// Validates a list of bands and a number of taps from 3 to `most`.
fn checked(bands: &[DesiredBand], taps: usize, most: usize) -> Result<()> {
    if !(3..=most).contains(&taps) {
        return Err(Error::invalid("taps", taps.to_string(), format!("3 to {most}")));
    }
    let mut last = 0.0;
    for band in bands {
        let ordered = last <= band.from && band.from < band.to && band.to <= 0.5 + 1e-12;
        let finite = band.weight > 0.0 && [band.weight, band.gain.0, band.gain.1].iter().all(|value| value.is_finite());
        if !ordered || !finite {
            let got = format!("{} to {} with a weight of {}", band.from, band.to, band.weight);
            return Err(Error::invalid(
                "band of a filter",
                got,
                "ascending edges within 0 to 0.5 and a weight above 0",
            ));
        }
        last = band.to;
    }
    match bands.last() {
        None => Err(Error::invalid("bands of a filter", "none", "one band or more")),
        Some(band) if taps.is_multiple_of(2) && band.to > 0.5 - 1e-9 && band.gain.1 != 0.0 => Err(even_taps(taps)),
        Some(_) => Ok(()),
    }
}

/// Returns the error for an even number of taps in a filter that must pass the Nyquist frequency.
fn even_taps(taps: usize) -> Error {
    let got = format!("{taps}, an even number");
    Error::invalid("taps", got, "an odd number, since an even number of symmetric taps is silent at half the rate")
}
