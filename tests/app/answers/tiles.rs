//! Tiles of the recording that the interface's tests use. They are too large to be recorded, so they are checked here.

use serde_json::{Value, json};
use undertone::window::App;

use super::scenes::{self, Stage};

const SIDE: usize = 256;

fn tile(app: &App, level: u32, request: u32) -> (bool, Vec<u16>) {
    let tile = json!({
        "analysis": { "method": "fourier", "bins_per_octave": 36, "window": "hann", "window_frames": 2048,
                      "padding": 1, "scale": "linear" },
        "channels": "each", "lane": 0, "side": "original", "level": level, "column_tile": 0, "row_level": 0,
        "row_tile": 0, "row_tiles": 1, "request": request
    });
    let id = serde_json::from_value(json!(1)).expect("a document");
    let bytes = app.spectrogram(id, serde_json::from_value(tile).expect("a tile")).expect("an answer");
    let codes = bytes[16..].chunks_exact(2).map(|code| u16::from_le_bytes([code[0], code[1]])).collect();
    (bytes[8] == 1, codes)
}

#[test]
fn tiles_begin_with_the_lowest_row_and_are_coarse_first_where_columns_are_wide() {
    let stage = Stage::new(scenes::named("demo"));
    let (_, app) = stage.begin();
    let (exact, codes) = tile(&app, 10, 1);
    assert!(exact && codes.len() == SIDE * SIDE);
    let mean = |row: usize| codes[row * SIDE..(row + 1) * SIDE].iter().map(|&code| u32::from(code)).sum::<u32>();
    assert!(mean(2) > mean(200));
    assert!(!tile(&app, 13, 2).0);
    assert!(tile(&app, 13, 3).0);
}

#[test]
fn the_peak_of_a_tone_is_found_between_bins() {
    let stage = Stage::new(scenes::named("demo"));
    let (_, app) = stage.begin();
    let analysis = json!({ "method": "fourier", "bins_per_octave": 36, "window": "hann", "window_frames": 4096,
                           "padding": 2, "scale": "linear" });
    let at: Value = app
        .call(
            "editor.spectrum_at",
            json!({ "document": 1, "analysis": analysis, "channels": "each", "lane": 0, "side": "original",
                    "frame": 196_800, "hz": 450.0 }),
        )
        .expect("an answer");
    let peak = |name: &str| at[name].as_f64().expect("a peak");
    assert!((436.0..444.0).contains(&peak("peak_hz")), "{at}");
    assert!(peak("peak_db") > -40.0, "{at}");
}
