//! Minima, maxima and energies of a recording at rising bucket sizes.

/// Frames of a bucket of the finest level, at least.
pub const BASE_FRAMES: u64 = 256;
/// Buckets that make one of the next level.
pub const FACTOR: u64 = 4;
/// Bytes that one pyramid may take. Three hours of stereo take 26 MB at 16 kHz, 64 MB at 48 kHz and above; longer
/// recordings get larger buckets.
pub const LIMIT_BYTES: u64 = 64 << 20;

/// What is known of some frames of one channel.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Bucket {
    /// The least sample.
    pub min: f32,
    /// The greatest sample.
    pub max: f32,
    /// The sum of squares.
    pub energy: f32,
}

impl Bucket {
    /// What is known of no frame.
    pub const EMPTY: Self = Self { min: f32::INFINITY, max: f32::NEG_INFINITY, energy: 0.0 };

    /// Of these samples. What is not a number counts as silence.
    pub fn of(samples: &[f32]) -> Self {
        let (mut min, mut max, mut energy) = ([f32::INFINITY; 8], [f32::NEG_INFINITY; 8], [0.0f32; 8]);
        let mut total = 0.0f64;
        // Short runs in single precision, their sums in double: fast, and exact to six digits.
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

    /// Of the frames of all `buckets`.
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

/// The levels of one recording: `levels[level][channel][bucket]`, filled from the start on.
#[derive(Clone, Debug, PartialEq)]
pub struct Pyramid {
    channels: usize,
    frames: u64,
    base: u64,
    levels: Vec<Vec<Vec<Bucket>>>,
    /// Frames that all levels' complete buckets are exact for.
    done: u64,
}

impl Pyramid {
    /// An empty pyramid for a recording of `channels` channels and `frames` frames. Allocates as it fills.
    pub fn new(channels: usize, frames: u64) -> Self {
        let mut base = BASE_FRAMES;
        while Self::bytes_for(channels, frames, base) > LIMIT_BYTES {
            base *= 2;
        }
        let mut levels = vec![vec![Vec::new(); channels]];
        let mut bucket = base;
        // The last level has some hundred buckets: whole recordings are drawn from the one before it.
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

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Length of the recording in frames.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Frames of a bucket of the finest level.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Frames from the start that are covered.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Whether all of the recording is covered.
    pub fn is_complete(&self) -> bool {
        self.done >= self.frames
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Frames of a bucket of `level`.
    pub fn bucket_frames(&self, level: usize) -> u64 {
        self.base * FACTOR.pow(level as u32)
    }

    /// The buckets of one channel that are known.
    pub fn level(&self, level: usize, channel: usize) -> &[Bucket] {
        &self.levels[level][channel]
    }

    /// Adds the finest buckets of the next `frames` frames, one `Vec` a channel: whole buckets, but for the last one of
    /// the recording. Completes what it can of the levels above.
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
