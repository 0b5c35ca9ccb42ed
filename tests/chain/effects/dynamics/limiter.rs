//! The limiter's ceiling: exact at the samples; between them, measured by the program's meters and by 32 times
//! oversampling with a filter that extends a hundred frames to either side.

use std::f64::consts::{PI, TAU};

use analysis::features::true_peak::TruePeakPlan;
use audio::AudioBuffer;
use dsp::measure::loudness::LoudnessMeter;

use super::{db, gain, mono, run_text, signal, table};

/// Taps of the reference filter on either side.
const REACH: usize = 100;

/// Returns the peak at 32 points per frame, by a long sinc with a Hann window.
fn oversampled_peak(samples: &[f32]) -> f64 {
    let padded: Vec<f32> = [vec![0.0; REACH], samples.to_vec(), vec![0.0; REACH]].concat();
    let mut most = samples.iter().fold(0f32, |most, sample| most.max(sample.abs()));
    for part in 1..32 {
        let tap = |index: usize| {
            let x = index as f64 - (REACH - 1) as f64 - f64::from(part) / 32.0;
            ((PI * x).sin() / (PI * x) * (0.5 + 0.5 * (PI * x / REACH as f64).cos())) as f32
        };
        let taps: Vec<f32> = (0..2 * REACH).map(tap).collect();
        for window in padded.windows(2 * REACH) {
            // Eight sums, which the compiler vectorises.
            let mut sums = [0f32; 8];
            for (samples, taps) in window.chunks_exact(8).zip(taps.chunks_exact(8)) {
                for lane in 0..8 {
                    sums[lane] += samples[lane] * taps[lane];
                }
            }
            most = most.max(sums.iter().sum::<f32>().abs());
        }
    }
    f64::from(most)
}

/// Returns the true peak by the quick meter, after checking it against the loudness meter.
fn metered_peak(audio: &AudioBuffer) -> f64 {
    let padded = [vec![0.0; TruePeakPlan::LEAD], audio.channel(0).to_vec(), vec![0.0; TruePeakPlan::LEAD]].concat();
    let quick = f64::from(TruePeakPlan::new(48_000).peak(&padded, 0.0));
    let mut meter = LoudnessMeter::new(signal::format(1)).unwrap();
    meter.add(&[&padded]).unwrap();
    meter.add(&[&[0.0; 9600]]).unwrap();
    let slow = meter.reading().true_peak_db.unwrap();
    assert!((db(quick) - slow).abs() < 0.01, "{} and {slow}", db(quick));
    quick
}

const FRAMES: usize = 6000;

fn tone(hz: f64, phase: f64, level: f64) -> AudioBuffer {
    mono((0..FRAMES).map(|n| level * (TAU * hz * n as f64 / 48_000.0 + phase).sin()))
}

/// Test signals with their names.
fn signals() -> Vec<(&'static str, AudioBuffer)> {
    let noise = signal::noise(1, FRAMES);
    let square = |hz: f64| mono((0..FRAMES).map(|n| 2.0 * (TAU * hz * n as f64 / 48_000.0 + 0.3).sin().signum()));
    let chirp = mono((0..FRAMES).map(|n| {
        let t = n as f64 / FRAMES as f64;
        // The signal fades in and out within two milliseconds; an abrupt end would be as broadband as a click.
        let fade = (n.min(FRAMES - 1 - n) as f64 / 100.0).min(1.0);
        2.0 * fade * (0.5 * PI * t * t * FRAMES as f64 * 0.83).sin()
    }));
    let clicks = mono((0..FRAMES).map(|n| if n % 700 < 2 { 3.0 } else { 0.01 }));
    let swells = mono((0..FRAMES).map(|n| {
        let level = if n / 1200 % 2 == 1 { 3.0 } else { 0.2 };
        level * (TAU * 3000.0 * n as f64 / 48_000.0).sin()
    }));
    // Signs that all add up half-way between two samples, which gives the largest possible overshoot. Then random
    // signs.
    let together = mono((0..FRAMES).map(|n| {
        let k = n as i64 % 900 - 450;
        if (-24..24).contains(&k) { 2.0 * if (k + i64::from(k < 0)) % 2 == 0 { 1.0 } else { -1.0 } } else { 0.0 }
    }));
    let signs = mono(noise.channel(0).iter().map(|x| 1.5 * f64::from(x.signum())));
    // An approximately normal distribution: the sum of six.
    let bell = mono((0..FRAMES).map(|n| {
        let sum: f64 = (0..6).map(|k| f64::from(noise.channel(0)[(n * 7 + k * 977) % FRAMES])).sum();
        1.4 * sum
    }));
    vec![
        // A sine at a quarter of the sample rate whose samples miss its crests: 3 dB above them.
        ("quarter", tone(12_000.0, PI / 4.0, 2.0)),
        ("third", tone(16_000.0, 0.2, 1.5)),
        ("5 kHz", tone(5000.0, 0.1, 4.0)),
        ("18 kHz", tone(18_001.0, 0.0, 2.0)),
        ("21 kHz", tone(21_003.0, 0.0, 2.0)),
        ("square 997 Hz", square(997.0)),
        ("square 5 kHz", square(5000.0)),
        ("chirp", chirp),
        ("clicks", clicks),
        ("swells", swells),
        ("signs that add up", together),
        ("signs", signs),
        ("normal noise", bell),
        ("noise", mono(noise.channel(0).iter().map(|x| 4.0 * f64::from(*x)))),
    ]
}

#[test]
fn no_peak_exceeds_the_ceiling() {
    let (mut worst, mut cases) = (0.0f64, 0);
    for (text, ceiling_db) in [("limiter(-1 dB)", -1.0), ("limiter(-12 dB, release=10 ms, lookahead=1 ms)", -12.0)] {
        for (name, input) in signals() {
            let out = run_text(text, &input);
            let most = out.channel(0).iter().fold(0f32, |most, sample| most.max(sample.abs()));
            assert!(f64::from(most) <= gain(ceiling_db), "{text} {name}: a sample of {most}");
            let metered = db(metered_peak(&out)) - ceiling_db;
            let true_peak = db(oversampled_peak(out.channel(0))) - ceiling_db;
            println!("{text} {name}: meter {metered:+.3} dB, oversampled {true_peak:+.3} dB");
            // Less than the 0.2 dB by which EBU Tech 3341 allows a meter to read high.
            assert!(metered <= 0.15, "{text} {name}: {metered} dB by the meter");
            assert!(true_peak <= 0.15, "{text} {name}: {true_peak} dB");
            worst = worst.max(metered).max(true_peak);
            cases += 1;
            // The limiter does not reduce more than necessary: the peak comes close to the ceiling.
            assert!(true_peak >= -1.0, "{text} {name}: {true_peak} dB");
        }
    }
    table::measured("limiter", "true peak above the ceiling, 32 times oversampled and by ebur128", cases, worst, "dB");
}

#[test]
fn peaks_of_the_samples_alone_let_more_through() {
    let out = run_text("limiter(-1 dB, peak=sample)", &tone(12_000.0, PI / 4.0, 2.0));
    let most = f64::from(out.channel(0)[3000..].iter().fold(0f32, |most, sample| most.max(sample.abs())));
    assert!(db(most) <= -1.0 && db(most) > -1.001);
    assert!(db(oversampled_peak(&out.channel(0)[3000..])) > 1.9, "the negative control of the test above");
}

#[test]
fn the_gain_is_smooth_and_down_in_time() {
    // A click in a constant, so that the gain can be read off everywhere but at the click.
    let input = mono((0..9600).map(|n| if n == 4800 { 1.0 } else { 0.1 }));
    let out = run_text("limiter(-6 dB, peak=sample, release=50 ms)", &input);
    let reduction: Vec<f64> = input.channel(0).iter().zip(out.channel(0)).map(|(x, y)| -db(f64::from(y / x))).collect();
    assert!((reduction[4800] - 6.0).abs() < 1e-3, "{}", reduction[4800]);
    assert!(reduction[..4800 - 240].iter().all(|db| db.abs() < 1e-6), "nothing before the look-ahead");
    // Two moving averages form a parabola: 6 dB within 5 ms change by at most 0.05 dB per frame.
    assert!(reduction.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 0.051));
    assert!(reduction[9599] < 1.0 && reduction[9599] > 0.05);
}

#[test]
fn both_channels_keep_their_balance_and_the_ceiling() {
    let left = tone(400.0, 0.0, 2.0);
    let input =
        AudioBuffer::from_channels(vec![left.channel(0).to_vec(), signal::noise(1, FRAMES).channel(0).to_vec()]);
    let out = run_text("limiter(-3 dB)", &input);
    for n in (100..FRAMES).step_by(11) {
        let gains = [0, 1].map(|channel| f64::from(out.channel(channel)[n]) / f64::from(input.channel(channel)[n]));
        assert!((gains[0] / gains[1] - 1.0).abs() < 1e-3 || input.channel(0)[n].abs() < 1e-3, "{n}: {gains:?}");
    }
    assert!(out.iter().flatten().all(|sample| f64::from(sample.abs()) <= gain(-3.0)));
}
