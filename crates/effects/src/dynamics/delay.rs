//! A delay of the signal, to give a detector look-ahead.

/// A delay line for one channel, initially filled with silence.
#[derive(Clone, Debug)]
pub(super) struct FixedDelay {
    /// The delayed samples, oldest first.
    waiting: Vec<f32>,
    fresh: Vec<f32>,
}

impl FixedDelay {
    /// Creates a delay of `frames` frames.
    pub fn new(frames: usize) -> Self {
        Self { waiting: vec![0.0; frames], fresh: Vec::new() }
    }

    /// Delays the samples in place.
    pub fn run(&mut self, samples: &mut [f32]) {
        let (frames, count) = (self.waiting.len(), samples.len());
        if frames == 0 {
            return;
        }
        if count >= frames {
            self.fresh.clear();
            self.fresh.extend_from_slice(&samples[count - frames..]);
            samples.copy_within(..count - frames, frames);
            samples[..frames].copy_from_slice(&self.waiting);
            std::mem::swap(&mut self.waiting, &mut self.fresh);
        } else {
            samples.swap_with_slice(&mut self.waiting[..count]);
            self.waiting.rotate_left(count);
        }
    }

    /// Returns the delayed samples.
    pub fn state(&self) -> &[f32] {
        &self.waiting
    }

    /// Returns the delayed samples for restoring.
    pub fn state_mut(&mut self) -> &mut [f32] {
        &mut self.waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_come_so_much_later_wherever_the_stream_is_cut() {
        for frames in [0, 1, 3, 10, 100] {
            let mut delay = FixedDelay::new(frames);
            let mut samples: Vec<f32> = (1..=60).map(|n| n as f32).collect();
            let mut rest = samples.as_mut_slice();
            for size in [1, 2, 10, 3, 30, 60] {
                let (piece, others) = rest.split_at_mut(size.min(rest.len()));
                delay.run(piece);
                rest = others;
            }
            for (at, sample) in samples.iter().enumerate() {
                assert_eq!(*sample, (at + 1).saturating_sub(frames) as f32, "{frames} at {at}");
            }
        }
    }
}
