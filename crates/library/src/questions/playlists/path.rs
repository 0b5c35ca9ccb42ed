//! A path between two tracks.
//!
//! The steps are evenly spaced on the straight line between the features of the two tracks; each is taken by the
//! nearest track ([`Similar`]) that is not on the path yet. A dimension without a value at one end keeps the value of
//! the other.

use std::collections::HashSet;

use crate::questions::similar::{Question, Similar};
use crate::questions::table::Row;
use analysis::features::dimensions::COUNT;
use base::error::{Error, Result};
use base::progress::Progress;

/// The maximum number of tracks of a path.
pub const MAX_STEPS: usize = 1000;

/// Returns the ids of up to `question.count` tracks from one track to another, both included; fewer if there are no more.
/// `question.accept` decides which tracks may lie between them. Progress counts tracks.
///
/// # Errors
/// [`Error::Invalid`] for fewer than 2 tracks or more than [`MAX_STEPS`]; [`Error::Impossible`] for tracks without a
/// value in a dimension that counts.
pub fn path(similar: &Similar, ends: [i64; 2], question: &Question, progress: &Progress) -> Result<Vec<i64>> {
    if !(2..=MAX_STEPS).contains(&question.count) {
        return Err(Error::invalid("tracks of a path", question.count.to_string(), format!("2 to {MAX_STEPS}")));
    }
    let place =
        |id: i64| similar.table().position(id).ok_or_else(|| Error::NotFound { what: "track", name: id.to_string() });
    let [from, to] = [place(ends[0])?, place(ends[1])?];
    let rows = similar.table().rows();
    progress.set_total(question.count as u64);
    let mut taken = HashSet::from([from, to]);
    let mut path = vec![ends[0]];
    for step in 1..question.count - 1 {
        progress.advance(1)?;
        let wanted = between(&rows[from], &rows[to], step as f32 / (question.count - 1) as f32);
        let is_free = |other: usize| !taken.contains(&other) && question.accept.is_none_or(|accept| accept(other));
        let nearest = similar.to_features(&wanted, &Question { count: 1, accept: Some(&is_free), ..*question })?;
        let Some(nearest) = nearest.first() else { break };
        taken.insert(place(nearest.id)?);
        path.push(nearest.id);
    }
    path.push(ends[1]);
    Ok(path)
}

fn between(from: &Row, to: &Row, share: f32) -> Row {
    std::array::from_fn::<f32, COUNT, _>(|d| match (from[d].is_nan(), to[d].is_nan()) {
        (false, false) => from[d] + share * (to[d] - from[d]),
        (true, _) => to[d],
        _ => from[d],
    })
}
