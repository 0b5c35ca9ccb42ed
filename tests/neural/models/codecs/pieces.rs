//! Pieces of a sound give the same result as the whole.

use neural::models::{CodecModel, Cutting, Piece};
use neural::network::State;

use super::{MODELS, Reference, filled, open, run};

/// Runs a causal model's graph over pieces of so many units.
fn streamed(model: &dyn CodecModel, is_encoder: bool, values: &[f32], rows: usize, lengths: &[usize]) -> Vec<Vec<f32>> {
    let total = values.len() / rows;
    let (mut state, mut at, mut result) = (State::new(), 0, Vec::new());
    for (n, &length) in lengths.iter().enumerate() {
        let piece = Piece::of_more(length, n == 0, n + 1 == lengths.len());
        let books = model.facts().books;
        let graph = if is_encoder { model.encoder(books, piece) } else { model.decoder(books, piece) }.unwrap();
        let part: Vec<f32> = values.chunks(total).flat_map(|row| row[at..at + length].to_vec()).collect();
        let got = run(model, &graph, &part, &mut state);
        let (_, value) = graph.outputs()[0];
        let frames = graph.node(value).shape.frames;
        result.resize(graph.node(value).shape.channels, Vec::new());
        for (row, part) in result.iter_mut().zip(got.chunks(frames)) {
            row.extend_from_slice(part);
        }
        at += length;
    }
    assert_eq!(at, total);
    result
}

#[test]
fn streams_in_pieces_of_any_size_are_the_whole() {
    for name in MODELS {
        let (model, reference) = (open(name), Reference::open(name));
        let Cutting::Stream { first_codes } = model.cutting() else { continue };
        let (model, hop) = (model.as_ref(), model.facts().hop);
        let (_, sound) = reference.get("input");
        let whole = streamed(model, true, &sound, 1, &[sound.len()]);
        let rest = sound.len() - hop * first_codes;
        for lengths in [
            vec![hop * first_codes, rest],
            vec![hop * first_codes, hop, rest - hop],
            [vec![hop * first_codes], vec![hop; rest / hop - 1], vec![hop + rest % hop]].concat(),
        ] {
            assert_eq!(streamed(model, true, &sound, 1, &lengths), whole, "{name}: {lengths:?}");
        }
        let (books, codes) = (whole.len(), whole[0].len());
        let flat = whole.concat();
        let sounding = streamed(model, false, &flat, books, &[codes]).concat();
        for lengths in
            [vec![first_codes, codes - first_codes], [vec![first_codes], vec![1; codes - first_codes]].concat()]
        {
            assert_eq!(streamed(model, false, &flat, books, &lengths).concat(), sounding, "{name}: {lengths:?}");
        }
    }
}

#[test]
fn a_piece_with_context_is_that_part_of_the_whole() {
    for name in ["dac_24khz", "dac_44khz"] {
        let (model, reference) = (open(name), Reference::open(name));
        let Cutting::Context { encoder, decoder } = model.cutting() else { panic!("{name} has context") };
        let (model, hop, books) = (model.as_ref(), model.facts().hop, model.facts().books);
        // Long enough that the context does not reach both ends.
        let (_, sound) = reference.get("input");
        let sound = filled(
            &sound.iter().cycle().take(hop * (2 * encoder.max(decoder) + 9)).copied().collect::<Vec<_>>(),
            1,
            hop,
        );
        let codes = sound.len() / hop;
        let whole = run(model, &model.encoder(books, Piece::whole(sound.len())).unwrap(), &sound, &mut State::new());
        let middle = encoder + 1;
        let part = &sound[hop..(middle + 1 + encoder) * hop];
        let part_codes = part.len() / hop;
        let got = run(model, &model.encoder(books, Piece::whole(part.len())).unwrap(), part, &mut State::new());
        for book in 0..books {
            assert_eq!(got[book * part_codes + encoder], whole[book * codes + middle], "{name}");
        }
        let sounding = run(model, &model.decoder(books, Piece::whole(codes)).unwrap(), &whole, &mut State::new());
        let middle = decoder + 1;
        let range = 1..middle + 1 + decoder;
        let part: Vec<f32> = whole.chunks(codes).flat_map(|book| book[range.clone()].to_vec()).collect();
        let got = run(model, &model.decoder(books, Piece::whole(range.len())).unwrap(), &part, &mut State::new());
        assert_eq!(got[decoder * hop..(decoder + 1) * hop], sounding[middle * hop..(middle + 1) * hop], "{name}");
        // One code less of context is too little on one side at least: the reach is not larger than it must be.
        let inner: Vec<f32> = part.chunks(range.len()).flat_map(|book| book[1..range.len() - 1].to_vec()).collect();
        let got = run(model, &model.decoder(books, Piece::whole(range.len() - 2)).unwrap(), &inner, &mut State::new());
        assert_ne!(got[(decoder - 1) * hop..decoder * hop], sounding[middle * hop..(middle + 1) * hop], "{name}");
    }
}
