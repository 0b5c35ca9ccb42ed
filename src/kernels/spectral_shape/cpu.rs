//! Computes shapes on the CPU. Adds sums of eight f32 values in f64.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use super::plan::Band;
use super::{BANDS, ROLLOFF_SHARE, ShapePlan, SpectralShape};
use crate::kernels::stft::Spectra;
use crate::simd::{Lanes, Simd, Task};

/// Bins per chunk.
const CHUNK: usize = 64;
const LANES: usize = 8;
/// Products of mantissas above this are not multiplied further: another chunk's is below 2^64.
const LARGE: f64 = 1e280;

impl Band {
    #[inline(always)]
    fn power(&self, power: &[f32]) -> f64 {
        let (whole, rest) = power[self.whole.0..self.whole.1].as_chunks::<LANES>();
        let mut lanes = [0f64; LANES];
        for chunk in whole {
            for (sum, &p) in lanes.iter_mut().zip(chunk) {
                *sum += f64::from(p);
            }
        }
        let mut sum = total(lanes);
        for &p in rest {
            sum += f64::from(p);
        }
        for (bin, weight) in self.edges {
            sum += weight * f64::from(power[bin]);
        }
        sum
    }
}

/// Sums the lanes in a fixed order.
#[inline(always)]
fn total(l: [f64; LANES]) -> f64 {
    ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

impl ShapePlan {
    /// Computes the shapes of the windows from `first` on. The flux of window `first` compares with the window before
    /// it, if `spectra` has one.
    ///
    /// # Panics
    /// If the spectra have another number of bins.
    pub fn shapes(&self, spectra: &Spectra<f32>, first: usize) -> Vec<SpectralShape> {
        assert_eq!(spectra.bins, self.bins, "spectra of another transform");
        Simd::best().dispatch(Shapes { plan: self, spectra, first })
    }
}

struct Shapes<'a> {
    plan: &'a ShapePlan,
    spectra: &'a Spectra<f32>,
    first: usize,
}

impl Task for Shapes<'_> {
    type Output = Vec<SpectralShape>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<SpectralShape> {
        let Self { plan, spectra, first } = self;
        let chunks = plan.bins.div_ceil(CHUNK);
        let mut before = vec![[0f32; CHUNK]; chunks];
        let mut magnitudes = before.clone();
        let mut sums = vec![0f64; chunks];
        if let Some(previous) = first.checked_sub(1) {
            for (to, power) in before.iter_mut().zip(spectra.window(previous).chunks(CHUNK)) {
                for (to, p) in to.iter_mut().zip(power) {
                    *to = p.sqrt();
                }
            }
        }
        let mut shapes = Vec::with_capacity(spectra.windows() - first);
        for window in first..spectra.windows() {
            let mut shape = plan.shape(spectra.window(window), &before, &mut magnitudes, &mut sums);
            if window == 0 {
                shape.flux = 0.0;
            }
            shapes.push(shape);
            std::mem::swap(&mut before, &mut magnitudes);
        }
        shapes
    }
}

/// Sums over one chunk of bins.
struct Chunk {
    /// `sum M`, `sum i M` and `sum i^2 M` with `i` counted from the chunk's first bin.
    moments: [f64; 3],
    /// `prod max(P, floor)` as `product 2^exponent`, with a product below 2^64, and `sum max(P, floor)`.
    product: f64,
    exponent: i32,
    sum: f64,
    flux: f64,
}

impl ShapePlan {
    #[inline(always)]
    fn shape(
        &self,
        power: &[f32],
        before: &[[f32; CHUNK]],
        magnitudes: &mut [[f32; CHUNK]],
        sums: &mut [f64],
    ) -> SpectralShape {
        let floor = self.floor();
        let (mut moments, mut log, mut clamped, mut flux) = ([0f64; 3], 0.0, 0.0, 0.0);
        let (mut product, mut exponent) = (1.0_f64, 0_i64);
        let (whole, rest) = power.as_chunks::<CHUNK>();
        let mut last = [0f32; CHUNK];
        last[..rest.len()].copy_from_slice(rest);
        let chunks = whole.iter().chain((!rest.is_empty()).then_some(&last));
        for (index, power) in chunks.enumerate() {
            let chunk = chunk(power, floor, &before[index], &mut magnitudes[index]);
            let from = (index * CHUNK) as f64;
            let [m0, m1, m2] = chunk.moments;
            moments[0] += m0;
            moments[1] += m1 + from * m0;
            moments[2] += m2 + from * (2.0 * m1 + from * m0);
            sums[index] = m0;
            // One logarithm for many chunks.
            product *= chunk.product;
            exponent += i64::from(chunk.exponent);
            if product > LARGE {
                log += std::mem::replace(&mut product, 1.0).ln();
            }
            clamped += chunk.sum;
            flux += chunk.flux;
        }
        log += product.ln() + exponent as f64 * std::f64::consts::LN_2;
        // Removes the padding of the last chunk, which was counted as bins at the floor.
        let filled = (sums.len() * CHUNK - self.bins) as f64;
        let (count, floor) = (self.bins as f64, f64::from(floor));
        let flatness = ((log - filled * floor.ln()) / count).exp() / ((clamped - filled * floor) / count);
        let [m0, m1, m2] = moments;
        let (mut centroid, mut bandwidth, mut rolloff) = (0.0, 0.0, 0.0);
        if m0 != 0.0 {
            centroid = m1 / m0;
            bandwidth = (m2 / m0 - centroid * centroid).max(0.0).sqrt();
            rolloff = rolloff_bin(magnitudes, sums, ROLLOFF_SHARE * m0, self.bins) as f64;
            if m0.is_nan() {
                (bandwidth, rolloff) = (f64::NAN, f64::NAN);
            }
        }
        let mut bands = [0f32; BANDS];
        for (to, band) in bands.iter_mut().zip(&self.bands) {
            *to = band.power(power) as f32;
        }
        SpectralShape {
            centroid_hz: (centroid * self.hz_per_bin) as f32,
            bandwidth_hz: (bandwidth * self.hz_per_bin) as f32,
            rolloff_hz: (rolloff * self.hz_per_bin) as f32,
            flatness: flatness as f32,
            flux: flux as f32,
            bands,
        }
    }
}

#[inline(always)]
fn chunk(power: &[f32; CHUNK], floor: f32, before: &[f32; CHUNK], magnitudes: &mut [f32; CHUNK]) -> Chunk {
    for (m, p) in magnitudes.iter_mut().zip(power) {
        *m = p.sqrt();
    }
    let mut moments = [[0f32; LANES]; 3];
    let mut flux = [0f32; LANES];
    let mut place = [0f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    for (m, b) in magnitudes.as_chunks::<LANES>().0.iter().zip(before.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            let value = m[lane];
            moments[0][lane] += value;
            moments[1][lane] += place[lane] * value;
            moments[2][lane] += place[lane] * place[lane] * value;
            flux[lane] += (value - b[lane]).max(0.0);
        }
        for place in &mut place {
            *place += LANES as f32;
        }
    }
    // Mantissas and exponents separately: a product of eight mantissas stays below 256.
    let mut mantissas = [1f32; LANES];
    let mut exponents = [0i32; LANES];
    let mut sum = [0f32; LANES];
    for p in power.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            let value = if p[lane] < floor { floor } else { p[lane] };
            let bits = value.to_bits();
            exponents[lane] += (bits >> 23) as i32 - 127;
            mantissas[lane] *= f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000);
            sum[lane] += value;
        }
    }
    let exponent: i32 = exponents.iter().sum();
    let product: f64 = mantissas.iter().map(|&m| f64::from(m)).product();
    let [m0, m1, m2] = moments;
    let moments = [total_f32(m0), total_f32(m1), total_f32(m2)];
    Chunk { moments, product, exponent, sum: total_f32(sum), flux: total_f32(flux) }
}

// Not `array::map`: a closure is not compiled for the instruction set of its caller.
#[inline(always)]
fn total_f32(lanes: [f32; LANES]) -> f64 {
    let mut wide = [0f64; LANES];
    for (to, x) in wide.iter_mut().zip(lanes) {
        *to = f64::from(x);
    }
    total(wide)
}

/// Returns the first bin at which the sum of magnitudes reaches `threshold`.
#[inline(always)]
fn rolloff_bin(magnitudes: &[[f32; CHUNK]], sums: &[f64], threshold: f64, bins: usize) -> usize {
    let mut reached = 0.0;
    for (index, (chunk, sum)) in magnitudes.iter().zip(sums).enumerate() {
        if reached + sum >= threshold {
            for (bin, &m) in chunk.iter().enumerate() {
                reached += f64::from(m);
                if reached >= threshold {
                    return (index * CHUNK + bin).min(bins - 1);
                }
            }
        } else {
            reached += sum;
        }
    }
    bins - 1
}
