//! A track's page, its cover, its file.

use serde_json::{Value, json};
use undertone::audio::tags::TagText;
use undertone::audio::{Picture, Tags, tags};
use undertone::error::ErrorCode;

use super::bench::{Bench, COVER, SCANNED, song, write};

#[test]
fn a_page_has_all_that_is_known() {
    let bench = &*SCANNED;
    let id = bench.id("song 2.flac");
    let page = bench.call("library.track", json!({ "track": id }));
    assert_eq!((&page["item"]["artist"], &page["tags"]["ALBUM"]), (&json!("Miles Davis"), &json!("Tests")));
    assert_eq!(
        (&page["reachable"], &page["outdated"], &page["binned_at"]),
        (&json!(true), &json!(false), &Value::Null)
    );
    let shares = page["percentiles"].as_array().unwrap();
    assert_eq!(shares.len(), 25);
    for (share, value) in shares.iter().zip(page["item"]["features"].as_array().unwrap()) {
        assert_eq!(share.is_null(), value.is_null());
        assert!(share.as_f64().is_none_or(|share| (0.0..1.0).contains(&share)), "{share}");
    }
    let series = |name: &str| page["series"].as_array().unwrap().iter().find(|series| series["name"] == name).cloned();
    let chroma = series("chroma").expect("a chroma picture");
    assert_eq!(chroma["width"], 12);
    assert!(chroma["values"].as_array().unwrap().len() % 12 == 0 && chroma["step_s"].as_f64().unwrap() > 0.0);
    assert_eq!(page["origin"]["origin"], "cannot_tell", "at 22.05 kHz encoders keep all there is: {}", page["origin"]);

    let broken = bench.call("library.track", json!({ "track": bench.id("broken.wav") }));
    assert_eq!((&broken["item"]["state"], &broken["origin"]), (&json!("failed"), &Value::Null));
    assert!(broken["percentiles"].as_array().unwrap().iter().all(Value::is_null));
    assert_eq!(bench.fails("library.track", json!({ "track": 999_999 })).0, ErrorCode::Invalid);
}

#[test]
fn half_as_loud_stands_lower() {
    let loudness = undertone::features::dimensions::index_of("loudness_lufs").unwrap();
    let share = |name: &str| {
        let page = SCANNED.call("library.track", json!({ "track": SCANNED.id(name) }));
        page["percentiles"][loudness].as_f64().unwrap()
    };
    assert!(share("quiet 1.wav") < share("song 1.flac"));
}

#[test]
fn covers_come_whole() {
    let cover = SCANNED.call("library.cover", json!({ "track": SCANNED.id("song 1.flac") }));
    assert_eq!(cover["mime"], "image/png");
    use base64::Engine;
    let data = base64::engine::general_purpose::STANDARD.decode(cover["data"].as_str().unwrap()).unwrap();
    assert_eq!(data, COVER);
    assert_eq!(SCANNED.call("library.cover", json!({ "track": SCANNED.id("cut 2.wav") })), Value::Null);
}

#[test]
fn a_title_of_a_mebibyte_is_cut_and_the_scan_goes_on() {
    let bench = Bench::new();
    write(&bench.music("long.flac"), song(1, 0.0, 3.0), None);
    write(&bench.music("next.flac"), song(2, 0.0, 3.0), Some("Somebody"));
    let mut items: std::collections::BTreeMap<String, TagText> =
        (0..40).map(|at| (format!("FIELD{at}"), "ü".repeat(50_000).into())).collect();
    items.insert("TITLE".into(), "é".repeat(1 << 19).into());
    let bomb = [&COVER[..16], &[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff], &COVER[24..]].concat();
    let pictures = vec![Picture { mime: "image/png".into(), kind: 3, data: bomb, ..Picture::default() }];
    tags::write(&bench.music("long.flac"), &Tags { items, pictures, ..Tags::default() }).unwrap();
    let scan = bench.add_music();
    assert_eq!(scan["failed"], 0, "{scan}");
    let page = bench.call("library.track", json!({ "track": bench.id("long.flac") }));
    let title = page["item"]["title"].as_str().unwrap();
    assert!(title.ends_with("é…") && title.chars().count() == 300, "{} characters", title.chars().count());
    let tags = page["tags"].as_object().unwrap();
    assert!(tags.values().all(|value| value.as_str().unwrap().chars().count() <= 4000));
    assert!(page.to_string().len() < 1 << 20, "{} bytes", page.to_string().len());
    let warnings = page["warnings"].to_string();
    assert!(warnings.contains("TITLE") && warnings.contains("256 KiB"), "{warnings}");
    assert!(std::fs::metadata(bench.database()).unwrap().len() < 4 << 20);
    // The cover claims 4 billion pixels. It is not passed to the window, which receives the reason instead.
    let cover = bench.call("library.cover", json!({ "track": bench.id("long.flac") }));
    assert_eq!(cover["data"], "");
    assert!(cover["reason"].as_str().unwrap().contains("65535 × 65535"), "{cover}");
}

#[test]
fn tracks_open_in_the_editor_and_are_shown_in_the_file_manager() {
    let bench = &*SCANNED;
    let tracks = [bench.id("song 4.flac"), bench.id("broken.wav")];
    let opened = bench.call("library.open", json!({ "tracks": tracks }));
    assert_eq!(opened["documents"][0]["name"], "song 4.flac");
    assert_eq!(opened["failures"][0]["name"], "broken.wav");
    bench.call("library.show_file", json!({ "track": tracks[0] }));
    assert_eq!(bench.desk.shown(), [bench.music("song 4.flac")]);
}
