//! Wide columns made of narrower ones, so that audio analysed once is not analysed again at another zoom.
//!
//! The base level of a recording's tiles is the narrowest at which a column has eight windows and at which the codes of
//! all columns do not take too much memory. A wider column is the mean power of its base columns. That costs less than
//! reading the codes: the picture of an hour takes a few milliseconds once its base exists.

use std::sync::{Arc, LazyLock};

use rayon::prelude::*;

use super::service::TileSpec;
use super::{SpectrogramSource, TILE_COLUMNS, TILE_ROWS, Tiles};
use dsp::kernels::signal::stft::LevelCode;

/// The least number of windows in a base column: analysing that many takes much longer than keeping the result.
const BASE_WINDOWS: usize = 8;
/// The memory limit for a recording's base columns, so that they stay in memory beside the tiles on screen.
const MAX_BASE_BYTES: u64 = 48 << 20;

/// Returns the level of the base columns for the rows of `spec`.
pub(super) fn base_level(spec: &TileSpec, source: &SpectrogramSource) -> u32 {
    let lanes = spec.lanes.count(source.format().channels) as u64;
    let column_bytes = 2 * lanes * u64::from(spec.row_tiles) * u64::from(TILE_ROWS);
    let suits = |level: &u32| {
        let columns = source.frames() >> level;
        spec.analysis.windows_per_column(1 << level) >= BASE_WINDOWS && columns * column_bytes <= MAX_BASE_BYTES
    };
    (0..spec.level).find(suits).unwrap_or(spec.level)
}

/// Returns the base tiles that a tile is made of, in order, up to the end of the recording.
pub(super) fn base_tiles(spec: &TileSpec, base: u32, frames: u64) -> impl Iterator<Item = TileSpec> + use<> {
    let each = 1_u64 << (spec.level - base);
    let all = frames.div_ceil(TILE_COLUMNS << base);
    let first = spec.column_tile.saturating_mul(each).min(all);
    let spec = *spec;
    (first..first.saturating_add(each).min(all)).map(move |column_tile| TileSpec { level: base, column_tile, ..spec })
}

/// Returns the codes of `columns` columns, row by row. Each is the mean power of `2^doublings` columns of `parts`,
/// which are consecutive; the last column covers the rest.
pub(super) fn joined(parts: &[Arc<Tiles>], doublings: u32, columns: usize) -> Vec<u16> {
    let rows = parts.first().map_or(0, |part| part.rows);
    let each = 1_u64 << doublings;
    let mut codes = vec![0; rows * columns];
    codes.par_chunks_mut(columns.max(1)).enumerate().for_each(|(row, codes)| {
        let mut narrow = parts.iter().flat_map(|part| &part.codes[row * part.columns..][..part.columns]);
        for code in codes {
            let (mut sum, mut count) = (0.0_f64, 0_u64);
            for &narrow in narrow.by_ref().take(each as usize) {
                sum += f64::from(POWERS[usize::from(narrow)]);
                count += 1;
            }
            let db = 10.0 * (sum / count.max(1) as f64).log10();
            *code = LevelCode::FINE.code(db.max(f64::from(LevelCode::FINE.low_db)) as f32) as u16;
        }
    });
    codes
}

/// The power of each code.
static POWERS: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let power = |code| 10_f64.powf(f64::from(LevelCode::FINE.db(code)) / 10.0) as f32;
    (0..=u32::from(u16::MAX)).map(power).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    fn part(rows: usize, columns: usize, code: impl Fn(usize, usize) -> u16) -> Arc<Tiles> {
        let codes = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        Arc::new(Tiles { columns, rows, exact: true, codes: codes.map(|(row, column)| code(row, column)).collect() })
    }

    #[test]
    fn a_wide_column_is_the_mean_power_of_its_narrow_ones() {
        // 20 dB and silence: half the power is 3.01 dB less.
        let half = part(2, 8, |row, column| if column % 2 == 0 { 40_000 + 100 * row as u16 } else { 0 });
        assert_eq!(joined(&[half], 1, 4), [39_398, 39_398, 39_398, 39_398, 39_498, 39_498, 39_498, 39_498]);
        // The mean of equal codes is the same code, whatever their number and the number of parts.
        for code in [0, 1, 12_345, 40_000, 65_535] {
            let parts = [part(1, 256, |_, _| code), part(1, 256, |_, _| code), part(1, 100, |_, _| code)];
            assert_eq!(joined(&parts, 9, 2), [code, code]);
            assert_eq!(joined(&parts, 3, 77), [code; 77]);
        }
    }

    #[test]
    fn the_last_column_has_what_is_left() {
        let parts = [part(1, 4, |_, column| [40_000, 40_000, 40_000, 40_000][column]), part(1, 1, |_, _| 30_000)];
        assert_eq!(joined(&parts, 2, 2), [40_000, 30_000]);
        assert!(joined(&[], 2, 0).is_empty());
    }
}
