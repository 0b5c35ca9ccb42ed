//! Tensors and configurations that do not fit.

use std::path::Path;

use neural::models::open_codec;
use neural::weights::Weights;
use serde_json::{Value, json};

use super::{MODELS, fixture};

/// A weight file with all that another has, changed.
struct Tensors(Vec<(String, Vec<usize>, Vec<f32>)>);

impl Tensors {
    fn of(name: &str) -> Self {
        let weights = Weights::open(&fixture(name)).unwrap();
        let all = weights.names().map(|name| {
            let shape = weights.entry(name).unwrap().shape.clone();
            (name.to_owned(), shape.clone(), weights.tensor(name, &shape).unwrap())
        });
        Self(all.collect())
    }

    fn write(&self, folder: &Path, configuration: &Value) {
        let (mut header, mut data) = (serde_json::Map::new(), Vec::<u8>::new());
        for (name, shape, values) in &self.0 {
            let start = data.len();
            data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            header.insert(name.clone(), json!({"dtype": "F32", "shape": shape, "data_offsets": [start, data.len()]}));
        }
        let header = serde_json::to_vec(&header).unwrap();
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend(header);
        bytes.extend(data);
        std::fs::write(folder.join("model.safetensors"), bytes).unwrap();
        std::fs::write(folder.join("config.json"), configuration.to_string()).unwrap();
    }
}

fn configuration(name: &str) -> Value {
    serde_json::from_slice(&std::fs::read(fixture(name).join("config.json")).unwrap()).unwrap()
}

fn error_of(tensors: &Tensors, configuration: &Value) -> String {
    let folder = tempfile::tempdir().unwrap();
    tensors.write(folder.path(), configuration);
    match Weights::open(folder.path()).and_then(|weights| open_codec(&weights)) {
        Ok(model) => panic!("opened as {:?}", model.facts()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn tensors_that_do_not_fit_are_named() {
    for name in MODELS {
        let (tensors, configuration) = (Tensors::of(name), configuration(name));
        // One of each kind: every seventh.
        for n in (0..tensors.0.len()).step_by(7) {
            let tensor = tensors.0[n].0.clone();
            let is_kept_for_training =
                ["inited", "cluster_size", "embed_avg", "initialized"].iter().any(|end| tensor.ends_with(end));
            if is_kept_for_training {
                continue;
            }
            let mut missing = Tensors(tensors.0.clone());
            missing.0.remove(n);
            let error = error_of(&missing, &configuration);
            let layer = tensor.rsplit_once('.').unwrap().0;
            assert!(error.contains(layer), "{tensor} missing: {error}");
            let mut misshapen = Tensors(tensors.0.clone());
            misshapen.0[n].1.push(1);
            let error = error_of(&misshapen, &configuration);
            let shape = format!("{:?}", tensors.0[n].1);
            assert!(error.contains(&tensor) && error.contains(&shape), "{tensor} misshapen: {error}");
            let mut wrong = Tensors(tensors.0.clone());
            wrong.0[n].2[0] = f32::NAN;
            let error = error_of(&wrong, &configuration);
            assert!(error.contains(&tensor) && error.contains("NaN"), "{tensor} with NaN: {error}");
        }
        let mut surplus = Tensors(tensors.0.clone());
        surplus.0.push(("encoder.extra.weight".into(), vec![2], vec![0.0; 2]));
        let error = error_of(&surplus, &configuration);
        assert!(error.contains("encoder.extra.weight"), "{error}");
    }
}

#[test]
fn hostile_configurations_are_refused() {
    let cases = [
        ("encodec_24khz", "num_filters", json!(0)),
        ("encodec_24khz", "num_filters", json!(1u64 << 40)),
        ("encodec_24khz", "num_filters", json!("32")),
        ("encodec_24khz", "upsampling_ratios", json!([])),
        ("encodec_24khz", "upsampling_ratios", json!([0, 2])),
        ("encodec_24khz", "upsampling_ratios", json!([1000, 1000, 1000])),
        ("encodec_24khz", "compress", json!(0)),
        ("encodec_24khz", "sampling_rate", json!(0)),
        ("encodec_24khz", "sampling_rate", json!(-24000)),
        ("encodec_24khz", "codebook_size", json!(1u64 << 60)),
        ("encodec_24khz", "target_bandwidths", json!([])),
        ("encodec_24khz", "target_bandwidths", json!([1e9])),
        ("encodec_24khz", "target_bandwidths", json!([0.01])),
        ("encodec_24khz", "dilation_growth_rate", json!(1e30)),
        ("encodec_24khz", "trim_right_ratio", json!(0.5)),
        ("encodec_24khz", "norm_type", json!("time_group_norm")),
        ("encodec_24khz", "norm_type", json!("layer_norm")),
        ("encodec_24khz", "use_causal_conv", json!(false)),
        ("encodec_48khz", "chunk_length_s", json!(1e300)),
        ("encodec_48khz", "chunk_length_s", json!(0)),
        ("encodec_48khz", "overlap", json!(0.8)),
        ("dac_44khz", "downsampling_ratios", json!([1, 512])),
        ("dac_44khz", "downsampling_ratios", json!([2, 4, 8, 4])),
        ("dac_44khz", "n_codebooks", json!(0)),
        ("dac_44khz", "decoder_hidden_size", json!(33)),
        ("mimi", "num_attention_heads", json!(0)),
        ("mimi", "num_key_value_heads", json!(3)),
        ("mimi", "head_dim", json!(3)),
        ("mimi", "sliding_window", json!(0)),
        ("mimi", "frame_rate", json!(0)),
        ("mimi", "frame_rate", json!(25)),
        ("mimi", "num_semantic_quantizers", json!(5)),
        ("mimi", "upsample_groups", json!(7)),
        ("mimi", "rope_parameters", json!({"rope_theta": 1e300})),
        ("mimi", "hidden_act", json!("relu")),
        ("mimi", "use_causal_conv", json!(false)),
    ];
    for (model, key, value) in cases {
        let mut configuration = configuration(model);
        configuration[key] = value.clone();
        let error = error_of(&Tensors::of(model), &configuration);
        assert!(!error.is_empty(), "{model}: {key} {value}");
        println!("{model} {key} {value}: {error}");
    }
}

#[test]
fn other_weights_are_said_to_be_none() {
    let folder = tempfile::tempdir().unwrap();
    let other = Tensors(vec![("model.layer.weight".into(), vec![1], vec![1.0])]);
    other.write(folder.path(), &json!({"model_type": "encodec"}));
    let error = open_codec(&Weights::open(folder.path()).unwrap()).unwrap_err().to_string();
    assert!(error.contains("EnCodec, DAC or Mimi"), "{error}");
}
