//! Arbitrary block sizes, restored states, non-finite samples, and the gain-reduction meter.

use audio::{AudioBuffer, AudioReader};
use effects::chain::{Chain, MeasuredMap, NodeId, Placement, RenderState, Rendered, Seeking};
use effects::{self, METER_FRAMES, Value};
use proptest::prelude::*;

use super::signal::{Memory, assert_close, wide};
use super::{EFFECTS, bursts, db, effect, format, gain, mono, of_text, process, renderer, run, run_text};

const TEXTS: [&str; 8] = [
    "compressor(-30 dB, 4, lookahead=3 ms)",
    "compressor(-30 dB, 4, detector=rms, hold=7 ms, link=40 %)",
    "expander(-20 dB, 3, lookahead=1 ms)",
    "gate(-20 dB, -60 dB, link=0 %)",
    "limiter(-12 dB)",
    "limiter(-12 dB, peak=sample, link=50 %, lookahead=0.3 ms)",
    // With filters, whose rounding depends on the block sizes.
    "compressor(-30 dB, 4, highpass=200 Hz, lowpass=4 kHz)",
    "de_esser(3 kHz, -40 dB, mode=split)",
];

fn has_filter(text: &str) -> bool {
    text.contains("highpass") || text.contains("de_esser")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_blocks_give_one_pass(sizes in prop::collection::vec(1usize..4000, 1..10)) {
        let input = bursts(2, 9000);
        for text in TEXTS {
            let whole = run_text(text, &input);
            let cut = run(of_text(text).as_ref(), &input, 48_000, &sizes);
            if has_filter(text) {
                for channel in 0..2 {
                    assert_close(cut.channel(channel), &wide(whole.channel(channel)), input.channel(channel), -150.0, text);
                }
            } else {
                prop_assert!(cut == whole, "{} in {:?}", text, sizes);
            }
        }
    }
}

#[test]
fn blocks_large_enough_to_be_shared_among_threads_give_the_same_bits() {
    let input = bursts(3, 60_000);
    for text in TEXTS.into_iter().filter(|text| !has_filter(text)) {
        assert!(run_text(text, &input) == run(of_text(text).as_ref(), &input, 48_000, &[1000, 1]), "{text}");
    }
}

#[test]
fn a_state_taken_up_elsewhere_goes_on_as_if_nothing_had_been() {
    let input = bursts(2, 12_000);
    for text in TEXTS {
        let mut whole = renderer(text, 2);
        let mut first = renderer(text, 2);
        let mut ends = Vec::new();
        let mut state = RenderState::default();
        for (from, to) in [(0, 5000), (5000, 12_000)] {
            let mut block = AudioBuffer::new(2, 0);
            block.extend_from(&input, from..to);
            let mut again = block.clone();
            whole.process(&mut block).unwrap();
            if from == 0 {
                first.process(&mut again).unwrap();
                state = serde_json::from_str(&serde_json::to_string(&first.state()).unwrap()).unwrap();
            } else {
                let mut second = renderer(text, 2);
                second.restore(&state).unwrap();
                second.process(&mut again).unwrap();
                ends = vec![again, block];
            }
        }
        assert!(ends[0] == ends[1], "{text}");
        assert!(renderer(text, 3).restore(&state).is_err(), "{text}");
    }
    assert!(renderer("compressor(-30 dB, 4, lookahead=4 ms)", 2).restore(&renderer(TEXTS[0], 2).state()).is_err());
}

#[test]
fn silence_stays_silence_and_what_fades_costs_no_more() {
    for text in TEXTS {
        let silence = AudioBuffer::new(2, 3000);
        assert!(run_text(text, &silence) == silence, "{text}");
        // After a minute of silence following a sound, no state is a subnormal number.
        let effect = of_text(text);
        let mut process = process(effect.as_ref(), format(48_000, 1));
        let mut block = bursts(1, 4800);
        process.process(&mut block).unwrap();
        for _ in 0..60 {
            block = AudioBuffer::new(1, 48_000);
            process.process(&mut block).unwrap();
        }
        assert!(process.state().iter().all(|value| *value == 0.0 || value.is_normal()), "{text}");
        assert!(block.channel(0).iter().all(|sample| *sample == 0.0), "{text}");
    }
}

#[test]
fn what_is_no_number_stays_where_it_is() {
    let clean = bursts(2, 6000);
    for text in TEXTS {
        let text = text.replace("link=40 %", "link=0 %").replace("link=50 %", "link=0 %");
        let text = if text.contains("link") { text } else { text.replace(')', ", link=0 %)") };
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let mut spoiled = clean.clone();
            spoiled.channel_mut(1)[1000] = value;
            let mut silenced = clean.clone();
            silenced.channel_mut(1)[1000] = 0.0;
            let out = run_text(&text, &spoiled);
            let expected = run_text(&text, &silenced);
            assert!(out.channel(0) == expected.channel(0), "{text}: the other channel");
            let differ: Vec<usize> = (0..6000).filter(|n| out.channel(1)[*n] != expected.channel(1)[*n]).collect();
            assert!(differ.is_empty() || differ == [1000], "{text} with {value}: {differ:?}");
        }
        // A non-finite sample does not stay in a linked gain either.
        let mut spoiled = clean.clone();
        spoiled.channel_mut(0)[500] = f32::NAN;
        let out = run_text(&text.replace("link=0 %", "link=100 %"), &spoiled);
        assert!(out.iter().flatten().filter(|sample| !sample.is_finite()).count() <= 1, "{text}");
    }
}

#[test]
fn extremes_of_every_kind_are_survived() {
    let signals = |channels: usize, frames: usize| {
        let square = |n: usize| if (n / 50).is_multiple_of(2) { 1.0 } else { -1.0 };
        let one = |kind: usize| -> Vec<f32> {
            (0..frames).map(|n| [1.0, square(n), 1e-42, f32::MAX * square(n), -1.0][kind]).collect()
        };
        (0..5).map(|kind| AudioBuffer::from_channels(vec![one(kind); channels])).collect::<Vec<_>>()
    };
    for name in EFFECTS {
        for (rate, channels, frames) in
            [(8000, 1, 1), (44_100, 6, 700), (192_000, 2, 3000), (768_000, 1, 1000), (13_000, 3, 2)]
        {
            for input in signals(channels, frames) {
                let frequency = [("frequency", Value::from(f64::from(rate) / 5.0))];
                let given: &[_] = if name == "de_esser" { &frequency } else { &[] };
                let out = run(effect(name, given).as_ref(), &input, rate, &[]);
                assert_eq!((out.channels(), out.frames()), (channels, frames));
                let most = input.iter().flatten().fold(0f32, |most, x| most.max(x.abs()));
                // A split band may ring; no effect here splits the signal.
                assert!(out.iter().flatten().all(|x| x.is_finite() && x.abs() <= most), "{name} at {rate}");
            }
        }
    }
    // The lowest sample rate, at which a look-ahead is zero frames and filters are impossible.
    let input = AudioBuffer::from_channels(vec![vec![1.0; 20]]);
    for name in ["compressor", "expander", "gate", "limiter"] {
        assert!(run(effect(name, &[]).as_ref(), &input, 1, &[]).channel(0).iter().all(|x| x.is_finite()), "{name}");
    }
    for (name, parameter) in [("compressor", "highpass"), ("gate", "highpass"), ("de_esser", "frequency")] {
        let refused = effect(name, &[(parameter, Value::from(5000.0))]).stage(format(8000, 1), None);
        assert!(refused.unwrap_err().to_string().contains("must be below 4 kHz for this 8 kHz recording"), "{name}");
    }
}

#[test]
fn the_meter_tells_the_reduction_that_is_applied() {
    // A constant, so that the gain can be read off.
    let input = mono((0..10_000).map(|n| if n < 3000 { 0.01 } else { 0.5 }));
    for text in [
        "compressor(-20 dB, 4, makeup=7 dB)",
        "gate(-20 dB, -30 dB)",
        "expander(-20 dB, 2)",
        "limiter(-20 dB, peak=sample)",
    ] {
        let made = of_text(text);
        let latency = made.latency_frames(format(48_000, 1)) as usize;
        let makeup = if text.contains("makeup") { 7.0 } else { 0.0 };
        let mut process = process(made.as_ref(), format(48_000, 1));
        let mut block = input.clone();
        process.process(&mut block).unwrap();
        let shown = process.reductions_db().to_vec();
        assert_eq!(shown.len(), 10_000usize.div_ceil(METER_FRAMES));
        for (piece, shown) in shown.iter().enumerate() {
            let frames = piece * METER_FRAMES..((piece + 1) * METER_FRAMES).min(10_000);
            let reductions = frames
                .filter(|n| *n >= latency)
                .map(|n| makeup - db(f64::from(block.channel(0)[n] / input.channel(0)[n - latency])));
            let most = reductions.fold(0.0, f64::max);
            assert!((f64::from(*shown) - most).abs() < 0.001, "{text}, piece {piece}: {shown} for {most}");
        }
        assert!(shown.iter().any(|db| *db > 1.0), "{text}");
    }
    assert!(renderer("gain(3 dB) | highpass(80 Hz)", 1).reductions().next().is_none());
}

#[test]
fn a_preview_tells_what_its_nodes_reduce_at_a_frame() {
    // Loud from 1 s to 2 s. Effects with look-ahead are before and after a gain.
    let level = |n: usize| if (48_000..96_000).contains(&n) { 1.0 } else { 0.001 };
    let input = mono((0..144_000).map(level));
    let text = "limiter(0 dB, lookahead=20 ms, peak=sample) | gain(0 dB) | compressor(-20 dB, 4, knee=0 dB, lookahead=10 ms, attack=1 ms) | limiter(0 dB)";
    let chain: Chain = text.parse().unwrap();
    let source = Box::new(Memory::new(input.clone()));
    let mut reader =
        Rendered::new(&chain, source, &Placement::cpu(), &MeasuredMap::default(), Seeking::Preroll).unwrap();
    let node = chain.nodes[2].id;
    let shown = |reader: &Rendered, frame: u64| {
        let all = reader.reductions_at(frame);
        assert!(all.is_empty() || all.len() == 3, "{all:?}");
        all.iter().find(|(of, _)| *of == node).map(|(_, db)| f64::from(*db))
    };
    let mut out = AudioBuffer::default();
    assert_eq!(shown(&reader, 0), None);
    reader.read(&mut out, 144_000).unwrap();
    for (frame, expected) in [(20_000, 0.0), (47_000, 0.0), (49_500, 15.0), (90_000, 15.0), (140_000, 0.0)] {
        let got = shown(&reader, frame).unwrap();
        assert!((got - expected).abs() < 0.1, "{got} at {frame}");
        // It equals the reduction that is heard there.
        let heard = -db(f64::from(out.channel(0)[frame as usize]) / f64::from(input.channel(0)[frame as usize]));
        assert!((heard - expected).abs() < 0.1, "{heard} heard at {frame}");
    }
    // After a seek, and with another chain.
    reader.seek(60_000).unwrap();
    reader.read(&mut out, 5000).unwrap();
    assert!((shown(&reader, 62_000).unwrap() - 15.0).abs() < 0.1);
    reader.set_chain(&"gain(0 dB)".parse().unwrap(), &MeasuredMap::default()).unwrap();
    assert_eq!(reader.reductions_at(62_000), [] as [(NodeId, f32); 0]);
}

#[test]
fn turning_a_knob_leaves_the_state_where_it_is() {
    let input = mono((0..24_000).map(|_| gain(0.0)));
    let mut before = renderer("compressor(-20 dB, 4)", 1);
    before.process(&mut input.clone()).unwrap();
    let mut after = renderer("compressor(-21 dB, 4, attack=7 ms)", 1);
    assert!(after.adopt_state(&before.state()));
    let mut block = AudioBuffer::new(1, 1);
    block.channel_mut(0)[0] = 1.0;
    after.process(&mut block).unwrap();
    assert!((db(f64::from(block.channel(0)[0])) + 15.0).abs() < 0.01);
}

#[test]
fn every_effect_declares_what_it_looks_back_on() {
    for name in EFFECTS {
        let made = effects::find(name).unwrap();
        let effect = made.make(&made.initial_arguments()).unwrap();
        let memory = effect.memory_frames(format(48_000, 2));
        assert!((20_000..200_000).contains(&memory), "{name}: {memory}");
        // A start that many frames earlier gives the same output as a start at the beginning.
        let input = bursts(1, memory as usize + 30_000);
        let whole = run(effect.as_ref(), &input, 48_000, &[]);
        let mut late = AudioBuffer::new(1, 0);
        late.extend_from(&input, 20_000..input.frames());
        let part = run(effect.as_ref(), &late, 48_000, &[]);
        let from = memory as usize;
        let expected = wide(&whole.channel(0)[20_000 + from..]);
        assert_close(&part.channel(0)[from..], &expected, &input.channel(0)[20_000 + from..], -100.0, name);
    }
}
