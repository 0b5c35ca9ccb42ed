//! The settings of the library.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::features::DIMENSIONS;
use crate::library::list::columns::is_shown;
use crate::library::questions::similar::Weights;
use crate::library::{Address, FILE_NAME, Place, RootPlace, SortKey};
use base::declared::TS;

/// The path on this machine of a folder of a library on a server, if it differs from the path in the library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LibraryFolderPlace {
    /// The address of the server.
    pub server: String,
    /// The folder's path in the library.
    pub folder: String,
    /// Its path on this machine.
    pub path: String,
}

impl LibrarySettings {
    /// The most places of folders that are kept.
    pub const MAX_PLACES: usize = 1000;
}

/// The library's settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LibrarySettings {
    /// The address of a library on a server, without a password; `None` for the library in the data folder.
    pub server: Option<String>,
    /// Whether a library on a server is opened read-only. The library in the data folder never is.
    pub read_only: bool,
    /// The paths on this machine of folders of libraries on servers.
    pub places: Vec<LibraryFolderPlace>,
    /// Whether the folders are watched and changes in them scanned while the window is open.
    pub watch: bool,
    /// The names of the table's columns in order; empty for the default columns.
    pub columns: Vec<String>,
    /// The columns by which the table is sorted.
    pub sort: Vec<SortKey>,
    /// The weights of the dimensions in similarity searches that differ from the defaults.
    pub weights: BTreeMap<String, f64>,
    /// The number of results of a similarity search.
    pub similar_count: u32,
    /// Whether loudness is matched in auditions.
    pub matched: bool,
}

impl Default for LibrarySettings {
    fn default() -> Self {
        Self {
            server: None,
            read_only: false,
            places: Vec::new(),
            watch: false,
            columns: Vec::new(),
            sort: Vec::new(),
            weights: BTreeMap::new(),
            similar_count: 25,
            matched: true,
        }
    }
}

/// Returns where the window's library is: on the server that the settings name, otherwise in the folder `data`.
pub fn place(settings: &LibrarySettings, data: &Path) -> Result<Place> {
    let Some(address) = &settings.server else { return Ok(Place::File(data.join(FILE_NAME))) };
    let here = |place: &LibraryFolderPlace| RootPlace {
        name: place.folder.clone(),
        path: place.path.clone().into(),
        required: false,
    };
    let roots = settings.places.iter().filter(|place| place.server == *address).map(here).collect();
    let place = Place::parse(address.as_ref(), data, roots)?;
    if settings.read_only { place.read_only() } else { Ok(place) }
}

/// Whether both settings name the same library, opened in the same way.
pub fn is_same(settings: &LibrarySettings, others: &LibrarySettings) -> bool {
    let place = |settings| place(settings, Path::new("")).ok();
    place(settings) == place(others)
}

/// The greatest number of results of a similarity search.
const MAX_SIMILAR: u32 = 500;

/// Returns the settings with only existing columns and dimensions, with numbers clamped to their ranges, without an
/// address that is invalid or has a password, and with at most one path for each folder, the last one.
pub fn checked(mut settings: LibrarySettings) -> LibrarySettings {
    settings.server = settings.server.map(|address| address.trim().to_owned());
    settings.server.take_if(|address| Address::parse(address).is_err());
    let mut placed = HashSet::new();
    settings.places.reverse();
    settings.places.retain(|place| {
        Path::new(&place.path).is_absolute()
            && !place.folder.is_empty()
            && Address::parse(&place.server).is_ok()
            && placed.insert((place.server.clone(), place.folder.clone()))
    });
    settings.places.truncate(LibrarySettings::MAX_PLACES);
    settings.places.reverse();
    let mut seen = Vec::new();
    settings.columns.retain(|name| {
        let is_new = is_shown(name) && !seen.contains(name);
        seen.push(name.clone());
        is_new
    });
    settings.sort.retain(|by| is_shown(&by.column));
    settings.weights.retain(|name, weight| {
        DIMENSIONS.iter().any(|dimension| dimension.name == name) && Weights::with([(name.as_str(), *weight)]).is_ok()
    });
    if Weights::with(settings.weights.iter().map(|(name, weight)| (name.as_str(), *weight))).is_err() {
        settings.weights.clear();
    }
    settings.similar_count = settings.similar_count.clamp(1, MAX_SIMILAR);
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::SortKey;

    #[test]
    fn what_does_not_exist_is_left_out() {
        let by = |column: &str| SortKey { column: column.into(), descending: true };
        let settings = checked(LibrarySettings {
            columns: ["title", "tempo_bpm", "title", "mood"].map(String::from).to_vec(),
            sort: vec![by("name"), by("; DROP TABLE track")],
            weights: [("tempo_bpm", 0.5), ("crest_db", -1.0), ("mood", 1.0)].map(|(n, w)| (n.into(), w)).into(),
            similar_count: 0,
            server: Some("postgres://a:secret@h/m".to_owned()),
            ..LibrarySettings::default()
        });
        assert_eq!(settings.server, None);
        let place = |server: &str, folder: &str, path: &str| LibraryFolderPlace {
            server: server.into(),
            folder: folder.into(),
            path: path.into(),
        };
        let server = "postgres://a@h/m";
        let good = place(server, "/srv/music", if cfg!(windows) { "M:\\" } else { "/mnt/b" });
        let places = vec![
            place(server, "/srv/music", if cfg!(windows) { "A:\\" } else { "/mnt/a" }),
            place(server, "/srv/talk", "mnt/relative"),
            place(server, "", &good.path),
            place("postgres://a:secret@h/m", "/srv/music", &good.path),
            good.clone(),
        ];
        let settings = LibrarySettings { places, ..settings };
        assert_eq!(checked(settings.clone()).places, [good]);
        assert_eq!(settings.columns, ["title", "tempo_bpm"]);
        assert_eq!(settings.sort, [by("name")]);
        assert_eq!(settings.weights, [("tempo_bpm".to_owned(), 0.5)].into());
        assert_eq!(settings.similar_count, 1);
        let none = DIMENSIONS.iter().map(|dimension| (dimension.name.to_owned(), 0.0)).collect();
        let settings = checked(LibrarySettings { weights: none, ..LibrarySettings::default() });
        assert!(settings.weights.is_empty(), "weights of which none counts are no weights");
    }
}
