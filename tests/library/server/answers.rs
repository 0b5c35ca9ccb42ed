//! A server gives the same answers as a file. Libraries are copied between the two, have folders elsewhere, and are
//! notified of changes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use library_support::{Fixture, Seen, Test, rows, scan, wav};
use rusqlite::Connection;
use undertone::error::Error;
use undertone::library::columns::TEXTS;
use undertone::library::{Access, Address, Decision, Library, Place, RootPlace, SortKey, TrackQuery, list};
use undertone::progress::Progress;

use super::{both, name_of, seen};
use crate::support::library as library_support;
use crate::support::server::{self, Cluster};

#[test]
fn a_server_answers_what_a_file_answers() -> Test {
    let Some(cluster) = server::shared() else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let [file, server] = both(cluster, folder.path(), 120)?;
    let without_times = |library: &Library| -> Result<_, Box<dyn std::error::Error>> {
        let mut rows = rows(library)?;
        rows.iter_mut().for_each(|row| row.added_at = 0);
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let mut tracks = Vec::new();
        for id in &ids {
            let mut track = library.track(*id)?;
            (track.analysed_at, track.row.added_at) = (None, 0);
            tracks.push(track);
        }
        Ok((rows, library.tags(&ids)?, tracks, library.fingerprints_of(&ids)?))
    };
    assert_eq!(without_times(&file)?, without_times(&server)?);
    // Missing values are `NaN`, which is not equal to itself.
    let features = |library: &Library| -> Result<Vec<(i64, [u32; 25])>, Error> {
        let table = library.features_table()?;
        Ok(table.ids.into_iter().zip(table.rows.iter().map(|row| row.map(f32::to_bits))).collect())
    };
    assert_eq!(features(&file)?, features(&server)?);
    let keys = |library: &Library| -> Result<BTreeMap<i64, [u8; 32]>, Error> {
        Ok(library.audio_keys()?.into_iter().collect())
    };
    assert_eq!(keys(&file)?, keys(&server)?);
    // The databases sum in another order, so the last digits differ.
    let counts = |library: &Library| {
        library.status().map(|status| (status.done, status.waiting, status.bytes, (status.duration_s * 1e6).round()))
    };
    assert_eq!(counts(&file)?, counts(&server)?);
    let names = |library: &Library| -> Result<Vec<(PathBuf, u64)>, Error> {
        Ok(library.roots()?.into_iter().map(|root| (root.path, root.tracks)).collect())
    };
    assert_eq!(names(&file)?, names(&server)?);
    for (column, text) in [("title", "b"), ("title", "BJO"), ("title", ""), ("format", "w"), ("artist", "x")] {
        assert_eq!(file.values(column, text, 10)?, server.values(column, text, 10)?, "{column} {text}");
    }
    let texts = [
        "blue",
        "bjork",
        "elan river",
        "strasse",
        "straße",
        "!!!",
        "t.n.t",
        "miles dav",
        "\"miles davis\"",
        "дельфин",
        "東京",
        "title:blue",
        "title:=\"Blue Blue\"",
        "title:none",
        "-title:blue or path:night",
        "year:none",
        "id:3..40",
        "key:Am",
        "bpm:none",
        "rate:8k",
        "state:done",
        "loudness:<0.5 -title:moon",
        "format:wav,flac",
        "added:2020..2030",
        "'--",
        "\\",
        "title:'",
        "0042",
        "wav",
        "title:\"\u{301}\"",
        "title:% path:_",
        "duration:<1",
    ];
    for text in texts {
        let query = TrackQuery { text: String::new(), filter: Some(text.parse()?) };
        for key in [SortKey::up("title"), SortKey::down("centroid_hz"), SortKey::up("file_name")] {
            let found = file.track_ids(&query, std::slice::from_ref(&key))?;
            assert_eq!(*found, *server.track_ids(&query, &[key])?, "{text}");
        }
    }
    for text in ["blu", "bjö nig", "t n t", "004", "\" OR *", "!!!", "東", "strasse", "stra"] {
        let query = TrackQuery { text: text.to_owned(), filter: None };
        assert_eq!(*file.track_ids(&query, &[])?, *server.track_ids(&query, &[])?, "{text}");
    }
    for column in list::columns::names() {
        for key in [SortKey::up(column), SortKey::down(column)] {
            if column != "added_at" {
                let all = TrackQuery::default();
                assert_eq!(
                    *file.track_ids(&all, std::slice::from_ref(&key))?,
                    *server.track_ids(&all, &[key])?,
                    "{column}"
                );
            }
        }
    }
    for library in [&file, &server] {
        let before = library.version()?;
        library.decide(2, 1, Some(Decision::KeepBoth))?;
        library.decide(1, 2, Some(Decision::Same))?;
        library.decide(3, 4, Some(Decision::Different))?;
        library.decide(4, 3, None)?;
        assert_eq!(library.decisions()?, [(1, 2, Decision::Same)]);
        assert_ne!(library.version()?, before);
        library.mark_binned(5)?;
        library.mark_restored(5)?;
        assert_eq!(library.forget(&[7, 8])?, 2);
        assert_eq!(library.check()?, Vec::<String>::new());
    }
    assert_eq!(file.status()?.done, server.status()?.done);
    Ok(())
}

#[test]
fn a_server_has_the_columns_of_a_file() -> Test {
    let Some(cluster) = server::shared() else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let (file, address) = (folder.path().join("library.sqlite"), cluster.database());
    drop(Library::open(&file)?);
    drop(Library::open_at(server::place(&address, folder.path()))?);
    let of_file: BTreeSet<String> = Connection::open(file)?
        .prepare(
            "SELECT concat(t.name, '.', c.name, ' ', CASE c.type WHEN 'INTEGER' THEN 'bigint'
                 WHEN 'REAL' THEN 'double precision' WHEN 'BLOB' THEN 'bytea' ELSE 'text' END)
             FROM pragma_table_list AS t, pragma_table_info(t.name) AS c WHERE t.strict",
        )?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let of_server = "SELECT concat(table_name, '.', column_name, ' ', data_type) FROM information_schema.columns
                     WHERE table_schema = 'undertone'";
    let of_server: BTreeSet<String> = cluster.sql(name_of(&address)?, of_server).lines().map(str::to_owned).collect();
    assert_eq!(of_file.difference(&of_server).collect::<Vec<_>>(), [""; 0]);
    let (folded, own): (Vec<&str>, Vec<&str>) =
        of_server.difference(&of_file).map(String::as_str).partition(|column| column.starts_with("folded."));
    let texts: BTreeSet<String> = TEXTS.iter().map(|name| format!("folded.{name} text")).collect();
    assert!(folded.iter().filter(|column| !column.contains("track_id")).eq(&texts), "{folded:?}");
    let of_scans = ["scan.beat_at timestamp with time zone", "scan.lease_s double precision", "track.claim bigint"];
    let tables = ["away.", "change.", "format.", "walk.", "word_index."];
    for column in own {
        assert!(of_scans.contains(&column) || tables.iter().any(|table| column.starts_with(table)), "{column}");
    }
    Ok(())
}

#[test]
fn a_library_moves_to_a_server_and_back() -> Test {
    let Some(cluster) = server::shared() else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let [file, other] = both(cluster, folder.path(), 60)?;
    file.decide(1, 2, Some(Decision::Same))?;
    let address = cluster.database();
    let open = || Library::open_at(server::place(&address, folder.path()));
    let (server, _) = open()?;
    // Cancelled first: the rows that were written are kept.
    let stopped = Progress::new();
    stopped.cancel();
    assert!(matches!(file.copy_to(&server, false, &stopped), Err(Error::Cancelled)));
    let progress = Progress::new();
    let done = file.copy_to(&server, false, &progress)?;
    assert_eq!((done.tracks, done.written, done.deleted), (60, done.rows, 0));
    assert_eq!(progress.snapshot().done, done.rows);
    assert_eq!(seen(&file)?, seen(&server)?);
    let again = file.copy_to(&server, false, &Progress::new())?;
    assert_eq!((again.rows, again.written), (done.rows, 0), "nothing is written twice");
    // Lost or changed rows are written again, and no others.
    server.forget(&[3])?;
    server.decide(1, 2, None)?;
    let mended = file.copy_to(&server, false, &Progress::new())?;
    assert!((2..12).contains(&mended.written), "{mended:?}");
    assert_eq!(seen(&file)?, seen(&server)?);
    // Searches find what was copied, and new tracks have new numbers.
    let blue = TrackQuery { text: "blue".to_owned(), filter: None };
    assert_eq!(*file.track_ids(&blue, &[])?, *server.track_ids(&blue, &[])?);
    wav(&folder.path().join("music/new.wav"), 999)?;
    assert_eq!(scan(&server, &Seen::default())?.counts.new, 1);
    assert!(server.find(&folder.path().join("music/new.wav"))?.is_some_and(|id| id > 60));
    // Back, into a new file.
    let (back, _) = Library::open(&folder.path().join("back.sqlite"))?;
    server.copy_to(&back, false, &Progress::new())?;
    assert_eq!(seen(&server)?, seen(&back)?);
    assert_eq!(back.check()?, Vec::<String>::new());
    // A target with other tracks is left unchanged, unless the user allows it.
    let refused = file.copy_to(&server, false, &Progress::new()).err().ok_or("it was replaced")?;
    assert!(matches!(refused, Error::Refused { .. }), "{refused}");
    let replaced = file.copy_to(&server, true, &Progress::new())?;
    assert!(replaced.deleted > 0, "{replaced:?}");
    assert_eq!(seen(&file)?, seen(&server)?);
    drop(other);
    Ok(())
}

#[test]
fn folders_may_be_elsewhere_on_each_machine() -> Test {
    let Some(cluster) = server::shared() else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let address = cluster.database();
    let place = |roots: &[&str]| -> Result<Place, Error> {
        let roots = roots.iter().map(|root| RootPlace::parse(root)).collect::<Result<_, _>>()?;
        Ok(Place::Server {
            address: Address::parse(&address)?,
            beside: folder.path().join("library"),
            roots,
            access: Access::default(),
        })
    };
    let (first, _) = Library::open_at(place(&[])?)?;
    let (here, there) = (folder.path().join("a/music"), folder.path().join("b/songs"));
    wav(&here.join("one.wav"), 1)?;
    first.add_root(&here)?;
    scan(&first, &Seen::default())?;
    // The other machine has the same folder under another name.
    fs::create_dir_all(folder.path().join("b"))?;
    fs::rename(&here, &there)?;
    wav(&there.join("sub/two.wav"), 2)?;
    let (second, _) = Library::open_at(place(&[&format!("music={}", there.display())])?)?;
    let summary = scan(&second, &Seen::default())?;
    assert_eq!((summary.counts.new, summary.counts.vanished, summary.counts.analysed), (1, 0, 1));
    let paths = |library: &Library| -> Result<Vec<PathBuf>, Error> {
        Ok(rows(library)?.into_iter().map(|row| row.path.into()).collect())
    };
    assert_eq!(paths(&second)?, [there.join("one.wav"), there.join("sub/two.wav")]);
    assert_eq!(paths(&first)?, [here.join("one.wav"), here.join("sub/two.wav")]);
    assert_eq!(second.roots()?[0].path, there);
    assert!(second.find(&there.join("one.wav"))?.is_some());
    assert!(second.is_only_copy(&there.join("one.wav"))?);
    // Adding it again under the name of this machine changes nothing.
    second.add_root(&there)?;
    assert_eq!(second.roots()?.len(), 1);
    let wrong = Library::open_at(place(&["talk=/mnt/t"])?).err().ok_or("it was opened")?.to_string();
    assert!(wrong.contains("talk") && wrong.contains("music"), "{wrong}");
    Ok(())
}

#[test]
fn a_database_without_a_library_is_not_filled_by_a_question() -> Test {
    let Some(cluster) = server::shared() else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let address = cluster.database();
    let missing = Library::open_existing(server::place(&address, folder.path()));
    assert!(matches!(missing, Err(Error::NotFound { .. })));
    drop(Library::open_at(server::place(&address, folder.path()))?);
    drop(Library::open_existing(server::place(&address, folder.path()))?);
    // A library of a later version is left unchanged.
    let name = name_of(&address)?;
    cluster.sql(name, "UPDATE undertone.format SET version = 999");
    let refused = Library::open_at(server::place(&address, folder.path())).err().ok_or("it was opened")?;
    assert!(refused.to_string().contains("later version"), "{refused}");
    Ok(())
}

#[test]
fn changes_are_heard_of_and_those_of_a_restart_are_not_missed() -> Test {
    let Some(cluster) = Cluster::start() else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let place = server::place(&cluster.database(), folder.path());
    let (library, _) = Library::open_at(place.clone())?;
    let (other, _) = Library::open_at(place)?;
    library.listen();
    let mut known = library.version()?;
    for restarts in [false, true, false] {
        if restarts {
            cluster.stop(true);
            cluster.resume();
        }
        fs::create_dir_all(folder.path().join(format!("{known}")))?;
        // The first try after a restart finds its connections closed.
        let folder = folder.path().join(format!("{known}"));
        assert!(library_support::until(|| other.add_root(&folder).is_ok()));
        assert!(library_support::until(|| library.version().is_ok_and(|version| version != known)), "{restarts}");
        known = library.version()?;
        assert_eq!(library.version()?, known);
    }
    Ok(())
}

#[test]
fn a_fixture_on_the_server_is_on_the_server() -> Test {
    let fixture = Fixture::new()?;
    let wanted = std::env::var("UNDERTONE_TEST_SERVER").is_ok_and(|value| value == "1");
    assert_eq!(matches!(fixture.library.place(), Place::Server { .. }), wanted);
    Ok(())
}
