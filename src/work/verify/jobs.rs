//! Runs whole jobs on the CPU and on a GPU, and compares their results.

use std::sync::Arc;
use std::time::Instant;

use super::JobCheck;
use crate::audio::{AudioBuffer, AudioFormat, MemoryReader};
use crate::chain::{Chain, MeasuredMap, Placement, Renderer};
use crate::design::{FrequencyScale, Window};
use crate::device::trials::{RATE_HZ, music};
use crate::device::{DeviceId, DeviceReport, DeviceRequest, Devices, RunPurpose};
use crate::error::{Error, Result};
use crate::features::{Options, analyse_on};
use crate::kernels::signal::stft::{ColumnGrid, LevelCode, Samples, Spacing};
use crate::progress::Progress;
use crate::units::SampleRate;
use crate::view::spectrogram::{Analysis, Extent, Method, PlacedAnalysis, RowSpan};

/// The length of the test signals in seconds.
const SECONDS: usize = 60;
const BATCH_SECONDS: usize = 15;
const BATCH_FILES: u64 = 4;
/// The residual of a chain in dB: two of its kernels may differ by -120 dB each way.
const CHAIN_DB: f64 = -108.0;

const CHAIN: &str = "highpass(80 Hz, order=4) | peaking(1 kHz, q=1, gain=3 dB) \
                     | (lowpass(200 Hz, order=2) + highpass(2 kHz, order=2)) | gain(-3 dB)";
const FIR: &str = "fir(kind=lowpass, cutoff=2 kHz, taps=1025)";
const BATCH: &str = "highpass(80 Hz, order=4) | lowpass(8 kHz, order=6) | gain(-1 dB)";

/// The result of a job: its numbers, the device that it ran on, and the seconds it took.
struct Outcome {
    values: Vec<f64>,
    device: DeviceReport,
    seconds: f64,
}

/// A job: its name, how it runs, the difference of two results, the limit, and the unit of both.
pub(super) struct Job {
    name: &'static str,
    run: fn(&Placement, &Progress) -> Result<Outcome>,
    difference: fn(&[f64], &[f64]) -> f64,
    limit: f64,
    unit: &'static str,
}

/// All jobs.
pub(super) const ALL: [Job; 5] = [
    Job { name: "chain", run: chain, difference: residual_db, limit: CHAIN_DB, unit: "dB" },
    Job { name: "FIR", run: fir, difference: residual_db, limit: CHAIN_DB, unit: "dB" },
    Job { name: "spectrogram", run: spectrogram, difference: level_db, limit: 0.01, unit: "dB of a level" },
    Job { name: "features of a minute", run: features, difference: relative, limit: 1e-3, unit: "of the value" },
    Job { name: "batch", run: batch, difference: residual_db, limit: CHAIN_DB, unit: "dB" },
];

/// Runs every job on the CPU and on the GPU.
///
/// # Errors
/// A job that fails is not an error: its check reports it.
pub(super) fn run(devices: &Arc<Devices>, id: DeviceId, name: &str, progress: &Progress) -> Result<Vec<JobCheck>> {
    let on = |request: DeviceRequest| Placement::new(request, Arc::clone(devices), RunPurpose::Export);
    let (cpu, gpu) = (on(DeviceRequest::Cpu), on(DeviceRequest::from(id.to_string())));
    let mut checks = Vec::with_capacity(ALL.len());
    for job in &ALL {
        progress.set_step(format!("{} on {name}", job.name));
        let check = match compare(job, &cpu, &gpu, progress) {
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(error) => JobCheck { problem: Some(error.to_string()), ..blank(job) },
            Ok(check) => check,
        };
        checks.push(check);
        progress.advance(1)?;
    }
    Ok(checks)
}

fn blank(job: &Job) -> JobCheck {
    JobCheck {
        job: job.name.to_owned(),
        passed: false,
        problem: None,
        difference: 0.0,
        limit: job.limit,
        unit: job.unit.to_owned(),
        cpu_s: 0.0,
        gpu_s: 0.0,
    }
}

fn compare(job: &Job, cpu: &Placement, gpu: &Placement, progress: &Progress) -> Result<JobCheck> {
    let cpu = (job.run)(cpu, &progress.uncounted())?;
    // The first run compiles the pipelines.
    (job.run)(gpu, &progress.uncounted())?;
    let gpu = (job.run)(gpu, &progress.uncounted())?;
    let ran = gpu.device.used.starts_with("gpu") && !gpu.device.fallback;
    let same_count = gpu.values.len() == cpu.values.len();
    let difference = if same_count { (job.difference)(&gpu.values, &cpu.values) } else { f64::INFINITY };
    let problem = match () {
        () if !ran => Some(format!("ran on {}: {}", gpu.device.used, gpu.device.reason)),
        () if !same_count => Some(format!("{} values, {} on the CPU", gpu.values.len(), cpu.values.len())),
        () if difference.is_nan() => Some("a value is not a number".to_owned()),
        () => None,
    };
    let passed = problem.is_none() && difference <= job.limit;
    // JSON has no infinity. Equal results are below any residual that f32 can represent.
    let difference = if difference.is_finite() { difference } else { -300.0 };
    Ok(JobCheck { passed, problem, difference, cpu_s: cpu.seconds, gpu_s: gpu.seconds, ..blank(job) })
}

fn rate() -> Result<SampleRate> {
    SampleRate::new(RATE_HZ as u32)
}

fn stereo(seed: u64, seconds: usize) -> AudioBuffer {
    let frames = seconds * RATE_HZ as usize;
    AudioBuffer::from_channels(vec![music(seed, frames), music(seed + 1, frames)])
}

/// Renders audio through a chain, in the chunks that the renderer prefers.
fn render(text: &str, audio: &AudioBuffer, placement: &Placement, progress: &Progress) -> Result<Outcome> {
    let chain: Chain = text.parse()?;
    let format = AudioFormat::new(rate()?, audio.channels());
    let placement = placement.clone().for_frames(audio.frames() as u64);
    let started = Instant::now();
    let mut renderer = Renderer::new(&chain, format, &placement, &MeasuredMap::default())?;
    renderer.watch(progress);
    let mut out = AudioBuffer::new(audio.channels(), 0);
    let mut first = 0;
    while first < audio.frames() {
        let end = audio.frames().min(first + renderer.preferred_frames());
        let mut block = AudioBuffer::new(audio.channels(), 0);
        block.extend_from(audio, first..end);
        renderer.process(&mut block)?;
        out.extend_from(&block, 0..block.frames());
        first = end;
    }
    let rest = renderer.finish(false)?;
    out.extend_from(&rest, 0..rest.frames());
    let seconds = started.elapsed().as_secs_f64();
    let values = out.iter().flatten().map(|&sample| f64::from(sample)).collect();
    Ok(Outcome { values, device: renderer.report(), seconds })
}

fn chain(placement: &Placement, progress: &Progress) -> Result<Outcome> {
    render(CHAIN, &stereo(1, SECONDS), placement, progress)
}

fn fir(placement: &Placement, progress: &Progress) -> Result<Outcome> {
    render(FIR, &stereo(1, SECONDS), placement, progress)
}

/// Renders several recordings at the same time. On a GPU their recordings share submissions.
fn batch(placement: &Placement, progress: &Progress) -> Result<Outcome> {
    let inputs: Vec<AudioBuffer> = (0..BATCH_FILES).map(|file| stereo(10 * file, BATCH_SECONDS)).collect();
    let started = Instant::now();
    let outcomes = std::thread::scope(|scope| {
        let threads: Vec<_> =
            inputs.iter().map(|audio| scope.spawn(|| render(BATCH, audio, placement, progress))).collect();
        let joined = threads.into_iter().map(|thread| {
            thread.join().unwrap_or_else(|_| Err(Error::Internal("a thread of the batch ended by itself".to_owned())))
        });
        joined.collect::<Result<Vec<Outcome>>>()
    })?;
    let seconds = started.elapsed().as_secs_f64();
    let device = outcomes.iter().map(|outcome| &outcome.device).find(|device| device.fallback);
    let device = device.or(outcomes.first().map(|outcome| &outcome.device)).cloned();
    let device = device.ok_or_else(|| Error::Internal("a batch without files".to_owned()))?;
    Ok(Outcome { values: outcomes.into_iter().flat_map(|outcome| outcome.values).collect(), device, seconds })
}

fn spectrogram(placement: &Placement, progress: &Progress) -> Result<Outcome> {
    let (analysis, span) = (
        Analysis {
            method: Method::Fourier,
            window: Window::Hann,
            size: 2048,
            padding: 1,
            scale: FrequencyScale::Mel,
            bins_per_octave: 36,
        },
        RowSpan { scale: FrequencyScale::Mel, span_hz: [20.0, RATE_HZ / 2.0], count: 512 },
    );
    let samples = music(1, SECONDS * RATE_HZ as usize);
    let analyser = analysis.columns(rate()?, span)?;
    let count = samples.len() / 512;
    let grid = ColumnGrid { count, first_centre: 0.0, frames_each: 512.0, spacing: Spacing::One };
    let extent = Extent { piece: grid, columns: count, lanes: 1, level_bytes: 2 };
    let started = Instant::now();
    let mut placed = PlacedAnalysis::new(analyser.as_ref(), placement, &extent)?;
    let tile = placed.fine(&grid, Samples::whole(&samples), progress)?;
    let seconds = started.elapsed().as_secs_f64();
    let values = tile.values.iter().map(|&code| f64::from(LevelCode::FINE.db(u32::from(code)))).collect();
    Ok(Outcome { values, device: placed.report().clone(), seconds })
}

fn features(placement: &Placement, progress: &Progress) -> Result<Outcome> {
    let mut reader = MemoryReader::new(rate()?, stereo(1, SECONDS));
    let started = Instant::now();
    let placed = analyse_on(&mut reader, Options::default(), placement, progress)?;
    let seconds = started.elapsed().as_secs_f64();
    // A dimension that is missing on only one device makes the difference `NaN`.
    let values = placed.analysis.features.values.iter().map(|value| value.unwrap_or(f64::NAN)).collect();
    Ok(Outcome { values, device: placed.device, seconds })
}

/// Returns the RMS of the residual in dB relative to the RMS of the expected signal.
fn residual_db(got: &[f64], expected: &[f64]) -> f64 {
    let squares = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>();
    let residual = squares(&mut got.iter().zip(expected).map(|(got, expected)| got - expected));
    10.0 * (residual / squares(&mut expected.iter().copied())).log10()
}

/// Returns the largest difference of levels in dB, among those within 70 dB of the loudest.
fn level_db(got: &[f64], expected: &[f64]) -> f64 {
    let loudest = expected.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let heard = got.iter().zip(expected).filter(|(_, expected)| **expected >= loudest - 70.0);
    heard.map(|(got, expected)| (got - expected).abs()).fold(0.0, f64::max)
}

/// Returns the largest difference relative to the expected value.
fn relative(got: &[f64], expected: &[f64]) -> f64 {
    let each = got.iter().zip(expected).filter(|(got, expected)| !(got.is_nan() && expected.is_nan()));
    let differences = each.map(|(got, expected)| (got - expected).abs() / expected.abs().max(1e-3));
    // `NaN` counts as larger than any difference.
    differences.fold(0.0, |most, difference| if difference <= most { most } else { difference })
}
