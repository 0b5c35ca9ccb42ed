//! Files on disk, as everything above opens and writes them: only regular files are read, names that a stranger chose are
//! read with a bound, and a file that is written replaces another only when it is complete.

pub(crate) mod json;
mod open;
mod protected;
mod safe;

pub use json::from_lossy;
pub use open::{check_foreign, open, open_with, read, read_foreign};
pub use protected::Protected;
pub use safe::{SafeFile, UNFINISHED_PREFIX, write};
