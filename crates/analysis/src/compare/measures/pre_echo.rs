//! Pre-echo: sound before attacks that the reference does not have there.

use super::curve::{Curve, Point};
use super::frame_ratios::{SILENT_REFERENCE, Sums, of_tenths, step};
use super::{Direction, Measure, Outcome, OverTime, Reading};

pub(super) const SPEC: Measure = Measure {
    name: "pre_echo",
    title: "Pre-echo",
    unit: "dB",
    direction: Direction::Lower,
    range: "-120 and above",
    definition: "10 log10(mean over attacks of p / a), p the mean of (o - g r)^2 from 25 to 5 ms before the attack, a the \
                 mean of r^2 in the 20 ms after it, times g^2, g = sum r o / sum r^2; an attack is where the 20 ms after a \
                 millisecond are at least 15 dB above the 30 ms before it (and above -50 dB re the loudest 20 ms), by most \
                 within 50 ms on either side",
    source: "this program; masking before attacks as in E. Zwicker and H. Fastl, \"Psychoacoustics\", 1999, 4.4",
    decimals: 2,
    needs_alignment: true,
    over_time: Some(OverTime { unit: "dB", definition: "of the worst attack in each tenth of a second" }),
    compute: |pair, curves, _| {
        Reading::of_channels(pair, |reference, other| {
            let millisecond = ((pair.rate.as_f64() / 1000.0).round() as usize).max(1);
            let found = match ratios(reference, other, millisecond) {
                Ok(found) => found,
                Err(reason) => return Ok((Outcome::Missing(reason.to_owned()), None)),
            };
            let mean = found.iter().map(|attack| attack.ratio).sum::<f64>() / found.len() as f64;
            let curve = || -> Curve {
                let tenth = step(pair.rate);
                let mut points: Vec<Point> = vec![Err("no attack here"); reference.len().div_ceil(tenth)];
                for attack in &found {
                    let point = &mut points[attack.frame / tenth];
                    *point = Ok(level_db(attack.ratio).max(point.unwrap_or(f64::NEG_INFINITY)));
                }
                of_tenths(pair.rate, points)
            };
            Ok((Outcome::Value(level_db(mean)), curves.then(curve)))
        })
    },
};

/// Milliseconds after an attack, before it, and those of the pre-echo.
const AFTER: usize = 20;
const BEFORE: usize = 30;
const ECHO: std::ops::Range<usize> = 5..25;
/// How much louder the milliseconds after an attack are, as a ratio of energies: 15 dB.
const RISE: f64 = 31.622_776_601_683_793;
/// Added to the energy before an attack, relative to the loudest (-50 dB), so that quieter attacks do not count.
const FLOOR: f64 = 1e-5;
/// The minimum distance between attacks, in milliseconds.
const APART: usize = 50;
/// The minimum level.
const LEAST_DB: f64 = -120.0;

struct Attack {
    frame: usize,
    /// The energy before it over that after it.
    ratio: f64,
}

fn level_db(ratio: f64) -> f64 {
    (10.0 * ratio.log10()).max(LEAST_DB)
}

fn ratios(reference: &[f32], other: &[f32], millisecond: usize) -> std::result::Result<Vec<Attack>, &'static str> {
    let sums = Sums::of(reference, other);
    if sums.reference == 0.0 {
        return Err(SILENT_REFERENCE);
    }
    let gain = sums.product / sums.reference;
    if gain == 0.0 {
        return Err("the two have nothing in common");
    }
    let energies = |value: &dyn Fn(usize) -> f64| -> Vec<f64> {
        let parts = (0..reference.len() / millisecond).map(|part| part * millisecond);
        running(parts.map(|start| (start..start + millisecond).map(value).sum::<f64>()))
    };
    let signal = energies(&|n| f64::from(reference[n]).powi(2));
    let rest = energies(&|n| (f64::from(other[n]) - gain * f64::from(reference[n])).powi(2));
    let mean = |of: &[f64], range: std::ops::Range<usize>| (of[range.end] - of[range.start]) / range.len() as f64;
    let last = signal.len() - 1;
    if last < BEFORE + AFTER {
        return Err("shorter than 50 ms");
    }
    let loudest = (0..=last - AFTER).map(|at| mean(&signal, at..at + AFTER)).fold(0.0, f64::max);
    let rise = |at: usize| mean(&signal, at..at + AFTER) / (mean(&signal, at - BEFORE..at) + FLOOR * loudest);
    let places = BEFORE..last - AFTER + 1;
    let rises: Vec<f64> = places.clone().map(rise).collect();
    let is_attack = |&at: &usize| {
        let here = rises[at - places.start];
        let near = at.saturating_sub(APART).max(places.start)..(at + APART + 1).min(places.end);
        let highest = near.map(|at| (rises[at - places.start], at)).reduce(|a, b| if b.0 > a.0 { b } else { a });
        here >= RISE && highest.is_some_and(|(_, highest)| highest == at)
    };
    let attack = |at: usize| {
        let before = mean(&rest, at - ECHO.end..at - ECHO.start);
        Attack { frame: at * millisecond, ratio: before / (mean(&signal, at..at + AFTER) * gain * gain) }
    };
    let found: Vec<Attack> = places.clone().filter(is_attack).map(attack).collect();
    if found.is_empty() { Err("the reference has no attack") } else { Ok(found) }
}

/// Returns 0 and the sums of all beginnings.
fn running(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sum = 0.0;
    let after = values.map(|value| {
        sum += value;
        sum
    });
    std::iter::once(0.0).chain(after.collect::<Vec<f64>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::noise::noise;

    /// Bursts of noise that begin at 200, 500 and 800 ms, at 44 frames to a millisecond.
    fn bursts() -> (Vec<f32>, [usize; 3]) {
        let starts = [200, 500, 800].map(|ms| ms * 44);
        let mut out = vec![0.0f32; 1000 * 44];
        for (index, &start) in starts.iter().enumerate() {
            for (n, x) in noise(index as u64 + 1, 4400).into_iter().enumerate() {
                out[start + n] = x * (-(n as f32) / 2000.0).exp();
            }
        }
        (out, starts)
    }

    #[test]
    fn what_is_put_before_attacks_is_measured() {
        let (reference, starts) = bursts();
        let clean = ratios(&reference, &reference, 44).unwrap();
        assert_eq!(clean.iter().map(|attack| attack.frame).collect::<Vec<_>>(), starts);
        assert!(clean.iter().all(|attack| level_db(attack.ratio) == LEAST_DB));
        let mut other: Vec<f32> = reference.iter().map(|x| 0.5 * x).collect();
        for start in starts {
            other[start - 30 * 44..start].iter_mut().for_each(|x| *x += 0.01);
        }
        for attack in ratios(&reference, &other, 44).unwrap() {
            let after: f64 = reference[attack.frame..][..20 * 44].iter().map(|x| f64::from(*x).powi(2)).sum();
            let expected = 10.0 * (1e-4 / (0.25 * after / 880.0)).log10();
            assert!((level_db(attack.ratio) - expected).abs() < 0.01, "{} {expected}", level_db(attack.ratio));
        }
        // After the attack it is no pre-echo.
        let mut late = reference.clone();
        starts.iter().for_each(|start| late[start + 2200] += 0.3);
        assert!(ratios(&reference, &late, 44).unwrap().iter().all(|attack| level_db(attack.ratio) < -60.0));
    }

    #[test]
    fn a_steady_sound_has_no_attack() {
        let steady = noise(9, 44_000);
        assert!(ratios(&steady, &steady, 44).is_err());
        assert!(ratios(&steady[..1000], &steady[..1000], 44).is_err());
        assert!(ratios(&[0.0; 44_000], &steady, 44).is_err());
    }
}
