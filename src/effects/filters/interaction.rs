//! Gains of bands that hear each other: found so that their sum is what was asked for.

use crate::design::Section;

/// Steps at the most; four are enough for gains that people set.
const STEPS: usize = 30;

/// The most that a gain changes in one step, in decibels.
const LONGEST_STEP_DB: f64 = 20.0;

/// The gains in decibels with which filters in series have the gain `wanted_db[i]` at `w[i]` radians per frame for every
/// `i`; `filter(j, gain)` is filter `j`. By Newton's method, from what is wanted: a filter's response in decibels is all
/// but proportional to its gain, so that it ends after a few steps, exact to rounding.
pub(super) fn solved(wanted_db: &[f64], w: &[f64], filter: impl Fn(usize, f64) -> Section) -> Vec<f64> {
    let count = wanted_db.len();
    let at = |j: usize, gain: f64| -> Vec<f64> {
        let section = filter(j, gain);
        w.iter().map(|&w| section.response_with_slope(w).magnitude_db().unwrap_or(f64::NEG_INFINITY)).collect()
    };
    let mut gains = wanted_db.to_vec();
    for _ in 0..STEPS {
        // Rows are places, columns filters; behind them what is missing.
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

/// The solution of a linear system by elimination with pivots; each row with its right-hand side behind it.
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
