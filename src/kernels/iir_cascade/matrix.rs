//! Small square matrices in f64, for powers of a transition.

/// A square matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    size: usize,
    rows: Vec<f64>,
}

impl Matrix {
    /// The identity.
    pub fn identity(size: usize) -> Self {
        let mut matrix = Self::zero(size);
        for i in 0..size {
            matrix.rows[i * size + i] = 1.0;
        }
        matrix
    }

    /// Zeros.
    pub fn zero(size: usize) -> Self {
        Self { size, rows: vec![0.0; size * size] }
    }

    /// Number of rows and of columns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// One element.
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.rows[row * self.size + column]
    }

    /// One element, to change.
    pub fn at_mut(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.rows[row * self.size + column]
    }

    /// All elements, row by row.
    pub fn rows(&self) -> &[f64] {
        &self.rows
    }

    /// `self * other`; zeros are skipped, so that block-triangular ones stay exactly so.
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

    /// `self` multiplied by itself `exponent` times over, by squaring.
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
