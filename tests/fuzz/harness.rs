//! Runs cases one at a time with limits on time and memory, and prints how to repeat a failed one.

use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The run time of a target in seconds if `UNDERTONE_FUZZ_SECONDS` is not set.
const SECONDS: u64 = 8;
/// Allocations beyond this limit above the program's baseline fail, which ends the process with a message before the
/// machine runs out of memory.
const HARD_LIMIT_BYTES: usize = 2 << 30;

/// Counts the allocated bytes and their peak.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed to the system's allocator unchanged, or fails as an allocator may.
#[allow(unsafe_code, reason = "an allocator that counts can only be written so")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(held, Relaxed);
        if held > HARD_LIMIT_BYTES {
            HELD.fetch_sub(layout.size(), Relaxed);
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Ensures that one case runs at a time, so that memory and time are attributed to it.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Prevents cases from running while the guard lives. Allocations of a concurrent test would be attributed to them.
pub fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The target of a case that never ended. It still takes memory and time, which would be attributed to later cases.
static HUNG: Mutex<Option<&str>> = Mutex::new(None);

/// The name of the threads that run cases.
const WORKER: &str = "fuzz case";

/// The limits of one case.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Memory in bytes beyond the program's baseline.
    pub bytes: usize,
    /// Time, also on a busy machine.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 256 << 20, time: Duration::from_secs(20) }
    }
}

/// A reproducible random generator (xorshift).
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        random.next();
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    /// Returns a number below `end`, which must be at least 1.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Returns `true` once in `times` on average.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len() as u64) as usize]
    }

    /// Returns a value of `bits` bits, most often at or near an extreme: 0, 1, a power of two, the maximum.
    pub fn extreme(&mut self, bits: u32) -> u64 {
        let most = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let value = match self.below(8) {
            0 => 0,
            1 => 1,
            2 => most,
            3 => most - 1,
            4 => 1 << self.below(u64::from(bits.max(1))),
            5 => (1u64 << self.below(u64::from(bits.max(1)))).wrapping_sub(1),
            6 => most / 2 + self.below(2),
            _ => self.next() ^ (self.next() << 40),
        };
        value & most
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }
}

/// Reads a number from the environment.
pub fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().map_or(otherwise, |text| text.parse().expect("a number"))
}

/// The message and location of the last panic. Panics of third-party decoders may be caught, so only one that reaches
/// the harness is printed.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

fn keep_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let loud = take_hook();
        set_hook(Box::new(move |panic| {
            // The message of a failing test must be printed.
            if thread::current().name() == Some(WORKER) {
                *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string();
            } else {
                loud(panic);
            }
        }));
    });
}

/// Runs cases from `make` through `exercise` until the target's time is over, at least 16 of them; or as many as
/// `UNDERTONE_FUZZ_CASES` says.
///
/// # Panics
/// Panics if a case panics or exceeds `limits`. The message contains the case's seed and the folder in which the case
/// is stored.
pub fn run(
    target: &'static str,
    limits: Limits,
    make: impl Fn(&mut Random) -> Vec<u8>,
    exercise: impl Fn(&Path, &mut Random) + Send + Sync + 'static,
) {
    keep_panics_quiet();
    let exercise = std::sync::Arc::new(exercise);
    let (seconds, first) = (number("UNDERTONE_FUZZ_SECONDS", SECONDS), number("UNDERTONE_FUZZ_SEED", 1));
    let wanted = number("UNDERTONE_FUZZ_CASES", 0);
    let (mut slowest, mut largest) = ((Duration::ZERO, 0), (0, 0));
    let keep = std::env::var_os("UNDERTONE_FUZZ_KEEP").map(PathBuf::from);
    let folder = tempfile::tempdir().expect("a folder");
    let (mut spent, mut cases) = (Duration::ZERO, 0u64);
    while if wanted > 0 { cases < wanted } else { cases < 16 || spent < Duration::from_secs(seconds) } {
        let turn = alone();
        let hung = *HUNG.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(hung.is_none(), "{target}: not run, because a case of {} is still running", hung.unwrap_or_default());
        let seed = first.wrapping_mul(1_000_003).wrapping_add(cases);
        let begun = Instant::now();
        let mut random = Random::new(seed);
        let case = match std::env::var_os("UNDERTONE_FUZZ_CASE") {
            Some(kept) => std::fs::read(kept).expect("a case"),
            None => make(&mut random),
        };
        let path = folder.path().join("case");
        std::fs::write(&path, &case).expect("written");
        if let Some(keep) = &keep {
            std::fs::write(keep.join(target), &case).expect("kept");
        }
        let (took, most, outcome) = guarded(&exercise, path, random, limits.time);
        let found = match outcome {
            Outcome::Panicked(what) => Some(what),
            Outcome::Hung => {
                *HUNG.lock().unwrap_or_else(PoisonError::into_inner) = Some(target);
                Some(format!("still running after {took:?}"))
            }
            Outcome::Done if took > limits.time => Some(format!("took {took:?}")),
            Outcome::Done if most > limits.bytes => Some(format!("took {} MiB", most >> 20)),
            Outcome::Done => None,
        };
        if let Some(found) = found {
            let at = std::env::temp_dir().join(format!("undertone-fuzz-{target}-{seed}"));
            std::fs::write(&at, &case).expect("written");
            panic!("{target}, seed {seed}, case {cases}: {found}\nthe case is {}", at.display());
        }
        drop(turn);
        (slowest, largest) = (slowest.max((took, seed)), largest.max((most, seed)));
        spent += begun.elapsed();
        cases += 1;
    }
    // The script counts the cases by this line.
    println!("fuzz {target}: {cases} cases in {:.1} s", spent.as_secs_f64());
    println!(
        "the slowest took {:?} (seed {}), the largest {} KiB (seed {})",
        slowest.0,
        slowest.1,
        largest.0 >> 10,
        largest.1
    );
}

enum Outcome {
    Done,
    Panicked(String),
    Hung,
}

/// Runs one case on a separate thread. Returns its duration, its peak memory and its outcome.
fn guarded(
    exercise: &std::sync::Arc<impl Fn(&Path, &mut Random) + Send + Sync + 'static>,
    path: PathBuf,
    mut random: Random,
    time: Duration,
) -> (Duration, usize, Outcome) {
    let exercise = std::sync::Arc::clone(exercise);
    let (done, end) = sync_channel(1);
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let begun = Instant::now();
    let work = move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| exercise(&path, &mut random)));
        let _ = done.send(outcome.map_err(|_| LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner).clone()));
    };
    let worker = thread::Builder::new().name(WORKER.into()).spawn(work).expect("a thread");
    let outcome = match end.recv_timeout(time * 2) {
        Ok(Ok(())) => Outcome::Done,
        Ok(Err(what)) => Outcome::Panicked(what),
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Outcome::Hung,
    };
    let took = begun.elapsed();
    if !matches!(outcome, Outcome::Hung) {
        let _ = worker.join();
    }
    (took, PEAK.load(Relaxed).saturating_sub(before), outcome)
}
