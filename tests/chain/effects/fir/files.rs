//! Filter taps from files.

use std::path::Path;

use audio::AudioBuffer;
use effects::{FileDependency, Value};

use super::support::{format, make, noise, residual_db, run, taps, write_wav};

fn from(path: &Path) -> Vec<(&'static str, Value)> {
    vec![("file", path.to_str().unwrap().into())]
}

/// Builds an f64 array in `NumPy`'s format.
fn array(values: &[f64], shape: &str, kind: &str) -> Vec<u8> {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    match kind {
        "<f4" => values.iter().for_each(|value| bytes.extend((*value as f32).to_le_bytes())),
        _ => values.iter().for_each(|value| bytes.extend(value.to_le_bytes())),
    }
    bytes
}

#[test]
fn every_format_gives_the_taps() {
    let folder = tempfile::tempdir().unwrap();
    let values = [0.5, -0.25, 0.125, 1e-3];
    let short = values.map(|value| f64::from(value as f32));
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("a.txt"), "# taps\n0.5 -0.25\n\n0.125 # third\n1e-3\n").unwrap();
    std::fs::write(path("b.csv"), "0.5,-0.25;0.125,\r\n0.001\r\n").unwrap();
    std::fs::write(path("c.npy"), array(&values, "(4,)", "<f8")).unwrap();
    std::fs::write(path("d.npy"), array(&values, "(4, 1)", "<f4")).unwrap();
    write_wav(&path("e.wav"), 44_100, &[values.map(|value| value as f32).to_vec()]);
    for (name, wanted) in [("a.txt", values), ("b.csv", values), ("c.npy", values), ("d.npy", short), ("e.wav", short)]
    {
        let effect = make("fir", &from(&path(name)));
        // The taps are not resampled at any rate.
        for hz in [8000, 44_100, 96_000] {
            assert_eq!(taps(effect.as_ref(), hz), (wanted.to_vec(), 0), "{name}");
        }
        assert_eq!(effect.latency_frames(format(48_000, 1)), 0);
        assert_eq!(effect.tail_frames(format(48_000, 1)), 3);
        let input = noise(7, 3000);
        let output = run(effect.as_ref(), 48_000, &AudioBuffer::from_channels(vec![input.clone()]), &[256]);
        assert!(residual_db(output.channel(0), &wanted, 0, &input) < -130.0);
    }
}

#[test]
fn the_same_from_both_ends_is_of_linear_phase() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("taps.txt");
    for (text, lag) in [("1 2 3 2 1", 2), ("1 2 2 1", 1), ("-1 0 1", 1), ("1 2 3 2 1.1", 0), ("4", 0)] {
        std::fs::write(&path, text).unwrap();
        let effect = make("fir", &from(&path));
        assert_eq!(taps(effect.as_ref(), 48_000).1, lag, "{text}");
        assert_eq!(effect.latency_frames(format(48_000, 1)), lag, "{text}");
    }
    std::fs::write(&path, "0.1 0.2 0.4 0.2 0.1").unwrap();
    let mut early = from(&path);
    early.push(("phase", "minimum".into()));
    let (values, lag) = taps(make("fir", &early).as_ref(), 48_000);
    assert_eq!(lag, 0);
    assert!(values[0] > 0.2 && (values.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{values:?}");
}

#[test]
fn a_changed_file_is_seen_and_a_missing_one_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("taps.txt");
    std::fs::write(&path, "1 0.5").unwrap();
    let effect = make("fir", &from(&path));
    let before = effect.files();
    assert_eq!((before.len(), &before[0].path), (1, &path));
    assert_eq!(taps(effect.as_ref(), 48_000).0, [1.0, 0.5]);
    std::fs::write(&path, "1 0.25").unwrap();
    assert_eq!(taps(effect.as_ref(), 48_000).0, [1.0, 0.25]);
    let after = effect.files();
    assert!(after[0].content.is_some() && after[0].content != before[0].content, "another content");
    std::fs::remove_file(&path).unwrap();
    let message = effect.stage(format(48_000, 1), None).unwrap_err().to_string();
    assert!(message.contains("The file does not exist") && message.contains("taps.txt"), "{message}");
    assert_eq!(effect.files(), [FileDependency { path: path.clone(), content: None }]);
}

#[test]
fn what_is_no_list_of_taps_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let stereo = folder.path().join("stereo.wav");
    write_wav(&stereo, 44_100, &[vec![1.0; 4], vec![1.0; 4]]);
    let mut cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("a.txt", b"1 2\n3 x4\n".to_vec(), "Line 2: \"x4\" is not a number"),
        ("b.txt", b"# nothing\n".to_vec(), "no taps"),
        ("c.txt", b"1 NaN".to_vec(), "Tap 2 is not a finite number"),
        ("d.txt", vec![0xff, 0xfe, 0x00], "not a text file"),
        ("e.npy", array(&[1.0; 4], "(2, 2)", "<f8"), "one dimension"),
        ("f.npy", array(&[1.0; 4], "(4,)", "<i8"), "must be 32- or 64-bit floats"),
        ("g.npy", array(&[1.0; 4], "(5,)", "<f8"), "cut off"),
        ("h.npy", array(&[1.0; 4], "(99999999999999999999,)", "<f8"), "header is damaged"),
        ("i.npy", array(&[1.0; 4], "(4000000,)", "<f8"), "is limited to"),
        ("j.npy", b"\x93NUMPY\x01\x00".to_vec(), "header is damaged"),
        ("k.npy", b"\x93NUMPY\x01\x00\xff\xff{}".to_vec(), "header is damaged"),
    ];
    cases.push(("stereo.wav", std::fs::read(&stereo).unwrap(), "2 channels"));
    for (name, bytes, said) in cases {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let message = make("fir", &from(&path)).stage(format(48_000, 1), None).unwrap_err().to_string();
        assert!(message.contains(said), "{name}: {message}");
    }
}
