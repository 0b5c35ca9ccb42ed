//! The shape of spectra, window by window: centroid, bandwidth, rolloff, flatness, flux, and energies of seven bands.
//!
//! From a power spectrum `P(b)` (1 being a full-scale sine's) with `M(b) = sqrt P(b)` and bins at `f(b)`:
//!
//! | | unit | formula |
//! |---|---|---|
//! | centroid | Hz | `sum f M / sum M` |
//! | bandwidth | Hz | `sqrt(sum (f - centroid)^2 M / sum M)` |
//! | rolloff | Hz | the lowest `f(b)` with `sum over bins up to b of M >= 0.85 sum M` |
//! | flatness | 0..1 | geometric over arithmetic mean of `max(P / power_scale, 1e-10)` |
//! | flux | amplitude | `sum max(0, M_k - M_(k-1))`, the rise since the window before; 0 for the first |
//! | bands | power | `sum P(b) w(b)`, `w` being the share of the bin's width (half a bin to either side) in the band |
//!
//! The first four are those of `librosa.feature` (`spectral_centroid`, `spectral_bandwidth`, `spectral_rolloff`,
//! `spectral_flatness`), which counts power unscaled: hence the division. A silent window has a centroid, bandwidth and
//! rolloff of 0 and a flatness of 1, as there; what is to be made of it is the summary's business. A window with a NaN
//! has no number. Flux is S. Dixon's ("Onset detection revisited", `DAFx` 2006).
//!
//! Sums are taken in f64 of sums of eight in f32, in an order that depends on the number of bins alone; on a GPU
//! ([`gpu`]) in f32, in a tree.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]

pub mod gpu;
mod trial;

use crate::design::Bins;
use crate::kernels::Kernel;
use crate::kernels::stft::Spectra;
use crate::simd::{Lanes, Simd, Task};

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "spectral_shape",
    title: "Shapes of spectra",
    shaders: &["spectral_shape.wgsl"],
    // A relative error of 1e-5 per value.
    tolerance_db: -100.0,
    // Reads spectra for the sums and again for the moments about the centroid, and the preceding spectra for the
    // flux.
    bytes_per_sample: 24.0,
    trial: trial::trial,
};

/// The edges of the seven bands, in hertz: sub-bass, bass, low mid, mid, upper mid, presence, air.
pub const BAND_EDGES_HZ: [f64; 8] = [20.0, 60.0, 250.0, 500.0, 2000.0, 4000.0, 8000.0, 20_000.0];
/// How many bands there are.
pub const BANDS: usize = BAND_EDGES_HZ.len() - 1;
/// The share of the magnitude that lies at or below the rolloff.
const ROLLOFF_SHARE: f64 = 0.85;
/// The least power, unscaled, that flatness counts.
const FLATNESS_FLOOR: f64 = 1e-10;
/// Bins taken at once.
const CHUNK: usize = 64;
const LANES: usize = 8;

/// What the spectrum of one window is like.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shape {
    /// The centre of gravity of the magnitudes, in hertz.
    pub centroid_hz: f32,
    /// The magnitudes' standard deviation around the centroid, in hertz.
    pub bandwidth_hz: f32,
    /// The frequency below which 85 % of the magnitude lies.
    pub rolloff_hz: f32,
    /// From 0 (a tone) to 1 (white noise, or silence).
    pub flatness: f32,
    /// How much amplitude has come since the window before.
    pub flux: f32,
    /// The power in each band of [`BAND_EDGES_HZ`].
    pub bands: [f32; BANDS],
}

/// Shapes of spectra of one transform, planned.
#[derive(Clone, Debug)]
pub struct ShapePlan {
    bins: usize,
    hz_per_bin: f64,
    power_scale: f64,
    bands: [Band; BANDS],
    /// The bands' edges, in bins, none beyond the last.
    edges: [f64; BANDS + 1],
}

/// Whole bins of a band, and the two at its edges with their weights.
#[derive(Clone, Copy, Debug)]
struct Band {
    whole: (usize, usize),
    edges: [(usize, f64); 2],
}

impl Band {
    /// Bin `b` takes up `b - 1/2..b + 1/2`, cut at 0 Hz and half the rate; `low..high` in bins, neither of them beyond the
    /// last: what lies above half the rate has no bin and no power.
    fn new(count: usize, low: f64, high: f64) -> Self {
        let share = |bin: usize| {
            let (from, to) = ((bin as f64 - 0.5).max(low), (bin as f64 + 0.5).min(high));
            (to - from).max(0.0)
        };
        let (first, last) = ((low + 0.5).floor() as usize, ((high + 0.5).floor() as usize).min(count - 1));
        if first == last {
            return Self { whole: (0, 0), edges: [(first, share(first)), (first, 0.0)] };
        }
        Self { whole: (first + 1, last), edges: [(first, share(first)), (last, share(last))] }
    }

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

/// The sum of lanes, in a fixed order.
#[inline(always)]
fn total(l: [f64; LANES]) -> f64 {
    ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

impl ShapePlan {
    /// For the spectra of a transform whose powers were multiplied by `power_scale`
    /// ([`crate::kernels::stft::StftPlan::power_scale`]).
    pub fn new(bins: Bins, power_scale: f64) -> Self {
        let count = bins.count();
        let edges = BAND_EDGES_HZ.map(|hz| bins.bin_from_hz(hz).min((count - 1) as f64));
        let bands = std::array::from_fn(|band| Band::new(count, edges[band], edges[band + 1]));
        Self { bins: count, hz_per_bin: bins.rate_hz / bins.fft_length as f64, power_scale, bands, edges }
    }

    /// The least power that flatness counts.
    fn floor(&self) -> f32 {
        (FLATNESS_FLOOR * self.power_scale) as f32
    }

    /// The shapes of the windows from `first` on. The window before that, if there is one in `spectra`, is what flux
    /// compares with.
    ///
    /// # Panics
    /// When the spectra are of another transform: a fault of the caller's.
    pub fn shapes(&self, spectra: &Spectra<f32>, first: usize) -> Vec<Shape> {
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
    type Output = Vec<Shape>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<Shape> {
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
    /// `ln prod max(P, floor)` and `sum max(P, floor)`.
    log: f64,
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
    ) -> Shape {
        let floor = self.floor();
        let (mut moments, mut log, mut clamped, mut flux) = ([0f64; 3], 0.0, 0.0, 0.0);
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
            log += chunk.log;
            clamped += chunk.sum;
            flux += chunk.flux;
        }
        // Bins that only fill up the last chunk stood at the floor.
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
        Shape {
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
    // Mantissas and exponents by themselves: a product of eight of the former stays below 256.
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
    let log = f64::from(exponent) * std::f64::consts::LN_2 + product.ln();
    let [m0, m1, m2] = moments;
    Chunk { moments: [total_f32(m0), total_f32(m1), total_f32(m2)], log, sum: total_f32(sum), flux: total_f32(flux) }
}

// An array's `map` would not be compiled for the vector unit, as a closure has no instruction set of its own.
#[inline(always)]
fn total_f32(lanes: [f32; LANES]) -> f64 {
    let mut wide = [0f64; LANES];
    for (to, x) in wide.iter_mut().zip(lanes) {
        *to = f64::from(x);
    }
    total(wide)
}

/// The first bin at which the sum of magnitudes reaches `threshold`.
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
