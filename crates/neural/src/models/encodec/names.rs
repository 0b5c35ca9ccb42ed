//! Checkpoints of the EnCodec package: other names, and no configuration.

use super::configuration::{Configuration, segment};
use crate::models::seanet::{Form, Style};
use crate::models::settings::bits_of;
use crate::network::Edge;
use crate::weights::Weights;
use base::error::{Error, Result};
use base::units::SampleRate;

/// Returns whether the tensors have the names of the `encodec` package.
pub fn is_of_package(weights: &Weights) -> bool {
    weights.names().any(|name| name.starts_with("encoder.model.0.conv.conv."))
        && weights.names().any(|name| name.starts_with("decoder.model.1.lstm."))
}

/// Returns the names that the package can have for a tensor: it calls transposed convolutions otherwise.
pub fn of_package(name: &str) -> Vec<String> {
    if let Some(book) = name.strip_prefix("quantizer.layers.") {
        return vec![format!("quantizer.vq.layers.{}", book.replace(".codebook.", "._codebook."))];
    }
    let name = name.replace(".layers.", ".model.");
    let of_kind = |kind: &str| {
        if name.contains(".norm.") {
            name.replace(".norm.", &format!(".{kind}.norm."))
        } else {
            name.replace(".conv.", &format!(".{kind}.{kind}."))
        }
    };
    vec![of_kind("conv"), of_kind("convtr")]
}

/// Returns whether only training needs a tensor.
pub fn is_training(name: &str) -> bool {
    ["inited", "cluster_size", "embed_avg"].iter().any(|end| name.rsplit('.').next() == Some(end))
}

/// Derives the configuration from the shapes of the tensors, except the sample rate: 24 kHz for the causal model and 48
/// kHz for the one that normalises over time, as published.
pub fn told_by_shapes(weights: &Weights, spelled: fn(&str) -> Vec<String>) -> Result<Configuration> {
    let shapes = Shapes { weights, spelled };
    let [filters, channels, kernel] = shapes.convolution("encoder.layers.0")?;
    let [narrow, width, block_kernel] = shapes.convolution("encoder.layers.1.block.1")?;
    let mut blocks = 1;
    while shapes.find(&format!("encoder.layers.{}.block.1", blocks + 1)).is_some() {
        blocks += 1;
    }
    // Blocks, ELU and a strided convolution a stage.
    let strided = |stage: usize| format!("encoder.layers.{}", (stage + 1) * (blocks + 2));
    let mut ratios = Vec::new();
    while let Some([outputs, inputs, taps]) = shapes.find(&strided(ratios.len())).filter(|_| ratios.len() < 8) {
        // The last convolution, which may be at such a place, has other shapes.
        if outputs != 2 * inputs || !taps.is_multiple_of(2) {
            break;
        }
        ratios.insert(0, taps / 2);
    }
    let after = 1 + ratios.len() * (blocks + 2);
    let recurrent = |n: usize| shapes.has(&format!("encoder.layers.{after}.lstm.weight_ih_l{n}"));
    let recurrent = (0..16).take_while(|&n| recurrent(n)).count();
    let [hidden, _, last_kernel] =
        shapes.convolution(&format!("encoder.layers.{}", after + 1 + usize::from(recurrent > 0)))?;
    let books = (0..1024).take_while(|n| shapes.has(&format!("quantizer.layers.{n}.codebook.embed"))).count();
    let book_size =
        shapes.shape("quantizer.layers.0.codebook.embed").and_then(|shape| shape.first().copied()).unwrap_or(0);
    let is_causal = !shapes.has("encoder.layers.0.norm.weight");
    let style = Style { is_causal, edge: Edge::Reflect, has_norm: !is_causal, has_bias: true };
    let form = Form {
        channels,
        filters,
        hidden,
        ratios,
        blocks,
        kernel,
        last_kernel,
        block_kernel,
        dilation_growth: 2,
        compress: width / narrow.max(1),
        recurrent,
        has_shortcut: shapes.find("encoder.layers.1.shortcut").is_some(),
        style,
    };
    let hz = if is_causal { 24_000 } else { 48_000 };
    let codes = f64::from(hz) / form.hop().max(1) as f64;
    let kbps = |books: usize| books as f64 * f64::from(bits_of(book_size)) * codes / 1000.0;
    let configuration = Configuration {
        rate: SampleRate::new(hz)?,
        segment: (!is_causal).then(|| segment(1.0, 0.01, hz as usize)),
        is_scaled: !is_causal,
        trained_kbps: [2, 4, 8, 16, 32].into_iter().filter(|&n| n < books).chain([books]).map(kbps).collect(),
        form,
        books,
        book_size,
    };
    let ratios = &configuration.form.ratios;
    if ratios.is_empty() || ratios.contains(&0) || configuration.form.compress == 0 {
        return Err(no_layer(&strided(0)));
    }
    configuration.check()?;
    Ok(configuration)
}

fn no_layer(layer: &str) -> Error {
    Error::invalid("weights of EnCodec", format!("no convolution `{layer}`"), "the layers of EnCodec in their order")
}

/// The shapes of the tensors of a file.
struct Shapes<'w> {
    weights: &'w Weights,
    spelled: fn(&str) -> Vec<String>,
}

impl Shapes<'_> {
    fn shape(&self, name: &str) -> Option<Vec<usize>> {
        (self.spelled)(name).iter().find_map(|name| self.weights.entry(name)).map(|entry| entry.shape.clone())
    }

    fn has(&self, name: &str) -> bool {
        self.shape(name).is_some()
    }

    /// The weights of a convolution, with weight norm in any spelling or without.
    fn find(&self, layer: &str) -> Option<[usize; 3]> {
        let ends = ["weight", "weight_v", "parametrizations.weight.original1"];
        let shape = ends.iter().find_map(|end| self.shape(&format!("{layer}.conv.{end}")))?;
        shape.try_into().ok()
    }

    fn convolution(&self, layer: &str) -> Result<[usize; 3]> {
        self.find(layer).ok_or_else(|| no_layer(layer))
    }
}
