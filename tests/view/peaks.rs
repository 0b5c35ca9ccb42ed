//! The waveform: true to the samples at every zoom, with estimates marked as such, quick and never blocking.

use std::error::Error;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::error::Result as CoreResult;
use base::units::SampleRate;
use editor::view::peaks::{
    BASE_FRAMES, ColumnDivision, LIMIT_BYTES, MAX_COLUMNS, OpenReader, PeakCache, Peaks, Pyramid,
};
use proptest::prelude::*;

type Test = Result<(), Box<dyn Error>>;

/// A computed recording of any length; counts the frames read, and waits on request.
#[derive(Clone)]
struct Synthetic {
    channels: usize,
    frames: u64,
    position: u64,
    read: Arc<AtomicU64>,
    held: Arc<AtomicBool>,
    fails_at: Option<u64>,
}

impl Synthetic {
    fn new(channels: usize, frames: u64) -> Self {
        Self { channels, frames, position: 0, read: Arc::default(), held: Arc::default(), fails_at: None }
    }

    /// A sample: noise whose level rises and falls, with a spike here and there.
    fn sample(channel: usize, frame: u64) -> f32 {
        let mut hash = (frame * 8 + channel as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
        hash = hash.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let white = (hash >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
        let level = 0.05 + 0.4 * ((frame / 7000) % 5) as f32 / 4.0;
        if hash.is_multiple_of(10_007) { 1.5 } else { white * level }
    }

    fn opener(self) -> OpenReader {
        Arc::new(move || Ok(Box::new(self.clone())))
    }
}

impl AudioReader for Synthetic {
    fn format(&self) -> AudioFormat {
        AudioFormat::new(SampleRate::try_from(48_000).expect("a rate"), self.channels)
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> CoreResult<()> {
        self.position = frame.min(self.frames);
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> CoreResult<()> {
        // Short reads, as of a coarse picture, always pass.
        while frames > 1000 && self.held.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        if self.fails_at.is_some_and(|at| self.position + frames as u64 > at) {
            return Err(base::Error::malformed("the test's own damage", std::path::Path::new("a.wav")));
        }
        let frames = frames.min((self.frames - self.position) as usize);
        out.resize(self.channels, frames);
        for (index, channel) in out.iter_mut().enumerate() {
            for (offset, sample) in channel.iter_mut().enumerate() {
                *sample = Self::sample(index, self.position + offset as u64);
            }
        }
        self.position += frames as u64;
        self.read.fetch_add(frames as u64, Ordering::Relaxed);
        Ok(())
    }
}

fn built(source: Synthetic) -> CoreResult<Peaks> {
    let mut peaks = Peaks::start(source.opener(), Box::new(|_| ()))?;
    peaks.wait();
    Ok(peaks)
}

/// Compares every column with the samples between its edges.
fn check(peaks: &Peaks, channels: usize, frames: u64, start: f64, end: f64, columns: usize) {
    let shape = Pyramid::new(channels, frames);
    let cut = ColumnDivision::new(start, end, columns, frames, shape.base(), shape.levels());
    let found = peaks.query(start, end, columns).expect("a query");
    assert!(found.exact);
    assert_eq!(found.channels.len(), channels);
    for (channel, found) in found.channels.iter().enumerate() {
        assert_eq!((found.min.len(), found.max.len(), found.rms.len()), (columns, columns, columns));
        for column in 0..columns {
            let range = cut.column(column);
            let at = format!("{start}..{end} in {columns}: column {column}, {range:?}");
            if range.is_empty() {
                assert!(found.min[column].is_nan() && found.max[column].is_nan() && found.rms[column].is_nan(), "{at}");
                continue;
            }
            // The edges are where the picture says they are: within a sixteenth of a column, or a bucket.
            let width = (end - start) / columns as f64;
            let slack = if width >= BASE_FRAMES as f64 * 8.0 { width / 16.0 } else { BASE_FRAMES as f64 / 2.0 };
            let slack = if cut.bucket() == 1 { 1.0 } else { slack + 1e-6 };
            let (left, right) = (start + column as f64 * width, start + (column + 1) as f64 * width);
            assert!((range.start as f64 - left.max(0.0)).abs() <= slack, "{at}");
            let least = range.end - range.start <= cut.bucket() || range.end == frames;
            assert!((range.end as f64 - right).abs() <= slack || least, "{at}");
            let samples = range.clone().map(|frame| Synthetic::sample(channel, frame));
            let min = samples.clone().fold(f32::INFINITY, f32::min);
            let max = samples.clone().fold(f32::NEG_INFINITY, f32::max);
            let energy: f64 = samples.map(|sample| (sample as f64).powi(2)).sum();
            let rms = (energy / (range.end - range.start) as f64).sqrt();
            assert_eq!((found.min[column], found.max[column]), (min, max), "{at}");
            assert!((found.rms[column] as f64 - rms).abs() <= 4e-6 * rms.max(1e-3), "{at}: {}", found.rms[column]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn any_range_at_any_zoom_says_what_the_samples_say(
        start in -5_000.0..300_000.0f64,
        length in prop_oneof![0.5..50.0f64, 50.0..5_000.0f64, 5_000.0..400_000.0f64],
        columns in prop_oneof![1usize..5, 100usize..900],
    ) {
        static PEAKS: Mutex<Option<Peaks>> = Mutex::new(None);
        let mut peaks = PEAKS.lock().expect("a lock");
        let peaks = peaks.get_or_insert_with(|| built(Synthetic::new(2, 300_001)).expect("a waveform"));
        check(peaks, 2, 300_001, start, start + length, columns);
    }
}

#[test]
fn recordings_of_any_length_are_drawn() -> Test {
    for frames in [0, 1, 2, BASE_FRAMES - 1, BASE_FRAMES, BASE_FRAMES + 1, 65_535, 65_536, 65_537, 65_536 + 256] {
        let peaks = built(Synthetic::new(1, frames))?;
        assert_eq!(peaks.state().exact_share, 1.0);
        for columns in [1, 3, 1000] {
            check(&peaks, 1, frames, 0.0, frames.max(1) as f64, columns);
            check(&peaks, 1, frames, -10.0, frames as f64 + 2000.0, columns);
        }
        assert_eq!(peaks.samples(0, 10)?.frames() as u64, frames.min(10));
        assert_eq!(peaks.samples(frames + 5, frames + 9)?.frames(), 0);
    }
    Ok(())
}

#[test]
fn a_coarse_picture_comes_first_and_is_told_from_the_exact_one() -> Test {
    let source = Synthetic::new(2, 20_000_000);
    source.held.store(true, Ordering::Relaxed);
    let (read, held) = (Arc::clone(&source.read), Arc::clone(&source.held));
    let shares = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&shares);
    let mut peaks =
        Peaks::start(source.opener(), Box::new(move |state| told.lock().expect("a lock").push(state.exact_share)))?;
    // Five passes, or those that a slow machine has time for.
    for _ in 0..2000 {
        if shares.lock().map_err(|_| "poisoned")?.len() < 5 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    // A thousandth of the recording was read, and every column has its estimate.
    assert!(read.load(Ordering::Relaxed) < 20_000_000 / 30);
    let coarse = peaks.query(0.0, 20_000_000.0, 800)?;
    assert!(!coarse.exact);
    assert!(peaks.state().exact_share < 0.1);
    for channel in &coarse.channels {
        assert!(channel.min.iter().zip(&channel.max).all(|(min, max)| min < max));
    }
    held.store(false, Ordering::Relaxed);
    peaks.wait();
    let exact = peaks.query(0.0, 20_000_000.0, 800)?;
    assert!(exact.exact);
    assert_eq!(peaks.state().exact_share, 1.0);
    for (coarse, exact) in coarse.channels.iter().zip(&exact.channels) {
        // An estimate lies within the values of its column or of a neighbour, and near them.
        for (column, &coarse) in coarse.max.iter().enumerate() {
            let near = &exact.max[column.saturating_sub(1)..(column + 2).min(800)];
            assert!(near.iter().any(|&exact| coarse <= exact), "{column}: {coarse}, {near:?}");
        }
        let near = coarse.rms.iter().zip(&exact.rms).filter(|(a, b)| (*a / *b - 1.0).abs() < 0.5).count();
        assert!(near > 300, "{near} of 800");
    }
    let shares = shares.lock().map_err(|_| "poisoned")?;
    assert_eq!(shares.last(), Some(&1.0));
    assert!(shares.windows(2).all(|pair| pair[0] <= pair[1]), "{shares:?}");
    Ok(())
}

#[test]
fn dropping_a_waveform_ends_its_builder() -> Test {
    let source = Synthetic::new(1, 1 << 40);
    let read = Arc::clone(&source.read);
    let peaks = Peaks::start(source.opener(), Box::new(|_| ()))?;
    while read.load(Ordering::Relaxed) < 1_000_000 {
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(peaks);
    let after = read.load(Ordering::Relaxed);
    std::thread::sleep(Duration::from_millis(30));
    assert_eq!(read.load(Ordering::Relaxed), after);
    Ok(())
}

#[test]
fn what_could_be_read_of_a_damaged_recording_stays() -> Test {
    let source = Synthetic { fails_at: Some(400_000), ..Synthetic::new(1, 1_000_000) };
    let mut peaks = Peaks::start(source.opener(), Box::new(|_| ()))?;
    peaks.wait();
    assert!(peaks.state().failure.is_some_and(|failure| failure.contains("own damage")));
    assert!((0.3..0.4).contains(&peaks.state().exact_share));
    check(&peaks, 1, 1_000_000, 0.0, 300_000.0, 100);
    let whole = peaks.query(0.0, 1_000_000.0, 100)?;
    assert!(!whole.exact && whole.channels[0].max[99].is_nan());
    Ok(())
}

#[test]
fn memory_is_bounded_for_any_length() {
    for (channels, frames) in [(2, 3 * 3600 * 96_000), (2, 3 * 3600 * 48_000), (32, 1 << 36), (1, 1 << 40)] {
        let pyramid = Pyramid::new(channels, frames);
        let bytes: u64 = (0..pyramid.levels())
            .map(|level| frames.div_ceil(pyramid.bucket_frames(level)) * channels as u64 * 12)
            .sum();
        assert!(bytes <= LIMIT_BYTES + LIMIT_BYTES / 100, "{channels} x {frames}: {bytes}");
    }
    assert_eq!(Pyramid::new(2, 3 * 3600 * 48_000).base(), BASE_FRAMES);
}

#[test]
fn finished_waveforms_are_kept_on_disk_and_damaged_ones_are_not_used() -> Test {
    let folder = tempfile::tempdir()?;
    let frames = 100_001;
    let size = 28 + 32 + 12 * 391;
    let cache = PeakCache::new(&folder.path().join("peaks"), 3 * size + 10);
    let start = |key: &str| -> Result<(Peaks, u64), Box<dyn Error>> {
        let source = Synthetic::new(1, frames);
        let read = Arc::clone(&source.read);
        let mut peaks = Peaks::start_cached(source.opener(), cache.clone(), key.into(), Box::new(|_| ()))?;
        peaks.wait();
        check(&peaks, 1, frames, 0.0, frames as f64, 50);
        Ok((peaks, read.load(Ordering::Relaxed)))
    };
    assert_eq!(start("a")?.1, frames);
    assert_eq!(start("a")?.1, 0);
    assert_eq!(start("b")?.1, frames);
    // Another length under the same key is another recording.
    let shaped = |channels, frames| cache.load("a", Pyramid::new(channels, frames)).is_none();
    assert!(shaped(1, frames - 1) || shaped(2, frames));
    assert_eq!(start("a")?.1, frames);
    let files = || -> Result<Vec<std::path::PathBuf>, Box<dyn Error>> {
        Ok(fs::read_dir(folder.path().join("peaks"))?.flatten().map(|entry| entry.path()).collect())
    };
    for file in files()? {
        let mut bytes = fs::read(&file)?;
        assert_eq!(bytes.len() as u64, size);
        bytes[2000] ^= 1;
        fs::write(&file, &bytes)?;
    }
    assert_eq!(start("a")?.1, frames);
    for file in files()? {
        fs::write(&file, b"UT")?;
    }
    assert_eq!(start("b")?.1, frames);
    // The least recently used goes first.
    let mut pause = 0;
    for key in ["a", "b", "c", "a", "d"] {
        std::thread::sleep(Duration::from_millis(15));
        start(key)?;
        pause += 1;
    }
    assert_eq!((pause, files()?.len()), (5, 3));
    assert_eq!(start("a")?.1, 0);
    assert_eq!(start("d")?.1, 0);
    assert_eq!(start("b")?.1, frames);
    Ok(())
}

#[test]
fn nonsense_is_refused() -> Test {
    let peaks = built(Synthetic::new(1, 1000))?;
    for (start, end, columns) in
        [(0.0, 0.0, 10), (5.0, 1.0, 10), (f64::NAN, 1.0, 10), (0.0, f64::INFINITY, 10), (0.0, 10.0, 0)]
    {
        assert!(peaks.query(start, end, columns).is_err());
    }
    assert!(peaks.query(0.0, 10.0, MAX_COLUMNS + 1).is_err());
    assert!(peaks.samples(0, 1 << 40).is_err());
    Ok(())
}

#[test]
fn a_waveform_that_its_own_thread_lets_go_of_does_not_wait_for_itself() -> Test {
    let recording = Synthetic::new(1, 2_000_000);
    recording.held.store(true, Ordering::Relaxed);
    let slot: Arc<Mutex<Option<Peaks>>> = Arc::default();
    let (let_go, told) = mpsc::channel();
    let own = Arc::clone(&slot);
    let on_change = move |_| {
        let last = own.lock().expect("no panic").take();
        if last.is_some() {
            drop(last);
            let _ = let_go.send(());
        }
    };
    let peaks = Peaks::start(recording.clone().opener(), Box::new(on_change))?;
    *slot.lock().expect("no panic") = Some(peaks);
    recording.held.store(false, Ordering::Relaxed);
    told.recv_timeout(Duration::from_secs(20))?;
    Ok(())
}
