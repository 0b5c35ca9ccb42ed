//! The hybrid models of Demucs against PyTorch, with the small random models of `tests/reference/htdemucs.py`.

mod layers;
mod misfits;
mod separation;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use neural::models::demucs::HybridDemucs;
use neural::weights::Weights;

pub use super::codecs::residual_db;

/// The models, as their files are called.
pub const MODELS: [&str; 2] = ["four.safetensors", "six.th"];

/// The one without a transformer, as `hdemucs_mmi`.
pub const HYBRID: &str = "hybrid.safetensors";

/// A file of the references, unpacked into a folder.
pub fn unpacked(name: &str, folder: &Path) -> PathBuf {
    let packed = crate::support::reference(&format!("htdemucs/{name}.gz"));
    let mut bytes = Vec::new();
    GzDecoder::new(std::fs::File::open(packed).unwrap()).read_to_end(&mut bytes).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

pub fn open(name: &str) -> HybridDemucs {
    let folder = tempfile::tempdir().unwrap();
    HybridDemucs::new(&Weights::open(&unpacked(name, folder.path())).unwrap()).unwrap()
}

/// Values that PyTorch computed, by name.
pub struct Reference(BTreeMap<String, Vec<f32>>);

impl Reference {
    pub fn of(model: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let name = format!("{}.reference.safetensors", model.split('.').next().unwrap());
        let weights = Weights::open(&unpacked(&name, folder.path())).unwrap();
        let one = |name: &str| {
            let shape = &weights.entry(name).unwrap().shape;
            (name.to_owned(), weights.tensor(name, shape).unwrap())
        };
        Self(weights.names().map(one).collect())
    }

    pub fn get(&self, name: &str) -> &[f32] {
        &self.0[name]
    }

    /// Both channels of the mix.
    pub fn mix(&self) -> Vec<Vec<f32>> {
        self.get("mix").chunks(13_000).map(<[f32]>::to_vec).collect()
    }

    /// Returns the entries that keep every `step`th number of each channel: name, step, numbers.
    pub fn thinned(&self) -> impl Iterator<Item = (&str, usize, &[f32])> {
        self.0.iter().filter_map(|(key, values)| {
            let (name, step) = key.split_once('|')?;
            Some((name, step.parse().unwrap(), values.as_slice()))
        })
    }
}

/// Every so many numbers of each channel.
pub fn thin(channels: &[Vec<f32>], step: usize) -> Vec<f32> {
    channels.iter().flat_map(|channel| channel.iter().step_by(step)).copied().collect()
}
