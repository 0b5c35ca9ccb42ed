//! The features of all tracks in memory, for similarity searches and percentiles.
//!
//! Loading 100,000 tracks takes 150 ms, so the features are cached until the library's content changes.

use std::sync::{Arc, OnceLock};

use super::LibraryPage;
use crate::error::Result;
use crate::library::questions::percentiles::Percentiles;
use crate::library::questions::similar::Similar;
use crate::library::questions::table::Table;
use crate::library::{Content, Library};
use crate::lock::lock;

/// The features of a library at some point in time.
#[derive(Debug)]
pub struct Knowledge {
    /// The library content from which they were loaded.
    pub content: Content,
    /// The tracks, scaled for similarity searches.
    pub similar: Similar,
    percentiles: OnceLock<Percentiles>,
}

impl Knowledge {
    fn load(library: &Library, content: Content) -> Result<Self> {
        let features = library.features_table()?;
        let similar = Similar::new(Table::new(features.ids, features.rows)?);
        Ok(Self { content, similar, percentiles: OnceLock::new() })
    }

    /// Returns the percentiles of all values, computed on first use.
    pub fn percentiles(&self) -> &Percentiles {
        self.percentiles.get_or_init(|| Percentiles::of(self.similar.table()))
    }
}

/// The cached features, and the database version for which they were last found valid.
#[derive(Default)]
pub struct CachedFeatures {
    version: i64,
    knowledge: Option<Arc<Knowledge>>,
}

impl LibraryPage {
    /// Returns the current features of the library.
    pub(super) fn knowledge(&self, library: &Library) -> Result<Arc<Knowledge>> {
        let kept = Arc::clone(&lock(&self.kept));
        let mut kept = lock(&kept);
        // Read before loading, so that a change during loading is picked up next time.
        let version = library.version()?;
        if let Some(knowledge) = &kept.knowledge {
            let is_true = kept.version == version || knowledge.content == library.content()?;
            if is_true {
                let knowledge = Arc::clone(knowledge);
                kept.version = version;
                return Ok(knowledge);
            }
        }
        let knowledge = Arc::new(Knowledge::load(library, library.content()?)?);
        *kept = CachedFeatures { version, knowledge: Some(Arc::clone(&knowledge)) };
        Ok(knowledge)
    }
}
