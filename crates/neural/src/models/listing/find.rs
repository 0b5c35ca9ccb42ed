//! Looks for models in files and folders.

use std::io::Read;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::{Model, recognise};
use base::error::{Error, Result};
use base::files;

/// The deepest folder below the one that was named. The cache of Hugging Face has three levels.
const MAX_DEPTH: usize = 6;
/// The most entries of a folder that are looked at, so that a whole disk does not take forever.
const MAX_ENTRIES: usize = 50_000;
/// The configuration of a model's folder.
const CONFIG: &str = "config.json";
/// The usual extensions of weight files. A file of another name in a folder counts if it begins as a weight file does.
const EXTENSIONS: [&str; 5] = ["safetensors", "pt", "pth", "th", "ckpt"];
/// How weight files begin.
const BEGIN_BYTES: u64 = 256;

/// A file or folder that was looked at.
#[derive(Debug)]
pub struct FoundModel {
    /// The file or folder.
    pub path: PathBuf,
    /// The model, or why it is not recognised.
    pub model: Result<Model>,
}

/// Recognises files, and files that look like weights in folders, recursively. The results are in the order of the
/// paths, those of a folder in the order of names. A folder without any weights is one result, with that as its reason.
pub fn find(paths: &[PathBuf]) -> Vec<FoundModel> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() && !is_model_folder(path) {
            in_folder(path, &mut found);
        } else {
            found.push(FoundModel { path: path.clone(), model: recognise(path) });
        }
    }
    found
}

/// Returns whether a folder has the layout of Hugging Face's models.
fn is_model_folder(folder: &Path) -> bool {
    ["model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json"]
        .iter()
        .any(|weights| folder.join(CONFIG).is_file() && folder.join(weights).is_file())
}

fn in_folder(folder: &Path, found: &mut Vec<FoundModel>) {
    let before = found.len();
    let mut walk = WalkDir::new(folder).max_depth(MAX_DEPTH).sort_by_file_name().into_iter();
    let mut entries = 0;
    while let Some(entry) = walk.next() {
        entries += 1;
        let failed = |path: &Path, error: Error| FoundModel { path: path.to_path_buf(), model: Err(error) };
        if entries > MAX_ENTRIES {
            let reason =
                format!("The folder has more than {MAX_ENTRIES} entries. Choose the folder of the models alone");
            found.push(failed(folder, Error::malformed(reason, folder)));
            return;
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().unwrap_or(folder).to_path_buf();
                let source = error.into_io_error().unwrap_or_else(|| std::io::ErrorKind::Other.into());
                found.push(failed(&path, Error::io("read the folder", &path, source)));
                continue;
            }
        };
        let path = entry.path();
        if entry.file_type().is_dir() {
            if entry.depth() > 0 && is_model_folder(path) {
                found.push(FoundModel { path: path.to_path_buf(), model: recognise(path) });
                walk.skip_current_dir();
            }
        } else if looks_like_weights(path) {
            found.push(FoundModel { path: path.to_path_buf(), model: recognise(path) });
        }
    }
    if found.len() == before {
        let reason = "The folder contains no weight files";
        found.push(FoundModel { path: folder.to_path_buf(), model: Err(Error::malformed(reason, folder)) });
    }
}

/// Returns whether a file of a folder is worth reporting: it has the name or the first bytes of a weight file. Links to
/// files are followed, because the cache of Hugging Face consists of them; pipes and devices are skipped.
fn looks_like_weights(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known)) {
        return true;
    }
    let Ok(file) = files::open(path) else { return false };
    let mut begin = Vec::new();
    if file.take(BEGIN_BYTES).read_to_end(&mut begin).is_err() {
        return false;
    }
    let is_torch = begin.starts_with(b"PK\x03\x04") && begin.windows(9).any(|part| part == b"/data.pkl");
    let is_safetensors = begin.get(5..10).is_some_and(|part| part == b"\0\0\0{\"");
    is_torch || is_safetensors
}
