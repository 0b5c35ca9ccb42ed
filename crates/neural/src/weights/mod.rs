//! Weight files of neural networks: names, shapes and numbers of tensors, and metadata.
//!
//! ```text
//! a file or folder -> Weights: names, shapes, metadata -> Weights::tensor -> Vec<f32>
//! ```
//!
//! A file is recognised by its content: `safetensors`; PyTorch's zip files (`.pt`, `.th`, `.bin`), whose pickle is read
//! without executing anything; an index of several such files. Folders have the layout of Hugging Face.
//!
//! Opening reads only names and positions. Their memory is bounded; that for a tensor is requested by its reader, which
//! states the expected shape.

mod data_file;
mod dtype;
mod folder;
mod layout;
pub(crate) mod pickle;
mod safe;
mod torch;
mod zip_directory;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;

use base::error::{Error, Result};
use data_file::DataFile;
pub use dtype::DType;
use layout::View;

/// The most tensors of a model.
const MAX_TENSORS: usize = 1 << 16;
/// The longest name of a tensor.
const MAX_NAME_BYTES: usize = 512;
/// How the file formats of PyTorch before version 1.6 begin.
const OLD_TORCH: &[u8] = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";

/// A tensor in a weight file.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The size of each dimension. A single number has none.
    pub shape: Vec<usize>,
    /// The format of its numbers in the file.
    pub dtype: DType,
    file: usize,
    view: View,
}

type Entries = BTreeMap<String, Entry>;

/// The contents of one file.
struct Contents {
    entries: Entries,
    metadata: Value,
}

/// The opened weights of a model.
#[derive(Debug)]
pub struct Weights {
    path: PathBuf,
    files: Vec<DataFile>,
    entries: Entries,
    metadata: Value,
    /// The text of the configuration beside the weights; empty for a file.
    config: Vec<u8>,
    hash: OnceLock<String>,
}

impl Weights {
    /// Opens a file or a folder and reads what it contains, without the numbers.
    pub fn open(path: &Path) -> Result<Self> {
        if path.is_dir() {
            let (config, metadata, weights) = folder::find(path)?;
            let (contents, files) = read_file(&weights)?;
            return Ok(Self::new(path, files, Contents { metadata, ..contents }, config));
        }
        let (contents, files) = read_file(path)?;
        Ok(Self::new(path, files, contents, Vec::new()))
    }

    fn new(path: &Path, files: Vec<DataFile>, contents: Contents, config: Vec<u8>) -> Self {
        let Contents { entries, metadata } = contents;
        Self { path: path.to_path_buf(), files, entries, metadata, config, hash: OnceLock::new() }
    }

    /// The path that was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The files that were read: those with weights, and the configuration of a folder.
    pub fn file_paths(&self) -> Vec<PathBuf> {
        let config = (!self.config.is_empty()).then(|| self.path.join(folder::CONFIG));
        self.files.iter().map(|file| file.path().to_path_buf()).chain(config).collect()
    }

    /// The names of the tensors, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Returns the shape and number format of a tensor; `None` if there is no such tensor.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.get(name)
    }

    /// Reads the numbers of a tensor in row-major order as f32. Integers and f64 are rounded to nearest.
    ///
    /// # Errors
    /// [`Error::Malformed`] if it is missing or has another shape, and if the file was changed since it was opened;
    /// [`Error::Limit`] without memory.
    pub fn tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>> {
        let wrong = |what: String| Error::malformed(what, &self.path);
        let entry = self
            .entry(name)
            .ok_or_else(|| wrong(format!("The tensor `{name}` is missing; one of the shape {shape:?} was expected")))?;
        if entry.shape != shape {
            let found = &entry.shape;
            return Err(wrong(format!("The tensor `{name}` has the shape {found:?}; {shape:?} was expected")));
        }
        let file = &self.files[entry.file];
        let numbers = entry.view.read(file, entry.dtype, &entry.shape)?;
        file.check_unchanged()?;
        Ok(numbers)
    }

    /// Returns the tensors that are not in `used`, in alphabetical order.
    pub fn surplus(&self, used: &BTreeSet<String>) -> Vec<&str> {
        self.names().filter(|name| !used.contains(*name)).collect()
    }

    /// A description of the model, a JSON object: the configuration of a folder; the metadata of a `safetensors` file,
    /// whose values are text; the values in a PyTorch file besides tensors.
    pub fn metadata(&self) -> &Value {
        &self.metadata
    }

    /// Returns the BLAKE3 hash of the files, and of the configuration, as hexadecimal digits. It identifies the model,
    /// regardless of its path. Reads everything the first time.
    ///
    /// # Errors
    /// [`Error::Malformed`] if a file was changed since it was opened.
    pub fn content_hash(&self) -> Result<String> {
        if let Some(known) = self.hash.get() {
            return Ok(known.clone());
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.config);
        for file in &self.files {
            file.hash(&mut hasher)?;
        }
        let hash = hasher.finalize().to_hex().to_string();
        Ok(self.hash.get_or_init(|| hash).clone())
    }

    /// The size of the weight files in bytes.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(DataFile::bytes).sum()
    }

    /// The number of floating-point numbers in all tensors. These are a model's parameters and the statistics that some
    /// models keep beside them.
    pub fn parameters(&self) -> u64 {
        let floats = self.entries.values().filter(|entry| entry.dtype.is_float());
        floats.map(|entry| layout::numbers_of(&entry.shape).unwrap_or(0) as u64).sum()
    }
}

/// Opens a weight file, or an index with the files that it names.
fn read_file(path: &Path) -> Result<(Contents, Vec<DataFile>)> {
    let file = DataFile::open(path)?;
    if begin(&file)?.starts_with(b"{") {
        let (contents, mut files) = folder::read_index(&file)?;
        files.push(file);
        return Ok((contents, files));
    }
    Ok((read_one(&file, 0)?, vec![file]))
}

/// Reads what one weight file contains. `number` is its place among the files.
fn read_one(file: &DataFile, number: usize) -> Result<Contents> {
    let begin = begin(file)?;
    if begin.starts_with(b"PK\x03\x04") {
        return torch::read(file, number);
    }
    if safe::is_begun(&begin) {
        return safe::read(file, number);
    }
    Err(file.malformed(match begin.as_slice() {
        [] => "The file is empty",
        begin if begin.starts_with(OLD_TORCH) => {
            "This file was written by PyTorch before version 1.6. Load it there and save it again with `torch.save`"
        }
        begin if begin.starts_with(b"version https://git-lfs") => {
            "This is a pointer of Git LFS, not the weights themselves. Fetch them with `git lfs pull`"
        }
        _ => "This is not a weight file: neither `safetensors` nor a zip file of PyTorch's",
    }))
}

/// Returns the first bytes of a file.
fn begin(file: &DataFile) -> Result<Vec<u8>> {
    file.read_vec(0, file.bytes().min(32) as usize)
}

/// Adds a tensor to those of a file.
fn add(entries: &mut Entries, file: &DataFile, name: String, entry: Entry) -> Result<()> {
    if name.is_empty() || name.len() > MAX_NAME_BYTES {
        return Err(
            file.malformed(format!("A tensor has a name of {} bytes; 1 to {MAX_NAME_BYTES} are read", name.len()))
        );
    }
    if entries.len() >= MAX_TENSORS {
        return Err(file.malformed(format!("The file has more than {MAX_TENSORS} tensors, which no model needs")));
    }
    match entries.insert(name, entry) {
        None => Ok(()),
        Some(_) => Err(file.malformed("The file has two tensors of one name")),
    }
}
