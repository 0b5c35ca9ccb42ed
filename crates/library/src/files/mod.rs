//! Files of the library: which files count as recordings, where their audio is, what identifies a recording, and the
//! walk that finds files.

mod content_key;
mod extents;
mod kinds;
mod walk;

pub use content_key::{AudioKey, QuickKey};
pub use extents::AudioExtents;
pub use kinds::{Kind, kind_of};
pub use walk::stamp;
pub use walk::{FoundFile, Unread, WalkItem, WalkOptions, Walked, walk};
