//! The configuration of EnCodec.

use serde_json::{Map, Value};

use crate::models::seanet::{Form, Style};
use crate::models::settings::{MAX_SIZE, Settings, bits_of};
use crate::network::Edge;
use base::error::{Error, Result};
use base::units::SampleRate;

/// The settings that determine an EnCodec model.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// The layers.
    pub form: Form,
    /// The sample rate.
    pub rate: SampleRate,
    /// The number of books.
    pub books: usize,
    /// The codes of a book.
    pub book_size: usize,
    /// Frames of a piece, and frames from one to the next; `None` for a model that runs on whole sounds.
    pub segment: Option<[usize; 2]>,
    /// Whether pieces are divided by their RMS.
    pub is_scaled: bool,
    /// The bit rates in kbit/s that it was trained for.
    pub trained_kbps: Vec<f64>,
}

const MODEL: &str = "EnCodec";

impl Configuration {
    /// Reads `config.json` of `transformers`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a value that no published model has.
    pub fn read(values: &Map<String, Value>) -> Result<Self> {
        let settings = Settings::new(MODEL, values);
        let size = |name, usual| settings.whole(name, usual, 1..=MAX_SIZE);
        let few = |name, usual| settings.whole(name, usual, 1..=64);
        let norm = settings.word("norm_type", "weight_norm", &["weight_norm", "time_group_norm"])?;
        let edge = match settings.word("pad_mode", "reflect", &["reflect", "constant", "zero", "replicate"])? {
            "reflect" => Edge::Reflect,
            "replicate" => Edge::Replicate,
            _ => Edge::Zero,
        };
        let is_causal = settings.flag("use_causal_conv", true)?;
        let trim = settings.number("trim_right_ratio", 1.0, 0.0..=1.0)?;
        settings.only("trim_right_ratio", trim.to_string(), "1")?;
        let style = Style { is_causal, edge, has_norm: norm == "time_group_norm", has_bias: true };
        let form = Form {
            channels: settings.whole("audio_channels", 1, 1..=2)?,
            filters: size("num_filters", 32)?,
            hidden: size("hidden_size", 128)?,
            ratios: settings.ratios("upsampling_ratios", &[8, 5, 4, 2])?,
            blocks: settings.whole("num_residual_layers", 1, 0..=16)?,
            kernel: few("kernel_size", 7)?,
            last_kernel: few("last_kernel_size", 7)?,
            block_kernel: few("residual_kernel_size", 3)?,
            dilation_growth: few("dilation_growth_rate", 2)?,
            compress: few("compress", 2)?,
            recurrent: settings.whole("num_lstm_layers", 2, 0..=16)?,
            has_shortcut: settings.flag("use_conv_shortcut", true)?,
            style,
        };
        let hz = settings.whole("sampling_rate", 24_000, 1000..=SampleRate::MAX as usize)?;
        let book_size = size("codebook_size", 1024)?;
        let book_dim = size("codebook_dim", form.hidden)?;
        if book_dim != form.hidden {
            return Err(Error::invalid(
                "`codebook_dim` in the configuration of EnCodec",
                book_dim.to_string(),
                form.hidden.to_string(),
            ));
        }
        let trained_kbps = settings.numbers("target_bandwidths", &[1.5, 3.0, 6.0, 12.0, 24.0], 0.01..=10_000.0)?;
        let seconds = settings.number("chunk_length_s", 0.0, 0.0..=60.0)?;
        let overlap = settings.number("overlap", 0.0, 0.0..=0.9)?;
        let segment = (seconds > 0.0).then(|| segment(seconds, overlap, hz));
        let mut configuration = Self {
            form,
            rate: SampleRate::new(hz as u32)?,
            books: 0,
            book_size,
            segment,
            is_scaled: settings.flag("normalize", false)?,
            trained_kbps,
        };
        configuration.books = configuration.books_of_the_highest_rate();
        configuration.check()?;
        Ok(configuration)
    }

    /// As `transformers` counts them: whole kbit/s over the bits of a book a second, with the codes a second rounded up.
    fn books_of_the_highest_rate(&self) -> usize {
        let codes = self.rate.hz().div_ceil(self.form.hop() as u32);
        let bits = f64::from(codes) * f64::from(bits_of(self.book_size));
        (1000.0 * self.trained_kbps.last().copied().unwrap_or(0.0) / bits).floor() as usize
    }

    /// Checks the values.
    pub fn check(&self) -> Result<()> {
        self.form.check(MODEL)?;
        if !(1..=1024).contains(&self.books) {
            return Err(Error::invalid("number of books of EnCodec", self.books.to_string(), "1 to 1024"));
        }
        let style = self.form.style;
        if style.is_causal && (style.has_norm || self.is_scaled) {
            return Err(Error::unsupported(
                "A causal EnCodec that normalises over time",
                "What it remembers between pieces would depend on what follows. The published models do not.",
            ));
        }
        if !style.is_causal && self.segment.is_none() {
            return Err(Error::unsupported(
                "An EnCodec that is not causal and codes no pieces",
                "`chunk_length_s` must be given in its configuration.",
            ));
        }
        match self.segment {
            Some([frames, stride]) if stride == 0 || frames < stride || 2 * stride < frames => Err(Error::invalid(
                "`overlap` in the configuration of EnCodec",
                format!("pieces of {frames} frames every {stride}"),
                "less than half of a piece",
            )),
            _ => Ok(()),
        }
    }
}

/// Returns the frames of a piece, and those from one to the next, as `transformers` rounds them.
pub fn segment(seconds: f64, overlap: f64, hz: usize) -> [usize; 2] {
    let frames = (seconds * hz as f64) as usize;
    [frames, (((1.0 - overlap) * frames as f64) as usize).max(1)]
}
