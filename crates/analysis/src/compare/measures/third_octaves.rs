//! The input of STOI and ESTOI: levels of third octaves over time, without the silent parts.

use std::f64::consts::TAU;

use transforms::RealFftPlanner;
use transforms::num_complex::Complex64;

use super::curve::Curve;
use super::{Outcome, Reading};
use crate::compare::Pair;
use crate::compare::polyphase::{Filter, converted};
use base::error::Result;
use base::units::SampleRate;

/// The rate, in Hz.
const RATE_HZ: u32 = 10_000;
/// The filter of Octave's `resample`, which pystoi also uses: its stop band is at -60 dB. What leaks from a loud band
/// counts in a faint one, since every band is normalised, so another filter gives other values.
const FILTER: Filter = Filter { periods: 20.0 * (60.0 - 8.0) / 28.714, beta: 0.1102 * (60.0 - 8.7) };
/// At lower rates the upper bands would be empty, and the conversion would multiply the frames.
const LEAST_RATE_HZ: u32 = 8000;
/// Frames of a window, the hop, and points of the transform.
const WINDOW: usize = 256;
const HOP: usize = WINDOW / 2;
const POINTS: usize = 512;
/// Windows of the reference that are this far below its loudest one are silent.
const RANGE_DB: f64 = 40.0;
/// The number of bands, and the middle of the lowest one in Hz.
pub(super) const BANDS: usize = 15;
const LOWEST_HZ: f64 = 150.0;
/// Windows of a segment: 384 ms.
pub(super) const SEGMENT: usize = 30;

/// Amplitudes of the third octaves of each window that is not silent, of the reference and of the other.
pub(super) struct ThirdOctaves {
    pub reference: Vec<[f64; BANDS]>,
    pub other: Vec<[f64; BANDS]>,
    /// The middle of each window, in seconds of the recording.
    pub times: Vec<f64>,
}

/// Computes the levels. The inner error says why there are none.
fn third_octaves(
    rate: SampleRate,
    reference: &[f32],
    other: &[f32],
) -> Result<std::result::Result<ThirdOctaves, String>> {
    if rate.hz() < LEAST_RATE_HZ {
        return Ok(Err(format!("third octaves up to 4.3 kHz need a rate of {LEAST_RATE_HZ} Hz or more")));
    }
    let [r, o] = [reference, other].map(|samples| converted(samples, rate, RATE_HZ, FILTER));
    let window: Vec<f64> = (1..=WINDOW).map(|n| 0.5 - 0.5 * (TAU * n as f64 / (WINDOW + 1) as f64).cos()).collect();
    // Without the last window, as in pystoi.
    let starts: Vec<usize> = (0..r.len().saturating_sub(WINDOW)).step_by(HOP).collect();
    let level = |&start: &usize| {
        let energy: f64 = r[start..start + WINDOW].iter().zip(&window).map(|(x, w)| (x * w).powi(2)).sum();
        20.0 * (energy.sqrt() + f64::EPSILON).log10()
    };
    let levels: Vec<f64> = starts.iter().map(level).collect();
    let loudest = levels.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let heard: Vec<usize> =
        starts.iter().zip(&levels).filter(|(_, level)| loudest - RANGE_DB < **level).map(|(start, _)| *start).collect();
    if r.iter().all(|&x| x == 0.0) {
        return Ok(Err(super::frame_ratios::SILENT_REFERENCE.to_owned()));
    }
    let windows = heard.len().saturating_sub(1);
    if windows < SEGMENT {
        return Ok(Err("less than 0.4 s of the reference are not silent".to_owned()));
    }
    let spectra = |samples: &[f64]| bands(&joined(samples, &heard, &window), &window);
    let times = heard[..windows].iter().map(|start| (start + WINDOW / 2) as f64 / f64::from(RATE_HZ)).collect();
    Ok(Ok(ThirdOctaves { reference: spectra(&r)?, other: spectra(&o)?, times }))
}

/// Joins windows by overlap-add.
fn joined(samples: &[f64], starts: &[usize], window: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; (starts.len() - 1) * HOP + WINDOW];
    for (index, &start) in starts.iter().enumerate() {
        for (n, weight) in window.iter().enumerate() {
            out[index * HOP + n] += weight * samples[start + n];
        }
    }
    out
}

fn bands(samples: &[f64], window: &[f64]) -> Result<Vec<[f64; BANDS]>> {
    let edges = edges();
    let mut planner = RealFftPlanner::<f64>::new();
    let forward = planner.plan_fft_forward(POINTS);
    let (mut frames, mut bins) = (forward.make_input_vec(), forward.make_output_vec());
    let mut out = Vec::new();
    for start in (0..samples.len() - WINDOW).step_by(HOP) {
        frames.fill(0.0);
        frames.iter_mut().zip(&samples[start..start + WINDOW]).zip(window).for_each(|((to, x), w)| *to = x * w);
        forward.process(&mut frames, &mut bins)?;
        out.push(std::array::from_fn(|band| {
            bins[edges[band].0..edges[band].1].iter().map(Complex64::norm_sqr).sum::<f64>().sqrt()
        }));
    }
    Ok(out)
}

/// Returns the first bin of each band and the one after its last: those nearest to the edges of third octaves.
fn edges() -> [(usize, usize); BANDS] {
    let bin = |sixths: i32| {
        let hz = LOWEST_HZ * (f64::from(sixths) / 6.0).exp2();
        (hz * POINTS as f64 / f64::from(RATE_HZ)).round() as usize
    };
    std::array::from_fn(|band| (bin(2 * band as i32 - 1), bin(2 * band as i32 + 1)))
}

/// Reads each channel of a pair as the mean of `value` over all segments.
pub(super) fn over_segments(
    pair: &Pair,
    curves: bool,
    value: impl Fn(&[[f64; BANDS]], &[[f64; BANDS]]) -> f64 + Copy + Sync,
) -> Result<Reading> {
    Reading::of_channels(pair, |reference, other| {
        let levels = match third_octaves(pair.rate, reference, other)? {
            Ok(levels) => levels,
            Err(reason) => return Ok((Outcome::Missing(reason), None)),
        };
        let pairs = levels.reference.windows(SEGMENT).zip(levels.other.windows(SEGMENT));
        let values: Vec<f64> = pairs.map(|(r, o)| value(r, o)).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Ok((Outcome::or_missing(mean, "not a number"), curves.then(|| curve(&levels.times, &values))))
    })
}

/// Puts the value of each segment at its middle. Windows that were left out have none, so that the curve keeps the
/// recording's time.
fn curve(times: &[f64], values: &[f64]) -> Curve {
    let step_s = HOP as f64 / f64::from(RATE_HZ);
    let place = |time: f64| (time / step_s).round() as usize;
    let middles: Vec<usize> = (0..values.len()).map(|index| place(times[index + SEGMENT / 2])).collect();
    let mut points = vec![Err(NO_SEGMENT); middles.last().map_or(0, |last| last + 1)];
    middles.iter().zip(values).for_each(|(&place, &value)| points[place] = Ok(value));
    Curve::new(0.0, step_s, points)
}

/// The definition of curves of segments, and the reason for missing values.
pub(super) const IN_SEGMENTS: &str = "of the segment around each window";
const NO_SEGMENT: &str = "the reference is silent here, or this is the beginning";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_join_without_gaps() {
        let edges = edges();
        assert!(edges.windows(2).all(|pair| pair[0].1 == pair[1].0), "{edges:?}");
        assert_eq!((edges[0].0, edges[14].1), (7, 219));
    }
}
