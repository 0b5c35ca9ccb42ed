//! The rate conversion of Codec-SUPERB's signals.

use std::f64::consts::PI;

use crate::compare::polyphase::greatest_common;
use base::units::SampleRate;

/// Periods of the lower rate on either side of a tap, and where the pass band ends.
const PERIODS: f64 = 24.0;
const ROLL_OFF: f64 = 0.945;

/// Converts as the package `julius` does, which that program uses: by a sinc under a squared cosine, whose taps sum to
/// 1 for each phase. The first and the last sample are repeated beyond the ends.
pub(in crate::compare) fn at_rate(samples: &[f32], rate: SampleRate, to_hz: u32) -> Vec<f64> {
    let common = greatest_common(rate.hz(), to_hz);
    let (old, new) = ((rate.hz() / common) as usize, (to_hz / common) as usize);
    let Some((&first, &last)) = samples.first().zip(samples.last()) else { return Vec::new() };
    if old == new {
        return samples.iter().map(|&x| f64::from(x)).collect();
    }
    let lower = old.min(new) as f64 * ROLL_OFF;
    let width = (PERIODS * old as f64 / lower).ceil() as i64;
    let taps = |phase: usize| -> Vec<f64> {
        let tap = |at: i64| {
            let t = ((at as f64 / old as f64 - phase as f64 / new as f64) * lower).clamp(-PERIODS, PERIODS);
            let sinc = if t == 0.0 { 1.0 } else { (PI * t).sin() / (PI * t) };
            sinc * (PI * t / PERIODS / 2.0).cos().powi(2)
        };
        let taps: Vec<f64> = (-width..width + old as i64).map(tap).collect();
        let sum: f64 = taps.iter().sum();
        taps.into_iter().map(|tap| tap / sum).collect()
    };
    let phases: Vec<Vec<f64>> = (0..new).map(taps).collect();
    let at = |place: i64| match usize::try_from(place) {
        Ok(place) => f64::from(samples.get(place).copied().unwrap_or(last)),
        Err(_) => f64::from(first),
    };
    let value = |n: usize| {
        let start = (n / new * old) as i64 - width;
        phases[n % new].iter().enumerate().map(|(tap, weight)| weight * at(start + tap as i64)).sum()
    };
    (0..samples.len() * new / old).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_tone_is_kept() {
        let samples: Vec<f32> = (0..8820).map(|n| (0.05 * n as f32).sin()).collect();
        let found = at_rate(&samples, SampleRate::new(44_100).unwrap(), 16_000);
        assert_eq!(found.len(), 3200);
        let expected = |n: usize| (0.05 * n as f64 * 44_100.0 / 16_000.0).sin();
        assert!((200..3000).all(|n| (found[n] - expected(n)).abs() < 1e-3));
    }
}
