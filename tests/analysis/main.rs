//! Features, fingerprints and comparison.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

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
mod support;
