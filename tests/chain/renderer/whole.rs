//! Effects that need measurements of the whole signal.

use super::effects::{chain, find, gain, low, node, series};
use super::signal::{self, Memory, assert_close, noise, wide};
use audio::AudioBuffer;
use base::Error;
use base::progress::Progress;
use effects::chain::{MeasuredMap, NodeId, Placement, Renderer, measure_whole_with};

#[test]
fn normalising_is_exact_at_its_own_place_in_the_chain() {
    let input = noise(2, 150_000);
    let chain = chain(vec![
        low(1, 0.1, 1.0),
        node(2, "loudest", &[]),
        series(3, vec![gain(4, 0.125, 0.125), low(5, 0.3, 1.0), node(6, "loudest", &[])]),
    ]);
    let progress = Progress::new();
    let mut source = Memory::new(input.clone());
    let measured = measure_whole_with(&chain, &mut source, "noise", &Placement::cpu(), &progress, find).unwrap();
    assert_eq!(progress.snapshot().done, 300_000, "two passes");

    let filtered: Vec<Vec<f64>> = input.iter().map(|samples| signal::low(&wide(samples), 0.1, 1.0)).collect();
    let peak = |channels: &[Vec<f64>]| channels.iter().flatten().fold(0.0f64, |most, sample| most.max(sample.abs()));
    let again: Vec<Vec<f64>> = filtered
        .iter()
        .map(|samples| signal::low(&signal::scaled(samples, 0.125 / peak(&filtered)), 0.3, 1.0))
        .collect();
    let at_first = &measured.get(NodeId(2)).unwrap().channels;
    assert!((at_first.iter().copied().fold(0.0, f64::max) - peak(&filtered)).abs() < 1e-6);

    let mut renderer = Renderer::with_catalogue(&chain, signal::format(2), &Placement::cpu(), &measured, find).unwrap();
    let out = super::render(&mut renderer, &input, &[65_536], false);
    let most = out.iter().flatten().fold(0.0f32, |most, sample| most.max(sample.abs()));
    assert!((most - 1.0).abs() < 1e-6, "{most}");
    for channel in 0..2 {
        let expected = signal::scaled(&again[channel], 1.0 / peak(&again));
        assert_close(out.channel(channel), &expected, input.channel(channel), -130.0, "normalised");
    }
}

#[test]
fn without_a_measurement_the_level_is_left_alone_and_the_need_is_told() {
    let chain = chain(vec![node(2, "loudest", &[])]);
    let (format, cpu, nothing) = (signal::format(2), Placement::cpu(), MeasuredMap::default());
    let refused = Renderer::with_catalogue(&chain, format, &cpu, &nothing, find);
    assert!(matches!(refused, Err(Error::Internal(_))), "only a preview goes on without");
    let mut renderer = Renderer::provisional(&chain, format, &cpu, &nothing, find).unwrap();
    assert_eq!(renderer.plan().needs.len(), 1);
    assert!(!nothing.is_current(&chain, renderer.plan().needs[0], "noise"));
    let input = noise(2, 100);
    assert_eq!(super::render(&mut renderer, &input, &[], false), input);
}

#[test]
fn measuring_stops_at_a_cancel() {
    let progress = Progress::new();
    progress.cancel();
    let mut source = Memory::new(AudioBuffer::new(1, 1_000_000));
    let chain = chain(vec![node(2, "loudest", &[])]);
    let result = measure_whole_with(&chain, &mut source, "", &Placement::cpu(), &progress, find);
    assert!(matches!(result, Err(Error::Cancelled)));
    assert!(progress.snapshot().done < 100_000);
}
