//! Latency, tails, exported and restored state, and empty or invalid input.

use super::effects::{chain, gain, high, low, mixed, node, parallel};
use super::signal::{self, Memory, assert_close, noise, wide};
use super::{render, renderer};
use audio::{AudioBuffer, AudioReader};
use effects::chain::{Chain, MeasuredMap, Placement, RenderState, Rendered, Renderer, Seeking};

fn late(id: u32, frames: usize) -> effects::chain::Node {
    node(id, "lookahead", &[("frames", frames as f64)])
}

fn rendered(chain: &Chain, input: &AudioBuffer, seeking: Seeking) -> Rendered {
    let source = Box::new(Memory::new(input.clone()));
    Rendered::with_catalogue(chain, source, &Placement::cpu(), &MeasuredMap::default(), seeking, super::effects::find)
        .unwrap()
}

#[test]
fn latency_is_compensated_everywhere() {
    let input = noise(2, 5000);
    let chain = chain(vec![late(1, 300), parallel(2, vec![late(3, 41), gain(4, 1.0, 1.0)]), mixed(0.5, late(5, 1000))]);
    let mut renderer = renderer(&chain, 2);
    assert_eq!(renderer.latency_frames(), 1341);
    let out = render(&mut renderer, &input, &[64, 999], false);
    // Both branches are aligned, so the sum is twice the input; so are both sides of the mix.
    for channel in 0..2 {
        let expected = signal::scaled(&wide(input.channel(channel)), 2.0);
        assert_close(out.channel(channel), &expected, input.channel(channel), -140.0, "in step");
    }
}

#[test]
fn tails_are_appended_on_request_alone() {
    let input = AudioBuffer::from_channels(vec![vec![0.0, 0.0, 1.0]]);
    let chain = chain(vec![node(1, "echo", &[("frames", 4.0)])]);
    assert_eq!(render(&mut renderer(&chain, 1), &input, &[], false).channel(0), [0.0, 0.0, 1.0]);
    let long = render(&mut renderer(&chain, 1), &input, &[], true);
    assert_eq!(long.channel(0), [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5]);
}

#[test]
fn an_empty_stream_stays_empty() {
    for nodes in [vec![], vec![low(1, 0.1, 1.0)], vec![late(1, 100)]] {
        let mut renderer = renderer(&chain(nodes), 2);
        let mut none = AudioBuffer::new(2, 0);
        renderer.process(&mut none).unwrap();
        assert_eq!((none.channels(), none.frames()), (2, 0));
        assert_eq!(renderer.finish(false).unwrap().frames(), 0);
    }
}

#[test]
fn what_is_no_number_is_taken_as_silence_and_counted() {
    let mut input = noise(2, 3000);
    let mut clean = input.clone();
    for (frame, value) in [(5, f32::NAN), (6, f32::INFINITY), (2500, f32::NEG_INFINITY)] {
        input.channel_mut(1)[frame] = value;
        clean.channel_mut(1)[frame] = 0.0;
    }
    let chain = chain(vec![low(1, 0.1, 1.0)]);
    let mut spoiled = renderer(&chain, 2);
    let out = render(&mut spoiled, &input, &[1000], false);
    assert_eq!(spoiled.non_numbers(), 3);
    assert_eq!(out, render(&mut renderer(&chain, 2), &clean, &[1000], false));
}

#[test]
fn a_state_taken_up_elsewhere_goes_on_as_if_nothing_had_been() {
    let input = noise(2, 8000);
    let chain = chain(vec![
        gain(1, 0.5, 3.0),
        low(2, 0.01, 0.2),
        parallel(3, vec![late(4, 77), high(5, 0.1, 1.0)]),
        mixed(0.5, late(6, 33)),
    ]);
    let whole = render(&mut renderer(&chain, 2), &input, &[3000], false);
    let mut first = renderer(&chain, 2);
    let mut head = AudioBuffer::new(2, 0);
    head.extend_from(&input, 0..3000);
    first.process(&mut head).unwrap();
    let json = serde_json::to_string(&first.state()).unwrap();
    let state: RenderState = serde_json::from_str(&json).unwrap();

    let mut second = renderer(&chain, 2);
    second.restore(&state).unwrap();
    let mut rest = AudioBuffer::new(2, 0);
    rest.extend_from(&input, 3000..8000);
    let tail = render(&mut second, &rest, &[3000], false);
    head.extend_from(&tail, 0..tail.frames());
    assert_eq!(head, whole, "bit for bit");
}

#[test]
fn a_state_of_another_chain_is_refused() {
    let state = renderer(&chain(vec![low(1, 0.1, 1.0)]), 2).state();
    assert!(renderer(&chain(vec![low(2, 0.1, 1.0)]), 2).restore(&state).is_err());
    assert!(renderer(&chain(vec![low(1, 0.1, 1.0)]), 1).restore(&state).is_err());
}

#[test]
fn nodes_keep_their_state_when_others_are_edited() {
    let input = noise(2, 4000);
    let before = chain(vec![gain(1, 0.25, 4.0), low(2, 0.01, 0.2), high(3, 0.1, 1.0)]);
    // The gain changes, a new node splits the cascade, and the filters move into a group.
    let after = chain(vec![
        gain(1, 2.0, 2.0),
        super::effects::series(9, vec![low(2, 0.01, 0.2), late(8, 3), high(3, 0.1, 1.0)]),
    ]);
    let mut old = renderer(&before, 2);
    old.process(&mut input.clone()).unwrap();
    let mut new = renderer(&after, 2);
    assert!(!new.adopt_state(&old.state()), "the look-ahead is new");
    let state = |renderer: &Renderer, id: u32| {
        let nodes = renderer.state().nodes;
        let node = nodes.iter().find(|node| node.node.0 == id).unwrap().clone();
        let per_channel = node.values.len() / node.channels;
        let in_chain = |(at, value): (usize, &f64)| value * node.scale[at / per_channel];
        node.values.iter().enumerate().map(in_chain).collect::<Vec<_>>()
    };
    for id in [2, 3] {
        for (was, is) in state(&old, id).iter().zip(state(&new, id)) {
            assert!((was - is).abs() <= 1e-15 * was.abs(), "node {id}: {was} became {is}");
        }
    }
}

#[test]
fn reading_after_a_seek_gives_what_the_straight_read_gave() {
    let input = noise(2, 100_000);
    let chain = chain(vec![low(1, 0.001, 0.1), late(2, 500), high(3, 0.0001, 1.4)]);
    let mut reader = rendered(&chain, &input, Seeking::Exact);
    assert_eq!(reader.frames(), 100_000);
    let mut whole = AudioBuffer::default();
    reader.read(&mut whole, 200_000).unwrap();
    assert_eq!(whole.frames(), 100_000);
    let mut part = AudioBuffer::default();
    for (frame, frames) in [(0, 10), (99_000, 5000), (50_001, 30_000), (12_345, 1), (49_000, 2000), (100_000, 5)] {
        reader.seek(frame).unwrap();
        reader.read(&mut part, frames).unwrap();
        let end = (frame as usize + frames).min(100_000);
        assert_eq!(part.frames(), end - frame as usize);
        assert_eq!(reader.position(), end as u64);
        for channel in 0..2 {
            let expected = wide(&whole.channel(channel)[frame as usize..end]);
            assert_close(part.channel(channel), &expected, input.channel(channel), -150.0, &format!("from {frame}"));
        }
    }
}

#[test]
fn a_preview_prerolls_to_the_true_sound() {
    let input = noise(1, 600_000);
    // 50 Hz with a Q of 4 settles within two seconds.
    let chain = chain(vec![high(1, 0.0033, 0.25), late(2, 100)]);
    let whole = render(&mut renderer(&chain, 1), &input, &[], false);
    let mut reader = rendered(&chain, &input, Seeking::Preroll);
    let mut part = AudioBuffer::default();
    for frame in [500_000usize, 590_000, 250_000] {
        reader.seek(frame as u64).unwrap();
        reader.read(&mut part, 2048).unwrap();
        let expected = wide(&whole.channel(0)[frame..frame + 2048]);
        assert_close(part.channel(0), &expected, input.channel(0), -118.0, "prerolled");
    }
}

#[test]
fn a_changed_chain_goes_on_from_the_state_of_the_old_one() {
    let input = noise(1, 60_000);
    let old = chain(vec![low(1, 0.001, 0.05), late(2, 100)]);
    let new = chain(vec![low(1, 0.0012, 0.05), late(2, 100)]);
    let mut reader = rendered(&old, &input, Seeking::Preroll);
    let mut part = AudioBuffer::default();
    reader.read(&mut part, 40_000).unwrap();
    // Playback has rendered ahead and returns to the position of the playhead.
    reader.seek(35_123).unwrap();
    reader.set_chain(&new, &MeasuredMap::default()).unwrap();
    reader.read(&mut part, 5000).unwrap();
    // The reference: the old filter up to that frame, then the new one with its state. The look-ahead still holds 100
    // frames of the old filter's output.
    let samples = wide(input.channel(0));
    let (mut s1, mut s2) = (0.0, 0.0);
    let mut expected = Vec::new();
    for (frame, v0) in samples.iter().enumerate().take(40_123) {
        let g = if frame < 35_223 { 0.001 } else { 0.0012 };
        let v1 = (s1 + g * (v0 - s2)) / (1.0 + g * (g + 0.05));
        let v2 = s2 + g * v1;
        s1 = 2.0 * v1 - s1;
        s2 = 2.0 * v2 - s2;
        expected.push(v2);
    }
    assert_close(part.channel(0), &expected[35_123..], input.channel(0), -140.0, "changed");
}

#[test]
fn a_node_that_was_added_sounds_as_if_it_had_always_been_there() {
    let input = noise(1, 300_000);
    let old = chain(vec![low(1, 0.05, 1.0)]);
    let new = chain(vec![low(1, 0.05, 1.0), high(2, 0.01, 1.0)]);
    let mut reader = rendered(&old, &input, Seeking::Preroll);
    let mut part = AudioBuffer::default();
    reader.read(&mut part, 200_000).unwrap();
    reader.seek(190_001).unwrap();
    reader.set_chain(&new, &MeasuredMap::default()).unwrap();
    assert_eq!(reader.position(), 190_001);
    reader.read(&mut part, 3000).unwrap();
    let expected = signal::high(&signal::low(&wide(input.channel(0)), 0.05, 1.0), 0.01, 1.0);
    assert_close(part.channel(0), &expected[190_001..193_001], input.channel(0), -118.0, "added");
}

#[test]
fn a_change_that_no_state_can_follow_is_prerolled() {
    let input = noise(1, 100_000);
    let mut reader = rendered(&chain(vec![low(1, 0.05, 1.0), late(2, 100)]), &input, Seeking::Preroll);
    let new = chain(vec![low(1, 0.05, 1.0), late(2, 250)]);
    let mut part = AudioBuffer::default();
    reader.read(&mut part, 50_000).unwrap();
    reader.set_chain(&new, &MeasuredMap::default()).unwrap();
    reader.read(&mut part, 3000).unwrap();
    let expected = signal::low(&wide(input.channel(0)), 0.05, 1.0);
    assert_close(part.channel(0), &expected[50_000..53_000], input.channel(0), -118.0, "another look-ahead");
}
