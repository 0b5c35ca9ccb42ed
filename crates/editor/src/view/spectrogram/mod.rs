//! Spectrogram tiles: parts of a recording's spectrogram, analysed for the zoom at which they are shown.
//!
//! A tile is 256 columns wide. Column `c` of tile `t` at level `l` covers the frames
//! `[(256 t + c) 2^l, (256 t + c + 1) 2^l)`. Its level in each row is the mean power, over windows at most half their
//! size apart, of the highest bin in the row; so zooming out loses nothing and zooming in adds detail. A column of many
//! more windows is the mean power of narrower columns (`wide`), in steps of 0.005 dB. A tile's rows divide the
//! frequency axis evenly: at row level `r` the axis has `256 2^r` rows. Values are codes of 0.005 dB
//! ([`LevelCode::FINE`]); range, gain and colours are applied by a lookup where they are shown.
//!
//! [`Method`] selects how energy is resolved in time and frequency; [`Analysis::columns`] plans it and a [`PlacedAnalysis`] computes it for the requested rows.
//! Values read out at a position ([`spectrum_at`]) always come from one plain window of the configured size, which
//! gives a tone's frequency, level and phase most accurately.
//!
//! Wide columns are delivered twice: first from one window each, which takes constant time for any recording, then
//! exactly.

mod analysis;
mod cache;
mod columns;
mod compute;
mod cursor;
mod method;
mod placed;
mod service;
mod source;
mod wide;

pub use analysis::{Analysis, EXACT, FrequencyAxis, LOG_LOW_HZ, TILE_COLUMNS, TILE_ROWS};
pub use cache::Tiles;
pub use columns::RowSpan;
pub use cursor::{SpectrumReading, spectrum_at};
pub use method::Method;
pub use placed::{Extent, PlacedAnalysis};
pub use service::{Delivered, Spectrograms, TileSpec};
pub use source::SpectrogramSource;

#[allow(unused_imports, reason = "named in the documentation")]
use dsp::kernels::signal::stft::LevelCode;
