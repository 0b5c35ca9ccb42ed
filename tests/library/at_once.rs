//! Processes that run the same statements at the same instant. None fails, except where only one process at a time may
//! proceed, and the error says so; afterwards the library is as if they had run one after another.
//!
//! `UNDERTONE_AT_ONCE=100` runs a hundred rounds of each, on both databases.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, thread};

use library_support::{Seen, Test, rows, scan, wav};
use serde_json::{Value, json};
use undertone::audio::AudioFile;
use undertone::document::session::Session;
use undertone::error::Error;
use undertone::library::questions::map::{Alike, MapPosition};
use undertone::library::{Analyser, Content, Decision, Library, NewSketch, Place, Places, ScanOptions, Versions};
use undertone::window::{App, Host};
use undertone::work::Directories;

use crate::support::library as library_support;
use crate::support::server::{self, Cluster};
use crate::support::terminal::{Terminal, said, status, told};

const PROCESSES: usize = 8;

/// Returns the rounds to run, and a lock to hold meanwhile: other tests of this kind would only spread the processes in
/// time.
fn rounds() -> (std::ops::Range<u64>, MutexGuard<'static, ()>) {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let rounds = std::env::var("UNDERTONE_AT_ONCE").map_or(3, |text| text.parse().expect("a number"));
    (0..rounds, turn)
}

/// Starts the programs, lets all of them run at one instant, and returns the result of each.
fn at_once(programs: impl IntoIterator<Item = Command>) -> Vec<Output> {
    let mut waiting = Vec::new();
    for program in programs {
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo; read -r go; exec \"$@\" </dev/null", "sh"]);
        shell.arg(program.get_program()).args(program.get_args());
        shell.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell.current_dir(program.get_current_dir().expect("a folder"));
        waiting
            .push(shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a shell"));
    }
    for shell in &mut waiting {
        shell.stdout.as_mut().expect("an output").read_exact(&mut [0]).expect("it is there");
    }
    for shell in &mut waiting {
        shell.stdin.take().expect("an input").write_all(b"go\n").expect("it waits");
    }
    let ending: Vec<_> =
        waiting.into_iter().map(|shell| thread::spawn(move || shell.wait_with_output().expect("an end"))).collect();
    ending.into_iter().map(|end| end.join().expect("an output")).collect()
}

/// A library of a round, and the machines that use it.
struct Desk {
    terminal: Terminal,
    /// The library in the form that the command line takes.
    library: String,
    is_file: bool,
}

impl Desk {
    /// Returns libraries that do not exist yet: in a file, and on a server if there is one.
    fn both() -> Vec<Self> {
        let file = Self { terminal: Terminal::new(), library: "music.sqlite".to_owned(), is_file: true };
        let on = |cluster: &Cluster| Self { terminal: Terminal::new(), library: cluster.database(), is_file: false };
        [file].into_iter().chain(server::shared().map(on)).collect()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.terminal.path(name)
    }

    fn place(&self, machine: usize) -> Place {
        if self.is_file {
            return Place::File(self.path(&self.library));
        }
        server::place(&self.library, &self.path(&format!("machine {machine}")))
    }

    fn open(&self) -> Library {
        let (library, notices) = Library::open_at(self.place(0)).expect("a library");
        assert_eq!(notices, Vec::<String>::new());
        library
    }

    /// Returns the program on one of the machines, each of which has separate data.
    fn program(&self, machine: &str, words: &[&str]) -> Command {
        let mut program = self.terminal.program();
        program.args(["--device", "cpu", "library", "--library", &self.library]).args(words);
        program.env("UNDERTONE_DATA_DIR", self.path(machine));
        program
    }

    fn json(&self, words: &[&str]) -> Value {
        let output = self.program("machine 0", &[&["--json"], words].concat()).output().expect("the program starts");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{words:?}: {error}: {output:?}"))
    }

    /// Runs a command on eight machines at the same instant. Those refused because another process holds the lock run
    /// it again together, as long as one has succeeded. Returns the output of the commands.
    fn all(&self, words: impl Fn(usize) -> Vec<String>, refused: Option<&str>) -> Vec<String> {
        let mut told_by = vec![String::new(); PROCESSES];
        let mut left: Vec<usize> = (0..PROCESSES).collect();
        while !left.is_empty() {
            let program = |machine: &usize| {
                let words = words(*machine);
                self.program(&format!("machine {machine}"), &words.iter().map(String::as_str).collect::<Vec<_>>())
            };
            let ended = at_once(left.iter().map(program));
            let before = left.len();
            let mut again = Vec::new();
            for (machine, output) in left.into_iter().zip(ended) {
                match refused {
                    Some(reason) if status(&output) != 0 && said(&output).contains(reason) => again.push(machine),
                    _ => {
                        assert_eq!(status(&output), 0, "{}, {:?}: {}", self.library, words(machine), said(&output));
                        told_by[machine] = told(&output);
                    }
                }
            }
            assert!(again.is_empty() || self.is_file, "nobody is refused on a server");
            assert!(again.len() < before, "all are refused");
            left = again;
        }
        told_by
    }

    /// Runs a task of [`child_works_at_once`] in eight processes at one instant.
    fn children(&self, task: &str) {
        let _ = fs::remove_file(self.path("go"));
        let mut running = Vec::new();
        for number in 0..PROCESSES {
            let child = json!({
                "task": task, "number": number, "folder": self.path(""), "library": self.library, "file": self.is_file,
            });
            let mut process = Command::new(std::env::current_exe().expect("this program"));
            process.args(["--exact", "at_once::child_works_at_once", "--nocapture", "--test-threads=1"]);
            process.env(CHILD, child.to_string()).stdout(Stdio::piped()).stderr(Stdio::piped());
            running.push(process.spawn().expect("a process"));
        }
        let begun = Instant::now();
        while !(0..PROCESSES).all(|number| self.path(&format!("ready {number}")).exists()) {
            assert!(begun.elapsed() < Duration::from_mins(2), "{task}: not all are ready");
            thread::sleep(Duration::from_millis(5));
        }
        fs::write(self.path("go"), "").expect("written");
        for (number, process) in running.into_iter().enumerate() {
            let output = process.wait_with_output().expect("an end");
            let words = [output.stdout, output.stderr].concat();
            let on = &self.library;
            assert!(output.status.success(), "{task} {number} on {on}: {}", String::from_utf8_lossy(&words));
            fs::remove_file(self.path(&format!("ready {number}"))).expect("removed");
        }
    }

    fn root_paths(&self) -> Vec<PathBuf> {
        self.open().roots().expect("folders").into_iter().map(|root| root.path).collect()
    }
}

#[test]
fn programs_that_scan_a_new_library_make_it_once() -> Test {
    let (rounds, _turn) = rounds();
    for _ in rounds {
        for desk in Desk::both() {
            let folders = ["music", "music/a", "music/a/b", "music", "other", "music/c", "other/d", "music/a/b"]
                .map(String::from);
            for (seed, folder) in folders.iter().enumerate() {
                wav(&desk.path(&format!("{folder}/{seed}.wav")), seed as u64)?;
            }
            desk.all(|machine| vec!["scan".to_owned(), folders[machine].clone()], Some("is scanning this library"));
            assert_eq!(desk.root_paths(), [desk.path("music"), desk.path("other")]);
            let last = desk.json(&["scan"]);
            assert_eq!((&last["counts"]["found"], &last["counts"]["failed"]), (&json!(8), &json!(0)), "{last}");
            let library = desk.open();
            let now = library.status()?;
            assert_eq!((now.done, now.waiting, now.analysing, now.failed), (8, 0, 0, 0));
            assert_eq!(library.features_table()?.ids.len(), 8);
            assert_eq!(library.check()?, Vec::<String>::new());
        }
    }
    Ok(())
}

#[test]
fn programs_that_write_tags_playlists_and_copies_or_ask_do_not_hinder_each_other() -> Test {
    let (rounds, _turn) = rounds();
    for desk in Desk::both() {
        for seed in 0..PROCESSES as u64 {
            desk.terminal.song(&format!("music/take{seed}.wav"), seed, 11_025, (0.0, 6.0));
        }
        assert_eq!(status(&desk.program("machine 0", &["scan", "music"]).output()?), 0);
        for round in rounds.clone() {
            tags(&desk)?;
            playlists(&desk, round)?;
            copies(&desk, round)?;
            questions(&desk, round);
        }
    }
    Ok(())
}

fn tags(desk: &Desk) -> Test {
    let file = |machine: usize| desk.path(&format!("music/take{machine}.wav"));
    let before: Vec<Vec<u8>> = (0..PROCESSES).map(|machine| fs::read(file(machine))).collect::<Result<_, _>>()?;
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let writing = "Another process is writing tags";
    let write = |machine: usize| {
        words(&["--json", "tags", "write", &format!("take{machine}"), "--fields", "loudness", "--write"])
    };
    let reports: Vec<Value> =
        desk.all(write, Some(writing)).iter().map(|told| serde_json::from_str(told)).collect::<Result<_, _>>()?;
    for (machine, report) in reports.iter().enumerate() {
        assert_eq!(report["files"][0]["outcome"], "written", "{report}");
        assert!(AudioFile::open(&file(machine))?.info().tags.items.contains_key("REPLAYGAIN_TRACK_GAIN"));
    }
    // The library knows all of them.
    let known = desk.json(&["scan"])["counts"].clone();
    assert_eq!((&known["changed"], &known["analysed"], &known["retagged"]), (&json!(0), &json!(0), &json!(0)));
    let undo = |machine: usize| words(&["tags", "undo", &reports[machine]["write"].to_string()]);
    desk.all(undo, Some(writing));
    let after: Vec<Vec<u8>> = (0..PROCESSES).map(|machine| fs::read(file(machine))).collect::<Result<_, _>>()?;
    assert!(after == before, "the originals are back");
    assert_eq!(desk.json(&["scan"])["counts"]["changed"], 0);
    Ok(())
}

fn playlists(desk: &Desk, round: u64) -> Test {
    // The index of words is out of date.
    let change = format!("UPDATE track SET title = 'word{round}x' || id");
    if desk.is_file {
        rusqlite::Connection::open(desk.path(&desk.library))?.execute(&change, [])?;
    } else if let Some(cluster) = server::shared() {
        let name = desk.library.split(['/', '?']).nth(3).ok_or("no name")?;
        cluster.sql(name, &format!("SET search_path = undertone; {change}"));
    }
    let name = |machine: usize| if machine < 4 { format!("{machine}.m3u8") } else { "same.m3u8".to_owned() };
    desk.all(
        |machine| vec!["playlist".to_owned(), name(machine), format!("word{round}"), "--overwrite".to_owned()],
        None,
    );
    for machine in 0..PROCESSES {
        let text = fs::read_to_string(desk.path(&name(machine)))?;
        assert_eq!(text.lines().filter(|line| !line.starts_with('#')).count(), PROCESSES, "{text}");
    }
    Ok(())
}

fn copies(desk: &Desk, round: u64) -> Test {
    let mut targets = vec![format!("copy {round}.sqlite")];
    targets.extend(server::shared().map(Cluster::database));
    for target in targets {
        let told_by = desk.all(|_| vec!["--json".to_owned(), "move".to_owned(), target.clone()], None);
        for told in told_by {
            let report: Value = serde_json::from_str(&told)?;
            assert_eq!((&report["tracks"], &report["deleted"]), (&json!(PROCESSES), &json!(0)), "{report}");
        }
        let again = desk.json(&["move", &target]);
        assert_eq!((&again["written"], &again["deleted"]), (&json!(0), &json!(0)), "{again}");
    }
    Ok(())
}

fn questions(desk: &Desk, round: u64) {
    // All are of one machine, which has no index of landmarks yet.
    let _ = fs::remove_dir_all(desk.path("music.sqlite.index"));
    let ask = || desk.program(&format!("asked in {round}"), &["--json", "identify", "music/take3.wav"]);
    for output in at_once(std::iter::repeat_with(ask).take(PROCESSES)) {
        assert_eq!(status(&output), 0, "{}", said(&output));
        assert!(told(&output).contains("take3.wav"), "{}", told(&output));
    }
}

#[test]
fn processes_that_change_the_same_rows_leave_what_one_after_another_would() -> Test {
    let (rounds, _turn) = rounds();
    for _ in rounds {
        for desk in Desk::both() {
            desk.children("open");
            desk.children("roots");
            let wanted = ["deep", "own 0", "own 1", "own 2", "own 3", "own 4", "own 5", "own 6", "own 7", "shared"];
            assert_eq!(desk.root_paths(), wanted.map(|name| desk.path("roots").join(name)));

            for seed in 0..24 {
                wav(&desk.path(&format!("roots/shared/{seed:02}.wav")), seed)?;
            }
            desk.children("claims");
            let library = desk.open();
            scan(&library, &Seen::default())?;
            assert_eq!(library.status()?.done, 24);
            let log = fs::read_to_string(desk.path("log"))?;
            let analysed: BTreeSet<&str> = log.lines().collect();
            assert_eq!((analysed.len(), log.lines().count()), (24, 24), "each is analysed once: {log}");

            let ids: Vec<i64> = rows(&library)?.iter().map(|row| row.id).collect();
            desk.children("decisions");
            let decisions = library.decisions()?;
            assert_eq!(decisions.iter().filter(|(first, second, _)| (*first, *second) == (ids[0], ids[1])).count(), 1);
            assert!(decisions.iter().all(|(first, _, _)| *first != ids[20]), "{decisions:?}");
            assert_eq!(library.status()?.done, 23);

            desk.children("map");
            let places = library.places()?.ok_or("no map")?;
            assert_eq!(places.places.len(), 22, "one of them was forgotten meanwhile");
            let [x, _] = places.places[0].1;
            assert!(places.places.iter().all(|(_, position)| *position == [x, x]), "{places:?}");
            assert_eq!(places.alike.pairs, x as u64);

            desk.children("sketches");
            assert_eq!(library.check()?, Vec::<String>::new());
        }
    }
    Ok(())
}

#[test]
fn windows_that_open_and_change_settings_at_once_lose_nothing() -> Test {
    let (rounds, _turn) = rounds();
    for _ in rounds {
        let desk = Desk { terminal: Terminal::new(), library: String::new(), is_file: true };
        fs::create_dir_all(desk.path("config"))?;
        // None of them can read this file, and each notices that.
        fs::write(desk.path("config/settings.json"), "{ not json")?;
        desk.children("windows");
        let app = window(&desk.path(""))?;
        let settings = app.call("settings.view", json!({}))?;
        for number in 0..PROCESSES {
            assert_eq!(settings["panes"][format!("own {number}")], 9.0, "{settings}");
        }
        assert!(settings["panes"]["shared"].as_f64().is_some_and(|size| size < PROCESSES as f64));
        drop(app);
        desk.children("sessions");
        let (mut session, notices) = Session::open(&desk.path("data"))?;
        assert_eq!(notices, Vec::<String>::new());
        assert_eq!(session.recent()?.len(), PROCESSES + 1);
        assert_eq!(session.presets()?.len(), PROCESSES + 1);
        assert!(!session.make_file(&desk.path("made.wav"))?, "its name is given");
        assert_eq!(fs::read_to_string(desk.path("made"))?.lines().count(), 1, "once");
    }
    Ok(())
}

/// A host without dialogs.
struct Nobody;

impl Host for Nobody {
    fn emit(&self, _: undertone::window::Event) {}
}

fn window(folder: &Path) -> undertone::Result<App> {
    App::new(Arc::new(Nobody), Directories::at(folder.join("config"), folder.join("data"))?)
}

/// The variable that tells a child its task, as JSON.
const CHILD: &str = "UNDERTONE_TEST_AT_ONCE_CHILD";

/// Reports that it is ready, and waits for the instant.
fn wait_for_the_instant(folder: &Path, number: usize) -> Test {
    fs::write(folder.join(format!("ready {number}")), "")?;
    let begun = Instant::now();
    while !folder.join("go").exists() {
        assert!(begun.elapsed() < Duration::from_mins(3), "the instant does not come");
        thread::sleep(Duration::from_micros(200));
    }
    Ok(())
}

/// Accepts the errors for a deleted track, and for another process's scan of a library in a file.
fn allowed(done: Result<(), Error>, is_allowed: impl Fn(&Error) -> bool) -> Test {
    match done {
        Err(error) if !is_allowed(&error) => Err(error.into()),
        _ => Ok(()),
    }
}

/// Not a test by itself: one of the processes that work at one instant.
#[test]
fn child_works_at_once() -> Test {
    let Ok(child) = std::env::var(CHILD) else { return Ok(()) };
    let child: Value = serde_json::from_str(&child)?;
    let number = child["number"].as_u64().ok_or("no number")? as usize;
    let folder = PathBuf::from(child["folder"].as_str().ok_or("no folder")?);
    let library = child["library"].as_str().ok_or("no library")?;
    let place = if child["file"] == true {
        Place::File(folder.join(library))
    } else {
        server::place(library, &folder.join(format!("machine {number}")))
    };
    let instant = || wait_for_the_instant(&folder, number);
    match child["task"].as_str().ok_or("no task")? {
        "open" => {
            instant()?;
            let (_, notices) = Library::open_at(place)?;
            assert_eq!(notices, Vec::<String>::new());
            Ok(())
        }
        "windows" => {
            instant()?;
            let app = window(&folder)?;
            for size in 0..10 {
                let mut settings = app.call("settings.view", json!({}))?;
                settings["panes"][format!("own {number}")] = json!(size);
                settings["panes"]["shared"] = json!(number);
                app.call("settings.set", json!({ "settings": settings }))?;
            }
            Ok(())
        }
        "sessions" => {
            instant()?;
            let (mut session, _) = Session::open(&folder.join("data"))?;
            if session.make_file(&folder.join("made.wav"))? {
                let mut made = fs::File::options().create(true).append(true).open(folder.join("made"))?;
                made.write_all(b"made\n")?;
            }
            session.add_recent(&folder.join("shared.wav"))?;
            session.add_recent(&folder.join(format!("{number}.wav")))?;
            let chain = "gain(-1 dB)".parse()?;
            session.save_preset("Shared", &chain, true)?;
            assert!(session.save_preset(&format!("Own {number}"), &chain, false)?);
            Ok(())
        }
        task => {
            let (library, _) = Library::open_at(place)?;
            let ids: Vec<i64> = rows(&library)?.iter().map(|row| row.id).collect();
            child_on(task, &library, &ids, number, &folder)
        }
    }
}

/// Works on an open library.
fn child_on(task: &str, library: &Library, ids: &[i64], number: usize, folder: &Path) -> Test {
    let roots = folder.join("roots");
    match task {
        "roots" => {
            let inner = if number.is_multiple_of(2) { "deep" } else { "deep/a/b" };
            let own = format!("own {number}");
            for name in ["shared", inner, &own] {
                fs::create_dir_all(roots.join(name))?;
            }
            wait_for_the_instant(folder, number)?;
            for name in ["shared", inner, &own, "shared"] {
                // By now it may be part of the library as a folder within another.
                allowed(library.add_root(&roots.join(name)).map(drop), |error| matches!(error, Error::Invalid { .. }))?;
            }
        }
        "claims" => {
            let log = fs::File::options().create(true).append(true).open(folder.join("log"))?;
            let analyser = Analyser::new(Versions { features: 1, fingerprint: 1 }, move |path, _| {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                (&log).write_all(format!("{name}\n").as_bytes()).map_err(|error| Error::io("write", path, error))?;
                library_support::analysis_of(path)
            });
            wait_for_the_instant(folder, number)?;
            let done = library.scan(ScanOptions { workers: Some(2), ..ScanOptions::new(analyser) });
            allowed(done.and_then(undertone::library::ScanHandle::wait).map(drop), |error| {
                matches!(error, Error::Refused { .. })
            })?;
        }
        "decisions" => {
            wait_for_the_instant(folder, number)?;
            let verdict = if number.is_multiple_of(2) { Decision::Same } else { Decision::Different };
            for time in 0..10 {
                library.decide(ids[0], ids[1], Some(verdict))?;
                library.decide(ids[3], ids[2], (time % 2 == 0).then_some(verdict))?;
                if number == 0 && time == 3 {
                    library.forget(&[ids[20]])?;
                }
                let with_a_lost_one = library.decide(ids[20], ids[21], Some(verdict));
                allowed(with_a_lost_one, |error| matches!(error, Error::NotFound { .. }))?;
            }
        }
        "map" => {
            let own = number as f32;
            let positions: Vec<(i64, MapPosition)> = ids.iter().map(|id| (*id, [own, own])).collect();
            let map = Places {
                places: positions,
                content: Content::default(),
                quality: None,
                alike: Alike { pairs: number as u64, farthest: 0.0 },
            };
            wait_for_the_instant(folder, number)?;
            for time in 0..5 {
                if number == 0 && time == 2 {
                    library.forget(&ids[..1])?;
                }
                library.keep_places(&map)?;
            }
        }
        "sketches" => {
            let mut sketches: Vec<NewSketch> = library
                .fingerprints_of(ids)?
                .into_iter()
                .map(|track| NewSketch { id: track.id, landmarks: track.landmarks, sketch: vec![number as u8] })
                .collect();
            assert_eq!(sketches.len(), ids.len());
            // Two that write in different orders wait for each other.
            if number.is_multiple_of(2) {
                sketches.reverse();
            }
            wait_for_the_instant(folder, number)?;
            for _ in 0..5 {
                library.keep_sketches(&sketches)?;
                if number == 1 {
                    library.forget(&ids[4..5])?;
                }
            }
        }
        other => return Err(format!("{other} is no task").into()),
    }
    Ok(())
}
