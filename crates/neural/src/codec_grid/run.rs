//! Runs a grid: several cells at a time, independently of each other.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::ThreadPoolBuilder;

use super::cell::{Measured, measured};
use super::gate::Gate;
use super::material::Recording;
use super::store::{Decoded, Store, key};
use super::{Cell, Grid, Results};
use crate::codecs::{Codec, Sound};
use analysis::compare::Request;
use audio::AudioFormat;
use audio::encode::{Dither, EncodeSettings, Encoder, SampleFormat};
use base::error::{Error, ErrorCode, Failure, Result};
use base::files::Protected;
use base::lock::lock;
use base::progress::Progress;

/// Works through all cells. `progress` counts them; `tell` is called for each finished cell, from any thread. A cell
/// that fails does not stop the others.
///
/// # Errors
/// Only errors of the grid as a whole, such as a folder that cannot be used or a full disk. Finished cells are kept.
pub fn run(grid: &Grid, progress: &Progress, tell: &(dyn Fn(&Cell) + Sync)) -> Result<Results> {
    grid.check()?;
    let store = Store::open(&grid.folder)?;
    let work = Work::new(grid, &store, progress);
    let count = work.ends.len();
    progress.set_total(count as u64);
    let jobs = grid.jobs.clamp(1, count);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // Each job has separate threads for the parallel work of a cell, so that jobs disturb each other's times as little
    // as possible.
    let pools: Vec<_> = (0..jobs)
        .map(|_| ThreadPoolBuilder::new().num_threads((cores / jobs).max(1)).build())
        .collect::<std::result::Result<_, _>>()
        .map_err(|error| Error::Internal(format!("no threads for a grid: {error}")))?;
    std::thread::scope(|scope| {
        for pool in &pools {
            let work = &work;
            scope.spawn(move || pool.install(|| work.one_after_another(tell)));
        }
    });
    if let Some(error) = lock(&work.problem).take() {
        return Err(error);
    }
    progress.check()?;
    let cells = work.ends.into_iter().filter_map(|end| end.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok(Results { grid: grid.clone(), cells: cells.collect() })
}

struct Work<'a> {
    grid: &'a Grid,
    store: &'a Store,
    progress: &'a Progress,
    gate: Gate,
    recordings: Vec<Recording>,
    inputs: Protected,
    /// Codecs that keep every frame of a format in place.
    in_place: Mutex<HashSet<(usize, AudioFormat)>>,
    next: AtomicUsize,
    ends: Vec<Mutex<Option<Cell>>>,
    /// The error that ends the whole run.
    problem: Mutex<Option<Error>>,
    is_stopped: AtomicBool,
}

impl<'a> Work<'a> {
    fn new(grid: &'a Grid, store: &'a Store, progress: &'a Progress) -> Self {
        let (inputs, codecs) = (&grid.inputs, grid.codecs.len());
        let paths: Vec<PathBuf> = inputs.iter().map(|input| input.path.clone()).collect();
        Self {
            grid,
            store,
            progress,
            gate: Gate::new(),
            recordings: inputs.iter().map(|input| Recording::new(&input.path, codecs)).collect(),
            inputs: Protected::new(&paths),
            in_place: Mutex::default(),
            next: AtomicUsize::new(0),
            ends: (0..inputs.len() * codecs).map(|_| Mutex::new(None)).collect(),
            problem: Mutex::new(None),
            is_stopped: AtomicBool::new(false),
        }
    }

    fn one_after_another(&self, tell: &(dyn Fn(&Cell) + Sync)) {
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.ends.len() || self.is_stopped.load(Ordering::Relaxed) || self.progress.is_cancelled() {
                return;
            }
            let (input, codec) = (index / self.grid.codecs.len(), index % self.grid.codecs.len());
            // A panic is a bug, but the other cells need not suffer from it.
            let ended = catch_unwind(AssertUnwindSafe(|| self.cell(input, codec)));
            self.recordings[input].release();
            let cell = match ended {
                Ok(Ok(cell)) => cell,
                Ok(Err(error)) => {
                    self.is_stopped.store(true, Ordering::Relaxed);
                    lock(&self.problem).get_or_insert(error);
                    return;
                }
                Err(_) => failed(input, codec, Error::Internal("the codec or the comparison panicked".into()).into()),
            };
            if matches!(&cell.outcome, Err(failure) if failure.code == ErrorCode::Cancelled) {
                return;
            }
            tell(&cell);
            *lock(&self.ends[index]) = Some(cell);
            // A cancel is noticed above.
            let _ = self.progress.advance(1);
        }
    }

    /// Works on a cell. An error is one of the whole run.
    fn cell(&self, input: usize, index: usize) -> Result<Cell> {
        let (path, codec) = (&self.grid.inputs[input].path, self.grid.codecs[index].as_ref());
        let request = &self.grid.request;
        if let Some((measured, decoded)) = self.store.found(path, codec, request, self.grid.keeps_decoded) {
            self.learn(index, &measured);
            return Ok(Cell { input, codec: index, outcome: Ok(measured), decoded, is_from_before: true });
        }
        let taken = match self.recordings[input].take(&self.gate, self.progress) {
            Ok(taken) => taken,
            Err(failure) => return Ok(failed(input, index, failure)),
        };
        // The alignment takes longer than most encoders. Where a codec puts its frames depends on the format alone.
        let is_in_place = request.align && lock(&self.in_place).contains(&(index, taken.sound.format()));
        let cell_request = Request { align: request.align && !is_in_place, ..request.clone() };
        let (mut found, sound) = match measured(&taken.sound, codec, &cell_request, &taken.kept, self.progress) {
            Ok(found) => found,
            Err(error) => return Ok(failed(input, index, error.into())),
        };
        found.is_in_place = is_in_place;
        self.learn(index, &found);
        found.notes.splice(0..0, taken.warnings.iter().cloned());
        let decoded = if self.grid.keeps_decoded {
            let target = self.decoded_path(input, codec);
            match self.write(&target, &sound) {
                Ok(()) => {}
                // A full disk, or one that cannot be written, concerns the whole run.
                Err(error @ Error::Io { .. }) => return Err(error),
                Err(error) => return Ok(failed(input, index, error.into())),
            }
            Some(Decoded::of(self.store.folder(), target)?)
        } else {
            None
        };
        let path_of_decoded = decoded.as_ref().map(|decoded| decoded.path.clone());
        if let Some(stamp) = taken.stamp {
            self.store.keep(path, stamp, codec, request, (&found, decoded))?;
        }
        Ok(Cell { input, codec: index, outcome: Ok(found), decoded: path_of_decoded, is_from_before: false })
    }

    /// Remembers that a codec keeps every frame of a format in place.
    fn learn(&self, codec: usize, found: &Measured) {
        if found.alignment.is_some_and(|alignment| alignment.is_in_place()) {
            lock(&self.in_place).insert((codec, found.format));
        }
    }

    /// Returns where decoded sound is kept: a folder for the codec and one for the category, and the recording's name
    /// with a part of the cell's key, since two recordings may have one name.
    fn decoded_path(&self, input: usize, codec: &dyn Codec) -> PathBuf {
        let input = &self.grid.inputs[input];
        let plain: String = codec.name().chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
        // The name of a model's codec contains its path, whose end is the most telling.
        let folder = match plain.len().checked_sub(LONGEST_FOLDER) {
            Some(beyond @ 1..) => format!("{}-{}", codec.family(), &plain[beyond..]),
            _ => plain,
        };
        let mut name = input.path.file_stem().unwrap_or_default().to_owned();
        name.push(format!("-{}.wav", &key(&input.path, codec)[..8]));
        Path::new("decoded").join(folder).join(&input.category).join(name)
    }

    fn write(&self, target: &Path, sound: &Sound) -> Result<()> {
        let path = self.store.folder().join(target);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| Error::io("make the folder", folder, error))?;
        }
        let settings =
            EncodeSettings { sample: SampleFormat::Float32, dither: Dither::None, ..EncodeSettings::default() };
        let mut encoder = Encoder::create(&path, &settings, sound.format(), true, self.inputs.clone())?;
        encoder.write(&sound.samples)?;
        encoder.finish().map(drop)
    }
}

/// The longest name of a codec's folder that is not cut: file systems have names of 255 bytes.
const LONGEST_FOLDER: usize = 100;

fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-')
}

fn failed(input: usize, codec: usize, failure: Failure) -> Cell {
    Cell { input, codec, outcome: Err(failure), decoded: None, is_from_before: false }
}
