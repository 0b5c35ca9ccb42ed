//! Markers of documents: they follow their sound through edits, and are kept by undo, session, project and export.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use undertone::audio::encode::{EncodeSettings, Encoder, FileFormat};
use undertone::audio::{AudioBuffer, AudioFile, AudioFormat, Marker, MarkerList, Tags};
use undertone::document::{
    Clip, ClockSpeed, ContentKey, Crossfade, Document, DocumentMarkers, EditList, Excerpt, FileStamp, History,
    SoundEdit, Source, SourceSummary,
};
use undertone::units::SampleRate;

use super::bench::{Bench, again, start};
use super::editing::{LENGTHS, Random, heard, value};

/// The sound that a marker is bound to: a sample, some samples, or the end of the document.
#[derive(Clone, Debug)]
enum Bound {
    Sample(u64),
    Samples(BTreeSet<u64>),
    End,
}

/// A document as plain arrays: a unique number for every sample, and what each marker belongs to.
#[derive(Clone, Default)]
struct Model {
    samples: Vec<u64>,
    markers: Vec<(String, Bound)>,
    fresh: u64,
}

impl Model {
    fn new(frames: u64) -> Self {
        let mut model = Self::default();
        model.samples = model.others(frames);
        model
    }

    /// Returns samples that have not occurred yet.
    fn others(&mut self, count: u64) -> Vec<u64> {
        self.fresh += count;
        (self.fresh - count..self.fresh).collect()
    }

    fn add(&mut self, name: &str, start: u64, end: Option<u64>) {
        let bound = match end {
            Some(end) => Bound::Samples(self.samples[start as usize..end as usize].iter().copied().collect()),
            None => self.samples.get(start as usize).map_or(Bound::End, |sample| Bound::Sample(*sample)),
        };
        self.markers.push((name.to_owned(), bound));
    }

    /// Replaces samples. Returns the former ones.
    fn replace(&mut self, range: Range<u64>, with: Vec<u64>) -> Vec<u64> {
        self.samples.splice(range.start as usize..range.end as usize, with).collect()
    }

    /// Removes markers whose samples are gone, and extends regions over samples that are now within them. Returns the
    /// removed markers.
    fn settle(&mut self) -> Vec<(String, Bound)> {
        let samples = self.samples.clone();
        let place = |sample: &u64| samples.iter().position(|known| known == sample);
        let (mut kept, mut lost) = (Vec::new(), Vec::new());
        for (name, bound) in std::mem::take(&mut self.markers) {
            match &bound {
                Bound::Sample(sample) if place(sample).is_none() => lost.push((name, bound)),
                Bound::Samples(own) => {
                    let places: Vec<usize> = own.iter().filter_map(place).collect();
                    match (places.iter().min(), places.iter().max()) {
                        (Some(&first), Some(&last)) => {
                            kept.push((name, Bound::Samples(samples[first..=last].iter().copied().collect())));
                        }
                        _ => lost.push((name, bound)),
                    }
                }
                _ => kept.push((name, bound)),
            }
        }
        self.markers = kept;
        lost
    }

    /// Returns name, start and end of each marker.
    fn places(&self) -> BTreeSet<(String, u64, Option<u64>)> {
        let place = |sample: &u64| self.samples.iter().position(|known| known == sample).unwrap() as u64;
        let places = self.markers.iter().map(|(name, bound)| match bound {
            Bound::Sample(sample) => (name.clone(), place(sample), None),
            Bound::Samples(own) => {
                let places = || own.iter().map(place);
                (name.clone(), places().min().unwrap(), places().max().map(|last| last + 1))
            }
            Bound::End => (name.clone(), self.samples.len() as u64, None),
        });
        places.collect()
    }
}

fn places(markers: &DocumentMarkers) -> BTreeSet<(String, u64, Option<u64>)> {
    let place = |marker: &Marker| (marker.name.clone(), marker.start_frame, marker.end_frame);
    markers.iter().map(|known| place(&known.marker)).collect()
}

/// Returns a document of the third of the sources that [`heard`] reads.
fn document() -> Document {
    let source = |(index, frames): (usize, &u64)| {
        let format = AudioFormat::new(SampleRate::new(48_000).unwrap(), 1);
        Source {
            path: PathBuf::from(format!("{index}.wav")),
            content_key: ContentKey::of_parts([index.to_string().as_str()]),
            stamp: FileStamp::default(),
            clock: ClockSpeed::NOMINAL,
            summary: SourceSummary { container: "WAV".into(), codec: "PCM".into(), format, frames: *frames },
        }
    };
    Document {
        sources: LENGTHS.iter().enumerate().map(source).collect(),
        edits: EditList { clips: vec![Clip::whole(2, LENGTHS[2])] },
        ..Document::default()
    }
}

/// A cut: its excerpt, the samples of the model, and the markers that were cut with them.
type Cut = (Excerpt, Vec<u64>, Vec<(String, Bound)>);

/// Makes one random edit of both.
fn step(random: &mut Random, document: &Document, model: &mut Model, cut: &mut Option<Cut>) -> Document {
    let frames = document.frames();
    let range = random.range(frames);
    let cursor = random.below(frames + 1);
    let is_selected = !range.is_empty() && random.below(4) > 0;
    let here = if is_selected { range.clone() } else { cursor..cursor };
    let mut now = document.clone();
    now.selection = is_selected.then(|| range.clone().into());
    let mut copied = None;
    let edit = match random.below(11) {
        0 if is_selected => {
            model.replace(range, Vec::new());
            SoundEdit::Delete
        }
        1 if is_selected => {
            let excerpt = now.excerpt(range.clone(), true).unwrap();
            let samples = model.replace(range, Vec::new());
            // Markers that reach beyond the cut stay, and shrink.
            let lost = model.settle();
            *cut = Some((excerpt, samples, lost));
            SoundEdit::Delete
        }
        2 if is_selected => SoundEdit::Silence,
        3 if is_selected && frames > 60 && random.below(3) == 0 => {
            model.samples = model.samples[range.start as usize..range.end as usize].to_vec();
            SoundEdit::Trim
        }
        4 => {
            let all = if is_selected { range } else { 0..frames };
            model.samples[all.start as usize..all.end as usize].reverse();
            SoundEdit::Reverse
        }
        5 if is_selected && frames < 600 => {
            let others = model.others(range.end - range.start);
            model.replace(range.end..range.end, others);
            SoundEdit::Duplicate
        }
        6 => {
            let length = random.below(20) + 1;
            let others = model.others(length);
            model.replace(here, others);
            SoundEdit::InsertSilence { frames: length }
        }
        7 => {
            let source = random.below(2) as usize;
            let edits = EditList { clips: vec![Clip::whole(0, LENGTHS[source])] };
            let format = document.format().unwrap();
            let sources = vec![document.sources[source].clone()];
            copied = Some(Excerpt { format, sources, edits, markers: MarkerList::default(), channels: None });
            let others = model.others(LENGTHS[source]);
            let over = here.start..(here.start + LENGTHS[source]).min(frames);
            if random.below(2) == 0 {
                model.replace(here, others);
                SoundEdit::Paste
            } else {
                model.replace(over, others);
                SoundEdit::PasteOver
            }
        }
        8 if cut.is_some() => {
            let (excerpt, samples, markers) = cut.take().unwrap();
            copied = Some(excerpt);
            model.replace(here, samples);
            model.settle();
            model.markers.extend(markers);
            SoundEdit::Paste
        }
        9 if is_selected => {
            let to = random.below(frames + 1);
            if !range.contains(&to) && to != range.end {
                let moved = model.replace(range.clone(), Vec::new());
                let at = if to > range.start { to - (range.end - range.start) } else { to };
                model.replace(at..at, moved);
            }
            SoundEdit::Move { to }
        }
        _ => {
            let end = (is_selected && range.end > range.start).then_some(range.end);
            let (start, name) = (if is_selected { range.start } else { cursor }, format!("m{}", random.below(1 << 40)));
            model.add(&name, start, end);
            let marker = Marker { start_frame: start, end_frame: end, name, ..Marker::default() };
            return Document { markers: document.markers.with(&[marker]), ..document.clone() };
        }
    };
    model.settle();
    now.edited(edit, cursor, copied.as_ref(), Crossfade::NONE).unwrap().document
}

#[test]
fn markers_go_where_their_samples_go_in_ten_thousand_edits() {
    for seed in 1..=250 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(seed));
        let first = document();
        let (mut now, mut model, mut cut) = (first.clone(), Model::new(first.frames()), None);
        let mut history = History::new(first.clone());
        for number in 0..40 {
            let edited = step(&mut random, &now, &mut model, &mut cut);
            now = Document { selection: None, ..edited };
            assert_eq!(now.frames(), model.samples.len() as u64, "seed {seed}, step {number}");
            assert_eq!(places(&now.markers), model.places(), "seed {seed}, step {number}");
            let ids: BTreeSet<_> = now.markers.iter().map(|known| known.id).collect();
            assert_eq!(ids.len(), now.markers.len());
            history.apply("Edit", None, now.clone());
        }
        while history.undo().is_some() {}
        assert_eq!(*history.document(), first);
    }
}

#[test]
fn a_marker_stands_at_the_sample_that_it_was_set_at() {
    let mut random = Random(77);
    for _ in 0..300 {
        let place = random.below(200);
        let markers = DocumentMarkers::from(&MarkerList::from(vec![Marker::point(place, "here")]));
        let mut now = Document { markers, ..document() };
        for _ in 0..6 {
            let range = random.range(now.frames());
            if range.is_empty() {
                continue;
            }
            now.selection = Some(range.into());
            let to = random.below(now.frames() + 1);
            let edit =
                [SoundEdit::Delete, SoundEdit::Reverse, SoundEdit::Duplicate, SoundEdit::Move { to }, SoundEdit::Trim];
            let edited = now.edited(edit[random.below(5) as usize], 0, None, Crossfade::NONE).unwrap().document;
            if edited.frames() == 0 {
                break;
            }
            now = edited;
            if let Some(known) = now.markers.first() {
                assert_eq!(heard(&now.edits, 1000)[known.marker.start_frame as usize], value(2, place));
            }
        }
    }
}

/// Writes two seconds of a tone with markers.
fn marked(bench: &Bench, name: &str, format: FileFormat, markers: Vec<Marker>) -> PathBuf {
    let path = bench.folder.path().join(name);
    let audio = AudioFormat::new(SampleRate::new(48_000).unwrap(), 1);
    let settings = EncodeSettings { format, ..EncodeSettings::default() };
    let list = MarkerList::from(markers);
    let mut encoder =
        Encoder::create_marked(&path, &settings, audio, true, &[], &Tags::default(), &list, Some(96_000)).unwrap();
    let tone = (0..96_000).map(|n| (0.3 * (f64::from(n) * 0.05).sin()) as f32).collect();
    encoder.write(&AudioBuffer::from_channels(vec![tone])).unwrap();
    encoder.finish().unwrap();
    path
}

fn three() -> Vec<Marker> {
    vec![Marker::point(1000, "one"), Marker::region(24_000, 48_000, "two"), Marker::point(60_000, "three")]
}

fn markers(bench: &Bench, document: &Value) -> Vec<(String, u64, Option<u64>)> {
    let list = bench.call("editor.markers", json!({ "document": document["id"] }));
    let of = |marker: &Value| {
        let name = marker["name"].as_str().unwrap().to_owned();
        (name, marker["start_frame"].as_u64().unwrap(), marker["end_frame"].as_u64())
    };
    list.as_array().unwrap().iter().map(of).collect()
}

fn edit(bench: &Bench, document: &Value, edit: Value) -> Value {
    bench.call("editor.edit_markers", json!({ "document": document["id"], "edit": edit }))
}

fn place(name: &str, start: u64, end: Option<u64>) -> (String, u64, Option<u64>) {
    (name.to_owned(), start, end)
}

#[test]
fn a_file_s_markers_are_shown_edited_undone_and_survive() {
    let bench = start();
    let path = marked(&bench, "song.wav", FileFormat::Wav, three());
    let document = bench.open(&path);
    let original = [place("one", 1000, None), place("two", 24_000, Some(48_000)), place("three", 60_000, None)];
    assert_eq!(markers(&bench, &document), original);
    assert_eq!(document["undo"], Value::Null, "opening is no step");
    let key = |view: &Value| view["markers"].as_str().unwrap().to_owned();
    let first = key(&document);
    assert!(!first.is_empty());

    let view = edit(&bench, &document, json!({ "kind": "add", "start_frame": 5, "end_frame": null, "name": "new" }));
    assert_eq!((view["undo"].as_str(), key(&view) == first), (Some("Add marker"), false));
    let id = bench.call("editor.markers", json!({ "document": document["id"] }))[0]["id"].clone();
    let view = edit(&bench, &document, json!({ "kind": "rename", "id": id, "name": "renamed" }));
    assert_eq!(view["undo"], "Rename marker");
    let view =
        edit(&bench, &document, json!({ "kind": "place", "id": id, "start_frame": 70_000, "end_frame": 80_000 }));
    assert_eq!(view["undo"], "Move region");
    assert_eq!(markers(&bench, &document)[3], place("renamed", 70_000, Some(80_000)));
    let args =
        json!({ "document": document["id"], "edit": { "kind": "place", "id": id, "start_frame": 9, "end_frame": 9 } });
    assert!(bench.fails("editor.edit_markers", args).1.contains("nd of a region"));

    // The first second is deleted together with its markers.
    bench.call(
        "editor.set_selection",
        json!({ "document": document["id"], "selection": { "start": 0, "end": 30_000 }, "band": null }),
    );
    bench.call("editor.edit_sound", json!({ "document": document["id"], "edit": { "kind": "delete" } }));
    let cut = [place("two", 0, Some(18_000)), place("three", 30_000, None), place("renamed", 40_000, Some(50_000))];
    assert_eq!(markers(&bench, &document), cut);

    let bench = again(bench);
    let now = bench.call("workspace.startup", json!({}))["documents"][0].clone();
    assert_eq!(markers(&bench, &now), cut);
    for _ in 0..4 {
        bench.call("editor.undo", json!({ "document": now["id"] }));
    }
    assert_eq!(markers(&bench, &now), original);
    let undone = bench.call("editor.redo", json!({ "document": now["id"] }));
    assert_eq!(markers(&bench, &now)[0], place("new", 5, None));

    // A project keeps them, and an older one without markers can be read.
    let file = bench.folder.path().join("song.undertone");
    bench.desk.will_choose(&file);
    let saved = bench.call("workspace.save_project", json!({ "document": now["id"], "choose": true }));
    assert_eq!(saved["project_changed"], false);
    let changed = edit(&bench, &undone, json!({ "kind": "delete", "ids": [id] }));
    assert_eq!(changed["project_changed"], true);
    bench.call("editor.undo", json!({ "document": now["id"] }));
    bench.call("workspace.close_document", json!({ "document": now["id"] }));
    let text = std::fs::read_to_string(&file).unwrap();
    let mut old: Value = serde_json::from_str(&text).unwrap();
    old["version"] = json!(1);
    assert!(old["document"].as_object_mut().unwrap().remove("markers").is_some());
    let older = bench.folder.path().join("older.undertone");
    std::fs::write(&older, old.to_string()).unwrap();
    let older = bench.open(&older);
    assert_eq!((markers(&bench, &older).len(), older["markers"].as_str()), (0, Some("")));
    let mut wrong: Value = serde_json::from_str(&text).unwrap();
    wrong["document"]["markers"][0]["start_frame"] = json!(1u64 << 40);
    let beyond = bench.folder.path().join("beyond.undertone");
    std::fs::write(&beyond, wrong.to_string()).unwrap();
    bench.desk.will_choose(&beyond);
    let opened = bench.call("workspace.open_dialog", json!({}));
    assert!(opened["failures"][0]["failure"]["message"].as_str().unwrap().contains("Markers must be"), "{opened}");
    let project = bench.open(&file);
    assert_eq!(markers(&bench, &project).len(), 4);
}

#[test]
fn what_is_cut_takes_its_markers_along_and_a_copy_does_not() {
    let bench = start();
    let document = bench.open(&marked(&bench, "song.wav", FileFormat::Wav, three()));
    let select = |start: u64, end: u64| {
        let selection = json!({ "start": start, "end": end });
        bench.call("editor.set_selection", json!({ "document": document["id"], "selection": selection, "band": null }));
    };
    let paste = |at: u64| {
        let view = json!({ "start": 0, "end": 9000 });
        bench.call("editor.set_selection", json!({ "document": document["id"], "selection": null, "band": null }));
        bench.call(
            "editor.set_view",
            json!({ "document": document["id"], "view": view, "cursor_frame": at, "level_zoom": 1 }),
        );
        bench.call("editor.edit_sound", json!({ "document": document["id"], "edit": { "kind": "paste" } }));
    };
    select(20_000, 50_000);
    bench.call("editor.copy_sound", json!({ "document": document["id"], "cut": false }));
    paste(0);
    assert_eq!(markers(&bench, &document).len(), 3);
    bench.call("editor.undo", json!({ "document": document["id"] }));
    select(20_000, 50_000);
    bench.call("editor.copy_sound", json!({ "document": document["id"], "cut": true }));
    assert_eq!(markers(&bench, &document), [place("one", 1000, None), place("three", 30_000, None)]);
    paste(0);
    let expected = [place("two", 4000, Some(28_000)), place("one", 31_000, None), place("three", 60_000, None)];
    assert_eq!(markers(&bench, &document), expected);
    // An inserted file brings its markers, at the document's rate.
    let other = marked(&bench, "other.wav", FileFormat::Wav, vec![Marker::point(500, "own")]);
    bench.call("editor.set_selection", json!({ "document": document["id"], "selection": null, "band": null }));
    let view = json!({ "start": 0, "end": 9000 });
    bench.call(
        "editor.set_view",
        json!({ "document": document["id"], "view": view, "cursor_frame": 0, "level_zoom": 1 }),
    );
    bench.desk.will_choose(&other);
    bench.call("editor.insert_file", json!({ "document": document["id"] }));
    assert_eq!(markers(&bench, &document)[..2], [place("own", 500, None), place("two", 100_000, Some(124_000))]);
}

#[test]
fn markers_come_from_files_and_go_to_files() {
    let bench = start();
    let document = bench.open(&marked(&bench, "plain.wav", FileFormat::Wav, Vec::new()));
    assert_eq!(document["markers"], "");
    let id = json!({ "document": document["id"] });
    assert!(bench.fails("editor.export_markers", id.clone()).1.contains("no markers yet"));
    let path = |name: &str| bench.folder.path().join(name);
    std::fs::write(path("labels.txt"), "0.5\t1.0\tVerse\n1.5\t1.5\tEnd\n9.0\t9.0\tfar\n").unwrap();
    bench.desk.will_choose(&path("labels.txt"));
    let view = bench.call("editor.import_markers", id.clone());
    assert_eq!(view["undo"], "Import 2 markers");
    assert_eq!(markers(&bench, &document), [place("Verse", 24_000, Some(48_000)), place("End", 72_000, None)]);
    // The markers of another recording, at its sample rate.
    let other = marked(&bench, "other.flac", FileFormat::Flac, vec![Marker::point(96_000, "last")]);
    bench.desk.will_choose(&other);
    assert_eq!(bench.call("editor.import_markers", id.clone())["undo"], "Import marker");
    assert_eq!(markers(&bench, &document)[2], place("last", 96_000, None));
    // A cancelled dialog changes nothing.
    assert_eq!(bench.call("editor.import_markers", id.clone())["undo"], "Import marker");
    std::fs::write(path("wrong.txt"), "no labels").unwrap();
    bench.desk.will_choose(&path("wrong.txt"));
    assert!(bench.fails("editor.import_markers", id.clone()).1.contains("Line 1"));

    for (name, starts) in
        [("out.txt", "0.500000\t1.000000\tVerse\n"), ("out.csv", "start,end,name"), ("out.cue", "FILE \"plain.wav\"")]
    {
        bench.desk.will_choose(&path(name));
        assert_eq!(bench.call("editor.export_markers", id.clone()), name);
        let text = std::fs::read_to_string(path(name)).unwrap();
        assert!(text.contains(starts), "{name}: {text}");
    }
    assert_eq!(bench.call("editor.export_markers", id.clone()), Value::Null);
    // A recording is never overwritten.
    let before = std::fs::read(path("plain.wav")).unwrap();
    std::os::unix::fs::symlink(path("plain.wav"), path("link.txt")).unwrap();
    for name in ["plain.wav", "link.txt"] {
        bench.desk.will_choose(&path(name));
        bench.app.call("editor.export_markers", id.clone()).unwrap_err();
    }
    assert_eq!(std::fs::read(path("plain.wav")).unwrap(), before);
}

fn exported(bench: &Bench, document: &Value, target: &Path, settings: Value) -> (MarkerList, Value) {
    bench.desk.will_choose(target);
    let chosen = bench.call("editor.choose_export", json!({ "document": document["id"], "settings": settings }));
    bench.call("editor.export", json!({ "document": document["id"], "target": chosen, "settings": settings }));
    let job = bench.wait_for_job();
    assert_eq!(job["state"], "done", "{job}");
    (AudioFile::open(target).unwrap().markers().clone(), job["result"].clone())
}

#[test]
fn exports_keep_markers_in_every_format_at_their_places() {
    let bench = start();
    let document = bench.open(&marked(&bench, "song.wav", FileFormat::Wav, three()));
    let settings = |format: &str, range: Value, is_marked: bool| json!({ "format": format, "bits": "24", "dither": "none", "range": range, "rate": null, "tail": false, "markers": is_marked });
    let all = Value::Null;
    let plan = |settings: &Value| {
        let tags = json!({ "items": {}, "cover": { "kind": "keep" } });
        bench.call("editor.export_plan", json!({ "document": document["id"], "settings": settings, "tags": tags }))
    };
    for (format, extension) in [("wav", "wav"), ("flac", "flac"), ("vorbis", "ogg"), ("opus", "opus"), ("mp3", "mp3")] {
        if format == "mp3" && FileFormat::Mp3.check_encoder().is_err() {
            eprintln!("skipped: MP3 has no encoder here");
            continue;
        }
        let target = bench.folder.path().join(format!("out.{extension}"));
        let told = plan(&settings(format, all.clone(), true));
        let (found, result) = exported(&bench, &document, &target, settings(format, all.clone(), true));
        let near = |found: u64, expected: u64| {
            found.abs_diff(expected) <= if matches!(format, "wav" | "flac") { 0 } else { 48 }
        };
        let names: Vec<_> = found.iter().map(|marker| marker.name.as_str()).collect();
        assert_eq!(names, ["one", "two", "three"], "{format}");
        assert!(
            found.iter().zip(three()).all(|(found, marker)| near(found.start_frame, marker.start_frame)),
            "{format}"
        );
        let has_regions = matches!(format, "wav" | "mp3");
        assert_eq!(found[1].end_frame.is_some(), has_regions, "{format}");
        // The plan announced the loss.
        assert_eq!(told["markers"], 3);
        assert_eq!(told["marker_limits"].as_array().unwrap().is_empty(), has_regions, "{told}");
        if told["bytes_exact"] == true {
            assert_eq!(told["bytes"], result["bytes"], "{format}");
        }
        let (none, _) = exported(
            &bench,
            &document,
            &target.with_file_name(format!("none.{extension}")),
            settings(format, all.clone(), false),
        );
        assert!(none.is_empty(), "{format}");
        assert_eq!(plan(&settings(format, all.clone(), false))["markers"], 0);
    }
    // A part, and effects that change the time or trim.
    let part = settings("wav", json!({ "start": 500, "end": 36_000 }), true);
    let (found, _) = exported(&bench, &document, &bench.folder.path().join("part.wav"), part);
    assert_eq!(*found, [Marker::point(500, "one"), Marker::region(23_500, 35_500, "two")]);
    for (chain, expected) in [
        (
            "time_stretch(200 %)",
            vec![Marker::point(2000, "one"), Marker::region(48_000, 96_000, "two"), Marker::point(120_000, "three")],
        ),
        (
            "resample(24 kHz)",
            vec![Marker::point(500, "one"), Marker::region(12_000, 24_000, "two"), Marker::point(30_000, "three")],
        ),
    ] {
        bench.edit(&document, json!({ "kind": "set_chain_text", "text": chain }));
        let target = bench.folder.path().join("changed.wav");
        let (found, _) = exported(&bench, &document, &target, settings("wav", all.clone(), true));
        assert_eq!(*found, expected, "{chain}");
        std::fs::remove_file(target).unwrap();
    }
    // Silence before and after the sound is trimmed, with its markers.
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "" }));
    for range in [0..20_000, 50_000..96_000] {
        bench.call("editor.set_selection", json!({ "document": document["id"], "selection": { "start": range.start, "end": range.end }, "band": null }));
        bench.call("editor.edit_sound", json!({ "document": document["id"], "edit": { "kind": "silence" } }));
    }
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "trim_silence(-60 dB, padding=0 s)" }));
    let (found, result) =
        exported(&bench, &document, &bench.folder.path().join("trimmed.wav"), settings("wav", all, true));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].start_frame.abs_diff(4000) < 300 && found[0].end_frame.unwrap().abs_diff(28_000) < 300,
        "{found:?}"
    );
    assert!(result["warnings"].to_string().contains("2 markers were not written"), "{result}");
}
