//! The loudness of a whole recording over time, measured in the background.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use audio::{AudioBuffer, AudioReader};
use base::background;
use base::error::{Error, Result};
use base::lock::lock;
use base::progress::Progress;
use dsp::measure::loudness::{Blocks, LoudnessCurve};

/// Frames read at once; a cancel takes effect after at most this many.
const BLOCK_FRAMES: usize = 1 << 14;
/// The interval between change notifications.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// The progress of a loudness track.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrackState {
    /// The share of the work that is done, 0..=1, including the whole-signal measurements that effects need.
    pub share: f64,
    /// The number of points so far, ten per second.
    pub points: usize,
    /// Whether the curve is complete.
    pub finished: bool,
    /// Why the measurement failed. The points measured before remain.
    pub failure: Option<String>,
}

/// Called when a track changes.
pub type OnTrackChange = Box<dyn FnMut(TrackState) + Send>;

/// A loudness curve that grows while it is measured. Dropping it ends the measurement.
pub struct LoudnessTrack {
    shared: Arc<Shared>,
    progress: Progress,
}

#[derive(Default)]
struct Shared {
    curve: Mutex<LoudnessCurve>,
    /// The outcome: `Ok` once everything is measured, or the reason for the failure.
    end: Mutex<Option<Result<(), String>>>,
}

impl LoudnessTrack {
    /// Starts the measurement on a separate thread, on which `open` opens the reader. Work that `open` does first
    /// counts towards the progress: `open` reports its total and its advance. `on_change` is called ten times per
    /// second, the last time when the measurement is finished or has failed. After a cancel it is not called any more.
    pub fn start(
        open: impl FnOnce(&Progress) -> Result<Box<dyn AudioReader>> + Send + 'static,
        mut on_change: OnTrackChange,
    ) -> Result<Self> {
        let track = Self { shared: Arc::default(), progress: Progress::new() };
        let (shared, progress) = (Arc::clone(&track.shared), track.progress.clone());
        let work = move || {
            background::give_way();
            let measured = open(&progress).and_then(|mut reader| {
                let mut told = Instant::now();
                shared.measure(reader.as_mut(), &progress, || {
                    if told.elapsed() >= TELL_EVERY {
                        told = Instant::now();
                        on_change(shared.state(&progress));
                    }
                })
            });
            match measured {
                // The caller that cancelled the measurement needs no notification.
                Err(Error::Cancelled) => return,
                Ok(()) => *lock(&shared.end) = Some(Ok(())),
                Err(error) => *lock(&shared.end) = Some(Err(error.to_string())),
            }
            on_change(shared.state(&progress));
        };
        std::thread::Builder::new()
            .name("loudness".into())
            .spawn(work)
            .map_err(|error| Error::Internal(format!("no thread for the loudness: {error}")))?;
        Ok(track)
    }

    /// Returns the progress.
    pub fn state(&self) -> TrackState {
        self.shared.state(&self.progress)
    }

    /// Calls `look` with the curve measured so far.
    pub fn read<T>(&self, look: impl FnOnce(&LoudnessCurve) -> T) -> T {
        look(&lock(&self.shared.curve))
    }

    /// Ends the measurement.
    pub fn cancel(&self) {
        self.progress.cancel();
    }

    /// Returns whether the measurement was ended before it was complete.
    pub fn is_cancelled(&self) -> bool {
        self.progress.is_cancelled() && !self.state().finished
    }
}

impl Drop for LoudnessTrack {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl Shared {
    fn measure(&self, reader: &mut dyn AudioReader, progress: &Progress, mut on_step: impl FnMut()) -> Result<()> {
        let mut blocks = Blocks::new(reader.format())?;
        let mut audio = AudioBuffer::default();
        let mut energies = Vec::new();
        reader.seek(0)?;
        loop {
            progress.check()?;
            reader.read(&mut audio, BLOCK_FRAMES)?;
            if audio.is_empty() {
                return Ok(());
            }
            let planes: Vec<&[f32]> = audio.iter().collect();
            blocks.add(&planes, |energy| energies.push(energy))?;
            {
                let mut curve = lock(&self.curve);
                energies.drain(..).for_each(|energy| curve.push(energy));
            }
            progress.advance(audio.frames() as u64)?;
            on_step();
        }
    }

    fn state(&self, progress: &Progress) -> TrackState {
        let end = lock(&self.end).clone();
        let reading = progress.snapshot();
        let share = if reading.total > 0 { reading.done as f64 / reading.total as f64 } else { 0.0 };
        TrackState {
            share: if end == Some(Ok(())) { 1.0 } else { share.min(1.0) },
            points: lock(&self.curve).len(),
            finished: end == Some(Ok(())),
            failure: end.and_then(std::result::Result::err),
        }
    }
}
