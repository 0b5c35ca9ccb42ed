//! The configuration of Mimi.

use serde_json::{Map, Value};

use crate::models::seanet::{Form, Style};
use crate::models::settings::{MAX_SIZE, Settings};
use crate::network::Edge;
use base::error::{Error, Result};
use base::units::SampleRate;

/// The settings that determine a Mimi model.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// The layers of encoder and decoder.
    pub form: Form,
    /// The sample rate.
    pub rate: SampleRate,
    /// Vectors of the transformers for each code.
    pub ratio: usize,
    /// The groups of channels of the layer that makes these vectors of codes.
    pub upsample_groups: usize,
    /// The layers of each transformer.
    pub layers: usize,
    /// The width of a transformer's inner linear layers.
    pub inner: usize,
    /// The heads of the attention.
    pub heads: usize,
    /// The heads of its keys and values.
    pub key_heads: usize,
    /// The components of a head.
    pub head_width: usize,
    /// The vectors that one sees, itself included.
    pub window: usize,
    /// The base of the angles of positions.
    pub base: f32,
    /// The number that is added to variances.
    pub epsilon: f32,
    /// The number of books.
    pub books: usize,
    /// The number of books for the content of speech.
    pub semantic_books: usize,
    /// The codes of a book.
    pub book_size: usize,
    /// The components of a code.
    pub book_width: usize,
}

const MODEL: &str = "Mimi";

impl Configuration {
    /// Reads `config.json` of `transformers`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a value that the published model does not have.
    pub fn read(values: &Map<String, Value>) -> Result<Self> {
        let settings = Settings::new(MODEL, values);
        let size = |name, usual| settings.whole(name, usual, 1..=MAX_SIZE);
        let few = |name, usual| settings.whole(name, usual, 1..=64);
        let edge = match settings.word("pad_mode", "constant", &["constant", "zero", "reflect", "replicate"])? {
            "reflect" => Edge::Reflect,
            "replicate" => Edge::Replicate,
            _ => Edge::Zero,
        };
        settings.only("pad_mode", if edge == Edge::Zero { "constant" } else { "not constant" }, "constant")?;
        settings.only("use_causal_conv", settings.flag("use_causal_conv", true)?.to_string(), "true")?;
        settings.only("trim_right_ratio", settings.number("trim_right_ratio", 1.0, 0.0..=1.0)?.to_string(), "1")?;
        settings.only("attention_bias", settings.flag("attention_bias", false)?.to_string(), "false")?;
        settings.word("hidden_act", "gelu", &["gelu"])?;
        let style = Style { is_causal: true, edge, has_norm: false, has_bias: true };
        let form = Form {
            channels: settings.whole("audio_channels", 1, 1..=2)?,
            filters: size("num_filters", 64)?,
            hidden: size("hidden_size", 512)?,
            ratios: settings.ratios("upsampling_ratios", &[8, 6, 5, 4])?,
            blocks: settings.whole("num_residual_layers", 1, 0..=16)?,
            kernel: few("kernel_size", 7)?,
            last_kernel: few("last_kernel_size", 3)?,
            block_kernel: few("residual_kernel_size", 3)?,
            dilation_growth: few("dilation_growth_rate", 2)?,
            compress: few("compress", 2)?,
            recurrent: 0,
            has_shortcut: settings.flag("use_conv_shortcut", false)?,
            style,
        };
        let hz = settings.whole("sampling_rate", 24_000, 1000..=SampleRate::MAX as usize)?;
        let rate = SampleRate::new(hz as u32)?;
        let vectors = hz.div_ceil(form.hop()) as f64;
        let codes = settings.number("frame_rate", hz as f64 / (2 * form.hop()) as f64, 0.01..=1e6)?;
        let heads = few("num_attention_heads", 8)?;
        let rope = values.get("rope_parameters").and_then(Value::as_object).unwrap_or(values);
        let base = Settings::new(MODEL, rope).number("rope_theta", 10_000.0, 1.0..=1e9)?;
        let book_width = size("codebook_dim", 256)?;
        let projected = size("vector_quantization_hidden_dimension", 256)?;
        if projected != book_width {
            let what = "`codebook_dim` in the configuration of Mimi";
            return Err(Error::invalid(what, book_width.to_string(), projected.to_string()));
        }
        let configuration = Self {
            rate,
            ratio: (vectors / codes) as usize,
            upsample_groups: size("upsample_groups", 512)?,
            layers: settings.whole("num_hidden_layers", 8, 0..=256)?,
            inner: size("intermediate_size", 2048)?,
            heads,
            key_heads: few("num_key_value_heads", 8)?,
            head_width: size("head_dim", form.hidden / heads)?,
            window: settings.whole("sliding_window", 250, 1..=MAX_SIZE)?,
            base: base as f32,
            epsilon: settings.number("norm_eps", 1e-5, 1e-12..=1.0)? as f32,
            books: settings.whole("num_quantizers", 32, 1..=1024)?,
            semantic_books: settings.whole("num_semantic_quantizers", 1, 1..=1024)?,
            book_size: size("codebook_size", 2048)?,
            book_width,
            form,
        };
        configuration.check()?;
        Ok(configuration)
    }

    /// Checks values against each other.
    pub fn check(&self) -> Result<()> {
        self.form.check(MODEL)?;
        let check = |is: bool, what: &str, got: usize, allowed: String| {
            if is { Ok(()) } else { Err(Error::invalid(format!("{what} of {MODEL}"), got.to_string(), allowed)) }
        };
        let hidden = self.form.hidden;
        check((2..=64).contains(&self.ratio), "vectors for each code", self.ratio, "2 to 64".into())?;
        check(
            self.semantic_books < self.books,
            "books for content",
            self.semantic_books,
            format!("fewer than {}", self.books),
        )?;
        let groups = self.upsample_groups;
        check(hidden.is_multiple_of(groups), "`upsample_groups`", groups, format!("a divisor of {hidden}"))?;
        check(
            self.key_heads > 0 && self.heads.is_multiple_of(self.key_heads),
            "`num_key_value_heads`",
            self.key_heads,
            format!("a divisor of {}", self.heads),
        )?;
        check(self.head_width.is_multiple_of(2), "`head_dim`", self.head_width, "even".into())
    }
}
