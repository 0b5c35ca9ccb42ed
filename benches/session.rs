//! Simulates a year's use of the session: its size, the time of an edit and of a start, and the remains of closed
//! documents.

#![allow(clippy::unwrap_used, reason = "a bench that fails is mended")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use undertone::audio::AudioFormat;
use undertone::chain::Chain;
use undertone::document::session::{DocumentKey, FILE_NAME, Session, ViewState};
use undertone::document::{ClockSpeed, ContentKey, Document, FileStamp, History, MAX_STEPS, Source, SourceSummary};
use undertone::units::SampleRate;

/// The number of documents that are opened, edited and closed.
const CLOSED: usize = 300;
/// The number of edits per document.
const EDITS: usize = 67;
/// The number of documents that stay open, each with a full history.
const OPEN: usize = 50;

fn source(number: usize) -> Source {
    let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 2);
    let summary = SourceSummary { container: "FLAC".into(), codec: "FLAC 24 bit".into(), format, frames: 9_000_000 };
    let path = PathBuf::from(format!("/home/somebody/Music/An artist/An album/{number:03} A track of some name.flac"));
    Source {
        content_key: ContentKey::of_parts([path.to_str().unwrap()]),
        path,
        stamp: FileStamp::default(),
        summary,
        clock: ClockSpeed::NOMINAL,
    }
}

/// A long chain of twenty effects, one of which the last edit changed.
fn chain(edit: usize) -> Chain {
    let effects = (0..5).map(|place| {
        let hz = 60 + 100 * place;
        let gain = (edit + place) % 24;
        format!(
            "highpass({hz} Hz, order=4) | peaking({}.5 Hz, q=1.25, gain={}.3 dB) | compressor(threshold=-{gain} dB) | gain(-{}.7 dB)",
            hz * 7, gain, edit % 11
        )
    });
    effects.collect::<Vec<_>>().join(" | ").parse().unwrap()
}

/// Edits a document `edits` times. Returns the duration of each edit.
fn edit(
    session: &mut Session,
    key: DocumentKey,
    history: &mut History,
    edits: usize,
    chains: &[Chain],
) -> Vec<Duration> {
    let one = |number: usize| {
        let mut changed = history.document().clone();
        changed.chain = chains[number % chains.len()].clone();
        history.apply("Change gain of peaking", None, changed);
        let begun = Instant::now();
        session.save_history(key, history).unwrap();
        begun.elapsed()
    };
    (0..edits).map(one).collect()
}

/// Returns the size of all states as text, the format of an earlier version.
fn text_bytes(history: &History) -> usize {
    history.steps().0.iter().map(|step| serde_json::to_string(&**step.document().unwrap()).unwrap().len()).sum()
}

fn mebibytes(folder: &Path) -> f64 {
    let size = |name: &str| std::fs::metadata(folder.join(name)).map_or(0, |metadata| metadata.len());
    (size(FILE_NAME) + size(&format!("{FILE_NAME}-wal"))) as f64 / f64::from(1 << 20)
}

fn start(folder: &Path) -> Duration {
    let begun = Instant::now();
    let (mut session, notices) = Session::open(folder).unwrap();
    let (documents, more) = session.documents().unwrap();
    let took = begun.elapsed();
    assert!(notices.is_empty() && more.is_empty());
    std::hint::black_box(documents);
    took
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let chains: Vec<Chain> = (0..MAX_STEPS + 100).map(chain).collect();
    let (mut session, _) = Session::open(folder.path()).unwrap();
    let open = |session: &mut Session, number| {
        let history = History::new(Document::of_source(source(number)));
        (session.add(&history, ViewState::default()).unwrap(), history)
    };
    let mut took = Vec::new();
    for number in 0..CLOSED {
        let (key, mut history) = open(&mut session, number);
        took.extend(edit(&mut session, key, &mut history, EDITS, &chains));
        session.close(key, &source(number).path).unwrap();
    }
    took.sort_unstable();
    let at = |share: f64| took[(share * (took.len() - 1) as f64) as usize].as_micros();
    println!("{} edits of {CLOSED} documents: {} us (median), {} us (99 of 100)", took.len(), at(0.5), at(0.99));
    drop(session);
    println!("after they were closed: {:.1} MiB, start {:.0?}", mebibytes(folder.path()), start(folder.path()));
    let (mut session, _) = Session::open(folder.path()).unwrap();
    let (mut keys, mut text) = (Vec::new(), 0);
    for number in 0..OPEN {
        let (key, mut history) = open(&mut session, number);
        edit(&mut session, key, &mut history, MAX_STEPS + 100, &chains);
        keys.push(key);
        text += text_bytes(&history);
    }
    drop(session);
    let text = text as f64 / f64::from(1 << 20);
    println!("{OPEN} documents with {MAX_STEPS} states: {:.1} MiB for {text:.0} MiB of text", mebibytes(folder.path()));
    println!("start with them: {:.0?}", start(folder.path()));
    let (mut session, _) = Session::open(folder.path()).unwrap();
    for key in keys {
        session.close(key, Path::new("/home/somebody/closed.flac")).unwrap();
    }
    drop(session);
    let took = start(folder.path());
    println!("after they were closed: start {took:.0?}, {:.1} MiB", mebibytes(folder.path()));
}
