//! Bits that depend neither on pieces, nor on batches, nor on threads.

use super::graphs::{Causal, KINDS, Random, one};
use super::session::{inputs, run};
use base::progress::Progress;
use neural::network::{Constants, Item, Session, State};

fn bits(values: &[f32]) -> Vec<u32> {
    // Both zeros are one number.
    values.iter().map(|x| (x + 0.0).to_bits()).collect()
}

/// The result of a causal model in pieces, channel after channel.
fn in_pieces(model: &Causal, x: &[Vec<f32>], pieces: &[usize]) -> Vec<Vec<f32>> {
    let constants = Constants::new(&model.parameters);
    let (mut state, mut at) = (State::new(), 0);
    let mut result = vec![Vec::new(); 2];
    for &frames in pieces {
        let piece: Vec<f32> = x.iter().flat_map(|channel| &channel[at..at + frames]).copied().collect();
        let session = Session::new(&model.graph(frames), &constants).unwrap();
        let mut items = [Item::new(vec![&piece], &mut state)];
        session.run(&mut items, &Progress::new()).unwrap();
        for (to, from) in result.iter_mut().zip(items[0].outputs[0].chunks(frames)) {
            to.extend_from_slice(from);
        }
        at += frames;
    }
    result
}

#[test]
fn pieces_give_the_bits_of_the_whole() {
    let model = Causal::new();
    let mut random = Random::new(5);
    let x: Vec<Vec<f32>> = (0..3).map(|_| random.numbers(480, 1.0)).collect();
    let whole = in_pieces(&model, &x, &[480]);
    for pieces in [vec![2; 240], vec![100, 6, 374], vec![10, 238, 232], vec![148, 148, 148, 36]] {
        let got = in_pieces(&model, &x, &pieces);
        for (channel, (got, whole)) in got.iter().zip(&whole).enumerate() {
            let different = bits(got).iter().zip(&bits(whole)).position(|(a, b)| a != b);
            assert_eq!(different, None, "channel {channel} in pieces of {} and so on", pieces[0]);
        }
    }
    // The negative control: a state that is forgotten is heard.
    let spoiled = in_pieces(&model, &x, &[240]);
    assert_eq!(bits(&spoiled[0]), bits(&whole[0][..240]));
    let late: Vec<Vec<f32>> = x.iter().map(|x| x[240..].to_vec()).collect();
    assert_ne!(bits(&in_pieces(&model, &late, &[240])[0]), bits(&whole[0][240..]));
}

#[test]
fn a_batch_gives_the_bits_of_single_items() {
    for kind in KINDS {
        let (graph, parameters) = one(kind, 1);
        let session = Session::new(&graph, &Constants::new(&parameters)).unwrap();
        let all: Vec<Vec<Vec<f32>>> = (0..3).map(|seed| inputs(&graph, seed)).collect();
        let mut states = vec![State::new(); 3];
        let mut items: Vec<Item<'_>> = all
            .iter()
            .zip(&mut states)
            .map(|(inputs, state)| Item::new(inputs.iter().map(Vec::as_slice).collect(), state))
            .collect();
        session.run(&mut items, &Progress::new()).unwrap();
        for (item, inputs) in items.iter().zip(&all) {
            assert_eq!(item.outputs, run(&graph, &parameters, inputs, &mut State::new()), "{kind}");
        }
    }
}

#[test]
fn threads_do_not_change_a_bit() {
    for kind in KINDS {
        let (graph, parameters) = one(kind, 2);
        let inputs = inputs(&graph, 2);
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(&graph, &parameters, &inputs, &mut State::new()))
        };
        let one = with(1);
        assert_eq!(one, with(2), "{kind}");
        assert_eq!(one, with(5), "{kind}");
    }
}
