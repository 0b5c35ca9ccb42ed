//! Up to which frequency the other has the reference's sound.

use super::{Direction, Measure, Outcome, Reading};
use crate::audio::{AudioBuffer, MemoryReader};
use crate::error::Result;
use crate::measure::spectrum::mean_spectrum;
use crate::progress::Progress;
use crate::units::SampleRate;

pub(super) const SPEC: Measure = Measure {
    name: "bandwidth",
    unit: "Hz",
    direction: Direction::Higher,
    range: "0 to half the reference's rate",
    definition: "upper edge of the highest band of 100 Hz in which the reference sounds (within 100 dB of its loudest \
                 band, above -120 dB) and the other is at most 10 dB weaker, as in most of the 5 bands below it; mean \
                 spectra, gain aside",
    source: "this program",
    decimals: 0,
    needs_alignment: false,
    compute: |pair, progress| {
        let one = |samples: &[f32]| levels(pair.rate, samples, progress);
        let mut outcomes = Vec::new();
        for (reference, other) in pair.reference.iter().zip(&pair.other) {
            outcomes.push(kept(&one(reference)?, &one(other)?, pair.rate.nyquist_hz()));
        }
        // What one channel keeps is kept.
        let highest = outcomes.iter().filter_map(Outcome::value).fold(f64::NAN, f64::max);
        let whole = match outcomes.first() {
            Some(Outcome::Missing(reason)) if highest.is_nan() => Outcome::Missing(reason.clone()),
            _ => Outcome::or_missing(highest, "there is no channel"),
        };
        Ok(Reading { whole, channels: outcomes, curve: None })
    },
};

const BAND_HZ: f64 = 100.0;
/// The reference sounds where it is within so much of its loudest band, and above the floor.
const RANGE_DB: f64 = 100.0;
const FLOOR_DB: f64 = -120.0;
/// The other may be so much weaker.
const WEAKER_DB: f64 = 10.0;

/// Returns the mean level of each band, in dB re a full-scale sine.
fn levels(rate: SampleRate, samples: &[f32], progress: &Progress) -> Result<Vec<f64>> {
    let mut reader = MemoryReader::new(rate, AudioBuffer::from_channels(vec![samples.to_vec()]));
    let spectrum = mean_spectrum(&mut reader, 0..samples.len() as u64, &progress.uncounted())?;
    let bands = (rate.nyquist_hz() / BAND_HZ).ceil() as usize;
    let mut sums = vec![(0.0, 0usize); bands.max(1)];
    for (bin, power) in spectrum.power.iter().enumerate() {
        let band = (spectrum.bins.hz_from_bin(bin) / BAND_HZ) as usize;
        if let Some(sum) = sums.get_mut(band) {
            *sum = (sum.0 + power, sum.1 + 1);
        }
    }
    Ok(sums.into_iter().map(|(sum, count)| 10.0 * (sum / count.max(1) as f64).max(1e-20).log10()).collect())
}

fn kept(reference: &[f64], other: &[f64], nyquist_hz: f64) -> Outcome {
    let loudest = |levels: &[f64]| levels.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if loudest(reference) <= FLOOR_DB {
        return Outcome::Missing(super::frame_ratios::SILENT_REFERENCE.to_owned());
    }
    if loudest(other) <= FLOOR_DB {
        return Outcome::Missing("the other is silent".to_owned());
    }
    let least = (loudest(reference) - RANGE_DB).max(FLOOR_DB);
    // The gain is the difference of the bands that lost least, among those that are far above any noise.
    let mut differences: Vec<f64> =
        reference.iter().zip(other).filter(|(r, _)| **r >= loudest(reference) - 40.0).map(|(r, o)| o - r).collect();
    differences.sort_by(f64::total_cmp);
    let gain = differences.get(differences.len() * 19 / 20).copied().unwrap_or(0.0);
    let is_kept = |band: usize| reference[band] >= least && other[band] - gain >= reference[band] - WEAKER_DB;
    let is_held = |&band: &usize| {
        let below = band.saturating_sub(5)..=band;
        let sounding = below.clone().filter(|&band| reference[band] >= least).count();
        is_kept(band) && 2 * below.filter(|&band| is_kept(band)).count() > sounding
    };
    let highest = (0..reference.len()).rev().find(is_held);
    highest.map_or(Outcome::Value(0.0), |band| Outcome::Value(((band + 1) as f64 * BAND_HZ).min(nyquist_hz)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_is_not_kept() {
        let reference = vec![-60.0; 200];
        let cut = |band: usize, gain: f64| -> Vec<f64> {
            (0..200).map(|at| if at < band { -60.0 + gain } else { -110.0 + gain }).collect()
        };
        assert_eq!(kept(&reference, &cut(80, 0.0), 20_000.0), Outcome::Value(8000.0));
        assert_eq!(kept(&reference, &cut(120, -20.0), 20_000.0), Outcome::Value(12_000.0));
        assert_eq!(kept(&reference, &reference, 19_950.0), Outcome::Value(19_950.0));
        assert!(kept(&vec![-200.0; 200], &reference, 20_000.0).value().is_none());
    }
}
