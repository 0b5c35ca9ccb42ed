//! How fast a device is, measured, and kept between runs.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::choice::Rates;
use super::filters::Filter;
use crate::audio::AudioBuffer;
use crate::design::{Bank, FrequencyScale, Section, Svf, Window};
use crate::error::Result;
use crate::gpu::Engine;
use crate::kernels::iir_cascade::gpu::GpuPlan;
use crate::kernels::iir_cascade::{Cascade, CascadeState, cpu};
use crate::kernels::resident::Chunk;
use crate::kernels::stft::gpu::GpuStft;
use crate::kernels::stft::{self, Columns, Rows, Samples, StftPlan, StftSpec, TileRequest};

/// Frames of the stereo signal that is measured with: 8 MiB, beyond any cache level of a core.
const FRAMES: usize = 1 << 20;
/// The best of so many counts: others are disturbed by what else the machine does.
const REPEATS: usize = 3;

/// Four sections, as an order-8 low-pass has them.
fn order_8() -> Cascade {
    let section = |k: f64| Section { b: [0.0; 3], a: [1.0, 0.0, 0.0], svf: Svf { g: 0.0655, k, m: [0.0, 0.0, 1.0] } };
    Cascade::new(&[0.39, 1.11, 1.66, 1.96].map(section))
}

fn signal(frames: usize) -> AudioBuffer {
    let wave = |n: usize| ((n % 97) as f32 - 48.0) / 97.0;
    AudioBuffer::from_channels(vec![(0..frames).map(wave).collect(); 2])
}

/// The least seconds of several runs.
pub(super) fn best(mut run: impl FnMut() -> Result<f64>) -> Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..REPEATS {
        least = least.min(run()?);
    }
    Ok(least.max(1e-9))
}

/// Frames of the one channel that spectra are measured on.
const SPECTRA_FRAMES: usize = 1 << 19;

/// A spectrogram to measure with: windows of 2048 frames, four over each frame, 256 rows on the mel scale.
struct Spectrogram {
    plan: StftPlan,
    rows: Rows,
    columns: Columns,
    samples: Vec<f32>,
}

impl Spectrogram {
    fn new() -> Result<Self> {
        let plan = StftPlan::new(StftSpec { window: Window::Hann, size: 2048, padding: 1, hop: 512 })?;
        let bank = Bank::display(plan.bins_at(48e3), FrequencyScale::Mel, [20.0, 24e3], 256)?;
        let columns = Columns::of_windows(&plan, 0, SPECTRA_FRAMES / 512);
        Ok(Self { rows: Rows::new(&bank), columns, samples: signal(SPECTRA_FRAMES).channel(0).to_vec(), plan })
    }

    fn tile(&self) -> TileRequest<'_> {
        let samples = Samples::whole(&self.samples);
        TileRequest { plan: &self.plan, rows: &self.rows, columns: self.columns, samples }
    }

    fn points(&self) -> f64 {
        self.plan.work(self.columns.count)
    }
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let started = Instant::now();
    work()?;
    Ok(started.elapsed().as_secs_f64())
}

/// The CPU's rates, all threads together.
pub(super) fn measure_cpu() -> Result<Rates> {
    let cascade = order_8();
    let mut state = CascadeState::new(2, cascade.len());
    let mut buffer = signal(FRAMES);
    let filtering = best(|| timed(|| cpu::run(&cascade, &mut state, &mut buffer)))?;
    let copying = copy_seconds();
    let spectrogram = Spectrogram::new()?;
    let analysing =
        best(|| timed(|| stft::cpu::fine(&spectrogram.tile()).map(|tile| drop(std::hint::black_box(tile)))))?;
    let audio = signal(FRAMES);
    let filter = Filter::new(&audio)?;
    Ok(Rates {
        upload_bytes_s: None,
        readback_bytes_s: None,
        memory_bytes_s: (2 * 2 * 4 * FRAMES) as f64 / copying,
        cascade_samples_s: (2 * FRAMES) as f64 / filtering,
        spectra_points_s: spectrogram.points() / analysing,
        filter_operations_s: filter.operations() / filter.cpu_seconds()?,
        overhead_s: 0.0,
    })
}

/// The seconds of copying the signal from one place of memory to another.
pub(super) fn copy_seconds() -> f64 {
    let from = vec![0.5_f32; 2 * FRAMES];
    let mut to = vec![0.0_f32; 2 * FRAMES];
    let mut least = f64::INFINITY;
    for _ in 0..REPEATS {
        let started = Instant::now();
        to.copy_from_slice(std::hint::black_box(&from));
        std::hint::black_box(&to);
        least = least.min(started.elapsed().as_secs_f64());
    }
    least.max(1e-9)
}

/// An adapter's rates. Transfers are timed until the device has done them.
pub(super) fn measure_gpu(engine: &mut Engine) -> Result<Rates> {
    let audio = signal(FRAMES);
    let small = signal(2048);
    let bytes = (2 * 4 * FRAMES) as f64;
    let cascade = order_8();
    let plan = GpuPlan::new(&cascade);
    let state = CascadeState::new(2, cascade.len());
    let mut round = |audio: &AudioBuffer, gain: bool, filter: bool, back: bool| -> Result<(f64, f64)> {
        let mut chunk = Chunk::new();
        let mut at = chunk.upload(audio)?;
        if gain {
            at = chunk.gain(at, &[1.0, 1.0])?;
        }
        if filter {
            at = chunk.cascade(&plan, &state, at)?.0;
        }
        if back {
            chunk.readback(at);
        }
        let started = Instant::now();
        let done = chunk.run(engine, None)?;
        Ok((started.elapsed().as_secs_f64(), done.finished.seconds.kernels))
    };
    // The first of each kind compiles shaders, makes buffers and learns how to cut.
    for audio in [&small, &audio] {
        round(audio, true, true, true)?;
    }
    let upload = best(|| Ok(round(&audio, false, false, false)?.0))?;
    let both = best(|| Ok(round(&audio, false, false, true)?.0))?;
    let overhead = best(|| Ok(round(&small, false, true, true)?.0))?;
    let copy = best(|| Ok(round(&audio, true, false, true)?.1))?;
    let filter = best(|| Ok(round(&audio, false, true, true)?.1))?;
    let spectrogram = Spectrogram::new()?;
    let transform = GpuStft::new(&spectrogram.plan)?;
    let mut analyse = || Ok(transform.fine(engine, &spectrogram.tile(), None)?.1.seconds.kernels);
    analyse()?;
    let analysing = best(analyse)?;
    let convolution = Filter::new(&audio)?;
    Ok(Rates {
        upload_bytes_s: Some(bytes / upload),
        readback_bytes_s: Some(bytes / (both - upload).max(0.05 * both)),
        memory_bytes_s: 2.0 * bytes / copy,
        cascade_samples_s: (2 * FRAMES) as f64 / filter,
        spectra_points_s: spectrogram.points() / analysing,
        filter_operations_s: convolution.device_operations()? / convolution.gpu_seconds(engine)?,
        overhead_s: overhead,
    })
}

/// What was measured on this machine, by device, as it is kept in the configuration folder. A file of another version
/// or one that cannot be read counts for nothing: it is measured again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Kept {
    version: String,
    devices: BTreeMap<String, Rates>,
}

impl Kept {
    pub fn read(path: &Path) -> Self {
        let kept: Option<Self> = crate::files::read(path, "list of speeds", 1 << 20)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        kept.filter(|kept| kept.version == env!("CARGO_PKG_VERSION")).unwrap_or_default()
    }

    pub fn get(&self, key: &str) -> Option<Rates> {
        let sound = |rate: f64| rate.is_finite() && rate > 0.0;
        let all = |rates: &Rates| {
            let rates =
                [rates.memory_bytes_s, rates.cascade_samples_s, rates.spectra_points_s, rates.filter_operations_s];
            rates.into_iter().all(sound)
        };
        self.devices.get(key).copied().filter(all)
    }

    /// Adds one and writes the file anew, beside it first, so that two processes cannot mix theirs. That it cannot be
    /// kept harms nothing.
    pub fn keep(path: &Path, key: &str, rates: Rates) {
        let mut kept = Self::read(path);
        env!("CARGO_PKG_VERSION").clone_into(&mut kept.version);
        kept.devices.insert(key.to_owned(), rates);
        if let Err(error) = kept.write(path) {
            tracing::warn!("the speeds of devices could not be kept: {error}: {}", path.display());
        }
    }

    fn write(&self, path: &Path) -> std::io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer_pretty(&file, self)?;
        file.persist(path)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_is_kept_and_what_is_broken_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below").join("devices.json");
        let rates = Rates {
            upload_bytes_s: Some(1e9),
            readback_bytes_s: None,
            memory_bytes_s: 1e10,
            cascade_samples_s: 1e8,
            spectra_points_s: 1e8,
            filter_operations_s: 1e9,
            overhead_s: 1e-4,
        };
        assert_eq!(Kept::read(&path).get("a"), None);
        Kept::keep(&path, "a", rates);
        Kept::keep(&path, "b", Rates { cascade_samples_s: 0.0, ..rates });
        assert_eq!(Kept::read(&path).get("a"), Some(rates));
        assert_eq!(Kept::read(&path).get("b"), None, "a rate of 0 cannot be");
        std::fs::write(&path, "{ not json").unwrap();
        assert_eq!(Kept::read(&path).get("a"), None);
    }

    #[test]
    fn the_cpu_can_be_measured() {
        let rates = measure_cpu().unwrap();
        assert!(
            rates.cascade_samples_s > 1e5 && rates.spectra_points_s > 1e5 && rates.memory_bytes_s > 1e7,
            "{rates:?}"
        );
    }
}
