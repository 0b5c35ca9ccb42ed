//! Reads a recording to its end and decodes the next block while the caller processes the current one.

use super::{AudioBuffer, AudioReader};
use crate::error::Result;

/// Passes the blocks of a reader to `take`, in order, from the reader's position on. Each block has up to `frames`
/// frames. The next block is decoded on another thread meanwhile. Stops when `take` returns `false` or the reader ends.
///
/// # Errors
/// The error of a failed read after all earlier blocks have been passed on, or the error of `take`.
pub fn read_ahead(
    reader: &mut dyn AudioReader,
    frames: usize,
    mut take: impl FnMut(&AudioBuffer) -> Result<bool> + Send,
) -> Result<()> {
    let (mut block, mut next) = (AudioBuffer::default(), AudioBuffer::default());
    reader.read(&mut block, frames)?;
    while !block.is_empty() {
        let (read, goes_on) = rayon::join(|| reader.read(&mut next, frames), || take(&block));
        if !goes_on? {
            break;
        }
        read?;
        std::mem::swap(&mut block, &mut next);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::sound::AudioFormat;
    use crate::units::SampleRate;

    /// Counts up. Reads fail from frame `breaks_at` on.
    struct Counting {
        at: u64,
        frames: u64,
        breaks_at: u64,
    }

    impl AudioReader for Counting {
        fn format(&self) -> AudioFormat {
            AudioFormat::new(SampleRate::new(8000).expect("a rate"), 1)
        }

        fn frames(&self) -> u64 {
            self.frames
        }

        fn position(&self) -> u64 {
            self.at
        }

        fn seek(&mut self, frame: u64) -> Result<()> {
            self.at = frame.min(self.frames);
            Ok(())
        }

        fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
            if self.at >= self.breaks_at {
                return Err(Error::Internal("broken".into()));
            }
            let end = self.frames.min(self.at + frames as u64);
            *out = AudioBuffer::from_channels(vec![(self.at..end).map(|frame| frame as f32).collect()]);
            self.at = end;
            Ok(())
        }
    }

    fn heard(frames: u64, breaks_at: u64, most: usize) -> (Vec<f32>, Result<()>) {
        let mut all = Vec::new();
        let mut reader = Counting { at: 0, frames, breaks_at };
        let done = read_ahead(&mut reader, 64, |block| {
            all.extend_from_slice(block.channel(0));
            Ok(all.len() < most)
        });
        (all, done)
    }

    #[test]
    fn every_frame_is_given_once_and_in_order() {
        for frames in [0, 1, 63, 64, 65, 1000] {
            let (all, done) = heard(frames, u64::MAX, usize::MAX);
            assert!(done.is_ok() && all.len() as u64 == frames, "{frames}: {}", all.len());
            assert!(all.iter().enumerate().all(|(at, &sample)| sample == at as f32), "{frames}");
        }
    }

    #[test]
    fn it_ends_when_enough_was_taken_even_where_the_rest_is_broken() {
        let (all, done) = heard(1000, 128, 128);
        assert!(done.is_ok() && all.len() == 128, "{done:?} after {}", all.len());
    }

    #[test]
    fn what_came_before_a_failure_is_given() {
        let (all, done) = heard(1000, 128, usize::MAX);
        assert!(matches!(done, Err(Error::Internal(_))) && all.len() == 128, "{done:?} after {}", all.len());
    }
}
