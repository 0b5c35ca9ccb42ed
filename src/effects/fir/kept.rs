//! The last few things that were made of some key.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Result;

/// Values by key, the one used last at the end.
pub(super) struct Kept<K, V> {
    most: usize,
    entries: Mutex<Vec<(K, Arc<V>)>>,
}

impl<K: PartialEq, V> Kept<K, V> {
    /// Of no more than so many.
    pub const fn new(most: usize) -> Self {
        Self { most, entries: Mutex::new(Vec::new()) }
    }

    /// The value of that key, made when it is not there.
    ///
    /// # Errors
    /// What keeps it from being made.
    pub fn get(&self, key: K, make: impl FnOnce(&K) -> Result<V>) -> Result<Arc<V>> {
        let lock = || self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entries = lock();
        if let Some(at) = entries.iter().position(|(known, _)| *known == key) {
            let entry = entries.remove(at);
            let value = Arc::clone(&entry.1);
            entries.push(entry);
            return Ok(value);
        }
        // Others need not wait for what may take a second.
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
