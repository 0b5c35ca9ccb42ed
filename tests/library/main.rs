//! The library: its database, scans, its page in the window, its commands.

mod command_line;
mod database;
mod files;
mod kill;
mod scan;
#[path = "../support/mod.rs"]
mod support;
mod window;
