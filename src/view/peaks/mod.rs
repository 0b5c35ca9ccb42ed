//! The waveform at any zoom: a pyramid of minima, maxima and energies, built in the background.

mod build;
mod cache;
mod pyramid;
mod query;
mod window;

pub use cache::PeakCache;
pub use pyramid::{BASE_FRAMES, Bucket, LIMIT_BYTES, Pyramid};
pub use query::{ChannelColumns, Cut, PeakColumns};

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::audio::{AudioBuffer, AudioReader, Damage};
use crate::background;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::waiting::may_wait;

use build::Coarse;
use window::SampleWindow;

/// Columns of one query, at most.
pub const MAX_COLUMNS: usize = 16_384;
/// Frames of one reading of samples, at most.
pub const MAX_SAMPLE_FRAMES: u64 = 1 << 22;

/// Gives independent readers of one recording, for the builder and for high zoom.
pub type OpenReader = Arc<dyn Fn() -> Result<Box<dyn AudioReader>> + Send + Sync>;

/// Hears of news from the builder.
pub type OnChange = Box<dyn FnMut(PeaksState) + Send>;

/// How far a waveform is, and what its builder met.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PeaksState {
    /// The share of the recording that is exact, 0..1.
    pub exact_share: f64,
    /// What could not be decoded and is silent; known in whole when everything is exact.
    pub damage: Damage,
    /// What ended the reading before its time; what was read before can still be queried.
    pub failure: Option<String>,
}

/// The waveform of one recording. Dropping it ends its builder.
pub struct Peaks {
    shared: Arc<Shared>,
    open: OpenReader,
    samples: Mutex<Option<SampleWindow>>,
    progress: Progress,
    builder: Option<JoinHandle<()>>,
}

struct Shared {
    pyramid: RwLock<Pyramid>,
    coarse: Mutex<Coarse>,
    /// What was met in reading: the damage and, where it ended there, the failure.
    met: Mutex<(Damage, Option<String>)>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panicking thread left behind is still a picture.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Peaks {
    /// Begins to build the waveform of what `open` opens; `on_change` is told of every pass and, ten times a second,
    /// of progress, the last time with a share of 1 or a failure.
    ///
    /// # Errors
    /// What `open` fails with.
    pub fn start(open: OpenReader, on_change: OnChange) -> Result<Self> {
        Self::begin(open, None, on_change)
    }

    /// As [`Peaks::start`], with a cache: a waveform that was stored under `key`, which stands for the content, is
    /// taken from there, and a new one stored when it is finished.
    ///
    /// # Errors
    /// What `open` fails with.
    pub fn start_cached(open: OpenReader, cache: PeakCache, key: String, on_change: OnChange) -> Result<Self> {
        Self::begin(open, Some((cache, key)), on_change)
    }

    fn begin(open: OpenReader, stored: Option<(PeakCache, String)>, mut on_change: OnChange) -> Result<Self> {
        let mut reader = open()?;
        let pyramid = Pyramid::new(reader.format().channels, reader.frames());
        let shared =
            Arc::new(Shared { pyramid: RwLock::new(pyramid), coarse: Mutex::default(), met: Mutex::default() });
        let progress = Progress::new();
        let builder = {
            let (shared, progress) = (Arc::clone(&shared), progress.clone());
            std::thread::Builder::new()
                .name("peaks".into())
                .spawn(move || {
                    background::give_way();
                    shared.build(reader.as_mut(), stored.as_ref(), &progress, &mut on_change);
                })
                .map_err(|e| Error::Internal(format!("no thread for the waveform: {e}")))?
        };
        Ok(Self { shared, open, samples: Mutex::new(None), progress, builder: Some(builder) })
    }

    /// How far it is, and what was met.
    pub fn state(&self) -> PeaksState {
        self.shared.state()
    }

    /// Whether the recording is read, or could not be.
    pub fn is_finished(&self) -> bool {
        self.builder.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits until the recording is read, or could not be.
    pub fn wait(&mut self) {
        if let Some(builder) = self.builder.take() {
            // A panic has been printed; queries answer with what there is.
            let _ = builder.join();
        }
    }

    /// Frames `start..end` in `columns` columns, cut as [`Cut`] says: from the pyramid where a column spans a bucket or
    /// more, else from samples. Columns beyond the recording are not numbers.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a range that is none or too many columns; what reading samples fails with.
    pub fn query(&self, start: f64, end: f64, columns: usize) -> Result<PeakColumns> {
        if !(start.is_finite() && end.is_finite() && start < end && end - start < 1e15) {
            return Err(Error::invalid("range of a waveform", format!("{start}..{end}"), "a start below its end"));
        }
        if !(1..=MAX_COLUMNS).contains(&columns) {
            return Err(Error::invalid("columns of a waveform", columns.to_string(), format!("1 to {MAX_COLUMNS}")));
        }
        let pyramid = self.shared.pyramid.read().unwrap_or_else(PoisonError::into_inner);
        let cut = Cut::new(start, end, columns, pyramid.frames(), pyramid.base(), pyramid.levels());
        let mut out = PeakColumns::unknown(pyramid.channels(), columns);
        if cut.bucket() > 1 {
            let missing = query::from_pyramid(&pyramid, &cut, columns, &mut out);
            out.exact = missing.is_empty();
            self.shared.estimate(&pyramid, &cut, &missing, &mut out);
            return Ok(out);
        }
        drop(pyramid);
        let (first, last) = (cut.column(0).start, cut.column(columns - 1).end);
        let first = if start < 0.0 { 0 } else { first };
        let last = if last == 0 { first } else { last };
        let samples = self.window(first, last.max(first))?;
        for column in 0..columns {
            let range = cut.column(column);
            let (from, to) = (range.start.saturating_sub(first) as usize, range.end.saturating_sub(first) as usize);
            let to = to.min(samples.frames());
            if range.is_empty() || from >= to {
                continue;
            }
            for channel in 0..samples.channels() {
                out.set(channel, column, Bucket::of(&samples.channel(channel)[from..to]), (to - from) as u64);
            }
        }
        Ok(out)
    }

    /// The samples of frames `start..end`, fewer where the recording ends.
    ///
    /// # Errors
    /// [`Error::Limit`] for more than [`MAX_SAMPLE_FRAMES`]; what reading fails with.
    pub fn samples(&self, start: u64, end: u64) -> Result<AudioBuffer> {
        if end.saturating_sub(start) > MAX_SAMPLE_FRAMES {
            return Err(Error::Limit {
                what: "frames of one reading of samples".into(),
                got: end.saturating_sub(start).to_string(),
                limit: MAX_SAMPLE_FRAMES.to_string(),
            });
        }
        self.window(start, end)
    }

    fn window(&self, start: u64, end: u64) -> Result<AudioBuffer> {
        let mut window = lock(&self.samples);
        if window.is_none() {
            *window = Some(SampleWindow::new((self.open)()?));
        }
        match window.as_mut() {
            Some(window) => window.read(start, end),
            None => Err(Error::Internal("no reader for samples".into())),
        }
    }
}

impl Drop for Peaks {
    fn drop(&mut self) {
        may_wait("a thread");
        self.progress.cancel();
        self.wait();
    }
}

impl Shared {
    fn exact_share(&self) -> f64 {
        let pyramid = self.pyramid.read().unwrap_or_else(PoisonError::into_inner);
        if pyramid.is_complete() { 1.0 } else { pyramid.done() as f64 / pyramid.frames() as f64 }
    }

    fn state(&self) -> PeaksState {
        let (damage, failure) = lock(&self.met).clone();
        PeaksState { exact_share: self.exact_share(), damage, failure }
    }

    fn build(
        &self,
        reader: &mut dyn AudioReader,
        stored: Option<&(PeakCache, String)>,
        progress: &Progress,
        on_change: &mut OnChange,
    ) {
        let (channels, frames) = (reader.format().channels, reader.frames());
        if let Some(pyramid) = stored.and_then(|(cache, key)| cache.load(key, channels, frames)) {
            *self.pyramid.write().unwrap_or_else(PoisonError::into_inner) = pyramid;
            on_change(self.state());
            return;
        }
        let mut told = Instant::now();
        let done = build::coarse(reader, &self.coarse, progress, || on_change(self.state())).and_then(|()| {
            build::exact(reader, &self.pyramid, progress, |_| {
                if told.elapsed() >= Duration::from_millis(100) {
                    told = Instant::now();
                    on_change(self.state());
                }
            })
        });
        let damage = reader.damage();
        // A waveform in the cache knows nothing of damage, which is to be told each time.
        let to_store = stored.filter(|_| damage.is_empty());
        lock(&self.met).0 = damage;
        match done {
            Ok(()) => {
                *lock(&self.coarse) = Coarse::default();
                on_change(self.state());
                if let Some((cache, key)) = to_store {
                    let pyramid = self.pyramid.read().unwrap_or_else(PoisonError::into_inner);
                    // Without the cache the next start takes longer, and that is all.
                    if let Err(error) = cache.store(key, &pyramid) {
                        tracing::warn!("{error}");
                    }
                }
            }
            Err(Error::Cancelled) => {}
            Err(error) => {
                lock(&self.met).1 = Some(error.to_string());
                on_change(self.state());
            }
        }
    }

    fn estimate(&self, pyramid: &Pyramid, cut: &Cut, missing: &[usize], out: &mut PeakColumns) {
        let coarse = lock(&self.coarse);
        for &column in missing {
            for channel in 0..pyramid.channels() {
                if let Some((bucket, frames)) = coarse.estimate(&cut.column(column), pyramid.frames(), channel) {
                    out.set(channel, column, bucket, frames);
                }
            }
        }
    }
}
