//! Session databases that are damaged or hostile. The program loads the session at every start, so a crash there would
//! prevent every start. `SQLite` is C code, so this program runs itself as a child to open them.

use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use rusqlite::Connection;
use serde_json::json;

use super::child::{FOLDER, Nobody, itself};
use super::database::{harmed, packed, unpack};
use super::harness::{Limits, Random, alone, run};
use undertone::audio::AudioFormat;
use undertone::document::session::{FILE_NAME, Session, ViewState};
use undertone::document::{ClockSpeed, ContentKey, Document, FileStamp, History, Source, SourceSummary};
use undertone::units::SampleRate;
use undertone::window::App;
use undertone::work::Directories;

const MEBIBYTES: u64 = 2048;
const TIME: Duration = Duration::from_secs(30);
const DOCUMENTS: usize = 3;
/// The test that runs in the child.
const CHILD: &str = "session::a_child_takes_a_session_up";

fn document(number: usize) -> Document {
    let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 2);
    let summary = SourceSummary { container: "WAV".into(), codec: "PCM".into(), format, frames: 480_000 };
    let path = format!("/nowhere/{number}.wav");
    let content_key = ContentKey::of_parts([path.as_str()]);
    Document::of_source(Source {
        content_key,
        path: path.into(),
        stamp: FileStamp::default(),
        clock: ClockSpeed::NOMINAL,
        summary,
    })
}

/// The bytes of an intact session.
static SOUND: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let (mut session, _) = Session::open(folder.path()).unwrap();
    for number in 0..DOCUMENTS {
        let mut history = History::new(document(number));
        for step in 1..8 {
            let mut changed = history.document().clone();
            changed.chain = format!("highpass({step}00 Hz) | peaking(1 kHz, q=1, gain={step} dB)").parse().unwrap();
            history.apply("Change gain", None, changed);
        }
        history.undo();
        let key = session.add(&history, ViewState::default()).unwrap();
        session.end_attempt(key).unwrap();
        session.set_active(Some(key)).unwrap();
    }
    session.add_recent(Path::new("/nowhere/1.wav")).unwrap();
    session.save_preset("Mine", &"gain(-3 dB)".parse().unwrap(), false).unwrap();
    drop(session);
    let path = folder.path().join(FILE_NAME);
    Connection::open(&path).unwrap().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    std::fs::read(path).unwrap()
});

/// Statements that write values that the program never writes.
const HOSTILE: [&str; 29] = [
    "UPDATE document SET present = -1",
    "UPDATE document SET present = 9223372036854775807, position = -9223372036854775808",
    "UPDATE document SET cursor_frame = 9223372036854775807, view_start = 9e999, view_end = -9e999",
    "UPDATE document SET cursor_frame = -5, view_start = 'here', view_end = x'00'",
    "UPDATE document SET session = 9223372036854775807",
    "UPDATE document SET session = -1",
    "UPDATE document SET session = id",
    "UPDATE document SET id = 9223372036854775807 WHERE id = 1",
    "UPDATE step SET serial = 9223372036854775807 - serial",
    "UPDATE step SET serial = -serial",
    "UPDATE step SET label = hex(randomblob(2000000))",
    "UPDATE step SET label = x'fffe00', state = 5",
    "UPDATE step SET packed = randomblob(300)",
    "UPDATE step SET packed = NULL, state = '{\"version\":2}'",
    "UPDATE step SET packed = NULL, state = '{\"version\":9}' WHERE serial % 2",
    "UPDATE step SET packed = NULL, state = replace(hex(zeroblob(100000)), '0', '[')",
    "UPDATE step SET packed = substr(packed, 1, 40) WHERE serial % 3 = 1",
    "INSERT OR IGNORE INTO step SELECT document, serial + 100, label, state, packed FROM step",
    "INSERT INTO attempt SELECT id, id * 7 - 9 FROM document",
    "INSERT INTO attempt SELECT id, 1 FROM document",
    "UPDATE front SET document = 77, session = -3",
    "INSERT INTO closed (document, path) SELECT id, '[[[[' FROM document",
    "INSERT INTO closed (number, document, path) SELECT 9223372036854775807, id, '' FROM document WHERE id = 2",
    "INSERT INTO closed (number, document, path) SELECT -id, id, '\"/nowhere/1.wav\"' FROM document",
    "INSERT INTO project SELECT id, '{\"unix\":[0,255]}', hex(randomblob(2000000)) FROM document",
    "INSERT INTO project SELECT id, '[[[[', '' FROM document",
    "UPDATE recent SET path = '[[[[', opened = 9223372036854775807",
    "UPDATE preset SET chain = replace(hex(zeroblob(100000)), '0', '['), name = ''",
    "UPDATE preset SET chain = '{\"version\":1,\"chain\":{\"nodes\":[{\"id\":1}]}}'",
];

const SCHEMAS: [&str; 6] = [
    "ALTER TABLE step RENAME TO old; CREATE VIEW step AS SELECT * FROM old",
    "ALTER TABLE step RENAME TO old; CREATE VIEW step AS WITH RECURSIVE n (serial) AS (SELECT 1 UNION ALL SELECT serial + 1 FROM n)
         SELECT 1 AS document, serial, '' AS label, '' AS state, NULL AS packed FROM n",
    "CREATE TRIGGER more AFTER INSERT ON recent BEGIN INSERT INTO recent (path) VALUES (new.path || 'x'); END",
    "CREATE TRIGGER gone AFTER UPDATE ON document BEGIN DELETE FROM document; END",
    "DROP TABLE attempt",
    "DROP TABLE preset; CREATE TABLE preset (name BLOB)",
];

fn make(random: &mut Random) -> Vec<u8> {
    let mut case = harmed(&SOUND, random, &HOSTILE, &SCHEMAS);
    // A state that unpacks to far more data than any real state.
    if random.once_in(16) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made.sqlite");
        std::fs::write(&path, &*SOUND).unwrap();
        let made = Connection::open(&path).unwrap();
        made.execute("UPDATE step SET packed = ?1 WHERE serial % 2", [bomb()]).unwrap();
        made.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
        drop(made);
        let pages = std::fs::read(&path).unwrap();
        case = packed(&pages, &[]);
    }
    case
}

/// A gigabyte of blanks compressed to a megabyte.
fn bomb() -> &'static [u8] {
    static BOMB: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        let blanks = vec![b' '; 1 << 20];
        for _ in 0..1024 {
            std::io::Write::write_all(&mut encoder, &blanks).unwrap();
        }
        encoder.finish().unwrap()
    });
    &BOMB
}

/// Acts like a start of the window and its first minutes. Errors are accepted results.
fn take_up(folder: &Path) {
    let directories = Directories::at(folder.join("config"), folder.join("data")).unwrap();
    let app = match App::new(Arc::new(Nobody), directories) {
        Ok(app) => app,
        Err(error) => return println!("refused: {error}"),
    };
    let started = app.call("workspace.startup", json!({})).unwrap();
    let documents = started["documents"].as_array().unwrap().clone();
    println!("documents: {}", documents.len());
    for document in &documents {
        for name in [
            "editor.undo",
            "editor.undo",
            "editor.undo",
            "editor.redo",
            "editor.undo",
            "editor.undo",
            "editor.undo",
            "editor.undo",
            "editor.redo",
            "editor.redo",
        ] {
            let _ = app.call(name, json!({ "document": document["id"] }));
        }
        let edit = json!({ "kind": "set_chain_text", "text": "gain(-1 dB)" });
        let _ = app.call("editor.edit", json!({ "document": document["id"], "edit": edit }));
        let _ = app.call("workspace.retry_document", json!({ "document": document["id"] }));
        let _ = app.call("workspace.activate_document", json!({ "document": document["id"] }));
    }
    for name in ["workspace.recent", "editor.presets", "workspace.clear_recent"] {
        let _ = app.call(name, json!({}));
    }
    for document in documents.iter().skip(1) {
        let _ = app.call("workspace.close_document", json!({ "document": document["id"] }));
    }
    let _ = app.call("workspace.reopen_closed", json!({}));
    app.shut_down();
}

/// Does nothing unless it runs in the child.
#[test]
fn a_child_takes_a_session_up() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        take_up(Path::new(&folder));
        // The resulting session is loaded again.
        take_up(Path::new(&folder));
    }
}

/// Opens a case in a child. Returns the child's output.
fn ask(case: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("data")).unwrap();
    unpack(case, &folder.path().join("data").join(FILE_NAME));
    let ended = itself(CHILD, folder.path(), MEBIBYTES, TIME);
    let ended = ended.unwrap_or_else(|| panic!("still running after {TIME:?}"));
    let said = ended.said();
    assert!(ended.code() == Some(0) && !said.contains("panicked"), "{:?}: {said}", ended.output.status);
    said
}

#[test]
fn sessions_that_are_damaged_or_hostile() {
    let limits = Limits { bytes: 1 << 30, time: 2 * TIME };
    run("session", limits, make, |case, _| drop(ask(case)));
}

#[test]
fn a_sound_session_is_taken_up_whole() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let case = folder.path().join("case");
    std::fs::write(&case, packed(&SOUND, &[])).unwrap();
    let said = ask(&case);
    assert!(said.contains(&format!("documents: {DOCUMENTS}\n")) && said.contains("documents: 2\n"), "{said}");
}
