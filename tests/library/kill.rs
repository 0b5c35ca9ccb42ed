//! Repeatedly killed scans: the database stays intact, no track is lost, and only tracks that were being analysed are
//! analysed twice.

use crate::support::library as library_support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use library_support::{Test, analysis_of, wav};
use rusqlite::Connection;
use undertone::library::{Analyser, Library, ScanOptions, Versions};

const CHILD: &str = "UNDERTONE_TEST_LIBRARY_CHILD";
const FILES: u64 = 400;
const KILLS: usize = 50;

/// An analysis that logs its start.
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
    // With fifty kills, one track may well be interrupted more than three times.
    ScanOptions { workers: Some(3), max_attempts: 1000, ..ScanOptions::new(analyser) }
}

/// Not a test by itself: the process that is killed below.
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
    // The number of kills during which a track was being analysed, and may thus be analysed again.
    let mut in_hand: BTreeMap<String, usize> = BTreeMap::new();
    let mut met = 0;
    for round in 0..KILLS {
        let before = log_lines(folder)?.len();
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--exact", "kill::child_scans_until_it_is_killed", "--nocapture", "--test-threads=1"])
            .env(CHILD, folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros(15_000 + (random >> 33) % 120_000));
        // This is SIGKILL on Unix.
        child.kill()?;
        child.wait()?;
        // Finished tracks are never analysed again.
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
    assert!(met > KILLS / 5 && done.len() > 10, "the kills met hardly any work: {met}, {} done", done.len());
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

const ABORTING: &str = "UNDERTONE_TEST_LIBRARY_ABORTING";

/// Not a test by itself: a scan whose analysis aborts the process at a certain file, like a decoder crash.
#[test]
fn child_scans_and_ends_abnormally() -> Test {
    let Ok(folder) = std::env::var(ABORTING) else { return Ok(()) };
    let folder = Path::new(&folder);
    let log = Arc::new(Mutex::new(File::options().create(true).append(true).open(folder.join("log"))?));
    let say = move |words: &str, path: &Path| {
        let line = format!("{words} {}\n", path.file_name().unwrap_or_default().to_string_lossy());
        log.lock().unwrap().write_all(line.as_bytes()).unwrap();
    };
    let analyser = Analyser::new(Versions { features: 1, fingerprint: 1 }, move |path, _| {
        say("begin", path);
        // Long enough that every worker is busy.
        std::thread::sleep(Duration::from_millis(30));
        if path.ends_with("04 culprit.wav") {
            std::process::abort();
        }
        let analysis = analysis_of(path);
        say("end", path);
        analysis
    });
    let (library, _) = Library::open(&folder.join("library.sqlite"))?;
    library.scan(ScanOptions { workers: Some(4), ..ScanOptions::new(analyser) })?.wait()?;
    Ok(())
}

/// Runs the scan above. Returns whether it completed, and the lines of its log.
fn aborting_scan(folder: &Path) -> Result<(bool, Vec<String>), Box<dyn std::error::Error>> {
    let _ = fs::remove_file(folder.join("log"));
    let ended = Command::new(std::env::current_exe()?)
        .args(["--exact", "kill::child_scans_and_ends_abnormally", "--nocapture", "--test-threads=1"])
        .env(ABORTING, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    Ok((ended.success(), log_lines(folder)?))
}

#[test]
fn only_the_track_that_ends_the_program_while_alone_has_failed() -> Test {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    for seed in 0..16 {
        wav(&folder.join(format!("music/{seed:02}.wav")), seed)?;
    }
    wav(&folder.join("music/04 culprit.wav"), 99)?;
    let path = folder.join("library.sqlite");
    let (library, _) = Library::open(&path)?;
    library.add_root(&folder.join("music"))?;
    // Together with others.
    let (ended, log) = aborting_scan(folder)?;
    assert!(!ended && log.iter().any(|line| line == "begin 04 culprit.wav"), "{log:?}");
    let in_hand = library.status()?.analysing;
    assert!(in_hand > 1, "there was no company: {in_hand}");
    let suspects: Vec<String> = Connection::open(&path)?
        .prepare("SELECT path FROM track WHERE state = 'analysing'")?
        .query_map([], |row| row.get::<_, String>(0))?
        .map(|path| path.map(|path| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()))
        .collect::<Result<_, _>>()?;
    // Alone: when it is started, every started analysis has ended, and all other tracks are done.
    let (ended, log) = aborting_scan(folder)?;
    assert!(!ended, "{log:?}");
    let before = log.iter().position(|line| line == "begin 04 culprit.wav").ok_or("it was not tried")?;
    let begun = log[..before].iter().filter(|line| line.starts_with("begin")).count();
    assert_eq!(begun, log[..before].len() - begun, "others were in hand: {log:?}");
    assert_eq!(before, log.len() - 1, "others were begun while it was in hand: {log:?}");
    // Suspects are analysed one at a time.
    for name in suspects {
        let at = log.iter().position(|line| *line == format!("begin {name}"));
        if let Some(at) = at.filter(|at| *at < before) {
            assert_eq!(log[at + 1], format!("end {name}"), "{log:?}");
        }
    }
    let (ended, log) = aborting_scan(folder)?;
    assert!(ended && !log.iter().any(|line| line.contains("culprit")), "{log:?}");
    let status = library.status()?;
    assert_eq!((status.done, status.failed, status.waiting, status.analysing), (16, 1, 0, 0));
    let errors = library.errors()?;
    assert!(
        errors[0].path.ends_with("04 culprit.wav") && errors[0].reason.contains("this file and no other"),
        "{errors:?}"
    );
    // Retrying it risks only that file.
    assert_eq!(library.retry(None)?.len(), 1);
    wav(&folder.join("music/more.wav"), 100)?;
    let (ended, log) = aborting_scan(folder)?;
    assert!(!ended && log == ["begin more.wav", "end more.wav", "begin 04 culprit.wav"], "{log:?}");
    let (ended, log) = aborting_scan(folder)?;
    assert!(ended && log.is_empty(), "{log:?}");
    assert_eq!(library.errors()?.len(), 1);
    Ok(())
}

/// The number of kills for each of export, scan, batch and session. `UNDERTONE_KILLS` is the total.
fn kills() -> usize {
    std::env::var("UNDERTONE_KILLS").ok().map_or(12, |text| text.parse::<usize>().expect("a number")).div_ceil(4)
}

fn next(random: &mut u64) -> u64 {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *random >> 33
}

fn undertone(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_undertone"));
    command.args(words).current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    command.env("UNDERTONE_CONFIG_DIR", folder.join("config")).env("UNDERTONE_DATA_DIR", folder.join("data"));
    command
}

/// Starts the program and kills it at a random time within its usual duration. Returns whether it was killed before it
/// finished.
fn killed(mut command: Command, whole: Duration, random: &mut u64) -> std::io::Result<bool> {
    let mut child = command.spawn()?;
    std::thread::sleep(whole.mul_f64((next(random) % 1000) as f64 / 1000.0));
    child.kill()?;
    Ok(!child.wait()?.success())
}

/// Writes noise, which is incompressible, at 44.1 kHz.
fn noise(path: &Path, seconds: usize, seed: u64) -> Test {
    use undertone::audio::encode::{EncodeSettings, Encoder};
    use undertone::audio::{AudioBuffer, AudioFormat};
    let format = AudioFormat::new(undertone::units::SampleRate::new(44_100)?, 1);
    let mut random = seed;
    let samples = (0..seconds * 44_100).map(|_| next(&mut random) as f32 / (1u64 << 32) as f32 - 0.25).collect();
    fs::create_dir_all(path.parent().ok_or("no folder")?)?;
    let mut encoder = Encoder::create(path, &EncodeSettings::default(), format, true, &[])?;
    encoder.write(&AudioBuffer::from_channels(vec![samples]))?;
    encoder.finish()?;
    Ok(())
}

/// Returns the visible files of a folder with their contents, and the number of unfinished files.
fn outputs(folder: &Path) -> std::io::Result<(BTreeMap<String, Vec<u8>>, usize)> {
    let (mut found, mut unfinished) = (BTreeMap::new(), 0);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(".undertone-unfinished-") {
            unfinished += 1;
        } else if Path::new(&name).extension().is_some_and(|ending| ending == "flac") {
            found.insert(name, fs::read(entry.path())?);
        }
    }
    Ok((found, unfinished))
}

/// Makes unfinished files older than the minimum age at which the next writer removes them.
fn age(folder: &Path) -> std::io::Result<()> {
    let long_ago = std::time::SystemTime::now() - Duration::from_mins(2);
    for entry in fs::read_dir(folder)?.flatten() {
        if entry.file_name().to_string_lossy().starts_with(".undertone-unfinished-") {
            File::options().write(true).open(entry.path())?.set_modified(long_ago)?;
        }
    }
    Ok(())
}

#[test]
fn a_killed_export_leaves_no_unfinished_file_under_its_name() -> Test {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    noise(&folder.join("in.wav"), 8, 3)?;
    fs::create_dir(folder.join("out"))?;
    let words = ["process", "in.wav", "-o", "out/a.flac", "-c", "highpass(80 Hz)", "--device", "cpu", "--overwrite"];
    let began = Instant::now();
    assert!(undertone(folder, &words).status()?.success());
    let whole = began.elapsed();
    let reference = outputs(&folder.join("out"))?.0;
    let (mut random, mut met) = (11, 0);
    for round in 0..kills() {
        // Sometimes there is no file before, sometimes another one.
        let former = (round % 2 == 0).then(|| b"what was there before".to_vec());
        fs::remove_file(folder.join("out/a.flac")).or_else(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        })?;
        if let Some(former) = &former {
            fs::write(folder.join("out/a.flac"), former)?;
        }
        met += usize::from(killed(undertone(folder, &words), whole, &mut random)?);
        let found = outputs(&folder.join("out"))?.0.remove("a.flac");
        assert!(found == former || found.as_ref() == reference.get("a.flac"), "round {round}");
    }
    age(&folder.join("out"))?;
    assert!(undertone(folder, &words).status()?.success());
    let (found, unfinished) = outputs(&folder.join("out"))?;
    assert!(found == reference);
    assert_eq!(unfinished, 0, "what killed ones left is swept");
    println!("export: {met} of {} killed at work", kills());
    Ok(())
}

#[test]
fn a_killed_batch_goes_on_where_it_was() -> Test {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let inputs: Vec<String> = (0..5).map(|n| format!("{n}.wav")).collect();
    for (seed, name) in inputs.iter().enumerate() {
        noise(&folder.join(name), 2, seed as u64)?;
    }
    let of = |out: &'static str| -> Vec<&str> {
        let tail = ["-o", out, "--format", "flac", "--resume", "-c", "gain(-1 dB)", "--device", "cpu"];
        ["process"].into_iter().chain(inputs.iter().map(String::as_str)).chain(tail).collect()
    };
    fs::create_dir(folder.join("reference"))?;
    let began = Instant::now();
    assert!(undertone(folder, &of("reference")).status()?.success());
    let whole = began.elapsed();
    let reference = outputs(&folder.join("reference"))?.0;
    assert_eq!(reference.len(), 5);
    let (mut random, mut met) = (5, 0);
    let mut round = 0;
    while round < kills() {
        let _ = fs::remove_dir_all(folder.join("out"));
        fs::create_dir(folder.join("out"))?;
        let mut written = BTreeMap::new();
        // Several kills in a row, then a complete run.
        for _ in 0..3.min(kills() - round) {
            round += 1;
            met += usize::from(killed(undertone(folder, &of("out")), whole, &mut random)?);
            for (name, bytes) in outputs(&folder.join("out"))?.0 {
                assert!(reference.get(&name) == Some(&bytes), "round {round}: {name} is unfinished");
                let modified = fs::metadata(folder.join("out").join(&name))?.modified()?;
                written.entry(name).or_insert(modified);
            }
        }
        age(&folder.join("out"))?;
        // If a writer was killed between renaming the file and recording it, the file already exists.
        let ended = undertone(folder, &[&of("out")[..], &["--overwrite"]].concat()).status()?;
        assert!(ended.success(), "round {round}");
        let (found, unfinished) = outputs(&folder.join("out"))?;
        assert!(found == reference, "round {round}: {:?}", found.keys());
        if found.len() > written.len() {
            assert_eq!(unfinished, 0, "round {round}: what killed ones left is swept");
        }
        // Each kill causes at most one file to be written again: the one that was not yet recorded.
        let again = written.iter().filter(|(name, at)| {
            fs::metadata(folder.join("out").join(name)).and_then(|found| found.modified()).is_ok_and(|now| now != **at)
        });
        assert!(again.count() <= 3, "round {round}: finished work was done again");
    }
    println!("batch: {met} of {} killed at work", kills());
    Ok(())
}

#[test]
fn a_killed_scan_of_the_program_goes_on() -> Test {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let (mut random, mut met, mut round) = (17, 0, 0);
    for seed in 0..8 {
        noise(&folder.join(format!("music/{seed}.wav")), 1, seed)?;
    }
    let words = ["library", "--library", "music.sqlite", "scan", "music", "--device", "cpu", "--workers", "2"];
    let began = Instant::now();
    assert!(undertone(folder, &words).status()?.success());
    let whole = began.elapsed();
    let path = folder.join("music.sqlite");
    while round < kills() {
        for ending in ["sqlite", "sqlite-wal", "sqlite-shm"] {
            let _ = fs::remove_file(path.with_extension(ending));
        }
        let mut done = 0;
        for _ in 0..4.min(kills() - round) {
            round += 1;
            met += usize::from(killed(undertone(folder, &words), whole, &mut random)?);
            if !path.exists() {
                continue;
            }
            let (library, notices) = Library::open(&path)?;
            assert!(notices.is_empty(), "round {round}: {notices:?}");
            assert_eq!(library.check()?, Vec::<String>::new(), "round {round}");
            let status = library.status()?;
            assert!(status.done >= done, "round {round}: {} done, {done} before", status.done);
            done = status.done;
        }
        // A file that was being analysed alone when the process was killed counts as the cause until it is retried
        // explicitly.
        undertone(folder, &words).status()?;
        assert!(undertone(folder, &[&words[..], &["--retry"]].concat()).status()?.success(), "round {round}");
        let status = Library::open(&path)?.0.status()?;
        assert_eq!((status.done, status.failed, status.waiting), (8, 0, 0), "round {round}");
    }
    println!("scan: {met} of {} killed at work", kills());
    Ok(())
}

const EDITING: &str = "UNDERTONE_TEST_EDITING_CHILD";

/// A host that chooses one recording and ignores events.
struct Desk(std::path::PathBuf);

impl undertone::window::Host for Desk {
    fn emit(&self, _: undertone::window::Event) {}

    fn choose_open(&self, _: &undertone::window::FileChoice) -> Vec<std::path::PathBuf> {
        vec![self.0.clone()]
    }
}

fn app_in(folder: &Path) -> undertone::Result<undertone::window::App> {
    let directories = undertone::work::Directories::at(folder.join("config"), folder.join("data"))?;
    undertone::window::App::new(Arc::new(Desk(folder.join("in.wav"))), directories)
}

/// Returns the cutoff of the document's chain in Hz, which counts the edits; 0 if there is no document.
fn edits_of(app: &undertone::window::App) -> Result<u64, Box<dyn std::error::Error>> {
    let startup = app.call("workspace.startup", serde_json::json!({}))?;
    let text = startup["documents"][0]["chain_text"].as_str().unwrap_or_default().to_owned();
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    Ok(digits.parse().unwrap_or(0))
}

/// Returns the cutoff of the edit after `hz`: at least 21 Hz and below 1 kHz, where the text shows the plain number.
fn after(hz: u64) -> u64 {
    if hz < 900 { hz.max(20) + 1 } else { 21 }
}

/// Not a test by itself: a window that is edited until it is killed.
#[test]
fn child_edits_until_it_is_killed() -> Test {
    let Ok(folder) = std::env::var(EDITING) else { return Ok(()) };
    let app = app_in(Path::new(&folder))?;
    let startup = app.call("workspace.startup", serde_json::json!({}))?;
    let mut document = startup["documents"][0]["id"].clone();
    if document.is_null() {
        document = app.call("workspace.open_dialog", serde_json::json!({}))?["documents"][0]["id"].clone();
    }
    let mut edits = edits_of(&app)?;
    loop {
        edits = after(edits);
        let edit = serde_json::json!({ "kind": "set_chain_text", "text": format!("highpass({edits} Hz)") });
        app.call("editor.edit", serde_json::json!({ "document": document, "edit": edit }))?;
        println!("edited {edits}");
    }
}

#[test]
fn a_killed_window_keeps_every_edit_that_was_answered() -> Test {
    use std::io::{BufRead, BufReader};
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    noise(&folder.join("in.wav"), 1, 3)?;
    let (mut random, mut before, mut met) = (23, 0, 0);
    for round in 0..kills() {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--exact", "kill::child_edits_until_it_is_killed", "--nocapture", "--test-threads=1"])
            .env(EDITING, folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let out = child.stdout.take().ok_or("no output")?;
        let reader = std::thread::spawn(move || {
            let lines = BufReader::new(out).lines().map_while(Result::ok);
            lines.filter_map(|line| line.rsplit_once("edited ")?.1.parse::<u64>().ok()).last()
        });
        std::thread::sleep(Duration::from_millis(next(&mut random) % 900));
        child.kill()?;
        child.wait()?;
        let told = reader.join().map_err(|_| "the reader panicked")?;
        met += usize::from(told.is_some());
        let acknowledged = told.unwrap_or(before);
        let found = edits_of(&app_in(folder)?)?;
        // One more edit may have been written whose answer was lost.
        let allowed = [acknowledged, after(acknowledged)];
        assert!(allowed.contains(&found), "round {round}: {found} found, {acknowledged} answered");
        before = found;
    }
    println!("session: {met} of {} killed at work", kills());
    Ok(())
}
