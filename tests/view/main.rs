//! What is drawn: peaks, loudness and spectrograms.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod loudness;
mod peaks;
mod spectrogram;
mod spectrogram_devices;
mod support;
