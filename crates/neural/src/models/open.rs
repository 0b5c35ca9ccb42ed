//! Weights to models.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::dac::Dac;
use super::encodec::Encodec;
use super::mimi::Mimi;
use super::{CodecKind, CodecModel};
use crate::weights::Weights;
use base::error::{Error, Result};

/// Opens the codec model of a weight file, or of a folder with `config.json`. It is recognised by its tensors.
///
/// # Errors
/// [`Error::Unsupported`] for weights of something else.
pub fn open_codec(weights: &Weights) -> Result<Arc<dyn CodecModel>> {
    let configuration = configuration(weights.metadata());
    Ok(match kind_of(weights) {
        Some(CodecKind::Encodec) => Arc::new(Encodec::new(configuration, weights)?),
        Some(CodecKind::Dac) => Arc::new(Dac::new(configuration, weights)?),
        Some(CodecKind::Mimi) => Arc::new(Mimi::new(configuration, weights)?),
        None => return Err(unknown(weights.path())),
    })
}

/// Returns the kind of codec that the tensors belong to.
pub(super) fn kind_of(weights: &Weights) -> Option<CodecKind> {
    CodecKind::ALL.into_iter().find(|kind| match kind {
        CodecKind::Encodec => Encodec::is_in(weights),
        CodecKind::Dac => Dac::is_in(weights),
        CodecKind::Mimi => Mimi::is_in(weights),
    })
}

/// Returns the configuration of `transformers`, which names its kind of model. A checkpoint's metadata does not count.
fn configuration(metadata: &Value) -> Option<&Map<String, Value>> {
    metadata.as_object().filter(|values| values.get("model_type").is_some_and(Value::is_string))
}

fn unknown(path: &Path) -> Error {
    Error::unsupported(
        format!("This model ({})", path.display()),
        "Its tensors are not those of EnCodec, DAC or Mimi, in the naming of transformers or of their own projects.",
    )
}
