//! Small square matrices in f64, for powers of a transition.

/// A square matrix in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    size: usize,
    rows: Vec<f64>,
}

impl Matrix {
    /// Returns the identity.
    pub fn identity(size: usize) -> Self {
        let mut matrix = Self::zero(size);
        for i in 0..size {
            matrix.rows[i * size + i] = 1.0;
        }
        matrix
    }

    /// Returns a zero matrix.
    pub fn zero(size: usize) -> Self {
        Self { size, rows: vec![0.0; size * size] }
    }

    /// Returns the number of rows, which equals the number of columns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns one element.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.rows[row * self.size + column]
    }

    /// Returns a mutable reference to one element.
    pub fn at_mut(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.rows[row * self.size + column]
    }

    /// Returns all elements in row-major order.
    pub fn rows(&self) -> &[f64] {
        &self.rows
    }

    /// Returns `self * other`. Zeros in `self` are skipped, so the product of block-triangular matrices is exactly
    /// block-triangular.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let mut product = Self::zero(self.size);
        for i in 0..self.size {
            for k in 0..self.size {
                let a = self.at(i, k);
                if a != 0.0 {
                    for j in 0..self.size {
                        *product.at_mut(i, j) += a * other.at(k, j);
                    }
                }
            }
        }
        product
    }

    /// Returns `self` to the power `exponent`, by repeated squaring.
    #[must_use]
    pub fn power(&self, mut exponent: u64) -> Self {
        let mut result = Self::identity(self.size);
        let mut square = self.clone();
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result.times(&square);
            }
            exponent >>= 1;
            if exponent > 0 {
                square = square.times(&square);
            }
        }
        result
    }
}
