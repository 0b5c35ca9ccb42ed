//! The mean levels of bands of both recordings, and up to which frequency they sound.

use std::ops::Range;

use rayon::prelude::*;

use super::curve::{Curve, Point};
use super::frame_ratios::{SILENT_OTHER, SILENT_REFERENCE};
use super::{Outcome, Reading};
use crate::compare::pair::Pair;
use audio::{AudioBuffer, AudioReader, MemoryReader};
use base::error::Result;
use base::progress::Progress;
use dsp::measure::spectrum::mean_spectrum;

const BAND_HZ: f64 = 100.0;
/// The reference sounds where it is at most this far below its loudest band, and above the floor.
const RANGE_DB: f64 = 100.0;
const FLOOR_DB: f64 = -120.0;
/// The other may be this much weaker.
const WEAKER_DB: f64 = 10.0;

/// Up to which frequencies a recording sounds, in Hz.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::compare) struct Edges {
    /// The highest frequency in the reference.
    pub reference_hz: f64,
    /// The highest of its frequencies that the other keeps.
    pub kept_hz: f64,
}

/// The edges of a stretch of one channel, or why there are none.
pub(in crate::compare) type FoundEdges = std::result::Result<Edges, &'static str>;

/// Returns the edges of each channel.
pub(in crate::compare) fn edges(pair: &Pair, progress: &Progress) -> Result<Vec<FoundEdges>> {
    let channels = pair.reference.par_iter().zip(&pair.other);
    channels.map(|(reference, other)| Channel::new(pair, reference, other).edges(None, progress)).collect()
}

/// Takes a measure from the edges: `of` each channel, and for the whole from the highest edges of any channel, because
/// sound that one channel keeps is kept.
pub(super) fn of_edges(pair: &Pair, curves: bool, progress: &Progress, of: fn(Edges) -> f64) -> Result<Reading> {
    let found = pair.edges(progress)?;
    let point = |found: FoundEdges| -> Point { found.map(of) };
    let whole = Outcome::of(point(highest(found.iter().copied())));
    let channels = found.iter().map(|&found| Outcome::of(point(found))).collect();
    if !curves {
        return Ok(Reading { whole, channels, curve: None, channel_curves: Vec::new() });
    }
    let seconds = over_time(pair, progress)?;
    let step_s = piece(pair) as f64 / pair.rate.as_f64();
    let curve = |points: &mut dyn Iterator<Item = FoundEdges>| Curve::new(step_s / 2.0, step_s, points.map(point));
    let count = seconds.first().map_or(0, Vec::len);
    let all = curve(&mut (0..count).map(|at| highest(seconds.iter().map(|channel| channel[at]))));
    let channel_curves = seconds.iter().map(|channel| curve(&mut channel.iter().copied())).collect();
    Ok(Reading { whole, channels, curve: Some(all), channel_curves })
}

fn highest(channels: impl Iterator<Item = FoundEdges>) -> FoundEdges {
    let higher = |a: Edges, b: Edges| Edges {
        reference_hz: a.reference_hz.max(b.reference_hz),
        kept_hz: a.kept_hz.max(b.kept_hz),
    };
    let both = |a: FoundEdges, b: FoundEdges| match (a, b) {
        (Ok(a), Ok(b)) => Ok(higher(a, b)),
        (a, b) => a.or(b).map_err(|_| a.err().unwrap_or_default()),
    };
    channels.reduce(both).unwrap_or(Err("there is no channel"))
}

/// The frames of a value of a curve: a second, or what a spectrum needs.
fn piece(pair: &Pair) -> usize {
    (pair.rate.hz() as usize).max(8192)
}

/// Returns the edges of each channel in each piece.
fn over_time(pair: &Pair, progress: &Progress) -> Result<Vec<Vec<FoundEdges>>> {
    let second = piece(pair);
    let one = |(reference, other): (&Vec<f32>, &Vec<f32>)| -> Result<Vec<FoundEdges>> {
        let mut channel = Channel::new(pair, reference, other);
        let starts = (0..pair.frames()).step_by(second);
        starts.map(|start| channel.edges(Some(start..(start + second).min(pair.frames())), progress)).collect()
    };
    pair.reference.par_iter().zip(&pair.other).map(one).collect()
}

/// One channel of both.
struct Channel {
    readers: [MemoryReader; 2],
}

impl Channel {
    fn new(pair: &Pair, reference: &[f32], other: &[f32]) -> Self {
        let reader = |samples: &[f32]| MemoryReader::new(pair.rate, AudioBuffer::from_channels(vec![samples.to_vec()]));
        Self { readers: [reader(reference), reader(other)] }
    }

    /// Returns the edges in a stretch, or in all of both.
    fn edges(&mut self, stretch: Option<Range<usize>>, progress: &Progress) -> Result<FoundEdges> {
        let nyquist_hz = self.readers[0].format().rate.nyquist_hz();
        let [reference, other] = &mut self.readers;
        let one = |reader: &mut MemoryReader| {
            let stretch = stretch.clone().unwrap_or(0..reader.frames() as usize);
            levels(reader, stretch.start as u64..stretch.end as u64, progress)
        };
        Ok(found(&one(reference)?, &one(other)?, nyquist_hz))
    }
}

/// Returns the mean level of each band, in dB re a full-scale sine.
fn levels(reader: &mut MemoryReader, frames: Range<u64>, progress: &Progress) -> Result<Vec<f64>> {
    let spectrum = mean_spectrum(reader, frames, &progress.uncounted())?;
    let bands = (reader.format().rate.nyquist_hz() / BAND_HZ).ceil() as usize;
    let mut sums = vec![(0.0, 0usize); bands.max(1)];
    for (bin, power) in spectrum.power.iter().enumerate() {
        let band = (spectrum.bins.hz_from_bin(bin) / BAND_HZ) as usize;
        if let Some(sum) = sums.get_mut(band) {
            *sum = (sum.0 + power, sum.1 + 1);
        }
    }
    Ok(sums.into_iter().map(|(sum, count)| 10.0 * (sum / count.max(1) as f64).max(1e-20).log10()).collect())
}

fn loudest(levels: &[f64]) -> f64 {
    levels.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn found(reference: &[f64], other: &[f64], nyquist_hz: f64) -> FoundEdges {
    if loudest(reference) <= FLOOR_DB {
        return Err(SILENT_REFERENCE);
    }
    if loudest(other) <= FLOOR_DB {
        return Err(SILENT_OTHER);
    }
    let least = (loudest(reference) - RANGE_DB).max(FLOOR_DB);
    // The gain is the difference of the bands that lost least, among those that are far above any noise.
    let mut differences: Vec<f64> =
        reference.iter().zip(other).filter(|(r, _)| **r >= loudest(reference) - 40.0).map(|(r, o)| o - r).collect();
    differences.sort_by(f64::total_cmp);
    let gain = differences.get(differences.len() * 19 / 20).copied().unwrap_or(0.0);
    let sounds = |band: usize| reference[band] >= least;
    let is_kept = |band: usize| sounds(band) && other[band] - gain >= reference[band] - WEAKER_DB;
    let is_held = |&band: &usize| {
        let below = band.saturating_sub(5)..=band;
        let sounding = below.clone().filter(|&band| sounds(band)).count();
        is_kept(band) && 2 * below.filter(|&band| is_kept(band)).count() > sounding
    };
    let edge = |band: Option<usize>| band.map_or(0.0, |band| ((band + 1) as f64 * BAND_HZ).min(nyquist_hz));
    let bands = || (0..reference.len()).rev();
    Ok(Edges { reference_hz: edge(bands().find(|&band| sounds(band))), kept_hz: edge(bands().find(is_held)) })
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
        let kept = |other: &[f64], nyquist_hz| found(&reference, other, nyquist_hz).unwrap();
        assert_eq!(kept(&cut(80, 0.0), 20_000.0), Edges { reference_hz: 20_000.0, kept_hz: 8000.0 });
        assert_eq!(kept(&cut(120, -20.0), 20_000.0), Edges { reference_hz: 20_000.0, kept_hz: 12_000.0 });
        assert_eq!(kept(&reference, 19_950.0), Edges { reference_hz: 19_950.0, kept_hz: 19_950.0 });
        assert_eq!(found(&vec![-200.0; 200], &reference, 20_000.0), Err(SILENT_REFERENCE));
        assert_eq!(found(&reference, &vec![-200.0; 200], 20_000.0), Err(SILENT_OTHER));
    }

    #[test]
    fn a_channel_without_a_value_does_not_count() {
        let edges = |reference_hz, kept_hz| Ok(Edges { reference_hz, kept_hz });
        assert_eq!(highest([edges(9.0, 4.0), Err("silent"), edges(8.0, 5.0)].into_iter()), edges(9.0, 5.0));
        assert_eq!(highest([Err("silent"), Err("other")].into_iter()), Err("silent"));
    }
}
