//! The library: its database, scans, its page in the window, its commands.

#![allow(clippy::unwrap_used, reason = "a test says what it expects by failing")]

#[cfg(target_os = "linux")]
mod at_once;
mod command_line;
mod database;
mod files;
mod kill;
mod large;
mod scan;
#[cfg(target_os = "linux")]
mod server;
#[path = "../support/mod.rs"]
mod support;
mod tags;
mod window;
