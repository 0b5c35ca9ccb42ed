//! The CPU twin: computes a tile for each window length and fades the tiles into one.

use super::MultiResolutionPlan;
use crate::kernels::signal::stft::{ColumnAnalysis as _, ColumnGrid, Samples, Tile, TileRequest, cpu};
use base::error::Result;

/// Returns the levels of the columns in dB re a full-scale sine.
pub fn levels(plan: &MultiResolutionPlan, grid: &ColumnGrid, samples: Samples<'_>) -> Result<Tile<f32>> {
    grid.check(plan.rows())?;
    let mut tile = Tile { rows: plan.rows(), columns: grid.count, values: vec![0.0; plan.rows() * grid.count] };
    for part in plan.parts() {
        let columns = grid.columns(part.size());
        let part_tile = cpu::levels(&TileRequest { plan: &part.plan, rows: &part.rows, columns, samples })?;
        for (row, (&share, first)) in part.shares.iter().zip(&part.first).enumerate() {
            let to = &mut tile.values[(part.first_row + row) * grid.count..][..grid.count];
            for (to, &level) in to.iter_mut().zip(part_tile.row(row)) {
                *to = if *first { share * level } else { *to + share * level };
            }
        }
    }
    Ok(tile)
}
