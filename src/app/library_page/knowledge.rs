//! All tracks' features in memory, as questions about likeness and percentiles want them.
//!
//! A hundred thousand tracks take 150 ms to load, so they are kept until the library's content is another one.

use std::sync::{Arc, OnceLock};

use crate::app::state::{Shared, lock};
use crate::error::Result;
use crate::library::questions::percentiles::Percentiles;
use crate::library::questions::similar::Similar;
use crate::library::questions::table::Table;
use crate::library::{Content, Library};

/// The features of a library as they were at some time.
#[derive(Debug)]
pub struct Knowledge {
    /// What they were loaded from.
    pub content: Content,
    /// The tracks, scaled for questions.
    pub similar: Similar,
    percentiles: OnceLock<Percentiles>,
}

impl Knowledge {
    fn load(library: &Library, content: Content) -> Result<Self> {
        let features = library.features_table()?;
        let similar = Similar::new(Table::new(features.ids, features.rows)?);
        Ok(Self { content, similar, percentiles: OnceLock::new() })
    }

    /// Where values stand among those of all tracks; made when it is asked for first.
    pub fn percentiles(&self) -> &Percentiles {
        self.percentiles.get_or_init(|| Percentiles::of(self.similar.table()))
    }
}

/// What is kept, and the version of the database that it was last found to be true of.
#[derive(Default)]
pub struct Kept {
    version: i64,
    knowledge: Option<Arc<Knowledge>>,
}

impl Shared {
    /// The features of the library as it is now.
    ///
    /// # Errors
    /// [`crate::Error::Stored`].
    pub(super) fn knowledge(&self, library: &Library) -> Result<Arc<Knowledge>> {
        let mut kept = lock(&self.library.kept);
        // Asked for before it is loaded: what changes meanwhile is loaded the next time.
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
        *kept = Kept { version, knowledge: Some(Arc::clone(&knowledge)) };
        Ok(knowledge)
    }
}
