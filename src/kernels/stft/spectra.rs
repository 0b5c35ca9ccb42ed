//! Spectra of windows, one after the other.

/// Spectra of a row of windows.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectra<T> {
    /// Bins of each.
    pub bins: usize,
    /// Bin after bin, window after window.
    pub values: Vec<T>,
}

impl<T> Spectra<T> {
    /// Number of windows.
    pub fn windows(&self) -> usize {
        self.values.len() / self.bins
    }

    /// The spectrum of one window.
    pub fn window(&self, index: usize) -> &[T] {
        &self.values[index * self.bins..][..self.bins]
    }
}
