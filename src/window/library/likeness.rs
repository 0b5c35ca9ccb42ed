//! Finds tracks that sound similar to a track of the library or to an open document.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::LibraryPage;
use super::rows::{item, rows_by_id};
use super::types::{LikeWhat, SimilarItem};
use crate::error::Result;
use crate::features::{Options, analyse};
use crate::library::answers::like_track;
use crate::library::questions::similar::{Neighbour, Question, Similar, Weights};
use crate::library::questions::table::row_of;
use crate::library::{Library, TrackRow};
use crate::progress::Progress;
use crate::view::peaks::OpenReader;

/// The greatest number of results.
const MOST: usize = 500;

/// The reference of a search, and how to read it.
enum SearchReference {
    Track(i64),
    /// An open document, and the path of its recording if the document is exactly that recording.
    Document(OpenReader, Option<PathBuf>),
}

impl LibraryPage {
    pub(in crate::window) fn similar(
        &self,
        like: LikeWhat,
        weights: BTreeMap<String, f64>,
        count: usize,
    ) -> Result<Vec<SimilarItem>> {
        let weights = Weights::with(weights.iter().map(|(name, weight)| (name.as_str(), *weight)))?;
        let question = Question { weights: &weights, count: count.min(MOST), accept: None };
        let asked = match like {
            LikeWhat::Track { track } => SearchReference::Track(track),
            LikeWhat::Document { document } => {
                let state = self.workspace.state();
                let open = state.document(document)?;
                let sources = open.document().sources.iter().map(|source| source.path.clone());
                let file = sources.take(1).find(|_| open.document().is_whole());
                SearchReference::Document(open.readers()?, file)
            }
        };
        let library = self.opened()?;
        let knowledge = self.knowledge(&library)?;
        let neighbours = match asked {
            SearchReference::Track(track) => like_track(&library, &knowledge.similar, track, &question)?,
            SearchReference::Document(readers, file) => {
                like_document(&library, &knowledge.similar, (&readers, file), &question)?
            }
        };
        answers(&library, neighbours)
    }
}

/// Finds tracks similar to a document. If the document is an analysed track of the library, it is not analysed again,
/// and is left out of the results.
fn like_document(
    library: &Library,
    similar: &Similar,
    (readers, file): (&OpenReader, Option<PathBuf>),
    question: &Question,
) -> Result<Vec<Neighbour>> {
    let known = file.map(|file| library.find(&file)).transpose()?.flatten();
    if let Some(id) = known.filter(|id| similar.table().position(*id).is_some()) {
        return similar.to_track(id, question);
    }
    let mut reader = readers()?;
    let heard = analyse(reader.as_mut(), Options { tuning: None, timbre: false, series: false }, &Progress::new())?;
    similar.to_features(&row_of(&heard.features.values), question)
}

fn answers(library: &Library, neighbours: Vec<Neighbour>) -> Result<Vec<SimilarItem>> {
    let ids: Vec<i64> = neighbours.iter().map(|neighbour| neighbour.id).collect();
    let mut rows = rows_by_id(library, &ids)?;
    let answer = |neighbour: Neighbour| Some(answer(rows.remove(&neighbour.id)?, neighbour));
    Ok(neighbours.into_iter().filter_map(answer).collect())
}

fn answer(row: TrackRow, neighbour: Neighbour) -> SimilarItem {
    SimilarItem { track: item(row), score: neighbour.score, contributions: neighbour.contributions }
}
