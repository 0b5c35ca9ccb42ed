//! Gain and normalise: each level compared with an independent measurement.

use crate::support::{chain_runs as runs, effects_table as table};

use audio::AudioReader;
use base::Error;
use base::progress::Progress;
use base::units::gain_from_db;
use ebur128::{EbuR128, Mode};
use effects::chain::{MeasuredMap, Placement, Plan, measure_whole, passes};
use runs::{Sound, assert_one_and_the_same, assert_robust, chain, db, measured, noise, run, tone};

fn crate_lufs(sound: &Sound) -> f64 {
    let mut meter = EbuR128::new(sound.audio.channels() as u32, sound.rate, Mode::I).unwrap();
    let planes: Vec<&[f32]> = sound.audio.iter().collect();
    meter.add_frames_planar_f32(&planes).unwrap();
    meter.loudness_global().unwrap()
}

fn processed(text: &str, sound: &Sound) -> Sound {
    let audio = run(text, sound);
    Sound::new(sound.rate, audio.iter().map(<[f32]>::to_vec).collect())
}

/// Returns the level, over all channels, that was measured for the chain's only node, in dB.
fn level_db(text: &str, sound: &Sound) -> f64 {
    let plan = Plan::new(&chain(text), sound.format(), &MeasuredMap::default()).unwrap();
    db(measured(text, sound).get(plan.needs[0].node).unwrap().together)
}

/// A 1 kHz sine with changing level, given as (dBFS, seconds).
fn steps(rate: u32, parts: &[(f64, f64)]) -> Vec<f32> {
    let mut samples = Vec::new();
    for (level, seconds) in parts {
        for _ in 0..(seconds * f64::from(rate)).round() as usize {
            let angle = std::f64::consts::TAU * 1000.0 * samples.len() as f64 / f64::from(rate);
            samples.push((gain_from_db(*level) * angle.sin()) as f32);
        }
    }
    samples
}

#[test]
fn the_cases_of_ebu_tech_3341_are_brought_to_minus_16() {
    let rate = 16_000;
    let stereo: [&[(f64, f64)]; 5] = [
        &[(-23.0, 20.0)],
        &[(-33.0, 20.0)],
        &[(-36.0, 10.0), (-23.0, 60.0), (-36.0, 10.0)],
        &[(-72.0, 10.0), (-36.0, 10.0), (-23.0, 60.0), (-36.0, 10.0), (-72.0, 10.0)],
        &[(-26.0, 20.0), (-20.0, 20.1), (-26.0, 20.0)],
    ];
    let mut cases: Vec<(Sound, f64)> = stereo
        .iter()
        .map(|parts| (Sound::new(rate, vec![steps(rate, parts); 2]), if parts[0].0 == -33.0 { -33.0 } else { -23.0 }))
        .collect();
    // Case six: left, right, centre, LFE (silent), surrounds.
    let levels = [-28.0, -28.0, -24.0, f64::NEG_INFINITY, -30.0, -30.0];
    cases.push((Sound::new(rate, levels.map(|level| steps(rate, &[(level, 20.0)])).to_vec()), -23.0));
    let mut worst = 0.0f64;
    for (number, (sound, expected)) in cases.iter().enumerate() {
        let text = "normalize(-16 dB, to=lufs)";
        let read = level_db(text, sound);
        assert!((read - expected).abs() < 0.1, "case {}: {read} LUFS", number + 1);
        assert!((read - crate_lufs(sound)).abs() < 0.01, "case {}", number + 1);
        let after = crate_lufs(&processed(text, sound));
        assert!((after + 16.0).abs() < 0.01, "case {}: {after} LUFS", number + 1);
        worst = worst.max((after + 16.0).abs());
    }
    table::measured("normalize", "EBU Tech 3341, cases 1 to 6, by ebur128", cases.len(), worst, "LU");
}

#[test]
fn every_level_arrives_at_its_target() {
    let mut worst = 0.0f64;
    let mut cases = 0;
    let mut arrived = |off: f64, allowed: f64, what: &str| {
        (worst, cases) = (worst.max(off.abs()), cases + 1);
        assert!(off.abs() < allowed, "{what}: {off} dB");
    };
    let mut sound = noise(48_000, 2, 60_000);
    for (n, sample) in sound.audio.channel_mut(0).iter_mut().enumerate() {
        *sample *= 0.2 + 0.8 * (n as f32 * 1e-4).sin().abs();
    }
    sound.audio.channel_mut(1).iter_mut().for_each(|sample| *sample *= 0.1);
    let peak = |sound: &Sound| sound.audio.iter().flatten().fold(0.0f64, |most, x| most.max(f64::from(x.abs())));
    let out = processed("normalize(-3 dB)", &sound);
    arrived(db(peak(&out)) + 3.0, 1e-5, "peak");

    let rms = |samples: &mut dyn Iterator<Item = f32>| {
        let (sum, count) = samples.fold((0.0, 0.0), |(sum, count), x| (sum + f64::from(x).powi(2), count + 1.0f64));
        (sum / count).sqrt()
    };
    let out = processed("normalize(-20 dB, to=rms)", &sound);
    arrived(db(rms(&mut out.audio.iter().flatten().copied())) + 20.0, 1e-5, "rms");
    let out = processed("normalize(-20 dB, to=rms, mode=per_channel)", &sound);
    for channel in 0..2 {
        arrived(db(rms(&mut out.audio.channel(channel).iter().copied())) + 20.0, 1e-5, "rms of a channel");
    }

    for share in [0.5, 0.99, 0.999] {
        let out = processed(&format!("normalize(-6 dB, to=percentile, percentile={} %)", share * 100.0), &sound);
        let mut sorted: Vec<f32> = out.audio.iter().flatten().map(|x| x.abs()).collect();
        sorted.sort_by(f32::total_cmp);
        let at = f64::from(sorted[(share * (sorted.len() - 1) as f64).round() as usize]);
        arrived(db(at) + 6.0, 0.002, "percentile");
    }

    // A sine at a quarter of the sample rate whose samples miss its crests by 45 degrees, 3 dB below the true peak.
    let crests = Sound::new(48_000, vec![(0..4800).map(|n| [0.5f32, 0.5, -0.5, -0.5][n % 4]).collect(); 2]);
    let out = processed("normalize(-1 dB, to=true_peak)", &crests);
    let mut meter = EbuR128::new(2, 48_000, Mode::TRUE_PEAK).unwrap();
    meter.add_frames_planar_f32(&out.audio.iter().collect::<Vec<_>>()).unwrap();
    arrived(db(meter.true_peak(0).unwrap()) + 1.0, 0.01, "true peak");
    assert!(db(peak(&out)) < -3.5, "the samples lie some 3 dB below");
    table::measured("normalize", "levels measured anew", cases, worst, "dB");
}

#[test]
fn a_ceiling_holds_the_loudness_back() {
    // Inter-sample peaks far above the loudness.
    let mut samples = tone(48_000, 1000.0, 0.02, 96_000);
    for (n, sample) in samples[50_000..50_040].iter_mut().enumerate() {
        *sample = [0.5f32, 0.5, -0.5, -0.5][n % 4];
    }
    let quiet = samples.iter().map(|x| 0.1 * x).collect();
    let sound = Sound::new(48_000, vec![samples, quiet]);
    let levels = |text: &str| {
        let out = processed(text, &sound);
        let mut meter = EbuR128::new(2, 48_000, Mode::TRUE_PEAK).unwrap();
        meter.add_frames_planar_f32(&out.audio.iter().collect::<Vec<_>>()).unwrap();
        let peaks = [0, 1].map(|channel| db(meter.true_peak(channel).unwrap()));
        (crate_lufs(&out), peaks)
    };
    let (free, peaks) = levels("normalize(-16 dB, to=lufs)");
    assert!((free + 16.0).abs() < 0.01 && peaks[0] > 3.0, "{free} LUFS, {peaks:?}");
    let (held, peaks) = levels("normalize(-16 dB, to=lufs, ceiling=-1 dB)");
    assert!(held < -20.0 && (peaks[0] + 1.0).abs() < 0.01, "{held} LUFS, {peaks:?}");
    assert!((peaks[1] + 21.0).abs() < 0.01, "one gain for both");
    let (_, peaks) = levels("normalize(-16 dB, to=lufs, ceiling=-1 dB, mode=per_channel)");
    assert!((peaks[0] + 1.0).abs() < 0.01 && (peaks[1] + 1.0).abs() < 0.01, "{peaks:?}");
    // A high ceiling has no effect.
    let (free, _) = levels("normalize(-30 dB, to=lufs, ceiling=20 dB)");
    assert!((free + 30.0).abs() < 0.01, "{free} LUFS");
}

#[test]
fn one_gain_serves_all_channels_unless_each_has_its_own() {
    let sound = Sound::new(48_000, vec![tone(48_000, 1000.0, 0.5, 48_000), tone(48_000, 1000.0, 0.05, 48_000)]);
    for to in ["peak", "true_peak", "rms", "percentile", "lufs"] {
        let ratio = |mode: &str| {
            let out = run(&format!("normalize(-20 dB, mode={mode}, to={to})"), &sound);
            f64::from(out.channel(0)[12]) / f64::from(out.channel(1)[12])
        };
        assert!((db(ratio("linked")) - 20.0).abs() < 1e-4, "{to}");
        assert!(db(ratio("per_channel")).abs() < 0.005, "{to}: {}", db(ratio("per_channel")));
    }
}

#[test]
fn what_has_no_level_stays_as_it_is() {
    let silent = Sound::new(48_000, vec![vec![0.0; 30_000]; 2]);
    for to in ["peak", "true_peak", "rms", "percentile", "lufs"] {
        let text = format!("normalize(-1 dB, to={to})");
        assert_eq!(run(&text, &silent), silent.audio);
        assert_eq!(run(&text, &Sound::new(48_000, vec![vec![]; 2])).frames(), 0);
    }
    // A signal shorter than 400 ms, or below -70 LUFS, has no loudness.
    for (frames, gain) in [(19_000, 0.5), (96_000, 1e-5)] {
        let sound = Sound::new(48_000, vec![tone(48_000, 1000.0, gain, frames)]);
        assert_eq!(run("normalize(-16 dB, to=lufs)", &sound), sound.audio);
        assert_ne!(run("normalize(-16 dB, to=rms)", &sound), sound.audio);
    }
    let slow = Sound::new(1000, vec![vec![0.5; 3000]]);
    let refused =
        measure_whole(&chain("normalize(-16 dB, to=lufs)"), &mut slow.clone(), "", &Placement::cpu(), &Progress::new());
    assert!(matches!(refused, Err(Error::Unsupported { .. })), "{refused:?}");
}

#[test]
fn a_measure_is_of_its_own_kind_place_and_source() {
    let sound = noise(48_000, 2, 30_000);
    let (peak, rms) = (chain("normalize(-1 dB)"), chain("normalize(-1 dB, to=rms)"));
    let need = |chain| Plan::new(chain, sound.format(), &MeasuredMap::default()).unwrap().needs[0];
    let map = measured("normalize(-1 dB)", &sound);
    assert!(map.is_current(&peak, need(&peak), ""));
    assert!(!map.is_current(&rms, need(&rms), ""), "measured for another level");
    assert!(!map.is_current(&peak, need(&peak), "another source"));
    assert!(map.is_current(&chain("normalize(-6 dB)"), need(&peak), ""), "the target changes nothing that is measured");
    // Until it is measured again, a measurement of another kind is not used.
    let plan = Plan::new(&rms, sound.format(), &map).unwrap();
    assert!(plan.is_identity());
    assert_eq!(passes(&chain("normalize | fade_out(1 s) | normalize(-16 dB, to=lufs)"), &sound).unwrap(), 2);
}

#[test]
fn levels_are_measured_at_their_own_place() {
    let sound = noise(48_000, 2, 60_000);
    let out = processed("highpass(2 kHz) | gain(-30 dB) | normalize(-12 dB, to=rms) | gain(6 dB)", &sound);
    let sum: f64 = out.audio.iter().flatten().map(|x| f64::from(*x).powi(2)).sum();
    assert!((db((sum / 120_000.0).sqrt()) + 6.0).abs() < 1e-4);
}

#[test]
fn gain_keeps_its_notation_and_can_be_cut_at_full_scale() {
    for text in ["gain(3 dB)", "gain(3 dB, clamp=on)", "normalize(-3 dB)", "normalize(-16 dB, to=lufs)", "normalize"] {
        assert_eq!(chain(text).to_string(), text);
    }
    assert_eq!(chain("normalize(-1 dB, per_channel)").to_string(), "normalize(mode=per_channel)");
    let sound = Sound::new(48_000, vec![vec![0.1, 0.9, -0.9, 1.0]]);
    let factor = gain_from_db(6.0) as f32;
    assert_eq!(run("gain(6 dB, clamp=on)", &sound).channel(0), [0.1 * factor, 1.0, -1.0, 1.0]);
    assert_eq!(run("gain(6 dB)", &sound).channel(0)[1], 0.9 * factor);
    let (sound, mut worst) = (noise(48_000, 1, 5000), 0.0f64);
    let gains = [-60.0, -6.0, 0.1, 12.0, 60.0];
    for gain_db in gains {
        let out = run(&format!("gain({gain_db} dB)"), &sound);
        for (got, x) in out.channel(0).iter().zip(sound.audio.channel(0)) {
            let expected = gain_from_db(gain_db) * f64::from(*x);
            worst = worst.max((f64::from(*got) - expected).abs() / expected.abs().max(1e-30));
        }
    }
    assert!(worst < 2e-7, "{worst:e}");
    table::measured("gain", "its formula", gains.len(), worst, "");
}

#[test]
fn cuts_and_strange_signals_do_not_matter() {
    let sound = noise(48_000, 2, 30_000);
    for text in ["gain(6 dB, clamp=on)", "normalize(-16 dB, to=lufs)", "normalize(-1 dB, to=true_peak)"] {
        assert_one_and_the_same(text, &sound);
        assert_robust(text, &[1, 2, 6]);
    }
}
