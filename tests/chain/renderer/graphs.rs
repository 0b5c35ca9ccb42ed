//! The output of graphs, compared with a direct computation in f64.

use super::effects::{chain, gain, high, low, mixed, node, off, parallel, series};
use super::signal::{self, assert_close, noise, scaled, sum, wide};
use super::{render, renderer};
use base::Error;
use effects::chain::{Chain, MeasuredMap, Op, Placement, Plan, Renderer};

const LIMIT_DB: f64 = -140.0;

fn check(chain: &Chain, what: &str, expected: impl Fn(&[f64], usize) -> Vec<f64>) {
    let input = noise(2, 10_007);
    let out = render(&mut renderer(chain, 2), &input, &[], false);
    for channel in 0..2 {
        let input = input.channel(channel);
        assert_close(out.channel(channel), &expected(&wide(input), channel), input, LIMIT_DB, what);
    }
}

#[test]
fn an_empty_chain_passes_every_bit() {
    let mut input = noise(2, 1000);
    input.channel_mut(0)[17] = f32::NAN;
    for chain in [chain(vec![]), chain(vec![off(low(1, 0.1, 1.0)), series(2, vec![]), parallel(3, vec![])])] {
        let out = render(&mut renderer(&chain, 2), &input, &[100, 7], false);
        for (out, input) in out.iter().zip(input.iter()) {
            assert!(out.iter().zip(input).all(|(out, input)| out.to_bits() == input.to_bits()));
        }
    }
}

#[test]
fn filters_in_series_are_applied_one_after_the_other() {
    let chain = chain(vec![high(1, 0.01, 1.4), gain(2, 0.5, -2.0), low(3, 0.3, 0.7)]);
    check(&chain, "series", |input, channel| {
        scaled(&signal::low(&signal::high(input, 0.01, 1.4), 0.3, 0.7), [0.5, -2.0][channel])
    });
}

#[test]
fn branches_are_summed() {
    let chain = chain(vec![parallel(
        1,
        vec![low(2, 0.05, 1.0), series(3, vec![high(4, 0.2, 1.0), gain(5, 3.0, 3.0)]), gain(6, 0.25, 0.5)],
    )]);
    check(&chain, "parallel", |input, channel| {
        let filtered = sum(&signal::low(input, 0.05, 1.0), &scaled(&signal::high(input, 0.2, 1.0), 3.0));
        sum(&filtered, &scaled(input, [0.25, 0.5][channel]))
    });
}

#[test]
fn wet_and_dry_are_shares_of_the_whole() {
    let filtered = mixed(0.4, series(1, vec![low(2, 0.05, 1.0), gain(3, 2.0, 2.0)]));
    check(&chain(vec![filtered]), "mix", |input, _| {
        sum(&scaled(&signal::low(input, 0.05, 1.0), 0.8), &scaled(input, 0.6))
    });
    check(&chain(vec![mixed(0.0, low(1, 0.05, 1.0))]), "dry alone", |input, _| input.to_vec());
}

#[test]
fn mix_and_bypass_nest_in_branches() {
    let branch = mixed(0.5, low(2, 0.1, 1.0));
    let nested = parallel(3, vec![off(low(4, 0.3, 1.0)), high(5, 0.1, 2.0)]);
    let chain = chain(vec![gain(7, 0.5, 0.5), parallel(1, vec![branch, nested]), low(6, 0.4, 1.0)]);
    check(&chain, "nested", |input, _| {
        let input = scaled(input, 0.5);
        let branch = sum(&scaled(&signal::low(&input, 0.1, 1.0), 0.5), &scaled(&input, 0.5));
        let nested = sum(&input, &signal::high(&input, 0.1, 2.0));
        signal::low(&sum(&branch, &nested), 0.4, 1.0)
    });
}

#[test]
fn neighbours_fuse_across_groups_and_gains() {
    let chain = chain(vec![
        gain(1, 0.5, 0.5),
        series(2, vec![low(3, 0.1, 1.0), series(4, vec![high(5, 0.01, 1.0)]), gain(6, 2.0, 1.0)]),
        off(node(7, "lookahead", &[("frames", 9.0)])),
        low(8, 0.2, 1.0),
    ]);
    let plan = Plan::with_catalogue(&chain, signal::format(2), &MeasuredMap::default(), super::effects::find).unwrap();
    let [Op::Cascade { sections, gain, parts, .. }] = plan.ops.as_slice() else { panic!("{:?}", plan.ops) };
    assert_eq!((sections.len(), gain.as_slice()), (3, [1.0, 0.5].as_slice()));
    assert_eq!(parts.iter().map(|part| part.node.0).collect::<Vec<_>>(), [3, 5, 8]);
    assert_eq!(parts[2].gain_before, [1.0, 0.5]);
    check(&chain, "fused", |input, channel| {
        let filtered = signal::low(&signal::high(&signal::low(input, 0.1, 1.0), 0.01, 1.0), 0.2, 1.0);
        scaled(&filtered, [1.0, 0.5][channel])
    });
}

#[test]
fn every_channel_has_its_own_state() {
    for channels in [1, 2, 8] {
        let input = noise(channels, 5000);
        let out = render(&mut renderer(&chain(vec![low(1, 0.02, 0.3)]), channels), &input, &[777], false);
        for channel in 0..channels {
            let input = input.channel(channel);
            assert_close(out.channel(channel), &signal::low(&wide(input), 0.02, 0.3), input, LIMIT_DB, "channel");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let plan =
        |nodes| Plan::with_catalogue(&chain(nodes), signal::format(2), &MeasuredMap::default(), super::effects::find);
    let refusal = |nodes| plan(nodes).unwrap_err();
    assert!(matches!(refusal(vec![node(1, "nosuch", &[])]), Error::Impossible(words) if words.contains("nosuch")));
    assert!(matches!(refusal(vec![mixed(1.5, low(1, 0.1, 1.0))]), Error::Invalid { .. }));
    assert!(matches!(refusal(vec![mixed(f64::NAN, low(1, 0.1, 1.0))]), Error::Invalid { .. }));
    let uneven = refusal(vec![parallel(1, vec![node(2, "mono", &[]), low(3, 0.1, 1.0)])]).to_string();
    assert!(uneven.contains("not mono") && uneven.contains("and stereo"), "{uneven}");
    assert!(refusal(vec![mixed(0.5, node(2, "mono", &[]))]).to_string().contains("mix"));
    assert!(plan(vec![node(2, "mono", &[]), low(3, 0.1, 1.0)]).is_ok());
}

#[test]
fn a_block_of_other_channels_is_refused() {
    let mut renderer = renderer(&chain(vec![low(1, 0.1, 1.0)]), 2);
    assert!(matches!(renderer.process(&mut noise(3, 10)), Err(Error::Invalid { .. })));
}

#[test]
fn channels_and_rate_are_carried_through() {
    let chain = chain(vec![node(1, "mono", &[]), node(2, "decimate", &[]), low(3, 0.1, 1.0)]);
    let input = noise(2, 9_999);
    let mut renderer: Renderer = Renderer::with_catalogue(
        &chain,
        signal::format(2),
        &Placement::cpu(),
        &MeasuredMap::default(),
        super::effects::find,
    )
    .unwrap();
    assert_eq!((renderer.output_format().channels, renderer.output_format().rate.hz()), (1, 24_000));
    let out = render(&mut renderer, &input, &[1001, 3], false);
    let mono = sum(&wide(input.channel(0)), &wide(input.channel(1)));
    let half: Vec<f64> = mono.iter().copied().step_by(2).collect();
    assert_close(out.channel(0), &signal::low(&half, 0.1, 1.0), input.channel(0), LIMIT_DB, "decimated");
}
