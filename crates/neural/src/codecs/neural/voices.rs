//! The channels that a model codes together.

use audio::AudioBuffer;

/// Goes through the voices of a sound: for a mono model each channel, for a stereo model both at once, a mono sound
/// twice.
pub struct Voices<'a> {
    samples: &'a AudioBuffer,
    together: usize,
    next: usize,
}

impl<'a> Voices<'a> {
    /// Creates the voices of a sound for a model of `together` channels.
    pub fn of(samples: &'a AudioBuffer, together: usize) -> Self {
        Self { samples, together, next: 0 }
    }
}

impl Iterator for Voices<'_> {
    type Item = Vec<Vec<f32>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.samples.channels() {
            return None;
        }
        let channels = (0..self.together).map(|n| {
            // Zeros replace samples that are not finite: the network would spread them over everything.
            let finite = |&sample: &f32| if sample.is_finite() { sample } else { 0.0 };
            self.samples.channel((self.next + n).min(self.samples.channels() - 1)).iter().map(finite).collect()
        });
        let channels = channels.collect();
        self.next += self.together;
        Some(channels)
    }
}

/// Returns the mean of channels.
pub fn mean(channels: &[Vec<f32>]) -> Vec<f32> {
    let scale = 1.0 / channels.len().max(1) as f32;
    let frames = channels.iter().map(Vec::len).min().unwrap_or(0);
    (0..frames).map(|n| channels.iter().map(|channel| channel[n]).sum::<f32>() * scale).collect()
}
