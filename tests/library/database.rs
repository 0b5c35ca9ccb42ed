//! The library's database: damaged and foreign files, tables with many rows, search.

use crate::support::library as library_support;

use std::fs;
use std::path::Path;

use library_support::{Fixture, Seen, Test, analyser, options, rows, scan};
use rusqlite::{Connection, params};
use undertone::audio::Picture;
use undertone::error::Error;
use undertone::library::{Analyser, FEATURES, Library, MAX_COVER_BYTES, Place, SortKey, TrackQuery, TrackState, list};

#[test]
fn what_is_damaged_is_put_aside_whole_and_its_folders_are_kept() -> Test {
    let spoils: [(&str, bool, fn(&Path) -> Test); 4] = [
        ("random bytes", false, |path| Ok(fs::write(path, b"these are not the bytes of a database, not at all; no")?)),
        ("a spoiled middle", true, |path| {
            let mut bytes = fs::read(path)?;
            let at = bytes.len() / 2;
            bytes[at..at + 20_000].fill(0xa5);
            Ok(fs::write(path, bytes)?)
        }),
        ("a spoiled head", false, |path| {
            let mut bytes = fs::read(path)?;
            bytes[..64].fill(0x11);
            Ok(fs::write(path, bytes)?)
        }),
        ("a lost end", false, |path| {
            let bytes = fs::read(path)?;
            Ok(fs::write(path, &bytes[..bytes.len() * 2 / 3])?)
        }),
    ];
    for (words, folders, spoil) in spoils {
        let Fixture { folder, library } = Fixture::in_file()?;
        for seed in 0..40 {
            library_support::wav(&folder.path().join(format!("music/{seed}.wav")), seed)?;
        }
        let seen = Seen::default();
        scan(&library, &seen)?;
        let path = library.path().to_path_buf();
        // Merged into one file, as when the last program closes it.
        drop(library);
        Connection::open(&path)?.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        // The database is large enough that the damage is in tables that are checked at the start.
        let database = Connection::open(&path)?;
        database.execute(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 3000)
             INSERT INTO track (root, path, path_exact, bytes, modified_ns, state, added_at)
             SELECT 1, '/gone/' || n || hex(randomblob(60)), x'', 1, 1, 'vanished', n FROM n",
            [],
        )?;
        database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        drop(database);
        spoil(&path)?;
        let spoiled = fs::read(&path)?;
        let (library, notices) = Library::open(&path)?;
        assert!(notices.len() == 2 && notices[0].contains("put aside"), "{words}: {notices:?}");
        let aside: Vec<_> = fs::read_dir(folder.path())?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                path.to_string_lossy().contains("-aside-") && path.extension().is_some_and(|e| e == "sqlite")
            })
            .collect();
        assert_eq!(aside.len(), 1, "{words}");
        assert_eq!(fs::read(&aside[0])?, spoiled, "{words}");
        assert!(notices[0].contains(&aside[0].file_name().unwrap_or_default().to_string_lossy().into_owned()));
        if folders {
            assert_eq!(library.roots()?.len(), 1, "{words}: {notices:?}");
            assert_eq!(scan(&library, &seen)?.counts.analysed, 40, "{words}");
        }
        drop(library);
        assert!(Library::open(&path)?.1.is_empty(), "{words}: and no second time");
    }
    Ok(())
}

#[test]
fn a_library_that_is_damaged_while_it_is_scanned_is_not_moved_and_the_scan_says_so() -> Test {
    use std::io::{Seek, SeekFrom, Write};
    let fixture = Fixture::in_file()?;
    for seed in 0..40 {
        fixture.add(&format!("{seed}.wav"), seed)?;
    }
    let path = fixture.library.path().to_path_buf();
    let database = Connection::open(&path)?;
    database.execute(
        "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 3000)
         INSERT INTO track (root, path, path_exact, bytes, modified_ns, state, added_at)
         SELECT 1, '/gone/' || n || hex(randomblob(60)), x'', 1, 1, 'vanished', n FROM n",
        [],
    )?;
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    drop(database);
    let seen = Seen::default();
    let scan = fixture.library.scan(options(analyser(&seen, 1, std::time::Duration::from_millis(10))))?;
    assert!(library_support::until(|| seen.count() > 5));
    let mut file = fs::File::options().write(true).open(&path)?;
    let middle = fs::metadata(&path)?.len() / 2;
    file.seek(SeekFrom::Start(middle))?;
    file.write_all(&[0xa5; 20_000])?;
    drop(file);
    // Another process, for example a window, opens it in the meantime.
    for _ in 0..2 {
        let refused = Library::open(&path).err().ok_or("it was opened")?;
        assert!(matches!(&refused, Error::Stored(why) if why.contains("another program uses it")), "{refused}");
    }
    let outcome = scan.wait();
    assert!(matches!(outcome, Err(Error::Stored(_))), "nothing is told as kept that may be lost: {outcome:?}");
    let folder = fixture.folder.path().to_path_buf();
    let asides = || -> std::io::Result<usize> {
        Ok(fs::read_dir(&folder)?
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().contains("-aside-"))
            .filter(|entry| entry.path().extension().is_some_and(|ending| ending == "sqlite"))
            .count())
    };
    assert_eq!(asides()?, 0);
    // Once all have closed it, it is moved aside and its folders are kept.
    let Fixture { folder: _folder, library } = fixture;
    drop(library);
    let (library, notices) = Library::open(&path)?;
    assert!(notices.len() == 2 && notices[0].contains("put aside"), "{notices:?}");
    assert_eq!(library_support::scan(&library, &seen)?.counts.analysed, 40);
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_scan_whose_library_is_removed_does_not_say_that_it_is_done() -> Test {
    let fixture = Fixture::in_file()?;
    for seed in 0..10 {
        fixture.add(&format!("{seed}.wav"), seed)?;
    }
    let seen = Seen::default();
    let scan = fixture.library.scan(options(analyser(&seen, 1, std::time::Duration::from_millis(10))))?;
    assert!(library_support::until(|| seen.count() > 2));
    let path = fixture.library.path().to_path_buf();
    fs::rename(&path, path.with_extension("elsewhere"))?;
    let outcome = scan.wait();
    assert!(matches!(&outcome, Err(Error::Stored(why)) if why.contains("removed or replaced")), "{outcome:?}");
    Ok(())
}

#[test]
fn what_the_database_does_not_take_of_one_track_is_that_tracks_failure() -> Test {
    let fixture = Fixture::new()?;
    for (seed, name) in ["a.wav", "odd.wav", "z.wav"].into_iter().enumerate() {
        fixture.add(name, seed as u64)?;
    }
    let odd = Analyser::new(undertone::library::Versions { features: 1, fingerprint: 1 }, |path, _| {
        let mut analysis = library_support::analysis_of(path)?;
        if path.ends_with("odd.wav") {
            // `NaN` becomes NULL, which the column refuses.
            analysis.series[0].start_s = f64::NAN;
        }
        Ok(analysis)
    });
    let summary = fixture.library.scan(options(odd))?.wait()?;
    assert_eq!((summary.counts.analysed, summary.counts.failed), (2, 1));
    let errors = fixture.library.errors()?;
    assert!(errors[0].path.ends_with("odd.wav") && errors[0].reason.contains("cannot be stored"), "{errors:?}");
    assert_eq!(fixture.library.track(errors[0].id)?.series.len(), 0, "nothing is written in part");
    Ok(())
}

#[test]
fn what_is_no_library_is_left_as_it_is() -> Test {
    let folder = tempfile::tempdir()?;
    let song = folder.path().join("song.wav");
    library_support::wav(&song, 1)?;
    let other = folder.path().join("other.sqlite");
    Connection::open(&other)?.execute_batch("CREATE TABLE mine (x); PRAGMA user_version = 3;")?;
    let newer = folder.path().join("newer.sqlite");
    drop(Library::open(&newer)?);
    Connection::open(&newer)?.pragma_update(None, "user_version", 999)?;
    for path in [song, other, newer] {
        let before = fs::read(&path)?;
        let refused = Library::open(&path).err().ok_or("opened")?;
        assert!(matches!(refused, Error::Refused { .. }), "{refused}");
        assert_eq!(fs::read(&path)?, before);
    }
    assert!(Library::open(folder.path()).is_err());
    // An empty file becomes a new library.
    let empty = folder.path().join("empty.sqlite");
    fs::write(&empty, b"")?;
    assert!(Library::open(&empty)?.1.is_empty());
    Ok(())
}

#[test]
fn folders_are_added_once_and_hold_what_lies_in_them() -> Test {
    let fixture = Fixture::new()?;
    fixture.add("a/one.wav", 1)?;
    let inner = fixture.library.add_root(&fixture.music("a")).err().ok_or("a folder in a folder")?;
    assert!(matches!(inner, Error::Invalid { .. }), "{inner}");
    scan(&fixture.library, &Seen::default())?;
    let id = rows(&fixture.library)?[0].id;
    let music = fixture.library.roots()?;
    assert_eq!(fixture.library.add_root(&fixture.music(""))?.id, music[0].id);
    let outer = fixture.library.add_root(fixture.folder.path())?;
    assert_eq!((fixture.library.roots()?.len(), outer.tracks), (1, 1));
    assert_eq!(fixture.library.track(id)?.root, outer.id);
    assert!(fixture.library.add_root(Path::new("/there/is/none")).is_err());
    fixture.library.remove_root(outer.id)?;
    assert!(fixture.library.remove_root(outer.id).is_err());
    assert!(rows(&fixture.library)?.is_empty() && fixture.music("a/one.wav").exists());
    Ok(())
}

#[test]
fn folders_that_several_add_at_once_are_added_once_and_never_overlap() -> Test {
    for _ in 0..20 {
        let folder = tempfile::tempdir()?;
        let database = folder.path().join("library.sqlite");
        let outer = folder.path().join("music");
        let inner = outer.join("a");
        fs::create_dir_all(&inner)?;
        drop(Library::open(&database)?);
        let barrier = std::sync::Barrier::new(4);
        let results: Vec<_> = std::thread::scope(|scope| {
            let adds: Vec<_> = [&outer, &inner, &outer, &inner]
                .into_iter()
                .map(|path| {
                    scope.spawn(|| -> Result<_, Error> {
                        let (library, _) = Library::open(&database)?;
                        barrier.wait();
                        library.add_root(path)
                    })
                })
                .collect();
            adds.into_iter().map(|add| add.join().expect("no panic")).collect()
        });
        for (index, result) in results.into_iter().enumerate() {
            match result {
                Ok(_) => {}
                // The folder that contains it came first.
                Err(Error::Invalid { .. }) => assert_eq!(index % 2, 1, "the outer folder is never refused"),
                // It became part of the outer folder before it was read again.
                Err(Error::NotFound { .. }) => assert_eq!(index % 2, 1),
                Err(error) => return Err(error.into()),
            }
        }
        let roots = Library::open(&database)?.0.roots()?;
        assert_eq!(roots.len(), 1, "{roots:?}");
        assert_eq!(roots[0].path.canonicalize()?, outer.canonicalize()?);
    }
    Ok(())
}

/// Creates a library of synthetic tracks.
fn synthetic(path: &Path, tracks: i64) -> Result<Library, Box<dyn std::error::Error>> {
    let (library, _) = Library::open(path)?;
    let mut database = Connection::open(path)?;
    database.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000")?;
    let transaction = database.transaction()?;
    transaction.execute("INSERT INTO root (path, path_exact, added_at) VALUES ('/m', x'', 0)", [])?;
    {
        let mut track = transaction.prepare(
            "INSERT INTO track (id, root, path, path_exact, bytes, modified_ns, state, added_at, title, artist, year, duration_s)
             VALUES (?1, 1, ?2, x'', 1, 1, 'done', ?1, ?3, ?4, ?5, ?6)",
        )?;
        let mut feature =
            transaction.prepare("INSERT INTO feature (track_id, tempo_bpm, centroid_hz) VALUES (?1, ?2, ?3)")?;
        for id in 1..=tracks {
            let mixed = id * 7919 % tracks;
            let title =
                (id % 10 != 0).then(|| format!("{} {mixed}", ["Zeta", "alpha", "Ömega", "beta"][(id % 4) as usize]));
            let artist = format!("Artist{}", mixed % 97);
            track.execute(params![
                id,
                format!("/m/{mixed}.flac"),
                title,
                artist,
                1950 + mixed % 70,
                mixed as f64 / 7.0
            ])?;
            if id % 5 != 0 {
                feature.execute(params![id, 40.0 + (mixed % 1600) as f64 / 10.0, mixed as f64])?;
            }
        }
    }
    transaction.commit()?;
    Ok(library)
}

#[test]
fn any_part_of_many_rows_is_what_the_whole_order_says() -> Test {
    const TRACKS: i64 = 20_000;
    let folder = tempfile::tempdir()?;
    let library = synthetic(&folder.path().join("library.sqlite"), TRACKS)?;
    let all = TrackQuery::default();
    // By descending tempo, then by title, compared with an order computed here.
    let sort = [SortKey::down("tempo_bpm"), SortKey::up("title")];
    let mixed = |id: i64| id * 7919 % TRACKS;
    let mut expected: Vec<i64> = (1..=TRACKS).collect();
    let title = |id: i64| {
        (id % 10 != 0).then(|| format!("{} {}", ["zeta", "alpha", "ömega", "beta"][(id % 4) as usize], mixed(id)))
    };
    // Numbers in text are sorted by value.
    let natural = |title: Option<String>| {
        title
            .and_then(|title| title.split_once(' ').map(|(word, number)| (word.to_owned(), number.parse::<i64>().ok())))
    };
    expected.sort_by_cached_key(|&id| {
        let tempo = (id % 5 != 0).then(|| -(mixed(id) % 1600));
        (tempo.is_none(), tempo, title(id).is_none(), natural(title(id)), id)
    });
    assert_eq!(*library.track_ids(&all, &sort)?, expected);
    for offset in [0, 1, 777, 10_000, 19_990, 19_999, 20_000, 40_000] {
        let page = library.tracks(&all, &sort, offset, 25)?;
        let ids: Vec<i64> = page.rows.iter().map(|row| row.id).collect();
        let end = (offset + 25).min(expected.len());
        assert_eq!((page.total, ids.as_slice()), (20_000, expected.get(offset..end).unwrap_or_default()));
    }
    // A condition and words, compared with a result computed here.
    let query =
        TrackQuery { text: "OMEGA artist1".to_owned(), filter: Some("bpm:100.00..120.00 year:>=1990".parse()?) };
    let expected: Vec<i64> = (1..=TRACKS)
        .filter(|id| id % 10 != 0 && id % 4 == 2 && (mixed(*id) % 97).to_string().starts_with('1'))
        .filter(|id| id % 5 != 0 && (600..=800).contains(&(mixed(*id) % 1600)) && mixed(*id) % 70 >= 40)
        .collect();
    assert!(expected.len() > 5);
    assert_eq!(*library.track_ids(&query, &[SortKey::up("id")])?, expected);
    assert!(library.track_ids(&TrackQuery { text: "nowhere".into(), ..all.clone() }, &[])?.is_empty());
    assert!(library.track_ids(&TrackQuery { text: "\" OR *".into(), ..all.clone() }, &[])?.is_empty());
    // An unknown name gives an error that states it.
    let wrong = library.tracks(&all, &[SortKey::up("title; DROP TABLE track")], 0, 1);
    assert!(matches!(wrong, Err(Error::Invalid { .. })));
    // Every column can be sorted in both directions.
    let part = TrackQuery { filter: Some("id:<=1000".parse()?), ..all.clone() };
    for column in list::columns::names() {
        let (up, down) = (SortKey::up(column), SortKey::down(column));
        assert_eq!(library.tracks(&part, &[up], 998, 5)?.rows.len(), 2);
        assert_eq!(library.tracks(&part, &[down], 0, 5)?.rows.len(), 5);
    }
    let table = library.features_table()?;
    let tempo = FEATURES.iter().position(|name| *name == "tempo_bpm").ok_or("no tempo")?;
    assert_eq!(table.ids.len(), 16_000);
    assert!(table.ids.is_sorted() && table.rows.iter().all(|row| row[tempo] >= 40.0 && row[0].is_nan()));
    // A change is visible immediately. Removed rows leave no trace in the search.
    let omega = library.track_ids(&TrackQuery { text: "ömega".into(), ..all.clone() }, &[])?;
    assert_eq!(library.forget(&omega[..100])?, 100);
    assert_eq!(library.tracks(&all, &sort, 0, 1)?.total, 19_900);
    assert_eq!(library.track_ids(&TrackQuery { text: "omega".into(), ..all }, &[])?.len(), omega.len() - 100);
    Connection::open(library.path())?.execute("INSERT INTO track_text (track_text) VALUES ('integrity-check')", [])?;
    assert!(library.check()?.is_empty());
    Ok(())
}

#[test]
fn covers_are_kept_once_and_the_search_follows_tags_and_moves() -> Test {
    let fixture = Fixture::new()?;
    for seed in 0..4 {
        fixture.add(&format!("{seed}.wav"), seed)?;
    }
    let small = Picture { mime: "image/png".into(), kind: 3, data: vec![5; 1000], ..Picture::default() };
    let back = Picture { mime: "image/png".into(), kind: 4, data: vec![6; 1000], ..Picture::default() };
    let inner = analyser(&Seen::default(), 1, std::time::Duration::ZERO);
    let pictures = [
        vec![back.clone(), small.clone()],
        vec![small.clone()],
        vec![],
        vec![Picture { data: vec![7; MAX_COVER_BYTES + 1], ..small.clone() }],
    ];
    let with_covers = Analyser::new(inner.versions, move |path, progress| {
        let mut analysis = (inner.analyse)(path, progress)?;
        let number: usize = path.file_stem().unwrap_or_default().to_string_lossy().parse().unwrap_or(2);
        analysis.info.tags.pictures = pictures[number].clone();
        analysis.info.tags.items.insert("TITLE".into(), format!("Überall {number}").into());
        Ok(analysis)
    });
    fixture.library.scan(options(with_covers))?.wait()?;
    let rows = rows(&fixture.library)?;
    let covers: Vec<bool> = rows.iter().map(|row| row.cover).collect();
    assert_eq!(covers, [true, true, false, true]);
    assert_eq!(fixture.library.cover(rows[0].id)?, Some(small.clone()));
    assert_eq!(fixture.library.cover(rows[1].id)?, Some(small));
    assert_eq!(fixture.library.cover(rows[2].id)?, None);
    // The large cover would be read from the file, which has none.
    assert_eq!(fixture.library.cover(rows[3].id)?, None);
    let database = match fixture.library.place() {
        Place::File(path) => Some(Connection::open(path)?),
        Place::Server { .. } => None,
    };
    let kept = |sql: &str| {
        database.as_ref().map(|database| database.query_row(sql, [], |row| row.get::<_, i64>(0))).transpose()
    };
    if database.is_some() {
        assert_eq!((kept("SELECT count(*) FROM cover")?, kept("SELECT count(data) FROM cover")?), (Some(2), Some(1)));
    }
    let found = |text: &str| fixture.library.track_ids(&TrackQuery { text: text.into(), filter: None }, &[]);
    assert_eq!((found("uber")?.len(), found("überall 1")?.len()), (4, 1));
    // A moved file is found by its new path, a file with new tags by its new words.
    fs::rename(fixture.music("1.wav"), fixture.music("elsewhere.wav"))?;
    fs::write(fixture.music("0.wav"), library_support::wav_bytes(0, Some("Anders")))?;
    let summary = scan(&fixture.library, &Seen::default())?;
    assert_eq!((summary.counts.moved, summary.counts.retagged, summary.counts.analysed), (1, 1, 0));
    assert_eq!(found("elsewhere")?.as_slice(), [rows[1].id]);
    assert_eq!((found("anders")?.as_slice(), found("über")?.len()), ([rows[0].id].as_slice(), 3));
    // A cover that no track uses is removed.
    fixture.library.forget(&[rows[1].id])?;
    assert_ne!(kept("SELECT count(data) FROM cover")?, Some(1));
    assert!(fixture.library.check()?.is_empty());
    assert_eq!(fixture.library.rows(&[rows[0].id])?[0].state, TrackState::Done);
    Ok(())
}
