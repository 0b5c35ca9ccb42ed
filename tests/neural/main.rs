//! Networks and their kernels, the models of weight files, codecs and stems.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod attention;
mod codecs;
mod convolution;
mod extend;
mod lookup;
mod lstm;
mod models;
mod nearest;
mod network;
mod norm;
mod oracle;
mod pointwise;
mod stems;
mod support;
