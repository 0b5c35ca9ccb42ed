//! The editor: documents edited, drawn, measured and exported.

pub mod chain_report;
pub mod commands;
pub mod editing;
pub mod export_tags;
pub mod exports;
pub mod generating;
pub mod loudness;
pub mod markers;
pub mod measurements;
pub mod monitor;
pub mod picture_files;
pub mod pictures;
pub mod presets;
pub mod regions;
pub mod rendering;
pub mod selection;
pub mod sound_editing;
pub mod spectrogram_presets;
pub mod spectrograms;
pub mod track_export;
pub mod tracks;
pub mod types;
pub mod waveforms;
