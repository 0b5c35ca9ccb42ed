//! Detects pitch on a GPU (`shaders/signal/yin.wgsl`). The shader returns four numbers per window, and the host refines the
//! period with the parabola through them.
//!
//! **Sums instead of transforms.** For a hop of `h` frames and `L` lags, sums take `h L` differences and as many
//! multiply-adds. At 44.1 kHz (512 frames, 679 lags) these are 0.7 million operations per hop and 60 million per second
//! of sound. Two transforms of 2048 points, the power of two above three hops, take about 0.1 million per hop. But
//! they give the difference as the energies of both windows minus twice their correlation, which cancels nearly all
//! digits at the dips that YIN looks for. The CPU computes the energies in f64, which shaders do not have. Sums of
//! squared differences lose no digits, and their operands stay in registers: sixteen differences per two loads. Seven
//! minutes of sound take 25 billion operations: a few milliseconds on a GPU of 20 TFLOPS, a twentieth of a second on
//! one of 1 TFLOPS.

use std::ops::Range;

use super::{Pitch, YinPlan};
use crate::gpu::shaders::yin as shader;
use crate::gpu::{Recording, View};
use crate::kernels::signal::{FrameSpan, Plane};

/// The shader's result for a window: the lag of the dip, and the normalised differences before, at and after it.
type Words = [f32; 4];

impl YinPlan {
    /// Returns the frames that the windows depend on. They may extend beyond the signal's ends, where it is silent.
    pub fn frames(&self, windows: &Range<u64>) -> Range<i64> {
        let hop = self.hop as i64;
        (windows.start as i64 - 2) * hop..windows.end as i64 * hop + self.longest as i64
    }

    /// Returns the number of windows whose differences fit into a buffer.
    pub fn max_windows(&self) -> usize {
        Plane::max_rows(self.longest + 1).saturating_sub(1)
    }

    /// Records the pitches of `windows`. `signal` must hold their [`YinPlan::frames`]. [`YinPlan::read`] decodes the
    /// readback.
    pub fn record(&self, recording: &mut Recording<'_>, signal: FrameSpan, windows: &Range<u64>) -> View {
        let count = (windows.end - windows.start) as usize;
        let (hops, lags) = (count + 1, self.longest + 1);
        let results = recording.buffer((count * size_of::<Words>()) as u64);
        let hop_differences = recording.buffer((hops * lags * 4) as u64);
        let tiles = lags.div_ceil(shader::LAGS as usize);
        let params = shader::Params {
            hop: self.hop as u32,
            start: (self.frames(windows).start - signal.first_frame) as u32,
            frames: signal.frames as u32,
            lags: lags as u32,
            tiles: tiles as u32,
            shortest: self.shortest as u32,
            each: self.longest.div_ceil(shader::WORKGROUP as usize) as u32,
            threshold: self.threshold,
            ..bytemuck::Zeroable::zeroed()
        };
        let kernel = shader::Differences { samples: signal.view, hop_differences };
        let work = (hops * tiles * self.hop) as u64;
        recording.dispatch(kernel.dispatch(&params, [(hops * tiles) as u32, 1, 1], work));
        let kernel = shader::Dips { hop_differences, results };
        recording.dispatch(kernel.dispatch(&params, [count as u32, 1, 1], (count * lags) as u64));
        results
    }

    /// Decodes the readback of [`YinPlan::record`] for `windows` windows.
    pub fn read(&self, bytes: &[u8], windows: usize) -> Vec<Pitch> {
        let words: Vec<Words> = bytemuck::pod_collect_to_vec(&bytes[..windows * size_of::<Words>()]);
        let pitch = |&[lag, before, at, behind]: &Words| match lag {
            0.0 => Pitch::UNVOICED,
            _ if behind < 0.0 || before < 0.0 => self.refined(lag as usize, f32::INFINITY, at, at),
            _ => self.refined(lag as usize, before, at, behind),
        };
        words.iter().map(pitch).collect()
    }
}
