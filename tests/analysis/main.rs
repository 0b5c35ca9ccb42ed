//! Features, fingerprints, spectrograms, peaks, loudness, comparison, stems, codecs and the models of weight files.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod codecs;
mod compare;
mod features_analyse;
mod features_devices;
mod features_docs;
mod features_harmony;
mod features_hpss;
mod features_rhythm;
mod features_timbre;
mod fingerprint_chromaprint;
mod fingerprint_landmark;
mod loudness;
mod models;
mod peaks;
mod picture;
mod spectrogram;
mod spectrogram_devices;
mod stems;
#[path = "../support/mod.rs"]
mod support;
