//! The library in two dimensions, laid out as a job and kept in the database.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::knowledge::Knowledge;
use crate::app::App;
use crate::app::api::{JobId, JobPurpose, MapView};
use crate::error::Result;
use crate::features::DIMENSIONS;
use crate::library::questions::map::{NEIGHBOURS, Place, Points, map, quality};
use crate::library::questions::similar::Weights;
use crate::library::{Library, Places};
use crate::progress::Progress;

/// Tracks by which the map's truth is judged; each is compared with all others.
const JUDGED: usize = 500;

impl App {
    pub(in crate::app) fn make_map(&self) -> Result<JobId> {
        let library = self.shared.opened_library()?;
        if let Some(running) = self.shared.jobs.running(JobPurpose::Map) {
            return Ok(running);
        }
        let knowledge = self.shared.knowledge(&library)?;
        let job = self.shared.jobs.start(JobPurpose::Map, "Lay out the map".into(), move |progress| {
            lay_out(&library, &knowledge, progress)?;
            Ok(None)
        });
        Ok(job)
    }

    pub(in crate::app) fn library_map(&self) -> Result<Option<MapView>> {
        let library = self.shared.opened_library()?;
        let Some(map) = library.places()? else { return Ok(None) };
        let knowledge = self.shared.knowledge(&library)?;
        Ok(Some(view(&map, &knowledge)))
    }
}

/// Lays out the map from where it stood, and keeps it.
fn lay_out(library: &Arc<Library>, knowledge: &Knowledge, progress: &Progress) -> Result<()> {
    let (table, scale) = (knowledge.similar.table(), knowledge.similar.scale());
    let former: HashMap<i64, Place> =
        library.places()?.map_or_else(HashMap::new, |map| map.places.into_iter().collect());
    let weights = Weights::default();
    let places = map(table, scale, &weights, &former, progress)?;
    let points = Points::of(table, scale, &weights);
    // Counted by itself: a progress that has ended must not begin anew.
    let judging = Progress::new();
    let judged = quality(&points, &places, NEIGHBOURS, JUDGED, &judging)?;
    progress.check()?;
    library.keep_places(&Places {
        places: table.ids().iter().copied().zip(places).collect(),
        content: knowledge.content,
        trustworthiness: judged.map(|quality| quality.trustworthiness),
    })
}

/// The places of tracks that are there, with all that they may be coloured by.
fn view(map: &Places, knowledge: &Knowledge) -> MapView {
    let table = knowledge.similar.table();
    let row_of: HashMap<i64, usize> = table.ids().iter().enumerate().map(|(row, &id)| (id, row)).collect();
    let there: Vec<(i64, Place, usize)> =
        map.places.iter().filter_map(|&(id, place)| Some((id, place, *row_of.get(&id)?))).collect();
    let along = |axis: usize| {
        let at = |place: &(i64, Place, usize)| place.1[axis];
        let low = there.iter().map(at).fold(f32::INFINITY, f32::min);
        let high = there.iter().map(at).fold(f32::NEG_INFINITY, f32::max);
        let width = high - low;
        let share = move |value: f32| if width > 0.0 { ((value - low) / width).clamp(0.0, 1.0) } else { 0.5 };
        there.iter().map(|place| share(at(place))).collect::<Vec<f32>>()
    };
    let percentiles = knowledge.percentiles();
    let colour = |dimension: usize| {
        let share = |&(_, _, row): &(i64, Place, usize)| {
            percentiles.share_below(dimension, table.rows()[row][dimension]).map(|share| share as f32)
        };
        there.iter().map(share).collect()
    };
    let colours: BTreeMap<String, Vec<Option<f32>>> =
        DIMENSIONS.iter().enumerate().map(|(place, dimension)| (dimension.name.to_owned(), colour(place))).collect();
    MapView {
        ids: there.iter().map(|place| place.0).collect(),
        x: along(0),
        y: along(1),
        colours,
        trustworthiness: map.trustworthiness,
        outdated: map.content != knowledge.content,
    }
}
