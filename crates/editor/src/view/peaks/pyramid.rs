//! Minima, maxima and energies of a recording at increasing bucket sizes.

/// The least number of frames in a bucket of the finest level.
pub const BASE_FRAMES: u64 = 256;
/// The number of buckets that form one bucket of the next level.
pub const FACTOR: u64 = 4;
/// The memory limit of one pyramid in bytes. Three hours of stereo take 26 MB at 16 kHz and 64 MB at 48 kHz and above;
/// longer recordings get larger buckets.
pub const LIMIT_BYTES: u64 = 64 << 20;
/// The memory limit of the pyramid of a recording that has to be prepared, which is in addition to the original's.
pub const PREPARED_LIMIT_BYTES: u64 = 32 << 20;

/// A summary of a range of frames of one channel.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Bucket {
    /// The smallest sample.
    pub min: f32,
    /// The largest sample.
    pub max: f32,
    /// The sum of the squared samples.
    pub energy: f32,
}

impl Bucket {
    /// The summary of no frames.
    pub const EMPTY: Self = Self { min: f32::INFINITY, max: f32::NEG_INFINITY, energy: 0.0 };

    /// Summarises samples. `NaN` counts as silence.
    pub fn of(samples: &[f32]) -> Self {
        let (mut min, mut max, mut energy) = ([f32::INFINITY; 8], [f32::NEG_INFINITY; 8], [0.0f32; 8]);
        let mut total = 0.0f64;
        // Runs of 256 are summed in f32 and their sums in f64: fast, and accurate to six digits.
        for run in samples.chunks(256) {
            let (whole, rest) = run.as_chunks::<8>();
            for eight in whole {
                for lane in 0..8 {
                    let sample = if eight[lane].is_nan() { 0.0 } else { eight[lane] };
                    min[lane] = if sample < min[lane] { sample } else { min[lane] };
                    max[lane] = if sample > max[lane] { sample } else { max[lane] };
                    energy[lane] += sample * sample;
                }
            }
            for &sample in rest {
                let sample = if sample.is_nan() { 0.0 } else { sample };
                min[0] = min[0].min(sample);
                max[0] = max[0].max(sample);
                energy[0] += sample * sample;
            }
            total += energy.iter().map(|&e| e as f64).sum::<f64>();
            energy = [0.0; 8];
        }
        let least = min.into_iter().fold(f32::INFINITY, f32::min);
        let greatest = max.into_iter().fold(f32::NEG_INFINITY, f32::max);
        Self { min: least, max: greatest, energy: total as f32 }
    }

    /// Merges the summaries of several buckets.
    pub fn join<'a>(buckets: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut joined = Self::EMPTY;
        let mut energy = 0.0f64;
        for bucket in buckets {
            joined.min = joined.min.min(bucket.min);
            joined.max = joined.max.max(bucket.max);
            energy += bucket.energy as f64;
        }
        joined.energy = energy as f32;
        joined
    }
}

/// The levels of one recording: `levels[level][channel][bucket]`, filled from the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Pyramid {
    channels: usize,
    frames: u64,
    base: u64,
    levels: Vec<Vec<Vec<Bucket>>>,
    /// The number of frames, from the start, that the complete buckets of all levels cover.
    done: u64,
}

impl Pyramid {
    /// Creates an empty pyramid for a recording of `channels` channels and `frames` frames. Memory is allocated as it
    /// fills.
    pub fn new(channels: usize, frames: u64) -> Self {
        Self::within(channels, frames, LIMIT_BYTES)
    }

    /// Does the same as [`Pyramid::new`] with a memory limit in bytes.
    pub fn within(channels: usize, frames: u64, limit_bytes: u64) -> Self {
        let mut base = BASE_FRAMES;
        while Self::bytes_for(channels, frames, base) > limit_bytes {
            base *= 2;
        }
        let mut levels = vec![vec![Vec::new(); channels]];
        let mut bucket = base;
        // The last level has a few hundred buckets: a whole recording is drawn from the level before it.
        while frames / bucket > 256 {
            bucket *= FACTOR;
            levels.push(vec![Vec::new(); channels]);
        }
        Self { channels, frames, base, levels, done: 0 }
    }

    fn bytes_for(channels: usize, frames: u64, base: u64) -> u64 {
        let finest = frames.div_ceil(base).saturating_mul((channels * size_of::<Bucket>()) as u64);
        finest.saturating_add(finest / (FACTOR - 1))
    }

    /// The bytes that all buckets take once everything is covered.
    pub fn bytes(&self) -> u64 {
        Self::bytes_for(self.channels, self.frames, self.base)
    }

    /// The number of channels.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The length of the recording in frames.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Frames per bucket of the finest level.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// The number of frames covered, from the start.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Returns whether the whole recording is covered.
    pub fn is_complete(&self) -> bool {
        self.done >= self.frames
    }

    /// The number of levels.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Frames per bucket of `level`.
    pub fn bucket_frames(&self, level: usize) -> u64 {
        self.base * FACTOR.pow(level as u32)
    }

    /// The buckets of one channel that are complete.
    pub fn level(&self, level: usize, channel: usize) -> &[Bucket] {
        &self.levels[level][channel]
    }

    /// Adds the finest buckets of the next `frames` frames, one `Vec` per channel. All buckets are whole except the
    /// last of the recording. Completes the buckets of the levels above as far as possible.
    pub fn push(&mut self, buckets: &[Vec<Bucket>], frames: u64) {
        for (level, new) in self.levels[0].iter_mut().zip(buckets) {
            level.extend_from_slice(new);
        }
        self.done += frames;
        let end = self.is_complete();
        for level in 1..self.levels.len() {
            let (below, above) = self.levels.split_at_mut(level);
            for (fine, coarse) in below[level - 1].iter().zip(&mut above[0]) {
                let ready = if end { fine.len().div_ceil(FACTOR as usize) } else { fine.len() / FACTOR as usize };
                for index in coarse.len()..ready {
                    let from = index * FACTOR as usize;
                    coarse.push(Bucket::join(&fine[from..fine.len().min(from + FACTOR as usize)]));
                }
            }
        }
    }
}
