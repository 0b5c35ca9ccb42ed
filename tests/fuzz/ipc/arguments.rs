//! The arguments of each command, mostly of the right shape.

use serde_json::{Value, json};

use super::super::harness::Random;
use super::values::{
    analysis, audition, band, batch, blind_wish, codecs, display, document, edit, export, flag, keys, lane_track,
    lanes, list, many, marker_edit, maybe, node, number, one, rack, range, rule, session, side, signal, sound,
    sound_edit, stems_source, stems_wish, tags, text, tile, track, track_choice, track_edit, version, window,
};

/// Returns arguments for a command, mostly of the right shape.
pub(super) fn arguments(name: &str, r: &mut Random) -> Value {
    match name {
        "workspace.startup"
        | "workspace.quit"
        | "workspace.open_dialog"
        | "workspace.recent"
        | "workspace.clear_recent"
        | "editor.choose_cover"
        | "editor.spectrogram_presets"
        | "playback.stop"
        | "playback.outputs"
        | "recording.view"
        | "recording.inputs"
        | "recording.arm"
        | "recording.disarm"
        | "recording.stop"
        | "recording.choose_folder"
        | "recording.left"
        | "recording.stop_live"
        | "recording.measure_round_trip"
        | "recording.offset"
        | "recording.measure_offset"
        | "devices.view"
        | "batch.view"
        | "batch.add_files"
        | "batch.add_folders"
        | "batch.clear"
        | "batch.choose_output"
        | "batch.start"
        | "batch.pause"
        | "batch.resume"
        | "batch.cancel"
        | "batch.save_report"
        | "compare.view"
        | "compare.add_files"
        | "compare.start"
        | "blind.view"
        | "blind.give_up"
        | "blind.leave"
        | "compare.cancel"
        | "codecs.view"
        | "codecs.add_files"
        | "codecs.add_folders"
        | "codecs.choose_output"
        | "codecs.start"
        | "codecs.cancel"
        | "codecs.show_report"
        | "models.view"
        | "stems.models"
        | "stems.view"
        | "models.add_folders"
        | "jobs.view"
        | "editor.presets"
        | "editor.import_preset"
        | "library.view"
        | "library.add_folders"
        | "library.pause_scan"
        | "library.resume_scan"
        | "library.cancel_scan"
        | "library.problems"
        | "library.find_duplicates"
        | "library.duplicates"
        | "library.make_map"
        | "library.identified"
        | "workspace.reopen_closed"
        | "settings.import_keys"
        | "editor.cancel_generating"
        | "settings.view" => json!({}),
        "settings.export_keys" => json!({ "keys": keys(r) }),
        "editor.generate" => json!({ "settings": signal(r) }),
        "editor.insert_generated" => json!({ "document": document(r), "settings": signal(r) }),
        // Mostly refused before a real input is opened.
        "recording.start" => json!({ "append": if r.once_in(8) { document(r) } else { 99.into() } }),
        "recording.start_onto" => {
            json!({ "document": if r.once_in(8) { document(r) } else { 99.into() }, "track": r.pick(&["front", "new", "sum"]) })
        }
        "recording.set_offset" => json!({ "samples": if r.once_in(2) { number(r) } else { json!(null) } }),
        "recording.start_live" => json!({ "document": if r.once_in(8) { document(r) } else { 99.into() } }),
        "recording.set_paused" => json!({ "paused": flag(r) }),
        "recording.set_live_muted" => json!({ "muted": flag(r) }),
        "recording.recover" | "recording.forget" => json!({ "id": text(r) }),
        "workspace.open_recent" => json!({ "id": number(r) }),
        "workspace.close_document" if !r.once_in(8) => json!({ "document": 99 }),
        "workspace.close_document"
        | "workspace.activate_document"
        | "editor.undo"
        | "editor.redo"
        | "editor.chain_report"
        | "editor.cancel_loudness"
        | "editor.cancel_describing"
        | "workspace.retry_document"
        | "workspace.show_file"
        | "editor.markers"
        | "editor.import_markers"
        | "editor.export_markers" => json!({ "document": document(r) }),
        "workspace.locate_source" => json!({ "document": document(r), "source": number(r) }),
        "workspace.save_project" => json!({ "document": document(r), "choose": flag(r) }),
        "editor.set_rack" => json!({ "document": document(r), "rack": rack(r) }),
        "editor.choose_argument" => {
            json!({ "document": document(r), "node": node(r), "name": text(r), "folder": flag(r) })
        }
        "workspace.answer_files" => {
            json!({ "document": document(r), "files": many(r, |r| one(r, &["a.wav", "/dev/zero", ""])), "allow": flag(r) })
        }
        "editor.edit" => json!({ "document": document(r), "edit": edit(r) }),
        "editor.edit_markers" => json!({ "document": document(r), "edit": marker_edit(r) }),
        "editor.edit_sound" | "editor.render_sound" => json!({ "document": document(r), "edit": sound_edit(r) }),
        "editor.edit_tracks" => {
            json!({ "document": document(r), "edit": track_edit(r), "gesture": maybe(r, |r| json!(r.below(3))) })
        }
        "editor.choose_track" => json!({ "document": document(r), "choice": track_choice(r) }),
        "editor.insert_file"
        | "editor.snap_to_zero"
        | "editor.import_tracks"
        | "editor.export_stems"
        | "editor.clips" => {
            json!({ "document": document(r) })
        }
        "stems.remove" => json!({ "task": number(r) }),
        "stems.hear" => {
            let stem = |r: &mut Random| one(r, &["voice", "hits", "residual", "kazoo", ""]);
            json!({ "task": number(r), "stems": many(r, stem), "from_frame": maybe(r, number) })
        }
        "stems.outlook" | "stems.start" => json!({ "source": stems_source(r), "wish": stems_wish(r) }),
        "editor.zero_crossings" => json!({ "document": document(r), "frames": many(r, |r| json!(r.extreme(64))) }),
        "editor.copy_sound" => json!({ "document": document(r), "cut": flag(r) }),
        "editor.search_effects" => json!({ "words": text(r) }),
        "editor.check_chain" => json!({ "text": text(r) }),
        "editor.response" => {
            json!({ "document": document(r), "points": number(r), "from_hz": number(r), "to_hz": number(r) })
        }
        "editor.set_selection" => {
            json!({ "document": document(r), "selection": maybe(r, range), "band": maybe(r, band), "channels": maybe(r, |r| json!([r.below(3)])) })
        }
        "editor.set_view" => {
            json!({
                "document": document(r), "view": { "start": number(r), "end": number(r) }, "cursor_frame": r.extreme(64),
                "level_zoom": number(r),
            })
        }
        "workspace.reorder_documents" => json!({ "documents": many(r, document) }),
        "editor.levels" => json!({ "document": document(r), "side": side(r), "range": range(r) }),
        "editor.region_levels" => {
            json!({ "document": document(r), "side": side(r), "range": range(r), "band": maybe(r, band) })
        }
        "editor.describe" => json!({ "document": document(r), "side": side(r) }),
        "editor.export_picture" => {
            let size = |r: &mut Random| if r.once_in(2) { r.below(600) } else { r.extreme(32) };
            json!({
                "document": document(r), "side": side(r), "analysis": analysis(r), "display": display(r), "width": size(r),
                "height": size(r), "axes": flag(r), "format": one(r, &["png", "npy"]),
            })
        }
        "editor.spectrum_at" => json!({
            "document": document(r), "analysis": analysis(r), "channels": lanes(r), "lane": r.below(4), "side": side(r),
            "frame": r.extreme(64), "hz": number(r),
        }),
        "editor.cancel_tiles" => json!({ "document": document(r), "requests": many(r, |r| json!(r.extreme(32))) }),
        "playback.play" => {
            json!({ "document": document(r), "from_frame": r.extreme(64), "until_frame": maybe(r, |r| json!(r.extreme(64))) })
        }
        "playback.seek" => json!({ "frame": r.extreme(64) }),
        "playback.set_loop" => json!({ "looping": flag(r) }),
        "playback.set_side" => json!({ "side": side(r) }),
        "playback.set_matched" => json!({ "document": document(r), "matched": flag(r) }),
        "compare.add_documents" => json!({ "documents": many(r, document) }),
        "compare.remove" => json!({ "versions": many(r, version) }),
        "compare.measure_at_equal_level" => json!({ "on": flag(r) }),
        "compare.set_reference" => json!({ "version": version(r) }),
        "compare.curves" => json!({ "measure": if r.once_in(2) { json!("l1") } else { text(r) } }),
        "compare.play" => json!({ "from_frame": r.extreme(64) }),
        "blind.odds" => json!({ "rule": rule(r) }),
        "blind.start" => blind_wish(r),
        "blind.resume" | "blind.remove" => json!({ "session": text(r) }),
        "blind.play" => json!({ "from_frame": r.extreme(64) }),
        "blind.hear" => {
            let kind = one(r, &["a", "b", "x", "reference", "stimulus"]);
            json!({ "sound": { "kind": kind, "place": r.extreme(16) } })
        }
        "blind.answer" => {
            json!({ "said": if flag(r) == json!(true) { json!("x_is_a") } else { json!({ "scores": many(r, number) }) } })
        }
        "blind.report" => json!({ "sessions": many(r, session) }),
        "blind.export" => json!({ "sessions": many(r, session), "format": one(r, &["markdown", "csv", "json"]) }),
        "compare.hear" => json!({ "sound": sound(r) }),
        "compare.set_matched" => json!({ "matched": flag(r) }),
        "compare.set_difference_gain" => json!({ "db": number(r) }),
        "compare.cancel_tiles" => json!({ "requests": many(r, |r| json!(r.extreme(32))) }),
        "compare.export" => json!({ "format": one(r, &["csv", "json", "markdown", "html"]) }),
        "compare_peaks" => {
            json!({ "sound": sound(r), "start": number(r), "end": number(r), "columns": number(r) })
        }
        "compare_samples" => json!({ "sound": sound(r), "start": r.extreme(64), "end": r.extreme(64) }),
        "compare_spectrogram" => json!({ "original": sound(r), "processed": sound(r), "tile": tile(r) }),
        "editor.set_monitoring" | "library.watch" | "batch.take_drops" | "compare.take_drops" => {
            json!({ "on": flag(r) })
        }
        "editor.reset_monitor" => json!({ "part": one(r, &["peaks", "loudness"]) }),
        "editor.choose_export" => json!({ "document": document(r), "settings": export(r) }),
        "editor.export" => {
            json!({ "document": document(r), "target": r.below(40), "settings": export(r), "tags": maybe(r, tags) })
        }
        "editor.export_plan" => json!({ "document": document(r), "settings": export(r), "tags": tags(r) }),
        "editor.forecast_export" => json!({ "document": document(r), "settings": export(r) }),
        "editor.export_forecast" | "editor.show_exported" | "editor.open_exported" => json!({ "job": r.below(5) }),
        "editor.encoder_problem" => json!({ "format": one(r, &["wav", "flac", "vorbis", "opus", "mp3"]) }),
        "editor.export_tags" => json!({ "document": document(r) }),
        "batch.remove" => json!({ "items": many(r, |r| json!(r.extreme(32))) }),
        "batch.set" => json!({ "settings": batch(r) }),
        "codecs.remove" => json!({ "recordings": many(r, |r| json!(r.below(5))) }),
        "codecs.cells" => json!({ "recording": r.below(5) }),
        "codecs.compare" => json!({ "recording": r.below(5), "codec": one(r, &["flac", "opus:32", ""]) }),
        "models.remove_folder" => json!({ "folder": r.below(3) }),
        "models.confirm_licence" => json!({ "kind": one(r, &["mimi", "dac_44khz", ""]), "confirmed": flag(r) }),
        "codecs.set" => json!({ "settings": codecs(r) }),
        "batch.show_file" => json!({ "item": r.below(5) }),
        "jobs.cancel" => json!({ "job": r.below(5) }),
        "editor.save_preset" => {
            json!({ "document": document(r), "node": maybe(r, node), "name": text(r), "replace": flag(r) })
        }
        "editor.delete_preset" | "editor.export_preset" => json!({ "name": text(r) }),
        "library.remove_folder" => json!({ "folder": number(r) }),
        "library.scan" => json!({ "folders": many(r, number) }),
        "library.tracks" => json!({ "query": list(r), "offset": number(r), "limit": number(r) }),
        "library.position" => json!({ "query": list(r), "track": track(r) }),
        "library.numbers" | "library.export" => json!({ "query": list(r) }),
        "library.make_playlist" => json!({
            "query": list(r), "tracks": maybe(r, |r| many(r, track)), "count": maybe(r, number), "mixed": flag(r),
            "choice": match r.below(3) {
                0 => json!({ "kind": "all" }),
                1 => json!({ "kind": "like", "track": track(r) }),
                _ => json!({ "kind": "between", "from": track(r), "to": track(r) }),
            },
        }),
        "library.save_playlist" => {
            json!({ "tracks": many(r, track), "format": one(r, &["m3u8", "xspf", "pls"]), "relative": flag(r) })
        }
        "library.preview_tags" => json!({
            "query": list(r), "tracks": maybe(r, |r| many(r, track)), "only_missing": flag(r),
            "fields": many(r, |r| one(r, &["key", "tempo", "loudness", "mood"])),
        }),
        "library.write_tags" => json!({ "preview": r.below(9) }),
        "library.undo_tags" | "library.forget_tags" => json!({ "write": track(r) }),
        "library.tag_run" => {
            json!({ "outcome": maybe(r, |r| one(r, &["changes", "failed", "x"])), "offset": number(r), "limit": number(r) })
        }
        "library.rows" | "library.open" => json!({ "tracks": many(r, track) }),
        "library.complete_query" => json!({ "text": text(r), "cursor": number(r) }),
        "library.track" | "library.cover" | "library.show_file" => json!({ "track": lane_track(r) }),
        "library.retry" => json!({ "tracks": maybe(r, |r| many(r, track)) }),
        "library.similar" => json!({
            "like": if r.once_in(2) { json!({ "kind": "track", "track": track(r) }) } else { json!({ "kind": "document", "document": document(r) }) },
            "weights": { "tempo_bpm": number(r) }, "count": number(r),
        }),
        "library.decide_duplicates" => {
            json!({ "first": track(r), "second": track(r), "decision": maybe(r, |r| one(r, &["same", "different", "keep_both"])) })
        }
        // None of a second or more, because it would really record.
        "library.identify" => json!({ "clip": match r.below(3) {
            0 => json!({ "kind": "file" }),
            1 => json!({ "kind": "document", "document": document(r), "range": maybe(r, range) }),
            _ => json!({ "kind": "microphone", "seconds": *r.pick(&[0.0, -1.0, 1e300, 61.0, f64::MIN_POSITIVE]) }),
        } }),
        // Ids that no track has, so that the real bin is never used by a test.
        "library.bin" | "library.restore" => json!({ "tracks": many(r, |r| json!(1_000_000 + r.below(1000))) }),
        "library.audition" => {
            json!({ "a": audition(r), "b": maybe(r, audition), "from_s": number(r), "side": maybe(r, side) })
        }
        "settings.set" => {
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
            json!({ "document": document(r), "side": side(r), "generation": r.extreme(32), "from": r.extreme(32) })
        }
        "library_map" => json!({ "whole": flag(r) }),
        "library.give_password" => json!({ "password": text(r), "remember": flag(r) }),
        "library.choose_place" => json!({ "folder": text(r) }),
        "library.forget_password"
        | "library.playlist"
        | "library.tag_writes"
        | "devices.verification"
        | "devices.save_verification"
        | "editor.copied_sound" => json!({}),
        _ => panic!("no arguments are known for {name}"),
    }
}
