//! Spectrogram tiles: parts of the picture of a recording, analysed for the zoom at which they are shown.
//!
//! A tile is 256 columns wide. Column `c` of tile `t` at level `l` stands for the frames
//! `[(256 t + c) 2^l, (256 t + c + 1) 2^l)`; its level is the mean power of windows no further apart than half their
//! size, of the highest bin in each row, so that zooming out loses nothing and zooming in sharpens. Columns of many more
//! windows are the mean power of such columns (`wide`), in 0.005 dB. A tile's rows share the frequency axis evenly: at row
//! level `r` the axis has `256 2^r` rows. The values are codes of 0.005 dB ([`LevelCode::FINE`]); range, gain and colours
//! are a lookup where they are shown.
//!
//! [`Method`] says how energy is told apart in time and frequency; an [`Analyser`] does it for the rows that are asked for.
//! What is read out at a place ([`spectrum_at`]) always comes from one plain window of the size that is set: nothing is
//! more exact about the frequency, level and phase of a tone there.
//!
//! Wide columns come twice: first from one window each, which takes no longer however long the recording is, then exact.

mod analyser;
mod analysis;
mod cache;
mod compute;
mod cursor;
mod lanes;
mod method;
mod placed;
mod service;
mod source;
mod wide;

pub use analyser::{Analyser, RowSpan};
pub use analysis::{Analysis, Axis, EXACT, TILE_COLUMNS, TILE_ROWS};
pub use cache::Tiles;
pub use cursor::{SpectrumReading, spectrum_at};
pub use lanes::Lanes;
pub use method::Method;
pub use placed::{Extent, PlacedAnalyser};
pub use service::{Spectrograms, TileSpec};
pub use source::SpectrogramSource;

#[allow(unused_imports, reason = "named in the documentation")]
use crate::kernels::stft::LevelCode;
