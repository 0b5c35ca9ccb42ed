//! A histogram of sample magnitudes: percentiles in bounded memory, in one pass.
//!
//! Magnitudes in f32 have the same order as their bits. Each octave (from one power of two to the next) is divided into
//! 4096 bins of equal width, so a percentile is accurate to 1/4096, or 0.002 dB. Within a bin it is interpolated by
//! rank, which is more accurate still. Bins are allocated only for octaves that occur.

/// The mantissa bits that select a bin.
const MANTISSA_BITS: u32 = 12;
const BINS: usize = 1 << MANTISSA_BITS;
/// Octaves of f32, including the one of infinities and `NaN`.
const OCTAVES: usize = 256;

/// A histogram of magnitudes.
#[derive(Clone, Debug)]
pub struct Magnitudes {
    octaves: Vec<Option<Box<[u64]>>>,
    count: u64,
}

impl Default for Magnitudes {
    fn default() -> Self {
        Self { octaves: vec![None; OCTAVES], count: 0 }
    }
}

impl Magnitudes {
    /// Counts samples. `NaN` ranks above all other values.
    pub fn add(&mut self, samples: &[f32]) {
        for sample in samples {
            let bits = sample.to_bits() & 0x7fff_ffff;
            let bins = self.octaves[(bits >> 23) as usize].get_or_insert_with(|| vec![0; BINS].into());
            bins[(bits >> (23 - MANTISSA_BITS)) as usize % BINS] += 1;
        }
        self.count += samples.len() as u64;
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for (octave, other) in self.octaves.iter_mut().zip(&other.octaves) {
            let Some(other) = other else { continue };
            let bins = octave.get_or_insert_with(|| vec![0; BINS].into());
            bins.iter_mut().zip(other).for_each(|(count, other)| *count += other);
        }
        self.count += other.count;
    }

    /// Returns the magnitude that the share `share` (0..=1) of all samples does not exceed; 0 if there are no samples.
    /// It interpolates between the two ranks around `share (count - 1)`, as `NumPy` and R do by default, each known to
    /// the width of a bin.
    pub fn percentile(&self, share: f64) -> f64 {
        let rank = share.clamp(0.0, 1.0) * self.count.saturating_sub(1) as f64;
        let (lower, part) = (rank.floor() as u64, rank.fract());
        let low = self.of_rank(lower);
        if part == 0.0 { low } else { low + part * (self.of_rank(lower + 1) - low) }
    }

    /// Returns the magnitude of a rank, counted from 0, interpolated within its bin.
    fn of_rank(&self, rank: u64) -> f64 {
        let mut before = 0u64;
        for (octave, bins) in self.octaves.iter().enumerate() {
            for (bin, count) in bins.iter().flat_map(|bins| bins.iter().enumerate()).filter(|(_, count)| **count > 0) {
                if rank < before + count {
                    // The first bin holds digital silence, which is exactly 0.
                    if octave == 0 && bin == 0 {
                        return 0.0;
                    }
                    // The bin after the last of an octave is the first of the next.
                    let edge = |bin: usize| {
                        f64::from(f32::from_bits((((octave << MANTISSA_BITS) + bin) << (23 - MANTISSA_BITS)) as u32))
                    };
                    let place = (rank - before) as f64 + 0.5;
                    return edge(bin) + (edge(bin + 1) - edge(bin)) * place / *count as f64;
                }
                before += count;
            }
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_sorted_magnitudes() {
        let samples: Vec<f32> = (0..50_000u32).map(|n| (n as f32 * 0.7).sin() * (n % 977) as f32 / 977.0).collect();
        let mut sorted: Vec<f64> = samples.iter().map(|x| f64::from(x.abs())).collect();
        sorted.sort_by(f64::total_cmp);
        let mut magnitudes = Magnitudes::default();
        let (mut first, mut second) = (Magnitudes::default(), Magnitudes::default());
        magnitudes.add(&samples);
        first.add(&samples[..123]);
        second.add(&samples[123..]);
        first.merge(&second);
        for share in [0.01, 0.5, 0.9, 0.99, 0.9999, 1.0] {
            let rank = share * 49_999.0_f64;
            let (low, high) = (sorted[rank.floor() as usize], sorted[rank.ceil() as usize]);
            let expected = low + rank.fract() * (high - low);
            let got = magnitudes.percentile(share);
            assert!((got / expected - 1.0).abs() < 5e-4, "{share}: {got} for {expected}");
            assert_eq!(first.percentile(share), got);
        }
    }

    #[test]
    fn nothing_silence_and_constants() {
        let mut magnitudes = Magnitudes::default();
        assert_eq!(magnitudes.percentile(0.9), 0.0);
        magnitudes.add(&[0.0, -0.0, 0.0]);
        assert_eq!(magnitudes.percentile(1.0), 0.0);
        magnitudes.add(&[-0.5; 97]);
        assert!((magnitudes.percentile(0.95) / 0.5 - 1.0).abs() < 2.5e-4);
        magnitudes.add(&[f32::NAN]);
        assert!(!magnitudes.percentile(1.0).is_finite());
    }
}
