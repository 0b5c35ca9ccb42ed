//! The session on disk: restarts, kills, damage, later versions and other processes.

use std::error::Error;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rusqlite::Connection;
use undertone::audio::{AudioFormat, Marker};
use undertone::chain::{Chain, Node, NodeId, NodeKind};
use undertone::document::session::{FILE_NAME, MAX_RECENT, Session, StoredDocument, ViewState};
use undertone::document::{
    Clip, ClockSpeed, ContentKey, Document, Fade, FileStamp, FrameRange, History, Rack, Source, SourceSummary,
};
use undertone::units::SampleRate;

type Test = Result<(), Box<dyn Error>>;

/// Creates a document whose state carries `mark`.
fn document(name: &str, mark: u32) -> Result<Document, Box<dyn Error>> {
    let format = AudioFormat::new(SampleRate::new(48_000)?, 2);
    let summary = SourceSummary { container: "WAV".into(), codec: "PCM 16 bit".into(), format, frames: 1_000_000 };
    let source = Source {
        path: PathBuf::from("/recordings").join(name),
        content_key: ContentKey::of_parts([name]),
        stamp: FileStamp::default(),
        clock: ClockSpeed::NOMINAL,
        summary,
    };
    let mut document = Document::of_source(source);
    document.chain = chain(mark);
    Ok(document)
}

fn chain(mark: u32) -> Chain {
    let node = |id, nodes| Node {
        id: NodeId(id),
        bypass: false,
        mix: 0.1 + f64::from(id) / 3.0,
        label: None,
        kind: NodeKind::Series { nodes },
    };
    Chain::new(vec![node(mark, vec![node(mark + 1, Vec::new())])])
}

fn mark(history: &History) -> u32 {
    history.document().chain.nodes[0].id.0
}

fn labels(history: &History) -> Vec<String> {
    history.steps().0.iter().map(|step| step.label.clone()).collect()
}

#[test]
fn documents_come_back_with_history_order_cursor_and_view() -> Test {
    let folder = tempfile::tempdir()?;
    let mut first = History::new(document("first.wav", 1)?);
    for step in 2..6 {
        let mut next = document("first.wav", step)?;
        next.selection = Some(FrameRange { start: 10, end: 500 + u64::from(step) });
        next.edits.clips.push(Clip { gain_db: -1.0 / 3.0, fade_in: Fade::over(7), ..Clip::whole(0, 999) });
        assert!(first.apply(&format!("Step {step}"), None, next));
    }
    let second = History::new(document("second.wav", 100)?);
    let (key_first, key_second) = {
        let (mut session, notices) = Session::open(folder.path())?;
        assert!(notices.is_empty(), "{notices:?}");
        let key_first = session.add(&first, ViewState::default())?;
        let key_second = session.add(&second, ViewState::default())?;
        first.undo();
        first.undo();
        session.save_history(key_first, &first)?;
        session.save_place(
            key_first,
            ViewState { cursor_frame: 12_345, view: Some((0.1, 999.7)), level_zoom: Some(8.0) },
        )?;
        session.reorder(&[key_second, key_first])?;
        session.set_active(Some(key_first))?;
        (key_first, key_second)
    };
    let (mut session, _) = Session::open(folder.path())?;
    let (mut documents, notices) = session.documents()?;
    assert!(notices.is_empty(), "{notices:?}");
    assert_eq!(documents.iter().map(|d| d.key).collect::<Vec<_>>(), [key_second, key_first]);
    assert_eq!(session.active()?, Some(key_first));
    let restored = documents.pop().ok_or("no document")?;
    assert_eq!(restored.place, ViewState { cursor_frame: 12_345, view: Some((0.1, 999.7)), level_zoom: Some(8.0) });
    assert_eq!(labels(&restored.history), labels(&first));
    let mut restored = restored.history;
    assert_eq!(restored.document(), first.document());
    assert_eq!((restored.undo_label(), restored.redo_label()), (Some("Step 3"), Some("Step 4")));
    while first.redo().is_some() {
        restored.redo();
        assert_eq!(restored.document(), first.document());
    }
    while first.undo().is_some() {
        restored.undo();
        assert_eq!(restored.document(), first.document());
    }
    // A new change after a restart discards the undone ones, also in the database.
    restored.apply("Other", None, document("first.wav", 77)?);
    session.save_history(key_first, &restored)?;
    session.close(key_second, Path::new("/recordings/second.wav"))?;
    drop(session);
    let (mut session, _) = Session::open(folder.path())?;
    let (documents, _) = session.documents()?;
    assert_eq!(documents.len(), 1);
    assert_eq!(labels(&documents[0].history), ["", "Other"]);
    assert_eq!(session.active()?, Some(key_first));
    session.close(key_first, Path::new("/recordings/first.wav"))?;
    assert_eq!(session.active()?, None);
    assert!(session.save_history(key_first, &restored).is_err());
    Ok(())
}

#[test]
fn a_gesture_is_stored_as_one_step() -> Test {
    let folder = tempfile::tempdir()?;
    let (mut session, _) = Session::open(folder.path())?;
    let mut history = History::new(document("a.wav", 1)?);
    let key = session.add(&history, ViewState::default())?;
    for step in 2..50 {
        history.apply("Turn", Some(9), document("a.wav", step)?);
        session.save_history(key, &history)?;
    }
    history.end_gesture();
    history.apply("Turn", Some(9), document("a.wav", 50)?);
    session.save_history(key, &history)?;
    let (documents, _) = session.documents()?;
    assert_eq!(labels(&documents[0].history), ["", "Turn", "Turn"]);
    assert_eq!(mark(&documents[0].history), 50);
    Ok(())
}

#[test]
fn recent_files_and_presets_are_kept() -> Test {
    let folder = tempfile::tempdir()?;
    {
        let (mut session, _) = Session::open(folder.path())?;
        for name in ["/a.wav", "/b.wav", "/c \u{fc}.wav", "/a.wav"] {
            session.add_recent(Path::new(name))?;
        }
        #[cfg(unix)]
        session.add_recent(Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(
            b"/not \xff unicode.wav",
        )))?;
        session.remove_recent(Path::new("/b.wav"))?;
        assert!(session.save_preset(" Warm ", &chain(3), false)?);
        assert!(!session.save_preset("Warm", &chain(4), false)?);
        assert!(session.save_preset("Warm", &chain(5), true)?);
        assert!(session.save_preset("Gone", &chain(6), false)?);
        assert!(session.save_preset("\n", &chain(6), false).is_err());
        session.delete_preset("Gone")?;
        assert!(session.delete_preset("Gone").is_err());
    }
    let (mut session, _) = Session::open(folder.path())?;
    let mut recent = session.recent()?;
    #[cfg(unix)]
    assert_eq!(recent.remove(0).as_os_str().as_encoded_bytes(), b"/not \xff unicode.wav");
    assert_eq!(recent, [Path::new("/a.wav"), Path::new("/c \u{fc}.wav")]);
    assert_eq!(session.presets()?.len(), 1);
    assert_eq!(session.preset("Warm")?, chain(5));
    assert!(session.preset("Gone").is_err());
    for number in 0..MAX_RECENT + 5 {
        session.add_recent(&PathBuf::from(format!("/{number}.wav")))?;
    }
    assert_eq!(session.recent()?.len(), MAX_RECENT);
    session.clear_recent()?;
    assert_eq!(session.recent()?, Vec::<PathBuf>::new());
    Ok(())
}

/// Returns the files of `folder` that were moved aside.
fn aside(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("session-aside") && name.ends_with(".sqlite") {
            found.push(path);
        }
    }
    Ok(found)
}

#[test]
fn what_is_damaged_foreign_or_of_a_later_version_is_put_aside_whole() -> Test {
    let spoils: [(&str, fn(&Path) -> Test); 5] = [
        ("could not be read", |path| Ok(fs::write(path, b"these are not the bytes of a database, not at all; no")?)),
        ("could not be read", |path| {
            let mut bytes = fs::read(path)?;
            let middle = bytes.len() / 2;
            bytes[4096..middle + 2000].fill(0xa5);
            Ok(fs::write(path, bytes)?)
        }),
        ("could not be read", |path| {
            let bytes = fs::read(path)?;
            Ok(fs::write(path, &bytes[..bytes.len() - 3 * 4096])?)
        }),
        ("later version", |path| Ok(Connection::open(path)?.pragma_update(None, "user_version", 999)?)),
        ("another program", |path| Ok(Connection::open(path)?.pragma_update(None, "application_id", 7)?)),
    ];
    for (words, spoil) in spoils {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join(FILE_NAME);
        {
            let (mut session, _) = Session::open(folder.path())?;
            for number in 0..20 {
                session.add(&History::new(document("a.wav", number)?), ViewState::default())?;
            }
        }
        spoil(&path)?;
        let spoiled = fs::read(&path)?;
        let (mut session, notices) = Session::open(folder.path())?;
        assert_eq!(notices.len(), 1, "{notices:?}");
        assert!(notices[0].contains(words), "{notices:?}");
        let aside = aside(folder.path())?;
        assert_eq!(aside.len(), 1);
        assert_eq!(fs::read(&aside[0])?, spoiled);
        assert!(notices[0].contains(&aside[0].file_name().unwrap_or_default().to_string_lossy().into_owned()));
        assert!(session.documents()?.0.is_empty());
        session.add(&History::new(document("b.wav", 1)?), ViewState::default())?;
        drop(session);
        // Nothing is moved aside a second time.
        let (mut session, notices) = Session::open(folder.path())?;
        assert!(notices.is_empty(), "{notices:?}");
        assert_eq!(session.documents()?.0.len(), 1);
    }
    Ok(())
}

#[test]
fn a_state_that_cannot_be_read_costs_itself_alone() -> Test {
    let folder = tempfile::tempdir()?;
    let mut history = History::new(document("kept.wav", 1)?);
    history.apply("Two", None, document("kept.wav", 2)?);
    history.apply("Three", None, document("kept.wav", 3)?);
    {
        let (mut session, _) = Session::open(folder.path())?;
        session.add(&history, ViewState::default())?;
        session.add(&history, ViewState::default())?;
    }
    let database = Connection::open(folder.path().join(FILE_NAME))?;
    database
        .execute("UPDATE step SET state = '{\"version\":9}', packed = NULL WHERE document = 1 AND serial = 2", [])?;
    database.execute("UPDATE step SET packed = substr(packed, 1, 100) WHERE document = 2 AND serial = 1", [])?;
    drop(database);
    let (mut session, _) = Session::open(folder.path())?;
    let (mut documents, notices) = session.documents()?;
    assert_eq!(documents.len(), 1, "{notices:?}");
    assert!(notices.len() == 1 && notices[0].contains("format 9"), "{notices:?}");
    let StoredDocument { key, history, .. } = &mut documents[0];
    assert_eq!(mark(history), 3);
    assert_eq!(history.undo(), Some("Three"));
    assert_eq!(mark(history), 1);
    assert_eq!((history.lost_steps(), labels(history)), (1, vec![String::new(), "Three".into()]));
    assert_eq!(history.undo(), None);
    assert_eq!(history.redo(), Some("Three"));
    assert_eq!(mark(history), 3);
    // Steps that this version cannot read stay stored for other versions.
    session.save_history(*key, history)?;
    drop(session);
    let database = Connection::open(folder.path().join(FILE_NAME))?;
    let steps: i64 = database.query_row("SELECT count(*) FROM step WHERE document = 2", [], |row| row.get(0))?;
    assert_eq!(steps, 3);
    Ok(())
}

#[test]
fn racks_and_markers_are_kept_and_a_state_without_them_has_one_rack_and_no_markers() -> Test {
    let folder = tempfile::tempdir()?;
    let mut document = document("kept.wav", 1)?;
    document.chain = "gain(-3 dB)".parse()?;
    document.hear_rack(Rack::B);
    document.chain = "highpass(80 Hz)".parse()?;
    document.markers = document.markers.with(&[Marker::region(5, 900, "Verse"), Marker::point(1, "")]);
    let history = History::new(document.clone());
    {
        let (mut session, _) = Session::open(folder.path())?;
        session.add(&history, ViewState::default())?;
        session.add(&history, ViewState::default())?;
    }
    let database = Connection::open(folder.path().join(FILE_NAME))?;
    let mut old = serde_json::to_value(&document)?;
    let fields = old.as_object_mut().ok_or("no object")?;
    fields.insert("version".into(), 1.into());
    assert!(fields.remove("rack").is_some() && fields.remove("resting").is_some());
    assert!(fields.remove("markers").is_some());
    database.execute("UPDATE step SET state = ?1, packed = NULL WHERE document = 2", [old.to_string()])?;
    drop(database);

    let (mut session, _) = Session::open(folder.path())?;
    let (documents, notices) = session.documents()?;
    assert_eq!(notices, [] as [String; 0]);
    let [new, old] = [0, 1].map(|index| documents[index].history.document().clone());
    assert_eq!(new, document);
    assert_eq!(new.markers.len(), 2);
    assert!(old.markers.is_empty());
    assert_eq!((old.rack, old.chain.to_string(), old.resting), (Rack::A, "highpass(80 Hz)".into(), Chain::default()));
    Ok(())
}

const CHILD: &str = "UNDERTONE_TEST_SESSION_CHILD";

/// Not a test by itself: the code of the killed and competing processes below.
#[test]
fn child_commits_until_it_is_killed() -> Test {
    let Ok(folder) = std::env::var(CHILD) else { return Ok(()) };
    let (mut session, _) = Session::open(Path::new(&folder))?;
    let (mut documents, _) = session.documents()?;
    let (key, mut history) = if let Some(document) = documents.pop() {
        (document.key, document.history)
    } else {
        let history = History::new(document("killed.wav", 0)?);
        (session.add(&history, ViewState::default())?, history)
    };
    let mut out = std::io::stdout().lock();
    loop {
        let next = mark(&history) + 1;
        // Undo, redo, gestures and new changes, so that steps are added, replaced and removed.
        if next.is_multiple_of(7) {
            history.undo();
        }
        history.apply("Turn", Some(next / 3), document("killed.wav", next)?);
        session.save_history(key, &history)?;
        writeln!(out, "committed {next}")?;
        out.flush()?;
    }
}

fn child(folder: &Path) -> std::io::Result<std::process::Child> {
    Command::new(std::env::current_exe()?)
        .args(["--exact", "session::child_commits_until_it_is_killed", "--nocapture", "--test-threads=1"])
        .env(CHILD, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
}

#[test]
fn a_killed_process_loses_no_committed_edit() -> Test {
    let folder = tempfile::tempdir()?;
    let mut random = 0x2545_f491u64;
    let mut before = 0;
    for round in 0..20 {
        let mut process = child(folder.path())?;
        let out = process.stdout.take().ok_or("no output")?;
        let reader = std::thread::spawn(move || {
            BufReader::new(out)
                .lines()
                .map_while(Result::ok)
                .filter_map(|line| line.rsplit_once("committed ")?.1.parse::<u32>().ok())
                .last()
        });
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros(20_000 + (random >> 33) % 130_000));
        // This is SIGKILL on Unix.
        process.kill()?;
        process.wait()?;
        let acknowledged = reader.join().map_err(|_| "reader panicked")?.unwrap_or(before);
        let database = Connection::open(folder.path().join(FILE_NAME))?;
        let health: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0))?;
        assert_eq!(health, "ok", "round {round}");
        drop(database);
        let (mut session, notices) = Session::open(folder.path())?;
        assert!(notices.is_empty(), "{notices:?}");
        let (documents, notices) = session.documents()?;
        assert!(notices.is_empty(), "{notices:?}");
        let found = documents.last().map_or(0, |document| mark(&document.history));
        // The kill may have cut off the last line, but not its commit.
        assert!(found == acknowledged || found == acknowledged + 1, "round {round}: {found}, told {acknowledged}");
        before = found;
    }
    assert!(before > 20, "the children did next to nothing: {before}");
    Ok(())
}

#[test]
fn two_processes_share_recent_files_and_have_documents_of_their_own() -> Test {
    let folder = tempfile::tempdir()?;
    let (mut session, _) = Session::open(folder.path())?;
    let mut process = child(folder.path())?;
    let mut lines = BufReader::new(process.stdout.take().ok_or("no output")?).lines();
    let mut others = 0;
    for number in 0..200 {
        session.add_recent(&PathBuf::from(format!("/{number}.wav")))?;
        if number % 10 == 0 {
            others += usize::from(lines.next().is_some_and(|line| line.is_ok_and(|line| line.contains("committed"))));
        }
    }
    assert!(others > 10, "the other process was kept out: {others}");
    process.kill()?;
    process.wait()?;
    assert_eq!(session.recent()?[0], Path::new("/199.wav"));
    // The document belonged to that process. It is adopted once the process has ended.
    assert!(session.documents()?.0.is_empty());
    drop(session);
    assert_eq!(Session::open(folder.path())?.0.documents()?.0.len(), 1);
    Ok(())
}

#[test]
fn a_further_process_is_one_beside_which_another_runs() -> Test {
    let folder = tempfile::tempdir()?;
    let (first, _) = Session::open(folder.path())?;
    assert!(!first.is_further());
    let (second, _) = Session::open(folder.path())?;
    assert!(second.is_further());
    // The next process takes the first number while the second still runs.
    drop(first);
    let (third, _) = Session::open(folder.path())?;
    assert!(third.is_further());
    drop((second, third));
    assert!(!Session::open(folder.path())?.0.is_further());
    Ok(())
}

#[test]
fn processes_that_find_a_damaged_session_together_put_it_aside_once() -> Test {
    for _ in 0..10 {
        let folder = tempfile::tempdir()?;
        fs::write(folder.path().join(FILE_NAME), b"damaged")?;
        let opened: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| Session::open(folder.path()).map(|o| o.1))).collect();
            threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
        });
        let mut notices = 0;
        for opened in opened {
            notices += opened.map_err(|_| "panicked")??.len();
        }
        assert_eq!(notices, 1);
        assert_eq!(aside(folder.path())?.len(), 1);
    }
    Ok(())
}

#[test]
fn a_folder_that_cannot_be_used_is_an_error() -> Test {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("file");
    fs::write(&file, b"x")?;
    assert!(Session::open(&file.join("data")).is_err());
    Ok(())
}
