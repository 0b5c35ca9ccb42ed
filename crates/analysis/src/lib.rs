//! What a recording sounds like, what identifies it, how two versions of it differ, and whether that is heard.

pub mod blind;
pub mod compare;
pub mod features;
pub mod fingerprint;
