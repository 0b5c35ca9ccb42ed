//! Generates TypeScript declarations of everything that crosses to the window, from the Rust types and the tables of
//! commands. A unit test with the feature `bindings`, with which the types derive `ts_rs::TS`.

use std::fmt::Write;
use std::path::Path;

use ts_rs::{Config, TypeVisitor};

use super::declarations::Types;
use super::event::Event;
use super::{MonitorQuery, SpectrogramTile, TABLES};
use crate::design::{Window, WindowName};
use crate::effects::HEAL_LONGEST_S;
use crate::error::Failure;
use crate::generate::{LEVELS_DB, MAX_BEATS, MAX_CHANNELS, MAX_DIGITS, MAX_HARMONICS, TEMPI};
use crate::kernels::signal::constant_q::BINS_PER_OCTAVE;
use crate::kernels::signal::multi_resolution::{CENTRE_HZ, DOUBLINGS, OCTAVES_EACH};
use crate::kernels::signal::stft::{LevelCode, StftSpec};
use crate::view::spectrogram::{LOG_LOW_HZ, TILE_COLUMNS};
use crate::window::editor::generating::MAX_SECONDS;
use crate::window::workspace::types::{LEAST_LEVEL_ZOOM, MOST_LEVEL_ZOOM};
use crate::work::settings::SpectrogramDisplay;

/// Returns the colour map points as TypeScript, so that the window uses the same colours as exported pictures.
fn colours() -> String {
    let mut text = String::from(
        "/** Points of colour maps from silence to loud, six hexadecimal digits each: red, green, blue. */\n",
    );
    text += "export const COLOUR_POINTS = {\n";
    for (name, points) in crate::view::colours::POINTS {
        let _ = writeln!(text, "  {name}: '{points}',");
    }
    text + "} as const;\n\n"
}

/// Returns the numbers of spectrograms as TypeScript, so that the window and the core cannot disagree about them.
fn spectrograms() -> String {
    let LevelCode { low_db, per_db, largest } = LevelCode::FINE;
    let display = SpectrogramDisplay::default();
    let (shortest, longest) = StftSpec::SIZES.into_inner();
    let (fewest, most) = BINS_PER_OCTAVE.into_inner();
    let mut text = format!(
        "/** Columns and rows of a spectrogram tile. */\nexport const TILE_SIDE = {TILE_COLUMNS};\n\n\
         /** Codes of levels: the level of code 0 in dB, codes per dB, and the largest code. */\n\
         export const LEVEL_CODES = {{ low_db: {low_db}, per_db: {per_db}, largest: {largest} }} as const;\n\n\
         /** The foot of the logarithmic frequency axis, in Hz. */\nexport const LOG_FOOT_HZ = {LOG_LOW_HZ};\n\n\
         /** Gain and range of the colours where nothing was set, in dB. */\n\
         export const DISPLAY_DB = {{ gain: {}, range: {} }} as const;\n\n\
         /** Frames of a window, the fewest and the most; bins of an octave likewise. */\n\
         export const WINDOW_FRAMES_SPAN = [{shortest}, {longest}] as const;\n\
         export const BINS_PER_OCTAVE_SPAN = [{fewest}, {most}] as const;\n\n\
         /** Where the length that is set serves in a multi-resolution spectrogram, how many octaves each length \
         serves, and the most doublings either way. */\n\
         export const MULTI_RESOLUTION = {{ centre_hz: {CENTRE_HZ}, octaves_each: {OCTAVES_EACH}, doublings: {} }} as \
         const;\n\n\
         /** Width of a window's main lobe 6 dB down, in bins without padding: two tones that far apart are just two. \
         */\nexport const LOBE_BINS: Record<WindowName, number> = {{\n",
        display.gain_db,
        display.range_db,
        DOUBLINGS.end(),
    );
    for name in WindowName::ALL {
        let lobe = lobe_bins(Window::from(name));
        let name = serde_json::to_string(&name).unwrap_or_default();
        let _ = writeln!(text, "  {}: {lobe:.4},", name.trim_matches('"'));
    }
    text + "};\n\n"
}

/// Returns the limits of generated signals as TypeScript.
fn generators() -> String {
    format!(
        "/** The limits of generated signals: levels in dBFS, tempi in beats per minute, the longest in seconds. A tone of \
         harmonics has no more of them than `harmonics` below half the sample rate. */\n\
         export const GENERATE = {{ level_db: [{}, {}], bpm: [{}, {}], beats: {MAX_BEATS}, channels: {MAX_CHANNELS}, \
         digits: {MAX_DIGITS}, harmonics: {MAX_HARMONICS}, seconds: {MAX_SECONDS} }} as const;\n\n",
        LEVELS_DB.start(),
        LEVELS_DB.end(),
        TEMPI.start(),
        TEMPI.end(),
    )
}

/// Returns the width of a window's main lobe 6 dB down, in bins: by bisection in the window's spectrum.
fn lobe_bins(window: Window) -> f64 {
    const POINTS: u32 = 2048;
    let magnitude = |bins: f64| -> f64 {
        let term = |point: u32| {
            let x = (f64::from(point) + 0.5) / f64::from(POINTS);
            // The window is even, so half of it determines the spectrum.
            window.at_distance(x) * (std::f64::consts::PI * bins * x).cos()
        };
        (0..POINTS).map(term).sum::<f64>().abs()
    };
    let half = magnitude(0.0) / 2.0;
    let (mut inside, mut beyond) = (0.0, 4.0);
    for _ in 0..40 {
        let middle = f64::midpoint(inside, beyond);
        if magnitude(middle) > half {
            inside = middle;
        } else {
            beyond = middle;
        }
    }
    inside + beyond
}

/// Compares the declarations with those that the window uses. With `UPDATE_BINDINGS`, writes them first.
#[test]
fn bindings_are_current() {
    let (path, generated) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/src/bindings/index.ts"), typescript());
    if std::env::var_os("UPDATE_BINDINGS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &generated).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == generated, "{} is out of date: run `npm run bindings`", path.display());
}

/// Returns the whole declaration file: every type, the commands with their arguments and results, and the events.
fn typescript() -> String {
    // Frame counts stay far below 2^53, up to which a JavaScript number is exact for integers.
    let config = Config::new().with_large_int("number");
    let mut types = Types::new(config);
    let commands = declarations(&mut types);
    types.visit::<Event>();
    types.visit::<Failure>();
    // These types have separate calls, because the answers are bytes.
    types.visit::<SpectrogramTile>();
    types.visit::<MonitorQuery>();

    let mut text = String::from("// Generated from the core's Rust types; `npm run bindings` makes it anew.\n\n");
    for declaration in types.declarations.values() {
        text += declaration;
        text.push('\n');
    }
    text += &colours();
    let _ = writeln!(
        text,
        "/** How much taller or smaller than full scale levels may be drawn. */\n\
         export const LEVEL_ZOOM = {{ least: {LEAST_LEVEL_ZOOM}, most: {MOST_LEVEL_ZOOM} }} as const;\n"
    );
    text += &spectrograms();
    let _ = writeln!(
        text,
        "/** The longest part that heal replaces, in seconds. */\nexport const HEAL_LONGEST_S = {HEAL_LONGEST_S};\n"
    );
    text += &generators();
    text +=
        "/** The commands of the window: arguments and result by name, `page.verb`. */\nexport interface Commands {\n";
    text += &commands;
    text += "}\n";
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Returns the commands as members of an interface, and declares the types that they name.
fn declarations(types: &mut Types) -> String {
    let mut text = String::new();
    for command in TABLES.into_iter().flatten() {
        let declaration = &command.declaration;
        let arguments = command.arguments.iter().zip(declaration.arguments);
        let arguments: Vec<String> = arguments.map(|(name, kind)| format!("{name}: {}", kind(types))).collect();
        let arguments = match arguments.as_slice() {
            [] => "Record<string, never>".to_owned(),
            all => format!("{{ {} }}", all.join("; ")),
        };
        if !declaration.docs.is_empty() {
            let _ = writeln!(text, "  /**{} */", declaration.docs.concat());
        }
        let result = (declaration.result)(types);
        let _ = writeln!(text, "  '{}': {{ args: {arguments}; result: {result} }};", command.name);
    }
    text
}
