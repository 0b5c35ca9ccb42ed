//! The limiter of live sound.

/// The ceiling, -1 dB below full scale.
const CEILING: f32 = 0.891_250_9;
/// The time in which the gain recovers to 1 - 1/e, in seconds.
const RELEASE_S: f32 = 0.1;
/// A gain this near 1 is 1.
const RECOVERED: f32 = 0.999;

/// A peak limiter without latency: the gain falls with the very frame that is too loud and recovers exponentially.
/// Quieter sound keeps every bit.
#[derive(Debug)]
pub(super) struct Limiter {
    gain: f32,
    release: f32,
}

impl Limiter {
    pub fn new(rate: u32) -> Self {
        Self { gain: 1.0, release: 1.0 - (-1.0 / (RELEASE_S * rate as f32)).exp() }
    }

    /// Returns the gain of a frame.
    pub fn gain(&mut self, frame: &[f32]) -> f32 {
        let peak = frame.iter().fold(0f32, |peak, sample| peak.max(sample.abs()));
        let allowed = if peak > CEILING { CEILING / peak } else { 1.0 };
        let recovered = self.gain + (1.0 - self.gain) * self.release;
        self.gain = allowed.min(if recovered > RECOVERED { 1.0 } else { recovered });
        self.gain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_passes_the_ceiling_and_what_is_below_is_untouched() {
        let mut limiter = Limiter::new(48_000);
        assert_eq!(limiter.gain(&[0.89, -0.5]), 1.0);
        for n in 0..10_000 {
            let frame = [3.0 * (n as f32 * 0.05).sin(), 0.2];
            assert!((frame[0] * limiter.gain(&frame)).abs() <= CEILING + 1e-6);
        }
        assert!(limiter.gain(&[0.1, 0.1]) < 0.5, "it recovers slowly");
        for _ in 0..48_000 {
            limiter.gain(&[0.1, 0.1]);
        }
        assert_eq!(limiter.gain(&[0.1, 0.1]), 1.0);
    }
}
