//! The library's page without a window: every command as JSON and every event as the window receives it, on generated
//! recordings.

mod bench;
mod clean_up;
mod duplicates;
mod identity;
mod playlists;
mod questions;
mod scanning;
#[cfg(target_os = "linux")]
mod server;
mod table;
mod tags;
mod track;
mod watching;
