//! The speeds of separations on this machine, by model and device.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::files;

const FILE: &str = "speeds.json";
/// The largest accepted file in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// The greatest number of pairs of a model and a device whose speeds are kept.
const MAX_SPEEDS: usize = 1000;
/// The shortest recording whose speed counts, in seconds.
const LEAST_S: f64 = 2.0;
/// The weight of the last run relative to all earlier ones.
const LAST: f64 = 0.5;

/// The measured speeds in samples of all channels per second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Speeds(BTreeMap<String, f64>);

impl Speeds {
    /// Reads the speeds. A file that cannot be read counts as empty.
    pub(super) fn load(folder: &Path) -> Self {
        let bytes = files::read(&folder.join(FILE), "measured speeds", MAX_BYTES);
        bytes.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Returns the expected time for a number of samples in seconds; `None` if no speed was measured.
    pub(super) fn expected_s(&self, model: &str, device: &str, samples: u64) -> Option<f64> {
        let speed = self.0.get(&key(model, device)).copied().filter(|speed| *speed > 0.0)?;
        Some(samples as f64 / speed)
    }

    fn put(&mut self, model: &str, device: &str, speed: f64) {
        let key = key(model, device);
        if self.0.len() >= MAX_SPEEDS && !self.0.contains_key(&key) {
            self.0.clear();
        }
        let kept = self.0.entry(key).or_insert(speed);
        *kept += LAST * (speed - *kept);
    }
}

fn key(model: &str, device: &str) -> String {
    format!("{model} on {device}")
}

/// Stores the speed of a run over `samples` of a recording of `length_s` seconds. Short recordings are ignored.
pub(super) fn remember(folder: &Path, run: (&str, &str), samples: u64, length_s: f64, took_s: f64) -> Result<()> {
    if length_s < LEAST_S || took_s <= 0.0 {
        return Ok(());
    }
    let mut speeds = Speeds::load(folder);
    speeds.put(run.0, run.1, samples as f64 / took_s);
    std::fs::create_dir_all(folder).map_err(|source| Error::io("make the folder", folder, source))?;
    let text = serde_json::to_string_pretty(&speeds).map_err(|error| Error::Internal(error.to_string()))?;
    files::write(&folder.join(FILE), true, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_expected_from_the_last_runs() {
        let folder = tempfile::tempdir().unwrap();
        let expected = |model, device| Speeds::load(folder.path()).expected_s(model, device, 96_000);
        assert_eq!(expected("quick", "cpu"), None);
        remember(folder.path(), ("quick", "cpu"), 960_000, 10.0, 5.0).unwrap();
        assert_eq!(expected("quick", "cpu"), Some(0.5));
        remember(folder.path(), ("quick", "cpu"), 960_000, 10.0, 15.0).unwrap();
        assert_eq!(expected("quick", "cpu"), Some(0.75));
        // This recording is too short to count.
        remember(folder.path(), ("quick", "cpu"), 48_000, 0.5, 9.0).unwrap();
        assert_eq!((expected("quick", "cpu"), expected("quick", "gpu:0")), (Some(0.75), None));
        std::fs::write(folder.path().join(FILE), "{").unwrap();
        assert_eq!(expected("quick", "cpu"), None);
    }
}
