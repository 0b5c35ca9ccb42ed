//! Folders as Hugging Face lays them out, and weights that are spread over several files.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::data_file::DataFile;
use super::{Contents, Entries, read_one};
use base::error::{Error, Result};
use base::files;

/// The configuration of a model.
pub(super) const CONFIG: &str = "config.json";
/// The weight files of a folder, the first that is there.
const WEIGHTS: [&str; 4] =
    ["model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json"];
const MAX_CONFIG_BYTES: u64 = 1 << 20;
const MAX_INDEX_BYTES: u64 = 8 << 20;
const MAX_FILES: usize = 256;

/// Returns the configuration of a folder and the path of its weights.
pub(super) fn find(folder: &Path) -> Result<(Vec<u8>, Value, PathBuf)> {
    let path = folder.join(CONFIG);
    if !path.exists() {
        return Err(Error::malformed(
            format!("This folder is not one of a model: it has no `{CONFIG}`. Choose the weight file itself"),
            folder,
        ));
    }
    let text = files::read(&path, "configuration", MAX_CONFIG_BYTES)?;
    let config: Value = serde_json::from_slice(&text)
        .map_err(|error| Error::malformed(format!("The configuration is damaged: {error}"), &path))?;
    if !config.is_object() {
        return Err(Error::malformed("The configuration is not a JSON object", &path));
    }
    let weights = WEIGHTS.iter().map(|name| folder.join(name)).find(|path| path.exists());
    let weights = weights.ok_or_else(|| {
        Error::malformed(format!("This folder has a `{CONFIG}`, but no `{}`", WEIGHTS[..3].join("` and no `")), folder)
    })?;
    Ok((text, config, weights))
}

#[derive(Deserialize)]
struct Index {
    weight_map: BTreeMap<String, String>,
}

/// Reads an index and the files that it names, which must be in the same folder.
pub(super) fn read_index(index: &DataFile) -> Result<(Contents, Vec<DataFile>)> {
    if index.bytes() > MAX_INDEX_BYTES {
        return Err(index.malformed(format!("An index of weight files has at most {MAX_INDEX_BYTES} bytes")));
    }
    let text = index.read_vec(0, index.bytes() as usize)?;
    let Index { weight_map } = serde_json::from_slice(&text)
        .map_err(|error| index.malformed(format!("This JSON file is not an index of weight files: {error}")))?;
    let mut names: Vec<&String> = weight_map.values().collect();
    names.sort_unstable();
    names.dedup();
    if names.len() > MAX_FILES {
        return Err(index.malformed(format!("The index names {} files; at most {MAX_FILES} are read", names.len())));
    }
    let folder = index.path().parent().unwrap_or(Path::new(""));
    let (mut opened, mut found) = (Vec::new(), Vec::new());
    for name in &names {
        let is_plain = matches!(Path::new(name).components().collect::<Vec<_>>()[..], [Component::Normal(_)]);
        if !is_plain || name.contains(['\\', ':']) {
            return Err(index.malformed(format!("The index names {name:?}, which is not a file beside it")));
        }
        let file = DataFile::open(&folder.join(name))?;
        found.push(read_one(&file, opened.len())?.entries);
        opened.push(file);
    }
    let mut entries = Entries::new();
    for (tensor, name) in &weight_map {
        let place = names.binary_search(&name).ok().and_then(|place| found[place].remove(tensor));
        let entry = place.ok_or_else(|| {
            index.malformed(format!("The index says that the tensor `{tensor}` is in {name:?}, where it is not"))
        })?;
        entries.insert(tensor.clone(), entry);
    }
    Ok((Contents { entries, metadata: Value::Object(serde_json::Map::new()) }, opened))
}
