//! Principal components: the plane of greatest variance.

use super::MapPosition;
use super::points::{Points, WIDTH};

type Matrix = [[f64; WIDTH]; WIDTH];

/// Returns the coordinates of the points along their two largest principal components, centred. The largest loading of
/// each axis is positive, so that the map does not flip.
pub fn principal(points: &Points) -> Vec<MapPosition> {
    let count = points.len().max(1) as f64;
    let mut mean = [0.0; WIDTH];
    for point in points.values() {
        (0..WIDTH).for_each(|d| mean[d] += f64::from(point[d]) / count);
    }
    let mut covariance: Matrix = [[0.0; WIDTH]; WIDTH];
    for point in points.values() {
        let centred: [f64; WIDTH] = std::array::from_fn(|d| f64::from(point[d]) - mean[d]);
        for a in 0..WIDTH {
            for b in 0..=a {
                covariance[a][b] += centred[a] * centred[b] / count;
            }
        }
    }
    for a in 0..WIDTH {
        for b in 0..a {
            covariance[b][a] = covariance[a][b];
        }
    }
    let axes = largest_two(covariance);
    let place = |point: &[f32; WIDTH]| {
        axes.map(|axis| (0..WIDTH).map(|d| (f64::from(point[d]) - mean[d]) * axis[d]).sum::<f64>() as f32)
    };
    points.values().iter().map(place).collect()
}

/// Returns the eigenvectors of the two largest eigenvalues, computed by Jacobi rotations.
fn largest_two(mut matrix: Matrix) -> [[f64; WIDTH]; 2] {
    let mut vectors: Matrix = std::array::from_fn(|a| std::array::from_fn(|b| f64::from(u8::from(a == b))));
    // Convergence is quadratic: ten sweeps are plenty.
    for _ in 0..30 {
        let beside: f64 = (0..WIDTH).flat_map(|a| (0..a).map(move |b| (a, b))).map(|(a, b)| matrix[a][b].powi(2)).sum();
        if beside < 1e-30 {
            break;
        }
        for p in 0..WIDTH {
            for q in p + 1..WIDTH {
                rotate(&mut matrix, &mut vectors, p, q);
            }
        }
    }
    let mut order: Vec<usize> = (0..WIDTH).collect();
    order.sort_by(|&a, &b| matrix[b][b].total_cmp(&matrix[a][a]).then(a.cmp(&b)));
    [order[0], order[1]].map(|column| {
        let axis: [f64; WIDTH] = std::array::from_fn(|row| vectors[row][column]);
        let largest = axis.iter().copied().fold(0.0, |most: f64, x| if x.abs() > most.abs() { x } else { most });
        axis.map(|x| if largest < 0.0 { -x } else { x })
    })
}

/// Makes the element `p, q` zero by a rotation.
fn rotate(matrix: &mut Matrix, vectors: &mut Matrix, p: usize, q: usize) {
    if matrix[p][q].abs() < 1e-300 {
        return;
    }
    let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for k in 0..WIDTH {
        let (a, b) = (matrix[k][p], matrix[k][q]);
        (matrix[k][p], matrix[k][q]) = (c * a - s * b, s * a + c * b);
    }
    for k in 0..WIDTH {
        let (a, b) = (matrix[p][k], matrix[q][k]);
        (matrix[p][k], matrix[q][k]) = (c * a - s * b, s * a + c * b);
        let (a, b) = (vectors[k][p], vectors[k][q]);
        (vectors[k][p], vectors[k][q]) = (c * a - s * b, s * a + c * b);
    }
}
