//! Computes tiles: reads the frames that their columns need, piece by piece, and analyses every lane.

use super::{EXACT, Extent, PlacedAnalysis, SpectrogramSource, TILE_COLUMNS};
use audio::{AudioBuffer, AudioReader, Lanes};
use base::error::Result;
use base::progress::Progress;
use dsp::device::DeviceReport;
use dsp::device::Placement;
use dsp::kernels::signal::stft::{ColumnAnalysis, ColumnGrid, Samples, Spacing};

/// Frames read and analysed at a time: 4 MiB per channel.
const PIECE_FRAMES: u64 = 1 << 20;

/// The columns to compute and their accuracy.
#[derive(Clone, Copy, Debug)]
pub(super) struct TilePart {
    /// A column has 2 to this power frames.
    pub level: u32,
    /// The index of the tile along time.
    pub column_tile: u64,
    /// Whether all frames are covered, rather than one window per column.
    pub exact: bool,
}

impl TilePart {
    fn column_frames(&self) -> u64 {
        1 << self.level
    }

    /// Returns how many of its columns a recording of `frames` frames has.
    pub fn columns(&self, frames: u64) -> u64 {
        let all = frames.div_ceil(self.column_frames());
        all.saturating_sub(self.column_tile.saturating_mul(TILE_COLUMNS)).min(TILE_COLUMNS)
    }
}

/// Returns the codes of every lane, row by row from the lowest up, and the device that computed them; `None` if there
/// are no columns.
pub(super) fn tiles(
    source: &SpectrogramSource,
    analyser: &dyn ColumnAnalysis,
    lanes: Lanes,
    part: TilePart,
    placement: &Placement,
    progress: &Progress,
) -> Result<(Vec<Vec<u16>>, Option<DeviceReport>)> {
    let columns = part.columns(source.frames()) as usize;
    let count = lanes.count(source.format().channels);
    let mut codes = vec![vec![0; analyser.rows() * columns]; count];
    if columns == 0 {
        return Ok((codes, None));
    }
    let typical = grid(part, 0, piece(analyser, part).min(columns));
    let extent = Extent { piece: typical, columns, lanes: count, level_bytes: 2 };
    let mut placed = PlacedAnalysis::new(analyser, placement, &extent)?;
    source.read(|reader| {
        let mut at = 0;
        while at < columns {
            progress.check()?;
            let count = piece(analyser, part).min(columns - at);
            let piece = grid(part, at, count);
            let (audio, first_frame) = read(reader, analyser.reach(&piece))?;
            for (lane, codes) in codes.iter_mut().enumerate() {
                let samples = lanes.samples(&audio, lane);
                let tile = placed.fine(&piece, Samples { samples: &samples, first_frame }, progress)?;
                for row in 0..tile.rows {
                    codes[row * columns + at..][..count].copy_from_slice(tile.row(row));
                }
            }
            at += count;
        }
        Ok(())
    })?;
    Ok((codes, Some(placed.report().clone())))
}

/// Returns the number of columns computed at a time.
fn piece(analyser: &dyn ColumnAnalysis, part: TilePart) -> usize {
    let one = analyser.reach(&grid(part, 0, 1));
    // Sparse windows: the frames between them are not read.
    if !part.exact && part.column_frames() > 2 * (one.end - one.start).max(0) as u64 {
        return 1;
    }
    (PIECE_FRAMES / part.column_frames()).clamp(1, TILE_COLUMNS) as usize
}

fn grid(part: TilePart, first: usize, count: usize) -> ColumnGrid {
    let each = part.column_frames();
    let column = part.column_tile * TILE_COLUMNS + first as u64;
    ColumnGrid {
        count,
        first_centre: (column * each) as f64 + each as f64 / 2.0,
        frames_each: each as f64,
        spacing: if part.exact { EXACT } else { Spacing::One },
    }
}

/// Reads the part of a range that exists. Returns it with its first frame.
fn read(reader: &mut dyn AudioReader, range: std::ops::Range<i64>) -> Result<(AudioBuffer, i64)> {
    let first = range.start.max(0).min(reader.frames() as i64);
    let frames = (range.end.min(reader.frames() as i64) - first).max(0);
    let mut audio = AudioBuffer::new(reader.format().channels, 0);
    if reader.position() != first as u64 {
        reader.seek(first as u64)?;
    }
    reader.read(&mut audio, frames as usize)?;
    Ok((audio, first))
}
