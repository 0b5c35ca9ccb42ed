//! The stereo image: the correlation of two channels and the points of a goniometer.

/// The time constant of the correlation, in seconds.
const TIME_CONSTANT_S: f64 = 0.3;
/// The mean power of a channel below which there is nothing to compare (-90 dB).
const MIN_POWER: f64 = 1e-9;

/// The correlation of two channels, exponentially weighted with a time constant of 0.3 s.
#[derive(Clone, Debug, Default)]
pub struct Correlation {
    left_right: f64,
    left: f64,
    right: f64,
}

impl Correlation {
    /// Adds samples of both channels at a rate of `rate_hz`.
    pub fn add(&mut self, left: &[f32], right: &[f32], rate_hz: f64) {
        let keep = (-1.0 / (TIME_CONSTANT_S * rate_hz)).exp();
        let take = 1.0 - keep;
        for (&l, &r) in left.iter().zip(right).filter(|(l, r)| l.is_finite() && r.is_finite()) {
            let (l, r) = (f64::from(l), f64::from(r));
            self.left_right = keep * self.left_right + take * l * r;
            self.left = keep * self.left + take * l * l;
            self.right = keep * self.right + take * r * r;
        }
    }

    /// Returns the correlation, from -1 (opposite polarity) through 0 (unrelated) to 1 (identical); `None` while a
    /// channel is silent.
    pub fn value(&self) -> Option<f64> {
        let heard = self.left > MIN_POWER && self.right > MIN_POWER;
        heard.then(|| (self.left_right / (self.left * self.right).sqrt()).clamp(-1.0, 1.0))
    }
}

/// Returns the position `[side, mid]` of a sample pair on a goniometer. Equal channels lie on the vertical, channels of
/// opposite polarity on the horizontal, and the left channel alone on the diagonal to the upper left. Equal full-scale
/// channels reach 1.
pub fn goniometer(left: f32, right: f32) -> [f32; 2] {
    [0.5 * (right - left), 0.5 * (left + right)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(seed: u64) -> Vec<f32> {
        let mut state = seed;
        (0..96_000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f32 / (1 << 23) as f32 - 1.0
            })
            .collect()
    }

    fn correlation(left: &[f32], right: &[f32]) -> Option<f64> {
        let mut found = Correlation::default();
        found.add(left, right, 48_000.0);
        found.value()
    }

    #[test]
    fn identical_inverted_and_independent_channels() {
        let (one, other) = (noise(1), noise(0x9E37_79B9_7F4A_7C15));
        let inverted: Vec<f32> = one.iter().map(|x| -0.3 * x).collect();
        assert!((correlation(&one, &one).unwrap() - 1.0).abs() < 1e-9);
        assert!((correlation(&one, &inverted).unwrap() + 1.0).abs() < 1e-6, "whatever their levels");
        assert!(correlation(&one, &other).unwrap().abs() < 0.05, "{:?}", correlation(&one, &other));
        let half: Vec<f32> = one.iter().zip(&other).map(|(a, b)| a + b).collect();
        assert!((correlation(&one, &half).unwrap() - 0.5f64.sqrt()).abs() < 0.05);
    }

    #[test]
    fn silence_in_a_channel_has_none_and_damage_does_not_stick() {
        let one = noise(1);
        assert_eq!(correlation(&one, &vec![0.0; one.len()]), None);
        assert_eq!(correlation(&[], &[]), None);
        let mut damaged = one.clone();
        damaged[5] = f32::NAN;
        assert!((correlation(&damaged, &one).unwrap() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_goniometer_is_rotated_by_45_degrees() {
        assert_eq!(goniometer(1.0, 1.0), [0.0, 1.0], "mono stands upright");
        assert_eq!(goniometer(1.0, -1.0), [-1.0, 0.0], "opposite phase lies down");
        assert_eq!(goniometer(1.0, 0.0), [-0.5, 0.5], "left alone points up and left");
        assert_eq!(goniometer(0.0, 1.0), [0.5, 0.5]);
    }
}
