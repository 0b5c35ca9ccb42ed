//! A channel matrix: each output channel is a weighted sum of input channels.

use crate::Process;
use audio::AudioBuffer;
use base::error::Result;

/// The weights of a matrix. It is stateless, so results do not depend on blocks or seeks.
#[derive(Debug)]
pub(super) struct Matrix {
    /// For each output channel, the input channels with their weights. Sums run in f64, in this order.
    rows: Vec<Vec<(usize, f64)>>,
    mixed: Vec<Vec<f32>>,
    sums: Vec<f64>,
}

impl Matrix {
    /// Creates a matrix. Each row is an output channel: input channels with weights.
    pub fn new(rows: Vec<Vec<(usize, f64)>>) -> Self {
        let rows: Vec<Vec<_>> =
            rows.into_iter().map(|row| row.into_iter().filter(|(_, weight)| *weight != 0.0).collect()).collect();
        Self { mixed: vec![Vec::new(); rows.len()], rows, sums: Vec::new() }
    }

    /// Creates a matrix that mixes the first two channels and passes the others through.
    pub fn of_front_pair(channels: usize, [left, right]: [[f64; 2]; 2]) -> Self {
        let pair = [left, right].map(|[l, r]| vec![(0, l), (1, r)]);
        Self::new(pair.into_iter().chain((2..channels).map(|channel| vec![(channel, 1.0)])).collect())
    }

    /// Creates a matrix that passes these input channels through, in this order.
    pub fn of_channels(channels: impl IntoIterator<Item = usize>) -> Self {
        Self::new(channels.into_iter().map(|channel| vec![(channel, 1.0)]).collect())
    }
}

impl Process for Matrix {
    fn process(&mut self, block: &mut AudioBuffer) -> Result<()> {
        for (row, mixed) in self.rows.iter().zip(&mut self.mixed) {
            mixed.clear();
            if let [(channel, 1.0)] = row.as_slice() {
                mixed.extend_from_slice(block.channel(*channel));
                continue;
            }
            self.sums.clear();
            self.sums.resize(block.frames(), 0.0);
            for (channel, weight) in row {
                for (sum, sample) in self.sums.iter_mut().zip(block.channel(*channel)) {
                    *sum += weight * f64::from(*sample);
                }
            }
            mixed.extend(self.sums.iter().map(|sum| *sum as f32));
        }
        block.resize(self.rows.len(), self.mixed.first().map_or(0, Vec::len));
        for (to, from) in block.as_mut_vecs().iter_mut().zip(&mut self.mixed) {
            std::mem::swap(to, from);
        }
        Ok(())
    }

    fn state(&self) -> Vec<f64> {
        Vec::new()
    }

    fn restore(&mut self, _: &[f64]) -> Result<()> {
        Ok(())
    }
}
