//! Timbre and pitch against librosa, and against sums in f64; cut into blocks; of broken and degenerate signals.

use std::f64::consts::TAU;

use analysis::features::contrast::{Contrast, ContrastPlan};
use analysis::features::frames::{BlockSpec, Layout, WindowBlocks};
use analysis::features::mfcc::{LogMel, MelPlan};
use analysis::features::pyin::PyinPlan;
use analysis::features::spectral::{ShapePlan, SpectralShape};
use analysis::features::waveform;
use analysis::features::yin::{YinPlan, YinSpec};
use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::progress::Progress;
use base::units::SampleRate;
use dsp::kernels::signal::stft::{Samples, cpu};
use serde_json::Value;

fn reference() -> Value {
    serde_json::from_str(include_str!("../reference/features_timbre.json")).unwrap()
}

fn noise(n: usize) -> f64 {
    ((7919 * n * n + 104_729 * n) % 65_536) as f64 / 32_768.0 - 1.0
}

fn timbre(rate: usize) -> Vec<f32> {
    let at = |n: usize| {
        let t = n as f64 / rate as f64;
        let sweep = (TAU * (150.0 * t + 0.15 * rate as f64 * t * t)).sin();
        if n < 2048 { 0.0 } else { (0.8 * t * sweep + (0.1 - 0.16 * t) * noise(n)) as f32 }
    };
    (0..rate / 2).map(at).collect()
}

fn melody(rate: usize) -> Vec<f32> {
    let notes = [110.0, 146.83, 220.0, 329.63, 440.0, 659.26, 880.0, 1318.5];
    let length = rate / 4;
    let at = |n: usize| {
        let t = (n % length) as f64 / rate as f64;
        let hz: f64 = notes[n / length];
        let phase = TAU * (hz * t + 0.04 * hz * t * t);
        let tone: f64 = (1..6).map(|k| (f64::from(k) * phase).sin() / f64::from(k)).sum::<f64>() * 0.2;
        ((if t >= 0.23 { 0.0 } else { tone }) + 0.002 * noise(n)) as f32
    };
    (0..length * notes.len()).map(at).collect()
}

struct Memory {
    format: AudioFormat,
    samples: Vec<Vec<f32>>,
    at: usize,
    /// Frames that a read gives at the most.
    most: usize,
}

fn memory(rate: u32, samples: Vec<Vec<f32>>) -> Memory {
    let format = AudioFormat::new(SampleRate::new(rate).unwrap(), samples.len());
    Memory { format, samples, at: 0, most: usize::MAX }
}

impl AudioReader for Memory {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.samples[0].len() as u64
    }

    fn position(&self) -> u64 {
        self.at as u64
    }

    fn seek(&mut self, frame: u64) -> base::Result<()> {
        self.at = frame as usize;
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> base::Result<()> {
        let end = self.at + frames.min(self.most).min(self.samples[0].len() - self.at);
        *out = AudioBuffer::from_channels(self.samples.iter().map(|plane| plane[self.at..end].to_vec()).collect());
        self.at = end;
        Ok(())
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|value| value.as_f64().unwrap_or(f64::NAN)).collect()
}

/// The greatest difference, as a share of the reference, of those above `least`; `least` for others.
fn worst(got: &[f32], wanted: &[f64], least: f64) -> f64 {
    assert_eq!(got.len(), wanted.len());
    let each = got.iter().zip(wanted).map(|(&got, &wanted)| (f64::from(got) - wanted).abs() / wanted.abs().max(least));
    each.fold(0.0, |worst: f64, error| if error.is_nan() { f64::INFINITY } else { worst.max(error) })
}

fn shapes(rate: usize, x: &[f32]) -> (Layout, Vec<SpectralShape>) {
    let layout = Layout::of_rate(rate as f64);
    let plan = layout.plan().unwrap();
    let spectra = cpu::power(&plan, Samples::whole(x), 0..layout.windows(x.len() as u64)).unwrap();
    (layout, ShapePlan::new(plan.bins_at(rate as f64), plan.power_scale()).shapes(&spectra, 0))
}

#[test]
fn spectra_have_the_shape_that_librosa_sees() {
    for case in reference()["spectra"].as_array().unwrap() {
        let rate = case["rate"].as_u64().unwrap() as usize;
        let x = timbre(rate);
        let (layout, shapes) = shapes(rate, &x);
        let of = |value: &dyn Fn(&SpectralShape) -> f32| -> Vec<f32> { shapes.iter().map(value).collect() };
        let centroid = of(&|shape| shape.centroid_hz);
        for (name, got) in [
            ("centroid", &centroid),
            ("bandwidth", &of(&|shape| shape.bandwidth_hz)),
            ("flatness", &of(&|shape| shape.flatness)),
        ] {
            let error = worst(got, &numbers(&case[name]), 1e-3);
            assert!(error < 1e-5, "{name} at {rate} Hz: {error:e}");
        }
        let bin = rate as f64 / layout.size as f64;
        let rolloff = of(&|shape| shape.rolloff_hz);
        for (got, wanted) in rolloff.iter().zip(numbers(&case["rolloff"])) {
            assert!((f64::from(*got) - wanted).abs() < 1.01 * bin, "rolloff at {rate} Hz: {got}, not {wanted}");
        }
        // A spoiled result is refused: one value by a ten-thousandth.
        let mut spoiled = centroid.clone();
        spoiled[20] *= 1.0001;
        assert!(worst(&spoiled, &numbers(&case["centroid"]), 1e-3) > 5e-5);
    }
}

#[test]
fn contrast_and_cepstrum_are_librosas() {
    for case in reference()["spectra"].as_array().unwrap() {
        let rate = case["rate"].as_u64().unwrap() as usize;
        let x = timbre(rate);
        let layout = Layout::of_rate(rate as f64);
        let plan = layout.plan().unwrap();
        let bins = plan.bins_at(rate as f64);
        let spectra = cpu::power(&plan, Samples::whole(&x), 0..layout.windows(x.len() as u64)).unwrap();
        let (mut contrast, mut mel) = (Contrast::default(), LogMel::default());
        ContrastPlan::new(bins, plan.power_scale()).unwrap().add(&spectra, 0..spectra.windows(), &mut contrast);
        MelPlan::new(bins, plan.power_scale()).unwrap().add(&spectra, 0..spectra.windows(), &mut mel);
        for (name, got, least) in [("contrast", contrast.db(), 1.0), ("mfcc", mel.mfcc(), 10.0)] {
            let wanted: Vec<f64> = case[name].as_array().unwrap().iter().flat_map(numbers).collect();
            let error = worst(&got, &wanted, least);
            assert!(error < 1e-4, "{name} at {rate} Hz: {error:e}");
        }
        assert_eq!(contrast.mean_db().unwrap().len(), 7);
        assert_eq!(mel.mean_mfcc().unwrap().len(), 20);
    }
}

#[test]
fn levels_and_crossings_of_windows_are_librosas_however_blocks_are_cut() {
    for case in reference()["spectra"].as_array().unwrap() {
        let rate = case["rate"].as_u64().unwrap() as u32;
        let x = timbre(rate as usize);
        let layout = Layout::of_rate(f64::from(rate));
        let hops = |windows: usize, most: usize| {
            let mut reader = Memory { most, ..memory(rate, vec![x.clone()]) };
            let cut = BlockSpec { windows, margin: 100, lead: 24 };
            let mut blocks = WindowBlocks::new(&mut reader, layout, cut).unwrap();
            let mut hops = Vec::new();
            while let Some(block) = blocks.next_block().unwrap() {
                hops.extend(waveform::hops(&block, layout));
            }
            hops
        };
        let whole = hops(1000, usize::MAX);
        assert_eq!(whole, hops(7, 1013));
        assert_eq!(whole, hops(1, 64));
        let rms = worst(&waveform::rms(&whole, layout), &numbers(&case["rms"]), 1e-6);
        let crossings = worst(&waveform::zero_crossing_rate(&whole, layout), &numbers(&case["zero_crossings"]), 1e-4);
        assert!(rms < 1e-6 && crossings < 1e-6, "{rms:e}, {crossings:e} at {rate} Hz");
    }
}

#[test]
fn blocks_share_out_a_stream() {
    for frames in [1, 100, 511, 512, 513, 5000, 20_480] {
        let x: Vec<f32> = (0..frames).map(|n| n as f32 + 1.0).collect();
        let y: Vec<f32> = x.iter().map(|x| 3.0 * x).collect();
        let layout = Layout { size: 2048, hop: 512 };
        let mut reader = Memory { most: 700, ..memory(44_100, vec![x.clone(), y]) };
        let cut = BlockSpec { windows: 3, margin: 2048, lead: 10 };
        let mut blocks = WindowBlocks::new(&mut reader, layout, cut).unwrap();
        let (mut own, mut windows) = (Vec::new(), 0);
        while let Some(block) = blocks.next_block().unwrap() {
            assert_eq!((block.windows.start, block.frames.start), (windows, own.len() as u64));
            windows = block.windows.end;
            own.extend_from_slice(block.own_channel(0));
            let mono: Vec<f32> = block.own_channel(0).iter().map(|x| 2.0 * x).collect();
            assert_eq!(block.own_mono(), mono);
            let Samples { samples, first_frame } = block.mono();
            assert_eq!(first_frame, (block.frames.start as i64 - 2048).max(0));
            let end = (block.windows.end as usize * 512 + 2048).min(frames);
            assert_eq!(first_frame as usize + samples.len(), end);
            let before = block.frames.start as i64 - 10;
            assert_eq!(block.channel_with_lead(0)[0], if before < 0 { 0.0 } else { before as f32 + 1.0 });
        }
        assert_eq!((own, windows), (x, layout.windows(frames as u64)));
    }
}

#[test]
fn layouts_are_near_46_ms() {
    let sizes = [8000, 11_025, 16_000, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000, 768_000, 1]
        .map(|rate| Layout::of_rate(f64::from(rate)).size);
    assert_eq!(sizes, [512, 512, 1024, 1024, 2048, 2048, 2048, 4096, 8192, 32_768, 64]);
}

fn cents(got: f32, wanted: f64) -> f64 {
    1200.0 * (f64::from(got) / wanted).log2()
}

#[test]
fn yin_is_within_a_cent_of_its_sums_in_f64() {
    for case in reference()["pitch"].as_array().unwrap() {
        let rate = case["rate"].as_u64().unwrap() as usize;
        let (x, wanted) = (melody(rate), numbers(&case["yin"]));
        let layout = Layout::of_rate(rate as f64);
        let plan = YinPlan::new(layout.hop, rate as f64, YinSpec::default()).unwrap();
        let windows = layout.windows(x.len() as u64);
        let got = plan.pitches(Samples::whole(&x), 0..windows);
        let (mut voiced, mut near, mut octaves) = (0, 0, 0);
        for (got, &wanted) in got.iter().zip(&wanted) {
            assert_eq!(got.is_voiced(), !wanted.is_nan(), "{got:?}, {wanted}");
            if got.is_voiced() {
                voiced += 1;
                let off = cents(got.hz, wanted).abs();
                near += usize::from(off < 1.0);
                octaves += usize::from((off - 1200.0).abs() < 50.0);
            }
        }
        assert!(voiced > 100 && near == voiced && octaves == 0, "{near} of {voiced}, {octaves} octaves off");
        // BlockSpec anywhere, the same bits.
        for cut in [1, 57] {
            let mut parts = plan.pitches(Samples::whole(&x), 0..cut);
            let from = (cut as usize).saturating_sub(2) * layout.hop;
            let rest = Samples { samples: &x[from..], first_frame: from as i64 };
            parts.extend(plan.pitches(rest, cut..windows));
            let bits = |pitches: &[analysis::features::yin::Pitch]| -> Vec<u32> {
                pitches.iter().map(|pitch| pitch.hz.to_bits()).collect()
            };
            assert_eq!(bits(&parts), bits(&got), "cut at {cut}");
        }
    }
}

#[test]
fn yin_hears_what_was_played() {
    for rate in [8000, 16_000, 32_000, 48_000, 96_000] {
        let layout = Layout::of_rate(f64::from(rate));
        let plan = YinPlan::new(layout.hop, f64::from(rate), YinSpec::default()).unwrap();
        for hz in [66.0, 98.3, 261.7, 777.7, 1500.0] {
            let tone = |n: i32| {
                let phase = TAU * hz * f64::from(n) / f64::from(rate);
                (0.3 * phase.sin() + 0.2 * (2.0 * phase + 1.0).sin()) as f32
            };
            let x: Vec<f32> = (0..rate / 2).map(tone).collect();
            let middle = layout.windows(x.len() as u64) / 2;
            let pitch = plan.pitches(Samples::whole(&x), middle..middle + 1)[0];
            // The parabola is no cosine: where a period has few samples it errs.
            let samples = f64::from(rate) / hz;
            let allowed = if samples > 40.0 {
                2.0
            } else if samples > 10.0 {
                25.0
            } else {
                60.0
            };
            assert!(cents(pitch.hz, hz).abs() < allowed, "{hz} Hz at {rate} Hz: {pitch:?}");
        }
        let silent = plan.pitches(Samples::whole(&vec![0.0; 10_000]), 0..3);
        let noise: Vec<f32> = (0..10_000).map(|n| noise(n) as f32).collect();
        let hiss = plan.pitches(Samples::whole(&noise), 3..4);
        assert!(silent.iter().chain(&hiss).all(|pitch| !pitch.is_voiced()));
    }
    let layout = Layout::of_rate(44_100.0);
    for spec in [
        YinSpec { low_hz: 20.0, ..YinSpec::default() },
        YinSpec { threshold: 0.0, ..YinSpec::default() },
        YinSpec { low_hz: 3000.0, ..YinSpec::default() },
    ] {
        assert!(YinPlan::new(layout.hop, 44_100.0, spec).is_err(), "{spec:?}");
    }
}

#[test]
fn pyin_takes_librosas_way() {
    for case in reference()["pitch"].as_array().unwrap() {
        let rate = case["rate"].as_u64().unwrap() as usize;
        let (x, wanted, voiced) = (melody(rate), numbers(&case["pyin"]), numbers(&case["voiced"]));
        let layout = Layout::of_rate(rate as f64);
        let plan = PyinPlan::new(layout, rate as f64, [65.0, 2093.0]).unwrap();
        let windows = layout.windows(x.len() as u64);
        let got = plan.pitches(Samples::whole(&x), 0..windows, &Progress::new()).unwrap();
        assert!(wanted.iter().filter(|hz| !hz.is_nan()).count() > 100);
        for (k, got) in got.iter().enumerate() {
            assert_eq!(got.hz.is_nan(), wanted[k].is_nan(), "window {k}: {got:?}, not {}", wanted[k]);
            assert!(got.hz.is_nan() || cents(got.hz, wanted[k]).abs() < 0.1, "window {k}: {got:?}, not {}", wanted[k]);
            assert!((f64::from(got.voiced) - voiced[k]).abs() < 1e-4, "window {k}: {got:?}, not {}", voiced[k]);
        }
        let cancelled = Progress::new();
        cancelled.cancel();
        assert!(plan.pitches(Samples::whole(&x), 0..windows, &cancelled).is_err());
    }
}

#[test]
fn broken_and_degenerate_windows_have_shapes_of_their_own() {
    let (_, silent) = shapes(44_100, &[0.0; 4096]);
    for shape in silent {
        assert_eq!((shape.centroid_hz, shape.rolloff_hz, shape.flux), (0.0, 0.0, 0.0));
        assert!((shape.flatness - 1.0).abs() < 1e-6 && shape.bands == [0.0; 7]);
    }
    let mut broken = timbre(44_100);
    broken[10_000] = f32::NAN;
    let (layout, shapes) = shapes(44_100, &broken);
    for (k, shape) in shapes.iter().enumerate() {
        let centre = layout.centre(k as u64) as i64;
        let hit = (centre - 1024..centre + 1024).contains(&10_000);
        assert_eq!(shape.centroid_hz.is_nan(), hit, "window {k}");
    }
}

#[test]
fn bands_share_out_tones_and_noise() {
    for (hz, band) in [(40.0, 0), (100.0, 1), (400.0, 2), (1000.0, 3), (3000.0, 4), (6000.0, 5), (12_000.0, 6)] {
        let x: Vec<f32> = (0..44_100).map(|n| (TAU * hz * f64::from(n) / 44_100.0).sin() as f32).collect();
        let (_, shapes) = shapes(44_100, &x);
        let bands = shapes[40].bands;
        let share = bands[band] / bands.iter().sum::<f32>();
        assert!(share > if band == 0 { 0.7 } else { 0.99 }, "{hz} Hz: {bands:?}");
    }
    let white: Vec<f32> = (0..88_200).map(|n| noise(n) as f32).collect();
    let (_, shapes) = shapes(44_100, &white);
    let mut bands = [0.0; 7];
    for shape in &shapes[4..shapes.len() - 4] {
        for (sum, band) in bands.iter_mut().zip(shape.bands) {
            *sum += f64::from(band);
        }
    }
    // White noise has as much for every hertz.
    let edges = [20.0, 60.0, 250.0, 500.0, 2000.0, 4000.0, 8000.0, 20_000.0];
    let each = bands.iter().sum::<f64>() / (20_000.0 - 20.0);
    for (band, got) in bands.iter().enumerate().skip(2) {
        let wanted = each * (edges[band + 1] - edges[band]);
        assert!((got / wanted - 1.0).abs() < 0.15, "band {band}: {got}, not {wanted}");
    }
}
