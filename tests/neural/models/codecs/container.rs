//! DAC's container, against descript-audio-codec (`tests/reference/dac_container.py`).

use base::error::Result;
use base::progress::Progress;
use dsp::measure::loudness::integrated_lufs;
use neural::codecs::neural::{NeuralCodec, Opened};
use neural::codecs::unit_files::{DacFile, UnitFile};
use neural::codecs::{Sound, Units};

use super::{Reference, fixture, residual_db, sound, tones};

const HZ: u32 = 8000;
/// The bound on the difference between the filters of pyloudnorm and of BS.1770 at 8 kHz.
const METERS_DB: f64 = 0.3;

fn codec() -> NeuralCodec {
    NeuralCodec::new(&Opened::open(&fixture("dac_chunks.pth")).unwrap(), None).unwrap()
}

fn decoded(file: &DacFile) -> Result<Sound> {
    codec().decode_dac(file, &Progress::new()).map(|(sound, _)| sound)
}

fn encoded(given: &Sound) -> DacFile {
    let own = (given.rate, given.frames());
    codec().encode_dac(given, own, &Progress::new()).unwrap().0
}

/// The package's container of one of the reference's sounds.
fn theirs(reference: &Reference, name: &str) -> DacFile {
    let (shape, codes) = reference.get(&format!("{name}_codes"));
    let facts = reference.get(&format!("{name}_facts")).1;
    let books = codes.chunks(shape[1]).map(|book| book.iter().map(|&code| code as i32).collect()).collect();
    DacFile {
        channels: vec![Units::new(4, books).unwrap()],
        chunk_length: facts[0] as u64,
        original_length: facts[1] as u64,
        input_db: reference.get(&format!("{name}_lufs")).1[0],
        sample_rate: HZ,
        padding: facts[2] == 1.0,
    }
}

fn rms(channel: &[f32]) -> f64 {
    (channel.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / channel.len() as f64).sqrt()
}

/// The residual when both have the same RMS, and the level of the first in dB re the second.
fn compared(got: &[f32], expected: &[f32]) -> (f64, f64) {
    let gain = rms(got) / rms(expected);
    let levelled: Vec<f32> = got.iter().map(|&x| (f64::from(x) / gain) as f32).collect();
    (residual_db(&levelled, expected), 20.0 * gain.log10())
}

#[test]
fn containers_decode_to_what_the_package_gives() {
    let reference = Reference::open("dac_chunks");
    for name in ["long", "short"] {
        let file = theirs(&reference, name);
        if name == "long" {
            let UnitFile::Dac(read) = UnitFile::read(&fixture("dac_chunks.dac")).unwrap() else {
                panic!("no container")
            };
            assert_eq!(read, file);
        }
        let expected = reference.get(&format!("{name}_decoded")).1;
        let (residual, level) = compared(decoded(&file).unwrap().samples.channel(0), &expected);
        assert!(residual < -100.0 && level.abs() < METERS_DB, "{name}: {residual:.1} dB, {level:.3} dB");
        // Chunks are worked on as the file says, and what it says matters.
        let other = DacFile { padding: !file.padding, ..file };
        if let Ok(other) = decoded(&other) {
            assert!(compared(other.samples.channel(0), &expected).0 > -60.0, "{name}");
        }
    }
}

#[test]
fn sounds_are_encoded_as_the_package_does() {
    let reference = Reference::open("dac_chunks");
    let input = reference.get("input").1;
    for (name, part) in [("long", &input[..]), ("short", &input[2000..8000])] {
        let expected = theirs(&reference, name);
        let made = encoded(&sound(HZ, vec![part.to_vec()]));
        assert!(
            (made.input_db - expected.input_db).abs() < METERS_DB as f32,
            "{} {}",
            made.input_db,
            expected.input_db
        );
        assert_eq!(
            (made.chunk_length, made.original_length, made.sample_rate, made.padding),
            (expected.chunk_length, expected.original_length, expected.sample_rate, expected.padding)
        );
        let codes = |file: &DacFile| file.channels[0].books().concat();
        let (made, expected) = (codes(&made), codes(&expected));
        assert_eq!(made.len(), expected.len());
        let equal = made.iter().zip(&expected).filter(|(a, b)| a == b).count() as f64 / made.len() as f64;
        println!("{name}: {:.3} %", 100.0 * equal);
        // The level before coding differs by what the meters do.
        assert!(equal > 0.97, "{name}: {equal}");
    }
}

#[test]
fn what_is_decoded_is_as_loud_as_the_sound_was() {
    let quiet = tones(20_000, HZ, 2).iter().map(|x| x * 0.25).collect();
    let file = encoded(&sound(HZ, vec![tones(20_000, HZ, 1), quiet]));
    let out = decoded(&file).unwrap();
    // Both channels together, as they were measured.
    let found = integrated_lufs(&mut out.reader(), &Progress::new()).unwrap().unwrap();
    assert!((found - f64::from(file.input_db)).abs() < 0.05, "{found} {}", file.input_db);
}

#[test]
fn containers_that_lie_are_told() {
    let file = theirs(&Reference::open("dac_chunks"), "long");
    let wrong = |change: &dyn Fn(&mut DacFile)| {
        let mut changed = file.clone();
        change(&mut changed);
        decoded(&changed).unwrap_err().to_string()
    };
    for (change, part) in [
        (&(|file: &mut DacFile| file.chunk_length = 3) as &dyn Fn(&mut DacFile), "chunk of a .dac file"),
        (&|file| file.original_length = 1 << 40, "frames of a .dac file"),
        (&|file| file.input_db = f32::INFINITY, "loudness"),
        (&|file| file.input_db = 1e9, "loudness"),
        (&|file| file.sample_rate = u32::MAX, "rate"),
        (&|file| file.channels = vec![Units::new(10, vec![vec![999; 200]; 3]).unwrap()], "code"),
        (&|file| file.channels = vec![Units::new(4, vec![vec![1; 200]; 2]).unwrap()], "units"),
        (&|file| file.channels = vec![file.channels[0].clone(); 9], "channels"),
    ] {
        let message = wrong(change);
        assert!(message.to_lowercase().contains(part), "{part}: {message}");
    }
    let encodec = NeuralCodec::new(&Opened::open(&fixture("encodec_24khz")).unwrap(), None).unwrap();
    let message = encodec.decode_dac(&file, &Progress::new()).unwrap_err().to_string();
    assert!(message.contains("EnCodec") && message.contains("DAC"), "{message}");
    // An empty recording is not an error.
    let empty = DacFile { channels: vec![Units::new(4, vec![vec![]; 3]).unwrap()], original_length: 0, ..file };
    assert_eq!(decoded(&empty).unwrap().frames(), 0);
}

#[test]
fn silence_stays_silent() {
    let file = encoded(&sound(HZ, vec![vec![0.0; 12_000]]));
    assert_eq!(file.input_db, -70.0);
    let out = decoded(&file).unwrap();
    assert_eq!(out.frames(), 12_000);
    // A random model turns silence into sound, which is brought down to the level that counts as silence.
    assert!(20.0 * rms(out.samples.channel(0)).log10() < -60.0);
    assert_eq!(encoded(&sound(HZ, vec![vec![f32::NAN; 9000]])).input_db, -70.0);
}
