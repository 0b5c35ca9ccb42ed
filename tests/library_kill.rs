//! A scan that is killed again and again: the database stays sound, no track is lost, and none is done twice but those
//! that were in hand.

mod library_support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use library_support::{Test, analysis_of, wav};
use rusqlite::Connection;
use undertone::library::{Analyser, Library, ScanOptions, Versions};

const CHILD: &str = "UNDERTONE_TEST_LIBRARY_CHILD";
const FILES: u64 = 400;
const KILLS: usize = 50;

/// An analysis that notes in a log that it was begun.
fn logged(log: &Path, pace: Duration) -> std::io::Result<Analyser> {
    let log = Arc::new(Mutex::new(File::options().create(true).append(true).open(log)?));
    Ok(Analyser::new(Versions { features: 1, fingerprint: 1 }, move |path, progress| {
        let line = format!("{}\n", path.file_name().unwrap_or_default().to_string_lossy());
        log.lock().unwrap().write_all(line.as_bytes()).map_err(|e| undertone::Error::io("write", path, e))?;
        std::thread::sleep(pace);
        progress.check()?;
        analysis_of(path)
    }))
}

fn options(analyser: Analyser) -> ScanOptions {
    // Fifty kills may well meet one track more than three times.
    ScanOptions { workers: Some(3), max_attempts: 1000, ..ScanOptions::new(analyser) }
}

/// Not a test of its own: what is killed below.
#[test]
fn child_scans_until_it_is_killed() -> Test {
    let Ok(folder) = std::env::var(CHILD) else { return Ok(()) };
    let folder = Path::new(&folder);
    let (library, notices) = Library::open(&folder.join("library.sqlite"))?;
    assert!(notices.is_empty(), "{notices:?}");
    let handle = library.scan(options(logged(&folder.join("log"), Duration::from_millis(12))?))?;
    println!("scanning");
    handle.wait()?;
    println!("finished");
    Ok(())
}

fn log_lines(folder: &Path) -> std::io::Result<Vec<String>> {
    Ok(fs::read_to_string(folder.join("log")).unwrap_or_default().lines().map(str::to_owned).collect())
}

#[test]
fn kills_at_random_moments_lose_nothing_but_the_tracks_in_hand() -> Test {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    for seed in 0..FILES {
        wav(&folder.join(format!("music/{:02}/{seed:04}.wav", seed % 17)), seed)?;
    }
    let path = folder.join("library.sqlite");
    Library::open(&path)?.0.add_root(&folder.join("music"))?;
    let mut random = 0x2545_f491u64;
    let mut done = BTreeSet::new();
    // How often a track was in hand at a kill, and so may be begun once more.
    let mut in_hand: BTreeMap<String, usize> = BTreeMap::new();
    let mut met = 0;
    for round in 0..KILLS {
        let before = log_lines(folder)?.len();
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--exact", "child_scans_until_it_is_killed", "--nocapture", "--test-threads=1"])
            .env(CHILD, folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros(15_000 + (random >> 33) % 120_000));
        // SIGKILL on Unix.
        child.kill()?;
        child.wait()?;
        // What was done is never begun again.
        for name in &log_lines(folder)?[before..] {
            assert!(!done.contains(name), "round {round}: {name} was done twice");
        }
        let database = Connection::open(&path)?;
        let health: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        assert_eq!(health, "ok", "round {round}");
        let dangling: i64 =
            database.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))?;
        assert_eq!(dangling, 0, "round {round}");
        let mut rows = database.prepare("SELECT path, state FROM track")?;
        let rows = rows.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let mut now = BTreeSet::new();
        let mut hands = 0;
        for row in rows {
            let (path, state) = row?;
            let name = path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
            match state.as_str() {
                "done" => {
                    now.insert(name);
                }
                "analysing" => {
                    hands += 1;
                    *in_hand.entry(name).or_default() += 1;
                }
                "waiting" => {}
                other => return Err(format!("round {round}: {name} is {other}").into()),
            }
        }
        assert!(now.is_superset(&done) && hands <= 3, "round {round}: {hands} in hand");
        met += usize::from(hands > 0);
        done = now;
    }
    assert!(met > KILLS / 5 && done.len() > 20, "the kills met hardly any work: {met}, {} done", done.len());
    let (library, notices) = Library::open(&path)?;
    assert!(notices.is_empty(), "{notices:?}");
    let summary = library.scan(options(logged(&folder.join("log"), Duration::ZERO)?))?.wait()?;
    assert_eq!(summary.counts.failed, 0);
    let status = library.status()?;
    assert_eq!((status.done, status.waiting, status.analysing), (FILES, 0, 0));
    assert_eq!(library.features_table()?.ids.len() as u64, FILES);
    let mut begun: BTreeMap<String, usize> = BTreeMap::new();
    log_lines(folder)?.into_iter().for_each(|name| *begun.entry(name).or_default() += 1);
    assert_eq!(begun.len() as u64, FILES);
    for (name, times) in begun {
        let allowed = 1 + in_hand.get(&name).copied().unwrap_or(0);
        assert!(times <= allowed, "{name} was begun {times} times, in hand at {} kills", allowed - 1);
    }
    assert!(library.check()?.is_empty());
    assert!(library.history(100)?.iter().filter(|scan| scan.outcome.as_deref() == Some("killed")).count() > KILLS / 5);
    Ok(())
}

#[test]
fn a_track_that_brings_the_program_down_is_given_up() -> Test {
    let folder = tempfile::tempdir()?;
    wav(&folder.path().join("music/a.wav"), 1)?;
    let path = folder.path().join("library.sqlite");
    let (library, _) = Library::open(&path)?;
    library.add_root(&folder.path().join("music"))?;
    let quick = || -> std::io::Result<ScanOptions> {
        Ok(ScanOptions { max_attempts: 3, ..options(logged(&folder.path().join("log"), Duration::ZERO)?) })
    };
    library.scan(quick()?)?.wait()?;
    let database = Connection::open(&path)?;
    for attempts in [2, 3] {
        database.execute("UPDATE track SET state = 'analysing', stale = 1, attempts = ?1", [attempts])?;
        let summary = library.scan(quick()?)?.wait()?;
        if attempts == 2 {
            assert_eq!((summary.counts.recovered, summary.counts.failed), (1, 0));
        } else {
            assert_eq!((summary.counts.recovered, summary.counts.failed), (0, 1));
            assert!(library.errors()?[0].reason.contains("ended 3 times"));
        }
    }
    Ok(())
}
