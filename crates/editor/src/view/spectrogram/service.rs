//! Delivers tiles: from memory, from disk, or computed on request, a few at a time.

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use serde::Deserialize;

use super::cache::{TileCache, Tiles};
use super::compute::{self, TilePart};
use super::{Analysis, SpectrogramSource, wide};
use crate::view::FileCache;
use audio::Lanes;
use base::background;
use base::declared::TS;
use base::error::{Error, Result};
use base::lock::lock;
use base::progress::Progress;
use dsp::device::DeviceReport;
use dsp::device::Placement;

/// The widest column, as a power of two of frames: 256 such columns are a day at 48 kHz.
const MAX_LEVEL: u32 = 24;
/// Columns with at most this many windows are computed exactly right away.
const FEW_WINDOWS: usize = 4;
/// Tiles whose columns have at least this many windows are stored on disk. Computing the others again is as fast as
/// reading them.
const MANY_WINDOWS: usize = 8;
/// The most coarse tiles of other lanes remembered as not yet delivered.
const MAX_FRESH: usize = 4096;
/// How often a waiting request checks whether it was cancelled.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Selects a tile. [`super`] explains the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, TS)]
pub struct TileSpec {
    /// The analysis settings.
    pub analysis: Analysis,
    /// The lanes of the picture.
    #[serde(rename = "channels")]
    pub lanes: Lanes,
    /// The index of the requested lane.
    pub lane: usize,
    /// A column is 2 to this power frames wide.
    pub level: u32,
    /// The index of the tile along time.
    pub column_tile: u64,
    /// The axis has 256 times 2 to this power rows.
    pub row_level: u32,
    /// The lowest requested row tile.
    pub row_tile: u32,
    /// The number of row tiles.
    pub row_tiles: u32,
}

impl TileSpec {
    /// Returns the key shared by all lanes of the tile.
    fn key(&self, source: &SpectrogramSource) -> String {
        let Self { analysis, lanes, level, column_tile, row_level, row_tile, row_tiles, .. } = self;
        let analysis = analysis.key();
        // The leading number is the version of how wide columns are made.
        format!("2|{}|{analysis}|{lanes:?}|{level}|{column_tile}|{row_level}|{row_tile}|{row_tiles}", source.key())
    }
}

/// One lane of a tile, as [`Spectrograms::tile`] returns it.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivered {
    /// The lane.
    pub tiles: Arc<Tiles>,
    /// The device that computed it, and why; `None` if it came from memory or from disk.
    pub report: Option<DeviceReport>,
}

/// All lanes of a tile.
struct Made {
    tiles: Vec<Arc<Tiles>>,
    /// The device that computed the last part; `None` if every part came from memory or from disk.
    report: Option<DeviceReport>,
}

/// Computes and caches tiles. All lanes of a tile are computed together, because they share the decoding.
///
/// A cached tile serves requests for any device: the results of the CPU and of a GPU are within 0.01 dB of each other,
/// two code steps, for everything less than 70 dB below the loudest. Only reassigned tiles can have a cell's energy in
/// the neighbouring row or column, where rounding decides. A caller that needs identical bits requests the CPU from a
/// separate service.
pub struct Spectrograms {
    memory: Mutex<TileCache>,
    disk: Option<FileCache>,
    /// Coarse tiles that were computed along with another lane and have not been delivered yet.
    fresh: Mutex<HashSet<String>>,
    /// The keys of the tiles being computed.
    busy: Mutex<HashSet<String>>,
    freed: Condvar,
    /// The most tiles computed in parallel.
    most_busy: usize,
}

impl Spectrograms {
    /// Creates a service that keeps up to `memory_bytes` in memory, and expensive tiles on disk.
    pub fn new(memory_bytes: usize, disk: Option<FileCache>) -> Self {
        Self {
            memory: Mutex::new(TileCache::new(memory_bytes)),
            disk,
            fresh: Mutex::default(),
            busy: Mutex::default(),
            freed: Condvar::new(),
            // Each uses all threads for its transforms; a second one decodes in the meantime.
            most_busy: 2,
        }
    }

    /// Returns one lane of a tile, computed if necessary on the device that `placement` requests, with the device that
    /// computed it. If exact columns would take long, the first result has one window per column and is marked as not
    /// exact; a second request returns the exact one.
    pub fn tile(
        &self,
        source: &SpectrogramSource,
        spec: &TileSpec,
        placement: &Placement,
        progress: &Progress,
    ) -> Result<Delivered> {
        let lanes = spec.lanes.count(source.format().channels);
        if spec.lane >= lanes {
            return Err(Error::invalid("lane of a spectrogram", spec.lane.to_string(), format!("below {lanes}")));
        }
        if spec.level > MAX_LEVEL {
            return Err(Error::invalid("level of a spectrogram", spec.level.to_string(), format!("0 to {MAX_LEVEL}")));
        }
        let key = spec.key(source);
        let own_key = lane_key(&key, spec.lane);
        let making = loop {
            progress.check()?;
            let busy = lock(&self.busy);
            let known = lock(&self.memory).get(&own_key);
            match known {
                Some(tiles) if tiles.exact || lock(&self.fresh).remove(&own_key) => {
                    return Ok(Delivered { tiles, report: None });
                }
                known if busy.len() < self.most_busy && !busy.contains(&key) => {
                    break self.begin(busy, &key, known.is_some());
                }
                _ => drop(self.freed.wait_timeout(busy, LOOK_EVERY)),
            }
        };
        background::run(|| self.make(source, spec, &making, placement, progress))
    }

    /// The size of the tiles in memory, in bytes.
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
    ) -> Result<Delivered> {
        let windows = spec.analysis.windows_per_column(1 << spec.level);
        let lanes = spec.lanes.count(source.format().channels);
        if let Some(tiles) = self.stored(&making.key, windows, lanes) {
            return Ok(Delivered { tiles: self.keep(&making.key, tiles, spec.lane)?, report: None });
        }
        let base = wide::base_level(spec, source);
        let is_wide = base < spec.level;
        let exact = windows <= FEW_WINDOWS || making.coarse_is_known || (is_wide && self.has_base(source, spec, base));
        let Made { tiles, report } = if exact && is_wide {
            self.joined(source, spec, base, placement, progress)?
        } else {
            self.computed(source, spec, exact, placement, progress)?
        };
        if exact {
            self.store(&making.key, windows, &tiles);
        } else {
            (0..lanes).filter(|&lane| lane != spec.lane).for_each(|lane| self.keep_for_others(&making.key, lane));
        }
        Ok(Delivered { tiles: self.keep(&making.key, tiles, spec.lane)?, report })
    }

    /// Analyses all lanes.
    fn computed(
        &self,
        source: &SpectrogramSource,
        spec: &TileSpec,
        exact: bool,
        placement: &Placement,
        progress: &Progress,
    ) -> Result<Made> {
        let part = TilePart { level: spec.level, column_tile: spec.column_tile, exact };
        let rate = source.format().rate;
        let span = spec.analysis.axis(rate).tiles(spec.row_level, spec.row_tile, spec.row_tiles)?;
        let analyser = spec.analysis.columns(rate, span)?;
        let (codes, report) = compute::tiles(source, analyser.as_ref(), spec.lanes, part, placement, progress)?;
        let columns = part.columns(source.frames()) as usize;
        let tiles = |codes| Arc::new(Tiles { columns, rows: analyser.rows(), exact, codes });
        Ok(Made { tiles: codes.into_iter().map(tiles).collect(), report })
    }

    /// Makes all lanes from narrower columns; those not cached are analysed first. If this is cancelled, the columns
    /// analysed so far remain cached.
    fn joined(
        &self,
        source: &SpectrogramSource,
        spec: &TileSpec,
        base: u32,
        placement: &Placement,
        progress: &Progress,
    ) -> Result<Made> {
        let lanes = spec.lanes.count(source.format().channels);
        let mut parts: Vec<Vec<Arc<Tiles>>> = vec![Vec::new(); lanes];
        let mut report = None;
        for narrow in wide::base_tiles(spec, base, source.frames()) {
            progress.check()?;
            let made = self.base_tile(source, &narrow, placement, progress)?;
            report = made.report.or(report);
            parts.iter_mut().zip(made.tiles).for_each(|(parts, tiles)| parts.push(tiles));
        }
        let part = TilePart { level: spec.level, column_tile: spec.column_tile, exact: true };
        let columns = part.columns(source.frames()) as usize;
        let joined = parts.iter().map(|parts| {
            let rows = parts.first().map_or(0, |part| part.rows);
            let codes = wide::joined(parts, spec.level - base, columns);
            Arc::new(Tiles { columns, rows, exact: true, codes })
        });
        Ok(Made { tiles: joined.collect(), report })
    }

    fn base_tile(
        &self,
        source: &SpectrogramSource,
        spec: &TileSpec,
        placement: &Placement,
        progress: &Progress,
    ) -> Result<Made> {
        let key = spec.key(source);
        let lanes = spec.lanes.count(source.format().channels);
        let kept: Option<Vec<_>> = {
            let mut memory = lock(&self.memory);
            (0..lanes).map(|lane| memory.get(&lane_key(&key, lane)).filter(|tiles| tiles.exact)).collect()
        };
        if let Some(tiles) = kept {
            return Ok(Made { tiles, report: None });
        }
        let windows = spec.analysis.windows_per_column(1 << spec.level);
        let made = if let Some(tiles) = self.stored(&key, windows, lanes) {
            Made { tiles, report: None }
        } else {
            let made = self.computed(source, spec, true, placement, progress)?;
            self.store(&key, windows, &made.tiles);
            made
        };
        let mut memory = lock(&self.memory);
        let lanes = made.tiles.iter().enumerate();
        lanes.for_each(|(lane, tiles)| memory.insert(lane_key(&key, lane), Arc::clone(tiles)));
        Ok(made)
    }

    /// Returns whether all base tiles of a wide tile are in memory.
    fn has_base(&self, source: &SpectrogramSource, spec: &TileSpec, base: u32) -> bool {
        let lanes = spec.lanes.count(source.format().channels);
        let mut memory = lock(&self.memory);
        wide::base_tiles(spec, base, source.frames()).all(|narrow| {
            let key = narrow.key(source);
            (0..lanes).all(|lane| memory.get(&lane_key(&key, lane)).is_some_and(|tiles| tiles.exact))
        })
    }

    /// Caches all lanes in memory and returns one.
    fn keep(&self, key: &str, tiles: Vec<Arc<Tiles>>, lane: usize) -> Result<Arc<Tiles>> {
        let wanted = tiles.get(lane).map(Arc::clone);
        let mut memory = lock(&self.memory);
        tiles.into_iter().enumerate().for_each(|(lane, tiles)| memory.insert(lane_key(key, lane), tiles));
        wanted.ok_or_else(|| Error::Internal("a lane of a spectrogram was not made".into()))
    }

    fn keep_for_others(&self, key: &str, lane: usize) {
        let mut fresh = lock(&self.fresh);
        // Entries that are never requested, because their lane is out of sight, must not pile up.
        if fresh.len() >= MAX_FRESH {
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
        // A failed write only makes the next time slower.
        if let Err(error) = disk.store(key, encode(tiles)) {
            tracing::warn!("{error}");
        }
    }
}

/// Marks a tile as being computed, until it is dropped.
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

fn lane_key(key: &str, lane: usize) -> String {
    format!("{key}|{lane}")
}

/// Encodes columns and rows as u32, then the codes lane by lane, all little-endian.
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
