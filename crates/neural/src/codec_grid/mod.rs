//! Measurements of codecs: every recording goes through every codec, and the results are put together.
//!
//! ```text
//! files, folders -> inputs (with categories) ┐
//! codecs with settings                       ┴> cells, several at a time:
//!     recording -> codec's rate -> encode -> decode -> compare -> a file in the folder's `cells`
//! cells -> results -> summaries (each codec, each category) -> tables, plots, report
//! ```
//!
//! A run that was stopped or killed continues where it was: finished cells are reused if the recording, the codec and
//! the settings are unchanged.

mod cell;
mod gate;
mod inputs;
mod material;
pub mod report;
mod run;
mod store;
mod summary;

use std::path::PathBuf;
use std::sync::Arc;

pub use cell::{Aligned, Measured, Read, ReadValue, Seconds};
pub use inputs::{Input, inputs};
pub use run::run;
pub use summary::{MeasureSummary, Spread, Summary, summaries};

use crate::codecs::Codec;
use analysis::compare::{MEASURES, Measure, Request};
use base::error::{Error, Failure, Result};

/// The most cells of a grid.
pub const MAX_CELLS: usize = 1_000_000;

/// The measures of a grid unless others are requested: of the waveform, the spectrum, the level and the bandwidth.
/// Those for speech and for pitch take as long as an encoder; `benches/NOTES.md` has the figures.
const USUAL_MEASURES: [&str; 6] = ["snr", "si_sdr", "log_spectral_distance", "mel", "loudness_difference", "bandwidth"];

/// Returns the measures of a grid unless others are requested.
pub fn usual_measures() -> Vec<&'static Measure> {
    MEASURES.iter().filter(|measure| USUAL_MEASURES.contains(&measure.name)).collect()
}

/// The recordings, codecs and measures of a run, and how it is done.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The recordings.
    pub inputs: Vec<Input>,
    /// The codecs with their settings.
    pub codecs: Vec<Arc<dyn Codec>>,
    /// The measures, and whether decoded sound is aligned.
    pub request: Request,
    /// Whether decoded sound is kept as WAV files.
    pub keeps_decoded: bool,
    /// The number of cells processed at a time.
    pub jobs: usize,
    /// The folder of cells and results. It belongs to the grid.
    pub folder: PathBuf,
}

impl Grid {
    /// Checks the size.
    ///
    /// # Errors
    /// [`Error::Limit`] above [`MAX_CELLS`]; [`Error::Impossible`] for an empty grid.
    pub fn check(&self) -> Result<()> {
        let cells = self.inputs.len().saturating_mul(self.codecs.len());
        if cells == 0 {
            return Err(Error::impossible("There is nothing to do. Give at least one recording and one codec."));
        }
        if cells > MAX_CELLS {
            return Err(Error::Limit {
                what: "number of cells (recordings times codecs)".to_owned(),
                got: cells.to_string(),
                limit: MAX_CELLS.to_string(),
            });
        }
        Ok(())
    }
}

/// A cell that has ended, and its outcome.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The recording, as an index of [`Grid::inputs`].
    pub input: usize,
    /// The codec, as an index of [`Grid::codecs`].
    pub codec: usize,
    /// The measurements, or why they failed.
    pub outcome: std::result::Result<Measured, Failure>,
    /// The decoded sound, if it was kept, relative to the grid's folder.
    pub decoded: Option<PathBuf>,
    /// Whether an earlier run had finished it.
    pub is_from_before: bool,
}

/// A grid with what became of its cells, recording by recording.
#[derive(Clone, Debug)]
pub struct Results {
    /// The grid.
    pub grid: Grid,
    /// The cells: those of the first recording in the order of the codecs, then those of the next.
    pub cells: Vec<Cell>,
}

impl Results {
    /// Returns the number of cells that failed.
    pub fn failed(&self) -> usize {
        self.cells.iter().filter(|cell| cell.outcome.is_err()).count()
    }
}
