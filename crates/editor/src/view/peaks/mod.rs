//! The waveform at any zoom: a pyramid of minima, maxima and energies, built in the background.

mod build;
mod cache;
mod edited;
mod pyramid;
mod query;
mod window;

pub use cache::PeakCache;
pub use edited::{EditedPeaks, Segment, SegmentLevel, Waveform};
pub use pyramid::{BASE_FRAMES, Bucket, LIMIT_BYTES, PREPARED_LIMIT_BYTES, Pyramid};
pub use query::{ChannelColumns, ColumnDivision, PeakColumns};

use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use audio::{AudioBuffer, AudioReader, Damage};
use base::background;
use base::blocking::may_block;
use base::error::{Error, Result};
use base::lock::{lock, read, write};
use base::progress::Progress;

use build::Coarse;
use window::{KEPT_SAMPLES, PREPARED_SAMPLES, SampleWindow};

/// The most columns in one query.
pub const MAX_COLUMNS: usize = 16_384;
/// The most frames in one read of samples.
pub const MAX_SAMPLE_FRAMES: u64 = 1 << 22;
/// The longest range of a prepared recording that a query reads itself where the builder has not been yet.
pub const MAX_AHEAD_FRAMES: u64 = 1 << 19;

/// Opens independent readers of one recording, for the builder and for high zoom.
pub type OpenReader = Arc<dyn Fn() -> Result<Box<dyn AudioReader>> + Send + Sync>;

/// Makes a recording ready to be read, in the builder's thread. It may take long: an effect may have to analyse the
/// whole signal first.
pub type Prepare = Box<dyn FnOnce(&Progress) -> Result<OpenReader> + Send>;

/// Called when the builder makes progress.
pub type OnChange = Box<dyn FnMut(PeaksState) + Send>;

/// The progress of a waveform and the problems of its builder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PeaksState {
    /// The share of the recording that is exact, 0..=1.
    pub exact_share: f64,
    /// The parts that could not be decoded and are silent. Complete once everything is exact.
    pub damage: Damage,
    /// The reason why reading ended early. The part read before can still be queried.
    pub failure: Option<String>,
}

/// The waveform of one recording. Dropping it ends its builder.
pub struct Peaks {
    shared: Arc<Shared>,
    /// Whether queries read ahead of the builder, because it may take long.
    reads_ahead: bool,
    samples: Mutex<Option<SampleWindow>>,
    progress: Progress,
    builder: Option<JoinHandle<()>>,
}

/// The input of the builder's thread.
struct Builder {
    source: BuilderSource,
    stored: Option<(PeakCache, String)>,
    on_change: OnChange,
}

/// The recording that the builder reads.
enum BuilderSource {
    Open(Box<dyn AudioReader>),
    Prepared(Prepare),
}

struct Shared {
    /// Opens the recording; set once it is ready.
    open: OnceLock<OpenReader>,
    pyramid: RwLock<Pyramid>,
    coarse: Mutex<Coarse>,
    /// The outcome of reading: the damage and, if reading failed, the reason.
    met: Mutex<(Damage, Option<String>)>,
}

impl Peaks {
    /// Starts to build the waveform of the recording that `open` opens. `on_change` is called after every coarse pass
    /// and then ten times per second, the last time with a share of 1 or a failure.
    pub fn start(open: OpenReader, on_change: OnChange) -> Result<Self> {
        Self::begin(open, None, on_change)
    }

    /// Does the same as [`Peaks::start`], with a cache. A waveform stored under `key`, which identifies the content, is
    /// loaded from it, and a new one is stored when it is finished.
    pub fn start_cached(open: OpenReader, cache: PeakCache, key: String, on_change: OnChange) -> Result<Self> {
        Self::begin(open, Some((cache, key)), on_change)
    }

    /// Does the same as [`Peaks::start_cached`] for a recording of `channels` channels and `frames` frames that has to be
    /// prepared first, such as the output of a chain. Until then every column is unknown. Afterwards queries of short
    /// ranges read them at once, ahead of the builder: [`PeakColumns::ahead`].
    ///
    /// # Errors
    /// An error of `prepare` becomes [`PeaksState::failure`].
    pub fn start_prepared(
        (channels, frames): (usize, u64),
        prepare: Prepare,
        cache: PeakCache,
        key: String,
        on_change: OnChange,
    ) -> Result<Self> {
        let builder = Builder { source: BuilderSource::Prepared(prepare), stored: Some((cache, key)), on_change };
        Self::spawn(Pyramid::within(channels, frames, PREPARED_LIMIT_BYTES), None, builder)
    }

    fn begin(open: OpenReader, stored: Option<(PeakCache, String)>, on_change: OnChange) -> Result<Self> {
        let reader = open()?;
        let pyramid = Pyramid::new(reader.format().channels, reader.frames());
        let builder = Builder { source: BuilderSource::Open(reader), stored, on_change };
        Self::spawn(pyramid, Some(open), builder)
    }

    fn spawn(pyramid: Pyramid, open: Option<OpenReader>, builder: Builder) -> Result<Self> {
        let reads_ahead = open.is_none();
        let shared = Arc::new(Shared {
            open: open.map_or_else(OnceLock::new, OnceLock::from),
            pyramid: RwLock::new(pyramid),
            coarse: Mutex::default(),
            met: Mutex::default(),
        });
        let progress = Progress::new();
        let builder = {
            let (shared, progress) = (Arc::clone(&shared), progress.clone());
            std::thread::Builder::new()
                .name("peaks".into())
                .spawn(move || {
                    background::give_way();
                    shared.build(builder, &progress);
                })
                .map_err(|e| Error::Internal(format!("no thread for the waveform: {e}")))?
        };
        Ok(Self { shared, reads_ahead, samples: Mutex::new(None), progress, builder: Some(builder) })
    }

    /// Returns the progress and the problems so far.
    pub fn state(&self) -> PeaksState {
        self.shared.state()
    }

    /// Returns whether samples can be read. A recording that has to be prepared cannot be read before.
    pub fn is_ready(&self) -> bool {
        self.shared.open.get().is_some()
    }

    /// Returns the number of bytes that the waveform takes when it is finished.
    pub fn bytes(&self) -> u64 {
        read(&self.shared.pyramid).bytes()
    }

    /// Returns the length of the recording in frames.
    pub fn frames(&self) -> u64 {
        read(&self.shared.pyramid).frames()
    }

    /// Returns whether reading has finished or failed.
    pub fn is_finished(&self) -> bool {
        self.builder.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Blocks until reading has finished or failed.
    pub fn wait(&mut self) {
        if let Some(builder) = self.builder.take() {
            // The panic has already been printed; queries return the part that was built.
            let _ = builder.join();
        }
    }

    /// Returns frames `start..end` in `columns` columns, divided as [`ColumnDivision`] describes: from the pyramid if a column
    /// spans at least one bucket, otherwise from samples. Columns outside the recording are `NaN`.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an empty or non-finite range or more than [`MAX_COLUMNS`] columns.
    pub fn query(&self, start: f64, end: f64, columns: usize) -> Result<PeakColumns> {
        if !(start.is_finite() && end.is_finite() && start < end && end - start < 1e15) {
            return Err(Error::invalid("range of a waveform", format!("{start}..{end}"), "a start below its end"));
        }
        if !(1..=MAX_COLUMNS).contains(&columns) {
            return Err(Error::invalid("columns of a waveform", columns.to_string(), format!("1 to {MAX_COLUMNS}")));
        }
        let pyramid = read(&self.shared.pyramid);
        let cut = ColumnDivision::new(start, end, columns, pyramid.frames(), pyramid.base(), pyramid.levels());
        let mut out = PeakColumns::unknown(pyramid.channels(), columns);
        if cut.bucket() > 1 {
            let missing = query::from_pyramid(&pyramid, &cut, columns, &mut out);
            out.exact = missing.is_empty();
            if self.reads_ahead && !out.exact && end - start <= MAX_AHEAD_FRAMES as f64 && self.is_ready() {
                drop(pyramid);
                self.fill_from_samples(&cut, missing, &mut out)?;
                out.ahead = true;
            } else {
                self.shared.estimate(&pyramid, &cut, &missing, &mut out);
            }
            return Ok(out);
        }
        drop(pyramid);
        if self.is_ready() {
            self.fill_from_samples(&cut, 0..columns, &mut out)?;
        } else {
            out.exact = false;
        }
        Ok(out)
    }

    /// Fills columns from the samples themselves.
    fn fill_from_samples(
        &self,
        cut: &ColumnDivision,
        columns: impl IntoIterator<Item = usize>,
        out: &mut PeakColumns,
    ) -> Result<()> {
        let ranges: Vec<_> = columns.into_iter().map(|column| (column, cut.column(column))).collect();
        let inside = || ranges.iter().filter(|(_, range)| !range.is_empty()).map(|(_, range)| range);
        let Some(first) = inside().map(|range| range.start).min() else { return Ok(()) };
        let last = inside().map(|range| range.end).max().unwrap_or(first);
        let samples = self.window(first, last)?;
        for (column, range) in ranges {
            let (from, to) = (range.start.saturating_sub(first) as usize, range.end.saturating_sub(first) as usize);
            let to = to.min(samples.frames());
            if range.is_empty() || from >= to {
                continue;
            }
            for channel in 0..samples.channels().min(out.channels.len()) {
                out.set(channel, column, Bucket::of(&samples.channel(channel)[from..to]), (to - from) as u64);
            }
        }
        Ok(())
    }

    /// Returns the samples of frames `start..end`, fewer if the recording ends before.
    ///
    /// # Errors
    /// [`Error::Limit`] for more than [`MAX_SAMPLE_FRAMES`]; [`Error::NotFound`] before [`Peaks::is_ready`].
    pub fn samples(&self, start: u64, end: u64) -> Result<AudioBuffer> {
        if end.saturating_sub(start) > MAX_SAMPLE_FRAMES {
            return Err(Error::Limit {
                what: "the number of samples read at once".into(),
                got: end.saturating_sub(start).to_string(),
                limit: MAX_SAMPLE_FRAMES.to_string(),
            });
        }
        self.window(start, end)
    }

    fn window(&self, start: u64, end: u64) -> Result<AudioBuffer> {
        let open = self.shared.open.get();
        let open = open.ok_or_else(|| Error::NotFound { what: "samples", name: "not rendered yet".into() })?;
        let mut window = lock(&self.samples);
        if window.is_none() {
            let kept = if self.reads_ahead { PREPARED_SAMPLES } else { KEPT_SAMPLES };
            *window = Some(SampleWindow::new(open()?, kept));
        }
        match window.as_mut() {
            Some(window) => window.read(start, end),
            None => Err(Error::Internal("no reader for samples".into())),
        }
    }
}

impl Drop for Peaks {
    fn drop(&mut self) {
        may_block("a thread");
        self.progress.cancel();
        // This may run on the builder's thread itself, which cannot wait for its end.
        if self.builder.as_ref().is_some_and(|builder| builder.thread().id() == std::thread::current().id()) {
            return;
        }
        self.wait();
    }
}

impl Shared {
    fn exact_share(&self) -> f64 {
        let pyramid = read(&self.pyramid);
        if pyramid.is_complete() { 1.0 } else { pyramid.done() as f64 / pyramid.frames() as f64 }
    }

    fn state(&self) -> PeaksState {
        let (damage, failure) = lock(&self.met).clone();
        PeaksState { exact_share: self.exact_share(), damage, failure }
    }

    fn build(&self, builder: Builder, progress: &Progress) {
        let Builder { source, stored, mut on_change } = builder;
        let stored = stored.as_ref();
        let empty = read(&self.pyramid).clone();
        let (channels, frames) = (empty.channels(), empty.frames());
        let loaded = stored.and_then(|(cache, key)| cache.load(key, empty));
        let is_loaded = loaded.is_some();
        if let Some(pyramid) = loaded {
            *write(&self.pyramid) = pyramid;
            on_change(self.state());
        }
        let mut reader = match source {
            BuilderSource::Open(_) if is_loaded => return,
            BuilderSource::Open(reader) => reader,
            BuilderSource::Prepared(prepare) => {
                let opened = prepare(progress).and_then(|open| {
                    let reader = if is_loaded { None } else { Some(open()?) };
                    let _ = self.open.set(open);
                    Ok(reader)
                });
                match opened {
                    Ok(Some(reader)) => {
                        on_change(self.state());
                        reader
                    }
                    // A waveform that was loaded needs samples for high zoom only; they can be read from now on.
                    Ok(None) => return on_change(self.state()),
                    Err(error) => return self.end(Err(error), &mut on_change),
                }
            }
        };
        if (reader.format().channels, reader.frames()) != (channels, frames) {
            let found = format!("{} frames of {} channels", reader.frames(), reader.format().channels);
            let error = Error::Internal(format!("a waveform of {frames} frames of {channels} channels got {found}"));
            return self.end(Err(error), &mut on_change);
        }
        let mut told = Instant::now();
        let done = build::coarse(reader.as_mut(), &self.coarse, progress, || on_change(self.state())).and_then(|()| {
            build::exact(reader.as_mut(), &self.pyramid, progress, |_| {
                if told.elapsed() >= Duration::from_millis(100) {
                    told = Instant::now();
                    on_change(self.state());
                }
            })
        });
        let damage = reader.damage();
        // A cached waveform does not store damage, which has to be reported each time. So a damaged recording is not
        // cached.
        let to_store = stored.filter(|_| damage.is_empty() && done.is_ok());
        lock(&self.met).0 = damage;
        self.end(done, &mut on_change);
        if let Some((cache, key)) = to_store {
            let pyramid = read(&self.pyramid);
            // A failed write only makes the next start slower.
            if let Err(error) = cache.store(key, &pyramid) {
                tracing::warn!("{error}");
            }
        }
    }

    /// Reports how building ended. A cancelled waveform is no longer queried.
    fn end(&self, done: Result<()>, on_change: &mut OnChange) {
        match done {
            Ok(()) => *lock(&self.coarse) = Coarse::default(),
            Err(Error::Cancelled) => return,
            Err(error) => lock(&self.met).1 = Some(error.to_string()),
        }
        on_change(self.state());
    }

    fn estimate(&self, pyramid: &Pyramid, cut: &ColumnDivision, missing: &[usize], out: &mut PeakColumns) {
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
