//! Models are recognised by their tensors: those of full-size models of each project and of `transformers`
//! (`tests/reference/models.py`), in files with the names and shapes, and holes in place of the numbers.

use std::path::PathBuf;

use neural::models::{Model, ModelKind, find, recognise};

use crate::support::models::{Described, described};

impl Described {
    fn recognised(&self, with_config: bool) -> Result<Model, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        self.write(&path);
        if with_config {
            std::fs::write(folder.path().join("config.json"), self.config.as_ref().unwrap().to_string()).unwrap();
            return recognise(folder.path()).map_err(|error| error.sentences());
        }
        recognise(&path).map_err(|error| error.sentences())
    }
}

fn kind(name: &str) -> ModelKind {
    let name = name.split(' ').next().unwrap();
    ModelKind::ALL.into_iter().find(|kind| kind.name() == name).unwrap()
}

/// The numbers of the codebooks, which PyTorch does not count among the parameters of EnCodec and Mimi.
fn codebooks(described: &Described) -> u64 {
    let is_book = |name: &&String| {
        ["codebook.embed", "codebook.embed_sum", "codebook.cluster_usage"].iter().any(|end| name.ends_with(end))
    };
    let books = described.tensors.keys().filter(is_book);
    books.map(|name| described.tensors[name].1.iter().product::<usize>() as u64).sum()
}

#[test]
fn models_are_told_by_their_tensors_alone_and_with_a_configuration() {
    let all = described();
    assert_eq!(all.len(), 13);
    for (name, described) in &all {
        for with_config in [false, true].into_iter().filter(|with| !with || described.config.is_some()) {
            let model = described.recognised(with_config).unwrap();
            assert_eq!(model.kind, kind(name), "{name}");
            assert_eq!(model.parameters, described.parameters + codebooks(described), "{name}");
            assert!(model.bytes > 4 * model.parameters, "{name}");
        }
    }
}

#[test]
fn a_configuration_or_metadata_decide_the_rate_over_the_layers() {
    let all = described();
    let mut other = all["encodec_24khz transformers"].clone();
    other.config.as_mut().unwrap()["sampling_rate"] = 32_000.into();
    assert!(other.recognised(true).unwrap_err().starts_with("This is EnCodec at 32000 Hz; Undertone knows"));
    let mut other = all["dac_24khz transformers"].clone();
    other.config.as_mut().unwrap()["sampling_rate"] = 16_000.into();
    assert_eq!(other.recognised(true).unwrap().kind, ModelKind::Dac16);
    // Without any, the number of books decides; a number that no published model has decides nothing.
    let mut other = all["dac_24khz own"].clone();
    other.tensors.retain(|name, _| !name.starts_with("quantizer.quantizers.31."));
    assert!(other.recognised(false).unwrap_err().contains("neither its settings nor its layers tell"));
}

#[test]
fn codecs_that_are_made_of_the_same_layers_are_not_taken_for_them() {
    let all = described();
    let mut foreign = all["encodec_24khz own"].clone();
    foreign.tensors.insert("transform.weight".into(), ("float32".into(), vec![1024, 768]));
    assert!(
        foreign.recognised(false).unwrap_err().contains("have the tensor `transform.weight`, which EnCodec has not")
    );
    let mut foreign = all["encodec_24khz own"].clone();
    foreign.tensors.insert("encoder.model.13.lstm.weight_ih_l0_reverse".into(), ("float32".into(), vec![4, 4]));
    assert!(foreign.recognised(false).unwrap_err().contains("lstm.weight_ih_l0_reverse`"));
    // SNAC has DAC's names, with convolutions of one channel each.
    let mut foreign = all["dac_44khz own"].clone();
    let unit = foreign.tensors.get_mut("encoder.block.1.block.0.block.1.weight_v").unwrap();
    unit.1[1] = 1;
    assert!(
        foreign.recognised(false).unwrap_err().starts_with("These weights are not of a model that Undertone knows")
    );
}

#[test]
fn htdemucs_is_known() {
    let tensor = |shape: &[usize]| ("float16".to_owned(), shape.to_vec());
    let tensors = [
        ("tencoder.0.conv.weight", tensor(&[48, 2, 8])),
        ("crosstransformer.layers.0.linear1.weight", tensor(&[2048, 512])),
    ];
    let tensors = tensors.map(|(name, tensor)| (name.to_owned(), tensor)).into();
    let model = Described { config: None, parameters: 0, tensors }.recognised(false).unwrap();
    assert_eq!((model.kind, model.parameters), (ModelKind::Demucs, 48 * 16 + 2048 * 512));
}

fn weights(name: &str) -> PathBuf {
    crate::support::reference("weights").join(name)
}

#[test]
fn what_is_no_model_is_said_to_be_none_with_what_was_found() {
    let error = recognise(&weights("varied.pt")).unwrap_err().to_string();
    assert!(error.contains("They have 22 tensors, the first of which is `empty`"), "{error}");
    let error = recognise(&weights("calls.pt")).unwrap_err().to_string();
    assert!(error.contains("`posix.system`"), "{error}");
}

#[test]
fn folders_are_searched_for_weights_of_any_name() {
    let all = described();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    assert_eq!(find(&[folder.path().into()]).len(), 1);
    assert!(find(&[folder.path().into()])[0].model.as_ref().unwrap_err().to_string().contains("no weight files"));
    std::fs::create_dir_all(at("hub/models--x/snapshots/0")).unwrap();
    all["mimi transformers"].write(&at("hub/models--x/snapshots/0/model.safetensors"));
    std::fs::write(at("hub/models--x/snapshots/0/config.json"), r#"{"model_type": "mimi"}"#).unwrap();
    all["dac_44khz own"].write(&at("a-weights-without-extension"));
    std::fs::copy(weights("varied.pt"), at("other.pt")).unwrap();
    std::fs::copy(weights("varied.pt"), at("other.picture")).unwrap();
    std::fs::write(at("notes.txt"), "not weights").unwrap();
    std::fs::write(at("broken.safetensors"), "not weights").unwrap();
    let found = find(&[folder.path().into(), at("notes.txt"), at("missing")]);
    let shown: Vec<(String, Option<ModelKind>)> = found
        .iter()
        .map(|found| {
            let path = found.path.strip_prefix(folder.path()).unwrap().to_string_lossy().replace('\\', "/");
            (path, found.model.as_ref().ok().map(|model| model.kind))
        })
        .collect();
    let shown: Vec<(&str, Option<ModelKind>)> = shown.iter().map(|(path, kind)| (path.as_str(), *kind)).collect();
    assert_eq!(
        shown,
        [
            ("a-weights-without-extension", Some(ModelKind::Dac44)),
            ("broken.safetensors", None),
            ("hub/models--x/snapshots/0", Some(ModelKind::Mimi)),
            ("other.picture", None),
            ("other.pt", None),
            ("notes.txt", None),
            ("missing", None),
        ]
    );
}

#[test]
fn each_kind_has_a_name_a_licence_and_a_source() {
    for kind in ModelKind::ALL {
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        assert!(kind.licence().ends_with('.') && kind.licence().contains(['M', 'C']), "{kind:?}");
        assert!(!kind.title().is_empty() && !kind.source().is_empty());
    }
}
