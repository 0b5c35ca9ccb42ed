//! Files of units, against those that the Python packages write (`tests/reference/unit_files.py`).

use std::path::{Path, PathBuf};

use base::Error;
use neural::codecs::Units;
use neural::codecs::unit_files::{
    DacFile, EcdcFile, EcdcModel, EcdcSegment, UnitFile, npy_bytes, read_scales, scales_bytes,
};

fn reference(name: &str) -> PathBuf {
    crate::support::reference("unit_files").join(name)
}

/// The same as `codes` in `tests/reference/unit_files.py`.
fn codes(books: i32, count: i32, start: i32) -> Vec<Vec<i32>> {
    (0..books).map(|book| (0..count).map(|place| (book * 331 + place * 97 + start) % 1024).collect()).collect()
}

fn words(path: &Path) -> String {
    UnitFile::read(path).unwrap_err().sentences()
}

fn words_of(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("units");
    std::fs::write(&path, bytes).unwrap();
    words(&path)
}

#[test]
fn arrays_of_every_kind_of_integer_and_order_are_read() {
    let expected = UnitFile::Npy(Units::new(10, codes(3, 5, 0)).unwrap());
    for name in
        ["int64", "int32", "int16", "uint16", "big", "fortran", "batch", "batch_fortran", "version2", "version3"]
    {
        assert_eq!(UnitFile::read(&reference(&format!("{name}.npy"))).unwrap(), expected, "{name}");
    }
}

#[test]
fn arrays_are_written_as_numpy_writes_them() {
    let bytes = npy_bytes(&Units::new(10, codes(3, 5, 0)).unwrap());
    assert_eq!(bytes, std::fs::read(reference("int64.npy")).unwrap());
    // A book without codes is written and read too.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.npy");
    let empty = Units::new(1, vec![Vec::new(); 2]).unwrap();
    std::fs::write(&path, npy_bytes(&empty)).unwrap();
    assert_eq!(UnitFile::read(&path).unwrap(), UnitFile::Npy(empty));
}

#[test]
fn arrays_that_are_not_units_are_refused_with_the_reason() {
    for (name, expected) in [
        ("floats.npy", "The numbers have the format \"<f4\"; units are integers of 8 to 64 bits."),
        ("negative.npy", "The file has the unit -5; units are 0 to 2147483647."),
        ("fields.npy", "The array has numbers of several kinds side by side; one kind is read."),
        ("objects.npy", "This .npy file holds objects of Python other than those of a .dac file."),
    ] {
        assert_eq!(words(&reference(name)), expected, "{name}");
    }
    let several = words(&reference("several.npy"));
    assert!(several.starts_with("The array has the shape [2, 3, 5]; units have (books, codes)"), "{several}");
    let whole = std::fs::read(reference("int16.npy")).unwrap();
    for end in 0..whole.len() {
        assert!(!words_of(&whole[..end]).is_empty(), "cut at {end}");
    }
    let longer = [whole, vec![0]].concat();
    assert!(words_of(&longer).starts_with("The file says 3 x 5 numbers of 2 bytes each, and has 31 bytes"));
}

fn encodec24() -> EcdcFile {
    EcdcFile {
        model: EcdcModel::Khz24,
        frames: 1000,
        books: 3,
        segments: vec![EcdcSegment { scale: None, codes: codes(3, 4, 0) }],
    }
}

fn encodec48() -> EcdcFile {
    EcdcFile {
        model: EcdcModel::Khz48,
        frames: 53_600,
        books: 2,
        segments: vec![
            EcdcSegment { scale: Some(0.125), codes: codes(2, 150, 0) },
            EcdcSegment { scale: Some(0.25), codes: codes(2, 19, 500) },
        ],
    }
}

#[test]
fn containers_of_encodec_are_read_and_written_as_its_package_does() {
    for (name, file) in [("encodec24.ecdc", encodec24()), ("encodec48.ecdc", encodec48())] {
        assert_eq!(UnitFile::read(&reference(name)).unwrap(), UnitFile::Ecdc(file.clone()), "{name}");
        assert_eq!(file.bytes().unwrap(), std::fs::read(reference(name)).unwrap(), "{name}");
    }
}

#[test]
fn the_codes_of_all_segments_go_into_a_container_and_come_out_of_it() {
    for file in [encodec24(), encodec48()] {
        let units = file.units().unwrap();
        assert_eq!(units.books().len(), file.books);
        assert_eq!(units.scales().len(), if file.model == EcdcModel::Khz48 { 2 } else { 0 });
        assert_eq!(EcdcFile::of(file.model, file.frames, &units).unwrap(), file);
        let error = EcdcFile::of(file.model, file.frames + 320, &units).unwrap_err();
        assert!(error.to_string().contains(" codes and "), "{error}");
    }
    // A length at which the package's reader expects a code too many.
    let units = Units::new(10, codes(2, 21, 0)).unwrap();
    assert!(EcdcFile::of(EcdcModel::Khz24, 6720, &units).unwrap().bytes().is_ok());
    let beyond =
        EcdcFile { segments: vec![EcdcSegment { scale: Some(0.0), codes: codes(2, 1, 0) }], frames: 1, ..encodec48() };
    assert!(beyond.units().is_err());
}

#[test]
fn scales_are_written_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.scales.npy");
    std::fs::write(&path, scales_bytes(&[0.5, 2.0])).unwrap();
    assert_eq!(read_scales(&path).unwrap(), [0.5, 2.0]);
    std::fs::copy(reference("int16.npy"), &path).unwrap();
    assert!(read_scales(&path).unwrap_err().to_string().contains("has 30 bytes"));
    std::fs::write(&path, [scales_bytes(&[0.5]), vec![0]].concat()).unwrap();
    assert!(read_scales(&path).is_err());
    std::fs::write(&path, "text").unwrap();
    assert!(read_scales(&path).unwrap_err().to_string().contains("not a NumPy array"));
}

#[test]
fn containers_of_encodec_that_lie_are_refused() {
    let model = UnitFile::read(&reference("language_model.ecdc")).unwrap_err();
    assert!(matches!(model, Error::Unsupported { .. }), "{model}");
    assert!(model.to_string().contains("Only that model can unpack it"), "{model}");
    for name in ["encodec24.ecdc", "encodec48.ecdc"] {
        let whole = std::fs::read(reference(name)).unwrap();
        for end in 0..whole.len() {
            assert!(!words_of(&whole[..end]).is_empty(), "{name} cut at {end}");
        }
        assert!(words_of(&[whole, vec![0]].concat()).contains("has 1 bytes more"));
    }
    let with = |json: &str| {
        words_of(&[b"ECDC\0", (json.len() as u32).to_be_bytes().as_slice(), json.as_bytes(), &[0; 64]].concat())
    };
    let header = |m: &str, al: &str, nc: &str| format!(r#"{{"m": "{m}", "al": {al}, "nc": {nc}, "lm": false}}"#);
    assert!(with(&header("encodec_32khz", "1", "1")).contains("\"encodec_32khz\", which is not known"));
    assert!(with(&header("encodec_24khz", "1", "0")).contains("has 0 books"));
    assert!(with(&header("encodec_24khz", "1", "33")).contains("has 33 books; this model has 1 to 32"));
    assert!(with(&header("encodec_24khz", "-1", "1")).contains("header of the .ecdc file is damaged"));
    for frames in [u64::MAX, 1 << 40] {
        for model in ["encodec_24khz", "encodec_48khz"] {
            assert!(with(&header(model, &frames.to_string(), "2")).contains("ends before its segment"), "{model}");
        }
    }
    assert!(words_of(b"ECDC\x01\0\0\0\0").contains("has version 1"));
    assert!(words_of(b"ECDC\0\xff\xff\xff\xff").contains("ends within its header"));
    let mut nan = std::fs::read(reference("encodec48.ecdc")).unwrap();
    let scale = nan.iter().position(|&byte| byte == b'}').unwrap() + 1;
    nan[scale..scale + 4].copy_from_slice(&f32::NAN.to_be_bytes());
    assert!(words_of(&nan).contains("is not a number"));
}

#[test]
fn what_a_container_cannot_hold_is_not_written() {
    let change = |change: &dyn Fn(&mut EcdcFile)| {
        let mut file = encodec48();
        change(&mut file);
        file.bytes().unwrap_err().to_string()
    };
    assert!(change(&|file| file.frames = 1).contains("segments"));
    assert!(change(&|file| file.segments[0].scale = None).contains("number at 48 kHz only"));
    assert!(change(&|file| file.segments[1].codes[0][0] = 1024).contains("1024"));
    assert!(change(&|file| file.segments[1].codes[0].truncate(18)).contains("2 books of 19 codes"));
    assert!(change(&|file| file.books = 17).contains("1 to 16"));
}

fn stereo() -> DacFile {
    let channel = |start| Units::new(10, codes(3, 8, start)).unwrap();
    DacFile {
        channels: vec![channel(0), channel(7)],
        chunk_length: 4,
        original_length: 4000,
        input_db: -23.25,
        sample_rate: 44_100,
        padding: false,
    }
}

#[test]
fn containers_of_dac_are_read_from_every_version_of_numpy() {
    for name in ["stereo.dac", "protocol3.dac", "protocol4.dac", "ours.dac"] {
        assert_eq!(UnitFile::read(&reference(name)).unwrap(), UnitFile::Dac(stereo()), "{name}");
    }
}

/// `python tests/reference/unit_files.py check` reads this file with DAC's package.
#[test]
fn containers_of_dac_are_written_as_the_package_was_seen_to_read_them() {
    let bytes = stereo().bytes().unwrap();
    if std::env::var_os("UNDERTONE_WRITE_UNIT_FILES").is_some() {
        std::fs::write(reference("ours.dac"), &bytes).unwrap();
    }
    assert_eq!(bytes, std::fs::read(reference("ours.dac")).unwrap());
}

#[test]
fn containers_of_dac_that_lie_are_refused_and_run_nothing() {
    let calls = words(&reference("calls.dac"));
    assert!(calls.starts_with("The file names `builtins.print`, which is not part of a weight file"), "{calls}");
    let whole = std::fs::read(reference("ours.dac")).unwrap();
    for end in 0..whole.len() {
        assert!(!words_of(&whole[..end]).is_empty(), "cut at {end}");
    }
    // The same bytes with other values: each is looked for behind its name.
    let changed = |name: &str, skip: usize, value: &[u8]| {
        let mut file = whole.clone();
        let at = file.windows(name.len()).position(|part| part == name.as_bytes()).unwrap() + name.len() + skip;
        file[at..at + value.len()].copy_from_slice(value);
        words_of(&file)
    };
    assert!(changed("chunk_length", 2, &0i64.to_le_bytes()).contains("`chunk_length` of the .dac file is 0"));
    assert!(changed("channels", 2, &3i64.to_le_bytes()).contains("says 3 channels and has 2"));
    assert!(changed("sample_rate", 2, &0i64.to_le_bytes()).contains("`sample_rate`"));
    assert!(changed("sample_rate", 2, &(1i64 << 40).to_le_bytes()).contains("`sample_rate`"));
    assert!(changed("original_length", 2, &(-1i64).to_le_bytes()).contains("`original_length`"));
    assert!(changed("dac_version", 5, b"9").contains("has the version \"9.0.0\""));
    assert!(changed("padding", 0, b"N").contains("neither true nor false"));
    let short = DacFile { channels: Vec::new(), ..stereo() };
    assert!(short.bytes().is_err());
    let wide = DacFile { channels: vec![Units::new(17, vec![vec![65_536]]).unwrap()], ..stereo() };
    assert!(wide.bytes().unwrap_err().to_string().contains("65536"));
}
