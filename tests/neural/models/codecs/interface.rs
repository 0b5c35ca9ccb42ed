//! The models behind the interface of all codecs.

use std::sync::Arc;

use audio::AudioBuffer;
use base::error::Error;
use base::progress::Progress;
use dsp::device::{DeviceRequest, Devices};
use neural::codecs::neural::{NeuralCodec, Opened};
use neural::codecs::{Codec, Coded, Payload, Sound, Units, from_words};
use neural::models::{CodecKind, Piece};
use neural::network::State;

use super::{MODELS, Reference, filled, fixture, residual_db, run, sound, tones};

fn codec(name: &str, kbps: Option<f64>) -> NeuralCodec {
    NeuralCodec::new(&Opened::open(&fixture(name)).unwrap(), kbps).unwrap()
}

fn units(coded: &Coded) -> &Units {
    match &coded.payload {
        Payload::Units(units) => units,
        Payload::File(_) => panic!("units"),
    }
}

fn row(units: &[i32]) -> Vec<f32> {
    units.iter().map(|&code| code as f32).collect()
}

#[test]
fn encodec_48_khz_codes_segments_as_pytorch_does() {
    let reference = Reference::open("encodec_48khz");
    let (shape, input) = reference.get("input");
    let given = sound(48_000, input.chunks(shape[1]).map(<[f32]>::to_vec).collect());
    // As many books as each bandwidth of the configuration has.
    for (n, kbps) in [0.6, 1.2, 2.4].into_iter().enumerate() {
        let codec = codec("encodec_48khz", Some(kbps));
        let coded = codec.encode(&given, &Progress::new()).unwrap();
        let (shape, codes) = reference.get(&format!("codes.{n}"));
        assert_eq!(codec.books(), shape[0]);
        assert_eq!(units(&coded).books().iter().flat_map(|book| row(book)).collect::<Vec<_>>(), codes, "{kbps}");
        let (_, scales) = reference.get(&format!("scales.{n}"));
        assert!(residual_db(units(&coded).scales(), &scales) < -120.0);
        assert_eq!(coded.bits(), 4 * codes.len() as u64 + 32 * scales.len() as u64);
        let decoded = codec.decode(&coded, &Progress::new()).unwrap();
        assert_eq!((decoded.frames(), decoded.samples.channels()), (4500, 2));
        // PyTorch gives whole hops.
        let (shape, expected) = reference.get(&format!("decoded.{n}"));
        let expected: Vec<f32> = expected.chunks(shape[1]).flat_map(|channel| channel[..4500].to_vec()).collect();
        let got: Vec<f32> = decoded.samples.iter().flatten().copied().collect();
        let db = residual_db(&got, &expected);
        assert!(db < -100.0, "{kbps}: {db:.1} dB");
    }
}

#[test]
fn codecs_give_pytorchs_codes_and_sound() {
    for name in ["encodec_24khz", "dac_24khz", "dac_44khz", "mimi"] {
        let reference = Reference::open(name);
        let codec = codec(name, None);
        let (_, input) = reference.get("input");
        let frames = input.len();
        let given = Sound::new(codec.facts().rate, AudioBuffer::from_channels(vec![input.clone()]));
        let coded = codec.encode(&given, &Progress::new()).unwrap();
        let key = if name == "encodec_24khz" { "2" } else { "" };
        let of = |what: &str| if key.is_empty() { what.to_owned() } else { format!("{what}.{key}") };
        let (_, codes) = reference.get(&of("codes"));
        assert_eq!(units(&coded).books().iter().flat_map(|book| row(book)).collect::<Vec<_>>(), codes, "{name}");
        let decoded = codec.decode(&coded, &Progress::new()).unwrap();
        assert_eq!(decoded.frames() as usize, frames, "{name}");
        let (_, expected) = reference.get(&of("decoded"));
        let whole = filled(&expected, 1, codec.facts().hop);
        let db = residual_db(decoded.samples.channel(0), &whole[..frames]);
        assert!(db < -100.0, "{name}: {db:.1} dB");
    }
}

#[test]
fn lengths_are_exact_and_channels_are_kept() {
    for name in MODELS {
        let codec = codec(name, None);
        let (hz, hop) = (codec.facts().rate.hz(), codec.facts().hop);
        for frames in [0, 2, hop - 1, hop, hop + 1, 3 * hop + 7] {
            for channels in [1, 2] {
                let given = sound(hz, (0..channels).map(|n| tones(frames, hz, n as u32)).collect());
                let coded = codec.encode(&given, &Progress::new()).unwrap();
                assert_eq!(coded.frames as usize, frames);
                let decoded = codec.decode(&coded, &Progress::new()).unwrap();
                assert_eq!((decoded.frames() as usize, decoded.samples.channels()), (frames, channels), "{name}");
                assert!(decoded.samples.iter().flatten().all(|x| x.is_finite()), "{name}");
                if frames > 0 && codec.facts().kind != CodecKind::Dac && units(&coded).scales().is_empty() {
                    let expected = codec.nominal_kbps(given.format()).unwrap();
                    let per_code = expected * hop as f64 / f64::from(hz);
                    let got = coded.bits() as f64 / 1000.0 / frames.div_ceil(hop) as f64;
                    assert!((got - per_code).abs() < 1e-9 * per_code, "{name}: {got} and {per_code}");
                }
            }
        }
    }
}

#[test]
fn a_channel_of_a_mono_model_is_coded_as_if_it_were_alone() {
    let codec = codec("encodec_24khz", Some(0.6));
    let channels = vec![tones(3000, 24_000, 1), tones(3000, 24_000, 2)];
    let both = codec.encode(&sound(24_000, channels.clone()), &Progress::new()).unwrap();
    for (n, channel) in channels.into_iter().enumerate() {
        let alone = codec.encode(&sound(24_000, vec![channel]), &Progress::new()).unwrap();
        assert_eq!(units(&alone).books(), &units(&both).books()[2 * n..2 * n + 2]);
    }
}

#[test]
fn batches_of_ragged_sounds_are_the_single_ones() {
    let codec = codec("mimi", Some(0.1));
    let sounds: Vec<Sound> =
        [1, 1919, 4000, 9000].iter().map(|&n| sound(24_000, vec![tones(n, 24_000, n as u32)])).collect();
    let together = codec.encode_batch(&sounds, &Progress::new());
    let alone: Vec<Coded> = sounds.iter().map(|sound| codec.encode(sound, &Progress::new()).unwrap()).collect();
    let together: Vec<Coded> = together.into_iter().map(Result::unwrap).collect();
    assert_eq!(together, alone);
    let sounding: Vec<Sound> =
        codec.decode_batch(&together, &Progress::new()).into_iter().map(Result::unwrap).collect();
    for (one, coded) in sounding.iter().zip(&alone) {
        assert_eq!(*one, codec.decode(coded, &Progress::new()).unwrap());
    }
}

#[test]
fn samples_that_are_no_numbers_are_silence() {
    let codec = codec("encodec_24khz", None);
    let (mut hostile, mut silent) = (tones(2000, 24_000, 1), tones(2000, 24_000, 1));
    for (n, x) in [(0, f32::NAN), (500, f32::INFINITY), (1999, f32::NEG_INFINITY)] {
        (hostile[n], silent[n]) = (x, 0.0);
    }
    let [hostile, silent] = [hostile, silent].map(|x| codec.encode(&sound(24_000, vec![x]), &Progress::new()).unwrap());
    assert_eq!(hostile, silent);
}

#[test]
fn words_name_models_and_bandwidths() {
    let path = fixture("encodec_24khz").display().to_string();
    let codecs = from_words(&[format!("encodec:{path}@0.3,0.6,1.2,0.6"), "opus:64".into()]).unwrap();
    let names: Vec<String> = codecs.iter().map(|codec| codec.name()).collect();
    let own = |kbps: &str| format!("encodec:{path}@{kbps}");
    assert_eq!(names, [own("0.3"), own("0.6"), own("1.2"), "opus:64".into()]);
    assert_eq!(from_words(&[names[1].clone()]).unwrap()[0].name(), names[1]);
    assert_eq!(from_words(&[format!("encodec:{path}")]).unwrap()[0].name(), own("1.2"));
    // A name gives the same codec again, for any rate of a book.
    for name in MODELS {
        let opened = Opened::open(&fixture(name)).unwrap();
        for books in opened.model().facts().fewest_books..=opened.model().facts().books {
            let codec = NeuralCodec::with_books(&opened, books).unwrap();
            let again = from_words(&[codec.name()]).unwrap();
            assert_eq!((again[0].name(), again[0].recipe()), (codec.name(), codec.recipe()));
        }
    }
    // Recipes distinguish weights, wherever they are stored.
    let recipe = codecs[0].recipe();
    let other = Opened::open(&fixture("encodec_24khz_own.th")).unwrap();
    assert!(
        recipe.contains(Opened::open(&fixture("encodec_24khz")).unwrap().identity())
            && !recipe.contains(other.identity())
    );
    for (word, part) in [
        (format!("dac:{path}@6"), "DAC"),
        (format!("encodec:{path}@24"), "0.3 to 1.2 kbit/s"),
        (format!("encodec:{path}@0.1"), "0.3 to 1.2 kbit/s"),
        (format!("encodec:{path}@x"), "a number of kbit/s"),
        (format!("encodec:{path}@0.3,"), "a number of kbit/s"),
        ("encodec:/nowhere@6".into(), "nowhere"),
    ] {
        let error = from_words(std::slice::from_ref(&word)).unwrap_err().to_string();
        assert!(error.contains(part), "{word}: {error}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let codec = codec("encodec_24khz", Some(0.6));
    let progress = Progress::new();
    let wrong_rate = codec.encode(&sound(48_000, vec![vec![0.0; 100]]), &progress);
    assert!(matches!(wrong_rate, Err(Error::Invalid { .. })));
    let coded = codec.encode(&sound(24_000, vec![tones(1000, 24_000, 1)]), &progress).unwrap();
    codec.decode(&coded, &progress).unwrap();
    assert_eq!(progress.snapshot().done, 0, "what a caller counts is its own");
    let with = |books: Vec<Vec<i32>>| Coded { payload: Payload::Units(Units::new(4, books).unwrap()), ..coded.clone() };
    for wrong in [
        with(vec![vec![0; 4]]),
        with(vec![vec![0; 4]; 3]),
        with(vec![vec![0; 3]; 2]),
        with(vec![vec![16; 4]; 2]),
        with(vec![vec![-1; 4]; 2]),
        Coded { payload: Payload::File(vec![1, 2].into()), ..coded.clone() },
    ] {
        assert!(matches!(codec.decode(&wrong, &progress), Err(Error::Invalid { .. })), "{wrong:?}");
    }
    let segments = NeuralCodec::new(&Opened::open(&fixture("encodec_48khz")).unwrap(), None).unwrap();
    assert!(matches!(segments.coded(2, vec![vec![0; 12]; 4], Vec::new()), Err(Error::Impossible(_))));
    assert!(matches!(segments.coded(2, vec![vec![0; 12]; 4], vec![1.0]), Err(Error::Invalid { .. })));
    assert!(matches!(segments.coded(2, vec![vec![0; 12]; 4], vec![1.0, f32::NAN]), Err(Error::Invalid { .. })));
    assert_eq!(segments.coded(2, vec![vec![0; 12]; 4], vec![1.0, 1.0]).unwrap().frames, 1900 + 1920);
    progress.cancel();
    assert!(matches!(codec.encode(&sound(24_000, vec![vec![0.0; 100]]), &progress), Err(Error::Cancelled)));
    assert!(matches!(codec.decode(&coded, &progress), Err(Error::Cancelled)));
}

#[test]
fn long_sounds_are_coded_in_pieces_as_in_one() {
    for (name, frames) in [("encodec_24khz", 200_077), ("mimi", 200_077), ("dac_44khz", 270_000)] {
        let (model, codec) = (super::open(name), codec(name, None));
        let (facts, samples) = (model.facts(), tones(frames, 24_000, 3));
        let coded = codec.encode(&sound(facts.rate.hz(), vec![samples.clone()]), &Progress::new()).unwrap();
        // DAC is given whole codes; the others fill up the last in their layers.
        let whole = if facts.kind == CodecKind::Dac { filled(&samples, 1, facts.hop) } else { samples };
        let graph = model.encoder(facts.books, Piece::whole(whole.len())).unwrap();
        let codes = run(model.as_ref(), &graph, &whole, &mut State::new());
        assert_eq!(units(&coded).books().iter().flat_map(|book| row(book)).collect::<Vec<_>>(), codes, "{name}");
        let decoded = codec.decode(&coded, &Progress::new()).unwrap();
        let graph = model.decoder(facts.books, Piece::whole(codes.len() / facts.books)).unwrap();
        let expected = run(model.as_ref(), &graph, &codes, &mut State::new());
        assert_eq!(decoded.samples.channel(0), &expected[..frames], "{name}");
    }
}

#[test]
fn codecs_on_a_gpu_give_what_the_cpu_gives() {
    let devices = Arc::new(Devices::new(None));
    if devices.list().len() < 2 {
        assert!(std::env::var_os("UNDERTONE_REQUIRE_GPU").is_none(), "there is no GPU adapter");
        eprintln!("SKIPPED: there is no GPU adapter");
        return;
    }
    for name in MODELS {
        let on_cpu = codec(name, None);
        let on_gpu = codec(name, None).on(Arc::clone(&devices), DeviceRequest::Gpu);
        // Causal models go on from piece to piece: these are more frames than one piece has.
        let frames = if name.starts_with("encodec_24") { 250_000 } else { 20_000 };
        let facts = on_cpu.facts().clone();
        let given = sound(facts.rate.hz(), (0..facts.channels).map(|n| tones(frames, 24_000, n as u32)).collect());
        let expected = on_cpu.encode(&given, &Progress::new()).unwrap();
        let (coded, report) = on_gpu.encode_counted(&given, &Progress::new()).unwrap();
        let report = report.unwrap();
        assert!(report.used.starts_with("gpu:") && !report.fallback, "{name}: {report:?}");
        let (books, same) = (units(&coded).books(), units(&expected).books());
        let pairs = || books.iter().flatten().zip(same.iter().flatten());
        let (all, wrong) = (pairs().count(), pairs().filter(|(a, b)| a != b).count());
        assert!(all == same.iter().flatten().count() && 1000 * wrong <= all, "{name}: {wrong} of {all} codes differ");
        let (decoded, report) = on_gpu.decode_counted(&expected, &Progress::new()).unwrap();
        assert!(report.unwrap().used.starts_with("gpu:"), "{name}");
        let whole = on_cpu.decode(&expected, &Progress::new()).unwrap();
        for channel in 0..facts.channels {
            let db = residual_db(decoded.samples.channel(channel), whole.samples.channel(channel));
            assert!(db < -100.0, "{name}: {db} dB");
        }
    }
}

#[test]
fn an_adapter_that_is_not_there_is_told_and_the_cpu_codes() {
    let devices = Arc::new(Devices::new(None));
    let given = sound(24_000, vec![tones(3000, 24_000, 1)]);
    let codec = codec("encodec_24khz", None);
    let expected = codec.encode(&given, &Progress::new()).unwrap();
    let (coded, report) =
        codec.on(devices, DeviceRequest::GpuIndex(77)).encode_counted(&given, &Progress::new()).unwrap();
    let report = report.unwrap();
    assert!(report.fallback && report.used == "cpu" && report.reason.contains("gpu:77"), "{report:?}");
    assert_eq!(coded, expected);
}
