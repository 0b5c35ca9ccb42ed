//! Times the spectrogram of an hour of stereo: the first picture of all or a part of it, and the exact picture,
//! requested as by the window: 1920 columns, 512 rows, both channels, three requests at a time, on the CPU. The last
//! column is the exact picture after the whole hour was shown, as after zooming in.
//!
//! `cargo bench --bench seeing`. The hour is first written to the folder for temporary files and then read from memory,
//! like a file that was just opened.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use undertone::audio::{AudioFile, Lanes};
use undertone::chain::Placement;
use undertone::design::{FrequencyScale, Window};
use undertone::progress::Progress;
use undertone::view::spectrogram::{Analysis, Method, SpectrogramSource, Spectrograms, TileSpec};

const RATE: u32 = 44_100;
const SECONDS: u32 = 3600;
const COLUMNS: f64 = 1920.0;
const TILE_COLUMNS: u64 = 256;
const REQUESTS: usize = 3;
const ANALYSIS: Analysis = Analysis {
    method: Method::Fourier,
    bins_per_octave: 36,
    window: Window::Hann,
    size: 2048,
    padding: 1,
    scale: FrequencyScale::Mel,
};

/// Writes a minute of noise repeatedly, as 16-bit stereo.
fn write_hour(path: &Path) -> std::io::Result<()> {
    let bytes = RATE * 4 * SECONDS;
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    file.write_all(b"RIFF")?;
    file.write_all(&(bytes + 36).to_le_bytes())?;
    file.write_all(b"WAVEfmt \x10\0\0\0\x01\0\x02\0")?;
    for number in [RATE, RATE * 4] {
        file.write_all(&number.to_le_bytes())?;
    }
    file.write_all(b"\x04\0\x10\0data")?;
    file.write_all(&bytes.to_le_bytes())?;
    let mut seed = 1_u32;
    let minute: Vec<u8> = (0..RATE * 2 * 60)
        .flat_map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((seed >> 17) as i16 - 16_384).to_le_bytes()
        })
        .collect();
    for _ in 0..SECONDS / 60 {
        file.write_all(&minute)?;
    }
    file.flush()
}

/// Returns the tiles of a picture from `start` on, for both channels.
fn cells(start: f64, frames: f64) -> Vec<TileSpec> {
    let level = (frames / COLUMNS).log2().round().max(0.0) as u32;
    let wide = (TILE_COLUMNS << level) as f64;
    let spec = |column_tile, lane| TileSpec {
        analysis: ANALYSIS,
        lanes: Lanes::Each,
        lane,
        level,
        column_tile,
        row_level: 1,
        row_tile: 0,
        row_tiles: 2,
    };
    let columns = (start / wide) as u64..((start + frames) / wide).ceil() as u64;
    columns.flat_map(|column| [spec(column, 0), spec(column, 1)]).collect()
}

/// Returns the times until every tile has an answer, and until every answer is exact.
fn ask(service: &Spectrograms, source: &SpectrogramSource, cells: &[TileSpec]) -> [Duration; 2] {
    let begun = Instant::now();
    let round = |wanted: Vec<TileSpec>| {
        let (next, coarse) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            for _ in 0..REQUESTS {
                scope.spawn(|| {
                    while let Some(spec) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let found = service.tile(source, spec, &Placement::cpu(), &Progress::new());
                        let tiles = found.expect("a tile").tiles;
                        if !tiles.exact {
                            coarse.lock().expect("a list").push(*spec);
                        }
                    }
                });
            }
        });
        coarse.into_inner().expect("a list")
    };
    let coarse = round(cells.to_vec());
    let first = begun.elapsed();
    round(coarse);
    [first, begun.elapsed()]
}

fn main() {
    let path = std::env::temp_dir().join("undertone-seeing.wav");
    write_hour(&path).expect("an hour of sound in the temporary folder");
    let seen = Spectrograms::new(96 << 20, None);
    let open = |path: &Path| {
        let file = Arc::new(AudioFile::open(path).expect("the hour opens"));
        SpectrogramSource::new("an hour".into(), Arc::new(move || file.reader())).expect("a source")
    };
    let source = open(&path);
    ask(&seen, &source, &cells(0.0, f64::from(SECONDS) * f64::from(RATE)));
    println!(
        "seconds in sight | every cell has an answer | every answer is exact | exact after zooming, ms (medians of five)"
    );
    for seconds in [3600.0, 1800.0, 600.0, 120.0, 20.0, 1.0] {
        let mut times: Vec<[f64; 3]> = (0..5)
            .map(|run| {
                // Opened again, so that nothing is cached. The time of the first picture includes the opening.
                let begun = Instant::now();
                let source = open(&path);
                let opened = begun.elapsed();
                let start = f64::from(SECONDS) - seconds - f64::from(run) * 0.1 * seconds;
                let cells = cells(start.max(0.0) * f64::from(RATE), seconds * f64::from(RATE));
                let service = Spectrograms::new(96 << 20, None);
                let [first, exact] = ask(&service, &source, &cells).map(|time| opened + time);
                let [_, zoomed] = ask(&seen, &source, &cells);
                [first, exact, zoomed].map(|time| time.as_secs_f64() * 1e3)
            })
            .collect();
        let median = |which: usize, times: &mut Vec<[f64; 3]>| {
            times.sort_by(|a, b| a[which].total_cmp(&b[which]));
            times[2][which]
        };
        let [first, exact, zoomed] = [0, 1, 2].map(|which| median(which, &mut times));
        println!("{seconds:>8} | {first:>8.0} | {exact:>8.0} | {zoomed:>8.0}");
    }
    std::fs::remove_file(&path).expect("the hour goes");
}
