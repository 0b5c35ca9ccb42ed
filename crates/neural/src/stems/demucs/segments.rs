//! The positions and weights of segments.

use super::{MAX_OVERLAP, Options};
use base::error::{Error, Result};
use base::units::SampleRate;

/// A segment of the recording, in frames of the model's rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The shift that it belongs to.
    shift: usize,
    /// The first frame; negative before the recording.
    pub start: i64,
    /// The frames that count.
    pub length: usize,
    /// The first frame that the network is given.
    pub from: i64,
    /// The frames that it is given.
    pub given: usize,
}

/// The length of segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentSize {
    /// The frames of a full one.
    pub frames: usize,
    /// Whether the network is given as many for one at the end that is not full: sound before it and silence after it.
    pub is_fixed: bool,
}

/// The segments of a recording.
#[derive(Debug)]
pub struct Schedule {
    segments: Vec<Segment>,
    triangle: Vec<f64>,
    /// The beginning of each shift's grid, and the frames from one segment to the next.
    grids: Vec<i64>,
    stride: usize,
    frames: u64,
}

/// The greatest offset: half a second.
pub fn most_offset(rate: SampleRate) -> u64 {
    u64::from(rate.hz() / 2)
}

/// Returns random offsets, by `SplitMix64` (Steele, Lea and Flood 2014).
pub fn offsets(count: usize, seed: u64, most: u64) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    (0..count).map(|_| ((u128::from(next()) * u128::from(most + 1)) >> 64) as u64).collect()
}

impl Schedule {
    /// Cuts `frames` frames into segments.
    pub fn new(frames: u64, size: SegmentSize, rate: SampleRate, options: &Options) -> Result<Self> {
        let length = size.frames;
        let Options { overlap, transition_power, offsets } = options;
        if !(0.0..=MAX_OVERLAP).contains(overlap) {
            return Err(Error::invalid("overlap", overlap.to_string(), format!("0 to {MAX_OVERLAP}")));
        }
        if !(1.0..=16.0).contains(transition_power) {
            return Err(Error::invalid("transition power", transition_power.to_string(), "1 to 16"));
        }
        let most = most_offset(rate);
        if let Some(wrong) = offsets.iter().find(|&&offset| offset > most) {
            return Err(Error::invalid("offset of a shift", wrong.to_string(), format!("0 to {most} frames")));
        }
        let stride = (((1.0 - overlap) * length as f64) as usize).max(1);
        let grids: Vec<i64> = match offsets.as_slice() {
            [] => vec![0],
            offsets => offsets.iter().map(|&offset| offset as i64 - most as i64).collect(),
        };
        let end = frames as i64;
        let mut segments = Vec::new();
        for (shift, &first) in grids.iter().enumerate() {
            segments.extend((first..end).step_by(stride).map(|start| {
                let counted = length.min((end - start) as usize);
                let given = if size.is_fixed { length } else { counted };
                Segment { shift, start, length: counted, from: start - ((given - counted) / 2) as i64, given }
            }));
        }
        // Those that end before the recording count for nothing; in the order of their beginnings.
        segments.retain(|segment| segment.start + segment.length as i64 > 0);
        segments.sort_by_key(|segment| (segment.start, segment.shift));
        Ok(Self { segments, triangle: triangle(length, *transition_power), grids, stride, frames })
    }

    /// The segments in the order of their beginnings.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The number of shifts.
    pub fn shifts(&self) -> usize {
        self.grids.len()
    }

    /// Returns the weight of each frame of a segment that counts: of the sum of all segments of its shift.
    pub fn weights(&self, segment: &Segment) -> Vec<f64> {
        let mut sums = self.triangle[..segment.length].to_vec();
        let (first, length) = (self.grids[segment.shift], self.triangle.len() as i64);
        let index = (segment.start - first) / self.stride as i64;
        let beside = length / self.stride as i64 + 1;
        for other in (index - beside).max(0)..=index + beside {
            let start = first + other * self.stride as i64;
            if other == index || start >= self.frames as i64 {
                continue;
            }
            let from = start.max(segment.start);
            let until = (start + length).min(segment.start + segment.length as i64);
            for frame in from..until {
                sums[(frame - segment.start) as usize] += self.triangle[(frame - start) as usize];
            }
        }
        sums.iter().zip(&self.triangle).map(|(sum, weight)| weight / sum).collect()
    }
}

/// The weights of a segment: 1, 2, ..., n/2, n - n/2, ..., 2, 1 over the greatest of them, to a power.
fn triangle(length: usize, power: f64) -> Vec<f64> {
    let half = length / 2;
    let greatest = (length - half).max(1) as f64;
    let rising = 1..=half;
    let falling = (1..=length - half).rev();
    rising.chain(falling).map(|n| (n as f64 / greatest).powf(power)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIXED: SegmentSize = SegmentSize { frames: 1000, is_fixed: true };

    fn rate() -> SampleRate {
        SampleRate::new(8000).unwrap()
    }

    #[test]
    fn the_weights_of_every_shift_sum_to_one() {
        for (frames, overlap, power, offsets) in [
            (10_000_u64, 0.25, 1.0, vec![]),
            (7001, 0.25, 1.0, vec![0, 4000, 1234]),
            (5000, 0.9, 3.0, vec![17]),
            (1, 0.25, 1.0, vec![]),
            (3000, 0.0, 1.0, vec![0]),
        ] {
            let options = Options { overlap, transition_power: power, offsets };
            let schedule = Schedule::new(frames, FIXED, rate(), &options).unwrap();
            let mut sums = vec![0.0; frames as usize];
            for segment in schedule.segments() {
                for (n, weight) in schedule.weights(segment).into_iter().enumerate() {
                    let frame = segment.start + n as i64;
                    assert!(frame < frames as i64);
                    if frame >= 0 {
                        sums[frame as usize] += weight;
                    }
                }
            }
            let shifts = schedule.shifts() as f64;
            assert!(sums.iter().all(|sum| (sum - shifts).abs() < 1e-9), "{frames} frames, overlap {overlap}");
            let starts: Vec<i64> = schedule.segments().iter().map(|segment| segment.start).collect();
            assert!(starts.is_sorted());
        }
    }

    #[test]
    fn short_ends_have_sound_before_and_silence_after() {
        let schedule = Schedule::new(2500, FIXED, rate(), &Options::default()).unwrap();
        let ends: Vec<(i64, usize, i64)> =
            schedule.segments().iter().map(|segment| (segment.start, segment.length, segment.from)).collect();
        assert_eq!(ends, [(0, 1000, 0), (750, 1000, 750), (1500, 1000, 1500), (2250, 250, 1875)]);
        let free = SegmentSize { is_fixed: false, ..FIXED };
        let schedule = Schedule::new(2500, free, rate(), &Options::default()).unwrap();
        let last = schedule.segments()[3];
        assert_eq!((last.start, last.length, last.from, last.given), (2250, 250, 2250, 250));
        assert!(Schedule::new(0, FIXED, rate(), &Options::default()).unwrap().segments().is_empty());
    }

    #[test]
    fn offsets_are_those_of_their_seed() {
        let all = offsets(1000, 7, 4000);
        assert_eq!(all, offsets(1000, 7, 4000));
        assert_ne!(all, offsets(1000, 8, 4000));
        assert!(all.iter().all(|&offset| offset <= 4000) && all.iter().any(|&offset| offset > 3900));
        let mean = all.iter().sum::<u64>() as f64 / 1000.0;
        assert!((mean - 2000.0).abs() < 150.0, "{mean}");
    }

    #[test]
    fn options_have_limits() {
        for (overlap, transition_power, offsets, said) in [
            (0.96, 1.0, vec![], "overlap"),
            (f64::NAN, 1.0, vec![], "overlap"),
            (0.2, 0.5, vec![], "power"),
            (0.2, 1.0, vec![4001], "offset"),
        ] {
            let options = Options { overlap, transition_power, offsets };
            let message = Schedule::new(100, FIXED, rate(), &options).unwrap_err().to_string();
            assert!(message.to_lowercase().contains(said), "{message}");
        }
    }
}
