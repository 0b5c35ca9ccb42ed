//! Samples without values that are not finite.

use crate::kernels::signal::peak::peak;

/// Replaces samples that are not finite by silence: such a sample would stay in a recursive filter for ever.
#[derive(Debug, Default)]
pub(super) struct Finite {
    clean: Vec<Vec<f32>>,
}

impl Finite {
    /// Returns the planes, as they are if all samples are finite.
    pub fn of<'a>(&'a mut self, planes: &[&'a [f32]]) -> Vec<&'a [f32]> {
        if planes.iter().all(|plane| peak(plane).is_finite()) {
            return planes.to_vec();
        }
        self.clean.resize_with(planes.len(), Vec::new);
        for (clean, plane) in self.clean.iter_mut().zip(planes) {
            clean.clear();
            clean.extend(plane.iter().map(|&sample| if sample.is_finite() { sample } else { 0.0 }));
        }
        self.clean.iter().map(Vec::as_slice).collect()
    }
}
