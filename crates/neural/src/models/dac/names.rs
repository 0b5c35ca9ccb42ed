//! Checkpoints of the DAC package: other names, and hyperparameters beside the tensors.

use super::Configuration;
use crate::weights::Weights;
use base::error::{Error, Result};
use base::units::SampleRate;

/// Returns whether the tensors have the names of `descript-audio-codec`.
pub fn is_of_package(weights: &Weights) -> bool {
    weights.names().any(|name| name.starts_with("decoder.model.0."))
}

/// Returns the names that the package can have for a tensor: it numbers the parts of encoder and decoder consecutively,
/// and how many stages precede the last parts depends on the model.
pub fn of_package(name: &str) -> Vec<String> {
    let place: Vec<&str> = name.split('.').collect();
    let (part, list) = match place[0] {
        "encoder" => ("encoder", "block"),
        "decoder" => ("decoder", "model"),
        _ => return vec![name.to_owned()],
    };
    let rest = |from: usize| place[from..].join(".");
    if place.get(1) != Some(&"block") {
        let after = |stages: usize, more: usize| format!("{part}.{list}.{}.{}", stages + more, rest(2));
        return match place.get(1) {
            Some(&"conv1") => vec![format!("{part}.{list}.0.{}", rest(2))],
            Some(&"snake1") => (1..=8).map(|stages| after(stages, 1)).collect(),
            _ => (1..=8).map(|stages| after(stages, 2)).collect(),
        };
    }
    let stage = place.get(2).and_then(|stage| stage.parse::<usize>().ok()).unwrap_or(0) + 1;
    // In the encoder the residual units come first, in the decoder last.
    let (units, snake, convolution) = if part == "encoder" { (0, 3, 4) } else { (2, 0, 1) };
    let unit = place.get(3).and_then(|unit| unit.strip_prefix("res_unit")).and_then(|unit| unit.parse::<usize>().ok());
    let inner = match (unit, place.get(3)) {
        (Some(unit), _) => {
            let inner = match place.get(4) {
                Some(&"snake1") => 0,
                Some(&"conv1") => 1,
                Some(&"snake2") => 2,
                _ => 3,
            };
            format!("{}.block.{inner}.{}", units + unit - 1, rest(5))
        }
        (None, Some(&"snake1")) => format!("{snake}.{}", rest(4)),
        _ => format!("{convolution}.{}", rest(4)),
    };
    vec![format!("{part}.{list}.{stage}.block.{inner}")]
}

/// Derives the configuration from the shapes of the tensors. The sample rate is in the checkpoint's hyperparameters;
/// without them, as in a lone `safetensors` file, it is that of the published model with the same hop and number of
/// books.
pub fn told_by_shapes(weights: &Weights, spelled: fn(&str) -> Vec<String>) -> Result<Configuration> {
    let shape = |name: &str| {
        let ends = ["", "_v", ".original1"];
        let full = |end: &&str| match *end {
            ".original1" => name.replace(".weight", ".parametrizations.weight.original1"),
            end => format!("{name}{end}"),
        };
        let found = ends.iter().find_map(|end| spelled(&full(end)).iter().find_map(|name| weights.entry(name)));
        found.map(|entry| entry.shape.clone())
    };
    let layer = |name: &str| -> Result<[usize; 3]> {
        shape(name).and_then(|shape| shape.try_into().ok()).ok_or_else(|| no_layer(name))
    };
    let ratios = |part: &str, name: &str| -> Vec<usize> {
        let taps = |stage| layer(&format!("{part}.block.{stage}.{name}.weight")).ok().map(|[_, _, taps]| taps / 2);
        (0..8).map_while(taps).collect()
    };
    let [encoder_width, _, _] = layer("encoder.conv1.weight")?;
    let [decoder_width, hidden, _] = layer("decoder.conv1.weight")?;
    let book = |n: usize| shape(&format!("quantizer.quantizers.{n}.codebook.weight"));
    let books = (0..1024).take_while(|&n| book(n).is_some()).count();
    let (book_size, book_width) = match book(0).as_deref() {
        Some(&[size, width]) => (size, width),
        _ => return Err(no_layer("quantizer.quantizers.0.codebook.weight")),
    };
    let encoder_ratios = ratios("encoder", "conv1");
    let hop = encoder_ratios.iter().product::<usize>();
    let named = weights.metadata().pointer("/metadata/kwargs/sample_rate").and_then(serde_json::Value::as_u64);
    let hz = match (named, hop, books) {
        (Some(hz), ..) => u32::try_from(hz).unwrap_or(0),
        (None, 320, 12) => 16_000,
        (None, 320, _) => 24_000,
        (None, 512, _) => 44_100,
        _ => {
            let got = format!("a hop of {hop} frames and {books} books, without a configuration");
            let allowed =
                "of the published models (320 with 12 or 32 books, 512), or in a folder with its `config.json`";
            return Err(Error::invalid("weights of DAC", got, allowed));
        }
    };
    let configuration = Configuration {
        rate: SampleRate::new(hz)?,
        encoder_width,
        encoder_ratios,
        decoder_width,
        decoder_ratios: ratios("decoder", "conv_t1"),
        hidden,
        books,
        book_size,
        book_width,
    };
    configuration.check()?;
    Ok(configuration)
}

fn no_layer(layer: &str) -> Error {
    Error::invalid("weights of DAC", format!("no `{layer}` as expected"), "the layers of DAC in their order")
}
