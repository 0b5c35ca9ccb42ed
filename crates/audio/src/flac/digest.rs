//! The MD5 of a stream, computed beside the decoding: it takes as long as the decoding itself.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use md5::{Digest as _, Md5};

use super::subframe::Sample;
use base::lock::lock;

/// The maximum number of waiting frames. With more, the thread that decodes helps.
const MAX_WAITING: usize = 16;
/// The number of bytes that are added to the MD5 at once.
const DIGESTED_BYTES: usize = 16 << 10;

/// The channels of a decoded frame, with the bytes that the MD5 has for each sample.
pub(super) enum Channels {
    /// Samples of at most 24 bits.
    Narrow(Vec<Vec<i32>>, u32),
    /// Samples of four bytes.
    Wide(Vec<Vec<i64>>),
}

/// The MD5 of a stream so far. Other threads compute it.
pub(super) struct Digest(Arc<Shared>);

#[derive(Default)]
struct Shared {
    waiting: Mutex<VecDeque<Channels>>,
    sum: Mutex<Sum>,
}

#[derive(Default)]
struct Sum {
    md5: Md5,
    bytes: Vec<u8>,
}

impl Digest {
    /// Creates the MD5 of nothing.
    pub(super) fn new() -> Self {
        Self(Arc::new(Shared::default()))
    }

    /// Adds a frame.
    pub(super) fn add(&self, channels: Channels) {
        let mut waiting = lock(&self.0.waiting);
        waiting.push_back(channels);
        let are_many = waiting.len() > MAX_WAITING;
        drop(waiting);
        if are_many {
            return self.0.work_off(lock(&self.0.sum));
        }
        let shared = Arc::clone(&self.0);
        rayon::spawn(move || {
            // The thread that holds the sum processes this frame too, or the next call does.
            if let Ok(sum) = shared.sum.try_lock() {
                shared.work_off(sum);
            }
        });
    }

    /// Returns the MD5 of all frames that were added.
    pub(super) fn finish(self) -> [u8; 16] {
        self.0.work_off(lock(&self.0.sum));
        lock(&self.0.sum).md5.clone().finalize().into()
    }
}

impl Shared {
    /// Adds all waiting frames to the sum, in order.
    fn work_off(&self, mut sum: MutexGuard<'_, Sum>) {
        loop {
            let Some(channels) = lock(&self.waiting).pop_front() else { return };
            match channels {
                Channels::Narrow(channels, 1) => sum.add::<_, 1>(&channels),
                Channels::Narrow(channels, 2) => sum.add::<_, 2>(&channels),
                Channels::Narrow(channels, _) => sum.add::<_, 3>(&channels),
                Channels::Wide(channels) => sum.add::<_, 4>(&channels),
            }
        }
    }
}

impl Sum {
    /// Adds interleaved samples of `BYTES` bytes, the lowest first.
    fn add<S: Sample, const BYTES: usize>(&mut self, channels: &[Vec<S>]) {
        let frames = channels.first().map_or(0, Vec::len);
        let step = (DIGESTED_BYTES / (BYTES * channels.len().max(1))).max(1);
        for from in (0..frames).step_by(step) {
            let to = (from + step).min(frames);
            self.bytes.resize((to - from) * channels.len() * BYTES, 0);
            for (index, channel) in channels.iter().enumerate() {
                let places = self.bytes.as_chunks_mut::<BYTES>().0.iter_mut().skip(index).step_by(channels.len());
                for (place, sample) in places.zip(&channel[from..to]) {
                    if let Some(low) = sample.wide().to_le_bytes().first_chunk() {
                        *place = *low;
                    }
                }
            }
            self.md5.update(&self.bytes);
        }
    }
}
