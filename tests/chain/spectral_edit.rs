//! Edits of a part of a recording: no change outside it, correct results inside, independence of block sizes.

#[allow(dead_code, reason = "shared with the renderer's tests")]
use crate::support::{effects_table as table, signal};

use audio::{AudioBuffer, AudioReader};
use effects::chain::{Chain, MeasuredMap, Placement, Rendered, Renderer, Seeking};
use proptest::prelude::*;
use signal::{Memory, format, noise, residual_db, wide};

const RATE: f64 = 48_000.0;

fn chain(text: &str) -> Chain {
    text.parse().unwrap()
}

fn renderer(text: &str, channels: usize) -> Renderer {
    Renderer::new(&chain(text), format(channels), &Placement::cpu(), &MeasuredMap::default()).unwrap()
}

/// Returns the whole output of a chain, rendered in one block.
fn run(text: &str, audio: &AudioBuffer) -> AudioBuffer {
    in_blocks(text, audio, &[audio.frames()])
}

fn in_blocks(text: &str, audio: &AudioBuffer, blocks: &[usize]) -> AudioBuffer {
    let mut renderer = renderer(text, audio.channels());
    let mut out = AudioBuffer::new(audio.channels(), 0);
    let mut sizes = blocks.iter().cycle();
    let mut at = 0;
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

fn reader(text: &str, audio: &AudioBuffer, seeking: Seeking) -> Rendered {
    let source = Box::new(Memory::new(audio.clone()));
    Rendered::new(&chain(text), source, &Placement::cpu(), &MeasuredMap::default(), seeking).unwrap()
}

fn read(reader: &mut impl AudioReader, from: u64, frames: usize) -> AudioBuffer {
    let mut out = AudioBuffer::default();
    reader.seek(from).unwrap();
    reader.read(&mut out, frames).unwrap();
    out
}

fn tone(hz: f64, gain: f64, frames: usize) -> Vec<f32> {
    (0..frames).map(|n| (gain * (std::f64::consts::TAU * hz * n as f64 / RATE).sin()) as f32).collect()
}

fn mixed(parts: &[Vec<f32>]) -> AudioBuffer {
    let sum = (0..parts[0].len()).map(|n| parts.iter().map(|part| part[n]).sum()).collect();
    AudioBuffer::from_channels(vec![sum])
}

fn db(power: f64) -> f64 {
    10.0 * power.max(1e-30).log10()
}

/// Returns the level of a tone in dBFS, by correlation with a Hann window.
fn level_at(samples: &[f32], hz: f64) -> f64 {
    let count = samples.len() as f64;
    let (mut re, mut im) = (0.0, 0.0);
    for (n, sample) in samples.iter().enumerate() {
        let weight = 0.5 - 0.5 * (std::f64::consts::TAU * (n as f64 + 0.5) / count).cos();
        let angle = std::f64::consts::TAU * hz * n as f64 / RATE;
        re += f64::from(*sample) * weight * angle.cos();
        im += f64::from(*sample) * weight * angle.sin();
    }
    db((re * re + im * im) * (4.0 / count).powi(2))
}

fn power(samples: &[f32]) -> f64 {
    samples.iter().map(|sample| f64::from(*sample).powi(2)).sum::<f64>() / samples.len() as f64
}

const EDITS: [&str; 3] = [
    "spectral_gain(0.5 s, 0.8 s, 1 kHz, 3 kHz, gain=-24 dB)",
    "spectral_isolate(0.5 s, 0.8 s, 1 kHz, 3 kHz)",
    "spectral_heal(0.5 s, 0.8 s, 1 kHz, 3 kHz)",
];

#[test]
fn outside_its_times_every_bit_stays() {
    let audio = noise(2, 96_000);
    for text in EDITS {
        let got = run(text, &audio);
        assert_eq!(got.frames(), audio.frames());
        for channel in 0..2 {
            let (got, was) = (got.channel(channel), audio.channel(channel));
            let (before, after) = (&got[..24_000], &got[38_400..]);
            if text.starts_with("spectral_isolate") {
                assert!(before.iter().chain(after).all(|sample| *sample == 0.0), "{text}");
            } else {
                assert!(before == &was[..24_000] && after == &was[38_400..], "{text}");
            }
            // Within the range, the output changes.
            assert!(residual_db(&got[24_000..38_400], &wide(&was[24_000..38_400]), was).0 > -30.0, "{text}");
        }
    }
}

#[test]
fn a_band_is_scaled_and_its_neighbours_are_not() {
    let hertz = [300.0, 990.0, 1500.0, 2000.0, 2500.0, 3020.0, 9000.0];
    let tones: Vec<_> = hertz.iter().map(|hz| tone(*hz, 0.1, 96_000)).collect();
    let audio = mixed(&tones);
    let mut worst = 0.0f64;
    for (gain_db, text) in [(-24.0, "-24 dB"), (6.0, "6 dB")] {
        let got = run(&format!("spectral_gain(0.4 s, 1.6 s, 1 kHz, 3 kHz, gain={text})"), &audio);
        let inside = &got.channel(0)[24_000..72_000];
        for hz in hertz {
            let expected = if (1000.0..3000.0).contains(&hz) { gain_db } else { 0.0 };
            let change = level_at(inside, hz) + 20.0;
            worst = worst.max((change - expected).abs());
            assert!((change - expected).abs() < 0.01, "{hz} Hz by {text}: {change} dB");
        }
    }
    // -120 dB removes everything, down to the filter's stop-band attenuation.
    let gone = run("spectral_gain(0.4 s, 1.6 s, 1 kHz, 3 kHz, gain=-120 dB)", &audio);
    assert!(level_at(&gone.channel(0)[24_000..72_000], 2000.0) < -115.0);
    table::measured("spectral_gain", "levels of sines in and beside the band", 2 * hertz.len(), worst, "dB");
}

#[test]
fn what_is_isolated_and_what_is_left_add_up() {
    let audio = noise(1, 96_000);
    let mut worst = f64::NEG_INFINITY;
    for band in ["0 Hz, 2 kHz", "500 Hz, 700 Hz", "8 kHz, 24 kHz", "0 Hz, 96 kHz"] {
        let part = format!("0.3 s, 1.2 s, {band}");
        let kept = run(&format!("spectral_isolate({part})"), &audio);
        let left = run(&format!("spectral_gain({part}, gain=-120 dB)"), &audio);
        let sum: Vec<f32> = kept.channel(0).iter().zip(left.channel(0)).map(|(a, b)| a + b).collect();
        let (residual, _) = residual_db(&sum, &wide(audio.channel(0)), audio.channel(0));
        worst = worst.max(residual);
        assert!(residual < -130.0, "{band}: {residual} dB");
    }
    // If both edges are open, the part equals the recording.
    let whole = run("spectral_isolate(0.3 s, 1.2 s, 0 Hz, 96 kHz, fade=0 s)", &audio);
    let (residual, _) =
        residual_db(&whole.channel(0)[14_400..57_600], &wide(&audio.channel(0)[14_400..57_600]), audio.channel(0));
    assert!(residual < -130.0, "{residual}");
    table::measured("spectral_isolate", "what is left, added", 4, worst, "dB");
}

#[test]
fn the_change_sets_in_over_the_fade() {
    let audio = mixed(&[tone(2000.0, 0.5, 96_000)]);
    let got = run("spectral_gain(0.5 s, 1.5 s, 1 kHz, 3 kHz, gain=-120 dB, fade=100 ms)", &audio);
    for (at_s, share) in [(0.525, 0.1464), (0.55, 0.5), (0.575, 0.8536), (0.7, 1.0), (1.45, 0.5)] {
        let around = (at_s * RATE) as usize - 48..(at_s * RATE) as usize + 48;
        let left = (power(&got.channel(0)[around.clone()]) / power(&audio.channel(0)[around])).sqrt();
        assert!((left - (1.0 - share)).abs() < 0.02, "at {at_s} s {left} is left");
    }
}

#[test]
fn a_sound_over_noise_is_lowered_to_it() {
    // A whistle of 0.2 s, 30 dB above noise, and a neighbouring tone that must not change.
    let frames = 96_000;
    let hiss = noise(1, frames);
    let hiss: Vec<f32> = hiss.channel(0).iter().map(|sample| 0.02 * sample).collect();
    let whistle: Vec<f32> = tone(2000.0, 0.2, frames)
        .iter()
        .enumerate()
        .map(|(n, s)| if (38_400..48_000).contains(&n) { *s } else { 0.0 })
        .collect();
    let neighbour = tone(440.0, 0.1, frames);
    let audio = mixed(&[hiss.clone(), whistle, neighbour.clone()]);
    let clean = mixed(&[hiss, neighbour]);
    let got = run("spectral_heal(0.79 s, 1.01 s, 1.7 kHz, 2.3 kHz)", &audio);
    let part = 38_400..48_000;
    let band = |audio: &AudioBuffer| {
        let kept = run("spectral_isolate(0 s, 2 s, 1.7 kHz, 2.3 kHz)", audio);
        db(power(&kept.channel(0)[part.clone()]))
    };
    let (was, is, should) = (band(&audio), band(&got), band(&clean));
    assert!(was - should > 25.0, "{was} over {should}");
    assert!((is - should).abs() < 3.0, "{is} dB, the noise has {should} dB");
    // The tone at 440 Hz is unchanged.
    let beside = level_at(&got.channel(0)[part.clone()], 440.0) - level_at(&audio.channel(0)[part], 440.0);
    assert!(beside.abs() < 0.01, "{beside}");
}

#[test]
fn a_gap_in_a_tone_is_filled_with_the_tone() {
    let frames = 96_000;
    let whole = tone(441.3, 0.25, frames);
    let mut worst = 0.0f64;
    for (gap_s, least) in [(0.01, 0.98), (0.03, 0.97), (0.08, 0.95)] {
        let gap = 48_000..48_000 + (gap_s * RATE) as usize;
        let mut broken = whole.clone();
        broken[gap.clone()].fill(0.0);
        let text = format!("spectral_heal({} s, {} s, 0 Hz, 24 kHz, fade=0 s)", 1.0 - 0.0005, 1.0 + gap_s + 0.0005);
        let got = run(&text, &AudioBuffer::from_channels(vec![broken]));
        let (got, want) = (&got.channel(0)[gap.clone()], &whole[gap]);
        let product: f64 = got.iter().zip(want).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        let likeness = product / (power(got) * power(want)).sqrt().max(1e-30) / got.len() as f64;
        let level = db(power(got) / power(want));
        worst = worst.max(level.abs());
        assert!(likeness > least && level.abs() < 1.5, "{gap_s} s: likeness {likeness}, level {level} dB");
    }
    table::measured("spectral_heal", "gaps of 10 to 80 ms in a sine: level", 3, worst, "dB");
}

#[test]
fn a_gap_in_noise_is_filled_as_loud_and_never_louder() {
    let frames = 96_000;
    let whole = noise(1, frames);
    let mut broken = whole.channel(0).to_vec();
    broken[48_000..52_800].fill(0.0);
    let got = run("spectral_heal(0.999 s, 1.101 s, 0 Hz, 24 kHz)", &AudioBuffer::from_channels(vec![broken]));
    let level = db(power(&got.channel(0)[48_240..52_560]) / power(whole.channel(0)));
    assert!((-3.0..1.0).contains(&level), "{level} dB");
    // Next to silence there is nothing to learn from, so the signal stays unchanged.
    let lone = AudioBuffer::from_channels(vec![
        (0..96_000).map(|n| if (48_000..48_960).contains(&n) { 0.5 } else { 0.0 }).collect(),
    ]);
    assert_eq!(run("spectral_heal(1 s, 1.02 s, 0 Hz, 24 kHz)", &lone).channel(0), lone.channel(0));
}

#[test]
fn parts_at_the_ends_and_beyond_are_taken_as_they_come() {
    let audio = noise(1, 20_000);
    for text in [
        "spectral_heal(0 s, 0.05 s, 1 kHz, 5 kHz)",
        "spectral_heal(0.4 s, 3 s, 1 kHz, 5 kHz)",
        "spectral_gain(0 s, 100 s, 1 kHz, 5 kHz, gain=-40 dB)",
        "spectral_isolate(0.3 s, 9 s, 0 Hz, 5 kHz)",
        "spectral_gain(0 s, 1 s, 30 Hz, 45 Hz, gain=-40 dB)",
    ] {
        let got = run(text, &audio);
        assert_eq!(got.frames(), 20_000, "{text}");
        assert!(got.channel(0).iter().all(|sample| sample.is_finite() && sample.abs() < 2.0), "{text}");
    }
    let beyond = run("spectral_heal(7 s, 8 s, 1 kHz, 5 kHz)", &audio);
    assert_eq!(beyond.channel(0), audio.channel(0));
}

#[test]
fn edits_one_after_the_other_and_mixed_stay_in_time() {
    // Each edit has a different latency. All are compensated, also relative to a dry signal and to another branch.
    let audio = noise(1, 96_000);
    let text = "spectral_gain(0.2 s, 0.3 s, 1 kHz, 3 kHz, gain=-24 dB) | spectral_heal(1 s, 1.1 s, 0 Hz, 24 kHz)";
    let got = run(text, &audio);
    for same in [0..9_600, 14_400..48_000, 52_800..96_000] {
        assert_eq!(got.channel(0)[same.clone()], audio.channel(0)[same]);
    }
    let one = run("spectral_heal(1 s, 1.1 s, 0 Hz, 24 kHz)", &audio);
    assert_eq!(got.channel(0)[48_000..52_800], one.channel(0)[48_000..52_800], "the second one is where it was");
    let half = run("mix(50 %, spectral_gain(0.2 s, 0.3 s, 1 kHz, 3 kHz, gain=-120 dB))", &audio);
    let wet = run("spectral_gain(0.2 s, 0.3 s, 1 kHz, 3 kHz, gain=-120 dB)", &audio);
    let mean: Vec<f64> = wide(wet.channel(0)).iter().zip(wide(audio.channel(0))).map(|(a, b)| 0.5 * (a + b)).collect();
    assert!(residual_db(half.channel(0), &mean, audio.channel(0)).0 < -140.0);
}

#[test]
fn a_jump_gives_what_playing_through_gives() {
    let audio = noise(2, 480_000);
    for text in EDITS {
        let text = text.replace("0.5 s, 0.8 s", "5 s, 6 s").replace("0.5 s", "5 s");
        let whole = run(&text, &audio);
        for seeking in [Seeking::Exact, Seeking::Preroll] {
            let mut reader = reader(&text, &audio, seeking);
            for from in [245_000u64, 287_500, 100, 250_001] {
                let got = read(&mut reader, from, 5_000);
                for channel in 0..2 {
                    let want = &whole.channel(channel)[from as usize..from as usize + 5_000];
                    assert_eq!(got.channel(channel), want, "{text} from {from}, {seeking:?}");
                }
            }
        }
    }
}

#[test]
fn a_part_that_is_moved_while_it_plays_is_where_it_was_moved_to() {
    let audio = noise(1, 480_000);
    let before = "spectral_gain(2 s, 3 s, 1 kHz, 3 kHz, gain=-24 dB)";
    let after = [
        "spectral_gain(2.5 s, 3.5 s, 1 kHz, 3 kHz, gain=-24 dB)",
        "spectral_gain(2.5 s, 3.5 s, 1 kHz, 1.1 kHz, gain=-24 dB)",
        "gain(-6 dB) | spectral_heal(2.2 s, 3.2 s, 1 kHz, 3 kHz)",
    ];
    for text in after {
        let whole = run(text, &audio);
        let mut reader = reader(before, &audio, Seeking::Preroll);
        read(&mut reader, 0, 110_000);
        let mut changed = chain(text);
        // The same node, as after a parameter change.
        changed.nodes[0].id = chain(before).nodes[0].id;
        reader.set_chain(&changed, &MeasuredMap::default()).unwrap();
        let mut got = AudioBuffer::default();
        reader.read(&mut got, 70_000).unwrap();
        assert_eq!(got.channel(0), &whole.channel(0)[110_000..180_000], "{text}");
    }
}

#[test]
fn the_latency_is_what_the_documentation_says() {
    let latency_ms = |text: &str| 1000.0 * renderer(text, 1).latency_frames() as f64 / RATE;
    for (text, max_ms) in [
        ("spectral_gain(0 s, 1 s, 1 kHz, 3.5 kHz, gain=-6 dB)", 80.0),
        ("spectral_gain(0 s, 1 s, 50 Hz, 59.4 Hz, gain=-6 dB)", 4800.0),
        ("spectral_isolate(0 s, 1 s, 50 Hz, 59.4 Hz)", 4800.0),
        ("spectral_heal(0 s, 0.5 s, 1 kHz, 3.5 kHz)", 630.0),
    ] {
        let got_ms = latency_ms(text);
        assert!((0.9 * max_ms..=max_ms).contains(&got_ms), "{text}: {got_ms} ms, said {max_ms} ms");
    }
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let refused = |text: &str| match text.parse::<Chain>() {
        Err(error) => error.to_string(),
        Ok(chain) => {
            let made = Renderer::new(&chain, format(1), &Placement::cpu(), &MeasuredMap::default());
            made.err().map_or_else(|| panic!("{text} was taken"), |error| error.to_string())
        }
    };
    for (text, said) in [
        ("spectral_gain(2 s, 1 s, 1 kHz, 3 kHz, gain=-6 dB)", "Spectral gain: From must be before To (1 s)"),
        ("spectral_gain(1 s, 2 s, 3 kHz, 3 kHz, gain=-6 dB)", "Spectral gain: Low must be below High (3 kHz)"),
        ("spectral_gain(1 s, 2 s, 1 kHz, 3 kHz)", "`spectral_gain` needs a value for `gain`"),
        ("spectral_heal(1 s, 7 s, 1 kHz, 3 kHz)", "Heal works on up to 4 s. Select a shorter part."),
        (
            "spectral_isolate(1 s, 2 s, 30 kHz, 40 kHz)",
            "Spectral isolate: Low must be below 24 kHz for this 48 kHz recording.",
        ),
        ("spectral_gain(1 s, 2 s, 100 Hz, 101 Hz, gain=-6 dB)", "Spectral gain: The band must be at least"),
        ("spectral_gain(-1 s, 2 s, 1 kHz, 3 kHz, gain=-6 dB)", "from"),
    ] {
        let message = refused(text);
        assert!(message.contains(said), "{message}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn blocks_of_any_size_give_what_one_gives(
        blocks in prop::collection::vec(1usize..9_000, 1..6),
        edit in 0usize..3,
    ) {
        let audio = noise(1, 60_000);
        let (pieces, whole) = (in_blocks(EDITS[edit], &audio, &blocks), run(EDITS[edit], &audio));
        prop_assert_eq!(pieces.channel(0), whole.channel(0));
    }
}
