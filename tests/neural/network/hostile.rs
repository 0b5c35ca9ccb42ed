//! Graphs, parameters and inputs that do not fit: errors, never a panic.

use super::graphs::{Causal, KINDS, Model, one};
use super::session::inputs;
use base::Error;
use base::progress::Progress;
use neural::network::{Builder, Constants, Convolution, Item, Parameters, Session, Shape, State};

#[test]
fn inputs_of_other_sizes_are_refused() {
    let (graph, parameters) = one("linear", 0);
    let session = Session::new(&graph, &Constants::new(&parameters)).unwrap();
    let mut state = State::new();
    for inputs in [vec![], vec![&[0.0_f32; 3][..]], vec![&[][..], &[][..]]] {
        let refused = session.run(&mut [Item::new(inputs, &mut state)], &Progress::new());
        assert!(matches!(refused, Err(Error::Invalid { .. })), "{refused:?}");
    }
    assert!(session.run(&mut [], &Progress::new()).is_ok(), "no item is no work");
}

#[test]
fn a_graph_of_other_parameters_is_refused() {
    let (graph, _) = one("convolution", 0);
    let none = Session::new(&graph, &Constants::new(&Parameters::new()));
    assert!(matches!(none, Err(Error::Invalid { .. })), "{none:?}");
    let (_, others) = one("lstm", 4);
    assert!(matches!(Session::new(&graph, &Constants::new(&others)), Err(Error::Invalid { .. })));
}

#[test]
fn codes_that_name_nothing_are_refused_and_the_state_stays() {
    let mut model = Model::new(0);
    let book = model.numbers(&[10, 4]);
    let lstm = model.lstm(4, 3, Some("kept"));
    let mut b = Builder::new(&model.parameters);
    let codes = b.input("codes", Shape::sequence(1, 3));
    let y = b.input("y", Shape::sequence(4, 3));
    let hidden = b.lstm(y, lstm).unwrap();
    let found = b.lookup(codes, book).unwrap();
    let graph = b.finish(vec![("a".to_owned(), found), ("b".to_owned(), hidden)]);
    let session = Session::new(&graph, &Constants::new(&model.parameters)).unwrap();
    for wrong in [10.0, -1.0, 0.5, f32::NAN, f32::INFINITY] {
        let mut state = State::new();
        let codes = [1.0, wrong, 2.0];
        let mut items = [Item::new(vec![&codes, &[0.5; 12]], &mut state)];
        let refused = session.run(&mut items, &Progress::new());
        assert!(matches!(refused, Err(Error::Invalid { .. })), "{wrong}: {refused:?}");
        assert_eq!(state, State::new());
    }
}

#[test]
fn what_is_not_finite_comes_out_and_harms_no_other_run() {
    for kind in KINDS {
        let (graph, parameters) = one(kind, 5);
        let session = Session::new(&graph, &Constants::new(&parameters)).unwrap();
        let good = inputs(&graph, 1);
        let mut bad = good.clone();
        bad[0].iter_mut().step_by(7).for_each(|x| *x = f32::NAN);
        bad[0][1] = f32::INFINITY;
        let run = |inputs: &[Vec<f32>]| {
            let mut state = State::new();
            let mut items = [Item::new(inputs.iter().map(Vec::as_slice).collect(), &mut state)];
            session.run(&mut items, &Progress::new()).unwrap();
            std::mem::take(&mut items[0].outputs)
        };
        let before = run(&good);
        let spoiled = run(&bad);
        assert!(kind == "book" || spoiled[0].iter().any(|x| !x.is_finite()), "{kind}");
        assert_eq!(before, run(&good), "{kind}: a run remembers the one before");
    }
}

#[test]
fn sizes_that_no_model_has_are_refused_by_the_builder() {
    let mut model = Model::new(0);
    let right = model.convolution(4, 8, [1, 3], 1);
    let mut b = Builder::new(&model.parameters);
    let x = b.input("x", Shape::sequence(4, 2));
    let huge = b.input("huge", Shape::sequence(4, usize::MAX / 8));
    let wrong = [
        (x, right.clone()),
        (huge, right.clone()),
        (x, Convolution { stride: [0, 1], ..right.clone() }),
        (x, Convolution { groups: 0, ..right.clone() }),
        (x, Convolution { dilation: [1, usize::MAX], ..right }),
    ];
    for (x, convolution) in wrong {
        assert!(matches!(b.convolution(x, convolution), Err(Error::Invalid { .. })));
    }
}

#[test]
fn a_cancelled_run_stops_and_keeps_the_state() {
    let model = Causal::new();
    let graph = model.graph(64);
    let session = Session::new(&graph, &Constants::new(&model.parameters)).unwrap();
    let inputs = inputs(&graph, 0);
    let (mut state, progress) = (State::new(), Progress::new());
    progress.cancel();
    let stopped = session.run(&mut [Item::new(vec![&inputs[0]], &mut state)], &progress);
    assert!(matches!(stopped, Err(Error::Cancelled)), "{stopped:?}");
    assert_eq!(state, State::new());
}
