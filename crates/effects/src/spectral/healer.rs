//! Reconstructs a region from what lies before and after it.

use std::f64::consts::TAU;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use transforms::num_complex::Complex64;
use transforms::{ComplexToReal, RealFftPlanner, RealToComplex};

use super::{Editor, Reach, Region, fade_share, starts_below_nyquist};
use base::error::Result;
use base::units::SampleRate;
use dsp::design::Window;

/// The length of a window in seconds, before rounding to a power of two.
const WINDOW_S: f64 = 0.043;
/// The number of windows over each frame.
const OVERLAP: usize = 4;
/// The number of spectra of the surroundings on either side.
const CONTEXT: usize = 8;
/// The number of bins on either side that a tone is compared with.
const NEIGHBOURS: usize = 12;
/// The number of bins on either side over which a tone spreads.
const LOBE: usize = 2;

/// Reconstructs a whole region as one piece.
pub(super) struct SpectralHealer {
    length: usize,
    fade: usize,
    window: Vec<f64>,
    /// The share of each bin that belongs to the band, 0..=1.
    band: Vec<f64>,
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
}

impl fmt::Debug for SpectralHealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpectralHealer")
            .field("length", &self.length)
            .field("window", &self.window.len())
            .finish_non_exhaustive()
    }
}

/// The surroundings on one side of the region.
struct Surroundings {
    /// The mean power of each bin.
    power: Vec<f64>,
    /// The spectrum nearest to the region.
    nearest: Vec<Complex64>,
    /// The phase advance of each bin from one spectrum to the next.
    advance: Vec<f64>,
    /// The tonal share of each bin, 0..=1; the rest is noise.
    tonality: Vec<f64>,
}

impl SpectralHealer {
    /// Creates an editor for a stream of this rate. `effect` names the effect in errors.
    pub fn new(effect: &str, region: &Region, fade_s: f64, rate: SampleRate) -> Result<Self> {
        starts_below_nyquist(effect, region, rate)?;
        let size = window_length(rate);
        let mut planner = RealFftPlanner::new();
        let frames = region.frames(rate);
        Ok(Self {
            length: (frames.end - frames.start) as usize,
            fade: rate.frames_from_seconds(fade_s) as usize,
            window: Window::Hann.periodic(size),
            band: band_shares(region, size, rate),
            forward: planner.plan_fft_forward(size),
            inverse: planner.plan_fft_inverse(size),
        })
    }

    /// Returns the reach of an editor for this region.
    pub fn reach_of(region: &Region, rate: SampleRate) -> Reach {
        let frames = region.frames(rate);
        reach((frames.end - frames.start) as usize, window_length(rate))
    }

    fn hop(&self) -> usize {
        self.window.len() / OVERLAP
    }

    fn spectrum(&self, frames: &[f32]) -> Result<Vec<Complex64>> {
        let mut weighed: Vec<f64> =
            frames.iter().zip(&self.window).map(|(sample, weight)| f64::from(*sample) * weight).collect();
        let mut bins = self.forward.make_output_vec();
        self.forward.process(&mut weighed, &mut bins)?;
        Ok(bins)
    }

    /// Analyses the spectra of one side; `None` if all are silent. The last spectrum is nearest to the region. `step`
    /// is the number of hops from one spectrum to the next: -1 on the far side, which is in reverse order.
    fn side(&self, spectra: &[Vec<Complex64>], step: f64) -> Option<Surroundings> {
        let bins = self.band.len();
        let mut power = vec![0.0; bins];
        let sounding: Vec<_> =
            spectra.iter().filter(|bins| bins.iter().map(Complex64::norm_sqr).sum::<f64>() > 0.0).collect();
        let nearest = (*sounding.last()?).clone();
        for spectrum in &sounding {
            for (sum, bin) in power.iter_mut().zip(spectrum.iter()) {
                *sum += bin.norm_sqr() / sounding.len() as f64;
            }
        }
        let mut advance = Vec::with_capacity(bins);
        let mut tonality = Vec::with_capacity(bins);
        for k in 0..bins {
            // The remainder of each phase advance shows how far the tone is from the centre of its bin.
            let expected = TAU * k as f64 * step * self.hop() as f64 / self.window.len() as f64;
            let rest = |pair: &[&Vec<Complex64>]| {
                let turn = pair[1][k] * pair[0][k].conj() * Complex64::from_polar(1.0, -expected);
                if turn.norm() > 0.0 { turn / turn.norm() } else { Complex64::ZERO }
            };
            let mean: Complex64 =
                sounding.windows(2).map(rest).sum::<Complex64>() / sounding.len().saturating_sub(1).max(1) as f64;
            advance.push(expected + mean.arg());
            // A tone stands out and its phase advances evenly; noise does only one of these by chance.
            let out = ((standing_out(&power, k) - 4.0) / 8.0).clamp(0.0, 1.0);
            let steady = ((mean.norm() - 0.8) / 0.15).clamp(0.0, 1.0);
            tonality.push(out * steady);
        }
        Some(Surroundings { power, nearest, advance, tonality })
    }

    /// Returns the reconstruction of one spectrum. `noise` is a spectrum of white noise of unit variance.
    fn mended(&self, spectrum: &[Complex64], noise: &[Complex64], sides: &Sides, place: Position) -> Vec<Complex64> {
        // The power of white noise in every bin.
        let noise_power: f64 = self.window.iter().map(|weight| weight * weight).sum();
        let wanted = sides.power(place.share);
        let mended = |(k, was): (usize, &Complex64)| {
            if self.band[k] == 0.0 {
                return *was;
            }
            let (tone, tonality) = sides.tone(k, place);
            let made = tone * tonality + noise[k] * ((1.0 - tonality * tonality) / noise_power).sqrt();
            was + (made * wanted[k].sqrt() - was) * self.band[k]
        };
        spectrum.iter().enumerate().map(mended).collect()
    }
}

/// The position of a spectrum between the sides.
#[derive(Clone, Copy)]
struct Position {
    share: f64,
    since: f64,
    until: f64,
}

/// The surroundings of the region, with at least one side.
enum Sides {
    Before(Surroundings),
    After(Surroundings),
    Both(Surroundings, Surroundings),
}

impl Sides {
    fn new(before: Option<Surroundings>, after: Option<Surroundings>) -> Option<Self> {
        match (before, after) {
            (Some(before), Some(after)) => Some(Self::Both(before, after)),
            (Some(before), None) => Some(Self::Before(before)),
            (None, Some(after)) => Some(Self::After(after)),
            (None, None) => None,
        }
    }

    /// Returns the target power of each bin at a relative position between the sides.
    fn power(&self, share: f64) -> Vec<f64> {
        match self {
            Self::Before(side) | Self::After(side) => side.power.clone(),
            Self::Both(before, after) => {
                let between = |(a, b): (&f64, &f64)| a.max(1e-30).powf(1.0 - share) * b.max(1e-30).powf(share);
                before.power.iter().zip(&after.power).map(between).collect()
            }
        }
    }

    /// Returns bin `k` of the tone continued from the sides, with magnitude 1, and the tonal share of the bin.
    fn tone(&self, k: usize, place: Position) -> (Complex64, f64) {
        let on =
            |side: &Surroundings, hops: f64| Complex64::from_polar(1.0, side.nearest[k].arg() + hops * side.advance[k]);
        match self {
            Self::Before(side) => (on(side, place.since), side.tonality[k]),
            Self::After(side) => (on(side, place.until), side.tonality[k]),
            Self::Both(before, after) => {
                let share = place.share;
                let both = on(before, place.since) * (1.0 - share) + on(after, place.until) * share;
                let tone = if both.norm() > 1e-3 { both / both.norm() } else { on(before, place.since) };
                (tone, before.tonality[k] * (1.0 - share) + after.tonality[k] * share)
            }
        }
    }
}

impl Editor for SpectralHealer {
    fn reach(&self) -> Reach {
        reach(self.length, self.window.len())
    }

    fn edit(&self, seen: &[f32], piece: Range<usize>, _: i64) -> Result<Vec<f32>> {
        let (size, hop) = (self.window.len(), self.hop());
        // Spectrum `CONTEXT - 1` is the last that ends before the region; `after` is the first that begins after it.
        let after = piece.end.div_ceil(hop);
        let spectrum = |number: usize| self.spectrum(&seen[number * hop..number * hop + size]);
        let before: Vec<_> = (0..CONTEXT).map(spectrum).collect::<Result<_>>()?;
        let behind: Vec<_> = (after..after + CONTEXT).rev().map(spectrum).collect::<Result<_>>()?;
        let mut frames: Vec<f64> = seen.iter().map(|sample| f64::from(*sample)).collect();
        if let Some(sides) = Sides::new(self.side(&before, 1.0), self.side(&behind, -1.0)) {
            // Squared Hann windows, four over each frame, sum to 1.5; the transform adds a factor of its length.
            let scale = 1.0 / (1.5 * size as f64);
            let noise = white_noise(seen.len());
            for number in CONTEXT..after {
                let was = spectrum(number)?;
                let hiss = self.spectrum(&noise[number * hop..number * hop + size])?;
                let centre = (number * hop + size / 2) as f64;
                let place = Position {
                    share: ((centre - piece.start as f64) / self.length as f64).clamp(0.0, 1.0),
                    since: (number + 1 - CONTEXT) as f64,
                    until: (after - number) as f64,
                };
                let mut change = self.mended(&was, &hiss, &sides, place);
                change.iter_mut().zip(&was).for_each(|(bin, was)| *bin -= was);
                let last = change.len() - 1;
                (change[0].im, change[last].im) = (0.0, 0.0);
                let mut heard = vec![0.0; size];
                self.inverse.process(&mut change, &mut heard)?;
                let under = frames[number * hop..].iter_mut();
                under.zip(heard).zip(&self.window).for_each(|((sum, heard), weight)| *sum += heard * weight * scale);
            }
        }
        let faded = piece.clone().enumerate().map(|(n, at)| {
            let was = f64::from(seen[at]);
            (was + (frames[at] - was) * fade_share(n, self.length, self.fade)) as f32
        });
        Ok(faded.collect())
    }
}

fn window_length(rate: SampleRate) -> usize {
    let frames = rate.as_f64() * WINDOW_S;
    1 << frames.log2().round().max(4.0) as u32
}

fn reach(length: usize, window: usize) -> Reach {
    let hop = window / OVERLAP;
    let context = window + (CONTEXT - 1) * hop;
    // The spectra of the far side lie on the same grid, so they begin up to one hop late.
    Reach { piece: length, before: context, after: context + hop }
}

/// Returns the share of each bin that belongs to the band: 1 between its edges, falling to 0 over two bins around each.
fn band_shares(region: &Region, size: usize, rate: SampleRate) -> Vec<f64> {
    let per_bin = rate.as_f64() / size as f64;
    let [low, high] = [region.low_hz, region.high_hz].map(|hz| hz / per_bin);
    let share = |k: usize| {
        let bin = k as f64;
        let from_low = if low <= 0.0 { f64::INFINITY } else { bin - low };
        let from_high = if region.high_hz >= rate.nyquist_hz() { f64::INFINITY } else { high - bin };
        // The bin nearest to a band that lies between two bins is taken entirely.
        let between = (bin - f64::midpoint(low, high)).abs() <= 0.5;
        if between { 1.0 } else { f64::midpoint(from_low.min(from_high), 1.0).clamp(0.0, 1.0) }
    };
    (0..=size / 2).map(share).collect()
}

/// Returns how far the strongest bin of the lobe around `k` exceeds the median of its neighbours, as a power ratio.
fn standing_out(power: &[f64], k: usize) -> f64 {
    let around = |reach: usize| k.saturating_sub(reach)..(k + reach + 1).min(power.len());
    let mut neighbours = power[around(NEIGHBOURS)].to_vec();
    neighbours.sort_unstable_by(f64::total_cmp);
    let median = neighbours[neighbours.len() / 2];
    let strongest = power[around(LOBE)].iter().copied().fold(0.0, f64::max);
    if median > 0.0 { strongest / median } else { f64::INFINITY }
}

/// Returns reproducible white noise of unit variance, generated by `SplitMix64`.
fn white_noise(frames: usize) -> Vec<f32> {
    let mut state = 0u64;
    let mut uniform = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    // The variance of a uniform distribution over -1..1 is 1/3.
    (0..frames).map(|_| (3f64.sqrt() * uniform()) as f32).collect()
}
