//! Gives tiles: from memory, from disk, or made now, a few at a time.

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::cache::{TileCache, Tiles};
use super::compute::{self, Part};
use super::{Analyser, Analysis, Lanes, SpectrogramSource, wide};
use crate::background;
use crate::chain::Placement;
use crate::device::DeviceReport;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::view::FileCache;

/// The widest column, as a power of two of frames: 256 columns of them are a day at 48 kHz.
const MOST_LEVEL: u32 = 24;
/// Columns of up to so many windows are made exactly at once.
const FEW_WINDOWS: usize = 4;
/// Tiles of columns of so many windows and more are kept on disk; others are made as fast as they are read.
const MANY_WINDOWS: usize = 8;
/// First answers of other lanes that are remembered as such.
const MOST_FRESH: usize = 4096;
/// How long a request that waits for another takes to notice that it was cancelled.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Which tile. [`super`] says what the numbers mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TileSpec {
    /// How it is analysed.
    pub analysis: Analysis,
    /// The lanes of the picture.
    pub lanes: Lanes,
    /// Which of them.
    pub lane: usize,
    /// A column is 2 to this power frames wide.
    pub level: u32,
    /// Which tile along time.
    pub column_tile: u64,
    /// The axis has 256 times 2 to this power rows.
    pub row_level: u32,
    /// The lowest of the row tiles asked for.
    pub row_tile: u32,
    /// How many of them.
    pub row_tiles: u32,
}

impl TileSpec {
    /// What all lanes of it are made under.
    fn key(&self, source: &SpectrogramSource) -> String {
        let Self { analysis, lanes, level, column_tile, row_level, row_tile, row_tiles, .. } = self;
        let analysis = analysis.key();
        // The number stands for how wide columns are made.
        format!("2|{}|{analysis}|{lanes:?}|{level}|{column_tile}|{row_level}|{row_tile}|{row_tiles}", source.key())
    }
}

/// Makes and keeps tiles. All lanes of a tile are made together, as decoding serves them all.
///
/// A tile that is kept serves whatever device is asked for: the CPU's and a GPU's are within 0.01 dB of each other, two
/// steps of their codes, in all that stands less than 70 dB below the loudest. Only reassigned ones may place a cell's
/// energy in the neighbouring row or column, where rounding decides. Who needs the very bits asks for the CPU, from a
/// service of its own.
pub struct Spectrograms {
    memory: Mutex<TileCache>,
    disk: Option<FileCache>,
    /// First answers that were made for the sake of another lane and that nobody was given yet.
    fresh: Mutex<HashSet<String>>,
    /// Keys of what is being made.
    busy: Mutex<HashSet<String>>,
    freed: Condvar,
    /// Where the last tile was made.
    report: Mutex<Option<DeviceReport>>,
    /// How many are made side by side.
    most_busy: usize,
}

impl Spectrograms {
    /// Keeps up to `memory_bytes` in memory, and what takes long to make on disk.
    pub fn new(memory_bytes: usize, disk: Option<FileCache>) -> Self {
        Self {
            memory: Mutex::new(TileCache::new(memory_bytes)),
            disk,
            fresh: Mutex::default(),
            busy: Mutex::default(),
            freed: Condvar::new(),
            report: Mutex::default(),
            // Each takes all threads for its transforms; a second one decodes meanwhile.
            most_busy: 2,
        }
    }

    /// One lane of a tile, made on the device that `placement` asks for, if it has to be made. Where exact columns would
    /// take long, the first answer is made of one window a column and says that it is not exact; asked again, the exact
    /// one follows.
    ///
    /// # Errors
    /// [`Error::Invalid`] for what is not there, [`Error::Cancelled`], what reading the source fails with.
    pub fn tile(
        &self,
        source: &SpectrogramSource,
        spec: &TileSpec,
        placement: &Placement,
        progress: &Progress,
    ) -> Result<Arc<Tiles>> {
        let lanes = spec.lanes.count(source.format().channels);
        if spec.lane >= lanes {
            return Err(Error::invalid("lane of a spectrogram", spec.lane.to_string(), format!("below {lanes}")));
        }
        if spec.level > MOST_LEVEL {
            return Err(Error::invalid("level of a spectrogram", spec.level.to_string(), format!("0 to {MOST_LEVEL}")));
        }
        let key = spec.key(source);
        let own_key = lane_key(&key, spec.lane);
        let making = loop {
            progress.check()?;
            let busy = lock(&self.busy);
            let known = lock(&self.memory).get(&own_key);
            match known {
                Some(tiles) if tiles.exact || lock(&self.fresh).remove(&own_key) => return Ok(tiles),
                known if busy.len() < self.most_busy && !busy.contains(&key) => {
                    break self.begin(busy, &key, known.is_some());
                }
                _ => drop(self.freed.wait_timeout(busy, LOOK_EVERY)),
            }
        };
        background::run(|| self.make(source, spec, &making, placement, progress))
    }

    /// Where the last tile since this was asked before was made; none if there was none to make.
    pub fn take_report(&self) -> Option<DeviceReport> {
        lock(&self.report).take()
    }

    /// Bytes of the tiles in memory.
    pub fn memory_bytes(&self) -> usize {
        lock(&self.memory).bytes()
    }

    fn begin<'a>(&'a self, mut busy: MutexGuard<'_, HashSet<String>>, key: &str, coarse_is_known: bool) -> Making<'a> {
        busy.insert(key.to_owned());
        Making { all: self, key: key.to_owned(), coarse_is_known }
    }

    fn make(
        &self,
        source: &SpectrogramSource,
        spec: &TileSpec,
        making: &Making<'_>,
        placement: &Placement,
        progress: &Progress,
    ) -> Result<Arc<Tiles>> {
        let windows = spec.analysis.windows_per_column(1 << spec.level);
        let lanes = spec.lanes.count(source.format().channels);
        if let Some(tiles) = self.stored(&making.key, windows, lanes) {
            return self.keep(&making.key, tiles, spec.lane);
        }
        let base = wide::base_level(spec, source);
        let is_wide = base < spec.level;
        let exact = windows <= FEW_WINDOWS || making.coarse_is_known || (is_wide && self.has_base(source, spec, base));
        let tiles = if exact && is_wide {
            self.joined(source, spec, base, placement, progress)?
        } else {
            self.computed(source, spec, exact, placement, progress)?
        };
        if exact {
            self.store(&making.key, windows, &tiles);
        } else {
            (0..lanes).filter(|&lane| lane != spec.lane).for_each(|lane| self.keep_for_others(&making.key, lane));
        }
        self.keep(&making.key, tiles, spec.lane)
    }

    /// All lanes, analysed.
    fn computed(
        &self,
        source: &SpectrogramSource,
        spec: &TileSpec,
        exact: bool,
        placement: &Placement,
        progress: &Progress,
    ) -> Result<Vec<Arc<Tiles>>> {
        let part = Part { level: spec.level, column_tile: spec.column_tile, exact };
        let rate = source.format().rate;
        let span = spec.analysis.axis(rate).tiles(spec.row_level, spec.row_tile, spec.row_tiles)?;
        let analyser = Analyser::new(&spec.analysis, rate, span)?;
        let (codes, report) = compute::tiles(source, &analyser, spec.lanes, part, placement, progress)?;
        if report.is_some() {
            *lock(&self.report) = report;
        }
        let columns = part.columns(source.frames()) as usize;
        let tiles = |codes| Arc::new(Tiles { columns, rows: analyser.rows(), exact, codes });
        Ok(codes.into_iter().map(tiles).collect())
    }

    /// All lanes, made of narrower columns; those that are not kept are analysed first. What was analysed stays when the
    /// rest is cancelled.
    fn joined(
        &self,
        source: &SpectrogramSource,
        spec: &TileSpec,
        base: u32,
        placement: &Placement,
        progress: &Progress,
    ) -> Result<Vec<Arc<Tiles>>> {
        let lanes = spec.lanes.count(source.format().channels);
        let mut parts: Vec<Vec<Arc<Tiles>>> = vec![Vec::new(); lanes];
        for narrow in wide::base_tiles(spec, base, source.frames()) {
            progress.check()?;
            let tiles = self.base_tile(source, &narrow, placement, progress)?;
            parts.iter_mut().zip(tiles).for_each(|(parts, tiles)| parts.push(tiles));
        }
        let part = Part { level: spec.level, column_tile: spec.column_tile, exact: true };
        let columns = part.columns(source.frames()) as usize;
        let joined = parts.iter().map(|parts| {
            let rows = parts.first().map_or(0, |part| part.rows);
            let codes = wide::joined(parts, spec.level - base, columns);
            Arc::new(Tiles { columns, rows, exact: true, codes })
        });
        Ok(joined.collect())
    }

    fn base_tile(
        &self,
        source: &SpectrogramSource,
        spec: &TileSpec,
        placement: &Placement,
        progress: &Progress,
    ) -> Result<Vec<Arc<Tiles>>> {
        let key = spec.key(source);
        let lanes = spec.lanes.count(source.format().channels);
        let kept: Option<Vec<_>> = {
            let mut memory = lock(&self.memory);
            (0..lanes).map(|lane| memory.get(&lane_key(&key, lane)).filter(|tiles| tiles.exact)).collect()
        };
        if let Some(kept) = kept {
            return Ok(kept);
        }
        let windows = spec.analysis.windows_per_column(1 << spec.level);
        let tiles = if let Some(tiles) = self.stored(&key, windows, lanes) {
            tiles
        } else {
            let tiles = self.computed(source, spec, true, placement, progress)?;
            self.store(&key, windows, &tiles);
            tiles
        };
        let mut memory = lock(&self.memory);
        tiles.iter().enumerate().for_each(|(lane, tiles)| memory.insert(lane_key(&key, lane), Arc::clone(tiles)));
        Ok(tiles)
    }

    /// Whether all that a wide tile is made of is in memory.
    fn has_base(&self, source: &SpectrogramSource, spec: &TileSpec, base: u32) -> bool {
        let lanes = spec.lanes.count(source.format().channels);
        let mut memory = lock(&self.memory);
        wide::base_tiles(spec, base, source.frames()).all(|narrow| {
            let key = narrow.key(source);
            (0..lanes).all(|lane| memory.get(&lane_key(&key, lane)).is_some_and(|tiles| tiles.exact))
        })
    }

    /// Keeps all lanes in memory and gives one.
    fn keep(&self, key: &str, tiles: Vec<Arc<Tiles>>, lane: usize) -> Result<Arc<Tiles>> {
        let own = tiles.get(lane).map(Arc::clone);
        let mut memory = lock(&self.memory);
        tiles.into_iter().enumerate().for_each(|(lane, tiles)| memory.insert(lane_key(key, lane), tiles));
        own.ok_or_else(|| Error::Internal("a lane of a spectrogram was not made".into()))
    }

    fn keep_for_others(&self, key: &str, lane: usize) {
        let mut fresh = lock(&self.fresh);
        // What is never asked for, as its lane went out of sight, must not pile up.
        if fresh.len() >= MOST_FRESH {
            fresh.clear();
        }
        fresh.insert(lane_key(key, lane));
    }

    fn stored(&self, key: &str, windows: usize, lanes: usize) -> Option<Vec<Arc<Tiles>>> {
        let disk = self.disk.as_ref().filter(|_| windows >= MANY_WINDOWS)?;
        let tiles = decode(&disk.load(key)?, lanes);
        if tiles.is_none() {
            disk.remove(key);
        }
        tiles
    }

    fn store(&self, key: &str, windows: usize, tiles: &[Arc<Tiles>]) {
        let Some(disk) = self.disk.as_ref().filter(|_| windows >= MANY_WINDOWS) else { return };
        // Without the cache the next time takes longer, and that is all.
        if let Err(error) = disk.store(key, encode(tiles)) {
            tracing::warn!("{error}");
        }
    }
}

/// What is being made; let go of, it is no longer.
struct Making<'a> {
    all: &'a Spectrograms,
    key: String,
    coarse_is_known: bool,
}

impl Drop for Making<'_> {
    fn drop(&mut self) {
        lock(&self.all.busy).remove(&self.key);
        self.all.freed.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panicking thread left behind is still a picture.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn lane_key(key: &str, lane: usize) -> String {
    format!("{key}|{lane}")
}

/// Columns and rows as u32, then the codes of one lane after the other; all little-endian.
fn encode(lanes: &[Arc<Tiles>]) -> Vec<u8> {
    let [columns, rows] = lanes.first().map_or([0; 2], |tiles| [tiles.columns as u32, tiles.rows as u32]);
    let codes = lanes.iter().flat_map(|tiles| &tiles.codes).flat_map(|code| code.to_le_bytes());
    columns.to_le_bytes().into_iter().chain(rows.to_le_bytes()).chain(codes).collect()
}

fn decode(bytes: &[u8], lanes: usize) -> Option<Vec<Arc<Tiles>>> {
    let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
    let (columns, rows) = (number(0)?, number(4)?);
    let codes = bytes.get(8..)?;
    let lane_bytes = columns.checked_mul(rows)?.checked_mul(2)?;
    if lane_bytes.checked_mul(lanes)? != codes.len() {
        return None;
    }
    let lane = |index: usize| {
        let pairs = codes[index * lane_bytes..][..lane_bytes].chunks_exact(2);
        let codes = pairs.map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        Arc::new(Tiles { columns, rows, exact: true, codes })
    };
    Some((0..lanes).map(lane).collect())
}
