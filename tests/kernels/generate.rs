//! Generated signals: levels, frequencies, aliases and slopes against their definitions, and streams that any split into
//! blocks leaves the same.

use std::f64::consts::TAU;

use base::sound::{AudioBuffer, AudioFormat, AudioReader};
use base::units::{SampleRate, db_from_gain};
use dsp::generate::{Colour, dtmf_frames};
use dsp::generate::{Distribution, Generator, GeneratorSettings, MAX_CHANNELS, MAX_SECONDS, Signal, SweepScale};
use transforms::RealFftPlanner;

use crate::support::opening::random;

fn settings(signal: Signal, rate: u32, channels: usize, frames: u64, level_db: f64) -> GeneratorSettings {
    let format = AudioFormat::new(SampleRate::new(rate).unwrap(), channels);
    GeneratorSettings { signal, format, frames, level_db, seed: 1 }
}

fn read(generator: &mut Generator, start: u64, frames: usize) -> AudioBuffer {
    let mut out = AudioBuffer::default();
    generator.seek(start).unwrap();
    generator.read(&mut out, frames).unwrap();
    out
}

fn mono(signal: Signal, rate: u32, frames: u64, level_db: f64) -> Vec<f64> {
    let mut generator = Generator::new(&settings(signal, rate, 1, frames, level_db)).unwrap();
    read(&mut generator, 0, frames as usize).channel(0).iter().map(|sample| f64::from(*sample)).collect()
}

fn rms(samples: &[f64]) -> f64 {
    (samples.iter().map(|sample| sample * sample).sum::<f64>() / samples.len() as f64).sqrt()
}

fn peak(samples: &[f64]) -> f64 {
    samples.iter().fold(0.0, |peak, sample| peak.max(sample.abs()))
}

/// Returns the power of each bin.
fn spectrum(samples: &[f64], window: impl Fn(usize) -> f64) -> Vec<f64> {
    let forward = RealFftPlanner::<f64>::new().plan_fft_forward(samples.len());
    let mut input: Vec<f64> = samples.iter().enumerate().map(|(n, sample)| sample * window(n)).collect();
    let mut bins = forward.make_output_vec();
    forward.process(&mut input, &mut bins).unwrap();
    bins.iter().map(transforms::num_complex::Complex::norm_sqr).collect()
}

fn every_signal() -> Vec<Signal> {
    vec![
        Signal::Sine { frequency_hz: 441.7 },
        Signal::Square { frequency_hz: 441.7 },
        Signal::Saw { frequency_hz: 33.3 },
        Signal::Triangle { frequency_hz: 5000.0 },
        Signal::Sweep { from_hz: 20.0, to_hz: 3999.0, scale: SweepScale::Log },
        Signal::Sweep { from_hz: 3999.0, to_hz: 20.0, scale: SweepScale::Linear },
        Signal::White { distribution: Distribution::Uniform },
        Signal::White { distribution: Distribution::Gaussian },
        Signal::Pink,
        Signal::Brown,
        Signal::Impulses { interval_frames: 7.3 },
        Signal::Silence,
        Signal::Dtmf { digits: "12#D".into(), tone_frames: 700, pause_frames: 300 },
        Signal::Clicks { bpm: 900.0, beats: 3 },
    ]
}

#[test]
fn any_split_and_any_seek_give_the_same_bits() {
    let mut next = random(3);
    for signal in every_signal() {
        // Longer than a block of coloured noise.
        let frames = 90_000u64;
        let mut generator = Generator::new(&settings(signal.clone(), 16_000, 2, frames, -9.0)).unwrap();
        let whole = read(&mut generator, 0, usize::MAX);
        assert_eq!((whole.frames() as u64, generator.position()), (frames, frames));
        let mut joined = AudioBuffer::new(2, 0);
        generator.seek(0).unwrap();
        while joined.frames() < whole.frames() {
            let mut block = AudioBuffer::default();
            generator.read(&mut block, 1 + next() as usize % 3000).unwrap();
            joined.extend_from(&block, 0..block.frames());
        }
        assert_eq!(joined, whole, "{signal:?}");
        for _ in 0..20 {
            let (start, count) = (next() % frames, next() as usize % 500);
            let end = (start as usize + count).min(whole.frames());
            let block = read(&mut generator, start, count);
            for channel in 0..2 {
                assert_eq!(block.channel(channel), &whole.channel(channel)[start as usize..end], "{signal:?} {start}");
            }
        }
        assert_eq!(read(&mut generator, u64::MAX, 5).frames(), 0);
    }
}

#[test]
fn peaks_and_rms_are_the_level() {
    let gain = 10f64.powf(-6.0 / 20.0);
    // 997 Hz meets every phase closely within ten seconds.
    let sine = mono(Signal::Sine { frequency_hz: 997.0 }, 48_000, 480_000, -6.0);
    assert!((peak(&sine) - gain).abs() < 1e-6, "{}", peak(&sine) - gain);
    for signal in [
        Signal::Square { frequency_hz: 997.1 },
        Signal::Saw { frequency_hz: 997.1 },
        Signal::Triangle { frequency_hz: 997.1 },
        Signal::Sweep { from_hz: 20.0, to_hz: 1000.0, scale: SweepScale::Log },
    ] {
        let found = peak(&mono(signal.clone(), 48_000, 960_000, -6.0));
        assert!(found <= gain + 1e-7 && found > gain - 1e-5, "{signal:?}: {found}, not {gain}");
    }
    for level in [0.0, -60.0] {
        let gain = 10f64.powf(level / 20.0);
        assert_eq!(peak(&mono(Signal::Impulses { interval_frames: 100.0 }, 48_000, 1000, level)) as f32, gain as f32);
        let clicks = peak(&mono(Signal::Clicks { bpm: 97.0, beats: 4 }, 192_000, 960_000, level));
        assert!((clicks / gain - 1.0).abs() < 1e-3, "{clicks}");
    }
    for distribution in [Distribution::Uniform, Distribution::Gaussian] {
        let noise = mono(Signal::White { distribution }, 48_000, 1_000_000, -20.0);
        // The standard error of an RMS of a million samples is below 0.0007.
        assert!((rms(&noise) / 0.1 - 1.0).abs() < 0.003, "{distribution:?}: {}", rms(&noise));
        let mean = noise.iter().sum::<f64>() / noise.len() as f64;
        assert!(mean.abs() < 5e-4, "{mean}");
    }
    // Slow movements of coloured noise make its RMS less certain: about 1 % and 4 % in 87 s.
    for (signal, tolerance) in [(Signal::Pink, 0.03), (Signal::Brown, 0.15)] {
        let noise = rms(&mono(signal.clone(), 48_000, 1 << 22, -20.0));
        assert!((noise / 0.1 - 1.0).abs() < tolerance, "{signal:?}: {noise}");
    }
    assert_eq!(peak(&mono(Signal::Silence, 48_000, 1000, 0.0)), 0.0);
}

#[test]
fn an_hour_later_the_frequency_is_the_same() {
    // Phases in exact arithmetic, from frequencies in multiples of 2^-10 Hz.
    for (numerator, rate) in [(450_699u128, 48_000u128), (20_479_999, 44_100), (3, 768_000)] {
        let frequency_hz = numerator as f64 / 1024.0;
        let frames = 3600 * rate as u64;
        let signal = Signal::Sine { frequency_hz };
        let mut generator = Generator::new(&settings(signal, rate as u32, 1, frames, 0.0)).unwrap();
        let start = frames - 5000;
        for (index, sample) in read(&mut generator, start, 5000).channel(0).iter().enumerate() {
            let turn = rate * 1024;
            let phase = ((start as u128 + index as u128) * numerator % turn) as f64 / turn as f64;
            // Half a unit in the last place of an f32, and 1e-9 of a cycle.
            let error = f64::from(*sample) - (TAU * phase).sin();
            assert!(error.abs() < 3.1e-8 + TAU * 1e-9, "{frequency_hz} Hz at {rate}: {error:e}");
        }
    }
}

#[test]
fn tones_have_their_harmonics_and_no_aliases() {
    // A whole number of periods in the transform, so that harmonics are single bins and everything else is alias.
    let frames = 1 << 18;
    for periods in [2399usize, 20_011, 60_013, 100_003] {
        let frequency_hz = periods as f64 * 48_000.0 / frames as f64;
        for signal in [
            Signal::Sine { frequency_hz },
            Signal::Square { frequency_hz },
            Signal::Saw { frequency_hz },
            Signal::Triangle { frequency_hz },
        ] {
            let power = spectrum(&mono(signal.clone(), 48_000, frames as u64, 0.0), |_| 1.0);
            let fundamental = power[periods];
            for (bin, power) in power.iter().enumerate() {
                let level = 10.0 * (power / fundamental).log10();
                let order = bin / periods;
                let sign_free = match signal {
                    _ if bin % periods != 0 || order == 0 => None,
                    Signal::Saw { .. } => Some(1.0 / order as f64),
                    Signal::Square { .. } if order % 2 == 1 => Some(1.0 / order as f64),
                    Signal::Triangle { .. } if order % 2 == 1 => Some(1.0 / (order * order) as f64),
                    Signal::Sine { .. } if order == 1 => Some(1.0),
                    _ => None,
                };
                match sign_free {
                    Some(amplitude) => {
                        let error = level - db_from_gain(amplitude);
                        assert!(error.abs() < 1e-3, "{signal:?}, harmonic {order}: {error} dB");
                    }
                    None => assert!(level < -150.0, "{signal:?}, bin {bin}: {level} dB"),
                }
            }
        }
    }
}

#[test]
fn a_naive_square_would_be_found_out() {
    let (frames, periods) = (1 << 18, 2399usize);
    let naive: Vec<f64> = (0..frames).map(|n| if (n * periods) % frames < frames / 2 { 1.0 } else { -1.0 }).collect();
    let power = spectrum(&naive, |_| 1.0);
    let worst = (0..power.len()).filter(|bin| bin % periods != 0).map(|bin| power[bin]).fold(0.0, f64::max);
    assert!(10.0 * (worst / power[periods]).log10() > -60.0);
}

#[test]
fn sweeps_follow_the_closed_form() {
    let (rate, frames) = (48_000.0, 96_000.0);
    for (from_hz, to_hz) in [(20.0, 20_000.0), (20_000.0, 20.0), (1000.0, 1000.0)] {
        for scale in [SweepScale::Linear, SweepScale::Log] {
            let sweep = mono(Signal::Sweep { from_hz, to_hz, scale }, 48_000, 96_000, 0.0);
            // The instantaneous frequency, integrated over each frame by Simpson's rule.
            let hz = |n: f64| match scale {
                SweepScale::Linear => from_hz + (to_hz - from_hz) * n / frames,
                SweepScale::Log => from_hz * f64::powf(to_hz / from_hz, n / frames),
            };
            let mut cycles = 0.0;
            for (n, sample) in sweep.iter().enumerate() {
                let error = sample - f64::sin(TAU * cycles);
                assert!(error.abs() < 1e-6, "{scale:?} {from_hz} {n}: {error:e}");
                let n = n as f64;
                cycles += (hz(n) + 4.0 * hz(n + 0.5) + hz(n + 1.0)) / 6.0 / rate;
                cycles -= cycles.floor();
            }
        }
    }
}

/// Fits the slope of the power in dB per octave over thirds of octaves between two frequencies, and returns it with the
/// worst deviation of a band from the line.
fn slope(samples: &[f64], rate: f64, low_hz: f64, high_hz: f64) -> (f64, f64) {
    let size = 1 << 16;
    let hann = |n: usize| 0.5 - 0.5 * (TAU * n as f64 / size as f64).cos();
    let mut mean = vec![0.0; size / 2 + 1];
    for start in (0..=samples.len() - size).step_by(size / 2) {
        let power = spectrum(&samples[start..start + size], hann);
        mean.iter_mut().zip(power).for_each(|(mean, power)| *mean += power);
    }
    let mut points = Vec::new();
    let mut low = low_hz;
    while low < high_hz {
        let high = (low * 2f64.powf(1.0 / 3.0)).min(high_hz);
        let bins = (low / rate * size as f64).ceil() as usize..(high / rate * size as f64).ceil() as usize;
        if !bins.is_empty() {
            // The mean of the power of a bin and of its frequency's logarithm.
            let count = bins.len() as f64;
            let power = bins.clone().map(|bin| mean[bin]).sum::<f64>() / count;
            let octave = bins.map(|bin| (bin as f64).log2()).sum::<f64>() / count;
            points.push((octave, 10.0 * power.log10()));
        }
        low = high;
    }
    let n = points.len() as f64;
    let (x, y) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let slope = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>()
        / points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum::<f64>();
    (slope, points.iter().map(|p| (p.1 - y - slope * (p.0 - x)).abs()).fold(0.0, f64::max))
}

#[test]
fn noise_has_its_slope_from_20_hz_to_half_the_rate() {
    for (signal, expected) in [
        (Signal::White { distribution: Distribution::Uniform }, 0.0),
        (Signal::White { distribution: Distribution::Gaussian }, 0.0),
        (Signal::Pink, -3.0103),
        (Signal::Brown, -6.0206),
    ] {
        let noise = mono(signal.clone(), 48_000, 1 << 23, -20.0);
        let (slope, worst) = slope(&noise, 48_000.0, 20.0, 24_000.0);
        assert!((slope - expected).abs() < 0.03, "{signal:?}: {slope} dB per octave");
        // Bands at 20 Hz average some thousand values: a standard error of 0.15 dB.
        assert!(worst < 0.6, "{signal:?}: {worst} dB off the line");
    }
    // The response itself.
    for (colour, octave_db) in [(Colour::Pink, -3.0103), (Colour::Brown, -6.0206)] {
        let level = |hz: f64| db_from_gain(colour.magnitude(hz, 5.0));
        for octave in 1..=10 {
            let error = level(20.0 * f64::from(1 << octave)) - level(20.0) - octave_db * f64::from(octave);
            assert!(error.abs() < 0.01, "{colour:?}: {error} dB");
        }
    }
}

#[test]
fn channels_and_seeds_of_noise_are_independent() {
    for signal in [Signal::White { distribution: Distribution::Uniform }, Signal::Pink] {
        let of_seed = |seed| {
            let settings = GeneratorSettings { seed, ..settings(signal.clone(), 48_000, 3, 1 << 18, 0.0) };
            read(&mut Generator::new(&settings).unwrap(), 0, usize::MAX)
        };
        let (one, two) = (of_seed(1), of_seed(2));
        let same = of_seed(1);
        assert_eq!(one, same);
        let all: Vec<&[f32]> = one.iter().chain(two.iter()).collect();
        for (index, a) in all.iter().enumerate() {
            for b in &all[..index] {
                let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
                let correlation = product(a, b) / (product(a, a) * product(b, b)).sqrt();
                let most = if signal == Signal::Pink { 0.1 } else { 0.01 };
                assert!(correlation.abs() < most, "{signal:?}: {correlation}");
            }
        }
    }
    // Other signals are the same in all channels.
    let mut tone = Generator::new(&settings(Signal::Sine { frequency_hz: 100.0 }, 8000, 2, 100, 0.0)).unwrap();
    let tone = read(&mut tone, 0, 100);
    assert_eq!(tone.channel(0), tone.channel(1));
}

#[test]
fn dtmf_has_the_frequencies_of_q_23() {
    let keys = [("123A", 697.0), ("456B", 770.0), ("789C", 852.0), ("*0#D", 941.0)];
    let columns = [1209.0, 1336.0, 1477.0, 1633.0];
    for (row, row_hz) in keys {
        for (digit, column_hz) in row.chars().zip(columns) {
            let signal = Signal::Dtmf { digits: digit.into(), tone_frames: 8000, pause_frames: 0 };
            let samples = mono(signal, 8000, 8000, 0.0);
            // One second: a bin is 1 Hz.
            let power = spectrum(&samples, |n| 0.5 - 0.5 * (TAU * n as f64 / 8000.0).cos());
            let mut bins: Vec<usize> = (0..power.len()).collect();
            bins.sort_by(|a, b| power[*b].total_cmp(&power[*a]));
            let loudest: Vec<f64> = {
                let mut found = vec![bins[0]];
                found.extend(bins.iter().find(|bin| bin.abs_diff(bins[0]) > 2));
                found.sort_unstable();
                found.iter().map(|bin| *bin as f64).collect()
            };
            assert_eq!(loudest, [row_hz, column_hz], "{digit}");
        }
    }
    // Tones, pauses and the silence after them.
    let signal = Signal::Dtmf { digits: "15".into(), tone_frames: 400, pause_frames: 200 };
    assert_eq!(dtmf_frames(2, 400, 200), 1000);
    let samples = mono(signal, 8000, 1100, 0.0);
    let sounds = |range: std::ops::Range<usize>| peak(&samples[range]);
    assert!(sounds(0..400) > 0.8 && sounds(600..1000) > 0.8);
    assert_eq!((sounds(400..600), sounds(1000..1100)), (0.0, 0.0));
}

#[test]
fn impulses_and_clicks_are_at_their_times() {
    let at = |samples: &[f64]| -> Vec<usize> {
        samples.iter().enumerate().filter(|(_, sample)| **sample != 0.0).map(|(frame, _)| frame).collect()
    };
    assert_eq!(at(&mono(Signal::Impulses { interval_frames: 2.5 }, 8000, 11, 0.0)), [0, 3, 5, 8, 10]);
    assert_eq!(at(&mono(Signal::Impulses { interval_frames: 100.0 }, 8000, 300, 0.0)), [0, 100, 200]);
    // 90 beats a minute: a beat every 32000 frames at 48 kHz; the second sample of each is the first that is not 0.
    let clicks = mono(Signal::Clicks { bpm: 90.0, beats: 3 }, 48_000, 130_000, 0.0);
    let starts: Vec<usize> = (1..clicks.len())
        .filter(|n| clicks[*n] != 0.0 && clicks[n.saturating_sub(99)..*n].iter().all(|s| *s == 0.0))
        .collect();
    assert_eq!(starts, [1, 32_001, 64_001, 96_001, 128_001]);
    let loud = |beat: usize| db_from_gain(peak(&clicks[beat * 32_000..beat * 32_000 + 1900]));
    assert!(loud(0).abs() < 0.1 && loud(3).abs() < 0.1, "{} {}", loud(0), loud(3));
    assert!((loud(1) + 6.0).abs() < 0.1 && (loud(2) + 6.0).abs() < 0.1, "{} {}", loud(1), loud(2));
}

#[test]
fn impossible_settings_are_refused_with_their_limits() {
    let refused = |settings: GeneratorSettings, said: &str| {
        let message = Generator::new(&settings).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(message.contains(said), "{settings:?}: {message:?} lacks {said:?}");
    };
    let sine = |frequency_hz| Signal::Sine { frequency_hz };
    for hz in [24_000.0, 1e300, 0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(settings(sine(hz), 48_000, 1, 10, 0.0), "24000 Hz, half the sample rate");
        refused(settings(Signal::Saw { frequency_hz: hz }, 48_000, 1, 10, 0.0), "24000 Hz, half the sample rate");
        let sweep = Signal::Sweep { from_hz: 20.0, to_hz: hz, scale: SweepScale::Log };
        refused(settings(sweep, 48_000, 1, 10, 0.0), "End frequency of the sweep");
    }
    refused(settings(Signal::Square { frequency_hz: 0.1 }, 48_000, 1, 10, 0.0), "at least 0.183 Hz");
    refused(settings(sine(1.0), 48_000, 1, 0, 0.0), "at least one frame");
    refused(settings(sine(1.0), 48_000, 1, u64::MAX, 0.0), &format!("at most {MAX_SECONDS} s"));
    refused(settings(sine(1.0), 48_000, 0, 10, 0.0), &format!("1 to {MAX_CHANNELS}"));
    refused(settings(sine(1.0), 48_000, usize::MAX, 10, 0.0), &format!("1 to {MAX_CHANNELS}"));
    for level in [0.1, f64::NAN, -1e9] {
        refused(settings(sine(1.0), 48_000, 1, 10, level), "-200 to 0 dBFS");
    }
    for interval_frames in [0.0, 0.5, -1.0, f64::NAN, f64::INFINITY] {
        refused(settings(Signal::Impulses { interval_frames }, 48_000, 1, 10, 0.0), "at least one frame");
    }
    let dtmf =
        |digits: &str, tone_frames, pause_frames| Signal::Dtmf { digits: digits.into(), tone_frames, pause_frames };
    refused(settings(dtmf("12x", 1000, 1000), 48_000, 1, 10_000, 0.0), "0 to 9, *, #, or A to D");
    refused(settings(dtmf("", 1000, 1000), 48_000, 1, 10_000, 0.0), "1 to 4096");
    refused(settings(dtmf("1", 10, 1000), 48_000, 1, 10_000, 0.0), "two fades");
    refused(settings(dtmf("11", u64::MAX, u64::MAX), 48_000, 1, 10_000, 0.0), "which the digits take");
    refused(settings(dtmf("1", 1000, 0), 3000, 1, 10_000, 0.0), "above 3266 Hz");
    refused(settings(Signal::Clicks { bpm: 0.0, beats: 4 }, 48_000, 1, 10, 0.0), "1 to 1000 beats per minute");
    refused(settings(Signal::Clicks { bpm: 60.0, beats: 0 }, 48_000, 1, 10, 0.0), "1 to 64");
    refused(settings(Signal::Clicks { bpm: 60.0, beats: 4 }, 4000, 1, 10, 0.0), "at least 8000 Hz");
}

#[test]
fn random_settings_give_bounded_streams_or_are_refused() {
    let mut next = random(11);
    for _ in 0..400 {
        let mut number = |scale: f64| (next() % 2_000_003) as f64 / 1e6 * scale - scale * 0.05;
        let signal = match number(10.0) as u32 % 9 {
            0 => Signal::Sine { frequency_hz: number(30_000.0) },
            1 => Signal::Square { frequency_hz: number(3000.0) },
            2 => Signal::Saw { frequency_hz: number(300.0) },
            3 => Signal::Triangle { frequency_hz: number(3.0) },
            4 => Signal::Sweep { from_hz: number(9000.0), to_hz: number(9000.0), scale: SweepScale::Log },
            5 => Signal::Impulses { interval_frames: number(50.0) },
            6 => Signal::Clicks { bpm: number(600.0), beats: number(9.0) as u32 },
            7 => Signal::Pink,
            _ => Signal::Dtmf {
                digits: "7*".into(),
                tone_frames: number(1000.0) as u64,
                pause_frames: number(1000.0) as u64,
            },
        };
        let rate = number(50_000.0) as u32;
        let Ok(rate) = SampleRate::new(rate) else { continue };
        let settings = GeneratorSettings {
            format: AudioFormat::new(rate, 1),
            frames: number(100_000.0) as u64,
            level_db: number(-20.0),
            seed: 5,
            signal,
        };
        let Ok(mut generator) = Generator::new(&settings) else { continue };
        let start = settings.frames / 2;
        let block = read(&mut generator, start, 2000);
        assert_eq!(block.frames() as u64, (settings.frames - start).min(2000));
        let most = if settings.signal.is_noise() { 10.0 } else { 1.0 } * 10f32.powf(settings.level_db as f32 / 20.0);
        assert!(block.channel(0).iter().all(|sample| sample.abs() <= most * 1.000_001), "{settings:?}");
    }
}
