//! Documents: what is done to recordings, how that is heard and seen, and how it is recorded.

pub mod document;
pub mod playback;
pub mod recording;
pub mod view;
