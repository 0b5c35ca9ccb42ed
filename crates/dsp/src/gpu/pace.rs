//! How long kernels take, by which recordings are cut into dispatches. The times are learnt from past runs and kept
//! between runs of the program, so that only the very first run cuts finely.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::adapters::{AdapterInfo, AdapterKind};
use super::shaders::Entry;

/// The size up to which a file is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// The range of plausible times, in seconds per unit of work. Others are ignored.
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 1e-16..=1e-3;

/// The seconds per unit of work of each entry point.
#[derive(Debug, Default)]
pub(super) struct Paces {
    known: HashMap<String, f64>,
    first_guess: f64,
    store: Option<Store>,
}

/// The file of one adapter.
#[derive(Debug)]
struct Store {
    path: PathBuf,
    /// The version of the program, the adapter and the driver that the times belong to.
    key: String,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    key: String,
    seconds: HashMap<String, f64>,
}

impl Paces {
    /// Loads what an earlier run with this adapter, driver and version of the program has learnt, if `folder` has it.
    pub fn new(info: &AdapterInfo, folder: Option<&Path>) -> Self {
        let key = format!("{}, {}", env!("CARGO_PKG_VERSION"), info.key());
        let store = folder.map(|folder| {
            let name = blake3::hash(key.as_bytes()).to_hex();
            Store { path: folder.join("pace").join(format!("{}.json", &name[..16])), key }
        });
        let known = store.as_ref().and_then(Store::read).unwrap_or_default();
        Self { known, first_guess: first_guess(info.kind), store }
    }

    /// Returns the expected seconds per unit of work.
    pub fn of(&self, entry: &Entry) -> f64 {
        self.known.get(&name(entry.shader, entry.name)).copied().unwrap_or(self.first_guess)
    }

    /// Learns from the time that some work took.
    pub fn learn(&mut self, (shader, entry): (&str, &str), seconds: f64, work: f64) {
        let measured = seconds / work;
        if PLAUSIBLE.contains(&measured) {
            let known = self.known.entry(name(shader, entry));
            known.and_modify(|pace| *pace = 0.5 * (*pace + measured)).or_insert(measured);
        }
    }

    /// Takes over what `other` has learnt.
    pub fn take(&mut self, other: &mut Self) {
        self.known = std::mem::take(&mut other.known);
    }

    /// Writes what was learnt to the file. A failure is only logged.
    fn keep(&self) {
        let Some(store) = self.store.as_ref().filter(|_| !self.known.is_empty()) else { return };
        if let Err(error) = store.write(&self.known) {
            tracing::warn!("the pace of a graphics card could not be kept: {error}: {}", store.path.display());
        }
    }
}

impl Drop for Paces {
    fn drop(&mut self) {
        self.keep();
    }
}

impl Store {
    fn read(&self) -> Option<HashMap<String, f64>> {
        let bytes = base::files::read(&self.path, "pace of a graphics card", MAX_BYTES).ok()?;
        let kept: Kept = serde_json::from_slice(&bytes).ok()?;
        let plausible = |(name, seconds): (String, f64)| PLAUSIBLE.contains(&seconds).then_some((name, seconds));
        (kept.key == self.key).then(|| kept.seconds.into_iter().filter_map(plausible).collect())
    }

    fn write(&self, known: &HashMap<String, f64>) -> std::io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer(&file, &Kept { key: self.key.clone(), seconds: known.clone() })?;
        file.persist(&self.path)?;
        Ok(())
    }
}

fn name(shader: &str, entry: &str) -> String {
    format!("{shader}.{entry}")
}

/// The assumed seconds per unit of work before a kernel was measured: slower than nearly all devices of the kind, so
/// that the first dispatches are short.
fn first_guess(kind: AdapterKind) -> f64 {
    match kind {
        AdapterKind::Software => 2e-9,
        AdapterKind::Integrated | AdapterKind::Virtual => 1e-10,
        AdapterKind::Discrete => 2e-11,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::shaders::peak;

    fn paces(folder: Option<&Path>, driver: &str) -> Paces {
        let info = AdapterInfo {
            name: "card".to_owned(),
            backend: "Vulkan",
            driver: driver.to_owned(),
            kind: AdapterKind::Discrete,
            tier: Ok(crate::gpu::Tier::Full),
            limits: std::collections::BTreeMap::new(),
            features: Vec::new(),
            pci: crate::gpu::PciId::default(),
            same_as: None,
        };
        Paces::new(&info, folder)
    }

    #[test]
    fn what_was_learnt_is_known_to_the_next_run_with_the_same_driver() {
        let folder = tempfile::tempdir().unwrap();
        let entry = &peak::REDUCE;
        let mut first = paces(Some(folder.path()), "1");
        assert_eq!(first.of(entry), first_guess(AdapterKind::Discrete));
        first.learn(("peak", "reduce"), 1e-3, 1e6);
        first.learn(("peak", "reduce"), 3e-3, 1e6);
        assert_eq!(first.of(entry), 2e-9);
        // A clock that stands still, or overflows.
        for seconds in [0.0, f64::NAN, f64::INFINITY, -1.0, 1e9] {
            first.learn(("peak", "reduce"), seconds, 1e6);
        }
        assert_eq!(first.of(entry), 2e-9);
        drop(first);
        assert_eq!(paces(Some(folder.path()), "1").of(entry), 2e-9);
        assert_eq!(paces(Some(folder.path()), "2").of(entry), first_guess(AdapterKind::Discrete), "another driver");
        let file = std::fs::read_dir(folder.path().join("pace")).unwrap().next().unwrap().unwrap().path();
        let good = std::fs::read_to_string(&file).unwrap();
        for spoiled in
            ["", "{", &good.replace("2e-9", "-1"), &good.replace("2e-9", "1e9"), &good.replace("card", "cart")]
        {
            std::fs::write(&file, spoiled).unwrap();
            assert_eq!(paces(Some(folder.path()), "1").of(entry), first_guess(AdapterKind::Discrete), "{spoiled}");
        }
        assert_eq!(paces(None, "1").of(entry), first_guess(AdapterKind::Discrete));
    }
}
