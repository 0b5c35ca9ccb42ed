//! Weight files that are cut, wrong or made to harm.

use std::path::Path;

use neural::weights::Weights;

use super::weights::reference;
use crate::support::torch_file::{Described, StoredEntry, dictionary, int, tensor, text, torch_file, zip};

fn words(path: &Path) -> String {
    Weights::open(path).unwrap_err().sentences()
}

fn words_of(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights");
    std::fs::write(&path, bytes).unwrap();
    words(&path)
}

/// Two numbers at the storage 0.
const PLAIN: Described =
    Described { storage_type: "FloatStorage", key: "0", numbers: 2, offset: 0, shape: &[2], strides: &[1] };

fn with(described: &Described) -> Vec<u8> {
    torch_file(&dictionary(&[("weight", tensor(described))]), &[vec![0; 8]])
}

#[test]
fn the_files_that_these_tests_build_are_right_but_for_what_they_spoil() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights");
    let pickle = dictionary(&[("weight", tensor(&PLAIN)), ("note", text("n")), ("count", int(-3))]);
    std::fs::write(&path, torch_file(&pickle, &[[1.5f32, -2.0].map(f32::to_le_bytes).concat()])).unwrap();
    let weights = Weights::open(&path).unwrap();
    assert_eq!(weights.tensor("weight", &[2]).unwrap(), [1.5, -2.0]);
    assert_eq!(*weights.metadata(), serde_json::json!({"note": "n", "count": -3}));
}

#[test]
fn nothing_is_executed_and_unknown_names_are_refused() {
    for (file, name) in
        [("calls.pt", "posix.system"), ("names.pt", "posix.system"), ("module.pt", "torch.nn.modules.linear.Linear")]
    {
        let error = words(&reference(file));
        assert!(error.starts_with(&format!("The file names `{name}`, which is not part of a weight file;")), "{error}");
        assert!(!Path::new("executed").exists());
    }
    // Such a name is text only as the class of Demucs.
    let klass = |key: &str| dictionary(&[(key, b"cos\nsystem\n".to_vec()), ("state", tensor(&PLAIN))]);
    assert!(words_of(&torch_file(&klass("other"), &[vec![0; 8]])).contains("`os.system`"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights");
    std::fs::write(&path, torch_file(&klass("klass"), &[vec![0; 8]])).unwrap();
    assert_eq!(Weights::open(&path).unwrap().metadata()["klass"], "os.system");
    // A class that is known but not a function of the format is not called either.
    let call = dictionary(&[("x", b"ctorch\nFloatStorage\n)R".to_vec())]);
    assert!(words_of(&torch_file(&call, &[])).contains("`torch.FloatStorage`"));
}

#[test]
fn files_of_other_kinds_are_named() {
    assert!(words(&reference("legacy.pt")).contains("before version 1.6"));
    assert!(words(&reference("list.pt")).contains("does not contain tensors by name"));
    assert!(words(&reference("complex.pt")).contains("`weight` has numbers of a format that is not read"));
    assert_eq!(words_of(b""), "The file is empty.");
    assert!(words_of(b"version https://git-lfs.github.com/spec/v1\noid").contains("pointer of Git LFS"));
    assert!(words_of(b"RIFF....WAVEfmt ................................").starts_with("This is not a weight file"));
    assert!(words_of(b"{\"a\": 1}").contains("not an index of weight files"));
    assert!(words_of(&zip(&[StoredEntry::new("x.txt", b"x")])).contains("does not contain one `data.pkl`"));
    let script = [StoredEntry::new("a/data.pkl", b"."), StoredEntry::new("a/constants.pkl", b".")];
    assert!(words_of(&zip(&script)).contains("TorchScript"));
}

#[test]
fn every_place_where_a_file_can_be_cut_gives_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["varied.safetensors", "demucs.th"] {
        let path = folder.path().join(name);
        std::fs::copy(reference(name), &path).unwrap();
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        for end in (0..file.metadata().unwrap().len()).rev() {
            file.set_len(end).unwrap();
            assert!(Weights::open(&path).is_err(), "{name} cut at {end}");
        }
    }
}

#[test]
fn pipes_devices_and_folders_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(words(folder.path()).contains("it has no `config.json`"));
    std::fs::write(folder.path().join("config.json"), "{}").unwrap();
    assert!(words(folder.path()).contains("but no `model.safetensors`"));
    std::fs::write(folder.path().join("config.json"), "[]").unwrap();
    assert!(words(folder.path()).contains("not a JSON object"));
    #[cfg(unix)]
    {
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [pipe.as_path(), Path::new("/dev/zero")] {
            assert!(words(path).starts_with("This is not a regular file"), "{}", path.display());
        }
    }
}

#[test]
fn an_index_names_files_beside_it_only() {
    for name in ["../x.safetensors", "/etc/passwd", "a/b", ".", "", "..", "a\\b", "c:x"] {
        let index = serde_json::json!({"weight_map": {"a": name}}).to_string();
        assert!(words_of(index.as_bytes()).contains("which is not a file beside it"), "{name}");
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(reference("varied.safetensors"), folder.path().join("part")).unwrap();
    let index = folder.path().join("index");
    std::fs::write(&index, r#"{"weight_map": {"number": "part", "missing": "part"}}"#).unwrap();
    assert!(words(&index).contains("the tensor `missing` is in \"part\", where it is not"));
    // An index does not lead to another.
    std::fs::write(folder.path().join("part"), r#"{"weight_map": {"number": "part"}}"#).unwrap();
    assert!(words(&index).starts_with("This is not a weight file"));
}

#[test]
fn headers_of_safetensors_that_lie_are_refused() {
    let file =
        |header: &str, data: usize| [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &vec![0; data]].concat();
    let tensor =
        |shape: &str, from: u64, to: u64| format!(r#"{{"dtype":"F32","shape":{shape},"data_offsets":[{from},{to}]}}"#);
    let one = |shape: &str, from, to, data| words_of(&file(&format!(r#"{{"a":{}}}"#, tensor(shape, from, to)), data));
    for wrong in [
        one("[2]", 0, 4, 4),
        one("[2]", 4, 12, 12),
        one("[-2]", 0, 8, 8),
        one("[4294967296,4294967296,4]", 0, 8, 8),
        one("[18446744073709551615]", 0, 8, 8),
        words_of(&file(&format!(r#"{{"a":{},"b":{}}}"#, tensor("[2]", 0, 8), tensor("[2]", 4, 12)), 12)),
        words_of(&file(&format!(r#"{{"a":{},"b":{}}}"#, tensor("[2]", 0, 8), tensor("[2]", 12, 20)), 20)),
    ] {
        assert!(wrong.contains("header of the safetensors file is damaged"), "{wrong}");
    }
    assert!(one("[2]", 0, 8, 7).contains("describes 8 bytes of numbers, and 7 are there"));
    assert!(one("[2]", 0, 8, 9).contains("describes 8 bytes of numbers, and 9 are there"));
    assert!(one("[1,1,1,1,1,1,1,1,2]", 0, 8, 8).contains("`a` has the shape"));
    let mut long = file("{}", 0);
    long[..8].copy_from_slice(&(1u64 << 39).to_le_bytes());
    assert!(words_of(&long).contains("header of a safetensors file"), "{}", words_of(&long));
    assert!(words_of(&file(&"{\"a\":".repeat(100_000), 0)).contains("damaged"), "deep nesting");
}

#[test]
fn tensors_of_pickles_that_lie_are_refused_by_name() {
    let wrong = [
        (Described { offset: 1, ..PLAIN }, "`weight` reaches beyond its data"),
        (Described { offset: i64::MAX, ..PLAIN }, "`weight` reaches beyond its data"),
        (Described { offset: -1, ..PLAIN }, "`weight` has no offset"),
        (Described { shape: &[3], ..PLAIN }, "`weight` reaches beyond its data"),
        (Described { shape: &[-1], ..PLAIN }, "`weight` has no shape"),
        (Described { strides: &[2], ..PLAIN }, "`weight` reaches beyond its data"),
        (Described { strides: &[-1], ..PLAIN }, "`weight` has no strides"),
        (Described { strides: &[], ..PLAIN }, "`weight` has 1 dimensions, but 0 strides"),
        (Described { shape: &[2, 1 << 40], strides: &[1, 0], ..PLAIN }, "2^40 numbers are read"),
        (Described { shape: &[2, 1 << 30], strides: &[1, 0], ..PLAIN }, "but its data are 2 numbers"),
        (Described { shape: &[1 << 62, 1 << 62], ..PLAIN }, "2^40 numbers are read"),
        (Described { shape: &[0, 1 << 62], strides: &[1, 1], ..PLAIN }, "2^40 numbers are read"),
        (Described { shape: &[2, 2], strides: &[1, 1], numbers: 2, ..PLAIN }, "`weight` has overlapping parts"),
        (Described { shape: &[1; 9], strides: &[1; 9], ..PLAIN }, "at most 8 dimensions"),
        (Described { numbers: 3, ..PLAIN }, "needs 3 numbers of f32, and its data have 8 bytes"),
        (Described { numbers: i64::MAX, ..PLAIN }, "numbers of f32, and its data have 8 bytes"),
        (Described { key: "1", ..PLAIN }, "has its data in \"archive/data/1\", which the file does not contain"),
        (Described { key: "../data.pkl", ..PLAIN }, "which the file does not contain"),
        (Described { storage_type: "QInt8Storage", ..PLAIN }, "`weight` has numbers of a format that is not read"),
    ];
    for (number, (described, expected)) in wrong.into_iter().enumerate() {
        let error = words_of(&with(&described));
        assert!(error.contains(expected), "case {number}: {error}");
    }
}

#[test]
fn two_places_of_a_view_do_not_share_a_number() {
    let view = Described { numbers: 6, shape: &[2, 3], strides: &[1, 1], ..PLAIN };
    let file = torch_file(&dictionary(&[("weight", tensor(&view))]), &[vec![0; 24]]);
    assert!(words_of(&file).contains("has overlapping parts"), "{}", words_of(&file));
}

#[test]
fn zip_files_that_lie_are_refused() {
    let pickle = dictionary(&[("weight", tensor(&PLAIN))]);
    let entries = |change: &dyn Fn(&mut Vec<StoredEntry>)| {
        let mut entries =
            vec![StoredEntry::new("archive/data.pkl", &pickle), StoredEntry::new("archive/data/0", &[0; 8])];
        change(&mut entries);
        words_of(&zip(&entries))
    };
    let compressed = entries(&|entries| entries[1].method = 8);
    assert!(compressed.contains("\"archive/data/0\" is compressed, which PyTorch does not do"), "{compressed}");
    let long = entries(&|entries| entries[1].claimed_bytes = Some(u32::MAX - 1));
    assert!(long.contains("damaged at its entry \"archive/data/0\""), "{long}");
    let beyond = entries(&|entries| entries[1].claimed_header = Some(u32::MAX - 1));
    assert!(beyond.contains("ends at byte"), "{beyond}");
    let inside = entries(&|entries| entries[1].claimed_header = Some(1));
    assert!(inside.contains("damaged at its entry"), "{inside}");
    let twice = entries(&|entries| entries[1].name = b"archive/data.pkl".to_vec());
    assert!(twice.contains("has the entry \"archive/data.pkl\" twice"), "{twice}");
    let not_text = entries(&|entries| entries[1].name = b"archive/data/\xff".to_vec());
    assert!(not_text.contains("directory of the zip file is damaged"), "{not_text}");
    let big = entries(&|entries| entries.push(StoredEntry::new("archive/byteorder", b"big")));
    assert!(big.contains("big-endian"), "{big}");
    // Two entries in one place: the second one's header is the first one's.
    let both = dictionary(&[("a", tensor(&PLAIN)), ("b", tensor(&Described { key: "1", ..PLAIN }))]);
    let mut overlapping =
        ["data.pkl", "data/0", "data/1"].map(|name| StoredEntry::new(&format!("archive/{name}"), &[0; 8]));
    overlapping[0].data.clone_from(&both);
    overlapping[2].claimed_header = Some((30 + "archive/data.pkl".len() + both.len()) as u32);
    let error = words_of(&zip(&overlapping));
    assert!(error.contains("two entries in one place"), "{error}");
}

#[test]
fn pickles_that_lie_nest_or_grow_are_refused_in_bounded_memory() {
    let of = |pickle: &[u8]| words_of(&torch_file(pickle, &[vec![0; 8]]));
    for (pickle, expected) in [
        (b"\x80\x02".as_slice(), "ends at byte 2"),
        (b".", "damaged"),
        (b"\x80\x02}q\x00", "ends at byte"),
        (b"h\x05.", "damaged at byte 0"),
        (b"j\xff\xff\xff\xff.", "damaged at byte 0"),
        (b"X\xff\xff\xff\xffabc", "before its data"),
        (b"\x8d\xff\xff\xff\xff\xff\xff\xff\xffabc", "before its data"),
        (b"\x8c\x01\xff.", "not UTF-8"),
        (b"\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01.", "integer of 9 bytes"),
        (b"I1\n.", "instruction 0x49 at byte 0"),
        (b"\x82\x01.", "instruction 0x82"),
        (b"(((t.", "does not contain tensors"),
        (b"t.", "damaged"),
        (b"(0.", "damaged"),
        (b"Na.", "damaged"),
        (b"}(Nu.", "damaged"),
        (b"N)R.", "damaged"),
        (b"cos\nsystem", "damaged"),
        (b"}}Ns.", "keys are not text"),
        (b"}}N\x86.", "does not contain tensors"),
    ] {
        let error = of(pickle);
        assert!(error.contains(expected), "{pickle:?}: {error}");
    }
    // A list that contains itself, and one that is nested 100,000 deep.
    assert!(of(b"}(X\x01\0\0\0a]q\0h\0au.").contains("nested deeper than 32"));
    let deep = [b"}(X\x01\0\0\0a".as_slice(), &[b']'; 100_000], &[b'a'; 99_999], b"u."].concat();
    assert!(of(&deep).contains("nested deeper than 32"));
    // A dictionary that contains itself.
    assert!(of(b"}q\0X\x01\0\0\0ah\0s.").contains("nested deeper than 8"));
    // Each list contains the one before it twice: 2^30 values if expanded.
    let mut doubling = b"]q\x000".to_vec();
    for level in 0..29u8 {
        doubling.extend([b']', b'q', level + 1, b'(', b'h', level, b'h', level, b'e', b'0']);
    }
    doubling.extend(b"}(X\x01\0\0\0ah\x1du.");
    assert!(of(&doubling).contains("more values than a model's settings"), "{}", of(&doubling));
    // The same text a thousand times.
    let long = text(&"x".repeat(1 << 16));
    let repeated = [b"}(X\x01\0\0\0a](".as_slice(), &long, b"q\0", &b"h\0".repeat(1000), b"eu."].concat();
    assert!(of(&repeated).contains("more values than a model's settings"));
    assert!(of(&[b']'; 1_100_000]).contains("more than 1000000 objects"));
    let memos = [b"]".as_slice(), &[0x94; 1_100_000], b"."].concat();
    assert!(of(&memos).contains("keeps"), "{}", of(&memos));
}

#[test]
fn names_of_tensors_are_text_of_bounded_length_and_stand_once() {
    let named = |name: &str| torch_file(&dictionary(&[(name, tensor(&PLAIN))]), &[vec![0; 8]]);
    assert!(words_of(&named(&"n".repeat(513))).contains("name of 513 bytes"));
    assert!(words_of(&named("")).contains("name of 0 bytes"));
    let twice = dictionary(&[("a", tensor(&PLAIN)), ("a", tensor(&PLAIN))]);
    assert!(words_of(&torch_file(&twice, &[vec![0; 8]])).contains("two tensors of one name"));
    let keys = [b"\x80\x02}(N".as_slice(), &tensor(&PLAIN), b"u."].concat();
    assert!(words_of(&torch_file(&keys, &[vec![0; 8]])).contains("keys are not text"));
}
