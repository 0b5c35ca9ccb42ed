//! Files of PyTorch and of safetensors, against what `tests/reference/weights.py` put into them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use base::Error;
use neural::weights::Weights;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Expected {
    files: BTreeMap<String, File>,
}

#[derive(Deserialize)]
struct File {
    tensors: BTreeMap<String, Tensor>,
    metadata: Value,
}

#[derive(Deserialize)]
struct Tensor {
    shape: Vec<usize>,
    dtype: String,
    numbers: String,
}

impl Tensor {
    fn numbers(&self) -> Vec<f32> {
        self.numbers.split_whitespace().map(|number| number.parse().unwrap()).collect()
    }
}

pub fn reference(name: &str) -> PathBuf {
    crate::support::reference("weights").join(name)
}

fn expected() -> BTreeMap<String, File> {
    let expected: Expected = serde_json::from_str(include_str!("../../reference/weights/expected.json")).unwrap();
    expected.files
}

/// The name that PyTorch gives a number format.
fn torch_name(name: &str) -> String {
    let name = name.replace("bf", "bfloat");
    match name.as_bytes() {
        [b'f', ..] => name.replace('f', "float"),
        [b'i', ..] => name.replace('i', "int"),
        [b'u', ..] => name.replace('u', "uint"),
        _ => name,
    }
}

#[test]
fn tensors_have_the_names_shapes_formats_and_numbers_that_were_saved() {
    let files = expected();
    assert_eq!(files.len(), 6);
    for (file, holds) in files {
        let weights = Weights::open(&reference(&file)).unwrap();
        let names: Vec<&str> = weights.names().collect();
        assert_eq!(names, holds.tensors.keys().map(String::as_str).collect::<Vec<_>>(), "{file}");
        for (name, tensor) in &holds.tensors {
            let entry = weights.entry(name).unwrap();
            assert_eq!(entry.shape, tensor.shape, "{file}: {name}");
            assert_eq!(torch_name(&entry.dtype.to_string()), tensor.dtype, "{file}: {name}");
            let numbers = weights.tensor(name, &tensor.shape).unwrap();
            let bits = |numbers: &[f32]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&numbers), bits(&tensor.numbers()), "{file}: {name}: {numbers:?}");
        }
        assert_eq!(*weights.metadata(), holds.metadata, "{file}");
    }
}

#[test]
fn a_tensor_that_is_missing_or_misshapen_is_named_with_what_was_expected() {
    let weights = Weights::open(&reference("varied.pt")).unwrap();
    let words = |name: &str, shape: &[usize]| weights.tensor(name, shape).unwrap_err().to_string();
    let path = reference("varied.pt");
    assert_eq!(
        words("view.part", &[3, 2]),
        format!("The tensor `view.part` has the shape [2, 3]; [3, 2] was expected: {}", path.display())
    );
    assert_eq!(
        words("view.none", &[3, 2]),
        format!("The tensor `view.none` is missing; one of the shape [3, 2] was expected: {}", path.display())
    );
}

#[test]
fn what_nobody_read_is_listed() {
    let weights = Weights::open(&reference("audiotools.pth")).unwrap();
    let used: BTreeSet<String> = ["0.weight", "1.weight"].map(str::to_owned).into();
    assert_eq!(weights.surplus(&used), ["0.bias", "1.bias"]);
    assert_eq!(weights.parameters(), 6 + 2 + 12 + 2);
    assert_eq!(weights.bytes(), std::fs::metadata(reference("audiotools.pth")).unwrap().len());
}

#[test]
fn the_content_identifies_a_model_wherever_it_lies() {
    let folder = tempfile::tempdir().unwrap();
    let (copy, original) = (folder.path().join("other.name"), reference("varied.safetensors"));
    std::fs::copy(&original, &copy).unwrap();
    let hash = |path: &Path| Weights::open(path).unwrap().content_hash().unwrap();
    assert_eq!(hash(&copy), hash(&original));
    assert_eq!(hash(&original), blake3::hash(&std::fs::read(&original).unwrap()).to_hex().as_str());
    let mut bytes = std::fs::read(&original).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&copy, bytes).unwrap();
    assert_ne!(hash(&copy), hash(&original), "one bit differs");
}

#[test]
fn a_configuration_belongs_to_what_identifies_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(reference("folder")).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    let hash = |path: &Path| Weights::open(path).unwrap().content_hash().unwrap();
    assert_eq!(hash(folder.path()), hash(&reference("folder")));
    std::fs::write(folder.path().join("config.json"), r#"{"model_type": "dac"}"#).unwrap();
    assert_ne!(hash(folder.path()), hash(&reference("folder")));
}

#[test]
fn a_file_that_changes_while_it_is_open_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights.pt");
    for cut in [true, false] {
        std::fs::copy(reference("varied.pt"), &path).unwrap();
        let weights = Weights::open(&path).unwrap();
        assert!(weights.tensor("view.whole", &[4, 6]).is_ok());
        let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        if cut {
            file.set_len(100).unwrap();
        } else {
            file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        }
        let error = weights.tensor("view.whole", &[4, 6]).unwrap_err();
        assert!(matches!(&error, Error::Malformed { reason, .. } if reason.contains("while it was in use")), "{error}");
        assert!(weights.content_hash().is_err());
    }
}
