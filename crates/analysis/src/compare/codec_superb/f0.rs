//! The correlation of pitches as Codec-SUPERB computes it.

use super::dtw::warped;
use super::praat::pitches;
use base::error::Result;
use base::progress::Progress;

/// The rate that is assumed for every recording, and the time from one pitch to the next.
const RATE_HZ: f64 = 22_050.0;
const STEP_S: f64 = 256.0 / RATE_HZ;

/// Returns Pearson's correlation of the warped pitches in cents less their medians; `None` where that program fails.
pub(super) fn correlation(reference: &[f32], other: &[f32], progress: &Progress) -> Result<Option<f64>> {
    let one = |samples: &[f32]| pitches(samples, RATE_HZ, STEP_S, progress).map(|found| found.and_then(centred));
    let (reference, other) = rayon::join(|| one(reference), || one(other));
    let (Some(reference), Some(other)) = (reference?, other?) else { return Ok(None) };
    if reference.len().min(other.len()) <= 1 {
        return Ok(None);
    }
    Ok(Some(pearson(&warped(&reference, &other)?)).filter(|value| value.is_finite()))
}

/// Returns the cents of the voiced windows, less their median; `None` if no window is voiced.
fn centred(hz: Vec<f64>) -> Option<Vec<f64>> {
    let cents: Vec<f64> = hz.into_iter().filter(|&hz| hz > 0.0).map(|hz| 1200.0 * (hz / 440.0).log2()).collect();
    let mut sorted = cents.clone();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    let median = if sorted.len().is_multiple_of(2) { f64::midpoint(sorted[middle - 1], upper) } else { upper };
    Some(cents.into_iter().map(|cents| cents - median).collect())
}

fn pearson(pairs: &[[f64; 2]]) -> f64 {
    let count = pairs.len() as f64;
    let means = [0, 1].map(|of: usize| pairs.iter().map(|pair| pair[of]).sum::<f64>() / count);
    let (mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0);
    for pair in pairs {
        let (a, b) = (pair[0] - means[0], pair[1] - means[1]);
        aa += a * a;
        bb += b * b;
        ab += a * b;
    }
    ab / (aa * bb).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_fails_and_a_glide_correlates_with_itself() {
        let progress = Progress::new();
        assert_eq!(correlation(&[0.0; 30_000], &[0.0; 30_000], &progress).unwrap(), None);
        assert_eq!(correlation(&[], &[0.5], &progress).unwrap(), None);
        let glide: Vec<f32> = (0..40_000)
            .map(|n| {
                let t = f64::from(n) / RATE_HZ;
                let phase = std::f64::consts::TAU * (150.0 * t + 30.0 * t * t);
                (0.3 * (phase.sin() + 0.5 * (2.0 * phase).sin())) as f32
            })
            .collect();
        let same = correlation(&glide, &glide, &progress).unwrap().unwrap();
        assert!((same - 1.0).abs() < 1e-9, "{same}");
    }

    #[test]
    fn the_median_is_taken_off() {
        assert_eq!(centred(vec![0.0, 220.0, 440.0, 880.0]), Some(vec![-1200.0, 0.0, 1200.0]));
        assert_eq!(centred(vec![0.0]), None);
    }
}
