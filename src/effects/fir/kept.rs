//! A small cache of recently used values.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Result;

/// Values by key, the most recently used last.
pub(super) struct Kept<K, V> {
    most: usize,
    entries: Mutex<Vec<(K, Arc<V>)>>,
}

impl<K: PartialEq, V> Kept<K, V> {
    /// Creates a cache for at most `most` values.
    pub const fn new(most: usize) -> Self {
        Self { most, entries: Mutex::new(Vec::new()) }
    }

    /// Returns the value for `key`, building it if it is missing.
    ///
    /// # Errors
    /// The error of `make`.
    pub fn get(&self, key: K, make: impl FnOnce(&K) -> Result<V>) -> Result<Arc<V>> {
        let lock = || self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entries = lock();
        if let Some(at) = entries.iter().position(|(known, _)| *known == key) {
            let entry = entries.remove(at);
            let value = Arc::clone(&entry.1);
            entries.push(entry);
            return Ok(value);
        }
        // Building may take a second; other callers need not wait for it.
        drop(entries);
        let value = Arc::new(make(&key)?);
        let mut entries = lock();
        if entries.len() >= self.most {
            entries.remove(0);
        }
        entries.push((key, Arc::clone(&value)));
        Ok(value)
    }
}
