//! Features on a GPU, faults included: the CPU's numbers, and an honest report, always.

use crate::support::lone_gpu;

use std::f64::consts::TAU;

use analysis::features::{Analysis, AnalysisWithDevice, DIMENSIONS, Options, analyse, analyse_on};
use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::Error;
use base::progress::Progress;
use base::units::SampleRate;
use dsp::device::RunPurpose;
use dsp::gpu::Recording;
use dsp::gpu::faults::{self, Faults};
use dsp::kernels::signal::FrameSpan;
use dsp::kernels::signal::stft::gpu::GpuStft;
use dsp::kernels::signal::stft::{Samples, Spectra, cpu};
use lone_gpu::{Gpu, gpu};

impl Gpu {
    fn listen(&self, request: &str, rate: u32, samples: Vec<Vec<f32>>) -> AnalysisWithDevice {
        let mut reader = memory(rate, samples);
        analyse_on(&mut reader, Options::default(), &self.placement(request, RunPurpose::Export), &Progress::new())
            .unwrap()
    }
}

struct Memory {
    format: AudioFormat,
    samples: Vec<Vec<f32>>,
    at: usize,
}

fn memory(rate: u32, samples: Vec<Vec<f32>>) -> Memory {
    let format = AudioFormat::new(SampleRate::new(rate).unwrap(), samples.len());
    Memory { format, samples, at: 0 }
}

impl AudioReader for Memory {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.samples.first().map_or(0, Vec::len) as u64
    }

    fn position(&self) -> u64 {
        self.at as u64
    }

    fn seek(&mut self, frame: u64) -> base::Result<()> {
        self.at = frame as usize;
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> base::Result<()> {
        let end = self.at + frames.min(self.frames() as usize - self.at);
        *out = AudioBuffer::from_channels(self.samples.iter().map(|plane| plane[self.at..end].to_vec()).collect());
        self.at = end;
        Ok(())
    }
}

fn noise(n: usize) -> f64 {
    let mut state = (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state >> 40) as f64 / 8_388_608.0 - 1.0
}

/// Notes with a click at each half second and a little noise, another in each channel. The noise is well above what
/// rounding leaves of a spectrum, so that the twins' flatness can be compared.
fn music(rate: u32, seconds: f64, channels: usize) -> Vec<Vec<f32>> {
    let beat = rate as usize / 2;
    let of = |channel: usize| {
        let at = |n: usize| {
            let t = n as f64 / f64::from(rate);
            let hz = [220.0, 261.63, 329.63, 440.0][n / beat % 4];
            let since = (n % beat) as f64 / f64::from(rate);
            let click = noise(n) * (-since * 60.0).exp();
            let tone = (TAU * hz * t).sin() + 0.5 * (TAU * 2.0 * hz * t).sin();
            (0.2 * tone * (-since).exp() + 0.3 * click + 0.01 * noise(n + 7_777_777 * (channel + 1))) as f32
        };
        (0..(seconds * f64::from(rate)) as usize).map(at).collect()
    };
    (0..channels).map(of).collect()
}

/// The numbers of an analysis by name.
fn numbers(analysis: &Analysis) -> Vec<(String, Option<f64>)> {
    let mut all: Vec<(String, Option<f64>)> =
        DIMENSIONS.iter().zip(analysis.features.values).map(|(of, value)| (of.name.to_owned(), value)).collect();
    let figures = &analysis.figures;
    all.push(("bandwidth_hz".to_owned(), figures.bandwidth_hz));
    all.push(("flux".to_owned(), figures.flux));
    all.push(("pitch_hz".to_owned(), figures.pitch_hz));
    all.push(("voiced_ratio".to_owned(), figures.voiced_ratio));
    for (name, values) in [("contrast_db", &figures.contrast_db), ("mfcc", &figures.mfcc), ("chroma", &figures.chroma)]
    {
        for (index, value) in values.iter().flatten().enumerate() {
            all.push((format!("{name}[{index}]"), Some(*value)));
        }
    }
    all
}

/// The tolerance of each number: 1e-5 of itself; 1e-4 for numbers derived from onsets, pitch or pitch classes; a bin
/// for rolloff.
fn check(got: &Analysis, expected: &Analysis, bin_hz: f64) -> Result<(), String> {
    let (got_numbers, expected_numbers) = (numbers(got), numbers(expected));
    if got_numbers.len() != expected_numbers.len() {
        return Err(format!("{} numbers, not {}", got_numbers.len(), expected_numbers.len()));
    }
    for ((name, got), (_, expected)) in got_numbers.iter().zip(expected_numbers) {
        let (Some(got), Some(expected)) = (got, expected) else {
            if got.is_some() || expected.is_some() {
                return Err(format!("{name}: {got:?}, not {expected:?}"));
            }
            continue;
        };
        let allowed = match name.as_str() {
            "rolloff_hz" => bin_hz,
            "flatness" => 1e-4 * expected.abs() + 1e-9,
            "pitch_stability" | "chroma_energy" | "pitch_hz" => 1e-4 * expected.abs(),
            "voiced_ratio" => 2e-3,
            _ if name.starts_with("chroma[") => 1e-4,
            "tempo_bpm" | "rhythm_stability" | "transient_density" => 1e-4 * expected.abs() + 1e-9,
            _ if name.starts_with("mfcc") || name.starts_with("contrast") || name.ends_with("_db") => 1e-3,
            _ => 1e-5 * expected.abs() + 1e-9,
        };
        // Both may be infinite, or no number.
        let same = *got == expected || got.is_nan() && expected.is_nan();
        if !(same || (got - expected).abs() <= allowed) {
            return Err(format!("{name}: {got}, not {expected}, off by {:e}", got - expected));
        }
    }
    let (got, expected) = (&got.figures, &expected.figures);
    for (name, got, expected) in
        [("onsets", &got.onsets_s, &expected.onsets_s), ("beats", &got.beats_s, &expected.beats_s)]
    {
        // Beats lie between windows.
        let near = got.iter().zip(expected).all(|(got, expected)| (got - expected).abs() <= 1e-4);
        if !near || got.len() != expected.len() {
            return Err(format!("{name}: {got:?}, not {expected:?}"));
        }
    }
    Ok(())
}

fn bin_hz(rate: u32) -> f64 {
    f64::from(rate) / analysis::features::frames::Layout::of_rate(f64::from(rate)).size as f64
}

#[test]
fn power_spectra_are_the_twins() {
    let Some(gpu) = gpu() else { return };
    let engine = gpu.devices.engine(0).unwrap();
    let mut engine = engine.lock().unwrap();
    for rate in [8000, 44_100, 96_000, 192_000] {
        let layout = analysis::features::frames::Layout::of_rate(f64::from(rate));
        let plan = layout.plan().unwrap();
        let x = &music(rate, 0.5, 1)[0];
        let windows = 0..layout.windows(x.len() as u64);
        let (transform, mut recording) = (GpuStft::new(&plan).unwrap(), Recording::new());
        let reach = plan.start_frame(0)..plan.start_frame(windows.end - 1) + plan.spec().size as i64;
        let signal = FrameSpan::upload(&mut recording, Samples::whole(x), reach);
        let power = transform.record_power(&mut recording, signal, windows.clone());
        let ticket = recording.readback(power.view);
        let mut got = Spectra { bins: plan.bins(), values: Vec::new() };
        let mut keep = |of, bytes: &[u8]| {
            if of == ticket {
                got.values = bytemuck::pod_collect_to_vec(bytes);
            }
        };
        let finished = engine.execute(&recording, None, &mut keep).unwrap();
        assert!(finished.dispatches > 0, "the GPU did not run");
        let twin = cpu::power(&plan, Samples::whole(x), windows).unwrap();
        for window in 0..twin.windows() {
            let (got, twin) = (got.window(window), twin.window(window));
            let total: f64 = twin.iter().map(|&p| f64::from(p)).sum();
            // The root of a power is off by a share of all amplitudes, -130 dB of their norm.
            let apart = |(a, b): (&f32, &f32)| (f64::from(*a).sqrt() - f64::from(*b).sqrt()).powi(2);
            let residual: f64 = got.iter().zip(twin).map(apart).sum();
            assert!(
                residual <= 1e-12 * total,
                "{rate} Hz, window {window}: {:.1} dB",
                10.0 * (residual / total).log10()
            );
        }
    }
}

#[test]
fn all_dimensions_are_the_cpus() {
    let Some(gpu) = gpu() else { return };
    for (rate, seconds, channels) in
        [(44_100, 12.0, 2), (48_000, 4.0, 6), (8000, 9.0, 1), (96_000, 3.0, 1), (192_000, 2.0, 2), (1000, 5.0, 1)]
    {
        let x = music(rate, seconds, channels);
        let expected = analyse(&mut memory(rate, x.clone()), Options::default(), &Progress::new()).unwrap();
        let placed = gpu.listen("gpu", rate, x);
        let case = format!("{seconds} s of {channels} channels at {rate} Hz");
        check(&placed.analysis, &expected, bin_hz(rate)).unwrap_or_else(|why| panic!("{case}: {why}"));
        assert_eq!((placed.device.used.as_str(), placed.device.fallback), ("gpu:0", false), "{case}");
        assert_eq!(placed.device.requested, "gpu");
        assert!(placed.gpu_s > 0.0, "{case}: the GPU did not run");
    }
}

#[test]
fn another_recording_is_told_apart() {
    let Some(gpu) = gpu() else { return };
    let x = music(44_100, 4.0, 2);
    let expected = analyse(&mut memory(44_100, x.clone()), Options::default(), &Progress::new()).unwrap();
    let mut spoiled = x;
    for sample in &mut spoiled[0][88_200..88_300] {
        *sample += 0.05;
    }
    let placed = gpu.listen("gpu", 44_100, spoiled);
    assert!(check(&placed.analysis, &expected, bin_hz(44_100)).is_err());
}

#[test]
fn degenerate_recordings_are_the_cpus_too() {
    let Some(gpu) = gpu() else { return };
    let mut broken = music(44_100, 2.0, 1);
    broken[0][777] = f32::NAN;
    broken[0][40_000] = f32::INFINITY;
    // Powers beyond the range of a float: the CPU's result is the reference.
    let mut huge = music(44_100, 5.0, 1);
    huge[0][100_000..100_010].fill(1e30);
    for (case, rate, samples) in [
        ("nothing", 44_100, vec![Vec::new(), Vec::new()]),
        ("one sample", 44_100, vec![vec![0.5]]),
        ("shorter than a window", 44_100, vec![(0..100).map(|n| noise(n) as f32).collect()]),
        ("silence", 44_100, vec![vec![0.0; 60_000]; 2]),
        ("no number", 44_100, broken),
        ("huge", 44_100, huge),
        ("1 Hz", 1, vec![vec![0.1; 50]]),
    ] {
        let expected = analyse(&mut memory(rate, samples.clone()), Options::default(), &Progress::new()).unwrap();
        let placed = gpu.listen("gpu", rate, samples);
        let got = &placed.analysis;
        assert_eq!((got.frames, got.not_finite), (expected.frames, expected.not_finite), "{case}");
        check(got, &expected, bin_hz(rate)).unwrap_or_else(|why| panic!("{case}: {why}"));
    }
    let none = analyse_on(
        &mut memory(44_100, Vec::new()),
        Options::default(),
        &gpu.placement("gpu", RunPurpose::Export),
        &Progress::new(),
    );
    assert!(none.is_err(), "no channels");
}

#[test]
fn any_number_of_threads_gives_the_same() {
    let Some(gpu) = gpu() else { return };
    let x = music(44_100, 11.0, 2);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| serde_json::to_string(&gpu.listen("gpu", 44_100, x.clone()).analysis).unwrap())
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn memory_that_runs_out_halves_the_batch_and_changes_nothing() {
    let Some(gpu) = gpu() else { return };
    let x = music(44_100, 11.0, 1);
    let expected = serde_json::to_string(&gpu.listen("gpu", 44_100, x.clone()).analysis).unwrap();
    // Once, then none above 1 MiB: 947 windows of 1025 bins have 3.9 MB. Staging is a buffer of 4 MiB, made before.
    faults::arm(Faults { out_of_memory_at_buffer: Some(1), ..Faults::default() });
    let once = gpu.listen("gpu", 44_100, music(44_100, 23.0, 1));
    assert_eq!((once.device.used.as_str(), once.device.fallback), ("gpu:0", false), "{:?}", once.device);
    faults::arm(Faults { out_of_memory_above: Some(1 << 20), ..Faults::default() });
    let halved = gpu.listen("gpu", 44_100, x);
    assert_eq!((halved.device.used.as_str(), halved.device.fallback), ("gpu:0", false), "{:?}", halved.device);
    assert_eq!(serde_json::to_string(&halved.analysis).unwrap(), expected);
}

#[test]
fn memory_that_is_not_there_at_all_is_the_cpus_case() {
    let Some(gpu) = gpu() else { return };
    let x = music(44_100, 5.0, 2);
    let expected = analyse(&mut memory(44_100, x.clone()), Options::default(), &Progress::new()).unwrap();
    faults::arm(Faults { out_of_memory_above: Some(0), ..Faults::default() });
    let placed = gpu.listen("gpu", 44_100, x);
    assert_eq!((placed.device.used.as_str(), placed.device.fallback), ("cpu", true));
    assert!(placed.device.reason.contains("too little memory"), "{:?}", placed.device);
    assert_eq!(placed.analysis, expected, "the CPU's own bits");
}

#[test]
fn a_lost_device_is_opened_again_once_and_then_left() {
    let Some(gpu) = gpu() else { return };
    let x = music(44_100, 5.0, 2);
    let expected = analyse(&mut memory(44_100, x.clone()), Options::default(), &Progress::new()).unwrap();
    faults::arm(Faults { lost_at_submit: Some(1), ..Faults::default() });
    let placed = gpu.listen("gpu", 44_100, x.clone());
    assert_eq!((placed.device.used.as_str(), placed.device.fallback), ("gpu:0", false));
    assert!(placed.device.reason.contains("restarted once"), "{:?}", placed.device);
    check(&placed.analysis, &expected, bin_hz(44_100)).unwrap();
    faults::arm(Faults { lost_from_submit: Some(1), ..Faults::default() });
    let placed = gpu.listen("gpu", 44_100, x.clone());
    assert_eq!((placed.device.used.as_str(), placed.device.fallback), ("cpu", true));
    assert_eq!(placed.analysis, expected);
    faults::arm(Faults { lost_at_submit: Some(1), adapter_vanished: true, ..Faults::default() });
    let placed = gpu.listen("gpu", 44_100, x);
    assert_eq!((placed.device.used.as_str(), placed.device.fallback), ("cpu", true), "{:?}", placed.device);
    assert_eq!(placed.analysis, expected);
}

#[test]
fn a_device_that_is_lost_on_the_way_costs_its_batch_alone() {
    let Some(gpu) = gpu() else { return };
    // With so many channels each block of 3 s is a batch.
    let x = music(44_100, 4.0, 32);
    let expected = analyse(&mut memory(44_100, x.clone()), Options::default(), &Progress::new()).unwrap();
    // How many submissions the first takes depends on the pace of the device.
    let on_the_way = (1..100).find_map(|submit| {
        faults::arm(Faults { lost_from_submit: Some(submit), ..Faults::default() });
        let placed = gpu.listen("gpu", 44_100, x.clone());
        check(&placed.analysis, &expected, bin_hz(44_100)).unwrap_or_else(|why| panic!("submission {submit}: {why}"));
        (placed.gpu_s > 0.0).then_some(placed)
    });
    let placed = on_the_way.expect("a first batch that was a GPU's");
    assert_eq!((placed.device.used.as_str(), placed.device.fallback), ("cpu", true), "{:?}", placed.device);
}

#[test]
fn what_is_asked_for_is_used_and_a_software_adapter_only_then() {
    let Some(gpu) = gpu() else { return };
    let x = music(44_100, 2.0, 1);
    let expected = analyse(&mut memory(44_100, x.clone()), Options::default(), &Progress::new()).unwrap();
    for (request, used, fallback) in [("cpu", "cpu", false), ("gpu:77", "cpu", true), ("Voodoo", "cpu", true)] {
        let placed = gpu.listen(request, 44_100, x.clone());
        assert_eq!((placed.device.used.as_str(), placed.device.fallback), (used, fallback), "{request}");
        assert_eq!((placed.device.requested.as_str(), placed.gpu_s), (request, 0.0));
        assert_eq!(placed.analysis, expected, "{request}");
    }
    let automatic = gpu.listen("auto", 44_100, x);
    let software = gpu.devices.list().iter().all(|device| device.kind == "cpu" || device.kind == "software");
    if software {
        assert_eq!((automatic.device.used.as_str(), automatic.device.fallback), ("cpu", false));
    }
    assert!(!automatic.device.reason.is_empty());
}

#[test]
fn a_cancel_stops_the_pass() {
    let Some(gpu) = gpu() else { return };
    let progress = Progress::new();
    progress.cancel();
    let mut reader = memory(44_100, music(44_100, 3.0, 1));
    let stopped = analyse_on(&mut reader, Options::default(), &gpu.placement("gpu", RunPurpose::Export), &progress);
    assert!(matches!(stopped, Err(Error::Cancelled)));
}
