//! A recording in memory, and the search for a piece of it in another.

use std::sync::Arc;

use transforms::num_complex::Complex;
use transforms::{ComplexToReal, RealFftPlanner, RealToComplex};
use undertone::audio::{AudioBuffer, AudioReader, MemoryReader};
use undertone::playback::OpenReader;
use undertone::units::SampleRate;

/// Noise with a slow swell, different in both channels, so that each piece occurs only once.
pub fn noise(frames: usize) -> AudioBuffer {
    let channels = [1u64, 2].map(|seed| {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (0..frames)
            .map(|n| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let swell = 0.3 + 0.2 * (n as f32 / 9000.0).sin();
                ((state >> 40) as f32 / (1 << 23) as f32 - 1.0) * swell
            })
            .collect()
    });
    AudioBuffer::from_channels(channels.to_vec())
}

/// Returns a function that opens readers of samples in memory.
pub fn opener(rate: u32, samples: AudioBuffer) -> OpenReader {
    let (rate, samples) = (SampleRate::new(rate).unwrap(), Arc::new(samples));
    Arc::new(move || Ok(Box::new(MemoryReader::new(rate, Arc::clone(&samples)))))
}

/// Reads a whole reader.
pub fn all(mut reader: impl AudioReader) -> AudioBuffer {
    let mut out = AudioBuffer::default();
    let frames = reader.frames() as usize;
    reader.read(&mut out, frames).unwrap();
    assert_eq!(out.frames(), frames);
    out
}

/// Finds pieces in one recorded channel by correlation.
pub struct Finder {
    size: usize,
    frames: usize,
    spectrum: Vec<Complex<f64>>,
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
}

impl Finder {
    /// Creates a finder for pieces of up to `piece` frames.
    pub fn new(recorded: &[f32], piece: usize) -> Finder {
        let size = (recorded.len() + piece).next_power_of_two();
        let mut planner = RealFftPlanner::new();
        let (forward, inverse) = (planner.plan_fft_forward(size), planner.plan_fft_inverse(size));
        let spectrum = transformed(&*forward, recorded);
        Finder { size, frames: recorded.len(), spectrum, forward, inverse }
    }

    /// Returns the position at which the recording correlates best with a piece.
    pub fn find(&self, piece: &[f32]) -> usize {
        let mut product = transformed(&*self.forward, piece);
        for (piece, recorded) in product.iter_mut().zip(&self.spectrum) {
            *piece = recorded * piece.conj();
        }
        // Bins that are real by symmetry must be exactly real.
        product[0].im = 0.0;
        product[self.size / 2].im = 0.0;
        let mut correlation = vec![0.0; self.size];
        self.inverse.process(&mut product, &mut correlation).unwrap();
        (0..self.frames).max_by(|&a, &b| correlation[a].total_cmp(&correlation[b])).unwrap()
    }
}

fn transformed(forward: &dyn RealToComplex<f64>, samples: &[f32]) -> Vec<Complex<f64>> {
    let mut padded: Vec<f64> = samples.iter().map(|&sample| f64::from(sample)).collect();
    padded.resize(forward.len(), 0.0);
    let mut spectrum = forward.make_output_vec();
    forward.process(&mut padded, &mut spectrum).unwrap();
    spectrum
}

/// Returns one channel of interleaved stereo.
pub fn channel(samples: &[f32], channel: usize) -> Vec<f32> {
    samples.iter().skip(channel).step_by(2).copied().collect()
}

/// Returns the RMS of the difference relative to the RMS of the expected signal, in dB.
pub fn residual_db(got: &[f32], wanted: &[f32]) -> f64 {
    assert_eq!(got.len(), wanted.len());
    let sum = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>();
    let error = sum(&mut got.iter().zip(wanted).map(|(&got, &wanted)| f64::from(got) - f64::from(wanted)));
    let power = sum(&mut wanted.iter().map(|&wanted| f64::from(wanted)));
    10.0 * (error / power).max(1e-30).log10()
}
