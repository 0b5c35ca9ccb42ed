//! The configuration of DAC.

use serde_json::{Map, Value};

use crate::models::settings::{MAX_SIZE, Settings};
use base::error::{Error, Result};
use base::units::SampleRate;

/// The settings that determine a DAC model.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// The sample rate.
    pub rate: SampleRate,
    /// The channels of the encoder's first layer.
    pub encoder_width: usize,
    /// The ratios of the encoder's stages, in their order.
    pub encoder_ratios: Vec<usize>,
    /// The channels of the decoder's first layer.
    pub decoder_width: usize,
    /// The ratios of the decoder's stages, in their order.
    pub decoder_ratios: Vec<usize>,
    /// The components of a frame between encoder and decoder.
    pub hidden: usize,
    /// The number of books.
    pub books: usize,
    /// The codes of a book.
    pub book_size: usize,
    /// The components of a code.
    pub book_width: usize,
}

const MODEL: &str = "DAC";

impl Configuration {
    /// Reads `config.json` of `transformers`.
    pub fn read(values: &Map<String, Value>) -> Result<Self> {
        let settings = Settings::new(MODEL, values);
        let size = |name, usual| settings.whole(name, usual, 1..=MAX_SIZE);
        let encoder_ratios = settings.ratios("downsampling_ratios", &[2, 4, 8, 8])?;
        let encoder_width = size("encoder_hidden_size", 64)?;
        let hz = settings.whole("sampling_rate", 16_000, 1000..=SampleRate::MAX as usize)?;
        let reversed: Vec<usize> = encoder_ratios.iter().rev().copied().collect();
        let configuration = Self {
            rate: SampleRate::new(hz as u32)?,
            encoder_width,
            hidden: settings.whole("hidden_size", encoder_width << encoder_ratios.len(), 1..=MAX_SIZE << 8)?,
            decoder_width: size("decoder_hidden_size", 1536)?,
            decoder_ratios: settings.ratios("upsampling_ratios", &reversed)?,
            encoder_ratios,
            books: settings.whole("n_codebooks", 9, 1..=1024)?,
            book_size: size("codebook_size", 1024)?,
            book_width: size("codebook_dim", 8)?,
        };
        configuration.check()?;
        Ok(configuration)
    }

    /// Checks values against each other.
    pub fn check(&self) -> Result<()> {
        let wrong =
            |what: &str, got: String, allowed: String| Err(Error::invalid(format!("{what} of {MODEL}"), got, allowed));
        for ratios in [&self.encoder_ratios, &self.decoder_ratios] {
            if ratios.is_empty() || ratios.iter().any(|ratio| !(2..=64).contains(ratio)) {
                return wrong("ratios", format!("{ratios:?}"), "1 to 8 numbers, 2 to 64".into());
            }
        }
        let product = |ratios: &[usize]| ratios.iter().try_fold(1usize, |product, ratio| product.checked_mul(*ratio));
        let [down, up] = [&self.encoder_ratios, &self.decoder_ratios].map(|ratios| product(ratios));
        if down != up || down.is_none() {
            let got = format!("{:?} and {:?}", self.encoder_ratios, self.decoder_ratios);
            return wrong("ratios of encoder and decoder", got, "of one product".into());
        }
        let halvings = 1 << self.decoder_ratios.len();
        if !self.decoder_width.is_multiple_of(halvings) {
            return wrong(
                "channels of the decoder",
                self.decoder_width.to_string(),
                format!("a multiple of {halvings}"),
            );
        }
        if self.books == 0 {
            return wrong("number of books", "0".into(), "at least 1".into());
        }
        Ok(())
    }
}
