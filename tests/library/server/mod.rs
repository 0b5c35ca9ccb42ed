//! A library on a `PostgreSQL` server: the same answers as in a file, several machines, crashes, hostile servers.
//!
//! `UNDERTONE_SCANNED=2000`, `UNDERTONE_KILLED=50` and `UNDERTONE_RESTARTED=5` make the test of several machines
//! longer.

mod answers;
mod connections;
mod hostile;
mod machines;
mod rights;

use std::fs;
use std::path::Path;
use std::time::Duration;

use library_support::{Seen, Test, analyser, rows};
use undertone::library::{Library, Place, ScanOptions};

use crate::support::library as library_support;
use crate::support::server::{self, Cluster};

const WORDS: [&str; 12] =
    ["Blue", "Björk", "night", "Élan", "river", "T.N.T.", "Miles Davis", "Straße", "!!!", "moon", "Дельфин", "東京"];

/// Writes recordings with titles, some of them equal.
fn fill(music: &Path, count: u64) -> Test {
    for seed in 0..count {
        let title = format!("{} {}", WORDS[(seed * 7 % 12) as usize], WORDS[(seed * seed % 12) as usize]);
        let path = music.join(format!("{}/{seed:04} {title}.wav", WORDS[(seed % 5) as usize]));
        fs::create_dir_all(path.parent().ok_or("no folder")?)?;
        // Every tenth is a copy of the one before.
        let audio = if seed % 10 == 9 { seed - 1 } else { seed };
        fs::write(path, library_support::wav_bytes(audio, (seed % 4 != 0).then_some(title.as_str())))?;
    }
    Ok(())
}

/// Returns the same recordings as a library in a file and on a server.
fn both(cluster: &Cluster, folder: &Path, count: u64) -> Result<[Library; 2], Box<dyn std::error::Error>> {
    let music = folder.join("music");
    fill(&music, count)?;
    let places = [Place::File(folder.join("library.sqlite")), server::place(&cluster.database(), folder)];
    let mut libraries = Vec::new();
    for place in places {
        let (library, _) = Library::open_at(place)?;
        library.add_root(&music)?;
        // One worker, so that copies are analysed in the same order.
        let analyser = analyser(&Seen::default(), 1, Duration::ZERO);
        let summary = library.scan(ScanOptions { workers: Some(1), ..ScanOptions::new(analyser) })?.wait()?;
        assert_eq!((summary.counts.new, summary.counts.failed), (count, 0));
        libraries.push(library);
    }
    libraries.try_into().map_err(|_| "two".into())
}

/// Returns all rows of the libraries that a user sees, and the data that belongs to them.
fn seen(library: &Library) -> Result<String, Box<dyn std::error::Error>> {
    let rows = rows(library)?;
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let tracks: Vec<_> = ids.iter().map(|id| library.track(*id)).collect::<Result<_, _>>()?;
    let covers: Vec<_> = ids.iter().map(|id| library.cover(*id)).collect::<Result<_, _>>()?;
    let roots: Vec<_> = library.roots()?.into_iter().map(|root| (root.id, root.path, root.tracks)).collect();
    let decisions = library.decisions()?;
    let scans: Vec<_> = library.history(10)?.into_iter().map(|scan| (scan.id, scan.outcome, scan.summary)).collect();
    Ok(format!("{tracks:?}{:?}{covers:?}{roots:?}{decisions:?}{scans:?}", library.fingerprints_of(&ids)?))
}

/// Returns the name of the database.
fn name_of(address: &str) -> Result<&str, Box<dyn std::error::Error>> {
    let rest = address.split_once("@/").ok_or("no name")?.1;
    Ok(rest.split_once('?').ok_or("no socket")?.0)
}
