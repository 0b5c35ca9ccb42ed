//! The Ogg container (RFC 3533) for Vorbis and Opus.

pub mod opus;
mod surround;
pub mod vorbis;
