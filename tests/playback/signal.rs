//! A recording in memory, and where a piece of it is found in another.

use std::sync::Arc;

use undertone::Result;
use undertone::audio::{AudioBuffer, AudioFormat, AudioReader};
use undertone::playback::OpenReader;
use undertone::units::SampleRate;

/// Noise with a slow swell, different in both channels: found again at one place only.
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

/// Readers of samples in memory.
pub fn opener(rate: u32, samples: AudioBuffer) -> OpenReader {
    let samples = Arc::new(samples);
    Arc::new(move || Ok(Box::new(Memory { rate, samples: Arc::clone(&samples), position: 0 })))
}

struct Memory {
    rate: u32,
    samples: Arc<AudioBuffer>,
    position: usize,
}

impl AudioReader for Memory {
    fn format(&self) -> AudioFormat {
        AudioFormat { rate: SampleRate::new(self.rate).unwrap(), channels: self.samples.channels() }
    }

    fn frames(&self) -> u64 {
        self.samples.frames() as u64
    }

    fn position(&self) -> u64 {
        self.position as u64
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = (frame as usize).min(self.samples.frames());
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let end = (self.position + frames).min(self.samples.frames());
        *out = AudioBuffer::new(self.samples.channels(), 0);
        out.extend_from(&self.samples, self.position..end);
        self.position = end;
        Ok(())
    }
}

/// All of a reader.
pub fn all(mut reader: impl AudioReader) -> AudioBuffer {
    let mut out = AudioBuffer::default();
    let frames = reader.frames() as usize;
    reader.read(&mut out, frames).unwrap();
    assert_eq!(out.frames(), frames);
    out
}

/// The place in `recorded` (one channel) at which `wanted` correlates best with it, and how well, 0..1.
pub fn find(recorded: &[f32], wanted: &[f32]) -> (usize, f64) {
    use realfft::RealFftPlanner;
    let size = (recorded.len() + wanted.len()).next_power_of_two();
    let mut planner = RealFftPlanner::<f64>::new();
    let (forward, inverse) = (planner.plan_fft_forward(size), planner.plan_fft_inverse(size));
    let transform = |samples: &[f32]| {
        let mut padded: Vec<f64> = samples.iter().map(|&sample| f64::from(sample)).collect();
        padded.resize(size, 0.0);
        let mut spectrum = forward.make_output_vec();
        forward.process(&mut padded, &mut spectrum).unwrap();
        spectrum
    };
    let mut product = transform(recorded);
    for (a, b) in product.iter_mut().zip(transform(wanted)) {
        *a *= b.conj();
    }
    // What is real by symmetry must be so to the last bit.
    product[0].im = 0.0;
    product[size / 2].im = 0.0;
    let mut correlation = vec![0.0; size];
    inverse.process(&mut product, &mut correlation).unwrap();
    let best = (0..recorded.len()).max_by(|&a, &b| correlation[a].total_cmp(&correlation[b])).unwrap();
    let energy = |samples: &[f32]| samples.iter().map(|&sample| f64::from(sample).powi(2)).sum::<f64>();
    let under = &recorded[best..(best + wanted.len()).min(recorded.len())];
    (best, correlation[best] / size as f64 / (energy(wanted) * energy(under)).sqrt().max(1e-30))
}

/// One channel of interleaved stereo.
pub fn channel(samples: &[f32], channel: usize) -> Vec<f32> {
    samples.iter().skip(channel).step_by(2).copied().collect()
}

/// RMS of the difference over the RMS of what was wanted, in dB.
pub fn residual_db(got: &[f32], wanted: &[f32]) -> f64 {
    assert_eq!(got.len(), wanted.len());
    let sum = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>();
    let error = sum(&mut got.iter().zip(wanted).map(|(&got, &wanted)| f64::from(got) - f64::from(wanted)));
    let power = sum(&mut wanted.iter().map(|&wanted| f64::from(wanted)));
    10.0 * (error / power).max(1e-30).log10()
}
