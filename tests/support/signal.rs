//! Signals, references in f64 and comparison in dB.

use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::Result;
use base::units::SampleRate;

/// Returns a format of 48 kHz with `channels` channels.
pub fn format(channels: usize) -> AudioFormat {
    AudioFormat::new(SampleRate::new(48_000).unwrap(), channels)
}

/// Reproducible white noise in -0.5..0.5, different in every channel.
pub fn noise(channels: usize, frames: usize) -> AudioBuffer {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut sample = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 40) as f32 / (1u64 << 24) as f32) - 0.5
    };
    AudioBuffer::from_channels((0..channels).map(|_| (0..frames).map(|_| sample()).collect()).collect())
}

/// Converts a channel to f64.
pub fn wide(samples: &[f32]) -> Vec<f64> {
    samples.iter().map(|sample| f64::from(*sample)).collect()
}

/// A state-variable filter by its definition, in f64.
pub fn svf(input: &[f64], g: f64, k: f64, m: [f64; 3]) -> Vec<f64> {
    let (mut s1, mut s2) = (0.0, 0.0);
    input
        .iter()
        .map(|v0| {
            let v1 = (s1 + g * (v0 - s2)) / (1.0 + g * (g + k));
            let v2 = s2 + g * v1;
            s1 = 2.0 * v1 - s1;
            s2 = 2.0 * v2 - s2;
            m[0] * v0 + m[1] * v1 + m[2] * v2
        })
        .collect()
}

/// Like [`super::effects::low`].
pub fn low(input: &[f64], g: f64, k: f64) -> Vec<f64> {
    svf(input, g, k, [0.0, 0.0, 1.0])
}

/// Like [`super::effects::high`].
pub fn high(input: &[f64], g: f64, k: f64) -> Vec<f64> {
    svf(input, g, k, [1.0, -k, -1.0])
}

/// Multiplies every sample by `gain`.
pub fn scaled(input: &[f64], gain: f64) -> Vec<f64> {
    input.iter().map(|sample| sample * gain).collect()
}

/// Adds two signals sample by sample.
pub fn sum(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a + b).collect()
}

fn rms(samples: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = samples.fold((0.0, 0usize), |(sum, count), sample| (sum + sample * sample, count + 1));
    (sum / count.max(1) as f64).sqrt()
}

/// Returns the residual of `got` against `expected` in dB relative to the larger RMS of `input` and `expected`, and the
/// worst frame.
pub fn residual_db(got: &[f32], expected: &[f64], input: &[f32]) -> (f64, usize) {
    assert_eq!(got.len(), expected.len(), "lengths");
    let reference = rms(input.iter().map(|sample| f64::from(*sample))).max(rms(expected.iter().copied()));
    let differences = got.iter().zip(expected).map(|(got, expected)| f64::from(*got) - expected);
    let worst = differences
        .clone()
        .map(f64::abs)
        .enumerate()
        .fold((0, 0.0), |best, (at, size)| if size > best.1 || size.is_nan() { (at, size) } else { best });
    (20.0 * (rms(differences) / reference.max(1e-30)).max(1e-30).log10(), worst.0)
}

/// Asserts that `got` equals `expected` within `limit_db`.
pub fn assert_close(got: &[f32], expected: &[f64], input: &[f32], limit_db: f64, what: &str) {
    let (residual, worst) = residual_db(got, expected, input);
    assert!(
        residual <= limit_db,
        "{what}: residual {residual:.1} dB, allowed {limit_db} dB, worst at {worst}: {} for {}",
        got[worst],
        expected[worst]
    );
}

/// A reader of a recording in memory.
#[derive(Debug, Clone)]
pub struct Memory {
    pub audio: AudioBuffer,
    pub format: AudioFormat,
    pub position: usize,
}

impl Memory {
    pub fn new(audio: AudioBuffer) -> Self {
        let format = format(audio.channels());
        Self { audio, format, position: 0 }
    }
}

impl AudioReader for Memory {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.audio.frames() as u64
    }

    fn position(&self) -> u64 {
        self.position as u64
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = (frame as usize).min(self.audio.frames());
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        out.clear();
        out.resize(self.audio.channels(), 0);
        let end = (self.position + frames).min(self.audio.frames());
        out.extend_from(&self.audio, self.position..end);
        self.position = end;
        Ok(())
    }
}
