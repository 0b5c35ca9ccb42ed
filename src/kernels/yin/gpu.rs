//! The same on a GPU (`shaders/yin.wgsl`): four numbers a window come back, and the parabola is laid through them here.
//!
//! **By sums, not by transforms.** Of a hop of `h` frames and `L` lags, sums take `h L` differences and as many products
//! added up; at 44.1 kHz (512 frames, 679 lags) 0.7 million operations a hop, 60 million a second of sound. Two transforms of
//! 2048 points, the powers of two next to three hops, take some 0.1 million. But sums of squares of differences lose no
//! digit where the energies of both windows less twice their correlation lose all but a few, just in the dips that are
//! looked for: transforms would want f64 for energies, as on the CPU, which shaders do not have. Nor do sums move anything but
//! through registers: sixteen of them for two loads. Seven minutes are 25 billion operations, a few milliseconds of a GPU
//! of 20 TFLOPS, a twentieth of a second of one of 1 TFLOPS.

use std::ops::Range;

use super::{Pitch, YinPlan};
use crate::error::Result;
use crate::gpu::shaders::yin as shader;
use crate::gpu::{Engine, Finished, Recording, View};
use crate::kernels::stft::Samples;
use crate::kernels::stft::gpu::in_chunks;
use crate::kernels::{FrameSpan, Plane};
use crate::progress::Progress;

/// What the shader makes of a window: the dip's lag, and the values before it, at it and behind it.
type Words = [f32; 4];

impl YinPlan {
    /// Frames that these windows are made of, silence being beyond the signal's ends.
    pub fn frames(&self, windows: &Range<u64>) -> Range<i64> {
        let hop = self.hop as i64;
        (windows.start as i64 - 2) * hop..windows.end as i64 * hop + self.longest as i64
    }

    /// Windows whose differences fit into a buffer.
    pub fn max_windows(&self) -> usize {
        Plane::max_rows(self.longest + 1).saturating_sub(1)
    }

    /// Records the pitches of windows of which `signal` has all [`YinPlan::frames`]; [`YinPlan::read`] takes them from what
    /// comes back.
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

    /// What [`YinPlan::record`] made.
    pub fn read(&self, bytes: &[u8], windows: usize) -> Vec<Pitch> {
        let words: Vec<Words> = bytemuck::pod_collect_to_vec(&bytes[..windows * size_of::<Words>()]);
        let pitch = |&[lag, before, at, behind]: &Words| match lag {
            0.0 => Pitch::UNVOICED,
            _ if behind < 0.0 || before < 0.0 => self.refined(lag as usize, f32::INFINITY, at, at),
            _ => self.refined(lag as usize, before, at, behind),
        };
        words.iter().map(pitch).collect()
    }

    /// The pitch of every window of that range, as [`YinPlan::pitches`].
    ///
    /// # Errors
    /// Those of [`Engine::execute`].
    pub fn pitches_on_gpu(
        &self,
        engine: &mut Engine,
        samples: Samples<'_>,
        windows: Range<u64>,
        progress: Option<&Progress>,
    ) -> Result<(Vec<Pitch>, Finished)> {
        let count = windows.end.saturating_sub(windows.start) as usize;
        let mut pitches = Vec::with_capacity(count);
        let finished = in_chunks(count, self.max_windows(), |chunk| {
            let chunk = windows.start + chunk.start as u64..windows.start + chunk.end as u64;
            let mut recording = Recording::new();
            let signal = FrameSpan::upload(&mut recording, samples, self.frames(&chunk));
            let results = self.record(&mut recording, signal, &chunk);
            let ticket = recording.readback(results);
            engine.execute(&recording, progress, &mut |got, bytes| {
                if got == ticket {
                    pitches.extend(self.read(bytes, (chunk.end - chunk.start) as usize));
                }
            })
        })?;
        Ok((pitches, finished))
    }
}
