//! Opens and writes files on disk. Only regular files are read, files named by untrusted input are read with a size
//! limit, and a written file replaces another only once it is complete.

mod csv_text;
pub mod json;
mod lock;
pub mod npy;
mod open;
mod positional;
mod protected;
mod safe;
mod stamp;
pub mod stored_path;

pub use csv_text::{csv_text, is_formula, text_from_csv};
pub use json::from_lossy;
pub use lock::try_lock;
pub use open::{check_foreign, open, open_with, read, read_foreign};
pub use positional::{read_at, write_at};
pub use protected::{Protected, Protection};
pub use safe::{SafeFile, UNFINISHED_PREFIX, check_target, write};
pub use stamp::Stamp;
