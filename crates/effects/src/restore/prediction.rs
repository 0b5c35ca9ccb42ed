//! Linear prediction: fits a predictor, computes its residual, and fills in missing samples.

/// Returns the coefficients `a` of `x(n) = a(1) x(n-1) + .. + a(p) x(n-p) + e(n)` with the least error, by
/// autocorrelation under a Hann window and the Levinson recursion. `None` for silence and for too few samples.
pub(super) fn fit(samples: &[f64], order: usize) -> Option<Vec<f64>> {
    let step = std::f64::consts::TAU / samples.len() as f64;
    let windowed: Vec<f64> =
        samples.iter().enumerate().map(|(n, x)| x * (0.5 - 0.5 * (step * (n as f64 + 0.5)).cos())).collect();
    if order >= samples.len() {
        return None;
    }
    let mut lags: Vec<f64> =
        (0..=order).map(|lag| windowed.iter().zip(&windowed[lag..]).map(|(a, b)| a * b).sum()).collect();
    // A trace of white noise keeps the prediction of a pure tone stable.
    lags[0] *= 1.0 + 1e-9;
    if lags[0] <= 1e-18 {
        return None;
    }
    let mut a = vec![0.0; order];
    let mut error = lags[0];
    for m in 0..order {
        let foreseen: f64 = (0..m).map(|k| a[k] * lags[m - k]).sum();
        let reflection = (lags[m + 1] - foreseen) / error;
        let before = a.clone();
        a[m] = reflection;
        for k in 0..m {
            a[k] = before[k] - reflection * before[m - 1 - k];
        }
        error *= 1.0 - reflection * reflection;
        if error <= lags[0] * 1e-14 {
            break;
        }
    }
    Some(a)
}

/// Returns the prediction error of each sample; 0 for samples with too few before them.
pub(super) fn residual(samples: &[f64], a: &[f64]) -> Vec<f64> {
    let order = a.len();
    let mut error = vec![0.0; samples.len()];
    let backwards: Vec<f64> = a.iter().rev().copied().collect();
    for (error, seen) in error[order..].iter_mut().zip(samples.windows(order + 1)) {
        let (past, now) = seen.split_at(order);
        *error = now[0] - past.iter().zip(&backwards).map(|(x, a)| x * a).sum::<f64>();
    }
    error
}

/// Fills the `missing` samples (in ascending order) with the values that minimise the prediction error around them.
/// They solve normal equations that contain only the autocorrelation of `1, -a(1), .. -a(p)` (Janssen, Veldhuis and
/// Vries, 1986).
pub(super) fn fill(samples: &mut [f64], missing: &[usize], a: &[f64]) {
    let filter: Vec<f64> = std::iter::once(1.0).chain(a.iter().map(|a| -a)).collect();
    let order = a.len();
    let weight: Vec<f64> =
        (0..=order).map(|lag| filter.iter().zip(&filter[lag..]).map(|(x, y)| x * y).sum::<f64>()).collect();
    let mut is_missing = vec![false; samples.len()];
    missing.iter().for_each(|at| is_missing[*at] = true);
    let count = missing.len();
    // The lower triangle, row by row. Samples further apart than the order have no weight, so a row begins that many
    // columns before its diagonal, and the time is linear in the number of samples.
    let first = |row: usize| row.saturating_sub(order);
    let weight_between = |row: usize, column: usize| weight.get(missing[row] - missing[column]).copied().unwrap_or(0.0);
    let mut matrix: Vec<Vec<f64>> =
        (0..count).map(|row| (first(row)..=row).map(|column| weight_between(row, column)).collect()).collect();
    let mut right: Vec<f64> = missing
        .iter()
        .map(|&at| {
            let around = at.saturating_sub(order)..(at + order + 1).min(samples.len());
            -around.filter(|n| !is_missing[*n]).map(|n| weight[n.abs_diff(at)] * samples[n]).sum::<f64>()
        })
        .collect();
    // Cholesky decomposition, then forward and back substitution.
    for row in 0..count {
        let start = first(row);
        for column in start..=row {
            let (above, here) = matrix.split_at(row);
            let known = if column == row { &here[0] } else { &above[column] };
            let known_start = first(column);
            let dot: f64 = here[0][..column - start]
                .iter()
                .zip(&known[start - known_start..column - known_start])
                .map(|(x, y)| x * y)
                .sum();
            let rest = here[0][column - start] - dot;
            let diagonal = known[column - known_start];
            let value = if row == column { rest.max(weight[0] * 1e-12).sqrt() } else { rest / diagonal };
            matrix[row][column - start] = value;
        }
    }
    for row in 0..count {
        let start = first(row);
        let dot: f64 = matrix[row][..row - start].iter().zip(&right[start..]).map(|(x, y)| x * y).sum();
        right[row] = (right[row] - dot) / matrix[row][row - start];
    }
    for row in (0..count).rev() {
        let start = first(row);
        right[row] /= matrix[row][row - start];
        let value = right[row];
        for column in start..row {
            right[column] -= matrix[row][column - start] * value;
        }
    }
    for (at, value) in missing.iter().zip(right) {
        samples[*at] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tones(frames: usize) -> Vec<f64> {
        (0..frames).map(|n| (n as f64 * 0.11).sin() + 0.5 * (n as f64 * 0.37 + 1.0).cos()).collect()
    }

    #[test]
    fn two_tones_are_foreseen_and_filled_in() {
        let whole = tones(2000);
        let a = fit(&whole, 16).unwrap();
        let most = residual(&whole, &a)[16..].iter().fold(0.0f64, |most, e| most.max(e.abs()));
        assert!(most < 0.01, "{most}");
        let mut holed = whole.clone();
        let missing: Vec<usize> = (1000..1030).chain([1050]).collect();
        missing.iter().for_each(|at| holed[*at] = 9.0);
        fill(&mut holed, &missing, &a);
        let worst = missing.iter().map(|at| (holed[*at] - whole[*at]).abs()).fold(0.0, f64::max);
        assert!(worst < 0.02, "{worst}");
        assert_eq!(holed[999], whole[999]);
    }

    #[test]
    fn silence_has_no_prediction() {
        assert_eq!(fit(&[0.0; 100], 8), None);
        assert_eq!(fit(&[1.0; 4], 8), None);
    }
}
