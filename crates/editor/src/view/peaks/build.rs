//! Builds a pyramid: first a coarse estimate from a few positions, then every frame.

use std::sync::{Mutex, RwLock};
use std::time::{Duration, Instant};

use audio::{AudioBuffer, AudioReader};
use base::error::Result;
use base::progress::Progress;

use super::pyramid::{Bucket, Pyramid};
use base::lock::{lock, read, write};

/// The number of positions in the coarse estimate.
pub const COARSE_PLACES: usize = 1024;
/// Frames read at each position.
const COARSE_FRAMES: usize = 512;
/// Recordings shorter than this need no coarse estimate: they are read completely in a moment.
const COARSE_FROM_FRAMES: u64 = 1 << 21;
/// The time limit of the coarse pass: slow seeks must not delay the exact one.
const COARSE_TIME: Duration = Duration::from_millis(1500);
/// Frames per step of the exact pass.
const STEP_FRAMES: u64 = 1 << 16;

/// Estimates for [`COARSE_PLACES`] equal parts of a recording: `[place][channel]`, `None` for positions not visited
/// yet.
#[derive(Debug, Default)]
pub struct Coarse {
    places: Vec<Option<Vec<Bucket>>>,
}

impl Coarse {
    /// Estimates frames `range` of one channel of a recording of `frames` frames, from the positions within the range,
    /// or from the nearest visited one. Also returns the number of frames that the estimate is based on.
    pub fn estimate(&self, range: &std::ops::Range<u64>, frames: u64, channel: usize) -> Option<(Bucket, u64)> {
        let places = self.places.len();
        if places == 0 || frames == 0 {
            return None;
        }
        let place = |frame: u64| ((frame as u128 * places as u128 / frames as u128) as usize).min(places - 1);
        let (first, last) = (place(range.start), place(range.end.saturating_sub(1).max(range.start)));
        let within: Vec<&Bucket> = self.places[first..=last].iter().flatten().map(|place| &place[channel]).collect();
        if !within.is_empty() {
            return Some((Bucket::join(within.iter().copied()), (within.len() * COARSE_FRAMES) as u64));
        }
        // Each pass halves the distance between positions, so a visited one is near.
        (1..places).find_map(|distance| {
            let before = first.checked_sub(distance).and_then(|at| self.places[at].as_ref());
            let after = self.places.get(last + distance).and_then(Option::as_ref);
            before.or(after).map(|place| (place[channel], COARSE_FRAMES as u64))
        })
    }
}

/// Reads a few positions all over the recording: every sixteenth first, then those between.
///
/// # Errors
/// A position that cannot be read is skipped; the exact pass reports the problem.
pub fn coarse(
    reader: &mut dyn AudioReader,
    to: &Mutex<Coarse>,
    progress: &Progress,
    mut on_pass: impl FnMut(),
) -> Result<()> {
    let frames = reader.frames();
    if frames < COARSE_FROM_FRAMES {
        return Ok(());
    }
    let began = Instant::now();
    lock(to).places = vec![None; COARSE_PLACES];
    let mut block = AudioBuffer::default();
    for (first, step) in [(0, 16), (8, 16), (4, 8), (2, 4), (1, 2)] {
        for place in (first..COARSE_PLACES).step_by(step) {
            progress.check()?;
            if began.elapsed() > COARSE_TIME {
                return Ok(());
            }
            let middle = (2 * place as u128 + 1) * frames as u128 / (2 * COARSE_PLACES as u128);
            let read = reader
                .seek(middle as u64 - COARSE_FRAMES as u64 / 2)
                .and_then(|()| reader.read(&mut block, COARSE_FRAMES));
            if read.is_ok() && !block.is_empty() {
                let buckets = block.iter().map(Bucket::of).collect();
                lock(to).places[place] = Some(buckets);
            }
        }
        on_pass();
    }
    Ok(())
}

/// Reads every frame into the pyramid, in order.
///
/// # Errors
/// After an error, the frames read before it remain.
pub fn exact(
    reader: &mut dyn AudioReader,
    to: &RwLock<Pyramid>,
    progress: &Progress,
    mut on_step: impl FnMut(u64),
) -> Result<()> {
    let (frames, base) = {
        let pyramid = read(to);
        (pyramid.frames(), pyramid.base())
    };
    reader.seek(0)?;
    progress.set_total(frames);
    let step = STEP_FRAMES.next_multiple_of(base);
    let mut block = AudioBuffer::default();
    let mut buckets: Vec<Vec<Bucket>> = vec![Vec::new(); reader.format().channels];
    let mut at = 0;
    while at < frames {
        let wanted = step.min(frames - at);
        reader.read(&mut block, wanted as usize)?;
        // If a source ends early, the rest is silent, as in playback.
        if (block.frames() as u64) < wanted {
            block.resize(buckets.len(), wanted as usize);
        }
        for (buckets, channel) in buckets.iter_mut().zip(block.iter()) {
            buckets.clear();
            buckets.extend(channel.chunks(base as usize).map(Bucket::of));
        }
        write(to).push(&buckets, wanted);
        at += wanted;
        on_step(at);
        progress.advance(wanted)?;
    }
    Ok(())
}
