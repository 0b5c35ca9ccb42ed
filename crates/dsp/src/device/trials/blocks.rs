//! Trials of kernels that make a block of numbers of others.

use super::trial::{Limits, Reference, Run, Trial, rms, rms_error_db, spread};
use crate::gpu::{Engine, Recording};
use crate::kernels::network::block::Block;
use base::error::Result;

/// Records the kernel on its inputs.
type OnGpu = Box<dyn for<'a> Fn(&'a [Vec<f32>], &mut Recording<'a>) -> Result<Block>>;

/// A trial of random inputs.
pub(super) struct Blocks {
    pub inputs: Vec<Vec<f32>>,
    /// The numbers of the result.
    pub count: usize,
    pub operations: f64,
    pub tolerance_db: f64,
    pub on_cpu: Box<dyn Fn(&[Vec<f32>]) -> Result<Vec<f32>>>,
    pub on_gpu: OnGpu,
    /// Some numbers of the result, in f64.
    pub reference: Box<dyn Fn(&[Vec<f32>], &[usize]) -> Vec<f64>>,
    /// Makes the numbers to compare from the result; not timed.
    pub compared: fn(&[Vec<f32>], Vec<f32>) -> Vec<f32>,
}

/// Results that are compared as they are.
pub(super) fn as_it_is(_: &[Vec<f32>], result: Vec<f32>) -> Vec<f32> {
    result
}

/// Random numbers within -1 and 1.
pub(super) fn noise(seed: u32, count: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

impl Trial for Blocks {
    fn samples(&self) -> u64 {
        self.inputs[0].len() as u64
    }

    fn operations(&self) -> f64 {
        self.operations
    }

    fn limits(&self) -> Limits {
        Limits::within(self.tolerance_db)
    }

    fn on_cpu(&self) -> Result<Run> {
        Run::timed(|| (self.on_cpu)(&self.inputs), |result| (self.compared)(&self.inputs, result))
    }

    fn on_gpu(&self, engine: &mut Engine) -> Result<Run> {
        let mut recording = Recording::new();
        let block = (self.on_gpu)(&self.inputs, &mut recording)?;
        recording.readback(block.part(0, self.count));
        let mut result = Vec::with_capacity(self.count);
        let finished = engine.stream(&recording, None, &mut |_, bytes| {
            result.extend(bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)));
        })?;
        Ok(Run::finished((self.compared)(&self.inputs, result), finished))
    }

    fn reference(&self) -> Result<Reference> {
        let groups = spread(self.count, 499);
        let values = (self.reference)(&self.inputs, &groups);
        Ok(Reference { groups, values })
    }

    fn error_db(&self, got: &[f32], expected: &[f64]) -> f64 {
        rms_error_db(got, expected, rms(expected.iter().copied()))
    }
}
