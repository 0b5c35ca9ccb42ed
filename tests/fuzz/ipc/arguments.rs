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
        "measure_at_equal_level" => json!({ "on": flag(r) }),
        "set_compare_reference" => json!({ "version": version(r) }),
        "compare_curves" => json!({ "measure": if r.once_in(2) { json!("l1") } else { text(r) } }),
        "compare_play" => json!({ "from_frame": r.extreme(64) }),
        "blind_odds" => json!({ "rule": rule(r) }),
        "begin_blind" => blind_wish(r),
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
        "make_playlist" => json!({
            "query": list(r), "tracks": maybe(r, |r| many(r, track)), "count": maybe(r, number), "mixed": flag(r),
            "choice": match r.below(3) {
                0 => json!({ "kind": "all" }),
                1 => json!({ "kind": "like", "track": track(r) }),
                _ => json!({ "kind": "between", "from": track(r), "to": track(r) }),
            },
        }),
        "save_playlist" => {
            json!({ "tracks": many(r, track), "format": one(r, &["m3u8", "xspf", "pls"]), "relative": flag(r) })
        }
        "preview_tags" => json!({
            "query": list(r), "tracks": maybe(r, |r| many(r, track)), "only_missing": flag(r),
            "fields": many(r, |r| one(r, &["key", "tempo", "loudness", "mood"])),
        }),
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
            json!({ "document": document(r), "side": side(r), "generation": r.extreme(32), "from": r.extreme(32) })
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
