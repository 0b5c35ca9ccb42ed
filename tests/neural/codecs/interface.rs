//! Each codec by itself.

use analysis::compare::{Outcome, Request, compare, measure_named};
use audio::{AudioBuffer, AudioFormat};
use base::error::Error;
use base::progress::Progress;
use neural::codecs::{Coded, FAMILIES, Payload, Sound, Units, from_words};

use super::{codec, has_lame, rate, song};
use crate::support::songs::Song;

/// The most samples that a conversion may give; a recording at 1 Hz is long at 48 kHz.
const MAX: u64 = 1 << 21;

const ALL: [&str; 8] = ["opus:64", "vorbis:q2", "flac", "flac:16", "flac:24", "pcm:8", "rate:8000", "mp3:128"];

fn all() -> impl Iterator<Item = &'static str> {
    let lame = has_lame();
    ALL.into_iter().filter(move |word| lame || !word.starts_with("mp3"))
}

/// Returns a measure of sound that went through a codec.
fn measured(word: &str, sound: &Sound, name: &str) -> Outcome {
    let (codec, progress) = (codec(word), Progress::new());
    let format = codec.format_for(sound.format()).unwrap();
    let back = codec.resynthesise(&sound.converted(format.rate, MAX, &progress).unwrap(), &progress).unwrap();
    let request = Request { measures: vec![measure_named(name).unwrap()], ..Request::default() };
    let found = compare(&mut sound.reader(), &mut back.reader(), &request, &progress).unwrap();
    found.readings[0].1.whole.clone()
}

#[test]
fn the_lossless_control_does_not_differ() {
    let sound = song(1, 44_100, 1.5);
    let progress = Progress::new();
    let sizes: Vec<u64> = ["flac", "flac:16", "flac:24"]
        .into_iter()
        .map(|word| {
            let coded = codec(word).encode(&sound, &progress).unwrap();
            assert_eq!(codec(word).decode(&coded, &progress).unwrap(), sound, "{word}");
            assert_eq!(measured(word, &sound, "snr"), Outcome::Value(f64::INFINITY), "{word}");
            coded.bits()
        })
        .collect();
    assert!(sizes[0] == sizes[1], "16 bits are enough: {sizes:?}");
    // Of more than 16 bits the same codec takes 24.
    let finer: Vec<f32> = sound.samples.channel(0).iter().map(|x| x + 3.0 / 8_388_608.0).collect();
    let finer = Sound::new(sound.rate, AudioBuffer::from_channels(vec![finer]));
    assert_eq!(codec("flac").resynthesise(&finer, &progress).unwrap(), finer);
    assert_ne!(codec("flac:16").resynthesise(&finer, &progress).unwrap(), finer);
}

#[test]
fn bits_give_the_ratio_of_theory() {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 23) - 1.0
    };
    // Spread evenly over a range without a step at each end, so that nothing is clipped; the error is then spread evenly
    // over a step. At half of the range there is a bit less.
    let noise: Vec<f64> = (0..60_000).map(|_| next()).collect();
    for bits in [4, 6, 8, 12, 16] {
        for part in [1.0, 0.5] {
            let step = 1.0 / f64::from(1 << (bits - 1));
            let range = part - step;
            let samples = noise.iter().map(|x| (x * range) as f32).collect();
            let sound = Sound::new(rate(48_000), AudioBuffer::from_channels(vec![samples]));
            let snr = measured(&format!("pcm:{bits}"), &sound, "snr").value().unwrap();
            let expected = 20.0 * (2.0 * range / step).log10();
            assert!((snr - expected).abs() < 0.1, "{bits} bits, {part}: {snr} dB, not {expected}");
        }
    }
}

#[test]
fn lengths_formats_and_bit_rates_are_as_told() {
    let progress = Progress::new();
    for hz in [16_000, 44_100, 48_000] {
        for word in all() {
            let (codec, sound) = (codec(word), song(3, hz, 2.0));
            let format = codec.format_for(sound.format()).unwrap();
            let sound = sound.converted(format.rate, MAX, &progress).unwrap();
            let coded = codec.encode(&sound, &progress).unwrap();
            let back = codec.decode(&coded, &progress).unwrap();
            assert_eq!((back.format(), back.frames()), (coded.format, coded.frames), "{word} at {hz} Hz");
            assert!((back.seconds() - sound.seconds()).abs() < 1.0 / f64::from(hz.min(8000)), "{word} at {hz} Hz");
            let (reached, nominal) = (coded.kbps().unwrap(), codec.nominal_kbps(format));
            if let Some(nominal) = nominal {
                // A short file has headers; libopus aims at the quality that the rate usually gives, and takes more for tones.
                let near = if word.starts_with("opus") { 0.6 } else { 0.1 };
                assert!((reached / nominal - 1.0).abs() < near, "{word} at {hz} Hz: {reached}, not {nominal} kbit/s");
            }
        }
    }
}

#[test]
fn delays_are_those_of_the_streams() {
    let format = |hz| AudioFormat::new(rate(hz), 2);
    let delay = |word: &str, hz| codec(word).latency_frames(format(hz)).unwrap();
    // The decoder of an Opus file skips the look-ahead; a packet comes on top.
    let coded = codec("opus:64").encode(&song(4, 48_000, 1.0), &Progress::new()).unwrap();
    let Payload::File(bytes) = &coded.payload else { panic!("no file") };
    let head = bytes.windows(8).position(|part| part == b"OpusHead").unwrap();
    let skip = u64::from(u16::from_le_bytes([bytes[head + 10], bytes[head + 11]]));
    assert_eq!(delay("opus:64", 48_000), 960 + skip);
    assert_eq!((delay("vorbis:q4", 44_100), delay("flac", 44_100), delay("pcm:8", 44_100)), (2048, 4096, 0));
    assert!(delay("vorbis:q4", 8_000) < 2048);
    assert_eq!((delay("rate:16000", 16_000), delay("rate:48000", 16_000)), (0, 0));
    // Half of the filter, which is as long as its transition is narrow.
    let (near, far) = (delay("rate:16000", 44_100), delay("rate:16000", 192_000));
    assert!((30..400).contains(&near) && (4.0..4.8).contains(&(far as f64 / near as f64)), "{near} {far}");
}

#[test]
fn a_batch_gives_what_single_sounds_give() {
    let progress = Progress::new();
    let mut sounds: Vec<Sound> = [0.02, 1.3, 0.4].map(|seconds| song(5, 48_000, seconds)).to_vec();
    sounds.insert(1, Sound::new(rate(48_000), AudioBuffer::new(12, 100)));
    for word in all() {
        let codec = codec(word);
        let coded = codec.encode_batch(&sounds, &progress);
        assert_eq!(coded.len(), sounds.len());
        assert_eq!(coded[1].is_err(), !["pcm:8", "rate:8000"].contains(&word), "{word} of 12 channels");
        let coded: Vec<Coded> = coded.into_iter().flatten().collect();
        let singles: Vec<Coded> = sounds.iter().filter_map(|sound| codec.encode(sound, &progress).ok()).collect();
        assert!(coded == singles, "{word}");
        let back: Vec<Sound> = codec.decode_batch(&coded, &progress).into_iter().map(Result::unwrap).collect();
        let singles: Vec<Sound> = coded.iter().map(|coded| codec.decode(coded, &progress).unwrap()).collect();
        assert!(back == singles, "{word}");
    }
}

#[test]
fn threads_do_not_change_the_result() {
    let sound = song(6, 48_000, 2.0);
    for word in all() {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| codec(word).encode(&sound, &Progress::new()).unwrap())
        };
        assert!(with(1) == with(3), "{word}");
    }
}

#[test]
fn any_sound_is_answered() {
    let one = |samples: Vec<f32>| AudioBuffer::from_channels(vec![samples]);
    let odd = [
        AudioBuffer::new(1, 0),
        one(vec![0.5]),
        one(vec![0.0; 5000]),
        one(vec![f32::NAN; 700]),
        one(vec![f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e-40]),
        AudioBuffer::new(0, 0),
        AudioBuffer::new(9, 300),
    ];
    let progress = Progress::new();
    for word in all() {
        for hz in [1, 8000, 44_100, 768_000] {
            for samples in &odd {
                let (codec, sound) = (codec(word), Sound::new(rate(hz), samples.clone()));
                let Ok(format) = codec.format_for(sound.format()) else { continue };
                let Ok(sound) = sound.converted(format.rate, MAX, &progress) else { continue };
                let Ok(coded) = codec.encode(&sound, &progress) else { continue };
                if let Ok(back) = codec.decode(&coded, &progress) {
                    let is_finite = back.samples.iter().all(|channel| channel.iter().all(|x| x.is_finite()));
                    assert!(is_finite, "{word} at {hz} Hz of {} frames", samples.frames());
                }
            }
        }
    }
}

#[test]
fn damaged_and_foreign_payloads_are_refused_or_read_in_part() {
    let (sound, progress) = (song(7, 48_000, 1.0), Progress::new());
    let units = |bits, books| Coded {
        format: sound.format(),
        frames: 10,
        payload: Payload::Units(Units::new(bits, books).unwrap()),
    };
    for word in all() {
        let codec = codec(word);
        let coded = codec.encode(&sound, &progress).unwrap();
        match &coded.payload {
            Payload::Units(_) => {
                for wrong in [units(7, vec![vec![1; 10]; 2]), units(8, vec![vec![1; 10]; 3]), units(24, Vec::new())] {
                    assert!(matches!(codec.decode(&wrong, &progress), Err(Error::Invalid { .. })), "{word}");
                }
                let file = Coded { payload: Payload::File(vec![0; 10].into()), ..coded.clone() };
                assert!(matches!(codec.decode(&file, &progress), Err(Error::Invalid { .. })), "{word}");
            }
            Payload::File(bytes) => {
                let foreign = codec.decode(&units(8, vec![vec![1; 10]; 2]), &progress);
                assert!(matches!(foreign, Err(Error::Invalid { .. })), "{word}");
                for keep in [0, 1, 40, bytes.len() / 2, bytes.len() - 1] {
                    let cut = Coded { payload: Payload::File(bytes[..keep].into()), ..coded.clone() };
                    if let Ok(back) = codec.decode(&cut, &progress) {
                        assert!(back.frames() <= sound.frames() + 20_000, "{word} cut at {keep}");
                    }
                }
                let mut spoiled = bytes.to_vec();
                spoiled.iter_mut().step_by(97).for_each(|byte| *byte ^= 0x5a);
                let spoiled = Coded { payload: Payload::File(spoiled.into()), ..coded.clone() };
                drop(codec.decode(&spoiled, &progress));
            }
        }
    }
    assert!(Units::new(8, vec![vec![1], vec![]]).is_err() && Units::new(0, Vec::new()).is_err());
}

#[test]
fn wrong_formats_and_cancels_are_told() {
    let sound = Sound::new(rate(44_100), AudioBuffer::from_channels(vec![Song::new(8).samples(44_100, 0.5)]));
    let error = codec("opus:64").encode(&sound, &Progress::new()).unwrap_err();
    assert!(error.to_string().contains("48000 Hz"), "{error}");
    assert!(codec("opus:500").format_for(sound.format()).is_err(), "for one channel");
    let progress = Progress::new();
    let coded: Vec<Coded> = all()
        .map(|word| {
            let codec = codec(word);
            let at = sound.converted(codec.format_for(sound.format()).unwrap().rate, MAX, &progress).unwrap();
            codec.encode(&at, &progress).unwrap()
        })
        .collect();
    progress.cancel();
    for (word, coded) in all().zip(coded) {
        let codec = codec(word);
        let own = Sound::new(coded.format.rate, AudioBuffer::new(coded.format.channels, 1000));
        assert!(matches!(codec.encode(&own, &progress), Err(Error::Cancelled)), "{word}");
        assert!(matches!(codec.decode(&coded, &progress), Err(Error::Cancelled)), "{word}");
    }
}

#[test]
fn every_family_has_a_codec_that_is_named_after_it() {
    for family in &FAMILIES {
        let model = |folder: &str| crate::support::reference(&format!("codec_models/{folder}")).display().to_string();
        let setting = match (family.usual, family.name) {
            (Some(usual), _) => usual.to_owned(),
            (None, "encodec") => model("encodec_24khz"),
            (None, "dac") => model("dac_44khz"),
            (None, "mimi") => model("mimi"),
            (None, "pcm") => "8".to_owned(),
            (None, _) => "16000".to_owned(),
        };
        let codec = family.codec(&setting).unwrap();
        assert_eq!(codec.family(), family.name);
        let again = from_words(&[codec.name()]).unwrap();
        assert_eq!(
            (again.len(), again[0].name(), family.is_model()),
            (1, codec.name(), setting.contains("codec_models"))
        );
        assert!(codec.recipe().contains(&codec.name()));
    }
}
