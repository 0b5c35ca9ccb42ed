//! The decay time of recursions.

use dsp::design::Svf;

/// Returns the number of frames until the slowest pole of a section has decayed by `attenuation_db` (negative), or
/// `u64::MAX` for a pole that never decays.
///
/// The poles are those of `s^2 + k s + 1` under the bilinear map `z = (1 + g s)/(1 - g s)`. Computing them from `g` and
/// `k` rather than from `a` keeps precision at very low cutoffs.
pub fn decay_frames(svf: &Svf, attenuation_db: f64) -> u64 {
    let decades = -attenuation_db / 20.0 * std::f64::consts::LN_10;
    let (g, k) = (svf.g, svf.k);
    // `ln |z|` of the slowest pole, negative when it decays.
    let ln_radius = if k * k < 4.0 {
        // A conjugate pair on `|s| = 1` with real part `-k/2`: `|z|^2 = (1 - g k + g^2)/(1 + g k + g^2)`.
        0.5 * (-2.0 * g * k / (1.0 + g * k + g * g)).ln_1p()
    } else {
        // Two real poles with product 1. The slow one is the pole nearer to 0 on the s plane, or, mirrored at `g s =
        // -1`, the one nearer to Nyquist.
        let root = (k * k - 4.0).sqrt();
        let far = -f64::midpoint(k, root);
        [1.0 / far, far]
            .into_iter()
            .map(|s| {
                let x = g * s;
                // `|1 + x|/|1 - x|` with `x < 0`.
                if x > -1.0 { (2.0 * x / (1.0 - x)).ln_1p() } else { (-2.0 / (1.0 - x)).ln_1p() }
            })
            .fold(f64::NEG_INFINITY, f64::max)
    };
    if ln_radius < 0.0 { (decades / -ln_radius).ceil().min(u64::MAX as f64) as u64 } else { u64::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the section on an impulse and returns when its state stays below the threshold.
    fn measured(svf: &Svf, below: f64) -> u64 {
        let a1 = 1.0 / (1.0 + svf.g * (svf.g + svf.k));
        let (mut s1, mut s2) = (1.0f64, 1.0f64);
        let mut last = 0;
        for frame in 0..200_000u64 {
            let v1 = a1 * (s1 - svf.g * s2);
            let v2 = s2 + svf.g * v1;
            (s1, s2) = (2.0 * v1 - s1, 2.0 * v2 - s2);
            if s1.abs().max(s2.abs()) > below {
                last = frame;
            }
        }
        last
    }

    #[test]
    fn the_predicted_decay_is_the_simulated_one() {
        for (g, k) in [(0.01, 1.414), (0.3, 0.01), (0.002, 5.0), (3.0, 0.5), (30.0, 6.0), (1.0, 2.0)] {
            let svf = Svf { g, k, m: [0.0, 0.0, 1.0] };
            let predicted = decay_frames(&svf, -120.0) as f64;
            let simulated = measured(&svf, 1e-6) as f64;
            // Residues (and the extra factor of a double pole) shift the result by a fraction of the whole decay.
            assert!((predicted - simulated).abs() <= 0.35 * simulated + 8.0, "g {g} k {k}: {predicted} {simulated}");
        }
    }

    #[test]
    fn an_undamped_pole_never_decays() {
        assert_eq!(decay_frames(&Svf { g: 0.1, k: 0.0, m: [1.0, 0.0, 0.0] }, -120.0), u64::MAX);
    }
}
