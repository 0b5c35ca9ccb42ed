//! Ogg (RFC 3533) around Vorbis and Opus.

mod comments;
pub mod opus;
mod pages;
mod surround;
pub mod vorbis;
