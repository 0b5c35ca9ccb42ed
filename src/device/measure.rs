//! Measures the speed of devices and keeps the results between runs.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::choice::Rates;
use super::filters::Filter;
use super::repeat::{median, warm_up};
use crate::audio::AudioBuffer;
use crate::design::{Bank, FrequencyScale, Section, Svf, Window};
use crate::error::{Error, Result};
use crate::gpu::{AdapterKind, Engine};
use crate::kernels::iir_cascade::gpu::GpuPlan;
use crate::kernels::iir_cascade::{Cascade, CascadeState, cpu};
use crate::kernels::resident::Chunk;
use crate::kernels::stft::gpu::GpuStft;
use crate::kernels::stft::{self, Columns, Rows, Samples, StftPlan, StftSpec, TileRequest};

/// Length of the stereo test signal in frames: 8 MiB, larger than a core's caches.
const FRAMES: usize = 1 << 20;
/// How long a device works before anything is timed, and before each kind of work. An idle device runs at a fraction of
/// its clock.
const WARM_UP: Duration = Duration::from_millis(200);
const WARM_UP_EACH: Duration = Duration::from_millis(50);
/// The number of signals that the GPU memory kernels cycle through, each read and written: 512 MiB together, four times
/// the largest cache of a card.
const SIGNALS: usize = 32;

/// Returns a cascade of four sections, as in an order-8 low-pass.
fn order_8() -> Cascade {
    let section = |k: f64| Section { b: [0.0; 3], a: [1.0, 0.0, 0.0], svf: Svf { g: 0.0655, k, m: [0.0, 0.0, 1.0] } };
    Cascade::new(&[0.39, 1.11, 1.66, 1.96].map(section))
}

fn signal(frames: usize) -> AudioBuffer {
    let wave = |n: usize| ((n % 97) as f32 - 48.0) / 97.0;
    AudioBuffer::from_channels(vec![(0..frames).map(wave).collect(); 2])
}

/// Length of the single-channel signal for measuring spectra, in frames.
const SPECTRA_FRAMES: usize = 1 << 19;

/// The spectrogram to measure with: windows of 2048 frames, a hop of 512, 256 rows on the mel scale.
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

/// Measures the CPU's rates, with all threads together.
pub(super) fn measure_cpu() -> Result<Rates> {
    let cascade = order_8();
    let mut state = CascadeState::new(2, cascade.len());
    let mut buffer = signal(FRAMES);
    let filtering = median(|| timed(|| cpu::run(&cascade, &mut state, &mut buffer)))?;
    let copying = copy_seconds();
    let spectrogram = Spectrogram::new()?;
    let analysing =
        median(|| timed(|| stft::cpu::fine(&spectrogram.tile()).map(|tile| drop(std::hint::black_box(tile)))))?;
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
        clock_refused: false,
    })
}

/// Returns the time to copy the test signal in memory, in seconds.
pub(super) fn copy_seconds() -> f64 {
    let from = vec![0.5_f32; 2 * FRAMES];
    let mut to = vec![0.0_f32; 2 * FRAMES];
    let copied = median(|| {
        timed(|| {
            to.copy_from_slice(std::hint::black_box(&from));
            std::hint::black_box(&to);
            Ok(())
        })
    });
    copied.unwrap_or(f64::INFINITY)
}

/// How long a device is warmed up, and how many signals the memory kernels cycle through.
struct Effort {
    warm_up: Duration,
    warm_up_each: Duration,
    signals: usize,
}

impl Effort {
    /// A software adapter has no clock that rises, and warming it up would take seconds.
    fn on(kind: AdapterKind) -> Self {
        match kind {
            AdapterKind::Software => Self { warm_up: Duration::ZERO, warm_up_each: Duration::ZERO, signals: 1 },
            _ => Self { warm_up: WARM_UP, warm_up_each: WARM_UP_EACH, signals: SIGNALS },
        }
    }
}

/// Measures an adapter's rates. Transfers are timed until the device has finished them.
pub(super) fn measure_gpu(engine: &mut Engine) -> Result<Rates> {
    let audio = signal(FRAMES);
    let small = signal(2048);
    let bytes = (2 * 4 * FRAMES) as f64;
    let cascade = order_8();
    let plan = GpuPlan::new(&cascade);
    let state = CascadeState::new(2, cascade.len());
    let Effort { warm_up: all, warm_up_each: each, mut signals } = Effort::on(engine.info().kind);
    let mut clock_refused = false;
    let mut round = |engine: &mut Engine, audio: &AudioBuffer, what: Round| -> Result<(f64, f64)> {
        let mut chunk = Chunk::new();
        // All signals are uploaded before the first is processed, so that none is still in a cache.
        let inputs = (0..what.signals).map(|_| chunk.upload(audio)).collect::<Result<Vec<_>>>()?;
        for mut at in inputs {
            if what.gain {
                at = chunk.gain(at, &[1.0, 1.0])?;
            }
            if what.filter {
                at = chunk.cascade(&plan, &state, at)?.0;
            }
            if what.back {
                chunk.readback(at);
            }
        }
        let started = Instant::now();
        let done = chunk.run(engine, None)?;
        let wall = started.elapsed().as_secs_f64();
        clock_refused |= done.finished.clock_refused;
        let signals = what.signals as f64;
        Ok((wall / signals, done.finished.seconds.kernels / signals))
    };
    let one = Round { signals: 1, gain: false, filter: false, back: false };
    // The first run of each kind compiles shaders, allocates buffers and lets the engine choose its submission sizes.
    let everything = Round { gain: true, filter: true, back: true, ..one };
    round(engine, &small, everything)?;
    warm_up(all, || round(engine, &audio, everything).map(drop))?;
    let upload = median(|| Ok(round(engine, &audio, one)?.0))?;
    let both = median(|| Ok(round(engine, &audio, Round { back: true, ..one })?.0))?;
    let overhead = median(|| Ok(round(engine, &small, Round { filter: true, back: true, ..one })?.0))?;
    let mut kernel_seconds = |engine: &mut Engine, what: Round| -> Result<f64> {
        loop {
            let what = Round { signals, ..what };
            match warm_up(each, || round(engine, &audio, what).map(drop)) {
                Err(Error::GpuOutOfMemory(_)) if signals > 1 => signals /= 2,
                Err(error) => return Err(error),
                Ok(()) => return median(|| Ok(round(engine, &audio, what)?.1)),
            }
        }
    };
    let copy = kernel_seconds(engine, Round { gain: true, ..one })?;
    let filter = kernel_seconds(engine, Round { filter: true, ..one })?;
    let spectrogram = Spectrogram::new()?;
    let transform = GpuStft::new(&spectrogram.plan)?;
    let mut analyse = || {
        let finished = transform.fine(engine, &spectrogram.tile(), None)?.1;
        clock_refused |= finished.clock_refused;
        Ok(finished.seconds.kernels)
    };
    warm_up(each, || analyse().map(drop))?;
    let analysing = median(analyse)?;
    let convolution = Filter::new(&audio)?;
    let rates = Rates {
        upload_bytes_s: Some(bytes / upload),
        readback_bytes_s: Some(bytes / (both - upload).max(0.05 * both)),
        memory_bytes_s: 2.0 * bytes / copy,
        cascade_samples_s: (2 * FRAMES) as f64 / filter,
        spectra_points_s: spectrogram.points() / analysing,
        filter_operations_s: convolution.device_operations()? / convolution.gpu_seconds(engine, each)?,
        overhead_s: overhead,
        clock_refused,
    };
    if !rates.are_plausible() {
        return Err(Error::GpuUnavailable(format!("{} gave impossible measurements", engine.info().name)));
    }
    Ok(rates)
}

/// What a measured chunk does with each of its signals, and how many signals it has.
#[derive(Clone, Copy)]
struct Round {
    signals: usize,
    gain: bool,
    filter: bool,
    back: bool,
}

/// The version of the program and of the measuring method. Rates of another version are not comparable and are
/// discarded.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), ", warm and out of caches");

/// The rates measured on this machine, by device key, as stored in the configuration folder. A file that is of another
/// version or cannot be read is ignored, and the devices are measured again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredRates {
    version: String,
    devices: BTreeMap<String, Rates>,
}

impl StoredRates {
    pub fn read(path: &Path) -> Self {
        let kept: Option<Self> = crate::files::read(path, "list of speeds", 1 << 20)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        kept.filter(|kept| kept.version == VERSION).unwrap_or_default()
    }

    pub fn get(&self, key: &str) -> Option<Rates> {
        self.devices.get(key).copied().filter(Rates::are_plausible)
    }

    /// Adds the rates of one device and rewrites the file through a temporary file, so that two processes cannot mix
    /// their contents. A failure to write is only logged.
    pub fn keep(path: &Path, key: &str, rates: Rates) {
        let mut kept = Self::read(path);
        VERSION.clone_into(&mut kept.version);
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
            clock_refused: false,
        };
        assert_eq!(StoredRates::read(&path).get("a"), None);
        StoredRates::keep(&path, "a", rates);
        StoredRates::keep(&path, "b", Rates { cascade_samples_s: 0.0, ..rates });
        assert_eq!(StoredRates::read(&path).get("a"), Some(rates));
        assert_eq!(StoredRates::read(&path).get("b"), None, "a rate of 0 cannot be");
        // 8 MiB in 1 ns, as with a clock that stands still.
        StoredRates::keep(&path, "c", Rates { memory_bytes_s: 1.6e16, ..rates });
        assert_eq!(StoredRates::read(&path).get("c"), None, "nor one beyond physics");
        std::fs::write(&path, "{ not json").unwrap();
        assert_eq!(StoredRates::read(&path).get("a"), None);
    }

    #[test]
    fn the_median_counts_and_work_goes_on_until_the_device_is_warm() {
        let mut times = [9.0, 0.002, 0.001, 0.003, 0.0].into_iter();
        assert_eq!(median(|| Ok(times.next().unwrap())).unwrap(), 0.002);
        let mut runs = 0;
        warm_up(Duration::from_millis(20), || {
            runs += 1;
            std::thread::sleep(Duration::from_millis(3));
            Ok(())
        })
        .unwrap();
        assert!((1..=7).contains(&runs), "{runs}");
        warm_up(Duration::ZERO, || {
            runs = 0;
            Ok(())
        })
        .unwrap();
        assert_eq!(runs, 0, "once at the least");
        assert!(warm_up(Duration::MAX, || Err(Error::Cancelled)).is_err());
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
