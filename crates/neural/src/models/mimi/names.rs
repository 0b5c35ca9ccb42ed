//! The authors' checkpoint of Mimi (`tokenizer-....safetensors`): other names, and no configuration.

use super::Configuration;
use crate::weights::Weights;
use base::error::{Error, Result};

/// The components of a head of the published model.
const HEAD_WIDTH: usize = 64;

/// Returns whether the tensors have the names of the `moshi` package.
pub fn is_of_package(weights: &Weights) -> bool {
    weights.names().any(|name| name.starts_with("quantizer.rvq_first."))
}

/// Returns the names that the package can have for a tensor.
pub fn of_package(name: &str) -> Vec<String> {
    if name.contains("_transformer.") {
        let mut name = name.replace("_transformer.layers", "_transformer.transformer.layers");
        for (from, to) in [
            ("self_attn.o_proj", "self_attn.out_proj"),
            ("mlp.fc1", "linear1"),
            ("mlp.fc2", "linear2"),
            ("input_layernorm", "norm1"),
            ("post_attention_layernorm", "norm2"),
            ("self_attn_layer_scale", "layer_scale_1"),
            ("mlp_layer_scale", "layer_scale_2"),
        ] {
            name = name.replace(from, to);
        }
        let newer = name.replace("in_proj_weight", "in_projs.0.weight").replace("out_proj.", "out_projs.0.");
        return vec![name, newer];
    }
    if name.starts_with("quantizer.") {
        let name = name.replace("semantic_residual_vector_quantizer", "rvq_first");
        let name = name.replace("acoustic_residual_vector_quantizer", "rvq_rest");
        let name = name.replace(".layers.", ".vq.layers.").replace(".codebook.", "._codebook.");
        return vec![name.replace("embed_sum", "embedding_sum")];
    }
    match name.split_once('.') {
        Some(("downsample", _)) => vec![name.replace("downsample.conv", "downsample.conv.conv.conv")],
        Some(("upsample", _)) => vec![name.replace("upsample.conv", "upsample.convtr.convtr.convtr")],
        _ => {
            let name = name.replace(".layers.", ".model.");
            ["conv", "convtr"].map(|kind| name.replace(".conv.", &format!(".{kind}.{kind}."))).to_vec()
        }
    }
}

/// Returns whether only training needs a tensor.
pub fn is_training(name: &str) -> bool {
    ["initialized", "_initialized"].iter().any(|end| name.rsplit('.').next() == Some(end))
}

/// Returns the configuration of the published model, with the widths and numbers that the tensors have.
pub fn told_by_shapes(weights: &Weights, spelled: fn(&str) -> Vec<String>) -> Result<Configuration> {
    let shape = |name: &str| -> Result<Vec<usize>> {
        let found = spelled(name).iter().find_map(|name| weights.entry(name)).map(|entry| entry.shape.clone());
        found.filter(|shape| !shape.is_empty()).ok_or_else(|| {
            Error::invalid("weights of Mimi", format!("no `{name}` as expected"), "the layers of Mimi in their order")
        })
    };
    let mut configuration = Configuration::read(&serde_json::Map::new())?;
    let first = shape("encoder.layers.0.conv.weight")?;
    configuration.form.filters = first[0];
    configuration.form.hidden = shape("decoder.layers.0.conv.weight")?.get(1).copied().unwrap_or(0);
    let hidden = configuration.form.hidden;
    let count = |name: &dyn Fn(usize) -> String| (0..1024).take_while(|&n| shape(&name(n)).is_ok()).count();
    configuration.layers = count(&|n| format!("encoder_transformer.layers.{n}.mlp.fc1.weight"));
    configuration.inner = shape("encoder_transformer.layers.0.mlp.fc1.weight")?[0];
    configuration.heads = if hidden >= 2 * HEAD_WIDTH { hidden / HEAD_WIDTH } else { 8 };
    configuration.key_heads = configuration.heads;
    configuration.head_width = hidden / configuration.heads;
    configuration.upsample_groups = match shape("upsample.conv.weight")?.get(1) {
        Some(&of_group) if of_group > 0 => (hidden / of_group).max(1),
        _ => hidden.max(1),
    };
    let book =
        |part: &str, n: usize| format!("quantizer.{part}_residual_vector_quantizer.layers.{n}.codebook.embed_sum");
    let rows = shape(&book("semantic", 0))?;
    (configuration.book_size, configuration.book_width) = (rows[0], rows.get(1).copied().unwrap_or(0));
    configuration.semantic_books = count(&|n| book("semantic", n));
    configuration.books = configuration.semantic_books + count(&|n| book("acoustic", n));
    configuration.check()?;
    Ok(configuration)
}
