//! Mixing, and edits of some of the channels: compared with a model that edits plain arrays, and in open documents.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use undertone::audio::{AudioBuffer, AudioFile, AudioFormat, AudioReader, Layout, MemoryReader};
use undertone::chain::{Placement, Seeking};
use undertone::document::{
    Clip, ClockSpeed, ContentKey, Crossfade, Document, EditList, Excerpt, FadeShape, FileStamp, FrameRange,
    MixMeasurements, MixRender, OpenSource, SoundEdit, Source, SourceSummary,
};
use undertone::units::SampleRate;

use super::bench::{Bench, again, start};
use super::editing::{Random, comes_back, exported_file};

const FRAMES: usize = 300;
const CHANNELS: usize = 3;

/// Recordings in memory, by path.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<HashMap<PathBuf, Arc<AudioBuffer>>>>);

impl Memory {
    fn add(&self, audio: AudioBuffer) -> Source {
        let mut files = self.0.lock().unwrap();
        let path = PathBuf::from(format!("/{}.wav", files.len()));
        let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), audio.channels());
        let summary =
            SourceSummary { container: "WAV".into(), codec: "PCM".into(), format, frames: audio.frames() as u64 };
        let content_key = ContentKey::of_parts([path.to_str().unwrap()]);
        files.insert(path.clone(), Arc::new(audio));
        Source { path, content_key, stamp: FileStamp::default(), clock: ClockSpeed::NOMINAL, summary }
    }

    fn opener(&self) -> OpenSource {
        let files = self.clone();
        Arc::new(move |source| {
            let audio = Arc::clone(&files.0.lock().unwrap()[&source.path]);
            Ok(Box::new(MemoryReader::new(source.summary.format.rate, audio)))
        })
    }

    fn heard(&self, document: &Document, piece: usize) -> Vec<Vec<f32>> {
        let open = self.opener();
        all_of(&mut document.reader(|source| open(source)).unwrap(), piece)
    }
}

fn all_of(reader: &mut dyn AudioReader, piece: usize) -> Vec<Vec<f32>> {
    let (mut block, mut all) = (AudioBuffer::default(), vec![Vec::new(); reader.format().channels]);
    loop {
        reader.read(&mut block, piece).unwrap();
        if block.is_empty() {
            return all;
        }
        all.iter_mut().zip(block.iter()).for_each(|(all, samples)| all.extend_from_slice(samples));
    }
}

/// Returns random samples whose sums are exact.
fn numbers(random: &mut Random, channels: usize, frames: usize) -> Vec<Vec<f32>> {
    (0..channels).map(|_| (0..frames).map(|_| random.below(1 << 20) as f32 - 524_288.0).collect()).collect()
}

fn some_channels(random: &mut Random, count: usize) -> Option<Vec<usize>> {
    let picked: Vec<usize> = (0..count).filter(|_| random.below(2) == 0).collect();
    Some(picked).filter(|picked| !picked.is_empty())
}

/// Renders an edit as the program does, in pieces of any size.
fn render(
    memory: &Memory,
    document: &Document,
    edit: SoundEdit,
    cursor: u64,
    copied: Option<&Excerpt>,
    crossfade: Crossfade,
    piece: usize,
) -> Option<Document> {
    let rendering = document.rendering(edit, cursor, copied, crossfade).unwrap()?;
    let open = memory.opener();
    let audio = all_of(rendering.reader(&open, &open).unwrap().as_mut(), piece);
    let source = memory.add(AudioBuffer::from_channels(audio));
    Some(document.rendered(&rendering, &source).unwrap().document)
}

/// Returns the copied sound according to the rules of pasting, with as many channels as are edited.
fn copied_for(copied: &[Vec<f32>], edited: &[usize]) -> Vec<Vec<f32>> {
    if copied.len() == CHANNELS {
        return edited.iter().map(|&channel| copied[channel].clone()).collect();
    }
    let mean = |at: usize| {
        let sum: f64 = copied.iter().map(|channel| f64::from(channel[at])).sum();
        (sum / copied.len() as f64) as f32
    };
    (0..edited.len())
        .map(|index| match copied.len() {
            1 => copied[0].clone(),
            _ if edited.len() == 1 => (0..copied[0].len()).map(mean).collect(),
            count if index < count => copied[index].clone(),
            _ => vec![0.0; copied[0].len()],
        })
        .collect()
}

#[test]
fn edits_of_some_channels_and_mixes_give_what_edited_arrays_give() {
    for seed in 1..=3000u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let memory = Memory::default();
        let mut model = numbers(&mut random, CHANNELS, FRAMES);
        let source = memory.add(AudioBuffer::from_channels(model.clone()));
        let mut document = Document::of_source(source);
        let mut copied: Option<(Excerpt, Vec<Vec<f32>>)> = None;
        let mut done = Vec::new();
        for _ in 0..=random.below(9) {
            let frames = model[0].len() as u64;
            let range = random.range(frames);
            let cursor = random.below(frames + 1);
            document.selection = (!range.is_empty() && random.below(5) > 0).then(|| FrameRange::from(range));
            let channels = some_channels(&mut random, CHANNELS);
            document.set_channels(channels).unwrap();
            let piece = 1 + random.below(70) as usize;
            let edited = document.edited_channels();
            let selected =
                document.selection.map_or(0..model[0].len(), |range| range.start as usize..range.end as usize);
            let at = document.selection.map_or(cursor, |range| range.start) as usize;
            let edit = match random.below(8) {
                0 if document.selection.is_some() => {
                    let part = edited.iter().map(|&channel| model[channel][selected.clone()].to_vec()).collect();
                    let range = selected.start as u64..selected.end as u64;
                    copied = Some((document.excerpt(range, false).unwrap(), part));
                    continue;
                }
                1 | 2 if copied.is_some() => SoundEdit::PasteMix,
                3 if copied.is_some() => SoundEdit::PasteOver,
                4 if document.selection.is_some() => SoundEdit::Delete,
                5 if document.selection.is_some() => SoundEdit::Silence,
                6 => SoundEdit::Reverse,
                _ => SoundEdit::Gain { db: [-6.0, 0.0, 3.5][random.below(3) as usize] },
            };
            done.push(format!("{edit:?} {:?} {:?} at {cursor}", document.selection, document.channels));
            let excerpt = copied.as_ref().map(|(excerpt, _)| excerpt);
            let all = document.channels.is_none();
            if let Some(rendered) = render(&memory, &document, edit, cursor, excerpt, Crossfade::NONE, piece) {
                document = rendered;
            } else {
                assert!(all, "{done:?}");
                // A copy of some channels is written to a recording before clips can use it.
                let written = excerpt.map(|excerpt| {
                    if excerpt.channels.is_none() {
                        return excerpt.clone();
                    }
                    let audio = all_of(excerpt.reader(&memory.opener()).unwrap().as_mut(), piece);
                    excerpt.written_to(memory.add(AudioBuffer::from_channels(audio)))
                });
                document = document.edited(edit, cursor, written.as_ref(), Crossfade::NONE).unwrap().document;
            }
            match edit {
                SoundEdit::PasteMix | SoundEdit::PasteOver => {
                    let pasted = copied_for(&copied.as_ref().unwrap().1, &edited);
                    let end = at + pasted[0].len();
                    if end > model[0].len() {
                        model.iter_mut().for_each(|samples| samples.resize(end, 0.0));
                    }
                    for (&channel, pasted) in edited.iter().zip(&pasted) {
                        for (sample, pasted) in model[channel][at..end].iter_mut().zip(pasted) {
                            *sample = if edit == SoundEdit::PasteMix {
                                (f64::from(*sample) + f64::from(*pasted)) as f32
                            } else {
                                *pasted
                            };
                        }
                    }
                }
                SoundEdit::Delete if all => model.iter_mut().for_each(|samples| drop(samples.drain(selected.clone()))),
                SoundEdit::Delete | SoundEdit::Silence => {
                    edited.iter().for_each(|&channel| model[channel][selected.clone()].fill(0.0));
                }
                SoundEdit::Reverse => edited.iter().for_each(|&channel| model[channel][selected.clone()].reverse()),
                SoundEdit::Gain { db } => {
                    for &channel in &edited {
                        for sample in &mut model[channel][selected.clone()] {
                            *sample = (f64::from(*sample) * 10f64.powf(db / 20.0)) as f32;
                        }
                    }
                }
                _ => unreachable!(),
            }
            if model[0].is_empty() {
                break;
            }
        }
        let heard = memory.heard(&document, 1 + random.below(400) as usize);
        for (channel, (heard, model)) in heard.iter().zip(&model).enumerate() {
            assert_eq!(heard.len(), model.len(), "seed {seed}: {done:?}");
            // The gains that a clip accumulates are one factor; the model applies several, each rounded.
            let off = heard.iter().zip(model).position(|(a, b)| (a - b).abs() > 1.0);
            assert_eq!(off, None, "seed {seed}, channel {channel}: {done:?}");
        }
        if !done.iter().any(|edit| edit.starts_with("Gain")) {
            assert_eq!(heard, model, "seed {seed}: {done:?}");
        }
    }
}

#[test]
fn a_rendered_part_leaves_everything_around_it_bit_for_bit() {
    for seed in 1..=3000u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let memory = Memory::default();
        let source = memory.add(AudioBuffer::from_channels(numbers(&mut random, CHANNELS, FRAMES)));
        let mut document = Document::of_source(source);
        let shape = [FadeShape::EqualPower, FadeShape::Linear][random.below(2) as usize];
        let crossfade = Crossfade { frames: 2 + random.below(30), shape };
        // Joins with cross-fades, of all lengths, and clips with fades and gain.
        for _ in 0..random.below(7) {
            let range = random.range(document.frames());
            let at = random.below(document.frames() + 1);
            match random.below(4) {
                0 => document.edits.delete(range, crossfade),
                1 => document.edits.move_to(range, at, crossfade),
                2 => document.edits.reverse(range, crossfade),
                _ => document.edits.change_gain(range, -3.0),
            }
            if document.frames() < 40 {
                break;
            }
        }
        let frames = document.frames();
        let before = memory.heard(&document, 57);
        let range = random.range(frames);
        if range.is_empty() {
            continue;
        }
        document.selection = Some(FrameRange::from(range.clone()));
        let channels = some_channels(&mut random, CHANNELS).filter(|channels| channels.len() < CHANNELS);
        let edit = if channels.is_none() {
            SoundEdit::PasteMix
        } else {
            [SoundEdit::Silence, SoundEdit::Reverse, SoundEdit::PasteMix, SoundEdit::PasteOver]
                [random.below(4) as usize]
        };
        document.set_channels(channels).unwrap();
        let excerpt = document.excerpt(random.range(frames / 2).start..frames / 2 + 1, false).unwrap();
        let edited = document.edited_channels();
        let after =
            render(&memory, &document, edit, 0, Some(&excerpt), crossfade, 1 + random.below(50) as usize).unwrap();
        let heard = memory.heard(&after, 31);
        let end = match edit {
            SoundEdit::PasteMix | SoundEdit::PasteOver => range.start + excerpt.edits.frames(),
            _ => range.end,
        };
        for channel in 0..CHANNELS {
            for frame in 0..frames {
                let inside = edited.contains(&channel) && (range.start..end).contains(&frame);
                let (was, is) = (before[channel][frame as usize], heard[channel][frame as usize]);
                assert!(
                    inside || was.to_bits() == is.to_bits(),
                    "seed {seed}, {edit:?} {range:?}, channel {channel} at {frame}: {was}, {is}"
                );
                assert!(is.is_finite());
            }
        }
        // Between the crossfades at its edges, silence is silent.
        if edit == SoundEdit::Silence {
            let (start, end) =
                ((range.start + crossfade.frames) as usize, range.end.saturating_sub(crossfade.frames) as usize);
            for channel in edited {
                assert!(heard[channel].get(start..end).unwrap_or_default().iter().all(|sample| *sample == 0.0));
            }
        }
    }
}

#[test]
fn what_was_cut_out_of_sound_fades_into_a_mix_and_what_begins_by_itself_does_not() {
    let memory = Memory::default();
    let quiet = memory.add(AudioBuffer::from_channels(vec![vec![0.0; 100]]));
    let ones = memory.add(AudioBuffer::from_channels(vec![vec![1.0; 60]]));
    let document = Document { selection: Some(FrameRange { start: 10, end: 11 }), ..Document::of_source(quiet) };
    let other = Document::of_source(ones);
    let crossfade = Crossfade { frames: 10, shape: FadeShape::Linear };
    let mixed = |range| {
        let excerpt = other.excerpt(range, false).unwrap();
        memory.heard(&render(&memory, &document, SoundEdit::PasteMix, 0, Some(&excerpt), crossfade, 17).unwrap(), 64)[0]
            .clone()
    };
    let cut = mixed(10..40);
    assert_eq!((cut[9], cut[10], cut[19], cut[20], cut[29], cut[39], cut[40]), (0.0, 0.05, 0.95, 1.0, 1.0, 0.05, 0.0));
    let whole = mixed(0..60);
    assert_eq!((whole[9], whole[10], whole[69], whole[70]), (0.0, 1.0, 1.0, 0.0));
    let start = mixed(0..30);
    assert_eq!((start[10], start[39], start[40]), (1.0, 0.05, 0.0));
}

#[test]
fn what_cannot_be_done_to_some_channels_says_so() {
    let memory = Memory::default();
    let source = memory.add(AudioBuffer::from_channels(vec![vec![0.5; 100], vec![0.25; 100]]));
    let mut document = Document { selection: Some(FrameRange { start: 10, end: 20 }), ..Document::of_source(source) };
    assert!(document.set_channels(Some(vec![2])).is_err());
    assert!(document.set_channels(Some(Vec::new())).is_err());
    document.set_channels(Some(vec![1, 0, 1])).unwrap();
    assert_eq!(document.channels, None, "all of them");
    document.set_channels(Some(vec![1])).unwrap();
    for edit in [
        SoundEdit::Trim,
        SoundEdit::Duplicate,
        SoundEdit::Split,
        SoundEdit::Join,
        SoundEdit::InsertSilence { frames: 5 },
        SoundEdit::Move { to: 0 },
    ] {
        assert!(document.rendering(edit, 0, None, Crossfade::NONE).unwrap().is_none(), "{edit:?}");
        let said = document.edited(edit, 0, None, Crossfade::NONE).unwrap_err().to_string();
        assert!(said.contains("Only some of the channels are selected"), "{edit:?}: {said}");
    }
    // A rendering of a document that was edited in the meantime is refused.
    let rendering = document.rendering(SoundEdit::Silence, 0, None, Crossfade::NONE).unwrap().unwrap();
    let open = memory.opener();
    let audio = all_of(rendering.reader(&open, &open).unwrap().as_mut(), 7);
    let source = memory.add(AudioBuffer::from_channels(audio));
    let mut other = document.clone();
    other.edits.delete(0..5, Crossfade::NONE);
    assert!(other.rendered(&rendering, &source).unwrap_err().to_string().contains("edited while this was being made"));
    // A selection that changed in the meantime does not matter.
    other = Document { selection: None, ..document.clone() };
    assert!(other.rendered(&rendering, &source).is_ok());
}

#[test]
fn sound_of_another_rate_is_mixed_at_the_rate_of_the_document() {
    let memory = Memory::default();
    let long = memory.add(AudioBuffer::from_channels(vec![vec![0.0; 48_000]]));
    let document = Document::of_source(long);
    let tone: Vec<f32> =
        (0..22_050).map(|n| (std::f64::consts::TAU * 441.0 * f64::from(n) / 44_100.0).sin() as f32).collect();
    let mut source = memory.add(AudioBuffer::from_channels(vec![tone]));
    source.summary.format.rate = SampleRate::new(44_100).unwrap();
    let excerpt = Document::of_source(source).excerpt(0..22_050, false).unwrap();
    let mixed = render(&memory, &document, SoundEdit::PasteMix, 12_000, Some(&excerpt), Crossfade::NONE, 4096).unwrap();
    assert_eq!(mixed.frames(), 48_000);
    let heard = memory.heard(&mixed, 10_000);
    for frame in (14_000..34_000).step_by(37) {
        let expected = (std::f64::consts::TAU * 441.0 * f64::from(frame - 12_000) / 48_000.0).sin();
        assert!((f64::from(heard[0][frame as usize]) - expected).abs() < 1e-4, "{frame}");
    }
    assert_eq!((heard[0][11_999], heard[0][36_001]), (0.0, 0.0));
}

fn select(bench: &Bench, document: &Value, range: Option<(u64, u64)>, channels: Value) -> Value {
    let selection = range.map(|(start, end)| json!({ "start": start, "end": end }));
    bench.call(
        "editor.set_selection",
        json!({ "document": document["id"], "selection": selection, "band": null, "channels": channels }),
    )
}

fn render_sound(bench: &Bench, document: &Value, edit: Value) -> Value {
    bench.call("editor.render_sound", json!({ "document": document["id"], "edit": edit }))
}

fn exported(bench: &Bench, document: &Value, name: &str) -> Vec<Vec<f32>> {
    let file = exported_file(bench, document, name);
    all_of(AudioFile::open(&file).unwrap().reader().unwrap().as_mut(), 1 << 16)
}

#[test]
fn a_document_is_mixed_and_edited_by_channel_and_comes_back() {
    let bench = start();
    bench.no_crossfades();
    let path = bench.tone("tone.wav");
    let tone = all_of(AudioFile::open(&path).unwrap().reader().unwrap().as_mut(), 1 << 16);
    let document = bench.open(&path);
    // The right channel of 0.1 s is copied and mixed into the left one at the end, beyond which it reaches.
    let view = select(&bench, &document, Some((4800, 9600)), json!([1]));
    assert_eq!(view["channels_selected"], json!([1]));
    bench.call("editor.copy_sound", json!({ "document": document["id"], "cut": false }));
    assert_eq!(bench.call("editor.copied_sound", json!({})), json!(true));
    select(&bench, &document, Some((46_000, 46_001)), json!([0]));
    let view = render_sound(&bench, &document, json!({ "kind": "paste_mix" }));
    assert_eq!((&view["undo"], &view["frames"]), (&json!("Paste mix"), &json!(50_800)));
    assert_eq!(view["selection"], json!({ "start": 46_000, "end": 50_800 }));
    // A part of the right channel is silenced, and the left one is reversed.
    select(&bench, &document, Some((1000, 2000)), json!([1]));
    let view = render_sound(&bench, &document, json!({ "kind": "delete" }));
    assert_eq!((&view["undo"], &view["frames"]), (&json!("Silence channels"), &json!(50_800)));
    select(&bench, &document, Some((20_000, 30_000)), json!([0]));
    assert_eq!(render_sound(&bench, &document, json!({ "kind": "reverse" }))["undo"], "Reverse channels");
    let mut expected = tone.clone();
    expected.iter_mut().for_each(|samples| samples.resize(50_800, 0.0));
    for n in 0..4800 {
        expected[0][46_000 + n] += tone[1][4800 + n];
    }
    expected[1][1000..2000].fill(0.0);
    expected[0][20_000..30_000].reverse();
    assert_eq!(exported(&bench, &document, "edited.wav"), expected);

    // Edits and effects that act on all channels are refused while only some are selected.
    let said = bench.fails("editor.edit_sound", json!({ "document": document["id"], "edit": { "kind": "trim" } })).1;
    assert!(said.starts_with("Only some of the channels are selected"), "{said}");
    bench.edit(&document, json!({ "kind": "add_effect", "effect": "gain", "after": null }));
    let now = bench.call("workspace.startup", json!({}))["documents"][0].clone();
    let node = &now["chain"]["nodes"][0]["id"];
    let said = bench
        .fails(
            "editor.edit",
            json!({ "document": document["id"], "edit": { "kind": "act_on_selection", "nodes": [node] } }),
        )
        .1;
    assert!(said.starts_with("Effects act on all channels"), "{said}");
    bench.call("editor.undo", json!({ "document": document["id"] }));

    // A copy of one channel is pasted as mono, and both channels get it.
    select(&bench, &document, Some((0, 10)), Value::Null);
    let view = render_sound(&bench, &document, json!({ "kind": "paste" }));
    assert_eq!((&view["undo"], &view["frames"]), (&json!("Paste"), &json!(50_800 - 10 + 4800)));
    let pasted = exported(&bench, &document, "pasted.wav");
    assert_eq!((&pasted[0][..4800], &pasted[1][..4800]), (&tone[1][4800..9600], &tone[1][4800..9600]));
    assert_eq!(bench.call("editor.copied_sound", json!({})), json!(false), "it is a recording by now");
    bench.call("editor.undo", json!({ "document": document["id"] }));

    // Everything survives a restart, and can be undone and redone.
    comes_back(bench, exported, &expected, &tone);
}

#[test]
fn a_mix_that_is_cancelled_changes_nothing_and_leaves_no_file() {
    let bench = start();
    let settings = json!({ "signal": { "kind": "pink" }, "format": { "rate": 48_000, "channels": 2 }, "frames": 48_000 * 400, "level_db": -20, "seed": 1 });
    let document = bench.call("editor.generate", json!({ "settings": settings }))["documents"][0].clone();
    select(&bench, &document, Some((0, 48_000 * 400)), Value::Null);
    bench.call("editor.copy_sound", json!({ "document": document["id"], "cut": false }));
    let folder = bench.folder.path();
    let made = || walk(folder).iter().filter(|path| path.to_string_lossy().contains("Paste mix")).count();
    std::thread::scope(|scope| {
        let mixing = scope.spawn(|| {
            bench.fails("editor.render_sound", json!({ "document": document["id"], "edit": { "kind": "paste_mix" } }))
        });
        let job = loop {
            let jobs = bench.call("jobs.view", json!({}));
            if let Some(job) = jobs.as_array().unwrap().iter().find(|job| job["purpose"] == "sound") {
                break job["id"].clone();
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        };
        bench.call("jobs.cancel", json!({ "job": job }));
        assert_eq!(mixing.join().unwrap().0, undertone::error::ErrorCode::Cancelled);
    });
    assert_eq!(made(), 0);
    let now = bench.call("workspace.startup", json!({}))["documents"][0].clone();
    assert_eq!((&now["undo"], &now["sound"]), (&Value::Null, &document["sound"]));
}

fn walk(folder: &std::path::Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(walk(&path)) } else { found.push(path) }
    }
    found
}

#[test]
fn what_was_made_and_nothing_needs_any_more_is_removed_at_the_next_start() {
    let bench = start();
    bench.no_crossfades();
    let document = bench.open(&bench.tone("tone.wav"));
    let mix = || {
        select(&bench, &document, Some((0, 4800)), Value::Null);
        bench.call("editor.copy_sound", json!({ "document": document["id"], "cut": false }));
        render_sound(&bench, &document, json!({ "kind": "paste_mix" }))
    };
    mix();
    bench.call("editor.undo", json!({ "document": document["id"] }));
    let made = |bench: &Bench| {
        let mut names: Vec<String> = walk(bench.folder.path())
            .iter()
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .filter(|name| name.starts_with("Paste mix"))
            .collect();
        names.sort();
        names
    };
    assert_eq!(made(&bench), ["Paste mix.wav"]);
    // Another edit replaces the redo step, so that the first file is no longer needed.
    mix();
    assert_eq!(made(&bench), ["Paste mix 2.wav", "Paste mix.wav"]);
    let project = bench.folder.path().join("kept.undertone");
    mix();
    bench.desk.will_choose(&project);
    bench.call("workspace.save_project", json!({ "document": document["id"], "choose": true }));
    for _ in 0..2 {
        bench.call("editor.undo", json!({ "document": document["id"] }));
    }
    select(&bench, &document, Some((0, 100)), Value::Null);
    bench.call("editor.edit_sound", json!({ "document": document["id"], "edit": { "kind": "delete" } }));
    // By now only the project uses the second and the third.
    let bench = again(bench);
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while made(&bench).contains(&"Paste mix.wav".to_owned()) {
        assert!(std::time::Instant::now() < until, "{:?}", made(&bench));
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let bench = again(bench);
    assert_eq!(made(&bench), ["Paste mix 2.wav", "Paste mix 3.wav"]);
    let opened = bench.open(&project);
    assert_eq!(
        opened["sources"].as_array().unwrap().iter().filter(|source| !source["missing"].is_null()).count(),
        0,
        "{opened}"
    );
}

#[test]
fn channels_of_older_documents_keep_their_numbers() {
    // Older versions stored no layouts, and wrote the usual one where they rendered an edit.
    let memory = Memory::default();
    let constant = |first: f32| AudioBuffer::from_channels((0..4).map(|n| vec![first + n as f32; FRAMES]).collect());
    let mut sources = [memory.add(constant(1.0)), memory.add(constant(11.0))];
    let layouts: [Layout; 2] = ["4.0", "quad"].map(|name| name.parse().unwrap());
    let files = memory.clone();
    let open: OpenSource = Arc::new(move |source| {
        let audio = Arc::clone(&files.0.lock().unwrap()[&source.path]);
        let layout = layouts.get(usize::from(source.path.ends_with("1.wav"))).copied();
        Ok(Box::new(MemoryReader::new(source.summary.format.rate, audio).with_layout(layout)))
    });
    let joined = |sources: &[Source; 2]| {
        let clips = [0, 1].map(|source| Clip::whole(source, FRAMES as u64)).to_vec();
        let edits = EditList { clips };
        Document { sources: sources.to_vec(), edits, ..Document::default() }
    };
    let document = joined(&sources);
    let expected: Vec<Vec<f32>> =
        (0..4).map(|n| [vec![1.0 + n as f32; FRAMES], vec![11.0 + n as f32; FRAMES]].concat()).collect();
    let mut reader = document.reader(|source| open(source)).unwrap();
    assert_eq!(reader.format().layout(), Some(layouts[0]));
    assert_eq!(all_of(&mut reader, 70), expected);

    // An edit is rendered from it, although the written file has a layout.
    let mut selected = document.clone();
    selected.selection = Some(FrameRange { start: 0, end: 100 });
    let rendering = selected.rendering(SoundEdit::Reverse, 0, None, Crossfade::NONE).unwrap();
    let rendering = rendering.unwrap_or_else(|| {
        selected.set_channels(Some(vec![1])).unwrap();
        selected.rendering(SoundEdit::Reverse, 0, None, Crossfade::NONE).unwrap().expect("one channel is rendered")
    });
    let mut made = rendering.reader(&open, &open).unwrap();
    assert_eq!(made.format().layout(), Some(layouts[0]));
    let mut source = memory.add(AudioBuffer::from_channels(all_of(made.as_mut(), 70)));
    source.summary.format = made.format();
    selected.rendered(&rendering, &source).unwrap();

    // Tracks are mixed in the layout of their recordings.
    let excerpt = document.excerpt(0..FRAMES as u64, false).unwrap();
    let mixed = document.with_recording("other".into(), &excerpt).unwrap();
    let how = MixRender {
        placement: &Placement::cpu(),
        measured: &MixMeasurements::default(),
        seeking: Seeking::Exact,
        measures: None,
    };
    assert_eq!(mixed.whole_reader(&open, &how).unwrap().format().layout(), Some(layouts[0]));

    // Sources with known layouts, as in current documents, are converted: the back channels differ.
    for (source, layout) in sources.iter_mut().zip(layouts) {
        source.summary.format = source.summary.format.with_layout(Some(layout));
    }
    let document = joined(&sources);
    let heard = all_of(&mut document.reader(|source| open(source)).unwrap(), 70);
    assert!(heard[3][..FRAMES] == expected[3][..FRAMES] && heard[3][FRAMES..] != expected[3][FRAMES..]);
}
