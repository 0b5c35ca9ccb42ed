//! Integrated loudness and loudness range from block energies.

use super::blocks::{energy_from_lufs, lufs_from_energy};

const ABSOLUTE_LUFS: f64 = -70.0;
/// The relative gate of integrated loudness: LU below the mean of the blocks above the absolute gate (BS.1770-4).
const RELATIVE_LU: f64 = -10.0;
/// The relative gate of the loudness range (EBU Tech 3342).
const RANGE_RELATIVE_LU: f64 = -20.0;
/// The percentiles of the short-term loudness that bound the range, as shares.
const RANGE_SHARES: [f64; 2] = [0.1, 0.95];

/// Returns the mean of the energies above a gate.
fn mean_above(energies: &[f32], gate: f64) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0u64);
    for energy in energies.iter().map(|&energy| f64::from(energy)).filter(|&energy| energy > gate) {
        sum += energy;
        count += 1;
    }
    (count > 0).then(|| sum / count as f64)
}

/// Returns the relative gate: the mean of the energies above -70 LUFS, moved by `by_lu` LU.
fn relative_gate(energies: &[f32], by_lu: f64) -> Option<f64> {
    mean_above(energies, energy_from_lufs(ABSOLUTE_LUFS)).map(|mean| mean * 10f64.powf(by_lu / 10.0))
}

/// Returns the integrated loudness in LUFS of momentary energies, ten per second; `None` if nothing passes the gates.
pub fn integrated_lufs(momentary: &[f32]) -> Option<f64> {
    let gate = relative_gate(momentary, RELATIVE_LU)?.max(energy_from_lufs(ABSOLUTE_LUFS));
    mean_above(momentary, gate).map(lufs_from_energy)
}

/// Returns the loudness range in LU of short-term energies: the difference of the values at the ranks
/// `round((n - 1) p + 1)`, as in the program of EBU Tech 3342; `None` if nothing passes the gates.
pub fn range_lu(short_term: &[f32]) -> Option<f64> {
    let gate = relative_gate(short_term, RANGE_RELATIVE_LU)?.max(energy_from_lufs(ABSOLUTE_LUFS));
    let mut passed: Vec<f32> = short_term.iter().copied().filter(|&energy| f64::from(energy) > gate).collect();
    passed.sort_by(f32::total_cmp);
    let most = passed.len().checked_sub(1)?;
    let at = |share: f64| lufs_from_energy(f64::from(passed[(share * most as f64).round() as usize]));
    Some(at(RANGE_SHARES[1]) - at(RANGE_SHARES[0]))
}
