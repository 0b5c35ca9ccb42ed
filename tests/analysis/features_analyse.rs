//! The pass over a recording: the 25 dimensions of signals whose values are known, of degenerate ones, with any number
//! of threads, and stopped.

use std::f64::consts::TAU;

use analysis::features::frames::{BlockSpec, Layout, WindowBlocks};
use analysis::features::true_peak::TruePeakPlan;
use analysis::features::tuning::tuning_of;
use analysis::features::{Analysis, DIMENSIONS, Options, analyse};
use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::Error;
use base::progress::Progress;
use base::units::SampleRate;
use dsp::measure::loudness::{self, LoudnessCurve};
use ebur128::EbuR128;

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
        let end = self.at + frames.min(self.most).min(self.frames() as usize - self.at);
        *out = AudioBuffer::from_channels(self.samples.iter().map(|plane| plane[self.at..end].to_vec()).collect());
        self.at = end;
        Ok(())
    }
}

fn noise(n: usize) -> f64 {
    ((7919 * n * n + 104_729 * n) % 65_536) as f64 / 32_768.0 - 1.0
}

/// Notes with a click at each half second (120 beats a minute), a little noise; the second channel is somewhat else.
fn music(rate: u32, seconds: f64, channels: usize) -> Vec<Vec<f32>> {
    let beat = rate as usize / 2;
    let of = |channel: usize| {
        let at = |n: usize| {
            let t = n as f64 / f64::from(rate);
            let hz = [220.0, 261.63, 329.63, 440.0][n / beat % 4];
            let since = (n % beat) as f64 / f64::from(rate);
            let click = noise(n) * (-since * 60.0).exp();
            let tone = (TAU * hz * t).sin() + 0.5 * (TAU * 2.0 * hz * t).sin();
            (0.2 * tone * (-since).exp() + 0.3 * click + 0.01 * noise(n + 77 * channel)) as f32
        };
        (0..(seconds * f64::from(rate)) as usize).map(at).collect()
    };
    (0..channels).map(of).collect()
}

fn listen(rate: u32, samples: Vec<Vec<f32>>) -> Analysis {
    analyse(&mut memory(rate, samples), Options::default(), &Progress::new()).unwrap()
}

/// Every dimension has a value or a reason, and shares are from 0 to 1.
fn check(analysis: &Analysis, case: &str) {
    let features = &analysis.features;
    for (dimension, value) in DIMENSIONS.iter().zip(features.values) {
        let missing = features.missing.iter().filter(|missing| missing.name == dimension.name).count();
        assert_eq!(missing, usize::from(value.is_none()), "{case}: {} is {value:?}", dimension.name);
        if let Some(value) = value {
            assert!(value.is_finite(), "{case}: {} is {value}", dimension.name);
            if dimension.unit == "share" {
                assert!((0.0..=1.0).contains(&value), "{case}: {} is {value}", dimension.name);
            }
        }
    }
    let bands: f64 = features.values[..7].iter().flatten().sum();
    assert!(features.values[0].is_none() || (bands - 1.0).abs() < 1e-9, "{case}: bands sum to {bands}");
    for series in &analysis.series {
        assert!(series.values.len() <= 1 << 14 && series.values.len() % series.rows == 0, "{case}: {}", series.name);
    }
}

#[test]
fn a_band_of_sines_and_clicks_is_told_as_it_was_made() {
    let analysis = listen(44_100, music(44_100, 12.0, 2));
    check(&analysis, "music");
    let get = |name| analysis.features.get(name).unwrap();
    assert!((get("tempo_bpm") - 120.0).abs() < 1.0, "{}", get("tempo_bpm"));
    assert!(get("rhythm_stability") > 0.9);
    assert!((1.9..2.6).contains(&get("transient_density")), "{}", get("transient_density"));
    assert!(get("harmonic_ratio") > 0.5 && get("pitch_stability") > 0.8);
    assert!(get("stereo_width") < 0.05 && get("phase_correlation") > 0.95 && get("silence_ratio") == 0.0);
    assert!(get("band_bass") + get("band_low_mid") + get("band_mid") > 0.8);
    assert_eq!((analysis.frames, analysis.not_finite), (12 * 44_100, 0));
}

#[test]
fn levels_of_a_sine_are_those_of_a_sine() {
    let sine = |gain: f64| -> Vec<f32> {
        (0..480_000).map(|n| (gain * (TAU * 997.0 * f64::from(n) / 48_000.0).sin()) as f32).collect()
    };
    let analysis = listen(48_000, vec![sine(0.5), sine(-0.5)]);
    check(&analysis, "sine");
    let get = |name| analysis.features.get(name).unwrap();
    assert!((get("crest_db") - 3.0103).abs() < 1e-3, "{}", get("crest_db"));
    assert!((get("phase_correlation") + 1.0).abs() < 1e-9 && (get("stereo_width") - 1.0).abs() < 1e-9);
    assert!(get("loudness_variation_db") < 0.01 && get("dynamic_range_variation") < 0.01);
    assert!(get("peak_consistency") > 0.999);
    // Opposite channels cancel in their mean.
    assert_eq!(analysis.features.get("centroid_hz"), None);
    let same = listen(48_000, vec![sine(0.5), sine(0.5)]);
    assert!((same.features.get("loudness_lufs").unwrap() + 6.02).abs() < 0.1);
    assert!((same.figures.true_peak_db.unwrap() + 6.02).abs() < 0.05);
    assert!(same.features.get("pitch_stability").unwrap() > 0.99);
    assert!((same.figures.pitch_hz.unwrap() - 997.0).abs() < 1.0);
}

#[test]
fn any_number_of_threads_and_any_reads_give_the_same() {
    let x = music(44_100, 11.0, 2);
    let with = |threads: usize, most: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut reader = Memory { most, ..memory(44_100, x.clone()) };
        pool.install(|| analyse(&mut reader, Options::default(), &Progress::new()).unwrap())
    };
    let text = |analysis: &Analysis| serde_json::to_string(analysis).unwrap();
    let one = text(&with(1, usize::MAX));
    assert_eq!(one, text(&with(3, usize::MAX)));
    assert_eq!(one, text(&with(2, 1777)));
}

#[test]
fn the_tuning_that_the_pass_finds_is_the_one_estimated_beforehand() {
    for (rate, played, seconds, channels) in
        [(22_050, 22_390, 75.0, 1), (44_100, 43_500, 5.7, 2), (96_000, 97_000, 3.1, 1), (1000, 1000, 9.0, 1)]
    {
        let samples = music(played, seconds, channels);
        let mut reader = memory(rate, samples.clone());
        let tuning = tuning_of(&mut reader, &Progress::new()).unwrap();
        assert!(tuning != 0.0 || rate == 1000, "{rate} Hz is in tune");
        let options = Options { tuning: Some(tuning), ..Options::default() };
        let expected = analyse(&mut memory(rate, samples.clone()), options, &Progress::new()).unwrap();
        assert_eq!(listen(rate, samples), expected, "{rate} Hz, tuned by {tuning} bins");
    }
}

#[test]
fn degenerate_recordings_are_told_without_invention() {
    let short: Vec<f32> = (0..100).map(|n| noise(n) as f32).collect();
    let mut broken = music(44_100, 1.0, 1);
    broken[0][777] = f32::NAN;
    broken[0][778] = f32::INFINITY;
    for (case, rate, samples) in [
        ("nothing", 44_100, vec![Vec::new(), Vec::new()]),
        ("one sample", 44_100, vec![vec![0.5]]),
        ("shorter than a window", 44_100, vec![short]),
        ("silence", 44_100, vec![vec![0.0; 60_000]; 2]),
        ("a constant", 48_000, vec![vec![0.25; 60_000]]),
        ("no number", 44_100, broken),
        ("six channels", 48_000, music(48_000, 2.0, 6)),
        ("8 kHz", 8000, music(8000, 4.0, 1)),
        ("192 kHz", 192_000, music(192_000, 1.0, 2)),
        ("1 kHz", 1000, music(1000, 3.0, 1)),
        ("1 Hz", 1, vec![vec![0.1; 50]]),
    ] {
        let analysis = listen(rate, samples);
        check(&analysis, case);
        let get = |name| analysis.features.get(name);
        match case {
            "silence" => {
                assert_eq!(get("silence_ratio"), Some(1.0));
                for name in ["tempo_bpm", "loudness_lufs", "crest_db", "centroid_hz", "band_air", "phase_correlation"] {
                    assert_eq!(get(name), None, "{name} of silence");
                }
            }
            "no number" => assert_eq!(analysis.not_finite, 2),
            "8 kHz" => assert_eq!(
                (get("band_air"), get("stereo_width"), get("phase_correlation")),
                (Some(0.0), Some(0.0), Some(1.0))
            ),
            "nothing" => assert!(analysis.features.values.iter().all(Option::is_none)),
            _ => {}
        }
    }
    assert!(analyse(&mut memory(44_100, Vec::new()), Options::default(), &Progress::new()).is_err());
}

#[test]
fn a_cancel_stops_the_pass() {
    let progress = Progress::new();
    progress.cancel();
    let stopped = analyse(&mut memory(44_100, music(44_100, 3.0, 1)), Options::default(), &progress);
    assert!(matches!(stopped, Err(Error::Cancelled)));
    let whole = Progress::new();
    analyse(&mut memory(44_100, music(44_100, 3.0, 1)), Options::default(), &whole).unwrap();
    assert_eq!((whole.snapshot().done, whole.snapshot().total), (132_300, 132_300));
}

/// The loudness curve and the true peak as a linear gain by the `ebur128` crate, from its loudness of every 20 ms.
fn by_ebur128(rate: u32, x: &[Vec<f32>]) -> (LoudnessCurve, f64) {
    let mut meter = EbuR128::new(x.len() as u32, rate, ebur128::Mode::M | ebur128::Mode::TRUE_PEAK).unwrap();
    let (mut curve, frames) = (LoudnessCurve::default(), rate as usize / 50);
    for start in (0..x[0].len()).step_by(frames) {
        let end = x[0].len().min(start + frames);
        meter.add_frames_planar_f32(&x.iter().map(|plane| &plane[start..end]).collect::<Vec<_>>()).unwrap();
        if end - start == frames {
            let lufs = meter.loudness_window(20).unwrap();
            curve.push(if lufs.is_finite() { 10f64.powf((lufs + 0.691) / 10.0) } else { 0.0 });
        }
    }
    let peaks = (0..x.len() as u32).map(|channel| meter.true_peak(channel).unwrap());
    (curve, peaks.fold(0.0, f64::max))
}

#[test]
fn loudness_and_true_peak_are_those_of_the_ebur128_crate() {
    for (rate, channels) in [(44_100, 2), (48_000, 6), (96_000, 1), (8000, 5), (192_000, 2)] {
        let x = music(rate, 4.0, channels);
        let format = AudioFormat::new(SampleRate::new(rate).unwrap(), channels);
        let (wanted, exact_peak) = by_ebur128(rate, &x);
        let layout = Layout::of_rate(f64::from(rate));
        let mut reader = memory(rate, x.clone());
        let cut = BlockSpec { windows: 64, margin: 0, lead: TruePeakPlan::LEAD };
        let mut blocks = WindowBlocks::new(&mut reader, layout, cut).unwrap();
        let (mut weighting, mut got) = (loudness::Blocks::new(format).unwrap(), LoudnessCurve::default());
        let plan = TruePeakPlan::new(rate);
        let mut highest = 0.0;
        while let Some(block) = blocks.next_block().unwrap() {
            let leading = (0..channels).map(|channel| block.channel_with_lead(channel));
            highest = leading.fold(highest, |highest, samples| plan.peak(samples, highest));
            let planes: Vec<&[f32]> = (0..channels).map(|channel| block.own_channel(channel)).collect();
            weighting.add(&planes, |energy| got.push(energy)).unwrap();
        }
        assert_eq!(got.len(), wanted.len());
        let (a, b) = (got.summary(), wanted.summary());
        for (a, b) in [(a.integrated, b.integrated), (a.max_momentary, b.max_momentary), (a.range, b.range)] {
            assert!((a.unwrap() - b.unwrap()).abs() < 0.01, "{a:?}, not {b:?}, {channels} channels at {rate} Hz");
        }
        let peak = f64::from(highest) / exact_peak;
        assert!((20.0 * peak.log10()).abs() < 0.001, "true peak {highest}, not {exact_peak}");
    }
}
