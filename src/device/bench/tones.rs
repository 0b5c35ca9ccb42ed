//! Benchmarks of the kernels that process one channel window by window: pitch and pitch classes.

use std::time::Instant;

use rayon::prelude::*;

use super::median;
use crate::error::{Error, Result};
use crate::gpu::{Engine, Recording};
use crate::kernels::Stretch;
use crate::kernels::chroma::gpu::GpuChroma;
use crate::kernels::chroma::{Basis, ConstantQ, ConstantQSpec};
use crate::kernels::stft::Samples;
use crate::kernels::yin::{YinPlan, YinSpec};
use crate::progress::Progress;

/// The names of those kernels.
pub(super) const KERNELS: [&str; 2] = ["chroma", "yin"];

const RATE_HZ: f64 = 48e3;
const HOP: usize = 512;
/// The number of windows that a CPU thread takes at a time.
const BATCH: usize = 256;

/// The samples and plans to benchmark with: a hop of 512 frames.
pub(super) struct Tones<'a> {
    samples: Samples<'a>,
    windows: u64,
    yin: YinPlan,
    constant_q: ConstantQ,
}

impl<'a> Tones<'a> {
    /// Plans the benchmarks for one channel at 48 kHz.
    pub fn new(samples: &'a [f32]) -> Result<Self> {
        let constant_q = ConstantQ::new(ConstantQSpec { hop: HOP, tuning: 0.0, basis: Basis::Librosa }, RATE_HZ)?;
        Ok(Self {
            windows: constant_q.windows(samples.len() as u64),
            samples: Samples::whole(samples),
            yin: YinPlan::new(HOP, RATE_HZ, YinSpec::default())?,
            constant_q,
        })
    }

    /// Returns the median time of several runs on all CPU threads, in seconds.
    pub fn cpu_seconds(&self, kernel: &str) -> Result<f64> {
        let Self { samples, windows, yin, constant_q } = self;
        median(|| {
            let started = Instant::now();
            (0..*windows as usize).into_par_iter().step_by(BATCH).try_for_each(|first| {
                let some = first as u64..(*windows).min((first + BATCH) as u64);
                match kernel {
                    "yin" => yin.pitches(*samples, some).map(|pitches| drop(std::hint::black_box(pitches))),
                    "chroma" => {
                        // The samples around a batch, as the block of an analysis has them.
                        let reach = constant_q.reach(some.clone());
                        let mut taken = Vec::new();
                        samples.extract(reach.clone(), &mut taken);
                        let around = Samples { samples: &taken, first_frame: reach.start };
                        let spectra = constant_q.spectra(around, some, &Progress::new());
                        spectra.map(|spectra| drop(std::hint::black_box(spectra)))
                    }
                    other => Err(Error::Internal(format!("no bench of {other}"))),
                }
            })?;
            Ok(started.elapsed().as_secs_f64())
        })
    }

    /// Returns the median time of several runs on the device, in seconds.
    pub fn gpu_seconds(&self, engine: &mut Engine, kernel: &str) -> Result<f64> {
        let Self { samples, windows, yin, constant_q } = self;
        let chroma = GpuChroma::new(constant_q)?;
        let most = if kernel == "yin" { yin.most_windows() } else { chroma.most_windows() };
        let some = 0..(*windows).min(most as u64);
        // The time for fewer windows is scaled to all of them.
        let all = *windows as f64 / some.end.max(1) as f64;
        let mut once = || {
            let mut recording = Recording::new();
            match kernel {
                "yin" => {
                    let signal = Stretch::upload(&mut recording, *samples, yin.frames(&some));
                    yin.record(&mut recording, signal, &some);
                }
                "chroma" => {
                    let signal = Stretch::upload(&mut recording, *samples, constant_q.reach(some.clone()));
                    chroma.record(&mut recording, signal, some.clone());
                }
                other => return Err(Error::Internal(format!("no bench of {other}"))),
            }
            Ok(all * engine.execute(&recording, None, &mut |_, _| {})?.seconds.kernels)
        };
        // The first run compiles the pipelines and lets the engine choose its submission sizes.
        once()?;
        median(once)
    }
}
