//! What a recording sounds like, in numbers: timbre, pitch, harmony, rhythm, levels and stereo image, and the 25
//! dimensions made of them by which recordings are compared.
//!
//! Every stage is a plain function or a small planned struct over a block of one recording, at the recording's own rate:
//! samples, or power spectra of windows ([`crate::kernels::stft`]), and the margins that it needs. Blocks that are cut
//! anywhere give the bits of one block. Summaries of a recording are plain functions over whole series. [`analyse`] is
//! the pass that does it all.

pub mod analyse;
pub mod beats;
pub mod contrast;
pub mod dimensions;
pub mod frames;
pub mod key;
pub mod levels;
pub mod loudness;
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

pub use crate::kernels::{chroma, hpss, spectral_shape as spectral, yin};
pub use crate::measure::true_peak;
pub use analyse::{Options, Placed, analyse, analyse_on};
pub use dimensions::{DIMENSIONS, Dimension, Features, Missing};
pub use summary::{Analysis, Figures, Series};
