//! Files of units.

use std::path::{Path, PathBuf};

use crate::codecs::neural::npy;
use crate::codecs::{Coded, Payload};
use crate::error::{Error, Result};
use crate::files::{self, Protected, SafeFile, check_target};

/// What a file of units has.
pub struct Given {
    /// A series for each book.
    pub books: Vec<Vec<i32>>,
    /// The scales of segments.
    pub scales: Vec<f32>,
}

/// The second file, of models that scale segments.
fn scales_path(path: &Path) -> PathBuf {
    path.with_extension("scales.npy")
}

/// Refuses what cannot be written before anything is worked on.
pub fn check_targets(path: &Path, overwrite: bool, inputs: &Protected) -> Result<()> {
    if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("npy")) {
        return Err(Error::invalid("output", path.display().to_string(), "a name that ends in .npy"));
    }
    check_target(path, overwrite, inputs)?;
    // Only some models have scales, but none should stop at them after the work.
    check_target(&scales_path(path), overwrite, inputs)
}

/// Writes units, and their scales beside them where there are any. Returns what was written.
pub fn write(path: &Path, overwrite: bool, inputs: &Protected, coded: &Coded) -> Result<Vec<PathBuf>> {
    let Payload::Units(units) = &coded.payload else {
        return Err(Error::Internal("a model that gives no units".into()));
    };
    let mut files = vec![(path.to_path_buf(), npy::of_codes(units.books()))];
    if !units.scales().is_empty() {
        // First, so that units never stand without theirs.
        files.insert(0, (scales_path(path), npy::of_scales(units.scales())));
    }
    let mut written = Vec::new();
    for (path, bytes) in files {
        let mut file = SafeFile::create(&path, overwrite, inputs.clone())?;
        file.append(&bytes)?;
        file.commit()?;
        written.insert(0, path);
    }
    Ok(written)
}

/// Reads units, and their scales where they lie beside them.
pub fn read(path: &Path) -> Result<Given> {
    let books = npy::codes(&files::read_foreign(path, "units", npy::MAX_BYTES)?, path)?;
    let beside = scales_path(path);
    let scales = match beside.exists() {
        true => npy::scales(&files::read_foreign(&beside, "scales", npy::MAX_BYTES)?, &beside)?,
        false => Vec::new(),
    };
    Ok(Given { books, scales })
}
