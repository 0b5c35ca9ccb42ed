//! The phase of a constant frequency, without drift.

use base::units::SampleRate;

/// The frames over which the phase is advanced by addition, counted from an exact phase.
const STRIDE: u64 = 1024;

/// The phase of a constant frequency that begins at 0.
#[derive(Clone, Copy, Debug)]
pub struct Oscillator {
    frequency_hz: f64,
    rate: f64,
}

impl Oscillator {
    /// Creates an oscillator.
    pub fn new(frequency_hz: f64, rate: SampleRate) -> Self {
        Self { frequency_hz, rate: rate.as_f64() }
    }

    /// Returns the phase of a frame in cycles, in `0.0..1.0`, to within some 1e-16 for frames below 2^53.
    ///
    /// The product of frame and frequency is the exact sum of two f64 (Dekker, "A floating-point technique for extending
    /// the available precision", 1971, here with a fused multiply-add). Its remainder by the sample rate is exact too.
    pub fn cycles(self, frame: u64) -> f64 {
        let frame = frame as f64;
        let high = frame * self.frequency_hz;
        let low = frame.mul_add(self.frequency_hz, -high);
        let cycles = ((high % self.rate) + (low % self.rate)) / self.rate;
        cycles - cycles.floor()
    }

    /// Calls `sample` with the phase of each frame from `start` on, in cycles, and stores what it returns. The phase may
    /// exceed 1. It is exact at multiples of [`STRIDE`] and within 1e-12 between them, and depends only on the frame.
    pub fn fill(self, start: u64, out: &mut [f32], mut sample: impl FnMut(f64) -> f64) {
        let increment = self.frequency_hz / self.rate;
        let mut frame = start;
        let mut rest = out;
        while !rest.is_empty() {
            let offset = frame % STRIDE;
            let count = ((STRIDE - offset) as usize).min(rest.len());
            let base = self.cycles(frame - offset);
            let (now, after) = rest.split_at_mut(count);
            for (index, value) in now.iter_mut().enumerate() {
                *value = sample(base + (offset + index as u64) as f64 * increment) as f32;
            }
            rest = after;
            frame += count as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_phase_is_exact_after_days() {
        // Frequencies in multiples of 2^-10 Hz, so that integers give the exact phase.
        for (numerator, rate) in [(450_688u128, 48_000u128), (24_063_999, 48_000), (1, 44_100), (20_479_999, 768_000)] {
            let hz = numerator as f64 / 1024.0;
            let oscillator = Oscillator::new(hz, SampleRate::new(rate as u32).unwrap());
            for frame in [0u128, 1, 1023, 1024, 172_799_999, 172_800_000, 464_486_400_001] {
                let turn = rate * 1024;
                let expected = (frame * numerator % turn) as f64 / turn as f64;
                let mut out = [0.0];
                let mut stepped = 0.0;
                oscillator.fill(frame as u64, &mut out, |cycles| {
                    stepped = cycles;
                    0.0
                });
                for got in [oscillator.cycles(frame as u64), stepped] {
                    let error = got - expected;
                    assert!((error - error.round()).abs() < 1e-12, "{hz} Hz, frame {frame}: {got}, not {expected}");
                }
            }
        }
    }
}
