//! Chunks of any size and any number of threads give the same output as a single pass.

use proptest::prelude::*;

use super::effects::{chain, gain, high, low, mixed, node, parallel, series};
use super::signal::{assert_close, noise, wide};
use super::{render, renderer};
use audio::AudioBuffer;
use effects::chain::Chain;

/// A chain with a bit of everything, including latency in one of its branches.
fn everything() -> Chain {
    let late = series(10, vec![high(11, 0.02, 1.0), node(12, "lookahead", &[("frames", 257.0)])]);
    chain(vec![
        gain(1, 0.7, 0.9),
        low(2, 0.3, 0.5),
        parallel(3, vec![late, mixed(0.3, low(4, 0.01, 1.0)), gain(5, 0.1, 0.2)]),
        node(6, "echo", &[("frames", 100.0)]),
        high(7, 0.001, 1.4),
    ])
}

fn assert_same(got: &AudioBuffer, expected: &AudioBuffer, input: &AudioBuffer, what: &str) {
    for channel in 0..input.channels() {
        let expected = wide(expected.channel(channel));
        assert_close(got.channel(channel), &expected, input.channel(channel), -150.0, what);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_chunks_give_one_pass(sizes in prop::collection::vec(1usize..5000, 1..12), frames in 0usize..12_000) {
        let input = noise(2, frames);
        let whole = render(&mut renderer(&everything(), 2), &input, &[], true);
        let cut = render(&mut renderer(&everything(), 2), &input, &sizes, true);
        prop_assert_eq!(whole.frames(), frames + 100);
        assert_same(&cut, &whole, &input, "chunked");
    }
}

#[test]
fn single_frames_and_blocks_around_powers_of_two_give_one_pass() {
    let input = noise(2, 9000);
    let whole = render(&mut renderer(&everything(), 2), &input, &[], false);
    for sizes in [&[1][..], &[255, 256, 257, 1, 4095, 4096, 1]] {
        let input_now = if sizes == [1] { noise(2, 700) } else { input.clone() };
        let whole_now =
            if sizes == [1] { render(&mut renderer(&everything(), 2), &input_now, &[], false) } else { whole.clone() };
        assert_same(
            &render(&mut renderer(&everything(), 2), &input_now, sizes, false),
            &whole_now,
            &input_now,
            "sizes",
        );
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let input = noise(2, 300_000);
    // Enough sections that the work is split between threads.
    let mut chain = everything();
    chain.nodes.extend((20..30).map(|id| low(id, 0.02 * f64::from(id), 0.8)));
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| render(&mut renderer(&chain, 2), &input, &[65_536, 1000, 131_072], false))
    };
    let one = with(1);
    for threads in [2, 3, 7] {
        let many = with(threads);
        for (many, one) in many.iter().zip(one.iter()) {
            assert!(many.iter().zip(one).all(|(many, one)| many.to_bits() == one.to_bits()), "{threads} threads");
        }
    }
}

#[test]
fn a_spoiled_render_is_noticed() {
    let input = noise(1, 4000);
    let mut spoiled = render(&mut renderer(&chain(vec![low(1, 0.1, 1.0)]), 1), &input, &[], false);
    let clean = wide(spoiled.channel(0));
    spoiled.channel_mut(0)[2000] += 1e-6;
    assert!(super::signal::residual_db(spoiled.channel(0), &clean, input.channel(0)).0 > -150.0);
}
