//! Spectrograms on a GPU, faults included: the CPU's tiles, numbers and pictures, and an honest report, always.

use crate::support::lone_gpu;

use std::sync::Arc;

use audio::encode::SafeFile;
use audio::{AudioBuffer, AudioFormat, AudioReader, Lanes};
use base::error::Result;
use base::progress::Progress;
use base::units::SampleRate;
use dsp::design::{FrequencyScale, Window};
use dsp::device::Placement;
use dsp::device::{DeviceReport, Devices, RunPurpose};
use dsp::gpu::faults::{self, Faults};
use dsp::kernels::signal::stft::{StftPlan, StftSpec};
use editor::view::colours;
use editor::view::picture::{Image, NumberKind, PictureSpec, draw, write_npy, write_row_npy};
use editor::view::spectrogram::{Analysis, Delivered, Method, SpectrogramSource, Spectrograms, TileSpec, Tiles};
use lone_gpu::gpu;

const RATE: u32 = 48_000;
const FRAMES: u64 = 150_000;
const METHODS: [Method; 4] = [Method::Fourier, Method::MultiResolution, Method::Reassigned, Method::ConstantQ];

/// A tone over noise, different on each channel, generated on each read.
struct Sound {
    position: u64,
}

fn sample(channel: usize, frame: u64) -> f32 {
    let mut state = (frame + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(channel as u64);
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let noise = (state >> 40) as f64 / 8_388_608.0 - 1.0;
    let tone = (std::f64::consts::TAU * [1000.0, 5000.0][channel] * frame as f64 / f64::from(RATE)).sin();
    (0.5 * tone + 0.1 * noise) as f32
}

impl AudioReader for Sound {
    fn format(&self) -> AudioFormat {
        AudioFormat::new(SampleRate::new(RATE).unwrap(), 2)
    }

    fn frames(&self) -> u64 {
        FRAMES
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(FRAMES);
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let frames = (FRAMES - self.position).min(frames as u64);
        let channel = |channel| (0..frames).map(|offset| sample(channel, self.position + offset)).collect();
        *out = AudioBuffer::from_channels(vec![channel(0), channel(1)]);
        self.position += frames;
        Ok(())
    }
}

fn source() -> SpectrogramSource {
    SpectrogramSource::new("sound".to_owned(), Arc::new(|| Ok(Box::new(Sound { position: 0 }) as _))).unwrap()
}

fn analysis(method: Method) -> Analysis {
    Analysis { method, bins_per_octave: 36, window: Window::Hann, size: 1024, padding: 1, scale: FrequencyScale::Log }
}

fn tile_spec(method: Method, level: u32) -> TileSpec {
    TileSpec {
        analysis: analysis(method),
        lanes: Lanes::Each,
        lane: 1,
        level,
        column_tile: 0,
        row_level: 0,
        row_tile: 0,
        row_tiles: 1,
    }
}

/// A tile from a service with an empty cache, and where it was computed.
fn tile(placement: &Placement, spec: &TileSpec) -> (Arc<Tiles>, DeviceReport) {
    let service = Spectrograms::new(1 << 20, None);
    let Delivered { tiles, report } = service.tile(&source(), spec, placement, &Progress::new()).unwrap();
    let again = service.tile(&source(), spec, placement, &Progress::new()).unwrap();
    assert_eq!(again.report.is_none(), tiles.exact, "what is kept is not made");
    (tiles, report.unwrap())
}

/// The share of the codes less than 70 dB below the loudest that agree within 0.01 dB: all of them, except where
/// rounding decides which cell gets the energy.
fn agreement(got: &[u16], expected: &[u16]) -> f64 {
    assert_eq!(got.len(), expected.len());
    let heard = expected.iter().max().unwrap().saturating_sub(14_000);
    let pairs: Vec<_> = got.iter().zip(expected).filter(|(_, expected)| **expected > heard).collect();
    assert!(pairs.len() > 100);
    pairs.iter().filter(|(got, expected)| got.abs_diff(**expected) <= 2).count() as f64 / pairs.len() as f64
}

fn assert_right(got: &Tiles, spec: &TileSpec, what: &str) {
    let (expected, report) = tile(&Placement::cpu(), spec);
    assert_eq!((report.used.as_str(), report.reason.as_str(), report.fallback), ("cpu", "selected", false));
    assert_eq!((got.columns, got.rows, got.exact), (expected.columns, expected.rows, expected.exact));
    let least = if spec.analysis.method == Method::Reassigned { 0.98 } else { 1.0 };
    let share = agreement(&got.codes, &expected.codes);
    assert!(share >= least, "{what}, {}, level {}: {share}", spec.analysis.method, spec.level);
    // A tile of another time is refused.
    let (late, _) = tile(&Placement::cpu(), &TileSpec { lane: 0, ..*spec });
    assert!(agreement(&late.codes, &expected.codes) < 0.5);
}

#[test]
fn tiles_of_every_method_are_the_cpus() {
    let Some(gpu) = gpu() else { return };
    for method in METHODS {
        for level in [5, 9, 15] {
            let spec = tile_spec(method, level);
            let (tiles, report) = tile(&gpu.placement("gpu", RunPurpose::Preview), &spec);
            assert_eq!((report.used.as_str(), report.fallback), ("gpu:0", false), "{report:?}");
            assert_eq!(report.requested, "gpu");
            assert_right(&tiles, &spec, "made on the GPU");
        }
    }
}

#[test]
fn a_lost_device_is_opened_again_once_and_then_left() {
    let Some(mut gpu) = gpu() else { return };
    for method in METHODS {
        let spec = tile_spec(method, 8);
        // One that nobody has lost yet.
        gpu.devices = Arc::new(Devices::new(None));
        faults::arm(Faults { lost_at_submit: Some(2), ..Faults::default() });
        let (tiles, report) = tile(&gpu.placement("gpu", RunPurpose::Preview), &spec);
        assert_eq!((report.used.as_str(), report.fallback), ("gpu:0", false), "{report:?}");
        assert!(report.reason.contains("restarted once"), "{report:?}");
        assert_right(&tiles, &spec, "opened again");

        faults::arm(Faults { lost_from_submit: Some(2), ..Faults::default() });
        let (tiles, report) = tile(&gpu.placement("gpu:0", RunPurpose::Preview), &spec);
        assert_eq!((report.used.as_str(), report.fallback), ("cpu", true), "{report:?}");
        assert!(report.reason.contains("stopped working") && report.requested == "gpu:0", "{report:?}");
        assert_right(&tiles, &spec, "left");
    }
}

#[test]
fn out_of_memory_makes_smaller_pieces_and_then_leaves_the_gpu() {
    let Some(mut gpu) = gpu() else { return };
    for method in METHODS {
        let spec = tile_spec(method, 8);
        // An engine without earlier buffers must create each one.
        gpu.devices = Arc::new(Devices::new(None));
        faults::arm(Faults { out_of_memory_at_buffer: Some(3), ..Faults::default() });
        let (tiles, report) = tile(&gpu.placement("gpu", RunPurpose::Preview), &spec);
        assert_eq!((report.used.as_str(), report.fallback), ("gpu:0", false), "{report:?}");
        assert_right(&tiles, &spec, "smaller");

        gpu.devices = Arc::new(Devices::new(None));
        faults::arm(Faults { out_of_memory_above: Some(100), ..Faults::default() });
        let (tiles, report) = tile(&gpu.placement("gpu", RunPurpose::Preview), &spec);
        assert_eq!((report.used.as_str(), report.fallback), ("cpu", true), "{report:?}");
        assert!(report.reason.contains("memory"), "{report:?}");
        assert_right(&tiles, &spec, "without memory");
    }
}

#[test]
fn what_cannot_be_had_is_told_and_auto_takes_no_software_adapter() {
    let Some(gpu) = gpu() else { return };
    let spec = tile_spec(Method::Fourier, 8);
    let expected = tile(&Placement::cpu(), &spec).0;
    let (tiles, report) = tile(&gpu.placement("Voodoo 9000", RunPurpose::Preview), &spec);
    assert_eq!((report.used.as_str(), report.fallback), ("cpu", true));
    assert!(report.reason.contains("Voodoo 9000") && report.reason.contains("gpu:0"), "{report:?}");
    assert_eq!(tiles, expected);

    faults::arm(Faults { adapter_vanished: true, ..Faults::default() });
    let (tiles, report) = tile(&gpu.placement("gpu", RunPurpose::Preview), &spec);
    assert_eq!((report.used.as_str(), report.fallback), ("cpu", true), "{report:?}");
    assert_eq!(tiles, expected);
    faults::arm(Faults::default());

    let software = gpu.devices.list().iter().filter(|device| device.kind == "software").count();
    if software + 1 == gpu.devices.list().len() {
        for level in [8, 17] {
            let (_, report) = tile(&gpu.placement("auto", RunPurpose::Preview), &tile_spec(Method::Fourier, level));
            assert_eq!((report.used.as_str(), report.fallback), ("cpu", false), "{report:?}");
            assert_eq!(report.reason, "no hardware GPU was found");
        }
    }
}

#[test]
fn a_cancel_ends_a_tile_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    let progress = Progress::new();
    progress.cancel();
    let service = Spectrograms::new(1 << 20, None);
    let spec = tile_spec(Method::Fourier, 8);
    let made = service.tile(&source(), &spec, &gpu.placement("gpu", RunPurpose::Preview), &progress);
    assert!(matches!(made, Err(base::Error::Cancelled)));
}

fn numbers(write: impl FnOnce(&mut SafeFile) -> Result<DeviceReport>) -> (Vec<f32>, DeviceReport) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.npy");
    let mut file = SafeFile::create(&path, false, &[]).unwrap();
    let report = write(&mut file).unwrap();
    file.commit().unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let values = bytes[start..].chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
    (values.collect(), report)
}

fn assert_numbers(got: &[f32], expected: &[f32], least: f64, what: &str) {
    assert_eq!(got.len(), expected.len(), "{what}");
    let loudest = expected.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let heard: Vec<_> = got.iter().zip(expected).filter(|(_, db)| **db > loudest - 70.0).collect();
    let near = heard.iter().filter(|(got, expected)| (*got - *expected).abs() <= 0.01).count();
    assert!(heard.len() > 1000 && near as f64 >= least * heard.len() as f64, "{what}: {near} of {}", heard.len());
}

#[test]
fn numbers_are_the_cpus_and_sizes_that_a_gpu_refuses_go_there() {
    let Some(gpu) = gpu() else { return };
    for size in [512, 1000] {
        let plan = StftPlan::new(StftSpec { window: Window::Hann, size, padding: 1, hop: 300 }).unwrap();
        let write = |placement: &Placement| {
            numbers(|file| {
                let kind = NumberKind::Decibels;
                write_npy(&source(), &plan, Lanes::Each, kind, placement, file, &Progress::new())
            })
        };
        let (got, report) = write(&gpu.placement("gpu", RunPurpose::Preview));
        let (expected, _) = write(&Placement::cpu());
        if size == 512 {
            assert_eq!((report.used.as_str(), report.fallback), ("gpu:0", false), "{report:?}");
            assert_numbers(&got, &expected, 1.0, "spectra");
        } else {
            assert_eq!((report.used.as_str(), report.fallback), ("cpu", true), "{report:?}");
            assert!(report.reason.contains("powers of two"), "{report:?}");
            assert_eq!(got, expected);
        }
    }
    for method in METHODS {
        let analysis = analysis(method);
        let rate = SampleRate::new(RATE).unwrap();
        let analyser = analysis.columns(rate, analysis.axis(rate).span(100)).unwrap();
        let write = |placement: &Placement| {
            numbers(|file| {
                write_row_npy(&source(), analyser.as_ref(), Lanes::Mix, 700, placement, file, &Progress::new())
            })
        };
        let (got, report) = write(&gpu.placement("gpu", RunPurpose::Preview));
        assert_eq!((report.used.as_str(), report.fallback), ("gpu:0", false), "{report:?}");
        let least = if method == Method::Reassigned { 0.98 } else { 1.0 };
        assert_numbers(&got, &write(&Placement::cpu()).0, least, &method.to_string());
    }
}

#[test]
fn pictures_are_the_cpus_to_a_shade() {
    let Some(gpu) = gpu() else { return };
    for method in METHODS {
        let spec = PictureSpec {
            analysis: analysis(method),
            lanes: Lanes::Each,
            width: 90,
            height: 64,
            hop: 256,
            top_db: 0.0,
            range_db: 70.0,
            colours: colours::table("grey").unwrap(),
            axes: false,
            title: String::new(),
        };
        let paint = |placement: &Placement| draw(&source(), &spec, placement, &Progress::new()).unwrap();
        let (got, report): (Image, _) = paint(&gpu.placement("gpu", RunPurpose::Preview));
        assert_eq!((report.used.as_str(), report.fallback), ("gpu:0", false), "{report:?}");
        let (expected, _) = paint(&Placement::cpu());
        assert_eq!((got.width(), got.height()), (expected.width(), expected.height()));
        let near = got.bytes().iter().zip(expected.bytes()).filter(|(a, b)| a.abs_diff(**b) <= 2).count();
        assert!(near as f64 >= 0.98 * got.bytes().len() as f64, "{method}: {near} of {}", got.bytes().len());
    }
}
