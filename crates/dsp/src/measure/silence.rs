//! Detection of silence.

use std::ops::Range;

use base::error::Result;
use base::progress::Progress;
use base::sound::{AudioBuffer, AudioReader};

/// Frames read at once.
const BLOCK_FRAMES: usize = 1 << 15;

/// Finds the ranges of at least `min_frames` frames in which no sample of any channel exceeds `threshold` (full scale
/// is 1), in order. A `NaN` exceeds every threshold.
pub fn silences(
    reader: &mut dyn AudioReader,
    threshold: f32,
    min_frames: u64,
    progress: &Progress,
) -> Result<Vec<Range<u64>>> {
    reader.seek(0)?;
    let mut found = Vec::new();
    let mut block = AudioBuffer::default();
    let (mut begun, mut at) = (0, 0);
    let mut end = |begun: u64, end: u64| {
        if end - begun >= min_frames.max(1) {
            found.push(begun..end);
        }
    };
    loop {
        progress.check()?;
        reader.read(&mut block, BLOCK_FRAMES)?;
        if block.is_empty() {
            end(begun, at);
            return Ok(found);
        }
        for frame in 0..block.frames() {
            let silent = block.iter().all(|channel| channel[frame].abs() <= threshold);
            if !silent {
                end(begun, at);
                begun = at + 1;
            }
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::memory::memory;

    #[test]
    fn silence_is_long_enough_and_in_all_channels() {
        let mut left = vec![0.5; 100_000];
        let mut right = vec![0.5; 100_000];
        for (channel, ranges) in
            [(&mut left, [0..500, 1000..1200, 40_000..90_000]), (&mut right, [0..400, 1000..1200, 35_000..80_000])]
        {
            for range in ranges {
                channel[range].fill(0.0005);
            }
        }
        left[99_000..].fill(0.0);
        right[99_000..].fill(0.0);
        left[60_000] = f32::NAN;
        let mut reader = memory(48_000, vec![left, right]);
        let found = silences(&mut reader, 0.001, 300, &Progress::new()).expect("read");
        assert_eq!(found, [0..400, 40_000..60_000, 60_001..80_000, 99_000..100_000]);
    }
}
