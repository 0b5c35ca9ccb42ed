//! Tests of the window's commands without a window, of documents and sessions, and of the command line.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod answers;
mod batch;
mod bench;
mod bindings;
mod blind;
mod blind_page;
mod channels;
mod cli;
mod codecs;
mod commands;
mod compare;
mod crates;
mod document;
mod document_markers;
mod editing;
mod export_dialog;
mod exported_files;
mod faces;
mod kept_chunks;
mod marker_files;
mod measured;
mod models;
mod packages;
mod permission;
mod projects;
mod racks;
mod reach;
mod session;
mod stems;
mod stems_queue;
#[path = "../support/mod.rs"]
mod support;
mod tracks;
mod true_tags;
mod verify;
mod waveforms;
mod windows;
