//! Tensors, configurations and files that do not fit.

use neural::models::demucs::HybridDemucs;
use neural::models::{ModelKind, recognise};
use neural::weights::Weights;
use serde_json::{Value, json};

use super::{HYBRID, MODELS, open, unpacked};

/// A `safetensors` file in parts: header, numbers.
struct File {
    header: serde_json::Map<String, Value>,
    data: Vec<u8>,
}

impl File {
    fn read() -> Self {
        Self::of(MODELS[0])
    }

    fn of(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bytes = std::fs::read(unpacked(name, folder.path())).unwrap();
        let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        Self { header: serde_json::from_slice(&bytes[8..8 + length]).unwrap(), data: bytes[8 + length..].to_vec() }
    }

    fn error(&self) -> String {
        let folder = tempfile::tempdir().unwrap();
        let header = serde_json::to_vec(&self.header).unwrap();
        let bytes = [(header.len() as u64).to_le_bytes().as_slice(), &header, &self.data].concat();
        let path = folder.path().join("model.safetensors");
        std::fs::write(&path, bytes).unwrap();
        match Weights::open(&path).and_then(|weights| HybridDemucs::new(&weights)) {
            Ok(_) => "opened".into(),
            Err(error) => error.to_string(),
        }
    }

    /// Changes one of the arguments of the class.
    fn with(mut self, name: &str, value: Value) -> Self {
        let metadata = &mut self.header["__metadata__"];
        let mut kwargs: Value = serde_json::from_str(metadata["kwargs"].as_str().unwrap()).unwrap();
        kwargs[name] = value;
        metadata["kwargs"] = kwargs.to_string().into();
        self
    }
}

#[test]
fn files_say_what_they_are() {
    for (name, bottom, stems) in [("four.safetensors", Some(16), 4), ("six.th", None, 6)] {
        let folder = tempfile::tempdir().unwrap();
        let found = recognise(&unpacked(name, folder.path())).unwrap();
        assert_eq!(found.kind, ModelKind::Demucs);
        let model = open(name);
        let of = model.configuration();
        let size = of.transformer.unwrap();
        assert_eq!((size.bottom, of.sources.len(), of.segment_frames, size.layers), (bottom, stems, 6000, 5));
        assert_eq!(&of.sources[3], "vocals");
    }
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(recognise(&unpacked(HYBRID, folder.path())).unwrap().kind, ModelKind::Demucs);
    let model = open(HYBRID);
    let of = model.configuration();
    assert_eq!((of.transformer, of.merging, of.segment_frames), (None, Some(3), 5000));
    assert_eq!(File::read().error(), "opened");
}

#[test]
fn tensors_that_do_not_fit_are_named() {
    let of = |model: &'static str| {
        let names: Vec<String> =
            File::of(model).header.keys().filter(|name| *name != "__metadata__").cloned().collect();
        names.into_iter().map(move |name| (model, name))
    };
    assert!(of(MODELS[0]).count() > 400 && of(HYBRID).count() > 300);
    for (model, name) in of(MODELS[0]).chain(of(HYBRID)).step_by(31) {
        let name = &name;
        // Missing: under another name, which is then left over.
        let mut file = File::of(model);
        let entry = file.header.remove(name).unwrap();
        file.header.insert("another".into(), entry.clone());
        let message = file.error();
        assert!(message.contains(&format!("`{name}` is missing")), "{message}");
        // Of another shape.
        let mut file = File::of(model);
        let shape = entry["shape"].as_array().unwrap();
        let mut longer = vec![json!(1)];
        longer.extend(shape.iter().cloned());
        file.header[name]["shape"] = longer.into();
        let message = file.error();
        assert!(message.contains(name) && message.contains("was expected"), "{message}");
        // Not a number.
        let mut file = File::of(model);
        let at = entry["data_offsets"][0].as_u64().unwrap() as usize;
        file.data[at..at + 2].copy_from_slice(&0x7e00_u16.to_le_bytes());
        let message = file.error();
        assert!(message.contains(name) && message.contains("NaN"), "{message}");
    }
    let mut file = File::read();
    file.header.insert(
        "surplus".into(),
        json!({ "dtype": "F16", "shape": [0], "data_offsets": [file.data.len(), file.data.len()] }),
    );
    assert!(file.error().contains("`surplus`"), "{}", file.error());
}

#[test]
fn configurations_that_cannot_be_are_refused_by_name() {
    for (name, value, said) in [
        ("sources", json!([]), "`sources`"),
        ("sources", json!("drums"), "`sources`"),
        ("segment", json!({ "_type": "fraction", "numerator": 3, "denominator": 0 }), "`segment`"),
        ("segment", json!(1e9), "`segment`"),
        ("segment", json!("x/y"), "`segment`"),
        ("segment", json!(0.1), "segment of Demucs"),
        ("audio_channels", json!(1), "`audio_channels`"),
        ("channels", json!(0), "`channels`"),
        ("channels", json!(60_000), "channels"),
        ("growth", json!(1.5), "`growth`"),
        ("depth", json!(0), "`depth`"),
        ("nfft", json!(2000), "nfft"),
        ("nfft", json!(512), "nfft"),
        ("kernel_size", json!(6), "kernel size"),
        ("dconv_comp", json!(9), "dconv_comp"),
        ("norm_starts", json!(2), "norm_starts"),
        ("t_heads", json!(3), "transformer"),
        ("t_heads", json!(0), "`t_heads`"),
        ("t_layers", json!(0), "`t_layers`"),
        ("samplerate", json!(0), "`samplerate`"),
        ("cac", json!(false), "`cac`"),
        ("multi_freqs", json!([0.5]), "`multi_freqs`"),
        ("t_emb", json!("cape"), "`t_emb`"),
        ("t_norm_in_group", json!(4), "`t_norm_in_group`"),
        ("use_train_segment", json!(false), "`use_train_segment`"),
    ] {
        let message = File::read().with(name, value.clone()).error();
        assert!(message.to_lowercase().contains(&said.to_lowercase()), "{name} {value}: {message}");
    }
    for (name, value, said) in [
        ("hybrid", json!(false), "`hybrid`"),
        ("hybrid_old", json!(true), "`hybrid_old`"),
        ("nfft", json!(128), "norm_starts"),
        ("nfft", json!(96), "nfft"),
        ("nfft", json!(72), "nfft"),
        ("depth", json!(3), "is missing"),
        ("time_stride", json!(3), "time_stride"),
        ("time_stride", json!(0), "`time_stride`"),
        ("norm_starts", json!(2), "norm_starts"),
        ("norm_groups", json!(3), "norm_groups"),
        ("dconv_lstm", json!(0), "dconv_lstm"),
        ("dconv_attn", json!(1), "dconv_attn"),
        ("dconv_comp", json!(8), "dconv_comp"),
    ] {
        let message = File::of(HYBRID).with(name, value.clone()).error();
        assert!(message.to_lowercase().contains(&said.to_lowercase()), "{name} {value}: {message}");
    }
    // Parameters that Demucs ignores are ignored.
    assert_eq!(File::read().with("of_another_version", json!(1)).error(), "opened");
    for (name, value, said) in [
        ("klass", json!("demucs.demucs.Demucs"), "demucs.demucs.demucs"),
        ("klass", json!(""), "class"),
        ("kwargs", json!("[]"), "kwargs"),
        ("kwargs", json!("{"), "kwargs"),
        ("args", json!("[3]"), "kwargs"),
    ] {
        let mut file = File::read();
        file.header["__metadata__"][name] = value;
        assert!(file.error().to_lowercase().contains(said), "{name}: {}", file.error());
    }
    let mut file = File::read();
    file.header.remove("__metadata__");
    assert!(file.error().contains("klass"), "{}", file.error());
}

#[test]
fn cut_files_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    for name in MODELS {
        let path = unpacked(name, folder.path());
        let bytes = std::fs::read(&path).unwrap();
        for part in [0, 7, 100, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..part]).unwrap();
            let opened = Weights::open(&path).and_then(|weights| HybridDemucs::new(&weights));
            assert!(opened.is_err(), "{name} cut to {part}");
        }
    }
}
