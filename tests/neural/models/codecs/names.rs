//! Checkpoints named as in the models' original projects.

use neural::models::{CodecKind, Piece, open_codec};
use neural::network::State;
use neural::weights::Weights;

use super::{Reference, fixture, open, residual_db, run};

#[test]
fn own_checkpoints_give_what_their_packages_give() {
    for (file, kind, rate) in [
        ("encodec_24khz_own.th", CodecKind::Encodec, 24_000),
        ("encodec_48khz_own.th", CodecKind::Encodec, 48_000),
        ("dac_own.pth", CodecKind::Dac, 44_100),
    ] {
        let model = open(file);
        let facts = model.facts();
        assert_eq!((facts.kind, facts.rate.hz()), (kind, rate), "{file}");
        let reference = Reference::open(file.split('.').next().unwrap());
        let is_dac = kind == CodecKind::Dac;
        let (_, sound) = reference.get(if is_dac { "input" } else { "piece" });
        let (shape, expected) = reference.get(if is_dac { "codes" } else { "piece_codes" });
        assert_eq!(shape[0], facts.books, "{file}");
        let encoder = model.encoder(shape[0], Piece::whole(sound.len() / facts.channels)).unwrap();
        assert_eq!(run(model.as_ref(), &encoder, &sound, &mut State::new()), expected, "{file}");
        let decoder = model.decoder(shape[0], Piece::whole(shape[1])).unwrap();
        let decoded = run(model.as_ref(), &decoder, &expected, &mut State::new());
        let db = residual_db(&decoded, &reference.get(if is_dac { "decoded" } else { "piece_decoded" }).1);
        assert!(db < -100.0, "{file}: {db:.1} dB");
    }
}

#[test]
fn mimis_own_checkpoint_is_the_same_model() {
    let model = open("mimi_own.safetensors");
    let reference = Reference::open("mimi_own");
    let (_, sound) = Reference::open("mimi").get("input");
    let (shape, expected) = reference.get("codes");
    let encoder = model.encoder(shape[0], Piece::whole(sound.len())).unwrap();
    assert_eq!(run(model.as_ref(), &encoder, &sound, &mut State::new()), expected);
    let decoder = model.decoder(shape[0], Piece::whole(shape[1])).unwrap();
    let decoded = run(model.as_ref(), &decoder, &expected, &mut State::new());
    let db = residual_db(&decoded, &reference.get("decoded").1);
    assert!(db < -100.0, "{db:.1} dB");
}

#[test]
fn a_weight_file_alone_tells_its_configuration() {
    for name in ["encodec_24khz", "mimi"] {
        let (folder, file) = (open(name), open(&format!("{name}/model.safetensors")));
        let (a, b) = (folder.facts(), file.facts());
        assert_eq!(
            (a.kind, a.rate, a.channels, a.hop, a.books, a.book_size),
            (b.kind, b.rate, b.channels, b.hop, b.books, b.book_size)
        );
    }
    // Two models of DAC have this hop; the number of books distinguishes them, and this one matches neither.
    let model = open_codec(&Weights::open(&fixture("dac_44khz/model.safetensors")).unwrap()).unwrap();
    assert_eq!((model.facts().hop, model.facts().rate.hz()), (512, 44_100));
}
