//! Documents: the rendering of edit lists, undo, and finding moved sources.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use undertone::audio::{AudioBuffer, AudioFormat, AudioReader};
use undertone::document::{
    Clip, ClockSpeed, ContentKey, Document, DocumentReader, EditList, Fade, FileStamp, FrameRange, History, MAX_STEPS,
    Source, SourceState, SourceSummary,
};
use undertone::effects::Permission;
use undertone::error::Result as CoreResult;
use undertone::units::SampleRate;

type Test = Result<(), Box<dyn Error>>;

/// A reader in memory: sample `frame` of channel `channel` is `base + frame + channel / 2`.
struct Ramp {
    base: f32,
    format: AudioFormat,
    frames: u64,
    ends_at: u64,
    position: u64,
}

impl Ramp {
    fn boxed(base: f32, rate: u32, channels: usize, frames: u64) -> Box<dyn AudioReader> {
        let rate = SampleRate::new(rate).expect("a rate");
        Box::new(Self { base, format: AudioFormat::new(rate, channels), frames, ends_at: frames, position: 0 })
    }
}

impl AudioReader for Ramp {
    fn format(&self) -> AudioFormat {
        self.format
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> CoreResult<()> {
        self.position = frame.min(self.frames);
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> CoreResult<()> {
        let frames = frames.min(self.ends_at.saturating_sub(self.position) as usize);
        out.resize(self.format.channels, frames);
        for (channel, samples) in out.iter_mut().enumerate() {
            for (offset, sample) in samples.iter_mut().enumerate() {
                *sample = self.base + (self.position + offset as u64) as f32 + channel as f32 / 2.0;
            }
        }
        self.position += frames as u64;
        Ok(())
    }
}

fn clip(source: usize, range: std::ops::Range<u64>) -> Clip {
    Clip { start_frame: range.start, end_frame: range.end, ..Clip::whole(source, 0) }
}

fn read_all(reader: &mut DocumentReader, piece: usize) -> CoreResult<AudioBuffer> {
    let mut all = AudioBuffer::new(reader.format().channels, 0);
    let mut block = AudioBuffer::default();
    loop {
        reader.read(&mut block, piece)?;
        if block.is_empty() {
            return Ok(all);
        }
        all.extend_from(&block, 0..block.frames());
    }
}

#[test]
fn clips_sound_one_after_the_other_in_any_pieces_and_from_any_frame() -> Test {
    let edits = EditList {
        clips: vec![
            clip(0, 10..20),
            clip(1, 0..5),
            clip(0, 3..3),
            clip(0, 0..1),
            Clip { gain_db: 6.0, ..clip(1, 90..100) },
        ],
    };
    let open = || {
        let sources = vec![Ramp::boxed(0.0, 48_000, 2, 50), Ramp::boxed(1000.0, 48_000, 2, 100)];
        DocumentReader::new(sources, &edits)
    };
    let mut expected: Vec<f32> = (10..20).map(|n| n as f32).collect();
    expected.extend((0..5).map(|n| 1000.0 + n as f32));
    expected.push(0.0);
    expected.extend((90..100).map(|n| ((1000 + n) as f64 * 10f64.powf(0.3)) as f32));
    let whole = read_all(&mut open()?, 1000)?;
    assert_eq!(whole.channel(0), expected);
    assert_eq!(whole.channel(1)[..10], expected[..10].iter().map(|x| x + 0.5).collect::<Vec<_>>());
    for piece in [1, 2, 3, 7, 26] {
        assert_eq!(read_all(&mut open()?, piece)?, whole);
    }
    let mut reader = open()?;
    assert_eq!(reader.frames(), 26);
    let mut block = AudioBuffer::default();
    for frame in [25, 0, 9, 10, 14, 15, 16, 3, 30] {
        reader.seek(frame)?;
        reader.read(&mut block, 4)?;
        let frame = (frame as usize).min(26);
        assert_eq!(block.channel(0), &expected[frame..(frame + 4).min(26)]);
        assert_eq!(reader.position() as usize, (frame + 4).min(26));
    }
    Ok(())
}

#[test]
fn fades_are_of_equal_power_and_alike_at_both_ends() -> Test {
    let faded = Clip { fade_in: Fade::over(8), fade_out: Fade::over(8), ..clip(0, 0..30) };
    for frame in 0..8 {
        let (rising, falling) = (faded.fade_at(frame), faded.fade_at(29 - frame));
        assert_eq!(rising, falling);
        // In a crossfade, the powers add up to one.
        assert!((rising.powi(2) + faded.fade_at(7 - frame).powi(2) - 1.0).abs() < 1e-12);
        assert!(rising > 0.0 && rising < faded.fade_at(frame + 1));
    }
    assert_eq!(faded.fade_at(15), 1.0);
    let edits = EditList { clips: vec![Clip { gain_db: -6.0, ..faded.clone() }] };
    let mut reader = DocumentReader::new(vec![Ramp::boxed(5.0, 8000, 1, 40)], &edits)?;
    let heard = read_all(&mut reader, 9)?;
    for frame in 0..30u64 {
        let wanted = (5.0 + frame as f64) * 10f64.powf(-0.3) * faded.fade_at(frame);
        assert!((heard.channel(0)[frame as usize] as f64 - wanted).abs() < 1e-5);
    }
    // Fades longer than the clip overlap and stay finite.
    let short = Clip { fade_in: Fade::over(100), fade_out: Fade::over(100), ..clip(0, 0..4) };
    assert!((0..4).all(|frame| (0.0..0.1).contains(&short.fade_at(frame))));
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() {
    let reader = |clips: Vec<Clip>, rate, channels| {
        let sources = vec![Ramp::boxed(0.0, 48_000, 2, 50), Ramp::boxed(0.0, rate, channels, 50)];
        DocumentReader::new(sources, &EditList { clips }).err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert!(reader(vec![clip(2, 0..1)], 48_000, 2).contains("Source of a clip"));
    assert!(reader(vec![clip(0, 0..51)], 48_000, 2).contains("0..50"));
    assert!(reader(vec![Clip { start_frame: 9, ..clip(0, 0..3) }], 48_000, 2).contains("Frames of a clip"));
    assert!(reader(vec![Clip { gain_db: f64::NAN, ..clip(0, 0..3) }], 48_000, 2).contains("Gain"));
    assert!(DocumentReader::new(Vec::new(), &EditList::default()).is_err());
}

#[test]
fn a_source_that_ends_early_is_silent_and_moves_nothing() -> Test {
    let format = AudioFormat::new(SampleRate::new(8000)?, 1);
    let short = Box::new(Ramp { base: 1.0, format, frames: 50, ends_at: 30, position: 0 });
    let edits = EditList { clips: vec![clip(0, 25..40), clip(1, 0..3)] };
    let mut reader = DocumentReader::new(vec![short, Ramp::boxed(7.0, 8000, 1, 9)], &edits)?;
    let heard = read_all(&mut reader, 100)?;
    assert_eq!(heard.frames(), 18);
    assert_eq!(heard.channel(0)[4..7], [30.0, 0.0, 0.0]);
    assert_eq!(heard.channel(0)[15..], [7.0, 8.0, 9.0]);
    assert_eq!(reader.damage().ranges(), std::slice::from_ref(&(5..15)));
    Ok(())
}

fn source(path: &Path) -> Result<Source, Box<dyn Error>> {
    let format = AudioFormat::new(SampleRate::new(48_000)?, 1);
    let summary = SourceSummary { container: "WAV".into(), codec: "PCM".into(), format, frames: 1_000_000 };
    Ok(Source::open(path, summary)?)
}

#[test]
fn a_source_is_known_by_its_content() -> Test {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("a.wav");
    let content: Vec<u8> = (0..3_000_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for length in [0, 1, 786_432, 786_433, 3_000_000] {
        fs::write(&path, &content[..length])?;
        let key = ContentKey::of_file(&path)?;
        let other = folder.path().join("other");
        fs::write(&other, &content[..length])?;
        assert_eq!(ContentKey::of_file(&other)?, key);
        for place in [0, length / 2, length.saturating_sub(1)].into_iter().filter(|&place| place < length) {
            let mut changed = content[..length].to_vec();
            changed[place] ^= 1;
            fs::write(&other, &changed)?;
            // In the longest content, the middle lies between the hashed pieces.
            let seen = ContentKey::of_file(&other)? != key;
            assert!(seen || (length == 3_000_000 && place == length / 2), "{length} {place}");
        }
        fs::write(&other, &content[..length.saturating_sub(1)])?;
        assert!(length == 0 || ContentKey::of_file(&other)? != key);
    }
    let found = source(&path)?;
    assert_eq!(found.state(), SourceState::Present);
    let moved = folder.path().join("moved.wav");
    fs::rename(&path, &moved)?;
    assert!(found.state().problem().is_some_and(|reason| reason.contains("moved or deleted")));
    let relinked = found.relinked(&moved)?;
    assert_eq!((relinked.state(), relinked.name().as_str()), (SourceState::Present, "moved.wav"));
    // A copy with another modification time has the same content.
    fs::copy(&moved, &path)?;
    fs::File::options().append(true).open(&path)?.set_modified(std::time::SystemTime::UNIX_EPOCH)?;
    assert_eq!(found.state(), SourceState::Present);
    let mut changed = content.clone();
    changed[100] ^= 1;
    fs::write(&path, changed)?;
    assert_eq!(found.state(), SourceState::Changed);
    assert!(found.relinked(&path).is_err());
    Ok(())
}

fn document(mark: u64) -> Document {
    let format = AudioFormat::new(SampleRate::new(48_000).expect("a rate"), 1);
    let summary = SourceSummary { container: "WAV".into(), codec: "PCM".into(), format, frames: 1_000_000 };
    let source = Source {
        path: PathBuf::from("a.wav"),
        content_key: ContentKey::of_parts(["a"]),
        stamp: FileStamp::default(),
        clock: ClockSpeed::NOMINAL,
        summary,
    };
    Document { edits: EditList { clips: vec![Clip::whole(0, mark)] }, ..Document::of_source(source) }
}

#[derive(Clone, Debug)]
enum Action {
    Apply(u64, Option<u32>),
    Amend(u64),
    EndGesture,
    Undo,
    Redo,
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        4 => (0u64..20, prop_oneof![Just(None), (0u32..3).prop_map(Some)]).prop_map(|(m, g)| Action::Apply(m, g)),
        1 => (0u64..20).prop_map(Action::Amend),
        1 => Just(Action::EndGesture),
        3 => Just(Action::Undo),
        2 => Just(Action::Redo),
    ]
}

proptest! {
    /// Compares with the simplest model: a list of numbers and an index.
    #[test]
    fn history_is_a_list_and_an_index(actions in proptest::collection::vec(action(), 0..120)) {
        let mut history = History::new(document(100));
        let (mut model, mut at, mut gesture) = (vec![(100u64, String::new())], 0usize, None);
        for (number, action) in actions.into_iter().enumerate() {
            match action {
                Action::Apply(mark, of) => {
                    let label = format!("change {number}");
                    let applied = history.apply(&label, of, document(mark));
                    prop_assert_eq!(applied, model[at].0 != mark);
                    if applied {
                        model.truncate(at + 1);
                        if at > 0 && of.is_some() && gesture == of {
                            model.pop();
                            at -= 1;
                        }
                        model.push((mark, label));
                        at += 1;
                        gesture = of;
                    }
                }
                Action::Amend(mark) => {
                    history.amend(document(mark));
                    model[at].0 = mark;
                }
                Action::EndGesture => {
                    history.end_gesture();
                    gesture = None;
                }
                Action::Undo => {
                    let undone = history.undo().map(str::to_owned);
                    prop_assert_eq!(undone, (at > 0).then(|| model[at].1.clone()));
                    at = at.saturating_sub(1);
                    gesture = None;
                }
                Action::Redo => {
                    let redone = history.redo().map(str::to_owned);
                    prop_assert_eq!(redone, model.get(at + 1).map(|step| step.1.clone()));
                    at = (at + 1).min(model.len() - 1);
                    gesture = None;
                }
            }
            prop_assert_eq!(history.document().frames(), model[at].0);
            prop_assert_eq!(history.undo_label(), (at > 0).then(|| model[at].1.as_str()));
            prop_assert_eq!(history.redo_label(), model.get(at + 1).map(|step| step.1.as_str()));
            prop_assert_eq!(history.steps().0.len(), model.len());
        }
    }
}

#[test]
fn the_oldest_steps_go_first_and_sources_are_mended_in_all() {
    let mut history = History::new(document(1));
    for mark in 2..MAX_STEPS as u64 + 50 {
        history.apply("Cut", None, document(mark));
    }
    assert_eq!(history.steps().0.len(), MAX_STEPS);
    history.undo();
    history.amend_all(|document| document.sources[0].path = PathBuf::from("b.wav"));
    assert_eq!(history.document().sources[0].path, Path::new("b.wav"));
    while history.undo().is_some() {
        assert_eq!(history.document().sources[0].path, Path::new("b.wav"));
    }
    assert_eq!(history.document().frames(), 50);
}

#[test]
fn a_state_is_limited_once_and_then_shown_itself() {
    let permission = Permission::nothing();
    let mut history = History::new(document(1)).limited_to(&permission);
    history.apply("Cut", None, document(2));
    history.undo();
    let first = history.shared();
    assert!(first.chain.permission().is_within(&permission));
    history.redo();
    history.undo();
    assert!(Arc::ptr_eq(&first, &history.shared()));
}

#[test]
fn the_key_of_what_is_heard_follows_what_is_heard() {
    let first = document(10);
    let mut same = document(10);
    same.selection = Some(FrameRange { start: 1, end: 2 });
    assert_eq!(first.content_key(), same.content_key());
    let mut touched = document(10);
    touched.sources[0].stamp.modified_ns = 5;
    for other in [document(11), touched] {
        assert_ne!(first.content_key(), other.content_key());
    }
}
