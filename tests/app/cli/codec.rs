//! `undertone codec` as a user runs it.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use undertone::audio::AudioFile;
use undertone::audio::encode::{Dither, EncodeSettings, Encoder, SampleFormat};
use undertone::codecs::Sound;
use undertone::codecs::unit_files::UnitFile;
use undertone::progress::Progress;

use crate::support::codec_models::{Reference, fixture, residual_db, sound, tones};
use crate::support::reference;

fn run(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_undertone")).arg("codec").args(words).current_dir(folder).output().unwrap()
}

pub fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

pub fn write(path: &Path, sound: &Sound) {
    let settings = EncodeSettings { sample: SampleFormat::Float32, dither: Dither::None, ..EncodeSettings::default() };
    let mut encoder = Encoder::create(path, &settings, sound.format(), true, &[]).unwrap();
    encoder.write(&sound.samples).unwrap();
    encoder.finish().unwrap();
}

pub fn read(path: &Path) -> Sound {
    Sound::read(AudioFile::open(path).unwrap().reader().unwrap().as_mut(), 1 << 24, &Progress::new()).unwrap()
}

#[test]
fn units_are_written_and_decoded_as_pytorch_has_them() {
    let desk = tempfile::tempdir().unwrap();
    let model = fixture("encodec_24khz").display().to_string();
    let reference = Reference::open("encodec_24khz");
    write(&desk.path().join("in.wav"), &sound(24_000, vec![reference.get("input").1]));
    let encode = ["encode", "in.wav", "-o", "units.npy", "--model", &model, "--bandwidth", "0.6", "--json"];
    let report = json(&run(desk.path(), &encode));
    let (shape, codes) = reference.get("codes.1");
    assert_eq!((report["books"].as_u64(), report["codes"].as_u64()), (Some(shape[0] as u64), Some(shape[1] as u64)));
    assert_eq!((&report["device"]["used"], &report["device"]["fallback"]), (&"cpu".into(), &false.into()));
    assert!(report["realtime_factor"].as_f64().unwrap() > 0.0 && report["kbps"].as_f64().unwrap() > 0.5);
    let bytes = std::fs::read(desk.path().join("units.npy")).unwrap();
    let numbers = &bytes[bytes.len() - 8 * codes.len()..];
    let got: Vec<f32> = numbers.as_chunks::<8>().0.iter().map(|x| i64::from_le_bytes(*x) as f32).collect();
    assert_eq!(got, codes);
    assert!(String::from_utf8_lossy(&bytes[..128]).contains("'shape': (2, 10)"), "{:?}", &bytes[..128]);
    // It does not replace an existing file.
    let again = run(desk.path(), &encode);
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    json(&run(desk.path(), &[&encode[..], &["--overwrite"]].concat()));

    let report = json(&run(
        desk.path(),
        &["decode", "units.npy", "-o", "out.wav", "--bits", "f32", "--model", &model, "--json"],
    ));
    let (_, expected) = reference.get("decoded.1");
    assert_eq!(report["frames"].as_u64(), Some(expected.len() as u64));
    let decoded = read(&desk.path().join("out.wav"));
    assert_eq!(decoded.rate.hz(), 24_000);
    assert!(residual_db(decoded.samples.channel(0), &expected) < -100.0);
}

#[test]
fn a_stereo_model_has_its_scales_beside_the_units() {
    let desk = tempfile::tempdir().unwrap();
    let model = fixture("encodec_48khz").display().to_string();
    let reference = Reference::open("encodec_48khz");
    let (shape, input) = reference.get("input");
    write(&desk.path().join("in.wav"), &sound(48_000, input.chunks(shape[1]).map(<[f32]>::to_vec).collect()));
    let report = json(&run(desk.path(), &["encode", "in.wav", "-o", "u.npy", "--model", &model, "--json"]));
    assert_eq!(report["outputs"].as_array().unwrap().len(), 2, "{report}");
    let decode = ["decode", "u.npy", "-o", "out.wav", "--bits", "f32", "--model", &model];
    json(&run(desk.path(), &[&decode[..], &["--json"]].concat()));
    let decoded = read(&desk.path().join("out.wav"));
    let (shape, expected) = reference.get("decoded.2");
    assert_eq!((decoded.samples.channels(), decoded.frames()), (2, shape[1] as u64));
    let got: Vec<f32> = decoded.samples.iter().flatten().copied().collect();
    assert!(residual_db(&got, &expected) < -100.0);
    std::fs::remove_file(desk.path().join("u.scales.npy")).unwrap();
    let output = run(desk.path(), &[&decode[..], &["--overwrite"]].concat());
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("scales"), "{output:?}");
}

#[test]
fn resynthesis_keeps_rate_length_and_channels() {
    let desk = tempfile::tempdir().unwrap();
    let (frames, hz) = (10_001, 44_100);
    write(&desk.path().join("in.wav"), &sound(hz, vec![tones(frames, hz, 1), tones(frames, hz, 2)]));
    for name in
        ["encodec_24khz", "encodec_48khz", "dac_24khz", "dac_44khz", "mimi", "dac_own.pth", "mimi_own.safetensors"]
    {
        let (model, out) = (fixture(name).display().to_string(), format!("{name}.flac"));
        let report = json(&run(desk.path(), &["resynthesise", "in.wav", "-o", &out, "--model", &model, "--json"]));
        assert!(report["seconds"]["decode_s"].as_f64().unwrap() > 0.0, "{report}");
        let decoded = read(&desk.path().join(out));
        assert_eq!(
            (decoded.frames() as usize, decoded.rate.hz(), decoded.samples.channels()),
            (frames, hz, 2),
            "{name}"
        );
    }
}

#[test]
fn wrong_words_are_told() {
    let desk = tempfile::tempdir().unwrap();
    let model = fixture("encodec_24khz").display().to_string();
    write(&desk.path().join("in.wav"), &sound(24_000, vec![tones(1000, 24_000, 1)]));
    std::fs::write(desk.path().join("broken.npy"), b"\x93NUMPY\x01\x00\xff\xff{").unwrap();
    for (words, part) in [
        (vec!["encode", "in.wav", "-o", "u.txt", "--model", &model], ".npy"),
        (vec!["encode", "in.wav", "-o", "u.ecdc", "--model", &model], "10 bits a code"),
        (vec!["encode", "in.wav", "-o", "u.npy", "--model", &model, "--bandwidth", "7"], "0.3 to 1.2 kbit/s"),
        (vec!["encode", "in.wav", "-o", "u.npy", "--model", "in.wav"], "weight file"),
        (vec!["encode", "missing.wav", "-o", "u.npy", "--model", &model], "missing.wav"),
        (vec!["decode", "broken.npy", "-o", "o.wav", "--model", &model], "damaged"),
        (vec!["decode", "in.wav", "-o", "o.wav", "--model", &model], "not a file of units"),
        (vec!["resynthesise", "in.wav", "-o", "in.wav", "--overwrite", "--model", &model], "in.wav"),
    ] {
        let output = run(desk.path(), &words);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.contains(part), "{words:?}: {told}");
        assert!(!desk.path().join("u.npy").exists() && !desk.path().join("o.wav").exists(), "{words:?}");
    }
}

#[test]
fn sounds_keep_their_channels_rate_and_length() {
    let desk = tempfile::tempdir().unwrap();
    let model = fixture("dac_chunks.pth").display().to_string();
    let (frames, hz) = (70_001, 44_100);
    let quiet = tones(frames, hz, 2).iter().map(|x| x * 0.25).collect();
    write(&desk.path().join("in.wav"), &sound(hz, vec![tones(frames, hz, 1), quiet]));
    let report = json(&run(desk.path(), &["encode", "in.wav", "-o", "u.dac", "--model", &model, "--json"]));
    assert_eq!((report["channels"].as_u64(), report["books"].as_u64()), (Some(2), Some(3)), "{report}");
    json(&run(desk.path(), &["decode", "u.dac", "-o", "out.wav", "--bits", "f32", "--model", &model, "--json"]));
    let out = read(&desk.path().join("out.wav"));
    assert_eq!((out.frames() as usize, out.rate.hz(), out.samples.channels()), (frames, hz, 2));
    let UnitFile::Dac(file) = UnitFile::read(&desk.path().join("u.dac")).unwrap() else { panic!("no container") };
    assert_eq!((file.sample_rate, file.original_length, file.padding), (hz, frames as u64, false));
}

#[test]
fn a_model_has_its_container_alone() {
    let desk = tempfile::tempdir().unwrap();
    let model = fixture("encodec_24khz").display().to_string();
    let decode = |name: &str| {
        std::fs::copy(reference("unit_files").join(name), desk.path().join(name)).unwrap();
        run(desk.path(), &["decode", name, "-o", "u.wav", "--model", &model])
    };
    // The small model has different books from the published models, whose codes the container has.
    let output = decode("encodec24.ecdc");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && (told.contains("encodec_24khz") || told.contains("must be")), "{told}");
    let output = decode("stereo.dac");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && told.contains("Model of a .dac file must be DAC"), "{told}");
    std::fs::copy(reference("audio/ms.wav"), desk.path().join("in.wav")).unwrap();
    let output = run(desk.path(), &["encode", "in.wav", "-o", "u.ecdc", "--model", &model]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && told.contains("odel of an .ecdc file"), "{told}");
    assert!(!desk.path().join("u.ecdc").exists() && !desk.path().join("u.wav").exists());
}
