//! The tensors and settings that identify a kind of model, as named by its project and by `transformers`.

use serde_json::Value;

use super::kind::ModelKind;
use crate::models::CodecKind;
use crate::models::demucs::HybridDemucs;
use crate::models::open::kind_of as codec_kind_of;
use crate::weights::Weights;

/// The kind of model, or a sentence saying why it is not known.
type Outcome = Result<ModelKind, String>;

/// Returns the kind of model that the tensors belong to.
pub fn kind_of(weights: &Weights) -> Outcome {
    match codec_kind_of(weights) {
        Some(CodecKind::Encodec) => encodec(weights),
        Some(CodecKind::Dac) => dac(weights),
        Some(CodecKind::Mimi) => Ok(ModelKind::Mimi),
        None if HybridDemucs::is_in(weights) => Ok(ModelKind::Demucs),
        None => Err(unknown(weights)),
    }
}

/// Returns whether only the training reads a tensor: EnCodec's and Mimi's running averages and flags.
pub fn is_of_training(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_codebook = name.contains("codebook.");
    // Mimi divides its sums by `cluster_usage`; EnCodec has the quotient itself.
    is_codebook && matches!(last, "inited" | "cluster_size" | "embed_avg" | "initialized" | "_initialized")
}

fn unknown(weights: &Weights) -> String {
    let count = weights.names().count();
    let Some(first) = weights.names().next() else { return "The file contains no tensors".into() };
    format!(
        "These weights are not of a model that Undertone knows ({}). They have {count} tensors, the first of which is \
         `{first}`",
        ModelKind::ALL.map(ModelKind::title).join(", ")
    )
}

fn encodec(weights: &Weights) -> Outcome {
    // Other codecs are made of EnCodec's layers, with an LSTM of both directions or with more beside it.
    let is_own = |name: &str| {
        ["encoder.", "decoder.", "quantizer."].iter().any(|part| name.starts_with(part)) && !name.ends_with("_reverse")
    };
    if let Some(foreign) = weights.names().find(|name| !is_own(name)) {
        return Err(format!(
            "These weights are like EnCodec's, but have the tensor `{foreign}`, which EnCodec has not"
        ));
    }
    // The model for 48 kHz normalises over time, the one for 24 kHz does not.
    let has_norm = ["encoder.model.0.conv.norm.weight", "encoder.layers.0.norm.weight"];
    let by_layers = if has_norm.iter().any(|name| weights.entry(name).is_some()) { 48_000 } else { 24_000 };
    match configured_hz(weights, "encodec").unwrap_or(by_layers) {
        24_000 => Ok(ModelKind::Encodec24),
        48_000 => Ok(ModelKind::Encodec48),
        hz => Err(format!("This is EnCodec at {hz} Hz; Undertone knows those at 24,000 and 48,000 Hz")),
    }
}

fn dac(weights: &Weights) -> Outcome {
    // SNAC has the same names, but convolutions of one channel each.
    let unit = ["encoder.block.1.block.0.block.1", "encoder.block.0.res_unit1.conv1"];
    let unit = unit.iter().find_map(|layer| convolution(weights, layer));
    if unit.is_none_or(|[outputs, inputs, _]| outputs != inputs) {
        return Err(unknown(weights));
    }
    let stated = weights.metadata().pointer("/metadata/kwargs/sample_rate").and_then(Value::as_u64);
    let hz = configured_hz(weights, "dac").or(stated).or_else(|| hz_by_layers(weights));
    match hz {
        Some(16_000) => Ok(ModelKind::Dac16),
        Some(24_000) => Ok(ModelKind::Dac24),
        Some(44_100) => Ok(ModelKind::Dac44),
        Some(hz) => Err(format!("This is DAC at {hz} Hz; Undertone knows those at 16,000, 24,000 and 44,100 Hz")),
        None => {
            Err("This is DAC, but neither its settings nor its layers tell the sample rate. Choose the folder with \
             its `config.json`"
                .into())
        }
    }
}

/// The sample rate of the published model with this hop and number of books.
fn hz_by_layers(weights: &Weights) -> Option<u64> {
    let strided = |stage: usize| {
        let name = format!("encoder.block.{}.block.4", stage + 1);
        convolution(weights, &name).or_else(|| convolution(weights, &format!("encoder.block.{stage}.conv1")))
    };
    // A stage's convolution has twice as many taps as it steps.
    let hop: usize = (0..8).map_while(strided).map(|[_, _, taps]| (taps / 2).clamp(1, 64)).product();
    let has_book = |n: &usize| weights.entry(&format!("quantizer.quantizers.{n}.codebook.weight")).is_some();
    match (hop, (0..64).take_while(has_book).count()) {
        (320, 12) => Some(16_000),
        (320, 32) => Some(24_000),
        (512, _) => Some(44_100),
        _ => None,
    }
}

/// The sample rate that a configuration of this type states.
fn configured_hz(weights: &Weights, model_type: &str) -> Option<u64> {
    let config = weights.metadata();
    let is_own = config.get("model_type").and_then(Value::as_str) == Some(model_type);
    config.get("sampling_rate").and_then(Value::as_u64).filter(|_| is_own)
}

/// The shape of a convolution's weights, with weight norm in any spelling or without.
fn convolution(weights: &Weights, layer: &str) -> Option<[usize; 3]> {
    let ends = ["weight", "weight_v", "parametrizations.weight.original1"];
    let entry = ends.iter().find_map(|end| weights.entry(&format!("{layer}.{end}")))?;
    entry.shape.as_slice().try_into().ok()
}
