//! Commands as a window, or an attacker in its place, may send them: every command of the table and those that return
//! bytes, in any order, with valid, invalid and extreme arguments.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::harness::{Limits, Random, alone, run};
use super::opening_support::Wav;
use undertone::app::api::{DocumentId, Event};
use undertone::app::{App, Directories, FileChoice, Host, effect_views};
use undertone::{Error, Result};

/// The maximum duration of one command on a busy machine.
const LONGEST: Duration = Duration::from_secs(20);
/// The number of commands per case.
const CALLS: u64 = 24;
/// The commands that return bytes.
const BYTES: [&str; 10] = [
    "peaks",
    "track_peaks",
    "samples",
    "spectrogram",
    "compare_peaks",
    "compare_samples",
    "compare_spectrogram",
    "monitor",
    "loudness",
    "library_map",
];
/// Commands that are left out because they take seconds: they measure devices, or create a recording.
const LEFT_OUT: [&str; 3] = ["measure_devices", "open_demo", "verify_devices"];
/// Recordings that are open from the start.
const OPEN: [&str; 2] = ["a.wav", "b.wav"];
/// Longer than any text that a person writes.
const LONG_TEXT: usize = 200_000;

/// A host whose user answers every dialog.
struct Desk {
    folder: PathBuf,
    random: Mutex<Random>,
}

impl Desk {
    fn any(&self) -> Option<PathBuf> {
        let mut random = self.random.lock().unwrap();
        let name = *random.pick(&["a.wav", "b.wav", "none.wav", "noise.wav", ""]);
        (!name.is_empty()).then(|| self.folder.join(name))
    }
}

impl Host for Desk {
    fn emit(&self, event: Event) {
        // Serialised as for the window.
        drop(serde_json::to_string(&event).unwrap());
    }

    fn choose_open(&self, _: &FileChoice) -> Vec<PathBuf> {
        self.any().into_iter().collect()
    }

    fn choose_save(&self, _: &FileChoice, name: &str) -> Option<PathBuf> {
        // Sometimes a recording that is open, which must never be overwritten.
        if self.random.lock().unwrap().once_in(4) {
            return Some(self.folder.join(OPEN[0]));
        }
        self.any().map(|_| self.folder.join("saved").join(Path::new(name).file_name().unwrap_or_default()))
    }

    fn choose_folders(&self, _: &str) -> Vec<PathBuf> {
        self.any().map(|_| self.folder.join("music")).into_iter().collect()
    }

    fn show_file(&self, _: &Path) -> Result<()> {
        Ok(())
    }
}

/// Returns a number of any size.
fn number(random: &mut Random) -> Value {
    match random.below(6) {
        0 => json!(random.extreme(64)),
        1 => json!(-(random.extreme(63) as i64)),
        2 => {
            json!(*random.pick(&[f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, -0.0, 1e300, -1e300, 0.1, 1e15, 1e-9]))
        }
        3 => json!(random.extreme(32)),
        _ => json!(random.below(50_000)),
    }
}

fn text(random: &mut Random) -> Value {
    let words = [
        "",
        "gain",
        "gain(-3 dB)",
        "highpass(80 Hz) | gain(1e300 dB)",
        "\u{0}",
        "\u{1f3b5}",
        "((((((((",
        "title:",
        "tempo_bpm>1e999",
        "off(gain(0 dB))",
        "artist:\"",
        "{name}",
        "{folder}/../../{name}.{ext}",
        "[lowpass(1 Hz), gain(3 dB)]",
    ];
    match random.below(10) {
        0 => json!("x".repeat(LONG_TEXT)),
        1 => json!("(".repeat(random.below(5000) as usize)),
        2 => json!("gain(1 dB) | ".repeat(random.below(2000) as usize) + "gain(0 dB)"),
        _ => json!(*random.pick(&words)),
    }
}

/// Returns one of several values.
fn one(random: &mut Random, values: &[&str]) -> Value {
    json!(*random.pick(values))
}

fn maybe(random: &mut Random, value: impl FnOnce(&mut Random) -> Value) -> Value {
    if random.once_in(3) { Value::Null } else { value(random) }
}

fn many(random: &mut Random, value: impl Fn(&mut Random) -> Value) -> Value {
    let count = if random.once_in(20) { 100_000 } else { random.below(5) };
    (0..count).map(|_| value(random)).collect()
}

fn document(random: &mut Random) -> Value {
    if random.once_in(12) { number(random) } else { json!(1 + random.below(2)) }
}

fn node(random: &mut Random) -> Value {
    if random.once_in(8) { number(random) } else { json!(random.below(12)) }
}

fn flag(random: &mut Random) -> Value {
    json!(random.once_in(2))
}

fn lane_track(r: &mut Random) -> Value {
    if r.once_in(8) { json!(r.extreme(32)) } else { json!(1 + r.below(4)) }
}

fn track_choice(r: &mut Random) -> Value {
    if r.once_in(3) { json!("sum") } else { json!({ "track": lane_track(r) }) }
}

fn stem(r: &mut Random) -> Value {
    json!(*r.pick(&["voice", "accompaniment", "tones", "hits", "centre", "sides", "drums", "residual", "kazoo"]))
}

fn stems_source(r: &mut Random) -> Value {
    if r.once_in(3) {
        return json!({ "kind": "tracks", "tracks": many(r, |r| json!(r.extreme(63))) });
    }
    let track = if r.once_in(2) { Value::Null } else { json!(lane_track(r)) };
    json!({ "kind": "document", "document": document(r), "track": track })
}

fn stems_wish(r: &mut Random) -> Value {
    let model = if r.once_in(4) { text(r) } else { json!("quick") };
    let quality = if r.once_in(4) { text(r) } else { Value::Null };
    json!({ "model": model, "stems": many(r, stem), "residual": r.pick(&["left_out", "own", "spread", "kept"]), "quality": quality })
}

fn track_edit(r: &mut Random) -> Value {
    let track = lane_track(r);
    match r.below(12) {
        10 => {
            json!({ "kind": "stems", "preset": *r.pick(&["karaoke", "a_cappella", "practice_voice", "all", "loud"]) })
        }
        0 | 1 => json!({ "kind": "add" }),
        2 => json!({ "kind": "duplicate", "track": track }),
        3 => json!({ "kind": "delete", "track": track }),
        4 => json!({ "kind": "rename", "track": track, "name": text(r) }),
        5 => json!({ "kind": "colour", "track": track, "colour": r.below(10) }),
        6 => json!({ "kind": "gain", "track": track, "db": number(r) }),
        7 => json!({ "kind": "pan", "track": track, "pan": number(r) }),
        8 => json!({ "kind": if flag(r) == json!(true) { "mute" } else { "solo" }, "track": track, "on": flag(r) }),
        9 => json!({ "kind": "move", "track": track, "to": r.below(6) }),
        _ => json!({ "kind": "send", "track": track, "at": r.extreme(64), "range": maybe(r, range) }),
    }
}

fn sound_edit(random: &mut Random) -> Value {
    let kinds = [
        "delete",
        "silence",
        "trim",
        "reverse",
        "duplicate",
        "split",
        "join",
        "paste",
        "paste_over",
        "paste_mix",
        "insert_silence",
    ];
    match random.below(5) {
        4 => json!({ "kind": "clip", "clip": random.below(4), "edit": clip_edit(random) }),
        0 => json!({ "kind": "move", "to": random.extreme(64) }),
        1 => json!({ "kind": "gain", "db": number(random) }),
        2 => json!({ "kind": "insert_silence", "frames": random.extreme(64) }),
        _ => json!({ "kind": one(random, &kinds), "frames": random.below(5000) }),
    }
}

fn keys(random: &mut Random) -> Value {
    let key = |random: &mut Random| one(random, &["Ctrl+Z", "F5", "Hyper+Q", "", "+", "ctrl+alt+\u{1f3b5}"]);
    let mut commands = serde_json::Map::new();
    for _ in 0..random.below(4) {
        let name = if random.once_in(2) { json!("undo") } else { text(random) };
        commands.insert(name.as_str().unwrap_or_default().to_owned(), many(random, key));
    }
    json!({ "version": random.extreme(32), "commands": commands })
}

/// Returns a signal that is short, or too long to be generated.
fn signal(random: &mut Random) -> Value {
    let kind = *random.pick(&[
        "sine", "square", "saw", "triangle", "sweep", "white", "pink", "brown", "impulses", "silence", "dtmf",
        "clicks", "",
    ]);
    let signal = json!({
        "kind": kind, "frequency_hz": number(random), "from_hz": number(random), "to_hz": number(random), "scale": "log",
        "distribution": "uniform", "interval_frames": number(random), "digits": text(random),
        "tone_frames": random.below(20_000), "pause_frames": random.extreme(64), "bpm": number(random),
        "beats": random.extreme(32),
    });
    let frames = if random.once_in(2) { u64::MAX - random.below(9) } else { random.below(50_000) };
    let rate = *random.pick(&[0, 1, 8000, 48_000, 768_000, u32::MAX]);
    json!({
        "signal": signal, "format": { "rate": rate, "channels": random.below(4) }, "frames": frames,
        "level_db": number(random), "seed": random.extreme(32),
    })
}

fn clip_edit(random: &mut Random) -> Value {
    let by = random.below(9000) as i64 - 4500;
    let by = if random.once_in(8) { json!(random.extreme(64)) } else { json!(by) };
    match random.below(6) {
        0 => json!({ "kind": "move", "to": random.extreme(64) }),
        1 => json!({ "kind": one(random, &["start", "end"]), "by": by, "closes": flag(random) }),
        2 => json!({ "kind": one(random, &["fade_in", "fade_out"]), "frames": random.extreme(64) }),
        3 => json!({ "kind": "gain", "db": number(random) }),
        4 => json!({ "kind": "no_fades" }),
        _ => {
            json!({ "kind": "crossfade", "frames": random.extreme(64), "shape": one(random, &["linear", "equal_power"]) })
        }
    }
}

fn marker_edit(random: &mut Random) -> Value {
    let id = random.below(9);
    let end = maybe(random, |random| json!(random.extreme(64)));
    match random.below(4) {
        0 => json!({ "kind": "add", "start_frame": random.below(50_000), "end_frame": end, "name": text(random) }),
        1 => json!({ "kind": "rename", "id": id, "name": text(random) }),
        2 => json!({ "kind": "place", "id": id, "start_frame": random.extreme(64), "end_frame": end }),
        _ => json!({ "kind": "delete", "ids": many(random, |random| json!(random.extreme(32))) }),
    }
}

fn range(random: &mut Random) -> Value {
    if random.once_in(2) {
        let start = random.below(20_000);
        return json!({ "start": start, "end": start + random.below(20_000) });
    }
    json!({ "start": random.extreme(64), "end": random.extreme(64) })
}

fn band(random: &mut Random) -> Value {
    json!({ "low_hz": number(random), "high_hz": number(random) })
}

fn side(random: &mut Random) -> Value {
    one(random, &["original", "processed"])
}

fn rack(random: &mut Random) -> Value {
    one(random, &["a", "b", "A", "B"])
}

fn lanes(random: &mut Random) -> Value {
    one(random, &["each", "mix", "mid_side"])
}

fn window(random: &mut Random) -> Value {
    one(random, &["hann", "kaiser", "gaussian", "flattop", "rectangular", "parzen"])
}

fn analysis(random: &mut Random) -> Value {
    let frames = if random.once_in(4) { random.extreme(32) } else { 1 << random.below(18) };
    let padding = if random.once_in(4) { random.extreme(32) } else { 1 << random.below(5) };
    let bins = if random.once_in(4) { random.extreme(32) } else { 12 * random.below(9) };
    json!({
        "method": one(random, &["fourier", "multi_resolution", "reassigned", "constant_q"]),
        "bins_per_octave": bins, "window": window(random), "window_frames": frames, "padding": padding,
        "scale": one(random, &["linear", "log", "mel", "bark", "erb"]),
    })
}

fn display(random: &mut Random) -> Value {
    json!({
        "colours": one(random, &["viridis", "grey", "undertone"]), "gain_db": number(random), "range_db": number(random),
        "blend": number(random), "channels": lanes(random), "compare": one(random, &["off", "wipe", "difference"]),
        "time_ruler": one(random, &["time", "samples", "beats"]), "frequency_ruler": one(random, &["hz", "notes"]),
        "bpm": number(random), "beats_per_bar": random.extreme(32),
    })
}

fn tile(random: &mut Random) -> Value {
    let near = !random.once_in(3);
    let mut at = |bits: u32, end: u64| if near { random.below(end) } else { random.extreme(bits) };
    let (lane, level, column, row_level, row, rows) =
        (at(32, 3), at(32, 12), at(64, 4), at(32, 4), at(32, 4), at(32, 5));
    json!({
        "analysis": analysis(random), "channels": lanes(random), "lane": lane, "side": side(random), "level": level,
        "column_tile": column, "row_level": row_level, "row_tile": row, "row_tiles": rows, "request": random.extreme(32),
    })
}

fn export(random: &mut Random) -> Value {
    json!({
        "format": one(random, &["wav", "flac", "vorbis", "opus", "mp3"]),
        "bits": one(random, &["16", "24", "32", "f32"]),
        "dither": one(random, &["none", "tpdf", "shaped"]), "range": maybe(random, range),
        "rate": maybe(random, |random| json!(random.extreme(32))), "tail": flag(random),
        "loudness": maybe(random, |random| json!({ "lufs": number(random), "true_peak_db": number(random) })),
        "gain_db": if random.once_in(2) { json!(0.0) } else { number(random) },
    })
}

fn tags(random: &mut Random) -> Value {
    let cover = match random.below(3) {
        0 => json!({ "kind": "keep" }),
        1 => json!({ "kind": "remove" }),
        _ => json!({ "kind": "replace", "cover": random.below(40) }),
    };
    json!({ "items": { "TITLE": text(random), text(random).as_str().unwrap_or("X"): text(random) }, "cover": cover })
}

fn edit(random: &mut Random) -> Value {
    let effects = effect_views();
    let effect = random.pick(&effects);
    // Effects that read files belong to another target.
    let parameter = (!effect.parameters.is_empty()).then(|| random.pick(effect.parameters).name);
    let group = one(random, &["series", "parallel"]);
    match random.below(20) {
        0..=3 => json!({ "kind": "add_effect", "effect": effect.name, "after": maybe(random, node) }),
        4 => {
            json!({ "kind": "add_repair", "effect": *random.pick(&["spectral_gain", "spectral_heal", "spectral_isolate"]), "range": range(random), "band": maybe(random, band) })
        }
        5 => json!({ "kind": "group", "nodes": many(random, node), "group": group }),
        6 => json!({ "kind": "ungroup", "node": node(random) }),
        7 => json!({ "kind": "set_group", "node": node(random), "group": group }),
        8 => json!({ "kind": *random.pick(&["copy_rack", "swap_racks"]) }),
        9 => json!({ "kind": "remove", "node": node(random) }),
        10 => json!({ "kind": "move", "node": node(random), "parent": maybe(random, node), "index": number(random) }),
        11 => json!({ "kind": "duplicate", "node": node(random) }),
        12..=13 => {
            json!({ "kind": "set_argument", "node": node(random), "name": parameter, "value": number(random), "gesture": null })
        }
        14 => json!({ "kind": "set_bypass", "node": node(random), "bypass": flag(random) }),
        15 => json!({ "kind": "set_mix", "node": node(random), "mix": number(random), "gesture": 1 }),
        17 => json!({ "kind": "act_on_selection", "nodes": many(random, node) }),
        18 => {
            let span = json!({ "from_s": number(random), "to_s": number(random), "fade_s": number(random) });
            json!({ "kind": "set_span", "node": node(random), "span": span, "gesture": null })
        }
        16 => json!({ "kind": "set_label", "node": node(random), "label": maybe(random, text) }),
        _ => json!({ "kind": "set_chain_text", "text": text(random) }),
    }
}

fn list(random: &mut Random) -> Value {
    let column = |random: &mut Random| json!({ "column": *random.pick(&["name", "title", "tempo_bpm", "'"]), "descending": true });
    json!({ "text": text(random), "sort": many(random, column) })
}

fn track(random: &mut Random) -> Value {
    if random.once_in(2) { json!(1 + random.below(3)) } else { number(random) }
}

fn audition(random: &mut Random) -> Value {
    json!({ "track": track(random), "offset_s": number(random), "speed": number(random) })
}

/// A version of the comparison, mostly one that there may be.
fn version(random: &mut Random) -> Value {
    if random.once_in(8) { json!(random.extreme(32)) } else { json!(1 + random.below(4)) }
}

fn sound(random: &mut Random) -> Value {
    json!({ "kind": one(random, &["version", "difference"]), "version": version(random) })
}

fn rule(random: &mut Random) -> Value {
    if random.once_in(2) {
        return json!({ "kind": "fixed", "trials": random.extreme(32), "level": number(random) });
    }
    json!({ "kind": "sequential", "level": 0.05, "miss": number(random), "ability": 0.75, "most": random.below(600) })
}

fn passage(random: &mut Random) -> Value {
    json!({ "name": one(random, &["one", "", "\u{0}"]), "start_s": number(random), "end_s": number(random) })
}

/// A blind test: by chance none of those that there are.
fn session(random: &mut Random) -> Value {
    one(random, &["", "1-0", "../settings", "1764090000000-0"])
}

fn blind_wish(random: &mut Random) -> Value {
    let test = if random.once_in(2) {
        let passage = json!({ "name": "all", "start_s": 0.0, "end_s": 0.5 });
        let rule = json!({ "kind": "fixed", "trials": 8, "level": 0.05 });
        json!({ "kind": "abx", "a": version(random), "b": version(random), "passage": passage, "rule": rule })
    } else {
        json!({
            "kind": "ranking", "versions": many(random, version), "low_anchor": flag(random), "mid_anchor": flag(random),
            "passages": many(random, passage),
        })
    };
    json!({ "listener": text(random), "note": text(random), "test": test })
}

fn batch(random: &mut Random) -> Value {
    json!({
        "chain": { "kind": *random.pick(&["rack", "none"]) }, "export": export(random), "own_bits": flag(random),
        "template": text(random), "overwrite": flag(random), "resume": flag(random), "jobs": maybe(random, |r| json!(r.extreme(16))),
    })
}

fn codecs(random: &mut Random) -> Value {
    let codecs = if random.once_in(2) { json!("flac pcm:8") } else { text(random) };
    let measures = many(random, |r| one(r, &["snr", "stoi", "", "loveliness"]));
    json!({ "codecs": codecs, "measures": measures, "keeps_decoded": flag(random) })
}

/// Returns arguments for a command, mostly of the right shape.
fn arguments(name: &str, r: &mut Random) -> Value {
    match name {
        "startup"
        | "quit"
        | "open_dialog"
        | "recent"
        | "clear_recent"
        | "choose_cover"
        | "spectrogram_presets"
        | "stop"
        | "outputs"
        | "recording"
        | "inputs"
        | "arm_recording"
        | "disarm_recording"
        | "stop_recording"
        | "choose_recording_folder"
        | "left_recordings"
        | "stop_live"
        | "measure_round_trip"
        | "recording_offset"
        | "measure_recording_offset"
        | "devices"
        | "batch"
        | "add_batch_files"
        | "add_batch_folders"
        | "clear_batch"
        | "choose_batch_output"
        | "start_batch"
        | "pause_batch"
        | "resume_batch"
        | "cancel_batch"
        | "save_batch_report"
        | "comparison"
        | "add_compare_files"
        | "start_comparison"
        | "blind_tests"
        | "give_up_blind"
        | "leave_blind"
        | "cancel_comparison"
        | "codecs"
        | "codecs_add_files"
        | "codecs_add_folders"
        | "codecs_choose_output"
        | "codecs_start"
        | "codecs_cancel"
        | "codecs_show_report"
        | "models"
        | "stems_models"
        | "stems_queue"
        | "models_add_folders"
        | "jobs"
        | "presets"
        | "import_preset"
        | "library"
        | "add_library_folders"
        | "pause_scan"
        | "resume_scan"
        | "cancel_scan"
        | "library_problems"
        | "find_duplicates"
        | "duplicates"
        | "make_map"
        | "identified"
        | "reopen_closed"
        | "import_keys"
        | "stop_generating"
        | "settings" => json!({}),
        "export_keys" => json!({ "keys": keys(r) }),
        "generate_document" => json!({ "settings": signal(r) }),
        "insert_generated" => json!({ "document": document(r), "settings": signal(r) }),
        // Mostly refused before a real input is opened.
        "start_recording" => json!({ "append": if r.once_in(8) { document(r) } else { 99.into() } }),
        "record_onto" => {
            json!({ "document": if r.once_in(8) { document(r) } else { 99.into() }, "track": r.pick(&["front", "new", "sum"]) })
        }
        "set_recording_offset" => json!({ "samples": if r.once_in(2) { number(r) } else { json!(null) } }),
        "start_live" => json!({ "document": if r.once_in(8) { document(r) } else { 99.into() } }),
        "pause_recording" => json!({ "paused": flag(r) }),
        "set_live_muted" => json!({ "muted": flag(r) }),
        "recover_recording" | "forget_recording" => json!({ "id": text(r) }),
        "open_recent" => json!({ "id": number(r) }),
        "close_document" if !r.once_in(8) => json!({ "document": 99 }),
        "close_document" | "activate_document" | "undo" | "redo" | "chain_report" | "stop_loudness"
        | "stop_describing" | "retry_document" | "show_document_file" | "markers" | "import_markers"
        | "export_markers" => json!({ "document": document(r) }),
        "locate_source" => json!({ "document": document(r), "source": number(r) }),
        "save_project" => json!({ "document": document(r), "choose": flag(r) }),
        "set_rack" => json!({ "document": document(r), "rack": rack(r) }),
        "choose_argument" => json!({ "document": document(r), "node": node(r), "name": text(r), "folder": flag(r) }),
        "answer_files" => {
            json!({ "document": document(r), "files": many(r, |r| one(r, &["a.wav", "/dev/zero", ""])), "allow": flag(r) })
        }
        "edit" => json!({ "document": document(r), "edit": edit(r) }),
        "edit_markers" => json!({ "document": document(r), "edit": marker_edit(r) }),
        "edit_sound" | "render_sound" => json!({ "document": document(r), "edit": sound_edit(r) }),
        "edit_tracks" => {
            json!({ "document": document(r), "edit": track_edit(r), "gesture": maybe(r, |r| json!(r.below(3))) })
        }
        "choose_track" => json!({ "document": document(r), "choice": track_choice(r) }),
        "insert_file" | "snap_to_zero" | "import_tracks" | "export_stems" | "clips" => {
            json!({ "document": document(r) })
        }
        "drop_stems" => json!({ "task": number(r) }),
        "hear_stems" => {
            let stem = |r: &mut Random| one(r, &["voice", "hits", "residual", "kazoo", ""]);
            json!({ "task": number(r), "stems": many(r, stem), "from_frame": maybe(r, number) })
        }
        "stems_outlook" | "start_stems" => json!({ "source": stems_source(r), "wish": stems_wish(r) }),
        "zero_crossings" => json!({ "document": document(r), "frames": many(r, |r| json!(r.extreme(64))) }),
        "copy_sound" => json!({ "document": document(r), "cut": flag(r) }),
        "search_effects" => json!({ "words": text(r) }),
        "check_chain" => json!({ "text": text(r) }),
        "response" => json!({ "document": document(r), "points": number(r), "from_hz": number(r), "to_hz": number(r) }),
        "set_selection" => {
            json!({ "document": document(r), "selection": maybe(r, range), "band": maybe(r, band), "channels": maybe(r, |r| json!([r.below(3)])) })
        }
        "set_view" => {
            json!({
                "document": document(r), "view": { "start": number(r), "end": number(r) }, "cursor_frame": r.extreme(64),
                "level_zoom": number(r),
            })
        }
        "reorder_documents" => json!({ "documents": many(r, document) }),
        "levels" => json!({ "document": document(r), "side": side(r), "range": range(r) }),
        "region_levels" => {
            json!({ "document": document(r), "side": side(r), "range": range(r), "band": maybe(r, band) })
        }
        "describe" => json!({ "document": document(r), "side": side(r) }),
        "export_picture" => {
            let size = |r: &mut Random| if r.once_in(2) { r.below(600) } else { r.extreme(32) };
            json!({
                "document": document(r), "side": side(r), "analysis": analysis(r), "display": display(r), "width": size(r),
                "height": size(r), "axes": flag(r), "format": one(r, &["png", "npy"]),
            })
        }
        "spectrum_at" => json!({
            "document": document(r), "analysis": analysis(r), "channels": lanes(r), "lane": r.below(4), "side": side(r),
            "frame": r.extreme(64), "hz": number(r),
        }),
        "cancel_tiles" => json!({ "document": document(r), "requests": many(r, |r| json!(r.extreme(32))) }),
        "play" => {
            json!({ "document": document(r), "from_frame": r.extreme(64), "until_frame": maybe(r, |r| json!(r.extreme(64))) })
        }
        "seek" => json!({ "frame": r.extreme(64) }),
        "set_loop" => json!({ "looping": flag(r) }),
        "set_side" => json!({ "side": side(r) }),
        "set_matched" => json!({ "document": document(r), "matched": flag(r) }),
        "add_compare_documents" => json!({ "documents": many(r, document) }),
        "remove_compared" => json!({ "versions": many(r, version) }),
        "set_compare_reference" => json!({ "version": version(r) }),
        "compare_curves" => json!({ "measure": if r.once_in(2) { json!("l1") } else { text(r) } }),
        "compare_play" => json!({ "from_frame": r.extreme(64) }),
        "blind_odds" => json!({ "rule": rule(r) }),
        "begin_blind" => json!({ "wish": blind_wish(r) }),
        "resume_blind" | "remove_blind" => json!({ "session": text(r) }),
        "blind_play" => json!({ "from_frame": r.extreme(64) }),
        "blind_hear" => {
            let kind = one(r, &["a", "b", "x", "reference", "stimulus"]);
            json!({ "sound": { "kind": kind, "place": r.extreme(16) } })
        }
        "answer_blind" => {
            json!({ "said": if flag(r) == json!(true) { json!("x_is_a") } else { json!({ "scores": many(r, number) }) } })
        }
        "blind_report" => json!({ "sessions": many(r, session) }),
        "export_blind" => json!({ "sessions": many(r, session), "format": one(r, &["markdown", "csv", "json"]) }),
        "compare_hear" => json!({ "sound": sound(r) }),
        "match_compared" => json!({ "matched": flag(r) }),
        "set_difference_gain" => json!({ "db": number(r) }),
        "cancel_compare_tiles" => json!({ "requests": many(r, |r| json!(r.extreme(32))) }),
        "export_comparison" => json!({ "format": one(r, &["csv", "json", "markdown", "html"]) }),
        "compare_peaks" => {
            json!({ "sound": sound(r), "start": number(r), "end": number(r), "columns": number(r) })
        }
        "compare_samples" => json!({ "sound": sound(r), "start": r.extreme(64), "end": r.extreme(64) }),
        "compare_spectrogram" => json!({ "original": sound(r), "processed": sound(r), "tile": tile(r) }),
        "set_monitoring" | "watch_library" | "take_batch_drops" | "take_compare_drops" => json!({ "on": flag(r) }),
        "reset_monitor" => json!({ "part": one(r, &["peaks", "loudness"]) }),
        "choose_export" => json!({ "document": document(r), "settings": export(r) }),
        "export" => {
            json!({ "document": document(r), "target": r.below(40), "settings": export(r), "tags": maybe(r, tags) })
        }
        "export_plan" => json!({ "document": document(r), "settings": export(r), "tags": tags(r) }),
        "forecast_export" => json!({ "document": document(r), "settings": export(r) }),
        "export_forecast" | "show_exported" | "open_exported" => json!({ "job": r.below(5) }),
        "encoder_problem" => json!({ "format": one(r, &["wav", "flac", "vorbis", "opus", "mp3"]) }),
        "export_tags" => json!({ "document": document(r) }),
        "remove_batch_items" => json!({ "items": many(r, |r| json!(r.extreme(32))) }),
        "set_batch" => json!({ "settings": batch(r) }),
        "codecs_remove" => json!({ "recordings": many(r, |r| json!(r.below(5))) }),
        "codecs_cells" => json!({ "recording": r.below(5) }),
        "codecs_compare" => json!({ "recording": r.below(5), "codec": one(r, &["flac", "opus:32", ""]) }),
        "models_remove_folder" => json!({ "folder": r.below(3) }),
        "models_confirm_licence" => json!({ "kind": one(r, &["mimi", "dac_44khz", ""]), "confirmed": flag(r) }),
        "codecs_set" => json!({ "settings": codecs(r) }),
        "show_batch_file" => json!({ "item": r.below(5) }),
        "cancel_job" => json!({ "job": r.below(5) }),
        "save_preset" => {
            json!({ "document": document(r), "node": maybe(r, node), "name": text(r), "replace": flag(r) })
        }
        "delete_preset" | "export_preset" => json!({ "name": text(r) }),
        "remove_library_folder" => json!({ "folder": number(r) }),
        "scan_library" => json!({ "folders": many(r, number) }),
        "library_tracks" => json!({ "query": list(r), "offset": number(r), "limit": number(r) }),
        "library_position" => json!({ "query": list(r), "track": track(r) }),
        "library_numbers" | "export_tracks" => json!({ "query": list(r) }),
        "make_playlist" => json!({ "request": {
            "query": list(r), "tracks": maybe(r, |r| many(r, track)), "count": maybe(r, number), "mixed": flag(r),
            "choice": match r.below(3) {
                0 => json!({ "kind": "all" }),
                1 => json!({ "kind": "like", "track": track(r) }),
                _ => json!({ "kind": "between", "from": track(r), "to": track(r) }),
            },
        } }),
        "save_playlist" => {
            json!({ "tracks": many(r, track), "format": one(r, &["m3u8", "xspf", "pls"]), "relative": flag(r) })
        }
        "preview_tags" => json!({ "request": {
            "query": list(r), "tracks": maybe(r, |r| many(r, track)), "only_missing": flag(r),
            "fields": many(r, |r| one(r, &["key", "tempo", "loudness", "mood"])),
        } }),
        "write_tags" => json!({ "preview": r.below(9) }),
        "undo_tags" | "forget_tags" => json!({ "write": track(r) }),
        "tag_run" => {
            json!({ "outcome": maybe(r, |r| one(r, &["changes", "failed", "x"])), "offset": number(r), "limit": number(r) })
        }
        "library_rows" | "open_tracks" => json!({ "tracks": many(r, track) }),
        "complete_query" => json!({ "text": text(r), "cursor": number(r) }),
        "library_track" | "library_cover" | "show_track_file" => json!({ "track": lane_track(r) }),
        "retry_tracks" => json!({ "tracks": maybe(r, |r| many(r, track)) }),
        "similar_tracks" => json!({
            "like": if r.once_in(2) { json!({ "kind": "track", "track": track(r) }) } else { json!({ "kind": "document", "document": document(r) }) },
            "weights": { "tempo_bpm": number(r) }, "count": number(r),
        }),
        "decide_duplicates" => {
            json!({ "first": track(r), "second": track(r), "decision": maybe(r, |r| one(r, &["same", "different", "keep_both"])) })
        }
        // None of a second or more, because it would really record.
        "identify_clip" => json!({ "clip": match r.below(3) {
            0 => json!({ "kind": "file" }),
            1 => json!({ "kind": "document", "document": document(r), "range": maybe(r, range) }),
            _ => json!({ "kind": "microphone", "seconds": *r.pick(&[0.0, -1.0, 1e300, 61.0, f64::MIN_POSITIVE]) }),
        } }),
        // Ids that no track has, so that the real bin is never used by a test.
        "bin_tracks" | "restore_tracks" => json!({ "tracks": many(r, |r| json!(1_000_000 + r.below(1000))) }),
        "audition" => json!({ "a": audition(r), "b": maybe(r, audition), "from_s": number(r), "side": maybe(r, side) }),
        "set_settings" => {
            json!({ "settings": { "cache_mib": r.extreme(32), "stems": { "cache_mib": r.extreme(32) }, "export": export(r) } })
        }
        "peaks" => {
            json!({ "document": document(r), "side": side(r), "start": number(r), "end": number(r), "columns": number(r) })
        }
        "track_peaks" => json!({
            "document": document(r), "track": lane_track(r), "start": number(r), "end": number(r), "columns": number(r),
        }),
        "samples" => json!({ "document": document(r), "side": side(r), "start": r.extreme(64), "end": r.extreme(64) }),
        "spectrogram" => json!({ "document": document(r), "tile": tile(r) }),
        "monitor" => json!({ "query": {
            "window": window(r), "window_frames": if r.once_in(2) { 2048 } else { r.extreme(32) },
            "averaging": one(r, &["off", "fast", "slow"]), "hold": one(r, &["off", "decay", "until_reset"]),
            "channels": lanes(r), "slope": one(r, &["flat", "db3", "db4_5"]), "pair": r.extreme(32), "from_hz": number(r),
            "to_hz": number(r), "points": r.extreme(32),
        } }),
        "loudness" => {
            json!({ "document": document(r), "query": { "side": side(r), "generation": r.extreme(32), "from": r.extreme(32) } })
        }
        "library_map" => json!({ "whole": flag(r) }),
        "give_library_password" => json!({ "password": text(r), "remember": flag(r) }),
        "choose_library_place" => json!({ "folder": text(r) }),
        "forget_library_password"
        | "playlist"
        | "tag_writes"
        | "verification"
        | "save_verification"
        | "copied_sound" => json!({}),
        _ => panic!("no arguments are known for {name}"),
    }
}

/// Replaces some value within `value`.
fn spoil(value: &mut Value, random: &mut Random) {
    let deeper = random.below(4) > 0;
    match value {
        Value::Object(fields) if deeper && !fields.is_empty() => {
            let at = random.below(fields.len() as u64) as usize;
            if let Some(field) = fields.values_mut().nth(at) {
                spoil(field, random);
            }
        }
        Value::Array(items) if deeper && !items.is_empty() => {
            let at = random.below(items.len() as u64) as usize;
            spoil(&mut items[at], random);
        }
        _ => {
            *value = match random.below(7) {
                0 => Value::Null,
                1 => flag(random),
                2 => text(random),
                3 => json!([]),
                4 => json!({}),
                _ => number(random),
            };
        }
    }
}

fn names() -> Vec<&'static str> {
    let named = App::command_names().iter().copied().filter(|name| !LEFT_OUT.contains(name));
    named.chain(BYTES).collect()
}

/// Returns one command per line: its name, a space, its arguments.
fn script(random: &mut Random) -> Vec<u8> {
    let names = names();
    let mut lines = String::new();
    for _ in 0..CALLS {
        // Half of all commands are those that process audio.
        let frequent =
            ["edit", "edit", "play", "spectrogram", "peaks", "samples", "set_selection", "response", "export"];
        let name = if random.once_in(3) { *random.pick(&frequent) } else { *random.pick(&names) };
        let mut args = arguments(name, random);
        if random.once_in(6) {
            spoil(&mut args, random);
        }
        let _ = writeln!(lines, "{name} {args}");
    }
    lines.into_bytes()
}

fn field<T: DeserializeOwned>(args: &Value, name: &str) -> Result<T> {
    let value = args.get(name).cloned().unwrap_or_default();
    let shown: String = value.to_string().chars().take(80).collect();
    serde_json::from_value(value).map_err(|error| Error::invalid(name, shown, error.to_string()))
}

/// Decodes the arguments as tauri does.
fn call(app: &App, name: &str, args: Value) -> Result<()> {
    if !BYTES.contains(&name) {
        return app.call(name, args).map(drop);
    }
    if name == "monitor" {
        return app.monitor(field(&args, "query")?).map(drop);
    }
    match name {
        "compare_peaks" => {
            let (start, end) = (field(&args, "start")?, field(&args, "end")?);
            return app.compare_peaks(field(&args, "sound")?, start, end, field(&args, "columns")?).map(drop);
        }
        "compare_samples" => {
            let (start, end) = (field(&args, "start")?, field(&args, "end")?);
            return app.compare_samples(field(&args, "sound")?, start, end).map(drop);
        }
        "compare_spectrogram" => {
            let tile = field(&args, "tile")?;
            let (original, processed) = (field(&args, "original")?, field(&args, "processed")?);
            return app.compare_spectrogram(original, processed, tile).map(drop);
        }
        _ => {}
    }
    if name == "library_map" {
        return app.library_map(field(&args, "whole")?).map(drop);
    }
    let document: DocumentId = field(&args, "document")?;
    let bytes = match name {
        "peaks" => app.peaks(
            document,
            field(&args, "side")?,
            field(&args, "start")?,
            field(&args, "end")?,
            field(&args, "columns")?,
        ),
        "track_peaks" => app.track_peaks(
            document,
            field(&args, "track")?,
            field(&args, "start")?,
            field(&args, "end")?,
            field(&args, "columns")?,
        ),
        "samples" => app.samples(document, field(&args, "side")?, field(&args, "start")?, field(&args, "end")?),
        "spectrogram" => app.spectrogram(document, field(&args, "tile")?),
        _ => app.loudness(document, field(&args, "query")?),
    };
    bytes.map(drop)
}

/// Runs the script in an app with two documents and a folder of recordings.
fn exercise(path: &Path, random: &mut Random) {
    let folder = tempfile::tempdir().unwrap();
    for (name, frames) in [("a.wav", 30_000), ("b.wav", 500), ("noise.wav", 0)] {
        let bytes = Wav::plain(16, 2).bytes(frames, |channel, frame| ((frame * (3 + channel)) % 97) as f64 / 100.0);
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    for name in ["music", "saved"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    std::fs::copy(folder.path().join("b.wav"), folder.path().join("music/b.wav")).unwrap();
    let desk = Desk { folder: folder.path().to_path_buf(), random: Mutex::new(random.clone()) };
    let directories = Directories::at(folder.path().join("config"), folder.path().join("data")).unwrap();
    let app = App::new(Arc::new(desk), directories).unwrap();
    let open = OPEN.map(|name| folder.path().join(name));
    let originals = open.each_ref().map(|path| std::fs::read(path).unwrap());
    app.open_and_tell(&open);
    let mut closed = false;
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let (name, args) = line.split_once(' ').unwrap();
        let begun = Instant::now();
        let outcome = call(&app, name, serde_json::from_str(args).unwrap());
        let shown: String = args.chars().take(300).collect();
        assert!(begun.elapsed() < LONGEST, "{name} took {:?}: {shown}", begun.elapsed());
        assert!(!matches!(outcome, Err(Error::Internal(_))), "{name} {shown}: {outcome:?}");
        closed |= name == "close_document" && outcome.is_ok();
    }
    app.shut_down();
    // After a document is closed, its recording is a normal file that the user may replace.
    if !closed {
        for (path, original) in open.iter().zip(originals) {
            assert!(std::fs::read(path).unwrap() == original, "{} was changed", path.display());
        }
    }
}

#[test]
fn commands_at_their_extremes() {
    let limits = Limits { bytes: 512 << 20, time: Duration::from_secs(90) };
    run("ipc", limits, script, exercise);
}

/// Most commands of most scripts must be valid, or the rest is not reached.
#[test]
fn arguments_have_the_shape_that_commands_take() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let directories = Directories::at(folder.path().join("config"), folder.path().join("data")).unwrap();
    let desk = Desk { folder: folder.path().to_path_buf(), random: Mutex::new(Random::new(1)) };
    let app = App::new(Arc::new(desk), directories).unwrap();
    let mut random = Random::new(7);
    let mut not_understood = Vec::new();
    for name in names() {
        if BYTES.contains(&name) {
            continue;
        }
        let refused = |args: Value| app.call(name, args).err().map(|error| error.to_string());
        let whys: Vec<Option<String>> = (0..16).map(|_| refused(arguments(name, &mut random))).collect();
        let is_shape = |why: &Option<String>| why.as_ref().is_some_and(|why| why.starts_with("Arguments of"));
        if whys.iter().all(is_shape) {
            not_understood.push(format!("{name}: {:?}", whys[0]));
        }
    }
    assert!(not_understood.is_empty(), "{not_understood:#?}");
    app.shut_down();
}
