//! Spectra of consecutive windows.

/// Spectra of consecutive windows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spectra<T> {
    /// Bins per spectrum.
    pub bins: usize,
    /// The values of all bins of the first window, then of the next.
    pub values: Vec<T>,
}

impl<T> Spectra<T> {
    /// Returns the number of windows.
    pub fn windows(&self) -> usize {
        self.values.len() / self.bins
    }

    /// Returns the spectrum of one window.
    pub fn window(&self, index: usize) -> &[T] {
        &self.values[index * self.bins..][..self.bins]
    }
}
