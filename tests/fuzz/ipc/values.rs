//! Values of every kind that commands take: valid, invalid and extreme ones.

use serde_json::{Value, json};

use super::super::harness::Random;
use super::LONG_TEXT;
use undertone::work::effects::views;

/// Returns a number of any size.
pub(super) fn number(random: &mut Random) -> Value {
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

pub(super) fn text(random: &mut Random) -> Value {
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
pub(super) fn one(random: &mut Random, values: &[&str]) -> Value {
    json!(*random.pick(values))
}

pub(super) fn maybe(random: &mut Random, value: impl FnOnce(&mut Random) -> Value) -> Value {
    if random.once_in(3) { Value::Null } else { value(random) }
}

pub(super) fn many(random: &mut Random, value: impl Fn(&mut Random) -> Value) -> Value {
    let count = if random.once_in(20) { 100_000 } else { random.below(5) };
    (0..count).map(|_| value(random)).collect()
}

pub(super) fn document(random: &mut Random) -> Value {
    if random.once_in(12) { number(random) } else { json!(1 + random.below(2)) }
}

pub(super) fn node(random: &mut Random) -> Value {
    if random.once_in(8) { number(random) } else { json!(random.below(12)) }
}

pub(super) fn flag(random: &mut Random) -> Value {
    json!(random.once_in(2))
}

pub(super) fn lane_track(r: &mut Random) -> Value {
    if r.once_in(8) { json!(r.extreme(32)) } else { json!(1 + r.below(4)) }
}

pub(super) fn track_choice(r: &mut Random) -> Value {
    if r.once_in(3) { json!("sum") } else { json!({ "track": lane_track(r) }) }
}

fn stem(r: &mut Random) -> Value {
    json!(*r.pick(&["voice", "accompaniment", "tones", "hits", "centre", "sides", "drums", "residual", "kazoo"]))
}

pub(super) fn stems_source(r: &mut Random) -> Value {
    if r.once_in(3) {
        return json!({ "kind": "tracks", "tracks": many(r, |r| json!(r.extreme(63))) });
    }
    let track = if r.once_in(2) { Value::Null } else { json!(lane_track(r)) };
    json!({ "kind": "document", "document": document(r), "track": track })
}

pub(super) fn stems_wish(r: &mut Random) -> Value {
    let model = if r.once_in(4) { text(r) } else { json!("quick") };
    let quality = if r.once_in(4) { text(r) } else { Value::Null };
    json!({ "model": model, "stems": many(r, stem), "residual": r.pick(&["left_out", "own", "spread", "kept"]), "quality": quality })
}

pub(super) fn track_edit(r: &mut Random) -> Value {
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

pub(super) fn sound_edit(random: &mut Random) -> Value {
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

pub(super) fn keys(random: &mut Random) -> Value {
    let key = |random: &mut Random| one(random, &["Ctrl+Z", "F5", "Hyper+Q", "", "+", "ctrl+alt+\u{1f3b5}"]);
    let mut commands = serde_json::Map::new();
    for _ in 0..random.below(4) {
        let name = if random.once_in(2) { json!("undo") } else { text(random) };
        commands.insert(name.as_str().unwrap_or_default().to_owned(), many(random, key));
    }
    json!({ "version": random.extreme(32), "commands": commands })
}

/// Returns a signal that is short, or too long to be generated.
pub(super) fn signal(random: &mut Random) -> Value {
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

pub(super) fn marker_edit(random: &mut Random) -> Value {
    let id = random.below(9);
    let end = maybe(random, |random| json!(random.extreme(64)));
    match random.below(4) {
        0 => json!({ "kind": "add", "start_frame": random.below(50_000), "end_frame": end, "name": text(random) }),
        1 => json!({ "kind": "rename", "id": id, "name": text(random) }),
        2 => json!({ "kind": "place", "id": id, "start_frame": random.extreme(64), "end_frame": end }),
        _ => json!({ "kind": "delete", "ids": many(random, |random| json!(random.extreme(32))) }),
    }
}

pub(super) fn range(random: &mut Random) -> Value {
    if random.once_in(2) {
        let start = random.below(20_000);
        return json!({ "start": start, "end": start + random.below(20_000) });
    }
    json!({ "start": random.extreme(64), "end": random.extreme(64) })
}

pub(super) fn band(random: &mut Random) -> Value {
    json!({ "low_hz": number(random), "high_hz": number(random) })
}

pub(super) fn side(random: &mut Random) -> Value {
    one(random, &["original", "processed"])
}

pub(super) fn rack(random: &mut Random) -> Value {
    one(random, &["a", "b", "A", "B"])
}

pub(super) fn lanes(random: &mut Random) -> Value {
    one(random, &["each", "mix", "mid_side"])
}

pub(super) fn window(random: &mut Random) -> Value {
    one(random, &["hann", "kaiser", "gaussian", "flattop", "rectangular", "parzen"])
}

pub(super) fn analysis(random: &mut Random) -> Value {
    let frames = if random.once_in(4) { random.extreme(32) } else { 1 << random.below(18) };
    let padding = if random.once_in(4) { random.extreme(32) } else { 1 << random.below(5) };
    let bins = if random.once_in(4) { random.extreme(32) } else { 12 * random.below(9) };
    json!({
        "method": one(random, &["fourier", "multi_resolution", "reassigned", "constant_q"]),
        "bins_per_octave": bins, "window": window(random), "window_frames": frames, "padding": padding,
        "scale": one(random, &["linear", "log", "mel", "bark", "erb"]),
    })
}

pub(super) fn display(random: &mut Random) -> Value {
    json!({
        "colours": one(random, &["viridis", "grey", "undertone"]), "gain_db": number(random), "range_db": number(random),
        "blend": number(random), "channels": lanes(random), "compare": one(random, &["off", "wipe", "difference"]),
        "time_ruler": one(random, &["time", "samples", "beats"]), "frequency_ruler": one(random, &["hz", "notes"]),
        "bpm": number(random), "beats_per_bar": random.extreme(32),
    })
}

pub(super) fn tile(random: &mut Random) -> Value {
    let near = !random.once_in(3);
    let mut at = |bits: u32, end: u64| if near { random.below(end) } else { random.extreme(bits) };
    let (lane, level, column, row_level, row, rows) =
        (at(32, 3), at(32, 12), at(64, 4), at(32, 4), at(32, 4), at(32, 5));
    json!({
        "analysis": analysis(random), "channels": lanes(random), "lane": lane, "side": side(random), "level": level,
        "column_tile": column, "row_level": row_level, "row_tile": row, "row_tiles": rows, "request": random.extreme(32),
    })
}

pub(super) fn export(random: &mut Random) -> Value {
    json!({
        "format": one(random, &["wav", "flac", "vorbis", "opus", "mp3"]),
        "bits": one(random, &["16", "24", "32", "f32"]),
        "dither": one(random, &["none", "tpdf", "shaped"]), "range": maybe(random, range),
        "rate": maybe(random, |random| json!(random.extreme(32))), "tail": flag(random),
        "loudness": maybe(random, |random| json!({ "lufs": number(random), "true_peak_db": number(random) })),
        "gain_db": if random.once_in(2) { json!(0.0) } else { number(random) },
    })
}

pub(super) fn tags(random: &mut Random) -> Value {
    let cover = match random.below(3) {
        0 => json!({ "kind": "keep" }),
        1 => json!({ "kind": "remove" }),
        _ => json!({ "kind": "replace", "cover": random.below(40) }),
    };
    json!({ "items": { "TITLE": text(random), text(random).as_str().unwrap_or("X"): text(random) }, "cover": cover })
}

pub(super) fn edit(random: &mut Random) -> Value {
    let effects = views();
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

pub(super) fn list(random: &mut Random) -> Value {
    let column = |random: &mut Random| json!({ "column": *random.pick(&["name", "title", "tempo_bpm", "'"]), "descending": true });
    json!({ "text": text(random), "sort": many(random, column) })
}

pub(super) fn track(random: &mut Random) -> Value {
    if random.once_in(2) { json!(1 + random.below(3)) } else { number(random) }
}

pub(super) fn audition(random: &mut Random) -> Value {
    json!({ "track": track(random), "offset_s": number(random), "speed": number(random) })
}

/// A version of the comparison, mostly one that there may be.
pub(super) fn version(random: &mut Random) -> Value {
    if random.once_in(8) { json!(random.extreme(32)) } else { json!(1 + random.below(4)) }
}

pub(super) fn sound(random: &mut Random) -> Value {
    json!({ "kind": one(random, &["version", "difference"]), "version": version(random) })
}

pub(super) fn rule(random: &mut Random) -> Value {
    if random.once_in(2) {
        return json!({ "kind": "fixed", "trials": random.extreme(32), "level": number(random) });
    }
    json!({ "kind": "sequential", "level": 0.05, "miss": number(random), "ability": 0.75, "most": random.below(600) })
}

fn passage(random: &mut Random) -> Value {
    json!({ "name": one(random, &["one", "", "\u{0}"]), "start_s": number(random), "end_s": number(random) })
}

/// The handle of a blind test, which may not exist.
pub(super) fn session(random: &mut Random) -> Value {
    one(random, &["", "1-0", "../settings", "1764090000000-0"])
}

pub(super) fn blind_wish(random: &mut Random) -> Value {
    let test = if random.once_in(2) {
        let passage = json!({ "name": "all", "start_s": 0.0, "end_s": 0.5 });
        let rule = json!({ "kind": "fixed", "trials": 8, "level": 0.05 });
        json!({ "kind": "abx", "a": random.extreme(4), "b": random.extreme(4), "passage": passage, "rule": rule })
    } else {
        json!({
            "kind": "ranking", "low_anchor": flag(random), "mid_anchor": flag(random),
            "passages": many(random, passage),
        })
    };
    json!({ "listener": text(random), "note": text(random), "versions": many(random, version), "test": test })
}

pub(super) fn batch(random: &mut Random) -> Value {
    json!({
        "chain": { "kind": *random.pick(&["rack", "none"]) }, "export": export(random), "own_bits": flag(random),
        "template": text(random), "overwrite": flag(random), "resume": flag(random), "jobs": maybe(random, |r| json!(r.extreme(16))),
    })
}

pub(super) fn codecs(random: &mut Random) -> Value {
    let codecs = if random.once_in(2) { json!("flac pcm:8") } else { text(random) };
    let measures = many(random, |r| one(r, &["snr", "stoi", "", "loveliness"]));
    json!({ "codecs": codecs, "measures": measures, "keeps_decoded": flag(random) })
}
