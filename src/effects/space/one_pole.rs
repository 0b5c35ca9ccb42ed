//! First-order low-pass and high-pass of a loop, Butterworth of order 1.

use super::clocked::{Values, decayed};

/// A low-pass and a high-pass in series. Either may be absent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LoopFilter {
    low: Option<OnePole>,
    high: Option<OnePole>,
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
    /// `min_hz`, and at or above half the rate.
    pub fn new(lowpass_hz: f64, highpass_hz: f64, min_hz: f64, rate: f64) -> Self {
        let inside = |hz: f64| hz < 0.5 * rate;
        Self {
            low: inside(lowpass_hz).then(|| OnePole::new(lowpass_hz, rate)),
            high: (highpass_hz > min_hz && inside(highpass_hz)).then(|| OnePole::new(highpass_hz, rate)),
        }
    }

    /// Filters in place.
    pub fn run(&mut self, samples: &mut [f32]) {
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
