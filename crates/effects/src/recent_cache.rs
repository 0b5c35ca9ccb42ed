//! A small cache of recently used values.

use std::sync::{Arc, Mutex};

use base::error::Result;
use base::lock::lock;

/// Values by key, the most recently used last.
pub(crate) struct RecentCache<K, V> {
    most: usize,
    entries: Mutex<Vec<(K, Arc<V>)>>,
}

impl<K: PartialEq, V> RecentCache<K, V> {
    /// Creates a cache for at most `most` values.
    pub const fn new(most: usize) -> Self {
        Self { most, entries: Mutex::new(Vec::new()) }
    }

    /// Returns the value for `key`, building it if it is missing.
    pub fn get(&self, key: K, make: impl FnOnce(&K) -> Result<V>) -> Result<Arc<V>> {
        if let Some(value) = found(&mut lock(&self.entries), &key) {
            return Ok(value);
        }
        // Building may take a second; other callers need not wait for it.
        let value = Arc::new(make(&key)?);
        let mut entries = lock(&self.entries);
        // Another caller may have built it meanwhile.
        if let Some(value) = found(&mut entries, &key) {
            return Ok(value);
        }
        if entries.len() >= self.most {
            entries.remove(0);
        }
        entries.push((key, Arc::clone(&value)));
        Ok(value)
    }
}
/// Returns the value for `key` and makes it the most recently used.
fn found<K: PartialEq, V>(entries: &mut Vec<(K, Arc<V>)>, key: &K) -> Option<Arc<V>> {
    let at = entries.iter().position(|(known, _)| known == key)?;
    let entry = entries.remove(at);
    let value = Arc::clone(&entry.1);
    entries.push(entry);
    Some(value)
}
