//! The measurements of a sound that the window gets: levels, loudness, regions, pictures, the monitor.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::error::ErrorCode;
use undertone::playback::Side;

use super::bench::{Bench, start};

#[test]
fn responses_levels_and_pictures_are_answered() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "highpass(80 Hz) | gain(6 dB)" }));
    let response = bench.call(
        "editor.response",
        json!({ "document": document["id"], "points": 64, "from_hz": 20.0, "to_hz": 20000.0 }),
    );
    assert_eq!(response["frequency_hz"].as_array().expect("a list").len(), 64);
    assert_eq!(response["nodes"].as_array().expect("a list").len(), 2);
    let peak = |side: &str| {
        let range = json!({ "start": 0, "end": 48000 });
        bench.call("editor.levels", json!({ "document": document["id"], "side": side, "range": range }))["peak_db"]
            .as_f64()
            .expect("a level")
    };
    assert!((peak("original") + 6.02).abs() < 0.05, "{}", peak("original"));
    // The high-pass filter rings when the tone begins.
    assert!((-0.1..0.6).contains(&peak("processed")), "{}", peak("processed"));
    let id = serde_json::from_value(document["id"].clone()).expect("a handle");
    let bytes = bench.app.peaks(id, Side::Original, 0.0, 48_000.0, 100).expect("peaks");
    assert_eq!(bytes.len(), 16 + 2 * 3 * 100 * 4);
    assert_eq!(bench.app.samples(id, Side::Original, 10, 20).expect("samples").len(), 16 + 2 * 10 * 4);
    let report = bench.call("editor.chain_report", json!({ "document": document["id"] }));
    assert!(report["nodes"][0]["times_real_time"].as_f64().is_some_and(|x| x > 1.0), "{report}");
}

#[test]
fn a_region_is_measured_in_time_and_in_frequency() {
    let bench = start();
    // 220 Hz on the left, 1760 Hz on the right, both with a peak of -6.02 dB.
    let document = bench.open(&bench.tone("tone.wav"));
    let levels = |start: u64, end: u64, band: Value| {
        let range = json!({ "start": start, "end": end });
        let asked = json!({ "document": document["id"], "side": "original", "range": range, "band": band });
        let levels = bench.call("editor.region_levels", asked);
        move |what: &str| levels[what].as_f64()
    };
    let near = |got: Option<f64>, wanted: f64, within: f64| {
        assert!(got.is_some_and(|got| (got - wanted).abs() < within), "{got:?}, wanted {wanted}");
    };
    let whole = levels(0, 48_000, json!(null));
    near(whole("peak_db"), -6.02, 0.05);
    near(whole("rms_db"), -9.03, 0.05);
    // BS.1770 assigns -3.01 LUFS to a full-scale 997 Hz sine in one channel; the K-weighting depends on frequency.
    near(whole("lufs"), -6.0, 1.0);
    near(whole("centre_hz"), 990.0, 20.0);
    let low = levels(12_000, 36_000, json!({ "low_hz": 100.0, "high_hz": 500.0 }));
    near(low("peak_db"), -6.02, 0.1);
    near(low("centre_hz"), 220.0, 5.0);
    let high = levels(12_000, 36_000, json!({ "low_hz": 1000.0, "high_hz": 3000.0 }));
    near(high("centre_hz"), 1760.0, 5.0);
    let neither = levels(12_000, 36_000, json!({ "low_hz": 8000.0, "high_hz": 9000.0 }));
    assert!(neither("rms_db").is_none_or(|db| db < -90.0), "{:?}", neither("rms_db"));
    let upside_down = json!({ "low_hz": 500.0, "high_hz": 100.0 });
    let range = json!({ "start": 0, "end": 48_000 });
    let asked = json!({ "document": document["id"], "side": "original", "range": range, "band": upside_down });
    let (code, text) = bench.fails("editor.region_levels", asked);
    assert!(code == ErrorCode::Invalid && text.contains("500 to 100 Hz"), "{text}");
}

#[test]
fn levels_are_those_of_the_side_and_of_the_chain_as_it_is() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    let set = |text: &str| bench.edit(&document, json!({ "kind": "set_chain_text", "text": text }));
    let measured = |side: &str, band: Value| {
        let range = json!({ "start": 12_000, "end": 36_000 });
        bench.call(
            "editor.region_levels",
            json!({ "document": document["id"], "side": side, "range": range, "band": band }),
        )
    };
    let peak = |side: &str, band: Value| measured(side, band)["peak_db"].as_f64().expect("a level");
    let described = |side: &str| bench.call("editor.describe", json!({ "document": document["id"], "side": side }));
    let near = |got: f64, wanted: f64| assert!((got - wanted).abs() < 0.1, "{got}, wanted {wanted}");
    let left = json!({ "low_hz": 100.0, "high_hz": 500.0 });

    set("gain(5 dB)");
    near(peak("processed", json!(null)), -1.02);
    near(peak("original", json!(null)), -6.02);
    near(peak("processed", left.clone()), -1.02);
    set("gain(-6 dB)");
    near(peak("processed", json!(null)), -12.02);
    set("gain(5 dB)");
    near(peak("processed", json!(null)), -1.02);
    // Normalising needs the whole recording before its first frame is known.
    set("gain(-20 dB) | normalize(-1 dB)");
    near(peak("processed", json!(null)), -1.0);
    near(described("processed")["peak_db"].as_f64().expect("a level"), -1.0);
    near(described("original")["peak_db"].as_f64().expect("a level"), -6.02);
    set("gain(12 dB)");
    assert!(described("processed")["text"].as_str().is_some_and(|text| text.contains("its peak 6.0 dBFS")));

    // Sound of another length is described as it sounds, but has no levels along the recording.
    set("time_stretch(200 %)");
    near(described("processed")["duration_s"].as_f64().expect("a length"), 2.0);
    let range = json!({ "start": 0, "end": 48_000 });
    let asked = json!({ "document": document["id"], "side": "processed", "range": range, "band": null });
    assert_eq!(bench.fails("editor.region_levels", asked).0, ErrorCode::Unsupported);
    bench.call("editor.cancel_describing", json!({ "document": document["id"] }));
}

#[test]
fn a_picture_is_written_where_the_dialog_says_and_nothing_where_it_is_closed() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    let settings = bench.call("settings.view", json!({}))["spectrogram"].clone();
    let arguments = |format: &str, axes: bool| {
        json!({
            "document": document["id"], "side": "original", "analysis": settings["analysis"], "display": settings["display"],
            "width": 300, "height": 200, "axes": axes, "format": format,
        })
    };
    assert_eq!(bench.call("editor.export_picture", arguments("png", false)), json!(null), "the dialog was closed");

    let picture = bench.folder.path().join("picture");
    bench.desk.will_choose(&picture);
    let write = |format: &str, axes: bool| {
        bench.call("editor.export_picture", arguments(format, axes));
        bench.wait_for_job()
    };
    let written = write("png", false);
    assert_eq!((&written["state"], &written["title"]), (&json!("done"), &json!("Export picture.png")));
    let bytes = std::fs::read(picture.with_extension("png")).expect("a picture");
    assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
    let field = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    // Two lanes in the requested height, plus at most the line between them.
    assert_eq!(field(16), 300);
    assert!((200..=210).contains(&field(20)), "{}", field(20));

    // The user was not asked about a name that the program completed, so it is not overwritten.
    bench.desk.will_choose(&picture);
    let (_, text) = bench.fails("editor.export_picture", arguments("png", false));
    assert!(text.starts_with("The file exists. "), "{text}");
    assert_eq!(std::fs::read(picture.with_extension("png")).expect("a picture"), bytes);

    let numbers = bench.folder.path().join("numbers.npy");
    bench.desk.will_choose(&numbers);
    assert_eq!(write("npy", true)["state"], "done");
    assert_eq!(std::fs::read(numbers).expect("numbers")[..6], *b"\x93NUMPY");

    // The recording itself is never overwritten.
    let tone = bench.folder.path().join("tone.wav");
    let before = std::fs::read(&tone).expect("the recording");
    bench.desk.will_choose(&tone);
    bench.fails("editor.export_picture", arguments("png", true));
    assert_eq!(std::fs::read(&tone).expect("the recording"), before);

    // Exporting hours of silence as numbers takes long, and a cancelled export leaves nothing behind.
    let silence = json!({ "kind": "insert_silence", "frames": 1_000_000_000 });
    bench.call("editor.edit_sound", json!({ "document": document["id"], "edit": silence }));
    let long = bench.folder.path().join("long.npy");
    bench.desk.will_choose(&long);
    let job = bench.call("editor.export_picture", arguments("npy", true));
    assert_eq!(
        bench.call("jobs.view", json!({})).as_array().and_then(|jobs| jobs.last()).expect("a job")["state"],
        "running"
    );
    bench.call("jobs.cancel", json!({ "job": job }));
    assert_eq!(bench.wait_for_job()["state"], "cancelled");
    let left = std::fs::read_dir(bench.folder.path())
        .expect("a folder")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    assert_eq!(left.filter(|name| name.contains("long")).count(), 0);
}

#[test]
fn where_spectrograms_are_made_is_told_and_follows_the_setting() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    let id = serde_json::from_value(document["id"].clone()).expect("a handle");
    let mut settings = bench.call("settings.view", json!({}));
    let mut make = |request: &str, column_tile: u32| {
        settings["device"] = json!(request);
        bench.call("settings.set", json!({ "settings": settings }));
        let before = bench.call("devices.view", json!({}))["spectrogram"].clone();
        let tile = json!({
            "analysis": settings["spectrogram"]["analysis"], "channels": "each", "lane": 0, "side": "original",
            "level": 6, "column_tile": column_tile, "row_level": 0, "row_tile": 0, "row_tiles": 1, "request": 1,
        });
        bench.app.spectrogram(id, serde_json::from_value(tile).expect("a tile")).expect("a tile");
        (before, bench.call("devices.view", json!({}))["spectrogram"].clone())
    };
    let (before, after) = make("cpu", 0);
    assert_eq!((before, &after["used"], &after["fallback"]), (json!(null), &json!("cpu"), &json!(false)));
    // Cached tiles are not computed again and cause no event.
    make("cpu", 0);
    assert_eq!(bench.desk.events("spectrogram_device").len(), 1);
    let (before, after) = make("Voodoo 9000", 1);
    assert_eq!(before, json!(null), "nothing was made for that request");
    assert_eq!((&after["requested"], &after["fallback"]), (&json!("Voodoo 9000"), &json!(true)));
    let told = bench.desk.events("spectrogram_device");
    assert_eq!((told.len(), &told[1]["device"]), (2, &after));
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

fn loudness(bench: &Bench, document: &Value, side: &str, generation: u32, from: u32) -> undertone::Result<Vec<u32>> {
    let id = serde_json::from_value(document["id"].clone()).expect("an id");
    let side = serde_json::from_value(json!(side)).expect("a side");
    bench.app.loudness(id, side, generation, from).map(|bytes| words(&bytes))
}

/// Returns the whole curve once it is measured.
fn whole_loudness(bench: &Bench, document: &Value, side: &str) -> Vec<u32> {
    let end = Instant::now() + Duration::from_mins(3);
    loop {
        let found = loudness(bench, document, side, 0, 0).expect("a curve");
        if found[3] == 1 {
            return found;
        }
        assert!(Instant::now() < end, "the curve did not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn loudness_over_time_is_measured_for_both_sides_and_anew_for_another_chain() {
    let bench = start();
    let document = bench.open(&bench.tone("tone.wav"));
    let number = |word: u32| f64::from(f32::from_bits(word));
    let original = whole_loudness(&bench, &document, "original");
    assert_eq!((original[1], original[2]), (0, 10), "a second has ten points");
    assert_eq!(original.len(), 16 + 20);
    let described = bench.call("editor.describe", json!({ "document": document["id"], "side": "original" }));
    let lufs =
        described["integrated_lufs"].as_f64().or_else(|| described["loudness_lufs"].as_f64()).expect("a loudness");
    assert!((number(original[5]) - lufs).abs() < 0.1, "{} is not {lufs}", number(original[5]));

    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "gain(-6 dB)" }));
    let quieter = whole_loudness(&bench, &document, "processed");
    assert!((number(original[5]) - number(quieter[5]) - 6.0).abs() < 0.05);
    assert_eq!(
        loudness(&bench, &document, "original", original[0], 7).expect("a rest")[1..3],
        [7, 3],
        "only what is new"
    );
    assert_eq!(loudness(&bench, &document, "original", original[0] + 99, 7).expect("all")[1..3], [0, 10]);

    bench.edit(&document, json!({ "kind": "set_chain_text", "text": "gain(-12 dB) | normalize(-1 dB)" }));
    let anew = whole_loudness(&bench, &document, "processed");
    assert_ne!(anew[0], quieter[0], "another chain, another curve");
    assert!(number(anew[5]) > number(quieter[5]) + 6.0);
    let told = bench.desk.events("loudness");
    assert!(told.iter().any(|event| event["side"] == "processed"));

    bench.call("editor.cancel_loudness", json!({ "document": document["id"] }));
    assert_eq!(whole_loudness(&bench, &document, "processed")[0], anew[0], "what is finished is kept");
    bench.call("workspace.close_document", json!({ "document": document["id"] }));
    assert!(loudness(&bench, &document, "original", 0, 0).is_err());
}

#[test]
fn the_monitor_answers_in_bytes_and_refuses_in_words() {
    let bench = start();
    let query = |frames: u32| {
        serde_json::from_value(json!({
            "window": "hann", "window_frames": frames, "averaging": "fast", "hold": "decay", "channels": "mix", "slope": "3",
            "pair": 0, "from_hz": 20.0, "to_hz": 20_000.0, "points": 300
        }))
        .expect("a query")
    };
    bench.call("editor.set_monitoring", json!({ "on": true }));
    let found = words(&bench.app.monitor(query(4096)).expect("a frame"));
    assert_eq!((found.len(), found[2]), (16, 0), "nothing was played yet");
    assert!(f32::from_bits(found[11]).is_nan());
    let refused = bench.app.monitor(query(3000)).expect_err("no power of two");
    assert!(refused.to_string().contains("3000"), "{refused}");
    bench.call("editor.reset_monitor", json!({ "part": "loudness" }));
    bench.call("editor.set_monitoring", json!({ "on": false }));
}
