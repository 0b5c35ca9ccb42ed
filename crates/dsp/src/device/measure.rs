//! Measures the speed of devices and keeps the results between runs.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::bench::{LEAST, WARM_UP, WARM_UP_EACH, spread_over};
use super::caches::Cache;
use super::choice::{PIECES, Rates};
use super::filters::Filter;
use super::repeat::{median, median_over, warm_up};
use super::trials::{self, Trial};
use crate::design::{Bank, FrequencyScale, Section, Svf, Window};
use crate::gpu::{AdapterKind, Engine, Finished};
use crate::kernels::signal::iir_cascade::gpu::GpuPlan;
use crate::kernels::signal::iir_cascade::{Cascade, CascadeState, cpu};
use crate::kernels::signal::resident::Chunk;
use crate::kernels::signal::stft::gpu::GpuStft;
use crate::kernels::signal::stft::{self, Columns, Rows, Samples, StftPlan, StftSpec, TileRequest};
use base::error::{Error, Result};
use base::sound::AudioBuffer;

/// Length of the stereo test signal in frames: 8 MiB, larger than a core's caches.
const FRAMES: usize = 1 << 20;

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

/// The product to measure with: a convolution of 32 to 64 channels and 7 taps.
fn product() -> Result<Box<dyn Trial>> {
    trials::convolution::trial(FRAMES, 1)
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
    warm_up(WARM_UP, || cpu::run(&cascade, &mut state, &mut buffer))?;
    let filtering = median_over(LEAST, || timed(|| cpu::run(&cascade, &mut state, &mut buffer)))?;
    let copying = copy_seconds();
    let spectrogram = Spectrogram::new()?;
    let analysing = median_over(LEAST, || {
        timed(|| stft::cpu::fine(&spectrogram.tile()).map(|tile| drop(std::hint::black_box(tile))))
    })?;
    let audio = signal(FRAMES);
    let filter = Filter::new(&audio)?;
    let product = product()?;
    warm_up(WARM_UP_EACH, || product.time_cpu().map(drop))?;
    let multiplying = median_over(LEAST, || product.time_cpu())?;
    Ok(Rates {
        upload_bytes_s: None,
        readback_bytes_s: None,
        streamed_bytes_s: None,
        memory_bytes_s: (2 * 2 * 4 * FRAMES) as f64 / copying,
        cascade_samples_s: (2 * FRAMES) as f64 / filtering,
        spectra_points_s: spectrogram.points() / analysing,
        filter_operations_s: filter.operations() / filter.cpu_seconds()?,
        product_operations_s: product.operations() / multiplying,
        overhead_s: 0.0,
        clock_refused: false,
    })
}

/// Returns the time to copy the test signal in memory, in seconds.
pub(super) fn copy_seconds() -> f64 {
    let from = vec![0.5_f32; 2 * FRAMES];
    let mut to = vec![0.0_f32; 2 * FRAMES];
    let copied = median_over(LEAST, || {
        timed(|| {
            to.copy_from_slice(std::hint::black_box(&from));
            std::hint::black_box(&to);
            Ok(())
        })
    });
    copied.unwrap_or(f64::INFINITY)
}

/// How long a device is warmed up, and over how many bytes its kernels are spread; 0 for one set of buffers.
#[derive(Clone, Copy)]
struct Effort {
    warm_up: Duration,
    warm_up_each: Duration,
    spread_bytes: u64,
}

impl Effort {
    /// A software adapter has no clock that ramps up, and warming it up would take seconds.
    fn on(kind: AdapterKind) -> Self {
        match kind {
            AdapterKind::Software => Self { warm_up: Duration::ZERO, warm_up_each: Duration::ZERO, spread_bytes: 0 },
            _ => Self {
                warm_up: WARM_UP,
                warm_up_each: WARM_UP_EACH,
                spread_bytes: Cache::of_adapter(kind).exceeded_bytes(),
            },
        }
    }

    /// Returns the median time of a recording's kernels in seconds, and whether the device's clock was refused.
    fn seconds(self, engine: &mut Engine, mut run: impl FnMut(&mut Engine) -> Result<Finished>) -> Result<(f64, bool)> {
        let mut refused = false;
        // The first run compiles the pipelines and lets the engine choose its submission sizes.
        run(engine)?;
        if self.spread_bytes > 0 {
            let spread = spread_over(engine, self.spread_bytes, &mut run)?;
            engine.set_spread(Some(spread));
        }
        let mut once = || {
            let finished = run(engine)?;
            refused |= finished.clock_refused;
            Ok(finished.seconds.kernels)
        };
        warm_up(self.warm_up_each, || once().map(drop))?;
        let seconds = median(once)?;
        engine.set_spread(None);
        Ok((seconds, refused))
    }
}

/// Measures an adapter's rates. Transfers are timed until the device has finished them; kernels go through buffers that
/// exceed the last-level cache ([`Cache`]).
pub(super) fn measure_gpu(engine: &mut Engine) -> Result<Rates> {
    let rates = measure_gpu_by(engine);
    engine.set_spread(None);
    let rates = rates?;
    if !rates.are_plausible() {
        return Err(Error::GpuUnavailable(format!("{} gave impossible measurements", engine.info().name)));
    }
    Ok(rates)
}

fn measure_gpu_by(engine: &mut Engine) -> Result<Rates> {
    let audio = signal(FRAMES);
    let small = signal(2048);
    let bytes = (2 * 4 * FRAMES) as f64;
    let cascade = order_8();
    let plan = GpuPlan::new(&cascade);
    let state = CascadeState::new(2, cascade.len());
    let effort = Effort::on(engine.info().kind);
    let round = |engine: &mut Engine, audio: &AudioBuffer, what: Round| -> Result<(f64, Finished)> {
        let mut chunk = Chunk::new();
        let mut at = chunk.upload(audio)?;
        if what.gain {
            at = chunk.gain(at, &[1.0, 1.0])?;
        }
        if what.filter {
            at = chunk.cascade(&plan, &state, at)?.0;
        }
        if what.back {
            chunk.readback(at);
        }
        let started = Instant::now();
        let done = chunk.run(engine, None)?;
        Ok((started.elapsed().as_secs_f64(), done.finished))
    };
    let one = Round { gain: false, filter: false, back: false };
    // The first run of each kind compiles shaders, allocates buffers and lets the engine choose its submission sizes.
    let everything = Round { gain: true, filter: true, back: true };
    round(engine, &small, everything)?;
    warm_up(effort.warm_up, || round(engine, &audio, everything).map(drop))?;
    let upload = median(|| Ok(round(engine, &audio, one)?.0))?;
    let both = median(|| Ok(round(engine, &audio, Round { back: true, ..one })?.0))?;
    let mut memory = AudioBuffer::default();
    let streamed = median(|| timed(|| stream(engine, &audio, &mut memory)))?;
    let overhead = median(|| Ok(round(engine, &small, Round { filter: true, back: true, ..one })?.0))?;
    let kernel = |engine: &mut Engine, what: Round| effort.seconds(engine, |engine| Ok(round(engine, &audio, what)?.1));
    let (copy, copy_refused) = kernel(engine, Round { gain: true, ..one })?;
    let (filter, filter_refused) = kernel(engine, Round { filter: true, ..one })?;
    let spectrogram = Spectrogram::new()?;
    let transform = GpuStft::new(&spectrogram.plan)?;
    let (analysing, spectra_refused) =
        effort.seconds(engine, |engine| Ok(transform.fine(engine, &spectrogram.tile(), None)?.1))?;
    let convolution = Filter::new(&audio)?;
    let (convolving, _) = effort.seconds(engine, convolution.on_gpu()?)?;
    let product = product()?;
    let (multiplying, _) = effort.seconds(engine, |engine| product.time_gpu(engine))?;
    Ok(Rates {
        upload_bytes_s: Some(bytes / upload),
        readback_bytes_s: Some(bytes / (both - upload).max(0.05 * both)),
        streamed_bytes_s: Some(2.0 * bytes / streamed),
        memory_bytes_s: 2.0 * bytes / copy,
        cascade_samples_s: (2 * FRAMES) as f64 / filter,
        spectra_points_s: spectrogram.points() / analysing,
        filter_operations_s: convolution.device_operations()? / convolving,
        product_operations_s: product.operations() / multiplying,
        overhead_s: overhead,
        clock_refused: copy_refused || filter_refused || spectra_refused,
    })
}

/// Uploads audio and reads it back, in as many pieces as a large chunk has.
fn stream(engine: &mut Engine, audio: &AudioBuffer, memory: &mut AudioBuffer) -> Result<()> {
    let mut chunk = Chunk::new();
    let ticket = chunk.output(std::mem::take(memory), audio.channels(), audio.frames());
    let step = audio.frames().div_ceil(PIECES);
    for first in (0..audio.frames()).step_by(step) {
        let piece = chunk.upload_frames(audio, first..audio.frames().min(first + step))?;
        chunk.readback_piece(ticket, first, piece);
    }
    *memory = chunk.run(engine, None)?.audio(ticket);
    Ok(())
}

/// The steps that a measured chunk takes with its signal.
#[derive(Clone, Copy)]
struct Round {
    gain: bool,
    filter: bool,
    back: bool,
}

/// The version of the program and of the measuring method. Rates of another version are not comparable and are
/// discarded.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), ", warm, out of caches, 50 ms each, streamed, products");

/// The rates measured on this machine, by device key, as stored in the configuration folder. A file that is of another
/// version or cannot be read is ignored, and the devices are measured again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct StoredRates {
    version: String,
    devices: BTreeMap<String, Rates>,
}

impl StoredRates {
    pub fn read(path: &Path) -> Self {
        let kept: Option<Self> = base::files::read(path, "list of speeds", 1 << 20)
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
            streamed_bytes_s: None,
            memory_bytes_s: 1e10,
            cascade_samples_s: 1e8,
            spectra_points_s: 1e8,
            filter_operations_s: 1e9,
            product_operations_s: 1e9,
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
