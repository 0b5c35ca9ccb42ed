//! Keeps outputs from replacing the library's only copy of a track.

use std::path::Path;
use std::sync::{Arc, Mutex};

use crate::files::Protection;
use crate::library::{FILE_NAME, Library};
use crate::lock::lock;

/// Returns a guard for [`crate::files::Protected`] that asks the library in the folder `data`. The library is opened
/// when the guard is first asked, and not created if there is none. A library that cannot be asked protects nothing.
pub fn only_copies(data: &Path) -> impl Fn(&Path) -> Option<Protection> + Send + Sync + use<> {
    let database = data.join(FILE_NAME);
    let opened: Mutex<Option<Arc<Library>>> = Mutex::default();
    move |path| {
        if !database.is_file() {
            return None;
        }
        let known = lock(&opened).clone();
        let library = match known {
            Some(library) => library,
            None => match Library::open(&database) {
                Ok((library, _)) => Arc::clone(lock(&opened).insert(Arc::new(library))),
                Err(error) => {
                    tracing::warn!("the library cannot be asked for copies: {error}");
                    return None;
                }
            },
        };
        match library.is_only_copy(path) {
            Ok(only) => only.then_some(Protection::OnlyCopy),
            Err(error) => {
                tracing::warn!("the library cannot be asked for copies: {error}");
                None
            }
        }
    }
}
