//! Tests that whatever happens to a write of tags, a file is the original or the one with the new tags, and that the
//! original comes back byte for byte.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::replace::Step;
use super::*;
use crate::files::stamp;
use crate::{Analyser, AnalysisSeconds, ScanOptions, TrackAnalysis, TrackState, Versions};
use analysis::features::dimensions::{Features, index_of};
use audio::encode::{EncodeSettings, Encoder, FileFormat, SampleFormat};
use audio::tags::TagText;
use audio::{AudioBuffer, AudioFile, AudioFormat, Picture, Tags};
use base::units::SampleRate;

#[path = "../../../../tests/support"]
mod support {
    pub mod files;
    pub mod opening;
    pub mod tagged;
}

thread_local! {
    /// The step after which work ends, and whether by a kill.
    static FAULT: Cell<Option<(Step, bool)>> = const { Cell::new(None) };
    static KILLED: Cell<bool> = const { Cell::new(false) };
}

const STEPS: [Step; 6] = [Step::Begun, Step::Copied, Step::Edited, Step::Verified, Step::Ready, Step::Renamed];

pub(super) fn fault(step: Step) -> Result<()> {
    let Some((wanted, kill)) = FAULT.get() else { return Ok(()) };
    if wanted != step {
        return Ok(());
    }
    KILLED.set(kill);
    Err(Error::Internal("a fault was injected".to_owned()))
}

pub(super) fn is_killed() -> bool {
    KILLED.get()
}

fn with_fault<T>(step: Step, kill: bool, work: impl FnOnce() -> T) -> T {
    FAULT.set(Some((step, kill)));
    let result = work();
    FAULT.set(None);
    KILLED.set(false);
    result
}

/// A folder of music, and its library.
struct Desk {
    folder: tempfile::TempDir,
    library: Library,
    analysed: Arc<AtomicUsize>,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("music")).unwrap();
        let (library, _) = Library::open(&folder.path().join("library.sqlite")).unwrap();
        library.add_root(&folder.path().join("music")).unwrap();
        Self { folder, library, analysed: Arc::default() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("music").join(name)
    }

    /// Scans, and returns the number of files that were analysed.
    fn scan(&self) -> usize {
        let analysed = Arc::clone(&self.analysed);
        let before = analysed.load(Ordering::SeqCst);
        let analyser = Analyser::new(Versions { features: 1, fingerprint: 1 }, move |path, _| {
            analysed.fetch_add(1, Ordering::SeqCst);
            analysis_of(path)
        });
        self.library.scan(ScanOptions { workers: Some(1), ..ScanOptions::new(analyser) }).unwrap().wait().unwrap();
        self.analysed.load(Ordering::SeqCst) - before
    }

    fn plan(&self, path: &Path) -> std::result::Result<Plan, Unplanned> {
        let id = self.library.find(path).unwrap().unwrap();
        let mut albums = Albums::new(&self.library);
        plan(&self.library.track(id).unwrap(), &TagField::ALL, false, &mut albums, &Progress::new())
    }

    fn planned(&self, path: &Path) -> Plan {
        self.plan(path).unwrap()
    }

    fn write(&self, path: &Path) -> Result<i64> {
        let (writer, _) = self.library.tag_writer()?;
        let write = writer.begin(&TagField::ALL)?;
        writer.write(write, &self.planned(path), &Progress::new())?;
        Ok(write)
    }

    /// Undoes the latest write of one file.
    fn undo(&self) -> Result<()> {
        let (writer, _) = self.library.tag_writer()?;
        writer.undo(&self.library.tag_writes()?[0].files[0])
    }

    /// Returns the names of all files of the folder, with those that scans skip.
    fn names(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path().join("music")).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn analysis_of(path: &Path) -> Result<TrackAnalysis> {
    let mut features = Features::default();
    features.values[index_of("tempo_bpm").unwrap()] = Some(93.47);
    features.values[index_of("loudness_lufs").unwrap()] = Some(-10.97);
    Ok(TrackAnalysis {
        info: AudioFile::open(path)?.info().clone(),
        features,
        key: Some("F#m".to_owned()),
        bandwidth: None,
        chromaprint: vec![1],
        landmarks: vec![2],
        sketch: vec![3],
        series: Vec::new(),
        warnings: Vec::new(),
        seconds: AnalysisSeconds::default(),
    })
}

fn sound(rate: u32) -> AudioBuffer {
    let sample = |n: usize| (0.5 * (n as f64 * 440.0 * std::f64::consts::TAU / f64::from(rate)).sin()) as f32;
    AudioBuffer::from_channels(vec![(0..rate as usize / 2).map(sample).collect(); 2])
}

fn tags() -> Tags {
    let items = [("TITLE", "Jóga"), ("ARTIST", "Björk"), ("ALBUM", "Homogenic"), ("TRACKNUMBER", "2"), ("BPM", "90")];
    let picture = Picture {
        mime: "image/png".to_owned(),
        kind: 3,
        data: [b"\x89PNG\r\n\x1a\n", &[7; 20_000][..]].concat(),
        ..Picture::default()
    };
    Tags {
        items: items.map(|(name, text)| (name.to_owned(), text.into())).into(),
        pictures: vec![picture],
        ..Tags::default()
    }
}

fn encoded(path: &Path, format: FileFormat, tags: &Tags) {
    let rate = 48_000;
    let audio = AudioFormat::new(SampleRate::new(rate).unwrap(), 2);
    let settings = EncodeSettings { format, sample: SampleFormat::Int16, ..EncodeSettings::default() };
    let mut encoder = Encoder::create(path, &settings, audio, true, &[]).unwrap();
    encoder.write(&sound(rate)).unwrap();
    encoder.finish_with(tags).unwrap();
}

fn aiff(path: &Path) {
    let mut body = b"AIFF".to_vec();
    let mut chunk = |name: &[u8; 4], content: &[u8]| {
        body.extend_from_slice(name);
        body.extend_from_slice(&(content.len() as u32).to_be_bytes());
        body.extend_from_slice(content);
        body.extend(std::iter::repeat_n(0, content.len() % 2));
    };
    let samples: Vec<u8> =
        sound(48_000).channel(0).iter().flat_map(|x| ((x * 30_000.0) as i16).to_be_bytes()).collect();
    // 48 kHz as an extended number.
    let rate = [0x40, 0x0e, 0xbb, 0x80, 0, 0, 0, 0, 0, 0];
    let common =
        [&1u16.to_be_bytes()[..], &(samples.len() as u32 / 2).to_be_bytes(), &16u16.to_be_bytes(), &rate].concat();
    chunk(b"COMM", &common);
    chunk(b"NAME", b"A title");
    chunk(b"SSND", &[&[0; 8][..], &samples].concat());
    let file = [b"FORM", &(body.len() as u32).to_be_bytes()[..], &body].concat();
    fs::write(path, file).unwrap();
}

/// Writes a file of each format with tags, and returns their names.
fn all_formats(desk: &Desk) -> Vec<&'static str> {
    encoded(&desk.path("a.wav"), FileFormat::Wav, &tags());
    encoded(&desk.path("bare.wav"), FileFormat::Wav, &Tags::default());
    encoded(&desk.path("a.flac"), FileFormat::Flac, &tags());
    encoded(&desk.path("bare.flac"), FileFormat::Flac, &Tags::default());
    encoded(&desk.path("a.ogg"), FileFormat::Vorbis, &tags());
    encoded(&desk.path("a.opus"), FileFormat::Opus, &tags());
    aiff(&desk.path("a.aiff"));
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/reference/audio");
    fs::copy(reference.join("alac.m4a"), desk.path("a.m4a")).unwrap();
    fs::copy(reference.join("edits.m4a"), desk.path("edits.m4a")).unwrap();
    let mut names = vec!["a.wav", "bare.wav", "a.flac", "bare.flac", "a.ogg", "a.opus", "a.aiff", "a.m4a", "edits.m4a"];
    if FileFormat::Mp3.check_encoder().is_ok() {
        encoded(&desk.path("a.mp3"), FileFormat::Mp3, &tags());
        encoded(&desk.path("bare.mp3"), FileFormat::Mp3, &Tags::default());
        names.extend(["a.mp3", "bare.mp3"]);
    }
    names
}

fn state(path: &Path) -> (Vec<u8>, (u64, i64)) {
    (fs::read(path).unwrap(), stamp(&fs::metadata(path).unwrap()))
}

#[test]
fn every_format_is_written_and_undone() {
    let desk = Desk::new();
    let names = all_formats(&desk);
    // Those without tags have the audio of others.
    assert!(desk.scan() > 0);
    let (writer, recovered) = desk.library.tag_writer().unwrap();
    assert_eq!(recovered, Recovered::default());
    let write = writer.begin(&TagField::ALL).unwrap();
    let mut before = Vec::new();
    for name in &names {
        let path = desk.path(name);
        before.push(state(&path));
        let old = AudioFile::open(&path).unwrap();
        let plan = desk.planned(&path);
        assert_eq!(state(&path), before[before.len() - 1], "{name}: a plan changes nothing");
        writer.write(write, &plan, &Progress::new()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let new = AudioFile::open(&path).unwrap();
        let item = |tag: &str| new.info().tags.items.get(tag).map(TagText::as_str);
        assert_eq!(item("INITIALKEY"), Some("F#m"), "{name}");
        let whole = !matches!(*name, "a.flac" | "bare.flac" | "a.ogg" | "a.opus");
        assert_eq!(item("BPM"), Some(if whole { "93" } else { "93.5" }), "{name}");
        if *name == "a.opus" {
            assert_eq!((item("R128_TRACK_GAIN"), item("REPLAYGAIN_TRACK_GAIN")), (Some("-3080"), None));
        } else {
            assert_eq!(item("REPLAYGAIN_TRACK_GAIN"), Some("-7.03 dB"), "{name}");
            let peak: f64 = item("REPLAYGAIN_TRACK_PEAK").unwrap().parse().unwrap();
            assert!(peak > 0.001 && peak < 1.2, "{name}: {peak}");
        }
        for tag in ["TITLE", "ARTIST", "ALBUM", "TRACKNUMBER"] {
            assert_eq!(item(tag), old.info().tags.items.get(tag).map(TagText::as_str), "{name}");
        }
        assert_eq!(new.info().tags.pictures, old.info().tags.pictures, "{name}");
        // Written once, there is nothing more to write.
        assert!(desk.planned(&path).changes.is_empty(), "{name}");
    }
    drop(writer);
    assert_eq!(desk.names().len(), names.len(), "no copies are left");
    // The library knows of the new tags, and the next scan has nothing to do.
    let id = desk.library.find(&desk.path("a.flac")).unwrap().unwrap();
    let track = desk.library.track(id).unwrap();
    assert_eq!((track.row.state, track.tags["INITIALKEY"].as_str()), (TrackState::Done, "F#m"));
    assert_eq!((track.row.bytes, track.modified_ns), state(&desk.path("a.flac")).1);
    assert_eq!(desk.scan(), 0);

    let writes = desk.library.tag_writes().unwrap();
    assert_eq!((writes.len(), writes[0].id, writes[0].files.len()), (1, write, names.len()));
    let kept: u64 = writes[0].kept_bytes;
    let bytes: u64 = before.iter().map(|(bytes, _)| bytes.len() as u64).sum();
    assert!(kept < bytes / 4, "{kept} bytes are kept of {bytes}");
    let (writer, _) = desk.library.tag_writer().unwrap();
    for file in &writes[0].files {
        assert!(file.undoable && file.changes.iter().any(|change| change.tag == "BPM"));
        writer.undo(file).unwrap_or_else(|error| panic!("{}: {error}", file.path.display()));
        assert!(writer.undo(&desk.library.tag_writes().unwrap()[0].files[0]).is_err(), "twice");
    }
    drop(writer);
    for (name, before) in names.iter().zip(&before) {
        assert!(state(&desk.path(name)) == *before, "{name} is not what it was");
    }
    assert_eq!(desk.library.tag_writes().unwrap()[0].kept_bytes, 0);
    assert_eq!(desk.scan(), 0);
    assert_eq!(desk.library.track(id).unwrap().tags.get("INITIALKEY"), None);
}

/// The number of strange files that are written and undone.
const STRANGE: u64 = 600;

#[test]
fn strange_tags_keep_all_but_the_own_fields_and_come_back() {
    let desk = Desk::new();
    let files: Vec<(String, Vec<u8>)> = (0..STRANGE)
        .map(|seed| {
            let (kind, bytes) = support::tagged::generated(1000 + seed);
            (format!("{seed}.{}", kind.extension()), bytes)
        })
        .collect();
    files.iter().for_each(|(name, bytes)| fs::write(desk.path(name), bytes).unwrap());
    desk.scan();
    let (writer, _) = desk.library.tag_writer().unwrap();
    let write = writer.begin(&TagField::USUAL).unwrap();
    let mut before = Vec::new();
    for (name, _) in &files {
        let path = desk.path(name);
        before.push(state(&path));
        let plan = desk.planned(&path);
        writer.write(write, &plan, &Progress::new()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let new = AudioFile::open(&path).unwrap();
        assert_eq!(new.info().tags.items.get("INITIALKEY").map(TagText::as_str), Some("F#m"), "{name}");
        assert!(desk.planned(&path).changes.is_empty(), "{name}");
    }
    let writes = desk.library.tag_writes().unwrap();
    writes[0].files.iter().for_each(|file| writer.undo(file).unwrap());
    for ((name, bytes), before) in files.iter().zip(&before) {
        assert!(state(&desk.path(name)) == *before && before.0 == *bytes, "{name} is not what it was");
    }
}

#[test]
fn a_kill_at_any_step_leaves_the_old_or_the_new_file_and_the_next_run_puts_it_in_order() {
    let desk = Desk::new();
    let path = desk.path("a.flac");
    encoded(&path, FileFormat::Flac, &tags());
    desk.scan();
    let original = state(&path);
    for step in STEPS {
        assert!(with_fault(step, true, || desk.write(&path)).is_err(), "{step:?}");
        let left = fs::read(&path).unwrap();
        assert_eq!(left == original.0, step != Step::Renamed, "{step:?}");
        AudioFile::open(&path).unwrap();
        let (writer, recovered) = desk.library.tag_writer().unwrap();
        let expected = if step == Step::Renamed {
            Recovered { completed: 1, ..Recovered::default() }
        } else {
            Recovered { given_up: 1, ..Recovered::default() }
        };
        assert_eq!(recovered, expected, "{step:?}");
        drop(writer);
        assert_eq!(desk.names(), ["a.flac"], "{step:?}");
        assert_eq!(fs::read(&path).unwrap(), left, "{step:?}");
        let writes = desk.library.tag_writes().unwrap();
        assert_eq!(writes.iter().map(|write| write.files.len()).sum::<usize>(), usize::from(step == Step::Renamed));
    }
    assert_eq!(desk.scan(), 0, "the library was told of the file that the killed process had replaced");
    let written = state(&path);
    for step in STEPS.into_iter().filter(|step| !matches!(step, Step::Copied | Step::Edited)) {
        assert!(with_fault(step, true, || desk.undo()).is_err(), "{step:?}");
        let undone = step == Step::Renamed;
        assert_eq!(state(&path), if undone { original.clone() } else { written.clone() }, "{step:?}");
        let (writer, recovered) = desk.library.tag_writer().unwrap();
        assert_eq!((recovered.completed, recovered.given_up), (usize::from(undone), usize::from(!undone)), "{step:?}");
        drop(writer);
        assert_eq!(desk.names(), ["a.flac"], "{step:?}");
        assert_eq!(desk.library.tag_writes().unwrap()[0].files[0].undoable, !undone);
    }
    assert_eq!(desk.scan(), 0);
}

#[test]
fn a_fault_at_any_step_leaves_the_original_and_nothing_else() {
    let desk = Desk::new();
    let path = desk.path("a.wav");
    encoded(&path, FileFormat::Wav, &tags());
    desk.scan();
    let original = state(&path);
    for step in STEPS.into_iter().filter(|step| *step != Step::Renamed) {
        assert!(with_fault(step, false, || desk.write(&path)).is_err(), "{step:?}");
        assert_eq!((state(&path), desk.names()), (original.clone(), vec!["a.wav".to_owned()]), "{step:?}");
        let (_, recovered) = desk.library.tag_writer().unwrap();
        assert_eq!(recovered, Recovered::default());
    }
    desk.write(&path).unwrap();
    let written = state(&path);
    assert!(written != original);
    for step in [Step::Begun, Step::Verified, Step::Ready] {
        assert!(with_fault(step, false, || desk.undo()).is_err(), "{step:?}");
        assert_eq!((state(&path), desk.names()), (written.clone(), vec!["a.wav".to_owned()]), "{step:?}");
    }
    desk.undo().unwrap();
    assert_eq!(state(&path), original);
}

fn said<T: std::fmt::Debug>(result: std::result::Result<T, Unplanned>) -> String {
    match result.unwrap_err() {
        Unplanned::Failed(error) => error.to_string(),
        Unplanned::Nothing(reason) => reason.to_owned(),
    }
}

#[test]
fn a_file_that_changed_after_its_analysis_or_after_the_write_is_left_alone() {
    let desk = Desk::new();
    let path = desk.path("a.flac");
    encoded(&path, FileFormat::Flac, &tags());
    desk.scan();
    let planned = desk.planned(&path);
    // The same size, another time.
    let touched = fs::File::options().write(true).open(&path).unwrap();
    touched.set_modified(std::time::SystemTime::now() - std::time::Duration::from_hours(1)).unwrap();
    assert!(said(desk.plan(&path)).contains("changed since it was analysed"));
    let (writer, _) = desk.library.tag_writer().unwrap();
    let write = writer.begin(&TagField::ALL).unwrap();
    let error = writer.write(write, &planned, &Progress::new()).unwrap_err();
    assert!(error.to_string().contains("changed since it was analysed"), "{error}");
    drop(writer);
    // The same size and time, other audio.
    desk.scan();
    let known = state(&path);
    let mut bytes = known.0.clone();
    let last = bytes.len() - 100;
    bytes[last] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_nanos(known.1.1 as u64);
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    assert_eq!(state(&path).1, known.1);
    let error = desk.plan(&path).map_err(|_| String::new()).and_then(|plan| {
        let (writer, _) = desk.library.tag_writer().unwrap();
        writer.write(write, &plan, &Progress::new()).map_err(|error| error.to_string())
    });
    assert!(error.is_err());
    assert_eq!(fs::read(&path).unwrap(), bytes);

    encoded(&path, FileFormat::Flac, &tags());
    desk.scan();
    desk.write(&path).unwrap();
    let mut changed = fs::read(&path).unwrap();
    let last = changed.len() - 1;
    changed[last] ^= 1;
    fs::write(&path, &changed).unwrap();
    let error = desk.undo().unwrap_err().to_string();
    assert!(error.contains("has been changed since these tags were written"), "{error}");
    assert_eq!((fs::read(&path).unwrap(), desk.names()), (changed, vec!["a.flac".to_owned()]));
    fs::remove_file(&path).unwrap();
    assert!(matches!(desk.undo(), Err(Error::Io { .. })));
}

#[test]
fn a_protected_file_and_a_file_of_another_kind_are_refused() {
    let desk = Desk::new();
    let path = desk.path("a.flac");
    encoded(&path, FileFormat::Flac, &tags());
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/reference/audio");
    fs::copy(reference.join("fragments.mp4"), desk.path("fragments.m4a")).unwrap();
    desk.scan();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    assert!(said(desk.plan(&path)).contains("write-protected"));
    // Fragments contain sample positions that are not checked.
    let before = state(&desk.path("fragments.m4a"));
    let error = desk.write(&desk.path("fragments.m4a")).unwrap_err().to_string();
    assert!(error.contains("unusual way"), "{error}");
    assert_eq!(state(&desk.path("fragments.m4a")), before);
}

#[test]
fn one_process_writes_at_a_time() {
    let desk = Desk::new();
    let (_writer, _) = desk.library.tag_writer().unwrap();
    let (other, _) = Library::open(desk.library.path()).unwrap();
    let error = other.tag_writer().unwrap_err().to_string();
    assert!(error.contains("Another process is writing tags"), "{error}");
}

#[test]
fn what_is_forgotten_can_no_longer_be_undone() {
    let desk = Desk::new();
    let path = desk.path("a.wav");
    encoded(&path, FileFormat::Wav, &tags());
    desk.scan();
    let write = desk.write(&path).unwrap();
    let (writer, _) = desk.library.tag_writer().unwrap();
    assert_eq!(writer.forget(write).unwrap(), 1);
    assert!(writer.forget(write).is_err());
    assert!(desk.library.tag_writes().unwrap().is_empty());
}

#[test]
fn an_undo_takes_the_writes_of_a_file_back_in_turn() {
    let desk = Desk::new();
    let path = desk.path("a.flac");
    encoded(&path, FileFormat::Flac, &Tags::default());
    desk.scan();
    let original = state(&path);
    let id = desk.library.find(&path).unwrap().unwrap();
    for field in TagField::USUAL {
        let (writer, _) = desk.library.tag_writer().unwrap();
        let write = writer.begin(&[field]).unwrap();
        let mut albums = Albums::new(&desk.library);
        let plan = plan(&desk.library.track(id).unwrap(), &[field], true, &mut albums, &Progress::new()).unwrap();
        writer.write(write, &plan, &Progress::new()).unwrap();
    }
    let writes = desk.library.tag_writes().unwrap();
    let (writer, _) = desk.library.tag_writer().unwrap();
    let error = writer.undo(&writes[2].files[0]).unwrap_err().to_string();
    assert!(error.contains("undo those first"), "{error}");
    for write in &writes {
        writer.undo(&write.files[0]).unwrap();
    }
    assert_eq!(state(&path), original);
}

#[cfg(unix)]
#[test]
fn links_modes_and_attributes_are_respected() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let desk = Desk::new();
    let path = desk.path("a.flac");
    encoded(&path, FileFormat::Flac, &tags());
    desk.scan();
    fs::hard_link(&path, desk.folder.path().join("other name")).unwrap();
    assert!(said(desk.plan(&path)).contains("2 names (hard links)"));
    fs::remove_file(desk.folder.path().join("other name")).unwrap();

    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let attribute = rustix::fs::setxattr(&path, "user.comment", b"mine", rustix::fs::XattrFlags::empty());
    let owner = fs::metadata(&path).unwrap();
    desk.write(&path).unwrap();
    let check = |path: &Path| {
        let metadata = fs::metadata(path).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o640);
        assert_eq!((metadata.uid(), metadata.gid()), (owner.uid(), owner.gid()));
        if attribute.is_ok() {
            let mut value = [0; 16];
            let count = rustix::fs::getxattr(path, "user.comment", &mut value[..]).unwrap();
            assert_eq!(&value[..count], b"mine");
        }
    };
    check(&path);
    desk.undo().unwrap();
    check(&path);

    // A link stays one, and its target gets the tags.
    let elsewhere = desk.folder.path().join("elsewhere.flac");
    encoded(&elsewhere, FileFormat::Flac, &tags());
    let link = desk.path("link.flac");
    std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
    desk.scan();
    desk.write(&link).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(AudioFile::open(&elsewhere).unwrap().info().tags.items["INITIALKEY"], "F#m");
    assert_eq!(desk.scan(), 0);
}

/// A rename into a folder without the right to write is refused by the system; the superuser has every right.
#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_to_leaves_the_file() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    if std::os::unix::fs::MetadataExt::uid(&fs::metadata(desk.folder.path()).unwrap()) == 0 {
        eprintln!("skipped: the superuser may write to every folder");
        return;
    }
    let path = desk.path("a.flac");
    encoded(&path, FileFormat::Flac, &tags());
    desk.scan();
    let before = state(&path);
    let folder = path.parent().unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).unwrap();
    let failed = desk.write(&path);
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(failed, Err(Error::Io { .. })), "{failed:?}");
    assert_eq!(state(&path), before);
}
