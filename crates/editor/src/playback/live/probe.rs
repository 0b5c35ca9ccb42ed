//! Measures the round trip of live sound: out of the output, through a cable or the air, and in at the input.

use std::sync::mpsc::Sender;

use transforms::RealFftPlanner;

use audio::AudioBuffer;

/// The length of the test sound in frames.
const BURST: usize = 8_192;
/// Its largest magnitude, -20 dBFS.
const LEVEL: f32 = 0.1;
/// The silence before it, as a fraction of a second, in which earlier sound dies away.
const LEAD_PARTS: u32 = 4;
/// The longest round trip in seconds.
const LONGEST_S: u32 = 2;
/// The correlation from which the test sound counts as heard: that of noise with itself is 1.
const HEARD: f64 = 0.25;

/// Returns the test sound, noise of -20 dBFS that is always the same.
pub(crate) fn burst() -> Vec<f32> {
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    let mut noise = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        LEVEL * ((state >> 40) as f32 / (1 << 23) as f32 - 1.0)
    };
    (0..BURST).map(|_| noise()).collect()
}

/// Returns the frame at which the test sound begins in what was heard, from frame `from` on; `None` if it was not heard.
pub(crate) fn burst_in(burst: &[f32], heard: &[f32], from: usize) -> Option<usize> {
    let size = (heard.len() + burst.len()).next_power_of_two();
    let mut planner = RealFftPlanner::<f64>::new();
    let (forward, inverse) = (planner.plan_fft_forward(size), planner.plan_fft_inverse(size));
    let transformed = |samples: &[f32]| {
        let mut padded: Vec<f64> = samples.iter().map(|&sample| f64::from(sample)).collect();
        padded.resize(size, 0.0);
        let mut spectrum = forward.make_output_vec();
        forward.process(&mut padded, &mut spectrum).ok().map(|()| spectrum)
    };
    let mut product = transformed(heard)?;
    for (heard, burst) in product.iter_mut().zip(transformed(burst)?) {
        *heard *= burst.conj();
    }
    // Bins that are real by symmetry must be exactly real.
    product[0].im = 0.0;
    product[size / 2].im = 0.0;
    let mut correlation = vec![0.0; size];
    inverse.process(&mut product, &mut correlation).ok()?;
    let last = heard.len().checked_sub(burst.len())?;
    // A cable may turn the sign.
    let place = (from..=last).max_by(|&a, &b| correlation[a].abs().total_cmp(&correlation[b].abs()))?;
    let energy = |samples: &[f32]| samples.iter().map(|&sample| f64::from(sample).powi(2)).sum::<f64>();
    let both = energy(burst) * energy(&heard[place..place + burst.len()]);
    let alike = correlation[place].abs() / size as f64 / both.sqrt().max(f64::MIN_POSITIVE);
    (alike >= HEARD).then_some(place)
}

/// A measurement that runs: the output has the test sound in place of the input's.
pub(super) struct Probe {
    burst: Vec<f32>,
    lead: usize,
    frames: usize,
    heard: Vec<f32>,
    done: Sender<Heard>,
}

/// The sound that came back.
pub(super) struct Heard {
    burst: Vec<f32>,
    lead: usize,
    heard: Vec<f32>,
}

impl Probe {
    pub fn new(rate: u32, done: Sender<Heard>) -> Self {
        let lead = (rate / LEAD_PARTS) as usize;
        Self { burst: burst(), lead, frames: lead + BURST + (LONGEST_S * rate) as usize, heard: Vec::new(), done }
    }

    /// Takes a block of the input and replaces the output of the same frames. Returns whether it is complete.
    pub fn pass(&mut self, block: &AudioBuffer, out: &mut AudioBuffer) -> bool {
        let at = self.heard.len();
        self.heard.extend((0..block.frames()).map(|n| block.iter().map(|channel| channel[n]).sum::<f32>()));
        for channel in out.iter_mut() {
            for (n, sample) in channel.iter_mut().enumerate() {
                *sample = (at + n).checked_sub(self.lead).and_then(|n| self.burst.get(n)).copied().unwrap_or(0.0);
            }
        }
        if self.heard.len() < self.frames {
            return false;
        }
        let (burst, heard) = (std::mem::take(&mut self.burst), std::mem::take(&mut self.heard));
        let _ = self.done.send(Heard { burst, lead: self.lead, heard });
        true
    }
}

impl Heard {
    /// Returns the frames from the output to the input; `None` if the test sound was not heard.
    pub fn round_trip_frames(&self) -> Option<u64> {
        burst_in(&self.burst, &self.heard, self.lead).map(|place| (place - self.lead) as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn heard(delay: usize, gain: f32, disturbance: f32) -> Option<u64> {
        let (done, result) = channel();
        let mut probe = Probe::new(48_000, done);
        let mut line = vec![0.0; delay];
        let mut state = 1u32;
        loop {
            let mut out = AudioBuffer::new(1, 64);
            let mut noise = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                disturbance * ((state >> 8) as f32 / (1 << 23) as f32 - 1.0)
            };
            let block: Vec<f32> = line.drain(..64).map(|sample: f32| gain * sample + noise()).collect();
            let is_done = probe.pass(&AudioBuffer::from_channels(vec![block]), &mut out);
            line.extend_from_slice(out.channel(0));
            if is_done {
                return result.recv().ok()?.round_trip_frames();
            }
        }
    }

    #[test]
    fn the_delay_is_found_to_the_frame_and_silence_is_none() {
        for delay in [64, 65, 1_000, 48_000] {
            assert_eq!(heard(delay, 1.0, 0.0), Some(delay as u64));
            assert_eq!(heard(delay, -0.01, 0.0005), Some(delay as u64), "quiet, turned and noisy");
        }
        assert_eq!(heard(100, 0.0, 0.0), None);
        assert_eq!(heard(100, 0.0, 0.1), None, "other noise is not taken for it");
    }
}
