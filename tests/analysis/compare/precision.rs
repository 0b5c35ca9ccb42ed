//! How closely the alignment approaches the limit in noise: the Cramér-Rao bound of delay and drift.

use super::alignment::aligned;
use super::versions::{Clock, Random, at_clock};
use crate::support::songs::Song;

const RATE: u32 = 22_050;
const SECONDS: f64 = 15.0;
/// The number of frames that the other lacks at its end.
const SHORTER: usize = 4000;

/// A recording and a noisy version of it.
struct Noisy {
    reference: Vec<f32>,
    other: Vec<f32>,
    clock: Clock,
    /// The standard deviations of the best estimates of the delay in frames, and of the drift in ppm.
    bounds: [f64; 2],
}

impl Noisy {
    fn new(seed: u64, snr_db: f64, clock: Clock) -> Self {
        let mut random = Random::new(seed);
        let reference = Song::new(seed).samples(RATE, SECONDS);
        let clean = at_clock(&reference, clock, reference.len() - SHORTER);
        let power = clean.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / clean.len() as f64;
        let noise = power / 10f64.powf(snr_db / 10.0);
        let other: Vec<f32> = clean.iter().map(|x| x + (noise.sqrt() * random.normal()) as f32).collect();
        // In white noise the information of a delay is the energy of the derivative over the noise's power. The difference
        // over two frames is a little less than the derivative, so that the bounds are a little more.
        let squares: Vec<(f64, f64)> = clean
            .windows(3)
            .enumerate()
            .map(|(n, w)| (n as f64, (0.5 * f64::from(w[2] - w[0])).powi(2) / noise))
            .collect();
        let information: f64 = squares.iter().map(|(_, own)| own).sum();
        let middle = squares.iter().map(|(n, own)| n * own).sum::<f64>() / information;
        let moment: f64 = squares.iter().map(|(n, own)| (n - middle).powi(2) * own).sum();
        Self { reference, other, clock, bounds: [information.powf(-0.5), 1e6 * moment.powf(-0.5)] }
    }

    /// Returns the errors of the place of the middle in frames, and of the drift in ppm, and what the alignment says: the
    /// drift, the standard error in frames and the confidence.
    fn errors(&self) -> ([f64; 2], [f64; 3]) {
        let found = aligned(RATE, vec![self.reference.clone()], vec![self.other.clone()]).unwrap();
        let rate = f64::from(RATE);
        let drift = found.drift_ppm - (self.clock.slope - 1.0) * 1e6;
        let middle = self.reference.len() as f64 / 2.0;
        let off = found.offset_s * rate - self.clock.offset + drift * 1e-6 * middle;
        ([off, drift], [found.drift_ppm, found.error_s * rate, found.confidence])
    }
}

const RATIOS_DB: [f64; 4] = [20.0, 6.0, 1.5, -3.0];

#[test]
fn errors_reach_the_bound_and_no_drift_is_none() {
    for snr_db in RATIOS_DB {
        let mut ratios = Vec::new();
        for seed in 0..6 {
            let offset = Random::new(seed + 900).within(-3000.0, 3000.0).round() + 0.5;
            let noisy = Noisy::new(seed, snr_db, Clock { offset, slope: 1.0 });
            let ([off, _], [drift_ppm, error, confidence]) = noisy.errors();
            let what = format!("{snr_db} dB, {seed}: {off} frames, bound {:?}, said {error}", noisy.bounds);
            println!("{what}, confidence {confidence}, drift {drift_ppm}");
            assert_eq!(drift_ppm, 0.0, "{what}");
            assert!(off.abs() < 5.0 * noisy.bounds[0] + 1e-4, "{what}");
            // The stated error is right, and makes the confidence.
            assert!((0.5..3.0).contains(&(error / noisy.bounds[0])), "{what}");
            assert!(confidence > 0.9, "{what}, confidence {confidence}");
            ratios.push(off / noisy.bounds[0]);
        }
        let rms = (ratios.iter().map(|ratio| ratio * ratio).sum::<f64>() / ratios.len() as f64).sqrt();
        assert!(rms < 2.0, "{snr_db} dB: {rms} times the bound: {ratios:?}");
    }
}

#[test]
fn drifts_in_noise_are_found() {
    for snr_db in RATIOS_DB {
        for (seed, ppm) in [(1, 1.0), (2, -10.0), (3, 100.0), (4, -1.0), (5, 10.0)] {
            let noisy = Noisy::new(seed, snr_db, Clock { offset: -1234.3, slope: 1.0 + ppm * 1e-6 });
            let ([off, drift], [found_ppm, _, confidence]) = noisy.errors();
            let what = format!("{snr_db} dB, {ppm} ppm: {off} frames, {drift} ppm off, bounds {:?}", noisy.bounds);
            println!("{what}, confidence {confidence}");
            assert!(found_ppm != 0.0 && drift.abs() < 5.0 * noisy.bounds[1] + 1e-3, "{what}");
            assert!(off.abs() < 5.0 * noisy.bounds[0] + 1e-4, "{what}");
            assert!(confidence > 0.9, "{what}, confidence {confidence}");
        }
    }
}

#[test]
fn whole_frames_in_noise_are_whole() {
    for snr_db in RATIOS_DB {
        for seed in 10..14 {
            let offset = Random::new(seed).within(-3000.0, 3000.0).round();
            let ([off, _], [drift_ppm, ..]) = Noisy::new(seed, snr_db, Clock { offset, slope: 1.0 }).errors();
            assert_eq!((drift_ppm, off.abs() < 1e-6), (0.0, true), "{snr_db} dB, {seed}: {off}");
        }
    }
}

#[test]
fn a_dull_recording_in_noise_is_not_sure() {
    // Nothing above some hundred hertz, far below the noise: the place is known to a frame or so.
    let mut random = Random::new(3);
    let mut low = [0.0; 3];
    let reference: Vec<f32> = (0..6 * RATE as usize)
        .map(|_| {
            let mut x = random.normal();
            for state in &mut low {
                *state += 0.02 * (x - *state);
                x = *state;
            }
            x as f32
        })
        .collect();
    let level = (reference.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / reference.len() as f64).sqrt();
    let other = reference[500..].iter().map(|x| x + (8.0 * level * random.normal()) as f32).collect();
    if let Ok(found) = aligned(RATE, vec![reference], vec![other]) {
        assert!(found.confidence < 0.7, "{found:?}");
    }
}
