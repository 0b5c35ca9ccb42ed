//! Magnitude spectra of both recordings, window by window, and the distances that the spectral measures are made of.
//!
//! Windows are centred on multiples of the hop, the signal is reflected at its ends, and magnitudes are not scaled, as
//! in `librosa.stft` and `torch.stft`. Transforms are in f64: the measures take logarithms down to a magnitude of 1e-5,
//! which is below the rounding errors of a single-precision transform of a loud window.

use std::f64::consts::PI;
use std::sync::Arc;

use rayon::prelude::*;
use transforms::num_complex::Complex64;
use transforms::{RealFftPlanner, RealToComplex};

use super::curve::Curve;
use super::log_ratios::sums;
use base::error::{Error, Result};
use base::units::SampleRate;
use dsp::design::{Bank, Bins, FrequencyScale, MelNorm, Window};

/// The window lengths in frames, and the mel bands of each; the hop is a quarter of a window.
pub(super) const SCALES: [(usize, usize); 2] = [(2048, 150), (512, 80)];
/// Magnitudes below this count as this.
pub(super) const CLAMP: f64 = 1e-5;
/// Powers below this, re a full-scale sine, count as this in the log-spectral distance: -100 dB.
pub(super) const QUIETEST: f64 = 1e-10;
/// Cepstral coefficients that are compared, without the first, which is the level.
const CEPSTRA: usize = 24;
/// The fewest frames that can be reflected at the ends.
pub(super) const LEAST_FRAMES: usize = SCALES[0].0 / 2 + 1;

/// Distances of the spectra of one window.
#[derive(Clone, Copy, Debug, Default)]
struct Distances {
    /// Mean over the bins of the difference of the logarithms, and of the magnitudes.
    stft: f64,
    /// The distance over mel bands.
    mel: f64,
    /// Root mean square over the bins of the difference of the levels in dB.
    level: f64,
    /// The distance over the lowest cepstral coefficients of the mel bands.
    cepstrum: f64,
}

/// The magnitude spectra of the channels of a reference, for several comparisons with it. The keeper of the spectra
/// knows which channels these are. Magnitudes are kept in f32: the distances differ by less than 1e-6 of their values.
#[derive(Debug)]
pub(in crate::compare) struct Magnitudes {
    /// By channel and scale: window after window.
    channels: Vec<[Vec<f32>; 2]>,
}

impl Magnitudes {
    /// Computes the spectra of channels of at least [`LEAST_FRAMES`] frames.
    pub fn new(rate: SampleRate, channels: &[Vec<f32>]) -> Result<Self> {
        let [long, short] = SCALES;
        let one = |samples: &Vec<f32>| {
            let scale = |(size, bands)| Scale::new(rate, size, bands)?.all(samples);
            Ok([scale(long)?, scale(short)?])
        };
        Ok(Self { channels: channels.iter().map(one).collect::<Result<_>>()? })
    }

    /// Returns the distances of each channel of another version to these.
    pub fn distances(&self, rate: SampleRate, others: &[Vec<f32>]) -> Result<Vec<Spectral>> {
        let one = |([long, short], other): (&[Vec<f32>; 2], &Vec<f32>)| {
            let scale =
                |(size, bands), reference| Scale::new(rate, size, bands)?.distances(Reference::Known(reference), other);
            Ok(Spectral { rate, scales: [scale(SCALES[0], long)?, scale(SCALES[1], short)?] })
        };
        self.channels.iter().zip(others).map(one).collect()
    }
}

/// One channel of the reference: its samples, or its spectra, window after window.
#[derive(Clone, Copy)]
enum Reference<'a> {
    Samples(&'a [f32]),
    Known(&'a [f32]),
}

/// The distances of all windows of both scales of one channel.
pub(in crate::compare) struct Spectral {
    rate: SampleRate,
    scales: [Vec<Distances>; 2],
}

impl Spectral {
    /// Computes the distances of one channel, which has at least [`LEAST_FRAMES`] frames.
    pub fn new(rate: SampleRate, reference: &[f32], other: &[f32]) -> Result<Self> {
        let scale = |(size, bands)| Scale::new(rate, size, bands)?.distances(Reference::Samples(reference), other);
        let [long, short] = SCALES;
        Ok(Self { rate, scales: [scale(long)?, scale(short)?] })
    }

    /// Returns the multi-scale distance of the spectra, summed over the scales.
    pub fn stft(&self) -> f64 {
        self.over_scales(|distances| distances.stft)
    }

    /// Returns the same for mel bands.
    pub fn mel(&self) -> f64 {
        self.over_scales(|distances| distances.mel)
    }

    /// Returns the log-spectral distance at the longer windows.
    pub fn level(&self) -> f64 {
        mean(&self.levels())
    }

    /// Returns the distance of the spectra at each longer window.
    pub fn stft_over_time(&self) -> Vec<f64> {
        self.of_windows(|distances| distances.stft)
    }

    /// Returns the same for mel bands.
    pub fn mel_over_time(&self) -> Vec<f64> {
        self.of_windows(|distances| distances.mel)
    }

    /// Returns the log-spectral distance of each longer window.
    pub fn levels(&self) -> Vec<f64> {
        self.scales[0].iter().map(|distances| distances.level).collect()
    }

    /// Returns the cepstral distance at the longer windows.
    pub fn cepstrum(&self) -> f64 {
        mean(&self.cepstra())
    }

    /// Returns the cepstral distance of each longer window.
    pub fn cepstra(&self) -> Vec<f64> {
        self.scales[0].iter().map(|distances| distances.cepstrum).collect()
    }

    /// Returns the values of the longer windows as a curve.
    pub fn curve(&self, values: Vec<f64>) -> Curve {
        let step_s = (SCALES[0].0 / 4) as f64 / self.rate.as_f64();
        Curve::new(0.0, step_s, values.into_iter().map(Ok))
    }

    fn over_scales(&self, of: fn(&Distances) -> f64) -> f64 {
        self.scales.iter().map(|scale| mean(&scale.iter().map(of).collect::<Vec<f64>>())).sum()
    }

    fn of_windows(&self, of: fn(&Distances) -> f64) -> Vec<f64> {
        let [long, short] = [0, 1].map(|scale| self.scales[scale].iter().map(of).collect::<Vec<f64>>());
        // Four short windows to a long one.
        let ratio = SCALES[0].0 / SCALES[1].0;
        let near = |at: usize| &short[(at * ratio).min(short.len() - 1)..((at + 1) * ratio).min(short.len())];
        long.iter().enumerate().map(|(at, value)| value + mean(near(at))).collect()
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Windows of one length.
struct Scale {
    size: usize,
    window: Vec<f64>,
    /// `(2 / sum w)^2`: 1 is then the power of a full-scale sine.
    power_scale: f64,
    mel: Bank,
    /// The rows of the orthonormal cosine transform of the mel bands, for the coefficients 1 to [`CEPSTRA`].
    cosines: Vec<Vec<f64>>,
    forward: Arc<dyn RealToComplex<f64>>,
}

/// Memory of one thread.
struct Scratch {
    frames: Vec<f64>,
    bins: Vec<Complex64>,
    magnitudes: [Vec<f64>; 2],
    /// Of the mel bands, as logarithms.
    ratios: Vec<f64>,
}

impl Scale {
    fn new(rate: SampleRate, size: usize, bands: usize) -> Result<Self> {
        let window = Window::Hann.periodic(size);
        let bins = Bins { fft_length: size, rate_hz: rate.as_f64() };
        let mel = Bank::triangles(bins, FrequencyScale::Mel, [0.0, rate.nyquist_hz()], bands, MelNorm::Area)?;
        let power_scale = (2.0 / window.iter().sum::<f64>()).powi(2);
        let count = mel.rows().len();
        let cosine = |k: usize| {
            let term = move |band: usize| (PI * k as f64 * (band as f64 + 0.5) / count as f64).cos();
            (0..count).map(|band| (2.0 / count as f64).sqrt() * term(band)).collect()
        };
        // Only the longer windows are compared by their cepstra.
        let most = if size == SCALES[0].0 { CEPSTRA.min(count.saturating_sub(1)) } else { 0 };
        let cosines = (1..=most).map(cosine).collect();
        Ok(Self { size, window, power_scale, mel, cosines, forward: RealFftPlanner::new().plan_fft_forward(size) })
    }

    fn bins(&self) -> usize {
        self.size / 2 + 1
    }

    fn windows(&self, frames: usize) -> usize {
        1 + frames / (self.size / 4)
    }

    fn scratch(&self) -> Scratch {
        Scratch {
            frames: self.forward.make_input_vec(),
            bins: self.forward.make_output_vec(),
            magnitudes: [vec![0.0; self.bins()], vec![0.0; self.bins()]],
            ratios: Vec::new(),
        }
    }

    /// Returns the magnitudes of all windows.
    fn all(&self, samples: &[f32]) -> Result<Vec<f32>> {
        let mut magnitudes = vec![0.0; self.windows(samples.len()) * self.bins()];
        magnitudes.par_chunks_mut(self.bins()).enumerate().with_min_len(16).try_for_each_init(
            || self.scratch(),
            |scratch, (window, to)| {
                self.magnitudes(samples, window, 0, scratch)?;
                to.iter_mut().zip(&scratch.magnitudes[0]).for_each(|(to, &magnitude)| *to = magnitude as f32);
                Ok::<(), Error>(())
            },
        )?;
        Ok(magnitudes)
    }

    fn distances(&self, reference: Reference<'_>, other: &[f32]) -> Result<Vec<Distances>> {
        (0..self.windows(other.len()))
            .into_par_iter()
            .with_min_len(16)
            .map_init(
                || self.scratch(),
                |scratch, window| {
                    self.magnitudes(other, window, 1, scratch)?;
                    match reference {
                        Reference::Samples(samples) => self.magnitudes(samples, window, 0, scratch)?,
                        Reference::Known(all) => {
                            let known = &all[window * self.bins()..][..self.bins()];
                            scratch.magnitudes[0].iter_mut().zip(known).for_each(|(to, &from)| *to = f64::from(from));
                            // Equal sounds have no distance.
                            scratch.magnitudes[1]
                                .iter_mut()
                                .for_each(|magnitude| *magnitude = f64::from(*magnitude as f32));
                        }
                    }
                    Ok(self.compared(&scratch.magnitudes, &mut scratch.ratios))
                },
            )
            .collect()
    }

    fn magnitudes(&self, samples: &[f32], window: usize, which: usize, scratch: &mut Scratch) -> Result<()> {
        let first = (window * (self.size / 4)) as i64 - (self.size / 2) as i64;
        let last = samples.len() as i64 - 1;
        if first >= 0 && first + self.size as i64 - 1 <= last {
            let part = &samples[first as usize..first as usize + self.size];
            let weighted = part.iter().zip(&self.window).map(|(&x, w)| f64::from(x) * w);
            scratch.frames.iter_mut().zip(weighted).for_each(|(to, x)| *to = x);
        } else {
            for (n, to) in scratch.frames.iter_mut().enumerate() {
                let at = (first + n as i64).abs();
                let at = if at > last { 2 * last - at } else { at };
                *to = f64::from(samples[at as usize]) * self.window[n];
            }
        }
        self.forward
            .process(&mut scratch.frames, &mut scratch.bins)
            .map_err(|error| Error::Internal(error.to_string()))?;
        scratch.magnitudes[which].iter_mut().zip(&scratch.bins).for_each(|(to, bin)| *to = bin.norm_sqr().sqrt());
        Ok(())
    }

    fn compared(&self, [reference, other]: &[Vec<f64>; 2], ratios: &mut Vec<f64>) -> Distances {
        let quietest = (QUIETEST / self.power_scale).sqrt();
        let over_bins = sums(reference, other, CLAMP, quietest);
        let bins = reference.len() as f64;
        let (mut mel_logarithms, mut mel_differences) = (0.0, 0.0);
        ratios.clear();
        for row in self.mel.rows() {
            let band = |magnitudes: &[f64]| -> f64 {
                magnitudes[row.first_bin..].iter().zip(&row.weights).map(|(m, w)| m * w).sum()
            };
            let (r, o) = (band(reference), band(other));
            let ratio = (r.max(CLAMP) / o.max(CLAMP)).log10();
            ratios.push(ratio);
            mel_logarithms += ratio.abs();
            mel_differences += (r - o).abs();
        }
        let bands = self.mel.rows().len() as f64;
        // The transform of a difference is the difference of the transforms.
        let coefficient = |row: &Vec<f64>| row.iter().zip(ratios.iter()).map(|(c, ratio)| c * ratio).sum::<f64>();
        let cepstra: f64 = self.cosines.iter().map(|row| coefficient(row).powi(2)).sum();
        Distances {
            // Logarithms of the squares are twice those of the magnitudes.
            stft: (2.0 * over_bins.absolute + over_bins.differences) / bins,
            mel: (2.0 * mel_logarithms + mel_differences) / bands,
            level: 20.0 * (over_bins.squares / bins).sqrt(),
            cepstrum: 20.0 * (cepstra / bands).sqrt(),
        }
    }
}
