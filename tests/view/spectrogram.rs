//! Spectrogram tiles: their contents, that pieces and caches change nothing, and that they stop on request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use audio::{AudioBuffer, AudioFormat, AudioReader, Lanes};
use base::error::Result;
use base::progress::Progress;
use base::units::SampleRate;
use dsp::design::{FrequencyScale, Window};
use dsp::device::Placement;
use dsp::kernels::signal::stft::{ColumnGrid, LevelCode, Samples};
use editor::view::FileCache;
use editor::view::spectrogram::{Analysis, EXACT, Method, SpectrogramSource, Spectrograms, TileSpec, spectrum_at};
use proptest::prelude::*;

const RATE: u32 = 48_000;
const ANALYSIS: Analysis = Analysis {
    method: Method::Fourier,
    bins_per_octave: 36,
    window: Window::Hann,
    size: 1024,
    padding: 1,
    scale: FrequencyScale::Linear,
};

const METHODS: [Method; 4] = [Method::Fourier, Method::MultiResolution, Method::Reassigned, Method::ConstantQ];

/// Two tones and some noise, generated on each read; counts the frames that are read.
struct Tones {
    frames: u64,
    position: u64,
    read: Arc<AtomicU64>,
    slow: Duration,
}

fn sample(channel: usize, frame: u64) -> f32 {
    let hz = [1000.0, 5000.0][channel];
    let noise =
        (frame.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(channel as u64) >> 40) as f64 / 16_777_216.0;
    let tone = (std::f64::consts::TAU * hz * frame as f64 / f64::from(RATE)).sin();
    (0.5 * tone + 1e-3 * (noise - 0.5)) as f32
}

impl AudioReader for Tones {
    fn format(&self) -> AudioFormat {
        AudioFormat::new(SampleRate::new(RATE).unwrap(), 2)
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.frames);
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        std::thread::sleep(self.slow);
        let frames = (self.frames - self.position).min(frames as u64) as usize;
        out.resize(2, frames);
        for (channel, samples) in out.iter_mut().enumerate() {
            for (offset, to) in samples.iter_mut().enumerate() {
                *to = sample(channel, self.position + offset as u64);
            }
        }
        self.position += frames as u64;
        self.read.fetch_add(frames as u64, Ordering::Relaxed);
        Ok(())
    }
}

struct Sound {
    source: SpectrogramSource,
    read: Arc<AtomicU64>,
}

fn sound(frames: u64, slow: Duration) -> Sound {
    let read = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&read);
    let open =
        move || Ok(Box::new(Tones { frames, position: 0, read: Arc::clone(&counted), slow }) as Box<dyn AudioReader>);
    Sound { source: SpectrogramSource::new(format!("tones {frames}"), Arc::new(open)).unwrap(), read }
}

fn spec(level: u32, column_tile: u64) -> TileSpec {
    TileSpec {
        analysis: ANALYSIS,
        lanes: Lanes::Each,
        lane: 0,
        level,
        column_tile,
        row_level: 1,
        row_tile: 0,
        row_tiles: 2,
    }
}

fn service() -> Spectrograms {
    Spectrograms::new(64 << 20, None)
}

/// Asks until the answer is exact.
fn exact(service: &Spectrograms, sound: &Sound, spec: &TileSpec) -> Arc<editor::view::spectrogram::Tiles> {
    let tiles = service.tile(&sound.source, spec, &Placement::cpu(), &Progress::new()).unwrap().tiles;
    if tiles.exact {
        tiles
    } else {
        service.tile(&sound.source, spec, &Placement::cpu(), &Progress::new()).unwrap().tiles
    }
}

fn row_of(hz: f64, rows: usize) -> usize {
    (hz / (f64::from(RATE) / 2.0) * rows as f64) as usize
}

#[test]
fn tones_stand_where_they_sound_and_as_loud() {
    let sound = sound(600_000, Duration::ZERO);
    let service = service();
    for level in [0, 6, 9, 11, 14] {
        for (lane, hz) in [(0, 1000.0), (1, 5000.0)] {
            // Away from the ends, where windows reach into silence.
            let tiles = exact(&service, &sound, &TileSpec { lane, ..spec(level, 300_000 >> (level + 8)) });
            assert!(tiles.exact && tiles.rows == 512);
            let column = tiles.columns / 2;
            let db = |row: usize| LevelCode::FINE.db(u32::from(tiles.codes[row * tiles.columns + column]));
            let at = row_of(hz, tiles.rows);
            let loudest = (0..tiles.rows).max_by(|&a, &b| db(a).total_cmp(&db(b))).unwrap();
            assert!(loudest.abs_diff(at) <= 1, "level {level}: {hz} Hz in row {loudest}, not {at}");
            assert!((db(loudest) + 6.02).abs() < 1.5, "level {level}: {} dB", db(loudest));
            assert!(db(row_of(15_000.0, tiles.rows)) < -70.0);
        }
    }
}

#[test]
fn a_tile_is_what_one_pass_over_everything_gives() {
    let frames = 300_000;
    let sound = sound(frames, Duration::ZERO);
    let rate = SampleRate::new(RATE).unwrap();
    let samples: Vec<f32> = (0..frames).map(|frame| sample(1, frame)).collect();
    for method in METHODS {
        let analysis = Analysis { method, ..ANALYSIS };
        let analyser = analysis.columns(rate, analysis.axis(rate).tiles(1, 0, 2).unwrap()).unwrap();
        for (level, tile) in [(0, 700), (3, 5), (9, 1), (10, 0)] {
            let tiles = exact(&service(), &sound, &TileSpec { analysis, lane: 1, ..spec(level, tile) });
            let each = f64::from(1 << level);
            let (count, first_centre) = (tiles.columns, (tile * 256) as f64 * each + each / 2.0);
            let grid = ColumnGrid { count, first_centre, frames_each: each, spacing: EXACT };
            let whole = analyser.fine(&grid, Samples::whole(&samples), None).unwrap();
            assert!(tiles.codes == whole.values, "{method}, level {level}");
        }
    }
}

#[test]
fn neighbours_of_every_method_agree_at_their_seam() {
    let frames = 120_000;
    let samples: Vec<f32> = (0..frames).map(|frame| sample(0, frame)).collect();
    let rate = SampleRate::new(RATE).unwrap();
    for method in METHODS {
        let analysis = Analysis { method, scale: FrequencyScale::Log, ..ANALYSIS };
        let analyser = analysis.columns(rate, analysis.axis(rate).tiles(0, 0, 1).unwrap()).unwrap();
        for level in [0, 4, 7, 10] {
            let each = f64::from(1 << level);
            let part = |column: usize, count: usize| {
                let first_centre = (column as f64 + 0.5) * each;
                let grid = ColumnGrid { count, first_centre, frames_each: each, spacing: EXACT };
                // Each reads the frames that it declares, and no more.
                let reach = analyser.reach(&grid);
                let (first, end) = (reach.start.max(0), reach.end.min(frames as i64));
                let samples = Samples { samples: &samples[first as usize..end as usize], first_frame: first };
                analyser.fine(&grid, samples, None).unwrap()
            };
            let whole = part(0, 96);
            for (column, count) in [(0, 32), (32, 32), (64, 32)] {
                let one = part(column, count);
                for row in 0..one.rows {
                    assert!(one.row(row) == &whole.row(row)[column..][..count], "{method}, level {level}, row {row}");
                }
            }
        }
    }
}

#[test]
fn wide_columns_come_coarse_first_without_reading_everything() {
    let frames = 40_000_000;
    let sound = sound(frames, Duration::ZERO);
    let service = service();
    let spec = spec(18, 0);
    let coarse = service.tile(&sound.source, &spec, &Placement::cpu(), &Progress::new()).unwrap().tiles;
    assert!(!coarse.exact && coarse.columns == 153);
    assert!(sound.read.load(Ordering::Relaxed) < frames / 100);
    // The other lane's is there already.
    let before = sound.read.load(Ordering::Relaxed);
    let exact = service.tile(&sound.source, &spec, &Placement::cpu(), &Progress::new()).unwrap().tiles;
    assert!(exact.exact && sound.read.load(Ordering::Relaxed) >= before + frames);
    let before = sound.read.load(Ordering::Relaxed);
    assert!(
        service
            .tile(&sound.source, &TileSpec { lane: 1, ..spec }, &Placement::cpu(), &Progress::new())
            .unwrap()
            .tiles
            .exact
    );
    assert_eq!(sound.read.load(Ordering::Relaxed), before);
}

#[test]
fn wide_columns_are_the_mean_power_of_narrow_ones() {
    let sound = sound(256 << 14, Duration::ZERO);
    for method in [Method::Fourier, Method::Reassigned] {
        let analysis = Analysis { method, ..ANALYSIS };
        let service = service();
        let wide = exact(&service, &sound, &TileSpec { analysis, ..spec(14, 0) });
        assert_eq!(wide.columns, 256);
        let power = |code: u16| 10_f64.powf(f64::from(LevelCode::FINE.db(u32::from(code))) / 10.0);
        for narrow_tile in [0, 1, 3] {
            let narrow = exact(&service, &sound, &TileSpec { analysis, ..spec(12, narrow_tile) });
            for (row, column) in [(0, 0), (23, 17), (200, 63), (511, 31)] {
                let codes = &narrow.codes[row * 256 + 4 * column..][..4];
                let mean_db = 10.0 * (codes.iter().map(|&code| power(code)).sum::<f64>() / 4.0).log10();
                let got = wide.codes[row * 256 + 64 * narrow_tile as usize + column];
                let got_db = f64::from(LevelCode::FINE.db(u32::from(got)));
                assert!((got_db - mean_db.max(-200.0)).abs() < 0.005, "{method}: {got_db} dB, not {mean_db}");
            }
        }
    }
}

#[test]
fn what_was_seen_once_is_not_read_again_at_another_zoom() {
    let frames = 40_000_000;
    let sound = sound(frames, Duration::ZERO);
    let service = service();
    exact(&service, &sound, &spec(18, 0));
    let read = sound.read.load(Ordering::Relaxed);
    for (level, tile) in [(17, 1), (15, 3), (14, 9), (13, 18), (20, 0)] {
        let tiles = service.tile(&sound.source, &spec(level, tile), &Placement::cpu(), &Progress::new()).unwrap().tiles;
        assert!(tiles.exact, "level {level}");
    }
    assert_eq!(sound.read.load(Ordering::Relaxed), read);
    // Other rows are another analysis.
    let other = TileSpec { row_level: 2, ..spec(15, 3) };
    assert!(!service.tile(&sound.source, &other, &Placement::cpu(), &Progress::new()).unwrap().tiles.exact);
}

#[test]
fn every_method_comes_coarse_first_and_both_answers_show_the_tone() {
    let sound = sound(30_000_000, Duration::ZERO);
    for method in METHODS {
        let service = service();
        let spec = TileSpec { analysis: Analysis { method, ..ANALYSIS }, ..spec(20, 0) };
        let before = sound.read.load(Ordering::Relaxed);
        let coarse = service.tile(&sound.source, &spec, &Placement::cpu(), &Progress::new()).unwrap().tiles;
        let read = sound.read.load(Ordering::Relaxed) - before;
        assert!(!coarse.exact && coarse.columns == 29 && read < 8_000_000, "{method}: {read} frames");
        let at = row_of(1000.0, coarse.rows);
        let level = |row: usize| LevelCode::FINE.db(u32::from(coarse.codes[row * coarse.columns + 14]));
        let loudest = (0..coarse.rows).max_by(|&a, &b| level(a).total_cmp(&level(b))).unwrap();
        assert!(loudest.abs_diff(at) <= 1 && (level(loudest) + 6.02).abs() < 3.5, "{method}: {}", level(loudest));
    }
}

#[test]
fn caches_tell_methods_apart() {
    let keys = METHODS.map(|method| Analysis { method, ..ANALYSIS }.key());
    assert!((0..4).all(|a| (0..a).all(|b| keys[a] != keys[b])), "{keys:?}");
    let octaves = |bins_per_octave| Analysis { method: Method::ConstantQ, bins_per_octave, ..ANALYSIS }.key();
    assert_ne!(octaves(24), octaves(36));
}

#[test]
fn the_end_has_fewer_columns_and_beyond_it_there_are_none() {
    let sound = sound(1000, Duration::ZERO);
    let columns = |level, tile| exact(&service(), &sound, &spec(level, tile)).columns;
    assert_eq!(
        [columns(0, 3), columns(0, 4), columns(2, 0), columns(20, 0), columns(0, u64::MAX)],
        [232, 0, 250, 1, 0]
    );
    let empty = self::sound(0, Duration::ZERO);
    assert_eq!(exact(&service(), &empty, &spec(5, 0)).columns, 0);
}

#[test]
fn what_is_not_there_is_refused() {
    let sound = sound(1000, Duration::ZERO);
    let refused = |spec: TileSpec| service().tile(&sound.source, &spec, &Placement::cpu(), &Progress::new()).is_err();
    assert!(refused(TileSpec { lane: 2, ..spec(0, 0) }));
    assert!(refused(TileSpec { row_tile: 2, ..spec(0, 0) }));
    assert!(refused(TileSpec { row_tiles: 0, ..spec(0, 0) }));
    assert!(refused(spec(25, 0)));
    assert!(refused(TileSpec { analysis: Analysis { size: 1000, ..ANALYSIS }, ..spec(0, 0) }));
    assert!(refused(TileSpec { analysis: Analysis { padding: 3, ..ANALYSIS }, ..spec(0, 0) }));
}

#[test]
fn memory_stays_within_its_bound() {
    let sound = sound(2_000_000, Duration::ZERO);
    let limit = 2 << 20;
    let service = Spectrograms::new(limit, None);
    for tile in 0..12 {
        exact(&service, &sound, &spec(6, tile));
        assert!(service.memory_bytes() <= limit, "{}", service.memory_bytes());
    }
}

#[test]
fn what_took_long_is_kept_on_disk_and_a_damaged_file_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let files = || FileCache::new(folder.path(), "tiles", 64 << 20);
    let sound = sound(3_000_000, Duration::ZERO);
    let spec = spec(13, 0);
    let first = exact(&Spectrograms::new(1 << 20, Some(files())), &sound, &spec);
    let before = sound.read.load(Ordering::Relaxed);
    let again = Spectrograms::new(1 << 20, Some(files()))
        .tile(&sound.source, &spec, &Placement::cpu(), &Progress::new())
        .unwrap()
        .tiles;
    assert_eq!((again, sound.read.load(Ordering::Relaxed)), (Arc::clone(&first), before));
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, bytes).unwrap();
    }
    let made = exact(&Spectrograms::new(1 << 20, Some(files())), &sound, &spec);
    assert_eq!(made, first);
    assert!(sound.read.load(Ordering::Relaxed) > before);
}

#[test]
fn every_lane_gets_its_first_answer_before_any_exact_one() {
    let sound = sound(50_000_000, Duration::ZERO);
    let service = service();
    let ask = |lane| {
        let spec = TileSpec { lane, ..spec(17, 0) };
        service.tile(&sound.source, &spec, &Placement::cpu(), &Progress::new()).unwrap().tiles.exact
    };
    assert_eq!([ask(0), ask(1)], [false, false]);
    let read = sound.read.load(Ordering::Relaxed);
    assert!(read < 5_000_000, "{read} frames for a first answer");
    assert_eq!([ask(0), ask(1)], [true, true]);
    assert_eq!([ask(0), ask(1)], [true, true]);
}

#[test]
fn a_cancel_is_heard_within_a_fifth_of_a_second() {
    let sound = sound(200_000_000, Duration::from_millis(20));
    let service = service();
    // Exact columns of this width read for seconds.
    for lane in [0, 1] {
        let coarse = TileSpec { lane, ..spec(20, 0) };
        assert!(!service.tile(&sound.source, &coarse, &Placement::cpu(), &Progress::new()).unwrap().tiles.exact);
    }
    let progress = Progress::new();
    std::thread::scope(|scope| {
        let making = scope.spawn(|| service.tile(&sound.source, &spec(20, 0), &Placement::cpu(), &progress));
        let waiting = scope
            .spawn(|| service.tile(&sound.source, &TileSpec { lane: 1, ..spec(20, 0) }, &Placement::cpu(), &progress));
        std::thread::sleep(Duration::from_millis(100));
        let cancelled = Instant::now();
        progress.cancel();
        assert!(making.join().unwrap().is_err() && waiting.join().unwrap().is_err());
        // Without optimisation, on a busy machine, a piece takes its time; the wish is 200 ms.
        assert!(cancelled.elapsed() < Duration::from_secs(5), "{:?}", cancelled.elapsed());
    });
    // Nothing remains that would keep others waiting.
    assert!(!service.tile(&sound.source, &spec(19, 0), &Placement::cpu(), &Progress::new()).unwrap().tiles.exact);
}

#[test]
fn many_at_once_give_what_one_by_one_gives() {
    let sound = sound(500_000, Duration::ZERO);
    let alone: Vec<_> = (0..8).map(|tile| exact(&service(), &sound, &spec(8, tile))).collect();
    let service = service();
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..16)
            .map(|n| {
                scope.spawn({
                    let (service, sound) = (&service, &sound);
                    move || exact(service, sound, &spec(8, n % 8))
                })
            })
            .collect();
        for (n, thread) in running.into_iter().enumerate() {
            assert_eq!(thread.join().unwrap(), alone[n % 8]);
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_tone_is_read_out_to_the_hundredth_of_a_bin(hz in 200.0..20_000.0f64, phase in -3.0..3.0f64, amplitude in 0.01..1.0f64) {
        let open = move || {
            let plane = (0..48_000).map(|n| (amplitude * (std::f64::consts::TAU * hz * f64::from(n) / 48_000.0 + phase).cos()) as f32);
            Ok(Box::new(Fixed { audio: AudioBuffer::from_channels(vec![plane.collect()]), position: 0 }) as Box<dyn AudioReader>)
        };
        let source = SpectrogramSource::new("tone".into(), Arc::new(open)).unwrap();
        let analysis = Analysis { size: 4096, ..ANALYSIS };
        // Somewhere near it, as a pointer would be.
        let found = spectrum_at(&source, &analysis, Lanes::Each, 0, 24_000, hz + 20.0).unwrap();
        prop_assert!((found.peak_hz - hz).abs() < 0.12, "{} Hz of {hz}", found.peak_hz);
        prop_assert!((found.peak_db - 20.0 * amplitude.log10()).abs() < 0.05, "{} dB", found.peak_db);
        let expected = (std::f64::consts::TAU * hz * 0.5 + phase).rem_euclid(std::f64::consts::TAU);
        let turned = (found.phase_rad - expected).rem_euclid(std::f64::consts::TAU);
        prop_assert!(turned.min(std::f64::consts::TAU - turned) < 0.1, "phase {} of {expected}", found.phase_rad);
    }
}

#[test]
fn silence_reads_as_silence() {
    let open = || Ok(Box::new(Fixed { audio: AudioBuffer::new(1, 10_000), position: 0 }) as Box<dyn AudioReader>);
    let source = SpectrogramSource::new("silence".into(), Arc::new(open)).unwrap();
    let found = spectrum_at(&source, &ANALYSIS, Lanes::Each, 0, 5000, 440.0).unwrap();
    assert_eq!((found.db, found.peak_db), (f64::NEG_INFINITY, f64::NEG_INFINITY));
    assert!(found.phase_rad.is_nan());
    for (lane, hz) in [(1, 440.0), (0, -1.0), (0, 30_000.0), (0, f64::NAN)] {
        assert!(spectrum_at(&source, &ANALYSIS, Lanes::Each, lane, 0, hz).is_err());
    }
}

/// A recording in memory.
struct Fixed {
    audio: AudioBuffer,
    position: u64,
}

impl AudioReader for Fixed {
    fn format(&self) -> AudioFormat {
        AudioFormat::new(SampleRate::new(RATE).unwrap(), self.audio.channels())
    }

    fn frames(&self) -> u64 {
        self.audio.frames() as u64
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(self.frames());
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        let from = self.position as usize;
        let to = (from + frames).min(self.audio.frames());
        out.resize(self.audio.channels(), 0);
        out.clear();
        out.extend_from(&self.audio, from..to);
        self.position = to as u64;
        Ok(())
    }
}
