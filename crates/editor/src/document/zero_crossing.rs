//! Zero crossings: where a cut is heard least.

use audio::{AudioBuffer, AudioReader};
use base::error::Result;

/// How far from a place a crossing is looked for, in seconds.
const REACH_S: f64 = 0.02;

/// Returns the frame nearest to `frame` before which the mean of all channels changes its sign, or at which it is zero;
/// `frame` itself if there is none within 20 ms.
pub fn nearest_zero_crossing(reader: &mut dyn AudioReader, frame: u64) -> Result<u64> {
    let reach = reader.format().rate.frames_from_seconds(REACH_S);
    let frames = reader.frames();
    // One more frame in front, to compare the sign of the first with.
    let start = frame.saturating_sub(reach + 1);
    let end = frame.saturating_add(reach + 1).min(frames);
    let mut mean: Vec<f32> = Vec::new();
    let mut block = AudioBuffer::default();
    reader.seek(start)?;
    while start + (mean.len() as u64) < end {
        reader.read(&mut block, (end - start) as usize - mean.len())?;
        if block.is_empty() {
            break;
        }
        mean.extend((0..block.frames()).map(|at| block.iter().map(|channel| channel[at]).sum::<f32>()));
    }
    let crosses = |at: usize| mean[at] == 0.0 || (at > 0 && (mean[at] < 0.0) != (mean[at - 1] < 0.0));
    let found = (0..mean.len()).filter(|&at| crosses(at)).map(|at| start + at as u64);
    Ok(found.min_by_key(|found| found.abs_diff(frame)).filter(|found| found.abs_diff(frame) <= reach).unwrap_or(frame))
}

#[cfg(test)]
mod tests {
    use super::*;
    use audio::MemoryReader;
    use base::units::SampleRate;

    fn nearest(channels: Vec<Vec<f32>>, frame: u64) -> u64 {
        let rate = SampleRate::new(1000).unwrap();
        nearest_zero_crossing(&mut MemoryReader::new(rate, AudioBuffer::from_channels(channels)), frame).unwrap()
    }

    #[test]
    fn the_nearest_change_of_sign_is_found() {
        // Signs change before frames 10, 20, 30 ...
        let square: Vec<f32> = (0..100).map(|n| if n / 10 % 2 == 0 { 0.5 } else { -0.5 }).collect();
        for (frame, wanted) in [(12, 10), (16, 20), (20, 20), (99, 90), (100, 90), (1, 10)] {
            assert_eq!(nearest(vec![square.clone()], frame), wanted, "{frame}");
        }
        // Channels that cancel are silent together; those that agree cross together.
        let inverse: Vec<f32> = square.iter().map(|sample| -sample).collect();
        assert_eq!(nearest(vec![square.clone(), inverse], 15), 15);
        assert_eq!(nearest(vec![square.clone(), square], 17), 20);
        assert_eq!(nearest(vec![vec![0.5; 100]], 50), 50, "nothing crosses");
        let far: Vec<f32> = (0..100).map(|n| if n < 50 { 0.5 } else { -0.5 }).collect();
        assert_eq!((nearest(vec![far.clone()], 30), nearest(vec![far], 29)), (50, 29), "20 frames at most");
        assert_eq!(nearest(vec![Vec::new()], 0), 0);
    }
}
