//! Runs the graphs of a model.

use std::sync::{Arc, Mutex};

use crate::models::{CodecModel, Piece};
use crate::network::{Constants, Item, Session, State};
use base::error::{Error, Result};
use base::lock::lock;
use base::progress::Progress;
use dsp::device::{DeviceJob, DeviceReport, DeviceRequest, Devices, RunPurpose};

/// The most plans that are kept: a file has first, middle and last pieces in both directions.
const KEPT: usize = 12;

/// The direction, the number of books and the piece that a plan is for.
pub type Key = (Direction, usize, Piece);

/// The half of a model that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From sound to codes.
    Encode,
    /// From codes to sound.
    Decode,
}

/// The plans of a model for pieces of the lengths that come again.
#[derive(Debug)]
pub struct Plans {
    constants: Arc<Constants>,
    recent: Mutex<Vec<(Key, Arc<Session>)>>,
}

impl Plans {
    /// Begins with a model's numbers.
    pub fn new(model: &dyn CodecModel) -> Self {
        Self { constants: Constants::new(model.parameters()), recent: Mutex::default() }
    }

    /// Returns the plan for a key, creating it if it is not kept.
    pub fn session(&self, model: &dyn CodecModel, key: Key) -> Result<Arc<Session>> {
        if let Some((_, found)) = lock(&self.recent).iter().find(|(kept, _)| *kept == key) {
            return Ok(Arc::clone(found));
        }
        let (direction, books, piece) = key;
        let graph = match direction {
            Direction::Encode => model.encoder(books, piece)?,
            Direction::Decode => model.decoder(books, piece)?,
        };
        let session = Arc::new(Session::new(&graph, &self.constants)?);
        let mut recent = lock(&self.recent);
        recent.push((key, Arc::clone(&session)));
        if recent.len() > KEPT {
            recent.remove(0);
        }
        Ok(session)
    }
}

/// Runs a model.
#[derive(Clone, Debug)]
pub struct Runner {
    model: Arc<dyn CodecModel>,
    plans: Arc<Plans>,
    devices: Arc<Devices>,
    request: DeviceRequest,
}

impl Runner {
    /// Takes a model with its plans, to be run on the CPU.
    pub fn new(model: Arc<dyn CodecModel>, plans: Arc<Plans>) -> Self {
        Self { model, plans, devices: Arc::default(), request: DeviceRequest::Cpu }
    }

    /// Sets the requested device.
    pub fn place(&mut self, devices: Arc<Devices>, request: DeviceRequest) {
        (self.devices, self.request) = (devices, request);
    }

    /// The model.
    pub fn model(&self) -> &dyn CodecModel {
        self.model.as_ref()
    }

    /// Begins to code a sound of `frames` frames, on a device that is chosen with the first piece.
    pub fn begin(&self, frames: u64) -> Run<'_> {
        Run { runner: self, frames, job: None }
    }
}

/// The coding of one sound: all its pieces run on one device, or the remaining ones on the CPU after that device
/// failed.
#[derive(Debug)]
pub struct Run<'a> {
    runner: &'a Runner,
    frames: u64,
    job: Option<DeviceJob<()>>,
}

impl Run<'_> {
    /// The model.
    pub fn model(&self) -> &dyn CodecModel {
        self.runner.model()
    }

    /// Runs one half on a piece: channels x frames of sound, or books x codes. Returns the rows of the result.
    pub fn piece(
        &mut self,
        direction: Direction,
        books: usize,
        piece: Piece,
        input: &[f32],
        state: &mut State,
        progress: &Progress,
    ) -> Result<Vec<Vec<f32>>> {
        progress.check()?;
        let rows = match direction {
            Direction::Encode => books,
            Direction::Decode => self.model().facts().channels,
        };
        let session = self.runner.plans.session(self.runner.model(), (direction, books, piece))?;
        let job = self.job(&session, direction, piece)?;
        let mut items = [Item::new(vec![input], state)];
        session.run_on(job, &mut items, progress)?;
        let [item] = items;
        let Some(values) = item.outputs.into_iter().next() else {
            return Err(Error::Internal("a network without a result".into()));
        };
        let length = (values.len() / rows.max(1)).max(1);
        Ok(values.chunks(length).map(<[f32]>::to_vec).collect())
    }

    /// Returns whether pieces run on a GPU. If no device is chosen yet, chooses one for pieces of `codes` codes.
    pub fn is_on_gpu(&mut self, direction: Direction, books: usize, codes: usize) -> Result<bool> {
        let length = if direction == Direction::Encode { codes * self.model().facts().hop } else { codes };
        let piece = Piece::of_more(length, true, false);
        if self.job.is_none() {
            let session = self.runner.plans.session(self.runner.model(), (direction, books, piece))?;
            self.job(&session, direction, piece)?;
        }
        Ok(self.job.as_ref().is_some_and(DeviceJob::is_on_gpu))
    }

    /// Returns the job, creating it with the first piece.
    fn job(&mut self, session: &Session, direction: Direction, piece: Piece) -> Result<&mut DeviceJob<()>> {
        let runner = self.runner;
        let frames = match direction {
            Direction::Encode => piece.length,
            Direction::Decode => piece.length * runner.model().facts().hop,
        };
        let runs = self.frames.div_ceil((frames as u64).max(1));
        Ok(match &mut self.job {
            Some(job) => job,
            empty => empty.insert(session.job(&runner.request, &runner.devices, RunPurpose::Export, Some(runs))?),
        })
    }

    /// Returns where the pieces ran and why; `None` if no piece ran.
    pub fn into_report(self) -> Option<DeviceReport> {
        self.job.map(|job| job.report().clone())
    }
}

/// Returns codes as integers; they are whole numbers in f32.
pub fn codes(rows: Vec<Vec<f32>>) -> Vec<Vec<i32>> {
    rows.into_iter().map(|row| row.into_iter().map(|code| code as i32).collect()).collect()
}

/// Returns a range of each series of codes, concatenated, as a network takes them.
pub fn input_of(books: &[Vec<i32>], range: std::ops::Range<usize>) -> Vec<f32> {
    books.iter().flat_map(|book| book[range.clone()].iter().map(|&code| code as f32)).collect()
}

/// Appends the rows of a piece to those before it.
pub fn append<T>(rows: &mut Vec<Vec<T>>, piece: Vec<Vec<T>>) {
    if rows.is_empty() {
        *rows = piece;
        return;
    }
    rows.iter_mut().zip(piece).for_each(|(row, piece)| row.extend(piece));
}
