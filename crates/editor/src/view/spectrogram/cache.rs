//! Tiles in memory, with least-recently-used eviction.

use std::collections::HashMap;
use std::sync::Arc;

/// The codes of one lane of a run of tiles.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiles {
    /// The number of columns.
    pub columns: usize,
    /// The number of rows.
    pub rows: usize,
    /// Whether every frame was covered.
    pub exact: bool,
    /// The codes, row by row from the lowest frequency up, in steps of 0.005 dB from -200 dB.
    pub codes: Vec<u16>,
}

impl Tiles {
    fn bytes(&self) -> usize {
        2 * self.codes.len() + size_of::<Self>()
    }
}

/// Tiles by key, up to a limit in bytes.
#[derive(Debug)]
pub(super) struct TileCache {
    limit_bytes: usize,
    bytes: usize,
    clock: u64,
    tiles: HashMap<String, (u64, Arc<Tiles>)>,
}

impl TileCache {
    pub fn new(limit_bytes: usize) -> Self {
        Self { limit_bytes, bytes: 0, clock: 0, tiles: HashMap::new() }
    }

    pub fn get(&mut self, key: &str) -> Option<Arc<Tiles>> {
        self.clock += 1;
        let (used, tiles) = self.tiles.get_mut(key)?;
        *used = self.clock;
        Some(Arc::clone(tiles))
    }

    pub fn insert(&mut self, key: String, tiles: Arc<Tiles>) {
        self.clock += 1;
        self.bytes += tiles.bytes();
        if let Some((_, old)) = self.tiles.insert(key, (self.clock, tiles)) {
            self.bytes -= old.bytes();
        }
        while self.bytes > self.limit_bytes && self.tiles.len() > 1 {
            let oldest = self.tiles.iter().min_by_key(|(_, (used, _))| *used).map(|(key, _)| key.clone());
            let Some((_, gone)) = oldest.and_then(|key| self.tiles.remove(&key)) else { return };
            self.bytes -= gone.bytes();
        }
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tiles(values: usize) -> Arc<Tiles> {
        Arc::new(Tiles { columns: values, rows: 1, exact: true, codes: vec![0; values] })
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let mut cache = TileCache::new(3 * tiles(1000).bytes());
        for key in ["a", "b", "c"] {
            cache.insert(key.into(), tiles(1000));
        }
        assert!(cache.get("a").is_some());
        cache.insert("d".into(), tiles(1000));
        assert!(cache.get("b").is_none());
        assert!(["a", "c", "d"].iter().all(|key| cache.get(key).is_some()));
        // Replacing a tile does not count it twice.
        cache.insert("d".into(), tiles(1000));
        assert_eq!(cache.bytes(), 3 * tiles(1000).bytes());
        // A tile that exceeds the limit alone stays until the next one arrives: it is being shown.
        cache.insert("e".into(), tiles(100_000));
        assert!(cache.get("e").is_some() && cache.get("a").is_none());
        cache.insert("f".into(), tiles(1000));
        assert!(cache.get("e").is_none() && cache.get("f").is_some());
    }
}
