//! What a recording sounds like, in numbers: harmony and rhythm.
//!
//! Every stage is a plain function or a small planned struct over a block of one recording, at the recording's own
//! rate: samples, or power spectra of windows ([`crate::kernels::stft`]), and the margins that it needs. Blocks that
//! are cut anywhere give the bits of one block. Summaries of a recording are plain functions over whole series.

pub mod beats;
pub mod chroma;
pub mod hpss;
pub mod key;
pub mod onset;
pub mod tempo;
pub mod tempogram;
