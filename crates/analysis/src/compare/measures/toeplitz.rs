//! Solves symmetric Toeplitz systems.

/// Added to the diagonal relative to it, because the autocorrelation of a band-limited signal is nearly singular.
const LOADING: f64 = 1e-10;
/// Corrections of the solution by its residual.
const CORRECTIONS: usize = 2;

/// Solves `R x = b`, where `R[i][j] = row[|i - j|]`, by Levinson's recursion (N. Levinson, 1946), corrected by its
/// residual. `None` if the matrix is singular.
pub(super) fn solved(row: &[f64], right: &[f64]) -> Option<Vec<f64>> {
    let mut row = row.to_vec();
    *row.first_mut()? *= 1.0 + LOADING;
    let mut x = levinson(&row, right)?;
    for _ in 0..CORRECTIONS {
        let product = product(&row, &x);
        let residual: Vec<f64> = right.iter().zip(&product).map(|(b, p)| b - p).collect();
        let correction = levinson(&row, &residual)?;
        x.iter_mut().zip(&correction).for_each(|(x, c)| *x += c);
    }
    Some(x)
}

/// Returns `R x`.
pub(super) fn product(row: &[f64], x: &[f64]) -> Vec<f64> {
    let entry = |i: usize| (0..x.len()).map(|j| row[i.abs_diff(j)] * x[j]).sum();
    (0..x.len()).map(entry).collect()
}

fn levinson(row: &[f64], right: &[f64]) -> Option<Vec<f64>> {
    let n = right.len();
    if n == 0 || row.len() < n || !(row[0] > 0.0) {
        return None;
    }
    // `a` solves the prediction of each order, `error` is what the prediction leaves.
    let (mut a, mut x) = (vec![1.0], vec![right[0] / row[0]]);
    let mut error = row[0];
    for m in 1..n {
        let gap: f64 = (0..m).map(|i| a[i] * row[m - i]).sum();
        let reflection = -gap / error;
        a.push(0.0);
        let turned: Vec<f64> = a.iter().rev().copied().collect();
        a.iter_mut().zip(&turned).for_each(|(a, t)| *a += reflection * t);
        error *= 1.0 - reflection * reflection;
        if !(error > 0.0) {
            return None;
        }
        let rest = right[m] - (0..m).map(|i| x[i] * row[m - i]).sum::<f64>();
        x.push(0.0);
        x.iter_mut().zip(a.iter().rev()).for_each(|(x, b)| *x += rest / error * b);
    }
    Some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_with_the_solution_is_the_right_side() {
        let row: Vec<f64> = (0..60).map(|k: i32| 0.8f64.powi(k) * (0.3 * f64::from(k)).cos()).collect();
        let right: Vec<f64> = (0..60).map(|k| (f64::from(k) * 1.7).sin()).collect();
        let x = solved(&row, &right).unwrap();
        let got = product(&row, &x);
        assert!(got.iter().zip(&right).all(|(got, right)| (got - right).abs() < 1e-7));
    }

    #[test]
    fn what_is_singular_is_refused() {
        assert!(solved(&[0.0, 0.0], &[1.0, 1.0]).is_none());
        assert!(solved(&[], &[]).is_none());
    }
}
