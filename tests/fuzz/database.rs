//! Library databases that are damaged or hostile: overwritten pages, headers and logs, values that no scan writes,
//! schemas with views and triggers. `SQLite` is C code, so the built program opens them in a child process.

use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use serde_json::json;

use super::child::{FOLDER, Nobody, itself, undertone};
use super::harness::{Limits, Random, alone, run};
use super::library_support::{Fixture, analysis_of};
use undertone::Error;
use undertone::library::{Analyser, ScanOptions, Versions};
use undertone::window::App;
use undertone::work::Directories;

/// The memory limit for an intact library in MiB, including the program itself.
const MEBIBYTES: u64 = 1024;
const TIME: Duration = Duration::from_secs(20);
const TRACKS: u64 = 24;

/// The bytes of an intact library.
static SOUND: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let fixture = Fixture::new().unwrap();
    for seed in 0..TRACKS {
        // Every fourth is a copy of another under another name.
        fixture.add(&format!("{seed}.wav"), seed / 4 * 3 + seed % 4).unwrap();
    }
    let random = Mutex::new(Random::new(7));
    let analyser = Analyser::new(Versions { features: 1, fingerprint: 1 }, move |path, _| {
        let mut random = random.lock().unwrap();
        let mut analysis = analysis_of(path)?;
        for value in analysis.features.values.iter_mut().flatten() {
            *value += random.below(1000) as f64 / 10.0;
        }
        analysis.chromaprint = (0..300).map(|_| random.next() as u32).collect();
        let count = 3 * random.below(200) as usize;
        analysis.landmarks = random.bytes(count);
        analysis.sketch = random.bytes(64);
        Ok(analysis)
    });
    fixture.library.scan(ScanOptions { workers: Some(1), ..ScanOptions::new(analyser) }).unwrap().wait().unwrap();
    let path = fixture.library.path().to_path_buf();
    let Fixture { folder: _folder, library } = fixture;
    drop(library);
    Connection::open(&path).unwrap().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    std::fs::read(path).unwrap()
});

/// Builds a case: the length of the database, the database and its log in one file.
pub fn packed(database: &[u8], log: &[u8]) -> Vec<u8> {
    [&(database.len() as u64).to_le_bytes(), database, log].concat()
}

/// Overwrites, swaps and truncates, mostly whole pages and the header.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    const PAGE: usize = 4096;
    for _ in 0..=random.below(4) {
        if bytes.len() < 2 * PAGE {
            return;
        }
        let pages = bytes.len() / PAGE;
        let page = random.below(pages as u64) as usize * PAGE;
        match random.below(8) {
            0 => {
                let other = random.below(pages as u64) as usize * PAGE;
                for at in 0..PAGE {
                    bytes.swap(page + at, other + at);
                }
            }
            1 => {
                let keep = random.below(bytes.len() as u64) as usize;
                bytes.truncate(keep);
            }
            // A field of the file header: page size, counts, freelist, schema format.
            2 => {
                let at = 16 + random.below(84) as usize;
                bytes[at] = random.extreme(8) as u8;
            }
            // A page header: type, first free block, number and start of cells; and the cell offsets.
            3 | 4 => {
                let at = page + random.below(32) as usize;
                bytes[at..at + 2].copy_from_slice(&(random.extreme(16) as u16).to_be_bytes());
            }
            5 => {
                let noise = random.bytes(PAGE);
                bytes[page..page + PAGE].copy_from_slice(&noise);
            }
            // Sizes of cells and records are variable-length numbers.
            6 => {
                let at = page + random.below(PAGE as u64 - 9) as usize;
                bytes[at..at + 9].fill(0xff);
            }
            _ => {
                let at = random.below(bytes.len() as u64) as usize;
                bytes[at] ^= 1 << random.below(8);
            }
        }
    }
}

/// Statements that write values that no scan writes. `STRICT` is first removed from a table's schema, so that any type
/// is accepted.
const HOSTILE: [&str; 25] = [
    "UPDATE track SET bytes = -1",
    "UPDATE track SET bytes = 9223372036854775807",
    "UPDATE track SET duration_s = 9e999, frames = -5, rate_hz = -1",
    "UPDATE track SET duration_s = -9e999, channels = 4294967296",
    "UPDATE track SET duration_s = 1e300, bit_rate = -9223372036854775808",
    "UPDATE track SET rate_hz = 'fast', channels = x'00ff', state = 'done'",
    "UPDATE track SET state = 'nothing', title = x'fffe00', artist = char(0) || 'a'",
    "UPDATE track SET title = hex(randomblob(200000))",
    "UPDATE track SET path_exact = randomblob(900), path = ''",
    "UPDATE track SET path = x'ff', quick_key = x'', audio_key = x'01'",
    "UPDATE track SET cover = 99, year = 9223372036854775807, key = 'H#'",
    "UPDATE track SET bandwidth_hz = 9e999, bandwidth_of_hz = -1, floor_db = 9e999",
    "UPDATE track SET attempts = 9223372036854775807, alone = -9223372036854775808, state = 'waiting'",
    "UPDATE feature SET tempo_bpm = 9e999, centroid_hz = -9e999",
    "UPDATE feature SET centroid_hz = 1.7e308, flatness = -1.7e308, loudness_lufs = 'loud'",
    "UPDATE feature SET track_id = track_id + 1000000",
    "UPDATE fingerprint SET chromaprint = zeroblob(20000000) WHERE track_id = 5",
    "UPDATE fingerprint SET chromaprint = x'010203', landmarks = x'01'",
    "UPDATE fingerprint SET chromaprint = zeroblob(4), landmarks = zeroblob(9000000) WHERE track_id = 6",
    "UPDATE fingerprint SET landmarks = randomblob(30000), chromaprint = randomblob(40000)",
    "UPDATE sketch SET data = randomblob(100000)",
    "UPDATE sketch SET data = NULL",
    "UPDATE description SET tags = '[[[[[[[[', warnings = '{\"a\":'",
    "UPDATE series SET step_s = 0, width = -1, data = x'0102'",
    "UPDATE track SET title = hex(randomblob(20)) WHERE id = 3",
];

const SCHEMAS: [&str; 6] = [
    "CREATE VIEW more AS WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n) SELECT n FROM n",
    "ALTER TABLE track RENAME TO old; CREATE VIEW track AS SELECT * FROM old JOIN old AS a JOIN old AS b JOIN old AS c",
    "ALTER TABLE root RENAME TO old; CREATE VIEW root AS WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
         SELECT id, '/m' AS path, x'' AS path_exact, 0 AS added_at, 0 AS scanned_at, NULL AS unreachable FROM n",
    "CREATE TRIGGER more AFTER INSERT ON text_stale BEGIN INSERT INTO text_stale VALUES (new.track_id + 1); END",
    "DROP TABLE track_text; CREATE TABLE track_text (title, artist, album, path)",
    "DROP TABLE feature; CREATE TABLE feature (track_id INTEGER PRIMARY KEY, tempo_bpm BLOB)",
];

/// Changes the database by statements. Returns it with its log, as a killed program leaves them.
fn changed(database: &[u8], random: &mut Random, hostile: &[&str], schemas: &[&str]) -> (Vec<u8>, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.sqlite");
    std::fs::write(&path, database).unwrap();
    let made = Connection::open(&path).unwrap();
    made.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false).unwrap();
    let loose = "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA foreign_keys = OFF;
                 PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON;";
    made.execute_batch(loose).unwrap();
    if random.once_in(2) {
        let _ = made.execute("UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE type = 'table'", []);
        let _ = made.execute_batch("PRAGMA writable_schema = RESET; PRAGMA ignore_check_constraints = ON;");
    }
    for _ in 0..=random.below(3) {
        // Statements that this table rejects are skipped.
        let _ = made.execute(hostile[random.below(hostile.len() as u64) as usize], []);
    }
    if random.once_in(4) {
        let _ = made.execute_batch(schemas[random.below(schemas.len() as u64) as usize]);
    }
    let log = std::fs::read(path.with_file_name("made.sqlite-wal")).unwrap_or_default();
    (std::fs::read(&path).unwrap(), log)
}

fn make(random: &mut Random) -> Vec<u8> {
    harmed(&SOUND, random, &HOSTILE, &SCHEMAS)
}

/// Returns a database that is damaged, changed by statements, or both.
pub fn harmed(sound: &[u8], random: &mut Random, hostile: &[&str], schemas: &[&str]) -> Vec<u8> {
    let mut database = sound.to_vec();
    let mut log = Vec::new();
    let kind = random.below(4);
    if kind != 0 {
        (database, log) = changed(&database, random, hostile, schemas);
    }
    match kind {
        0 => damage(&mut database, random),
        // The log is read before the database.
        2 if log.len() > 64 => {
            for _ in 0..=random.below(3) {
                let end = if random.once_in(2) { 56 } else { log.len() as u64 - 4 };
                let at = random.below(end) as usize;
                log[at..at + 4].copy_from_slice(&(random.extreme(32) as u32).to_be_bytes());
            }
        }
        3 if random.once_in(2) => damage(&mut database, random),
        _ => {}
    }
    packed(&database, &log)
}

/// Writes a case to the place of a database.
pub fn unpack(case: &Path, database: &Path) {
    let bytes = std::fs::read(case).unwrap();
    let (length, bytes) = bytes.split_first_chunk::<8>().unwrap();
    let (pages, log) = bytes.split_at(u64::from_le_bytes(*length) as usize);
    std::fs::write(database, pages).unwrap();
    if !log.is_empty() {
        std::fs::write(database.with_extension("sqlite-wal"), log).unwrap();
    }
}

/// The queries.
const QUESTIONS: [&[&str]; 10] = [
    &["list"],
    &["list", "--sort", "bpm", "--descending", "--json"],
    &["list", "loudness:<-14", "duration:1..500", "--json"],
    &["list", "alpha", "--json"],
    &["status"],
    &["errors", "--json"],
    &["similar", "3"],
    &["duplicates", "--json"],
    &["export", "out.csv", "--overwrite"],
    &["scan", "--json"],
];

fn ask(case: &Path, random: &mut Random) {
    let folder = tempfile::tempdir().unwrap();
    unpack(case, &folder.path().join("library.sqlite"));
    for _ in 0..2 {
        let question = QUESTIONS[random.below(QUESTIONS.len() as u64) as usize];
        let words: Vec<&str> =
            ["library", "--library", "library.sqlite"].into_iter().chain(question.iter().copied()).collect();
        let ended = undertone(&words, folder.path(), MEBIBYTES, TIME);
        let ended = ended.unwrap_or_else(|| panic!("{question:?}: still running after {TIME:?}"));
        let said = String::from_utf8_lossy(&ended.output.stderr);
        assert!(matches!(ended.code(), Some(0..=2)), "{question:?}: {:?}: {said}", ended.output.status);
        assert!(!said.contains("panicked"), "{question:?}: {said}");
    }
}

/// The test that runs in the child.
const CHILD: &str = "database::a_child_asks_a_library_as_the_window_does";

/// Sends all queries of the library page, in the order of a visit.
fn visit(folder: &Path) {
    let directories = Directories::at(folder.join("config"), folder.join("data")).unwrap();
    let app = App::new(Arc::new(Nobody), directories).unwrap();
    let query = json!({ "text": "", "sort": [] });
    let questions = [
        ("library.view", json!({})),
        ("library.tracks", json!({ "query": query, "offset": 0, "limit": 100 })),
        ("library.numbers", json!({ "query": query })),
        ("library.track", json!({ "track": 3 })),
        ("library.cover", json!({ "track": 3 })),
        ("library.problems", json!({})),
        ("library.similar", json!({ "like": { "kind": "track", "track": 3 }, "weights": {}, "count": 20 })),
        ("library.make_map", json!({})),
        ("library.find_duplicates", json!({})),
    ];
    for (name, args) in questions {
        let answer = app.call(name, args);
        assert!(!matches!(answer, Err(Error::Internal(_))), "{name}: {answer:?}");
    }
    let begun = Instant::now();
    while begun.elapsed() < TIME / 2 {
        let jobs = app.call("jobs.view", json!({})).unwrap();
        if jobs.as_array().unwrap().iter().all(|job| job["state"] != "running") {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    for whole in [false, true] {
        println!("map: {:?}", app.library_map(whole).map(|bytes| bytes.len()).map_err(|error| error.to_string()));
    }
    println!("duplicates: {:?}", app.call("library.duplicates", json!({})).map(|found| found.to_string().len()));
    app.shut_down();
}

/// Does nothing unless it runs in the child.
#[test]
fn a_child_asks_a_library_as_the_window_does() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        visit(Path::new(&folder));
    }
}

/// Visits a library in a child. Returns the child's output.
fn visited(case: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    unpack(case, &folder.path().join("data/library.sqlite"));
    let ended = itself(CHILD, folder.path(), 2 * MEBIBYTES, TIME);
    let ended = ended.unwrap_or_else(|| panic!("the window's questions: still running after {TIME:?}"));
    let said = ended.said();
    assert!(ended.code() == Some(0) && !said.contains("panicked"), "{:?}: {said}", ended.output.status);
    said
}

#[test]
fn libraries_that_are_damaged_or_hostile_in_the_window() {
    let limits = Limits { bytes: 1 << 30, time: 3 * TIME };
    run("library", limits, make, |case, _| drop(visited(case)));
}

#[test]
fn a_sound_library_answers_the_window() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let case = folder.path().join("case");
    std::fs::write(&case, packed(&SOUND, &[])).unwrap();
    let said = visited(&case);
    assert!(said.matches("map: Ok(").count() == 2 && said.contains("duplicates: Ok("), "{said}");
}

#[test]
fn databases_that_are_damaged_or_hostile() {
    // The child has a separate limit. This one covers the case and the child's output.
    let limits = Limits { bytes: 1 << 30, time: 3 * TIME };
    run("database", limits, make, ask);
}

/// Every query has a result on an intact library, so the queries reach their targets.
#[test]
fn a_sound_library_answers_every_question() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("library.sqlite"), &*SOUND).unwrap();
    for question in QUESTIONS {
        let words: Vec<&str> =
            ["library", "--library", "library.sqlite"].into_iter().chain(question.iter().copied()).collect();
        let ended = undertone(&words, folder.path(), MEBIBYTES, TIME).expect("in time");
        let said = String::from_utf8_lossy(&ended.output.stderr).into_owned();
        assert_eq!(ended.code(), Some(0), "{question:?}: {said}");
    }
}
