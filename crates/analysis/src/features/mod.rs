//! Audio features of a recording: timbre, pitch, harmony, rhythm, levels and stereo image, and the 25 dimensions
//! derived from them, by which recordings are compared.
//!
//! Each stage is a plain function or a small planned struct. It takes one block of a recording at its sample rate:
//! samples or power spectra of windows ([`dsp::kernels::signal::stft`]), with the margins that it needs. The results are
//! bit-identical wherever the blocks are cut. Summaries are plain functions over whole series. [`analyse()`] runs the
//! complete pass.

pub mod analyse;
pub mod beats;
pub mod contrast;
pub mod dimensions;
pub mod frames;
pub mod key;
pub mod levels;
pub mod mfcc;
pub mod onset;
pub mod pictures;
pub mod pyin;
pub mod stereo;
pub mod summary;
pub mod tempo;
pub mod tempogram;
pub mod tuning;
pub mod waveform;

pub use analyse::{AnalysisWithDevice, Options, analyse, analyse_on};
pub use dimensions::{DIMENSIONS, Dimension, Features, Missing};
pub use dsp::kernels::signal::{chroma, hpss, spectral_shape as spectral, yin};
pub use dsp::measure::true_peak;
pub use summary::{Analysis, Figures, Series};
