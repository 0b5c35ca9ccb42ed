//! Documents: editing, playback, display and recording.

pub mod document;
pub mod playback;
pub mod recording;
pub mod view;
