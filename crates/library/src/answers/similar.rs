//! Finds tracks that sound similar to a track of the library or to any file.

use std::path::Path;

use serde::Serialize;

use analysis::features::Features;

use super::paths;
use crate::Library;
use crate::questions::similar::{Neighbour, Question, Similar, Weights};
use crate::questions::table::{Table, row_of};
use base::error::{Error, Result};

/// The reference of a similarity search.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SimilarityReference {
    /// A track of the library, by ID.
    Track(i64),
    /// A file that is not a track of the library.
    File(std::path::PathBuf),
}

impl SimilarityReference {
    /// Parses a reference: a file's path or a track's ID.
    pub fn from_text(library: &Library, text: &str) -> Result<Self> {
        let path = Path::new(text);
        if let Ok(absolute) = std::path::absolute(path)
            && let Some(id) = library.find(&absolute)?
        {
            return Ok(Self::Track(id));
        }
        if path.is_file() {
            return Ok(Self::File(path.to_path_buf()));
        }
        let id = text.parse::<i64>().ok();
        id.map(Self::Track).ok_or_else(|| Error::NotFound { what: "track or file", name: text.to_owned() })
    }
}

/// A track that is similar to the reference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SimilarTrack {
    /// The path of its file.
    pub path: String,
    /// The similarity and its reasons.
    #[serde(flatten)]
    pub neighbour: Neighbour,
}

/// Returns the tracks most similar to a track of the library.
///
/// # Errors
/// [`Error::Impossible`] if the track was not analysed or has no feature that is compared.
pub fn like_track(library: &Library, similar: &Similar, id: i64, question: &Question) -> Result<Vec<Neighbour>> {
    check_analysed(library, similar, id)?;
    similar.to_track(id, question)
}

/// Checks that a track of the library was analysed, so that it can be compared.
pub(super) fn check_analysed(library: &Library, similar: &Similar, id: i64) -> Result<()> {
    if similar.table().position(id).is_some() {
        return Ok(());
    }
    let path = library.track(id)?.path;
    let message = format!("This track is not analysed yet. Scan the library first: {}", path.display());
    Err(Error::impossible(message))
}

/// Returns the `count` tracks most similar to the reference, the most similar first. `analyse` returns the features of a
/// file that is not a track of the library.
///
/// # Errors
/// [`Error::Impossible`] if the track was not analysed or has no feature that is compared.
pub fn similar(
    library: &Library,
    asked: &SimilarityReference,
    weights: &Weights,
    count: usize,
    analyse: impl FnOnce(&Path) -> Result<Features>,
) -> Result<Vec<SimilarTrack>> {
    let features = library.features_table()?;
    let similar = Similar::new(Table::new(features.ids, features.rows)?);
    let question = Question { weights, count, accept: None };
    let neighbours = match asked {
        SimilarityReference::Track(id) => like_track(library, &similar, *id, &question)?,
        SimilarityReference::File(path) => similar.to_features(&row_of(&analyse(path)?.values), &question)?,
    };
    let ids: Vec<i64> = neighbours.iter().map(|neighbour| neighbour.id).collect();
    let paths = paths(library, &ids)?;
    Ok(neighbours.into_iter().zip(paths).map(|(neighbour, path)| SimilarTrack { path, neighbour }).collect())
}
