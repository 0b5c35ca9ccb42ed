//! Opening hostile files: from every seed, mutants with bytes flipped, cut, spliced and repeated. None may panic, hang
//! or take more memory than the bound.
//!
//! `UNDERTONE_FUZZ_MUTANTS` sets the number of mutants of each seed (24 by default), `UNDERTONE_FUZZ_SEED` the chance.

mod opening_support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use opening_support::{Wav, random};
use undertone::audio::{AudioBuffer, AudioFile};

/// What one file may take at most.
const MOST_BYTES: usize = 256 << 20;
/// How long it may take at most, on a busy machine.
const MOST_TIME: Duration = Duration::from_secs(20);
/// What of a file is read at most: headers may promise days.
const MOST_FRAMES: u64 = 4_000_000;

struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged; only counters are kept beside it.
#[allow(unsafe_code, reason = "an allocator that counts can only be written so")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(held, Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn seeds() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/audio");
    let mut seeds: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension != "sh"))
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap()))
        .collect();
    assert!(seeds.len() > 20, "the seeds are missing");
    for magic in ["RIFF", "RF64", "AIFC"] {
        let wav = Wav { magic, ..Wav::plain(16, 2) };
        seeds.push((magic.to_owned(), wav.bytes(500, |_, frame| (frame % 50) as f64 / 100.0)));
    }
    seeds.sort();
    seeds
}

/// A mutant of `bytes`; most changes hit the first half kilobyte, where the headers are.
fn mutant(bytes: &[u8], other: &[u8], random: &mut impl FnMut() -> u64) -> Vec<u8> {
    let mut mutant = bytes.to_vec();
    for _ in 0..=(random() % 4) {
        if mutant.is_empty() {
            break;
        }
        let reach = if random().is_multiple_of(3) { mutant.len() } else { mutant.len().min(512) };
        let at = random() as usize % reach;
        match random() % 8 {
            0 => mutant.truncate(at.max(1)),
            1 => {
                let from = random() as usize % other.len();
                let count = (random() as usize % 64).min(other.len() - from);
                mutant.splice(at..(at + count).min(mutant.len()), other[from..from + count].iter().copied());
            }
            2 => {
                let count = (random() as usize % 256).min(mutant.len() - at);
                mutant.drain(at..at + count);
            }
            3 => {
                let piece = mutant[at..(at + 200).min(mutant.len())].to_vec();
                mutant.splice(at..at, piece);
            }
            // Sizes and counts at their limits.
            4 => {
                let value = [0, 0xff, 0x7f, 0x80][random() as usize % 4];
                let end = (at + 1 + random() as usize % 8).min(mutant.len());
                mutant[at..end].fill(value);
            }
            _ => mutant[at] ^= 1 << (random() % 8),
        }
    }
    mutant
}

/// Opens a file, reads it, jumps about in it.
fn exercise(path: &Path, random: &mut impl FnMut() -> u64) {
    let Ok(file) = AudioFile::open(path) else { return };
    let Ok(mut reader) = file.reader() else { return };
    let mut part = AudioBuffer::default();
    let mut read = 0;
    while read < MOST_FRAMES {
        reader.read(&mut part, 4096).unwrap();
        if part.is_empty() {
            break;
        }
        read += part.frames() as u64 * part.channels() as u64;
    }
    for _ in 0..3 {
        reader.seek(random() % file.info().frames.max(1)).unwrap();
        reader.read(&mut part, 1000).unwrap();
    }
}

#[test]
fn hostile_files_neither_panic_nor_hang_nor_eat_memory() {
    let number = |name: &str, otherwise: u64| std::env::var(name).ok().map_or(otherwise, |text| text.parse().unwrap());
    let (mutants, chance) = (number("UNDERTONE_FUZZ_MUTANTS", 24), number("UNDERTONE_FUZZ_SEED", 1));
    let folder = tempfile::tempdir().unwrap();
    let seeds = seeds();
    for (which, (name, bytes)) in seeds.iter().enumerate() {
        let mut random = random(chance * 1000 + which as u64);
        for round in 0..mutants {
            let other = &seeds[random() as usize % seeds.len()].1;
            let path = folder.path().join("mutant");
            let mutant = mutant(bytes, other, &mut random);
            std::fs::write(&path, &mutant).unwrap();
            if let Ok(kept) = std::env::var("UNDERTONE_FUZZ_KEEP") {
                std::fs::write(kept, &mutant).unwrap();
            }
            PEAK.store(HELD.load(Relaxed), Relaxed);
            let (before, started) = (HELD.load(Relaxed), Instant::now());
            exercise(&path, &mut random);
            let (took, most) = (started.elapsed(), PEAK.load(Relaxed).saturating_sub(before));
            assert!(took < MOST_TIME, "{name}, mutant {round}: {took:?}");
            assert!(most < MOST_BYTES, "{name}, mutant {round}: {} MiB", most >> 20);
        }
    }
}
