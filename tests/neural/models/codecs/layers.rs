//! Every layer's output, codes and decoded sound.

use neural::models::{CodecModel, Piece};
use neural::network::State;

use super::{MODELS, Reference, filled, open, residual_db, run, run_places};

/// PyTorch computes in f32.
const LIMIT_DB: f64 = -100.0;

/// Returns the encoder's input from the reference: sound for a whole graph.
fn given(model: &dyn CodecModel, reference: &Reference) -> Vec<f32> {
    let name = if reference.has("piece") { "piece" } else { "input" };
    let (_, sound) = reference.get(name);
    let facts = model.facts();
    // DAC's sounds are filled up by those who call it; EnCodec and Mimi do it in their layers.
    if facts.kind == neural::models::CodecKind::Dac { filled(&sound, 1, facts.hop) } else { sound }
}

fn codes_name(reference: &Reference) -> &'static str {
    if reference.has("piece_codes") { "piece_codes" } else { "codes" }
}

#[test]
fn every_layer_gives_what_pytorch_gives() {
    for (name, by_definition) in MODELS.into_iter().flat_map(|name| [(name, true), (name, false)]) {
        let (model, reference) = (open(name), Reference::open(name));
        let (model, books) = (model.as_ref(), model.facts().books);
        let sound = given(model, &reference);
        let frames = sound.len() / model.facts().channels;
        let encoder = model.encoder(books, Piece::whole(frames)).unwrap();
        let mut places = run_places(model, &encoder, &sound, by_definition);
        let (shape, codes) = reference.get(codes_name(&reference));
        let decoder = model.decoder(books, Piece::whole(shape[1])).unwrap();
        places.extend(run_places(model, &decoder, &codes, by_definition));
        let (mut compared, mut worst) = (0, (f64::NEG_INFINITY, String::new()));
        for key in reference.names().filter(|key| key.contains('|')) {
            let (place, step) = key.split_once('|').unwrap();
            let (frames, values) = places.get(place).unwrap_or_else(|| panic!("{name} has no {place}"));
            let thinned: Vec<f32> =
                values.chunks(*frames).flat_map(|row| row.iter().step_by(step.parse().unwrap()).copied()).collect();
            let (_, expected) = reference.get(key);
            assert_eq!(thinned.len(), expected.len(), "{name}: {place}");
            let db = residual_db(&thinned, &expected);
            assert!(db < LIMIT_DB, "{name}: {place} differs by {db:.1} dB");
            compared += 1;
            worst = if db > worst.0 { (db, place.to_owned()) } else { worst };
        }
        println!("{name}, by definition {by_definition}: {compared} places, worst {:.1} dB at {}", worst.0, worst.1);
        assert!(compared >= 30, "{name}: {compared} places");
    }
}

#[test]
fn codes_and_sound_are_those_of_pytorch() {
    let mut all = (0, 0);
    for name in MODELS {
        let (model, reference) = (open(name), Reference::open(name));
        let model = model.as_ref();
        let sound = given(model, &reference);
        let frames = sound.len() / model.facts().channels;
        let (shape, expected) = reference.get(codes_name(&reference));
        let encoder = model.encoder(shape[0], Piece::whole(frames)).unwrap();
        let codes = run(model, &encoder, &sound, &mut State::new());
        assert_eq!(codes.len(), expected.len(), "{name}");
        let equal = codes.iter().zip(&expected).filter(|(a, b)| a == b).count();
        all = (all.0 + equal, all.1 + codes.len());
        let decoded_name = if reference.has("piece_decoded") { "piece_decoded" } else { "decoded" };
        let (_, decoded) = reference.get(decoded_name);
        let decoder = model.decoder(shape[0], Piece::whole(shape[1])).unwrap();
        let db = residual_db(&run(model, &decoder, &expected, &mut State::new()), &decoded);
        println!("{name}: {equal} of {} codes equal, sound {db:.1} dB", codes.len());
        assert!(db < LIMIT_DB, "{name}: {db:.1} dB");
    }
    assert!(all.0 * 1000 >= all.1 * 999, "{} of {} codes are equal", all.0, all.1);
}

#[test]
fn fewer_books_and_short_sounds_are_those_of_pytorch() {
    for (name, fewer) in [("encodec_24khz", vec![1, 2]), ("dac_44khz", vec![2]), ("mimi", vec![1, 3])] {
        let (model, reference) = (open(name), Reference::open(name));
        let model = model.as_ref();
        let sound = given(model, &reference);
        for books in fewer {
            // EnCodec's are numbered by bandwidth.
            let key = if name.starts_with("encodec") { books - 1 } else { books };
            let (shape, expected) = reference.get(&format!("codes.{key}"));
            assert_eq!(shape[0], books);
            let encoder = model.encoder(books, Piece::whole(sound.len())).unwrap();
            assert_eq!(run(model, &encoder, &sound, &mut State::new()), expected, "{name} with {books}");
            let decoded = format!("decoded.{key}");
            if reference.has(&decoded) {
                let decoder = model.decoder(books, Piece::whole(shape[1])).unwrap();
                let db = residual_db(&run(model, &decoder, &expected, &mut State::new()), &reference.get(&decoded).1);
                assert!(db < LIMIT_DB, "{name} with {books}: {db:.1} dB");
            }
        }
    }
    for (name, from, lengths) in [("encodec_24khz", 900, [1, 7, 700]), ("mimi", 9000, [1, 700, 3000])] {
        let (model, reference) = (open(name), Reference::open(name));
        let model = model.as_ref();
        let (_, sound) = reference.get("input");
        for frames in lengths {
            let (shape, codes) = reference.get(&format!("short.{frames}.codes"));
            let encoder = model.encoder(shape[0], Piece::whole(frames)).unwrap();
            let got = run(model, &encoder, &sound[from..from + frames], &mut State::new());
            assert_eq!(got, codes, "{name}: {frames} frames");
            let decoder = model.decoder(shape[0], Piece::whole(shape[1])).unwrap();
            let got = run(model, &decoder, &codes, &mut State::new());
            let db = residual_db(&got, &reference.get(&format!("short.{frames}.decoded")).1);
            assert!(db < LIMIT_DB, "{name}: {frames} frames, {db:.1} dB");
        }
    }
}

#[test]
fn a_spoiled_sound_is_noticed() {
    let (model, reference) = (open("encodec_24khz"), Reference::open("encodec_24khz"));
    let (_, mut sound) = reference.get("piece");
    sound[1000] += 0.3;
    let encoder = model.encoder(4, Piece::whole(sound.len())).unwrap();
    let places = run_places(model.as_ref(), &encoder, &sound, false);
    assert!(residual_db(&places["encoder.layers.15"].1, &reference.get("embeddings").1) > LIMIT_DB);
}
