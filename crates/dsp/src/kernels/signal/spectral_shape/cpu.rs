//! Computes shapes on the CPU. Adds sums of eight f32 values in f64.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

use super::plan::Band;
use super::{BANDS, ROLLOFF_SHARE, ShapePlan, SpectralShape};
use crate::kernels::signal::stft::Spectra;
use base::simd::{LANES, Lanes, Simd, Singles as _, Task};

/// Bins per chunk.
const CHUNK: usize = 64;
/// Products of mantissas above this are not multiplied further: another chunk's is below 2^64.
const LARGE: f64 = 1e280;

impl Band {
    #[inline(always)]
    fn power<L: Lanes>(&self, power: &[f32]) -> f64 {
        let (whole, rest) = power[self.whole.0..self.whole.1].as_chunks::<LANES>();
        let mut sums = L::splat(0.0);
        for chunk in whole {
            sums = sums.add(L::widen(chunk));
        }
        let mut sum = total(sums);
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
fn total<L: Lanes>(lanes: L) -> f64 {
    let l = stored(lanes);
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
            let mut shape = plan.shape::<L>(spectra.window(window), &before, &mut magnitudes, &mut sums);
            if window == 0 {
                shape.flux = 0.0;
            }
            shapes.push(shape);
            std::mem::swap(&mut before, &mut magnitudes);
        }
        shapes
    }
}

/// The sums over [`LANES`] chunks of bins, a lane for each chunk.
struct Sums {
    /// `sum M`, `sum i M` and `sum i^2 M` with `i` counted from the chunk's first bin.
    moments: [[f64; LANES]; 3],
    /// `prod max(P, floor)` as `product 2^exponent`, with a product below 2^64.
    products: [f64; LANES],
    exponents: [f64; LANES],
    /// `sum max(P, floor)`.
    clamped: [f64; LANES],
    flux: [f64; LANES],
}

impl ShapePlan {
    #[inline(always)]
    fn shape<L: Lanes>(
        &self,
        power: &[f32],
        before: &[[f32; CHUNK]],
        magnitudes: &mut [[f32; CHUNK]],
        sums: &mut [f64],
    ) -> SpectralShape {
        let floor = self.floor();
        let (mut moments, mut log, mut clamped, mut flux) = ([0f64; 3], 0.0, 0.0, 0.0);
        let (mut product, mut exponent) = (1.0_f64, 0.0);
        let (whole, rest) = power.as_chunks::<CHUNK>();
        let mut last = [0f32; CHUNK];
        last[..rest.len()].copy_from_slice(rest);
        for first in (0..sums.len()).step_by(LANES) {
            let chunks = first..sums.len().min(first + LANES);
            let mut group = Group::<L>::new();
            for (lane, index) in chunks.clone().enumerate() {
                let power = whole.get(index).unwrap_or(&last);
                group.take(lane, power, floor, &before[index], &mut magnitudes[index]);
            }
            let group = group.sums();
            for (lane, index) in chunks.enumerate() {
                let from = (index * CHUNK) as f64;
                let (m0, m1, m2) = (group.moments[0][lane], group.moments[1][lane], group.moments[2][lane]);
                moments[0] += m0;
                moments[1] += m1 + from * m0;
                moments[2] += m2 + from * (2.0 * m1 + from * m0);
                sums[index] = m0;
                // One logarithm for many chunks.
                product *= group.products[lane];
                exponent += group.exponents[lane];
                if product > LARGE {
                    log += std::mem::replace(&mut product, 1.0).ln();
                }
                clamped += group.clamped[lane];
                flux += group.flux[lane];
            }
        }
        log += product.ln() + exponent * std::f64::consts::LN_2;
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
            *to = band.power::<L>(power) as f32;
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

/// The places of a chunk's bins within it.
const PLACES: [[f32; LANES]; CHUNK / LANES] = {
    let mut places = [[0.0; LANES]; CHUNK / LANES];
    let mut bin = 0;
    while bin < CHUNK {
        places[bin / LANES][bin % LANES] = bin as f32;
        bin += 1;
    }
    places
};

/// Up to [`LANES`] chunks, whose sums are totalled at once: each is still in as many parts as a vector has lanes.
struct Group<L: Lanes> {
    moments: [[L::Singles; LANES]; 3],
    /// A product of eight mantissas stays below 256.
    mantissas: [L::Singles; LANES],
    exponents: [L::Singles; LANES],
    clamped: [L::Singles; LANES],
    flux: [L::Singles; LANES],
}

impl<L: Lanes> Group<L> {
    #[inline(always)]
    fn new() -> Self {
        let zeros = [L::Singles::splat(0.0); LANES];
        Self { moments: [zeros; 3], mantissas: zeros, exponents: zeros, clamped: zeros, flux: zeros }
    }

    /// Sums a chunk, and stores its magnitudes.
    #[inline(always)]
    fn take(
        &mut self,
        lane: usize,
        power: &[f32; CHUNK],
        floor: f32,
        before: &[f32; CHUNK],
        magnitudes: &mut [f32; CHUNK],
    ) {
        let (zero, floor) = (L::Singles::splat(0.0), L::Singles::splat(floor));
        let (mut m0, mut m1, mut m2, mut flux) = (zero, zero, zero, zero);
        let (mut mantissas, mut exponents, mut clamped) = (L::Singles::splat(1.0), zero, zero);
        let (power, before) = (power.as_chunks::<LANES>().0, before.as_chunks::<LANES>().0);
        let magnitudes = magnitudes.as_chunks_mut::<LANES>().0;
        for (((power, before), magnitude), place) in power.iter().zip(before).zip(magnitudes).zip(&PLACES) {
            let (power, place) = (L::Singles::load(power), L::Singles::load(place));
            let value = power.sqrt();
            value.store(magnitude);
            m0 = m0.add(value);
            m1 = m1.add(place.mul(value));
            m2 = m2.add(place.mul(place).mul(value));
            flux = flux.add(value.sub(L::Singles::load(before)).max(zero));
            let power = floor.max(power);
            let [mantissa, exponent] = power.mantissa_and_exponent();
            mantissas = mantissas.mul(mantissa);
            exponents = exponents.add(exponent);
            clamped = clamped.add(power);
        }
        (self.moments[0][lane], self.moments[1][lane], self.moments[2][lane]) = (m0, m1, m2);
        (self.mantissas[lane], self.exponents[lane]) = (mantissas, exponents);
        (self.clamped[lane], self.flux[lane]) = (clamped, flux);
    }

    #[inline(always)]
    fn sums(self) -> Sums {
        let mut products = L::splat(1.0);
        for mantissas in L::Singles::turned(self.mantissas) {
            products = products.mul(widened::<L>(mantissas));
        }
        let [m0, m1, m2] = self.moments;
        Sums {
            moments: [totals::<L>(m0), totals::<L>(m1), totals::<L>(m2)],
            products: stored(products),
            exponents: totals::<L>(self.exponents),
            clamped: totals::<L>(self.clamped),
            flux: totals::<L>(self.flux),
        }
    }
}

#[inline(always)]
fn widened<L: Lanes>(singles: L::Singles) -> L {
    let mut values = [0.0; LANES];
    singles.store(&mut values);
    L::widen(&values)
}

#[inline(always)]
fn stored<L: Lanes>(lanes: L) -> [f64; LANES] {
    let mut values = [0.0; LANES];
    lanes.store(&mut values);
    values
}

/// Returns the sum of the lanes of each vector, added in f64.
#[inline(always)]
fn totals<L: Lanes>(vectors: [L::Singles; LANES]) -> [f64; LANES] {
    // Not `array::map`: a closure is not compiled for the instruction set of its caller.
    let mut wide = [L::splat(0.0); LANES];
    for (wide, vector) in wide.iter_mut().zip(vectors) {
        *wide = widened(vector);
    }
    stored(L::sums(wide))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::Bins;

    #[test]
    fn shapes_have_the_same_bits_on_every_instruction_set() {
        for fft_length in [64, 128, 1022, 2048] {
            let bins = Bins { fft_length, rate_hz: 44_100.0 };
            let plan = ShapePlan::new(bins, 1e-3);
            // Silence, denormals and a wide range; the last window is not a number.
            let mut values: Vec<f32> = (0..6 * plan.bins)
                .map(|n| match n * n % 11 {
                    0 => 0.0,
                    1 => f32::from_bits(n as u32),
                    remainder => ((n * 7919 % 1013) as f32 / 1013.0).powi(remainder as i32 * 3),
                })
                .collect();
            values[5 * plan.bins + plan.bins / 3] = f32::NAN;
            let spectra = Spectra { bins: plan.bins, values };
            let told =
                |simd: Simd, first| format!("{:?}", simd.dispatch(Shapes { plan: &plan, spectra: &spectra, first }));
            for first in [0, 2] {
                let expected = told(Simd::Portable, first);
                assert!(expected.contains("centroid_hz: NaN"), "{expected}");
                for simd in Simd::available() {
                    assert_eq!(told(simd, first), expected, "{simd:?}, {fft_length} points");
                }
            }
        }
    }
}
