//! Solves for the gains of overlapping bands, so that their sum matches the requested response.

use dsp::design::Section;

/// The maximum number of Newton steps. Four are enough for typical gains.
const STEPS: usize = 30;

/// The maximum change of a gain in one step, in dB.
const LONGEST_STEP_DB: f64 = 20.0;

/// Returns the gains in dB with which filters in series have the gain `wanted_db[i]` at `w[i]` radians per frame for
/// every `i`. `filter(j, gain)` builds filter `j`. Uses Newton's method, starting from the requested gains: the
/// response of a filter in dB is nearly proportional to its gain, so that a few steps are exact up to rounding.
pub(super) fn solved(wanted_db: &[f64], w: &[f64], filter: impl Fn(usize, f64) -> Section) -> Vec<f64> {
    let count = wanted_db.len();
    let at = |j: usize, gain: f64| -> Vec<f64> {
        let section = filter(j, gain);
        w.iter().map(|&w| section.response_with_slope(w).magnitude_db().unwrap_or(f64::NEG_INFINITY)).collect()
    };
    let mut gains = wanted_db.to_vec();
    for _ in 0..STEPS {
        // Rows are frequencies, columns are filters; the last column is the residual.
        let mut rows: Vec<Vec<f64>> =
            wanted_db.iter().map(|&wanted| [vec![0.0; count], vec![wanted]].concat()).collect();
        for (j, &gain) in gains.iter().enumerate() {
            const APART_DB: f64 = 1e-3;
            let (now, below, above) = (at(j, gain), at(j, gain - APART_DB), at(j, gain + APART_DB));
            for (i, row) in rows.iter_mut().enumerate() {
                row[j] = (above[i] - below[i]) / (2.0 * APART_DB);
                row[count] -= now[i];
            }
        }
        let missing = rows.iter().fold(0.0, |most: f64, row| most.max(row[count].abs()));
        if missing < 1e-11 {
            break;
        }
        let steps = eliminated(rows);
        let longest = steps.iter().fold(0.0, |most: f64, step| most.max(step.abs()));
        let share = (LONGEST_STEP_DB / longest).min(1.0);
        gains.iter_mut().zip(steps).for_each(|(gain, step)| *gain += share * step);
    }
    gains
}

/// Solves a linear system by Gaussian elimination with pivoting. Each row ends with its right-hand side.
fn eliminated(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let count = rows.len();
    for column in 0..count {
        let pivot = (column..count).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()));
        rows.swap(column, pivot.unwrap_or(column));
        let (done, rest) = rows.split_at_mut(column + 1);
        let pivot = &done[column];
        for row in rest {
            let factor = row[column] / pivot[column];
            row[column..].iter_mut().zip(&pivot[column..]).for_each(|(value, pivot)| *value -= factor * pivot);
        }
    }
    let mut solution = vec![0.0; count];
    for row in (0..count).rev() {
        let known: f64 = (row + 1..count).map(|column| rows[row][column] * solution[column]).sum();
        solution[row] = (rows[row][count] - known) / rows[row][row];
    }
    solution
}
