//! Random numbers and noise from a seed.

/// xorshift64 (Marsaglia, 2003).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    /// A number in 0..1.
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Noise with a standard deviation of 1, nearly normal.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

/// White noise that ends gradually at 0.42 of the rate, as recordings do.
pub fn soft_noise(random: &mut Random, frames: usize) -> Vec<f32> {
    let white: Vec<f64> = (0..frames + 2).map(|_| 0.2 * random.normal()).collect();
    white.windows(3).map(|w| (0.25 * w[0] + 0.5 * w[1] + 0.25 * w[2]) as f32).collect()
}
