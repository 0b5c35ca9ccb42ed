//! First-order low-pass and high-pass of a loop, Butterworth of order 1.

use super::clocked::{Values, decayed};

/// A low-pass and a high-pass in series. Either may be absent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LoopFilter {
    low: Option<OnePole>,
    high: Option<OnePole>,
    /// Whether the high-pass lets nothing through.
    is_shut: bool,
}

/// A first-order state-variable filter: `g = tan(pi f / rate)`, `g1 = g / (1 + g)`.
#[derive(Clone, Copy, Debug)]
struct OnePole {
    g1: f64,
    s: f64,
}

impl OnePole {
    fn new(cutoff_hz: f64, rate: f64) -> Self {
        let g = (std::f64::consts::PI * cutoff_hz / rate).tan();
        Self { g1: g / (1.0 + g), s: 0.0 }
    }

    #[inline]
    fn low(&mut self, x: f64) -> f64 {
        let v = (x - self.s) * self.g1;
        let low = v + self.s;
        self.s = low + v;
        low
    }
}

impl LoopFilter {
    /// Creates the filter. The low-pass is absent at or above half the rate. The high-pass is absent at or below
    /// `min_hz`; at or above half the rate, where its response tends to 0 at all frequencies, nothing passes.
    pub fn new(lowpass_hz: f64, highpass_hz: f64, min_hz: f64, rate: f64) -> Self {
        let inside = |hz: f64| hz < 0.5 * rate;
        Self {
            low: inside(lowpass_hz).then(|| OnePole::new(lowpass_hz, rate)),
            high: (highpass_hz > min_hz && inside(highpass_hz)).then(|| OnePole::new(highpass_hz, rate)),
            is_shut: !inside(highpass_hz),
        }
    }

    /// Filters in place.
    pub fn run(&mut self, samples: &mut [f32]) {
        if self.is_shut {
            samples.fill(0.0);
            return;
        }
        if let Some(pole) = &mut self.low {
            for sample in samples.iter_mut() {
                *sample = pole.low(f64::from(*sample)) as f32;
            }
            pole.s = decayed(pole.s);
        }
        if let Some(pole) = &mut self.high {
            for sample in samples.iter_mut() {
                let x = f64::from(*sample);
                *sample = (x - pole.low(x)) as f32;
            }
            pole.s = decayed(pole.s);
        }
    }

    pub fn clear(&mut self) {
        self.poles().for_each(|pole| pole.s = 0.0);
    }

    fn poles(&mut self) -> impl Iterator<Item = &mut OnePole> {
        self.low.iter_mut().chain(&mut self.high)
    }

    /// Appends both states, 0 for an absent filter.
    pub fn give(&self, to: &mut Vec<f64>) {
        to.extend([self.low, self.high].map(|pole| pole.map_or(0.0, |pole| pole.s)));
    }

    pub fn take(&mut self, from: &mut Values<'_>) -> Option<()> {
        let [low, high] = from.some(2)?.try_into().ok()?;
        for (pole, state) in [(&mut self.low, low), (&mut self.high, high)] {
            if let Some(pole) = pole {
                pole.s = state;
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The level of a tone of a quarter of the rate behind a filter, in relation to that before it.
    fn level(highpass_hz: f64) -> f64 {
        let mut filter = LoopFilter::new(48_000.0, highpass_hz, 0.1, 48_000.0);
        let mut tone: Vec<f32> = [1.0, 0.0, -1.0, 0.0].repeat(2000);
        filter.run(&mut tone);
        tone[4000..].iter().map(|sample| f64::from(*sample).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn a_higher_highpass_lets_less_through_beyond_half_the_rate_too() {
        let cutoffs = [0.1, 100.0, 5000.0, 12_000.0, 20_000.0, 23_000.0, 23_999.0, 24_000.0, 48_000.0, 384_000.0];
        let levels = cutoffs.map(level);
        assert!(levels.windows(2).all(|pair| pair[1] <= pair[0]), "{levels:?}");
        assert!((levels[0] - 1.0).abs() < 1e-6 && levels[6] < 1e-3 && levels[7..] == [0.0; 3], "{levels:?}");
    }
}
