//! The mel bands of windows: levels and magnitudes.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use super::{BANDS, MIN_POWER};
use base::error::{Error, Result};
use base::simd::{Lanes, Simd, Task};
use dsp::design::{Bank, BankRow, Bins, FrequencyScale, MelNorm};
use dsp::kernels::signal::band_sums::BandSums;
use dsp::kernels::signal::stft::Spectra;

/// A mel bank, planned for the spectra of one transform. Cheap to clone.
#[derive(Clone, Debug)]
pub struct MelBands {
    sums: std::sync::Arc<BandSums>,
    /// The factor from scaled to unscaled powers.
    scale: f32,
}

/// The bands of one window.
#[derive(Clone, Debug, PartialEq)]
pub struct Bands {
    /// Levels of the unscaled spectra in dB, at least -100.
    pub(super) levels_db: [f32; BANDS],
    /// Magnitudes on the scale where a full-scale sine is 1.
    pub(super) magnitudes: [f32; BANDS],
    /// The highest level; `NaN` for a non-finite window.
    pub(super) top_db: f32,
}

impl MelBands {
    /// Plans the bank for windows of `size` frames at a rate of `rate_hz`.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a size below two frames or a rate that is not positive.
    pub fn new(size: usize, rate_hz: f64) -> Result<Self> {
        let bins = Bins { fft_length: size, rate_hz };
        let bank = Bank::triangles(bins, FrequencyScale::Mel, [0.0, rate_hz / 2.0], BANDS, MelNorm::Area)?;
        let weights = |row: &BankRow| row.weights.iter().map(|&weight| weight as f32).collect::<Vec<f32>>();
        let rows: Vec<(usize, Vec<f32>)> = bank.rows().iter().map(|row| (row.first_bin, weights(row))).collect();
        let sums = BandSums::new(bins.count(), rows.iter().map(|(first, weights)| (*first, weights.as_slice())));
        // Powers are scaled as `(2 / sum w)^2 |X|^2`; the sum of a Hann window is half its size.
        Ok(Self { sums: sums.into(), scale: (size as f64 / 4.0).powi(2) as f32 })
    }

    /// Computes the bands of every window of spectra as returned by [`dsp::kernels::signal::stft::cpu::power`].
    pub fn bands(&self, power: &Spectra<f32>) -> Result<Vec<Bands>> {
        self.bands_of(power, 0..power.values.len().checked_div(power.bins).unwrap_or(0))
    }

    /// Computes the bands of a range of windows.
    pub fn bands_of(&self, power: &Spectra<f32>, windows: std::ops::Range<usize>) -> Result<Vec<Bands>> {
        if power.bins != self.sums.values() {
            let (got, allowed) = (format!("{} bins", power.bins), format!("{} bins", self.sums.values()));
            return Err(Error::invalid("spectra", got, allowed));
        }
        let rows = &power.values[windows.start * power.bins..windows.end * power.bins];
        Ok(Simd::best().dispatch(Measure { plan: self, rows }))
    }
}

impl MelBands {
    /// Returns the plan of the band sums, so that a GPU can compute them.
    pub(in crate::features) fn sums(&self) -> &BandSums {
        &self.sums
    }

    /// Computes the bands of consecutive windows from their band sums.
    pub(in crate::features) fn bands_of_sums(&self, sums: &[f32]) -> Vec<Bands> {
        Simd::best().dispatch(OfSums { sums, scale: self.scale })
    }
}

struct OfSums<'a> {
    sums: &'a [f32],
    scale: f32,
}

impl Task for OfSums<'_> {
    type Output = Vec<Bands>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<Bands> {
        let windows = self.sums.as_chunks::<BANDS>().0;
        let mut all = Vec::with_capacity(windows.len());
        for powers in windows {
            all.push(measured(powers, self.scale));
        }
        all
    }
}

struct Measure<'a> {
    plan: &'a MelBands,
    rows: &'a [f32],
}

impl Task for Measure<'_> {
    type Output = Vec<Bands>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<Bands> {
        let mut all = Vec::with_capacity(self.rows.len() / self.plan.sums.values());
        for row in self.rows.chunks_exact(self.plan.sums.values()) {
            let mut powers = [0.0; BANDS];
            self.plan.sums.sums_in::<L>(row, &mut powers);
            all.push(measured(&powers, self.plan.scale));
        }
        all
    }
}

#[inline(always)]
fn measured(powers: &[f32; BANDS], scale: f32) -> Bands {
    let (mut levels_db, mut magnitudes) = ([0.0; BANDS], [0.0; BANDS]);
    for (magnitude, power) in magnitudes.iter_mut().zip(powers) {
        *magnitude = power.sqrt();
    }
    let mut broken = 0;
    for (level, power) in levels_db.iter_mut().zip(powers) {
        broken |= u32::from(!(*power < f32::INFINITY));
        *level = decibels(power * scale);
    }
    let mut top_db = f32::NEG_INFINITY;
    for level in levels_db {
        top_db = if level > top_db { level } else { top_db };
    }
    Bands { levels_db, magnitudes, top_db: if broken == 0 { top_db } else { f32::NAN } }
}

/// Returns `10 log10` of a finite power, with a floor of [`MIN_POWER`]. The logarithm of the mantissa, between
/// `sqrt 1/2` and `sqrt 2`, is the inverse hyperbolic tangent series up to its fifth term, with an error of 1e-9 Np.
#[inline(always)]
fn decibels(power: f32) -> f32 {
    const OCTAVE_DB: f32 = 3.010_3;
    const NEPER_DB: f32 = 4.342_945;
    let power = if power > MIN_POWER { power } else { MIN_POWER };
    // Offset by `sqrt 1/2`, so that the exponent changes there.
    let bits = power.to_bits().wrapping_sub(0x3f35_04f3);
    let exponent = (bits as i32) >> 23;
    let mantissa = f32::from_bits((bits & 0x007f_ffff).wrapping_add(0x3f35_04f3));
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    let series = ((((1.0 / 9.0 * square + 1.0 / 7.0) * square + 1.0 / 5.0) * square + 1.0 / 3.0) * square + 1.0) * s;
    OCTAVE_DB * exponent as f32 + (2.0 * NEPER_DB) * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decibels_are_those_of_the_logarithm() {
        let mut power = MIN_POWER;
        while power < 1e12 {
            let expected = 10.0 * f64::from(power).log10();
            assert!((f64::from(decibels(power)) - expected).abs() < 2e-5, "{power}: {}, {expected}", decibels(power));
            power *= 1.000_37;
        }
        for (power, db) in [(0.0, -100.0), (f32::MIN_POSITIVE, -100.0), (1.0, 0.0), (2.0, 3.0103)] {
            assert!((decibels(power) - db).abs() < 1e-5, "{power}: {}", decibels(power));
        }
    }

    #[test]
    fn windows_that_are_not_finite_are_marked_and_others_stay() {
        let plan = MelBands::new(64, 8000.0).unwrap();
        let mut power = Spectra { bins: 33, values: vec![0.25_f32; 99] };
        let whole = plan.bands(&power).unwrap();
        for broken in [f32::NAN, f32::INFINITY] {
            power.values[33 + 10] = broken;
            let bands = plan.bands(&power).unwrap();
            assert!(bands[1].top_db.is_nan());
            assert_eq!([&bands[0], &bands[2]], [&whole[0], &whole[2]]);
        }
        assert!(plan.bands(&Spectra { bins: 32, values: vec![0.0; 64] }).is_err());
        assert_eq!(plan.bands_of(&power, 2..3).unwrap(), whole[2..]);
    }
}
