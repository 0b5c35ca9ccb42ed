//! Dynamic time warping of two curves.

use base::error::{Error, Result};

/// The maximum number of pairs of values.
const MAX_CELLS: usize = 1 << 28;

/// Returns the pairs of values on the cheapest path from the first values of both to the last, at the cost of their
/// distance; steps go one on in both, in `b`, or in `a`, in this order among equals. Both have values.
pub(super) fn warped(a: &[f64], b: &[f64]) -> Result<Vec<[f64; 2]>> {
    let (rows, columns) = (a.len(), b.len());
    if rows.saturating_mul(columns) > MAX_CELLS {
        return Err(Error::Limit {
            what: "pitches to be warped".to_owned(),
            got: format!("{rows} times {columns}"),
            limit: MAX_CELLS.to_string(),
        });
    }
    const STEPS: [[usize; 2]; 3] = [[1, 1], [0, 1], [1, 0]];
    let mut steps = vec![0u8; rows * columns];
    let mut before = vec![f64::INFINITY; columns];
    let mut here = vec![f64::INFINITY; columns];
    for (row, x) in a.iter().enumerate() {
        for (column, y) in b.iter().enumerate() {
            let costs = [
                if row > 0 && column > 0 { before[column - 1] } else { f64::INFINITY },
                if column > 0 { here[column - 1] } else { f64::INFINITY },
                if row > 0 { before[column] } else { f64::INFINITY },
            ];
            let mut best = 0;
            for step in 1..3 {
                if costs[step] < costs[best] {
                    best = step;
                }
            }
            let so_far = if row + column == 0 { 0.0 } else { costs[best] };
            here[column] = so_far + (x - y).abs();
            steps[row * columns + column] = best as u8;
        }
        std::mem::swap(&mut before, &mut here);
    }
    let (mut row, mut column) = (rows - 1, columns - 1);
    let mut path = vec![[a[row], b[column]]];
    while row + column > 0 {
        let [down, across] = STEPS[usize::from(steps[row * columns + column])];
        (row, column) = (row - down, column - across);
        path.push([a[row], b[column]]);
    }
    path.reverse();
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slower_copy_is_followed() {
        let a = [1.0, 5.0, 2.0, 8.0];
        let b = [1.0, 1.0, 5.0, 5.0, 5.0, 2.0, 8.0, 8.0];
        assert!(warped(&a, &b).unwrap().iter().all(|[x, y]| x == y));
        assert_eq!(warped(&[3.0], &[4.0, 5.0]).unwrap(), [[3.0, 4.0], [3.0, 5.0]]);
        assert_eq!(warped(&a, &a).unwrap().len(), 4);
    }
}
