//! The small random codec models of `tests/reference/codec_models.py`, and what PyTorch computed with them.

use std::path::PathBuf;

use base::sound::AudioBuffer;
use base::units::SampleRate;
use neural::codecs::Sound;
use neural::weights::Weights;

pub fn fixture(name: &str) -> PathBuf {
    super::files::reference("codec_models").join(name)
}

/// Values that PyTorch computed.
pub struct Reference(Weights);

impl Reference {
    pub fn open(name: &str) -> Self {
        let path = fixture(name);
        let path = if path.is_dir() {
            path.join("reference.safetensors")
        } else {
            fixture(&format!("{name}.reference.safetensors"))
        };
        Self(Weights::open(&path).unwrap())
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.names()
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.entry(name).is_some()
    }

    pub fn get(&self, name: &str) -> (Vec<usize>, Vec<f32>) {
        let entry = self.0.entry(name).unwrap_or_else(|| panic!("no {name} in the reference"));
        (entry.shape.clone(), self.0.tensor(name, &entry.shape).unwrap())
    }
}

/// The residual in dB re the expected values.
pub fn residual_db(got: &[f32], expected: &[f32]) -> f64 {
    assert_eq!(got.len(), expected.len());
    let energy = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>();
    let error = energy(&mut got.iter().zip(expected).map(|(a, b)| f64::from(*a) - f64::from(*b)));
    let signal = energy(&mut expected.iter().map(|x| f64::from(*x)));
    10.0 * (error / signal.max(1e-30)).max(1e-30).log10()
}

/// A sound in memory.
pub fn sound(hz: u32, channels: Vec<Vec<f32>>) -> Sound {
    Sound::new(SampleRate::new(hz).unwrap(), AudioBuffer::from_channels(channels))
}

/// Tones that come and go.
pub fn tones(frames: usize, hz: u32, seed: u32) -> Vec<f32> {
    let time = |n: usize| n as f32 / hz as f32;
    let tone = |n: usize, f: f32| (std::f32::consts::TAU * f * time(n)).sin();
    let seed = seed as f32;
    (0..frames)
        .map(|n| 0.3 * tone(n, 200.0 + 37.0 * seed) * (1.0 + tone(n, 3.0 + seed)) + 0.05 * tone(n, 3100.0))
        .collect()
}
