//! Tempo and pitch: lengths, tones, attacks, noise and the stereo image, and independence of block sizes.

#[allow(dead_code, reason = "shared with the renderer's tests")]
use crate::support::{effects_table as table, signal};

use std::f64::consts::TAU;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::units::SampleRate;
use effects::chain::{Chain, MeasuredMap, Placement, RenderState, Rendered, Renderer, Seeking};
use proptest::prelude::*;
use signal::{Memory, noise, wide};

const RATE: f64 = 48_000.0;

fn chain(text: &str) -> Chain {
    text.parse().unwrap()
}

fn renderer_at(text: &str, channels: usize, hz: u32) -> Renderer {
    let format = AudioFormat::new(SampleRate::new(hz).unwrap(), channels);
    Renderer::new(&chain(text), format, &Placement::cpu(), &MeasuredMap::default()).unwrap()
}

fn renderer(text: &str, channels: usize) -> Renderer {
    renderer_at(text, channels, 48_000)
}

/// Renders `audio` from frame `at` on, in blocks of these sizes, cyclically.
fn go_on(renderer: &mut Renderer, audio: &AudioBuffer, mut at: usize, blocks: &[usize]) -> AudioBuffer {
    let mut out = AudioBuffer::new(audio.channels(), 0);
    let mut sizes = blocks.iter().cycle();
    while at < audio.frames() {
        let end = audio.frames().min(at + sizes.next().unwrap());
        let mut block = AudioBuffer::new(audio.channels(), 0);
        block.extend_from(audio, at..end);
        renderer.process(&mut block).unwrap();
        out.extend_from(&block, 0..block.frames());
        at = end;
    }
    let rest = renderer.finish(false).unwrap();
    out.extend_from(&rest, 0..rest.frames());
    out
}

fn run(text: &str, audio: &AudioBuffer) -> AudioBuffer {
    go_on(&mut renderer(text, audio.channels()), audio, 0, &[8192])
}

fn mono(samples: Vec<f32>) -> AudioBuffer {
    AudioBuffer::from_channels(vec![samples])
}

fn tone(hz: f64, gain: f64, frames: usize) -> Vec<f32> {
    (0..frames).map(|n| (gain * (TAU * hz * n as f64 / RATE).sin()) as f32).collect()
}

/// Returns the frequency and amplitude of the tone near `hz`, and the power of the rest relative to it in dB, in the
/// middle half.
fn tone_in(samples: &[f32], hz: f64) -> (f64, f64, f64) {
    let middle = &samples[samples.len() / 4..samples.len() * 3 / 4];
    let length = middle.len() / 2;
    let half = |from: usize, hz: f64| {
        let (mut re, mut im, mut weight) = (0.0, 0.0, 0.0);
        for (n, x) in middle.iter().enumerate().skip(from).take(length) {
            let w = 0.5 - 0.5 * (TAU * (n - from) as f64 / length as f64).cos();
            let angle = TAU * hz * n as f64 / RATE;
            re += w * f64::from(*x) * angle.cos();
            im -= w * f64::from(*x) * angle.sin();
            weight += w;
        }
        (2.0 * re / weight, 2.0 * im / weight)
    };
    let mut found = hz;
    for _ in 0..4 {
        let (first, second) = (half(0, found), half(length, found));
        let turned = (second.1 * first.0 - second.0 * first.1).atan2(second.0 * first.0 + second.1 * first.1);
        found += turned / TAU * RATE / length as f64;
    }
    let (re, im) = half(0, found);
    let (mut power, mut rest) = (0.0, 0.0);
    for (n, x) in middle.iter().enumerate() {
        let angle = TAU * found * n as f64 / RATE;
        let fit = re * angle.cos() - im * angle.sin();
        power += fit * fit;
        rest += (f64::from(*x) - fit).powi(2);
    }
    (found, re.hypot(im), 10.0 * (rest / power).log10())
}

/// Returns the share of the energy within 40 ms of each time that is within 5 ms of it.
fn sharpness(samples: &[f32], times: impl Iterator<Item = f64>) -> f64 {
    let energy = |from: f64, to: f64| -> f64 {
        let frame = |seconds: f64| ((seconds * RATE).round() as usize).min(samples.len());
        samples[frame(from.max(0.0))..frame(to)].iter().map(|x| f64::from(*x).powi(2)).sum()
    };
    let shares: Vec<f64> =
        times.map(|at| energy(at - 0.005, at + 0.005) / energy(at - 0.04, at + 0.04).max(1e-30)).collect();
    shares.iter().sum::<f64>() / shares.len() as f64
}

fn rms(samples: &[f32]) -> f64 {
    (samples.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / samples.len().max(1) as f64).sqrt()
}

fn difference_db(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len());
    let apart: Vec<f32> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    20.0 * (rms(&apart) / rms(b).max(1e-30)).max(1e-30).log10()
}

/// Returns whether both have the same length and samples: bit-exact, or up to -130 dB if a recursion used other blocks.
fn same(a: &AudioBuffer, b: &AudioBuffer) -> bool {
    let recursion = |a: &[f32], b: &[f32]| a == b || difference_db(a, b) < -130.0;
    a.frames() == b.frames() && (0..a.channels()).all(|channel| recursion(a.channel(channel), b.channel(channel)))
}

#[test]
fn the_output_has_the_stated_length_to_the_frame() {
    for frames in [1usize, 2, 1000, 7777, 20_001] {
        let audio = mono(tone(440.0, 0.5, frames));
        for percent in [25.0, 33.3, 50.0, 99.9, 100.0, 123.456, 200.0, 400.0] {
            let out = run(&format!("time_stretch({percent} %)"), &audio);
            assert_eq!(out.frames(), (frames as f64 * percent / 100.0).round() as usize, "{frames} at {percent} %");
        }
        for semitones in [-24.0, -1.0, 0.01, 7.0, 24.0] {
            assert_eq!(run(&format!("pitch_shift({semitones})"), &audio).frames(), frames, "{semitones}");
        }
    }
}

#[test]
fn a_stretched_tone_keeps_frequency_and_level() {
    let (mut worst, mut cases) = ((0.0f64, f64::NEG_INFINITY), 0);
    for hz in [110.3, 997.3, 8003.7] {
        let audio = mono(tone(hz, 0.5, 72_000));
        for percent in [25, 50, 80, 125, 200, 400] {
            let out = run(&format!("time_stretch({percent} %)"), &audio);
            let (found, level, rest_db) = tone_in(out.channel(0), hz);
            let what = format!("{hz} Hz at {percent} %: {found} Hz, {level}, {rest_db:.1} dB");
            assert!((found / hz - 1.0).abs() < 1e-5, "{what}");
            assert!((20.0 * (level / 0.5).log10()).abs() < 0.05, "{what}");
            assert!(rest_db < -70.0, "{what}");
            worst = (worst.0.max((1200.0 * (found / hz).log2()).abs()), worst.1.max(rest_db));
            cases += 1;
        }
    }
    table::measured("time_stretch", "sines: frequency", cases, worst.0, "cents");
    table::measured("time_stretch", "sines: all that is not the sine", cases, worst.1, "dB");
}

#[test]
fn a_shifted_tone_is_exactly_where_it_belongs() {
    let (mut worst, mut count) = ((0.0f64, f64::NEG_INFINITY), 0);
    for (semitones, cents) in
        [(-24.0, 0.0), (-12.0, 0.0), (-3.0, -50.0), (0.0, 7.0), (7.0, 2.0), (12.0, 0.0), (24.0, 0.0)]
    {
        let audio = mono(tone(997.3, 0.5, 96_000));
        for formants in ["shift", "keep"] {
            let out = run(&format!("pitch_shift({semitones}, cents={cents}, formants={formants})"), &audio);
            let wanted = 997.3 * 2f64.powf((semitones + cents / 100.0) / 12.0);
            let (found, level, rest_db) = tone_in(out.channel(0), wanted);
            let what = format!("{semitones} and {cents} cents, {formants}: {found} Hz, {level}, {rest_db:.1} dB");
            assert!((found / wanted - 1.0).abs() < 1e-6, "{what}");
            assert!(rest_db < -70.0, "{what}");
            worst = (worst.0.max((1200.0 * (found / wanted).log2()).abs()), worst.1.max(rest_db));
            count += 1;
            if formants == "shift" {
                assert!((20.0 * (level / 0.5).log10()).abs() < 0.05, "{what}");
            }
        }
    }
    table::measured("pitch_shift", "sines: frequency", count, worst.0, "cents");
    table::measured("pitch_shift", "sines: all that is not the sine", count, worst.1, "dB");
}

/// Returns a signal with clicks, and their times in seconds.
fn clicks() -> (Vec<f32>, Vec<f64>) {
    let times: Vec<f64> = (1..6).map(|k| 0.31 * f64::from(k)).collect();
    let mut samples = vec![0.0; 96_000];
    for at in &times {
        samples[(at * RATE).round() as usize] = 0.9;
    }
    (samples, times)
}

#[test]
fn clicks_stay_sharp_and_in_their_place() {
    let (samples, times) = clicks();
    let audio = mono(samples);
    for percent in [50.0, 75.0, 150.0, 200.0, 300.0] {
        let ratio = percent / 100.0;
        let there = || times.iter().map(move |at| at * ratio);
        let crisp = run(&format!("time_stretch({percent} %)"), &audio);
        let smooth = run(&format!("time_stretch({percent} %, transients=smooth)"), &audio);
        let (sharp, dull) = (sharpness(crisp.channel(0), there()), sharpness(smooth.channel(0), there()));
        assert!(sharp > 0.99, "{percent} %: {sharp}");
        // The negative control: a phase vocoder without transient handling.
        assert!(dull < 0.6, "{percent} %: {dull}");
        for at in there() {
            let frame = (at * RATE).round() as usize;
            let near = frame - 2000..(frame + 2000).min(crisp.frames());
            let loudest =
                near.max_by(|a, b| crisp.channel(0)[*a].abs().total_cmp(&crisp.channel(0)[*b].abs())).unwrap();
            assert!(loudest.abs_diff(frame) < 48, "{percent} %: {loudest} for {frame}");
            assert!((crisp.channel(0)[loudest] - 0.9).abs() < 0.05, "{percent} %: {}", crisp.channel(0)[loudest]);
        }
    }
}

#[test]
fn a_tone_goes_on_through_an_attack() {
    let (clicks, times) = clicks();
    let both: Vec<f32> = tone(220.0, 0.2, 96_000).iter().zip(&clicks).map(|(tone, click)| tone + 0.5 * click).collect();
    let ratio = 1.6;
    let out = run("time_stretch(160 %)", &mono(both));
    let (found, level, _) = tone_in(out.channel(0), 220.0);
    assert!((found / 220.0 - 1.0).abs() < 1e-4, "{found}");
    assert!((20.0 * (level / 0.2).log10()).abs() < 0.3, "{level}");
    // Without the tone, the clicks are as sharp as before.
    let mut high = renderer("highpass(4 kHz, order=8)", 1);
    let high = go_on(&mut high, &out, 0, &[8192]);
    let sharp = sharpness(high.channel(0), times.iter().map(|at| at * ratio));
    assert!(sharp > 0.9, "{sharp}");
}

#[test]
fn a_new_tone_does_not_begin_before_its_time() {
    let mut samples = vec![0.0f32; 24_000];
    samples.extend(tone(700.0, 0.5, 24_000));
    let audio = mono(samples);
    for percent in [50, 200, 400] {
        let out = run(&format!("time_stretch({percent} %)"), &audio);
        let begins = 240 * percent;
        // A window is 4096 frames. More than 10 ms before the attack, the output is 40 dB down.
        let before = rms(&out.channel(0)[begins - 2400..begins - 480]);
        let after = rms(&out.channel(0)[begins + 480..begins + 4000]);
        assert!(before < 0.01 * after && (after - 0.354).abs() < 0.05, "{percent} %: {before} before {after}");
    }
}

#[test]
fn noise_keeps_its_spectrum() {
    let audio = mono(noise(1, 96_000).channel(0).to_vec());
    let band = |audio: &AudioBuffer, hz: f64| {
        let text = format!("bandpass({} Hz, {} Hz, order=4)", hz / 1.4, hz * 1.4);
        let out = go_on(&mut renderer(&text, 1), audio, 0, &[8192]);
        20.0 * rms(&out.channel(0)[out.frames() / 4..out.frames() * 3 / 4]).log10()
    };
    for text in ["time_stretch(50 %)", "time_stretch(130 %)", "time_stretch(250 %)", "time_stretch(400 %)"] {
        let out = run(text, &audio);
        for hz in [125.0, 500.0, 2000.0, 8000.0] {
            let change = band(&out, hz) - band(&audio, hz);
            assert!((-3.6..1.0).contains(&change), "{text} at {hz} Hz: {change:.2} dB");
        }
    }
}

#[test]
fn the_stereo_image_stays() {
    let left = noise(1, 40_000).channel(0).to_vec();
    let right: Vec<f32> = left.iter().map(|x| -0.25 * x).collect();
    let audio = AudioBuffer::from_channels(vec![left, right, vec![0.0; 40_000]]);
    for text in ["time_stretch(170 %)", "time_stretch(60 %)", "pitch_shift(4)", "pitch_shift(-5, formants=keep)"] {
        let out = run(text, &audio);
        let turned: Vec<f32> = out.channel(1).iter().map(|x| -4.0 * x).collect();
        assert!(difference_db(&turned, out.channel(0)) < -100.0, "{text}");
        assert!(out.channel(2).iter().all(|x| *x == 0.0), "{text}");
    }
    // A different tone in each channel stays in its channel.
    let audio = AudioBuffer::from_channels(vec![tone(500.0, 0.4, 60_000), tone(1210.0, 0.3, 60_000)]);
    let out = run("time_stretch(180 %)", &audio);
    for (channel, hz) in [(0, 500.0), (1, 1210.0)] {
        let (found, _, rest_db) = tone_in(out.channel(channel), hz);
        assert!((found / hz - 1.0).abs() < 1e-5 && rest_db < -60.0, "{hz}: {found} {rest_db}");
    }
}

/// A voice: a pulse train of 110 Hz through resonances at the given frequencies.
fn voice(resonances: &[f64]) -> Vec<f32> {
    let mut samples: Vec<f64> = (0..72_000).map(|n| f64::from(u8::from(n % 436 == 0))).collect();
    for hz in resonances {
        let radius = (-std::f64::consts::PI * 90.0 / RATE).exp();
        let (mut one, mut two) = (0.0, 0.0);
        for x in &mut samples {
            let y = *x + 2.0 * radius * (TAU * hz / RATE).cos() * one - radius * radius * two;
            (two, one) = (one, y);
            *x = y * 0.1;
        }
    }
    let most = samples.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    samples.iter().map(|x| (0.5 * x / most) as f32).collect()
}

#[test]
fn formants_stay_or_move_as_is_wished() {
    let audio = mono(voice(&[700.0, 2600.0]));
    // The centre frequency of the power near `around`.
    let resonance = |out: &AudioBuffer, around: f64| {
        let (mut sum, mut weight) = (0.0, 0.0);
        let mut hz = around * 0.72;
        while hz < around * 1.38 {
            let text = format!("rbj_bandpass({hz} Hz, q=6)");
            let heard = go_on(&mut renderer(&text, 1), out, 0, &[8192]);
            let power = rms(&heard.channel(0)[20_000..50_000]).powi(4);
            (sum, weight) = (sum + hz * power, weight + power);
            hz *= 1.06;
        }
        sum / weight
    };
    let own = resonance(&audio, 2600.0);
    for semitones in [-5.0, 5.0] {
        let factor = 2f64.powf(semitones / 12.0);
        let kept = run(&format!("pitch_shift({semitones}, formants=keep)"), &audio);
        let moved = run(&format!("pitch_shift({semitones})"), &audio);
        let (kept, moved) = (resonance(&kept, 2600.0), resonance(&moved, 2600.0 * factor));
        assert!((kept / own - 1.0).abs() < 0.1, "{semitones}: kept at {kept:.0} of {own:.0} Hz");
        assert!((moved / own / factor - 1.0).abs() < 0.1, "{semitones}: moved to {moved:.0} of {own:.0} Hz");
    }
}

#[test]
fn nothing_is_changed_when_nothing_is_asked() {
    let audio = noise(2, 5000);
    for text in ["time_stretch(100 %)", "pitch_shift(0)", "pitch_shift(1, cents=-100)"] {
        assert_eq!(run(text, &audio), audio, "{text}");
        assert_eq!(renderer(text, 2).latency_frames(), 0);
    }
}

const CHAINS: [&str; 7] = [
    "time_stretch(173.7 %)",
    "time_stretch(31 %)",
    "time_stretch(140 %, transients=smooth, window=30 ms)",
    "pitch_shift(5.3)",
    "pitch_shift(-9, formants=keep)",
    "time_stretch(150 %) | pitch_shift(3) | highpass(100 Hz)",
    "time_stretch(150 %) | spectral_gain(100 ms, 300 ms, 0 Hz, 4 kHz, gain=-20 dB) | time_stretch(70 %)",
];

/// A music-like signal: tones, attacks and noise, different in every channel.
fn music(frames: usize) -> AudioBuffer {
    let mut audio = noise(2, frames);
    for (channel, samples) in audio.iter_mut().enumerate() {
        for (n, x) in samples.iter_mut().enumerate() {
            let since = (n % (7001 + 1300 * channel)) as f64;
            let tones = (n as f64 * 0.03).sin() + (n as f64 * 0.071 * (1.0 + channel as f64)).sin();
            *x = (f64::from(*x) * 0.8 * (-since / 300.0).exp() + 0.1 * tones) as f32;
        }
    }
    audio
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]
    #[test]
    fn blocks_of_any_size_give_the_same(
        sizes in proptest::collection::vec(1usize..9000, 1..6),
        text in proptest::sample::select(CHAINS.to_vec()),
    ) {
        let audio = music(20_000);
        let whole = go_on(&mut renderer(text, 2), &audio, 0, &[20_000]);
        let pieces = go_on(&mut renderer(text, 2), &audio, 0, &sizes);
        prop_assert!(text.contains("highpass") || whole == pieces, "bits of {} {:?}", text, sizes);
        prop_assert!(same(&whole, &pieces), "{} {:?}", text, sizes);
    }
}

#[test]
fn a_state_taken_up_goes_on_as_if_nothing_had_been() {
    let audio = music(24_000);
    for text in CHAINS {
        let whole = go_on(&mut renderer(text, 2), &audio, 0, &[6000]);
        for cut in [1usize, 6000, 17_003] {
            let mut first = renderer(text, 2);
            let mut out = AudioBuffer::new(2, 0);
            out.extend_from(&audio, 0..cut);
            first.process(&mut out).unwrap();
            let json = serde_json::to_string(&first.state()).unwrap();
            let state: RenderState = serde_json::from_str(&json).unwrap();
            let mut second = renderer(text, 2);
            second.restore(&state).unwrap_or_else(|error| panic!("{text} at {cut}: {error}"));
            let rest = go_on(&mut second, &audio, cut, &[6000]);
            out.extend_from(&rest, 0..rest.frames());
            assert!(same(&out, &whole), "{text} at {cut}");
        }
    }
    let other = renderer("time_stretch(120 %)", 2).state();
    assert!(renderer("time_stretch(130 %)", 2).restore(&other).is_err());
}

#[test]
fn a_stretched_recording_can_be_read_from_any_frame() {
    let audio = music(40_000);
    for text in ["time_stretch(180 %)", "time_stretch(45 %) | lowpass(2 kHz)", "pitch_shift(-4)"] {
        let whole = run(text, &audio);
        let source = Box::new(Memory::new(audio.clone()));
        let placement = Placement::cpu();
        let mut reader =
            Rendered::new(&chain(text), source, &placement, &MeasuredMap::default(), Seeking::Exact).unwrap();
        assert_eq!(reader.frames(), whole.frames() as u64, "{text}");
        let mut out = AudioBuffer::default();
        for at in [0, whole.frames() - 100, 5000, 12_345, 12_300] {
            reader.seek(at as u64).unwrap();
            reader.read(&mut out, 3000).unwrap();
            let mut expected = AudioBuffer::new(2, 0);
            expected.extend_from(&whole, at..whole.frames().min(at + 3000));
            for channel in 0..2 {
                let residual = difference_db(out.channel(channel), expected.channel(channel));
                assert!(residual < -130.0, "{text} at {at}: {residual}");
            }
        }
    }
}

#[test]
fn a_preview_that_jumps_sounds_the_same() {
    let audio = mono(tone(440.0, 0.5, 48_000 * 6));
    let source = Box::new(Memory::new(audio));
    let placement = Placement::cpu();
    let mut reader =
        Rendered::new(&chain("pitch_shift(7)"), source, &placement, &MeasuredMap::default(), Seeking::Preroll).unwrap();
    let mut out = AudioBuffer::default();
    reader.seek(48_000 * 5).unwrap();
    reader.read(&mut out, 24_000).unwrap();
    let (found, level, rest_db) = tone_in(out.channel(0), 440.0 * 2f64.powf(7.0 / 12.0));
    assert!((found / 659.255 - 1.0).abs() < 1e-4 && (level - 0.5).abs() < 0.005 && rest_db < -60.0);
    assert!((rms(&out.channel(0)[..480]) - 0.354).abs() < 0.02, "at once: {}", rms(&out.channel(0)[..480]));
}

/// Counts the frames that are read from it.
struct Counted(Memory, Arc<AtomicU64>);

impl AudioReader for Counted {
    fn format(&self) -> AudioFormat {
        self.0.format()
    }

    fn frames(&self) -> u64 {
        self.0.frames()
    }

    fn position(&self) -> u64 {
        self.0.position()
    }

    fn seek(&mut self, frame: u64) -> base::Result<()> {
        self.0.seek(frame)
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> base::Result<()> {
        self.0.read(out, frames)?;
        self.1.fetch_add(out.frames() as u64, Ordering::Relaxed);
        Ok(())
    }
}

#[test]
fn a_preview_jumps_in_a_stretched_recording_without_rendering_all_before() {
    // Each second has a different tone, so that the output reveals its position.
    const SECONDS: usize = 120;
    let hz = |second: usize| 300.0 + 20.0 * second as f64;
    let frames = SECONDS * RATE as usize;
    let sample = |n: usize| (0.5 * (TAU * hz(n / RATE as usize) * (n % RATE as usize) as f64 / RATE).sin()) as f32;
    let audio = mono((0..frames).map(sample).collect());
    for (text, ratio, out_rate) in [
        ("time_stretch(150 %)", 1.5, RATE),
        ("time_stretch(60 %) | lowpass(10 kHz)", 0.6, RATE),
        ("resample(44.1 kHz) | time_stretch(125 %) | time_stretch(80 %)", 44_100.0 / RATE, 44_100.0),
    ] {
        let read = Arc::new(AtomicU64::new(0));
        let source = Box::new(Counted(Memory::new(audio.clone()), Arc::clone(&read)));
        let measured = MeasuredMap::default();
        let mut reader = Rendered::new(&chain(text), source, &Placement::cpu(), &measured, Seeking::Preroll).unwrap();
        let mut out = AudioBuffer::default();
        for (turn, second) in [100, 40, 110].into_iter().enumerate() {
            if turn == 1 {
                // A parameter change does not make it start earlier.
                reader.set_chain(&chain(&text.replace("150", "152")), &measured).unwrap();
            }
            let ratio = if turn > 0 && ratio == 1.5 { 1.52 } else { ratio };
            let begin = ((second as f64 + 0.1) * RATE * ratio) as u64;
            reader.seek(begin).unwrap();
            reader.read(&mut out, (0.8 * RATE * ratio) as usize).unwrap();
            let expected = hz(second) * RATE / out_rate;
            let (found, level, _) = tone_in(out.channel(0), expected);
            assert!((found / expected - 1.0).abs() < 1e-3, "{text}: {found} Hz, {expected} expected");
            assert!((level - 0.5).abs() < 0.02, "{text}: {level}");
        }
        let seconds = read.load(Ordering::Relaxed) as f64 / RATE;
        assert!(seconds < 30.0, "{text}: {seconds} s were read");
        // Up to the end, there are as many frames as without the seeks.
        let left = 5_000;
        reader.seek(reader.frames() - left).unwrap();
        reader.read(&mut out, 2 * left as usize).unwrap();
        assert_eq!(out.frames() as u64, left, "{text}");
    }
}

#[test]
fn whatever_comes_in_something_sound_comes_out() {
    let constant = vec![0.25f32; 30_000];
    let square: Vec<f32> = (0..30_000).map(|n| if n / 100 % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let denormal: Vec<f32> = (0..30_000).map(|n| 1e-40 * ((n % 7) as f32 - 3.0)).collect();
    for text in CHAINS {
        let silence = run(text, &mono(vec![0.0; 30_000]));
        assert!(silence.channel(0).iter().all(|x| *x == 0.0), "{text}");
        let out = run(text, &mono(denormal.clone()));
        assert!(out.channel(0).iter().all(|x| x.abs() < 1e-37), "{text}");
        let out = run(text, &mono(square.clone()));
        assert!(out.channel(0).iter().all(|x| x.abs() < 8.0), "{text}");
        for channels in [1, 2, 6] {
            for hz in [8000, 44_100, 192_000] {
                let mut at_rate = renderer_at(text.split(" | ").next().unwrap(), channels, hz);
                let out = go_on(&mut at_rate, &noise(channels, 9000), 0, &[3000]);
                assert!(out.channels() == channels && out.iter().flatten().all(|x| x.abs() < 8.0), "{text} {hz}");
            }
        }
    }
    for text in ["time_stretch(170 %)", "time_stretch(40 %)", "pitch_shift(5)", "pitch_shift(-5)"] {
        let out = run(text, &mono(constant.clone()));
        let middle = &out.channel(0)[out.frames() / 3..out.frames() * 2 / 3];
        assert!(middle.iter().all(|x| (x - 0.25).abs() < 1e-3), "{text}");
    }
    for hz in [1, 50, 768_000] {
        go_on(&mut renderer_at("time_stretch(150 %)", 1, hz), &noise(1, 3000), 0, &[1000]);
        go_on(&mut renderer_at("pitch_shift(3)", 1, hz), &noise(1, 3000), 0, &[1000]);
    }
}

#[test]
fn a_process_takes_what_is_no_number_as_silence() {
    use effects::{Stage, find};
    let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 2);
    let spec = find("pitch_shift").unwrap();
    let mut arguments = spec.initial_arguments();
    arguments.set("semitones", 3.0);
    let Stage::Process(mut process) = spec.make(&arguments).unwrap().stage(format, None).unwrap() else { panic!() };
    let mut audio = noise(2, 30_000);
    audio.channel_mut(0)[9000..9010].fill(f32::NAN);
    audio.channel_mut(1)[100] = f32::INFINITY;
    process.process(&mut audio).unwrap();
    assert!(audio.iter().flatten().all(|x| x.is_finite()));
    assert!(process.state().iter().all(|x| x.is_finite()));
}

#[test]
fn what_cannot_be_is_refused_in_words() {
    let refused = |text: &str| {
        let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 2);
        let chain: Result<Chain, _> = text.parse();
        match chain {
            Err(error) => error.to_string(),
            Ok(chain) => {
                Renderer::new(&chain, format, &Placement::cpu(), &MeasuredMap::default()).unwrap_err().to_string()
            }
        }
    };
    for (text, said) in [
        ("time_stretch(20 %)", "25 % to 400 %"),
        ("pitch_shift(25)", "-24 to 24"),
        ("pitch_shift(1, formants=stay)", "shift, keep"),
        ("time_stretch(200 %) + gain(3 dB)", "changes the sample rate or the length"),
        ("mix(50 %, time_stretch(200 %))", "changes the sample rate or the length"),
    ] {
        let message = refused(text);
        assert!(message.contains(said), "{text}: {message}");
    }
    // Pitch shifting keeps the duration, so it can be mixed.
    let audio = mono(tone(300.0, 0.4, 30_000));
    assert_eq!(run("mix(50 %, pitch_shift(12))", &audio).frames(), 30_000);
}

#[test]
fn every_parameter_does_something() {
    let audio = music(20_000);
    let plain = run("pitch_shift(3)", &audio);
    for other in ["cents=30", "formants=keep", "transients=smooth", "window=30 ms"] {
        let text = format!("pitch_shift(3, {other})");
        assert!(run(&text, &audio) != plain, "{text}");
    }
    let plain = run("time_stretch(130 %)", &audio);
    for other in ["transients=smooth", "window=40 ms"] {
        let text = format!("time_stretch(130 %, {other})");
        assert!(run(&text, &audio) != plain, "{text}");
    }
    assert!(wide(plain.channel(0)).iter().any(|x| *x != 0.0));
}
