//! Protects the library's only copy of a track from being replaced by an output.

use std::path::Path;
use std::sync::OnceLock;

use crate::{FILE_NAME, Library, Place};
use base::files::Protection;

/// Returns a guard for [`base::files::Protected`] that asks the library in the folder `data`.
pub fn only_copies(data: &Path) -> impl Fn(&Path) -> Option<Protection> + Send + Sync + use<> {
    only_copies_at(Place::File(data.join(FILE_NAME)))
}

/// Returns a guard for [`base::files::Protected`] that asks a library. The library is opened on the first question,
/// and is not created if it does not exist. A library that cannot be opened or read protects nothing.
pub fn only_copies_at(place: Place) -> impl Fn(&Path) -> Option<Protection> + Send + Sync + use<> {
    let opened: OnceLock<Option<Library>> = OnceLock::new();
    move |path| {
        let library = opened.get_or_init(|| open(&place)).as_ref()?;
        match library.is_only_copy(path) {
            Ok(only) => only.then_some(Protection::OnlyCopy),
            Err(error) => {
                tracing::warn!("the library cannot be asked for copies: {error}");
                None
            }
        }
    }
}

fn open(place: &Place) -> Option<Library> {
    if let Place::File(path) = place
        && !path.is_file()
    {
        return None;
    }
    match Library::open_existing(place.clone()) {
        Ok((library, _)) => Some(library),
        Err(error) => {
            tracing::warn!("the library cannot be asked for copies: {error}");
            None
        }
    }
}
