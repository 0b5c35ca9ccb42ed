//! The library's page without a window: every command as JSON, every event as the window hears it, on recordings that are
//! made here.

mod bench;
mod clean_up;
mod duplicates;
mod identity;
mod questions;
mod scanning;
mod table;
mod track;
mod watching;
