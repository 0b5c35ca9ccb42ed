//! Times the analysis pass over seven minutes of stereo at 44.1 kHz, and its stages separately on one thread.
//!
//! `cargo bench --bench features`. The recording is synthesised in memory, so the times include no decoding.
//! `benches/NOTES.md` discusses the results and the limits.

use std::f64::consts::TAU;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use undertone::audio::{AudioBuffer, AudioFormat, AudioReader};
use undertone::chain::Placement;
use undertone::device::{DeviceRequest, Devices, RunPurpose};
use undertone::features::contrast::{Contrast, ContrastPlan};
use undertone::features::frames::{BlockSpec, Layout, WindowBlocks};
use undertone::features::mfcc::{LogMel, MelPlan};
use undertone::features::pyin::PyinPlan;
use undertone::features::spectral::ShapePlan;
use undertone::features::true_peak::TruePeakPlan;
use undertone::features::yin::{YinPlan, YinSpec};
use undertone::features::{Options, analyse, analyse_on, hpss, waveform};
use undertone::kernels::signal::stft::{Samples, cpu};
use undertone::measure::loudness;
use undertone::progress::Progress;
use undertone::units::SampleRate;

const RATE: u32 = 44_100;
const SECONDS: usize = 420;
/// The duration of the input for timing the stages, in seconds.
const STAGE_SECONDS: usize = 60;
const RUNS: usize = 3;

struct Memory {
    samples: AudioBuffer,
    at: usize,
}

impl AudioReader for Memory {
    fn format(&self) -> AudioFormat {
        AudioFormat::new(SampleRate::new(RATE).expect("a rate"), self.samples.channels())
    }

    fn frames(&self) -> u64 {
        self.samples.frames() as u64
    }

    fn position(&self) -> u64 {
        self.at as u64
    }

    fn seek(&mut self, frame: u64) -> undertone::Result<()> {
        self.at = frame as usize;
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> undertone::Result<()> {
        let end = self.samples.frames().min(self.at + frames);
        out.resize(self.samples.channels(), 0);
        out.clear();
        out.extend_from(&self.samples, self.at..end);
        self.at = end;
        Ok(())
    }
}

/// Chords that change with the beat, clicks on the beat, and noise in both channels.
fn music(seconds: usize) -> Memory {
    let mut state = 1u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 23) - 1.0
    };
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for n in 0..seconds * RATE as usize {
        let t = n as f64 / f64::from(RATE);
        let (beat, since) = ((t * 2.0) as usize, t % 0.5);
        let hz = [110.0, 130.81, 164.81, 146.83][beat % 4];
        let chord: f64 = [1.0, 2.0, 2.52, 3.0].iter().map(|k| (TAU * hz * k * t).sin() / k).sum();
        let click = (-60.0 * since).exp() * noise();
        left.push((0.15 * chord + 0.3 * click + 0.02 * noise()) as f32);
        right.push((0.13 * chord + 0.3 * click + 0.02 * noise()) as f32);
    }
    Memory { samples: AudioBuffer::from_channels(vec![left, right]), at: 0 }
}

fn best(mut run: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    (0..RUNS).map(time).fold(f64::INFINITY, f64::min)
}

fn main() {
    let mut whole = music(SECONDS);
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        for timbre in [false, true] {
            let options = Options { timbre, series: timbre, tuning: None };
            let seconds = pool.install(|| {
                best(|| {
                    black_box(analyse(&mut whole, options, &Progress::new()).expect("analysed"));
                })
            });
            let what = if timbre { "with timbre and series" } else { "25 dimensions" };
            println!("{what}, {SECONDS} s of stereo, {threads} threads: {seconds:.3} s");
        }
    }
    on_gpus(&mut whole);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    pool.install(stages);
}

/// Times the pass with its spectral stages on each GPU. Software adapters are skipped; their times are meaningless.
fn on_gpus(whole: &mut Memory) {
    let devices = Arc::new(Devices::new(None));
    for device in devices.list().into_iter().filter(|device| !matches!(device.kind.as_str(), "cpu" | "software")) {
        let request = DeviceRequest::from(device.id.to_string());
        let placement = Placement::new(request, Arc::clone(&devices), RunPurpose::Export);
        for timbre in [false, true] {
            let options = Options { timbre, series: timbre, tuning: None };
            let mut gpu_s = f64::INFINITY;
            let seconds = best(|| {
                let placed = analyse_on(whole, options, &placement, &Progress::new()).expect("analysed");
                assert!(!placed.device.fallback, "{}", placed.device.reason);
                gpu_s = gpu_s.min(placed.gpu_s);
            });
            let what = if timbre { "with timbre and series" } else { "25 dimensions" };
            println!("{what}, {SECONDS} s of stereo, {}: {seconds:.3} s, GPU at work {gpu_s:.3} s", device.name);
        }
    }
}

/// Times each stage on one thread, in seconds for the whole recording.
fn stages() {
    let mut reader = music(STAGE_SECONDS);
    let rate = f64::from(RATE);
    let layout = Layout::of_rate(rate);
    let cut = BlockSpec { windows: 256, margin: 20 * layout.hop, lead: TruePeakPlan::LEAD };
    let mut blocks = Vec::new();
    {
        let mut reading = WindowBlocks::new(&mut reader, layout, cut).expect("blocks");
        while let Some(block) = reading.next_block().expect("a block") {
            blocks.push(block);
        }
    }
    let format = reader.format();
    let plan = layout.plan().expect("a plan");
    let (bins, scale) = (plan.bins_at(rate), plan.power_scale());
    let spectra: Vec<_> =
        blocks.iter().map(|block| cpu::power(&plan, block.mono(), block.windows.clone()).expect("spectra")).collect();
    let print = |name: &str, run: &mut dyn FnMut()| {
        let seconds = best(run) * SECONDS as f64 / STAGE_SECONDS as f64;
        println!("{name:<40} {seconds:.3} s for {SECONDS} s");
    };
    print("reading and cutting", &mut || {
        let mut reading = WindowBlocks::new(&mut reader, layout, cut).expect("blocks");
        while let Some(block) = reading.next_block().expect("a block") {
            black_box(block);
        }
    });
    print("power spectra", &mut || {
        for block in &blocks {
            black_box(cpu::power(&plan, block.mono(), block.windows.clone()).expect("spectra"));
        }
    });
    let shapes = ShapePlan::new(bins, scale);
    print("shapes of spectra and bands", &mut || {
        spectra.iter().for_each(|spectra| drop(black_box(shapes.shapes(spectra, 0))));
    });
    print("harmonic and percussive energies", &mut || {
        for spectra in &spectra {
            black_box(hpss::energies(spectra, 0..spectra.windows(), &Progress::new()).expect("energies"));
        }
    });
    let contrasts = ContrastPlan::new(bins, scale).expect("bands");
    print("contrast, every 4th window", &mut || {
        for spectra in &spectra {
            contrasts.add(spectra, (0..spectra.windows()).step_by(4), &mut Contrast::default());
        }
    });
    let mels = MelPlan::new(bins, scale).expect("a bank");
    print("mel levels, every 4th window", &mut || {
        for spectra in &spectra {
            mels.add(spectra, (0..spectra.windows()).step_by(4), &mut LogMel::default());
        }
    });
    let yin = YinPlan::new(layout.hop, rate, YinSpec::default()).expect("a plan");
    print("YIN", &mut || {
        for block in &blocks {
            black_box(yin.pitches(block.mono(), block.windows.clone()));
        }
    });
    print("sums over samples", &mut || {
        blocks.iter().for_each(|block| drop(black_box(waveform::hops(block, layout))));
    });
    let peaks = TruePeakPlan::new(RATE);
    print("true peak, two channels", &mut || {
        let channels = blocks.iter().flat_map(|block| (0..2).map(|channel| block.channel_with_lead(channel)));
        black_box(channels.fold(0.0, |highest, samples| peaks.peak(samples, highest)));
    });
    print("loudness, two channels", &mut || {
        let mut meter = loudness::Blocks::new(format).expect("a meter");
        for block in &blocks {
            let planes: Vec<&[f32]> = (0..2).map(|channel| block.own_channel(channel)).collect();
            meter
                .add(&planes, |energy| {
                    black_box(energy);
                })
                .expect("weighted");
        }
    });
    let pyin = PyinPlan::new(layout, rate, [65.0, 2093.0]).expect("a plan");
    let mono = reader.samples.channel(0);
    let windows = layout.windows(mono.len() as u64);
    print("pYIN (not in the pass)", &mut || {
        black_box(pyin.pitches(Samples::whole(mono), 0..windows, &Progress::new()).expect("pitches"));
    });
}
