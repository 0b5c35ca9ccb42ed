//! Missing and failing GPUs: the job finishes with correct samples and a truthful report. Each scenario runs in a
//! separate process, because drivers are looked for once, and faults are armed for a whole process.

use crate::support;

use std::sync::PoisonError;

use base::error::{Error, Result};
use base::sound::AudioBuffer;
use dsp::design::{Warped, butterworth_lowpass};
use dsp::device::{
    DeviceChoice, DeviceId, DeviceReport, DeviceRequest, Devices, Fallback, Recovery, RunPurpose, Workload,
};
use dsp::gpu::Engine;
use dsp::gpu::faults::{self, Faults};
use dsp::kernels::signal::iir_cascade::gpu::GpuPlan;
use dsp::kernels::signal::iir_cascade::{Cascade, CascadeState, cpu};
use dsp::kernels::signal::resident::Chunk;
use support::alone::alone;
use support::gpu::{engine, noise_buffer};

const FRAMES: usize = 100_001;
const CHUNK: usize = 32_768;

/// Runs the ignored test `scenario` of this file in a separate process.
fn in_a_process_of_its_own(scenario: &str, environment: &[(&str, &str)]) {
    alone(&format!("devices::{scenario}"), environment);
}

const NO_DRIVER: &[(&str, &str)] = &[
    ("VK_DRIVER_FILES", "/nonexistent"),
    ("WGPU_BACKEND", "vulkan"),
    ("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent"),
];

fn cascade() -> Cascade {
    Cascade::new(&butterworth_lowpass(8, Warped::new(1000.0, 48e3).unwrap()))
}

fn filtering() -> Workload {
    Workload { channels: 2, sections: 4, transfers: 1, ..Workload::default() }
}

fn choose(devices: &Devices, request: &str) -> DeviceChoice {
    devices.choose(&DeviceRequest::from(request.to_owned()), &filtering(), RunPurpose::Export)
}

/// A chunk on the GPU; the state moves on only when all went well.
fn chunk_on_gpu(
    engine: &mut Engine,
    plan: &GpuPlan,
    state: &mut CascadeState,
    block: &AudioBuffer,
) -> Result<AudioBuffer> {
    let mut chunk = Chunk::new();
    let input = chunk.upload(block)?;
    let (filtered, after) = chunk.cascade(plan, state, input)?;
    let ticket = chunk.readback(filtered);
    let mut done = chunk.run(engine, None)?;
    done.state(&after, state);
    Ok(done.audio(ticket))
}

/// A job as a renderer runs it: the stream in chunks, with all that can go wrong.
fn job(devices: &Devices, request: &str, input: &AudioBuffer, most: usize) -> (AudioBuffer, DeviceReport, usize) {
    let cascade = cascade();
    let plan = GpuPlan::new(&cascade);
    let mut state = CascadeState::new(input.channels(), cascade.len());
    let mut fallback = Fallback::new(choose(devices, request), most);
    let mut output = AudioBuffer::new(input.channels(), 0);
    let mut gpu_chunks = 0;
    while output.frames() < input.frames() {
        let at = output.frames();
        let mut block = AudioBuffer::new(input.channels(), 0);
        block.extend_from(input, at..input.frames().min(at + fallback.max_frames()));
        let DeviceId::Gpu(index) = fallback.choice().device else {
            cpu::run(&cascade, &mut state, &mut block).unwrap();
            output.extend_from(&block, 0..block.frames());
            continue;
        };
        let result = devices.engine(index).and_then(|engine| {
            let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
            chunk_on_gpu(&mut engine, &plan, &mut state, &block)
        });
        match result {
            Ok(done) => {
                gpu_chunks += 1;
                output.extend_from(&done, 0..done.frames());
            }
            Err(error) => {
                let recovery = fallback.failed(&error).expect("an error of the GPU's");
                if recovery == Recovery::Rebuild {
                    let rebuilt = devices
                        .engine(index)
                        .and_then(|engine| engine.lock().unwrap_or_else(PoisonError::into_inner).rebuild());
                    if let Err(error) = rebuilt {
                        fallback.failed(&error);
                    }
                }
            }
        }
    }
    (output, fallback.choice().report.clone(), gpu_chunks)
}

/// The job's samples equal the CPU's, within the GPU's tolerance.
fn assert_right(input: &AudioBuffer, got: &AudioBuffer) {
    let cascade = cascade();
    let mut expected = input.clone();
    cpu::run(&cascade, &mut CascadeState::new(input.channels(), cascade.len()), &mut expected).unwrap();
    assert_eq!(got.frames(), expected.frames());
    for (channel, (got, expected)) in got.iter().zip(expected.iter()).enumerate() {
        let square = |x: f32| f64::from(x).powi(2);
        let error: f64 = got.iter().zip(expected).map(|(&a, &b)| square(a - b)).sum();
        let level: f64 = input.channel(channel).iter().map(|&x| square(x)).sum();
        let db = 10.0 * (error / level).log10();
        assert!(db <= -120.0, "channel {channel}: {db:.1} dB");
    }
}

fn run_with(faults: Faults) -> (DeviceReport, usize) {
    run_with_chunks(faults, FRAMES, CHUNK)
}

fn run_with_chunks(faults: Faults, frames: usize, most: usize) -> (DeviceReport, usize) {
    let devices = Devices::new(None);
    assert_eq!(choose(&devices, "gpu").report.used, "gpu:0");
    faults::arm(faults);
    let input = noise_buffer(2, frames);
    let (output, report, gpu_chunks) = job(&devices, "gpu", &input, most);
    println!("{report:?}, {gpu_chunks} chunks on the GPU");
    assert_right(&input, &output);
    assert_eq!(report.requested, "gpu");
    (report, gpu_chunks)
}

#[test]
fn no_driver_at_all() {
    in_a_process_of_its_own("child_without_driver", NO_DRIVER);
}

#[test]
#[ignore = "run by no_driver_at_all"]
fn child_without_driver() {
    let devices = Devices::new(None);
    let list = devices.list();
    assert_eq!(list.len(), 1, "{list:?}");
    assert_eq!((list[0].id, list[0].backend.as_str()), (DeviceId::Cpu, "Rust"));
    let input = noise_buffer(2, FRAMES);
    for (request, fallback) in [("gpu", true), ("gpu:0", true), ("lavapipe", true), ("auto", false), ("cpu", false)] {
        let (output, report, gpu_chunks) = job(&devices, request, &input, CHUNK);
        assert_right(&input, &output);
        assert_eq!((report.requested.as_str(), report.used.as_str(), gpu_chunks), (request, "cpu", 0));
        assert_eq!(report.fallback, fallback, "{report:?}");
        assert_eq!(report.reason.contains("no GPU adapter was found"), request != "cpu", "{report:?}");
        assert!(!report.name.is_empty());
    }
    assert!(matches!(devices.engine(0), Err(Error::GpuUnavailable(_))));
}

#[test]
fn the_cpu_alone_touches_no_driver() {
    in_a_process_of_its_own("child_with_cpu_only", &[]);
}

#[test]
#[ignore = "run by the_cpu_alone_touches_no_driver"]
fn child_with_cpu_only() {
    let devices = Devices::new(None);
    let choice = choose(&devices, "cpu");
    assert_eq!((choice.device, choice.report.reason.as_str()), (DeviceId::Cpu, "selected"));
    // Neither does `auto` for a minute of audio.
    let short = Workload { frames: Some(60 * 48_000), ..filtering() };
    let report = devices.choose(&DeviceRequest::Auto, &short, RunPurpose::Export).report;
    assert_eq!((report.requested.as_str(), report.used.as_str(), report.fallback), ("auto", "cpu", false));
    assert!(report.reason.contains("before a GPU is ready"), "{report:?}");
    if let Ok(maps) = std::fs::read_to_string("/proc/self/maps") {
        assert!(!maps.contains("libvulkan") && !maps.contains("libEGL"), "a driver was loaded");
    }
}

#[test]
fn an_adapter_that_does_not_exist() {
    let devices = Devices::new(None);
    let input = noise_buffer(2, 5000);
    for request in ["gpu:99", "Voodoo 2"] {
        let (output, report, gpu_chunks) = job(&devices, request, &input, CHUNK);
        assert_right(&input, &output);
        assert_eq!((report.requested.as_str(), report.used.as_str(), gpu_chunks), (request, "cpu", 0));
        assert!(report.fallback && report.reason.contains(request), "{report:?}");
    }
}

#[test]
fn a_software_adapter_is_never_chosen_by_itself() {
    let Some(engine) = engine() else { return };
    if engine.info().kind.name() == "software" {
        let report = choose(&Devices::new(None), "auto").report;
        assert_eq!((report.used.as_str(), report.reason.as_str()), ("cpu", "no hardware GPU was found"));
        assert!(!report.fallback);
        let report = choose(&Devices::new(None), "gpu").report;
        assert_eq!(report.used, "gpu:0");
        assert!(report.reason.contains("software"), "{report:?}");
    }
}

#[test]
fn what_f32_cannot_keep_runs_on_the_cpu() {
    let Some(_) = engine() else { return };
    let devices = Devices::new(None);
    let work = Workload { inaccurate: Some("-95 dB".to_owned()), ..filtering() };
    let report = devices.choose(&DeviceRequest::Gpu, &work, RunPurpose::Export).report;
    assert_eq!((report.used.as_str(), report.reason.as_str()), ("cpu", "accuracy: -95 dB"));
    assert!(report.fallback);
}

#[test]
fn nothing_goes_wrong() {
    let Some(_) = engine() else { return };
    in_a_process_of_its_own("child_without_faults", &[]);
}

#[test]
#[ignore = "run by nothing_goes_wrong"]
fn child_without_faults() {
    let (report, gpu_chunks) = run_with(Faults::default());
    assert_eq!((report.used.as_str(), report.fallback, gpu_chunks), ("gpu:0", false, FRAMES.div_ceil(CHUNK)));
}

#[test]
fn out_of_memory_once() {
    let Some(_) = engine() else { return };
    in_a_process_of_its_own("child_out_of_memory_once", &[]);
}

#[test]
#[ignore = "run by out_of_memory_once"]
fn child_out_of_memory_once() {
    for buffer in 1..8 {
        let (report, gpu_chunks) = run_with(Faults { out_of_memory_at_buffer: Some(buffer), ..Faults::default() });
        assert_eq!((report.used.as_str(), report.fallback), ("gpu:0", false), "buffer {buffer}");
        // All chunks were halved; none if a full pool made that unnecessary.
        assert!([FRAMES.div_ceil(CHUNK / 2), FRAMES.div_ceil(CHUNK)].contains(&gpu_chunks), "{gpu_chunks} chunks");
    }
}

#[test]
fn little_memory() {
    let Some(_) = engine() else { return };
    in_a_process_of_its_own("child_with_little_memory", &[]);
}

#[test]
#[ignore = "run by little_memory"]
fn child_with_little_memory() {
    // Room for half a chunk.
    let faults = Faults { out_of_memory_above: Some(4 << 20), ..Faults::default() };
    let (report, gpu_chunks) = run_with_chunks(faults, (1 << 20) + 7, 1 << 20);
    assert_eq!((report.used.as_str(), report.fallback, gpu_chunks), ("gpu:0", false, 3));
    // No room for anything: the CPU.
    let faults = Faults { out_of_memory_above: Some(0), ..Faults::default() };
    let (report, gpu_chunks) = run_with(faults);
    assert_eq!((report.used.as_str(), report.fallback, gpu_chunks), ("cpu", true, 0));
    assert!(report.reason.contains("gpu:0 failed") && report.reason.contains("too little memory"), "{report:?}");
}

#[test]
fn lost_once() {
    let Some(_) = engine() else { return };
    in_a_process_of_its_own("child_lost_once", &[]);
}

#[test]
#[ignore = "run by lost_once"]
fn child_lost_once() {
    let (report, gpu_chunks) = run_with(Faults { lost_at_submit: Some(3), ..Faults::default() });
    assert_eq!((report.used.as_str(), report.fallback), ("gpu:0", false), "{report:?}");
    assert!(report.reason.contains("restarted once"), "{report:?}");
    assert_eq!(gpu_chunks, FRAMES.div_ceil(CHUNK), "every chunk ran on the GPU in the end");
}

#[test]
fn lost_for_good() {
    let Some(_) = engine() else { return };
    in_a_process_of_its_own("child_lost_for_good", &[]);
}

#[test]
#[ignore = "run by lost_for_good"]
fn child_lost_for_good() {
    let (report, gpu_chunks) = run_with(Faults { lost_from_submit: Some(5), ..Faults::default() });
    assert_eq!((report.used.as_str(), report.fallback), ("cpu", true), "{report:?}");
    assert!(report.reason.contains("gpu:0 failed") && report.reason.contains("stopped working"), "{report:?}");
    assert!(gpu_chunks < FRAMES.div_ceil(CHUNK));
}

#[test]
fn gone_between_enumeration_and_use() {
    let Some(_) = engine() else { return };
    in_a_process_of_its_own("child_vanished", &[]);
}

#[test]
#[ignore = "run by gone_between_enumeration_and_use"]
fn child_vanished() {
    let (report, gpu_chunks) = run_with(Faults { adapter_vanished: true, ..Faults::default() });
    assert_eq!((report.used.as_str(), report.fallback, gpu_chunks), ("cpu", true, 0));
    assert!(report.reason.contains("was removed"), "{report:?}");
}

#[test]
fn faults_from_the_environment_reach_every_part_of_the_program() {
    let Some(_) = engine() else { return };
    in_a_process_of_its_own("child_with_faults_in_its_environment", &[("UNDERTONE_GPU_FAULT", "lost_from=1")]);
}

#[test]
#[ignore = "run by faults_from_the_environment_reach_every_part_of_the_program"]
fn child_with_faults_in_its_environment() {
    let input = noise_buffer(2, 5000);
    let (output, report, gpu_chunks) = job(&Devices::new(None), "gpu", &input, CHUNK);
    assert_right(&input, &output);
    assert_eq!((report.used.as_str(), report.fallback, gpu_chunks), ("cpu", true, 0));
}

#[test]
fn an_adapter_is_measured_and_the_figures_are_kept() {
    let Some(_) = engine() else { return };
    let folder = tempfile::tempdir().unwrap();
    let devices = Devices::new(Some(folder.path().to_owned()));
    assert!(devices.list().iter().all(|entry| entry.rates.is_none()), "nothing was measured yet");
    let rates = devices.measure(DeviceId::Gpu(0)).unwrap();
    for rate in [rates.upload_bytes_s.unwrap(), rates.readback_bytes_s.unwrap(), rates.memory_bytes_s] {
        assert!(rate.is_finite() && rate > 1e6, "{rates:?}");
    }
    assert!(rates.overhead_s > 0.0 && rates.cascade_samples_s > 1e4, "{rates:?}");
    let again = Devices::new(Some(folder.path().to_owned()));
    assert_eq!(again.list()[1].rates, Some(rates), "the next start knows them");
}
