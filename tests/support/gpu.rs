//! Shared by the tests of kernels: an adapter, used by one test at a time, and noise.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use base::sound::AudioBuffer;
use dsp::gpu::{Adapters, Engine};

thread_local! {
    static TURNS: Cell<u32> = const { Cell::new(0) };
}

/// Exclusive use of the GPU by one thread; other threads wait. A thread may take it several times.
pub struct Turn {
    _alone: Option<MutexGuard<'static, ()>>,
}

impl Turn {
    pub fn take() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        let is_first = TURNS.replace(TURNS.get() + 1) == 0;
        Self { _alone: is_first.then(|| ALONE.lock().unwrap_or_else(PoisonError::into_inner)) }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        TURNS.set(TURNS.get() - 1);
    }
}

/// An engine of the test adapter, for one test at a time.
pub struct TestEngine {
    engine: Engine,
    _turn: Turn,
}

impl TestEngine {
    /// The engine alone; the caller must keep a turn itself.
    pub fn into_engine(self) -> Engine {
        self.engine
    }
}

impl Deref for TestEngine {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        &self.engine
    }
}

impl DerefMut for TestEngine {
    fn deref_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }
}

/// Opens the first usable adapter. If there is none, the test fails with `UNDERTONE_REQUIRE_GPU=1` and is skipped with
/// a message otherwise.
pub fn engine() -> Option<TestEngine> {
    let turn = Turn::take();
    let adapters = Adapters::enumerate();
    let usable = (0..adapters.list().len()).find_map(|index| adapters.get(index).ok());
    let opened = usable.map(Engine::open);
    match opened {
        Some(Ok(engine)) => {
            println!("testing on {}", engine.info().key());
            Some(TestEngine { engine, _turn: turn })
        }
        other => {
            let required = std::env::var("UNDERTONE_REQUIRE_GPU").is_ok_and(|value| value == "1");
            assert!(!required, "UNDERTONE_REQUIRE_GPU=1, but there is no usable adapter: {other:?}");
            eprintln!("SKIPPED: there is no usable GPU adapter, the GPU leg of this test did not run ({other:?})");
            None
        }
    }
}

/// White noise in -1..1.
pub fn noise(seed: u32, frames: usize) -> Vec<f32> {
    let mut state = u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..frames)
        .map(|_| {
            // xorshift64 (Marsaglia, 2003)
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect()
}

/// Different noise in every channel.
pub fn noise_buffer(channels: usize, frames: usize) -> AudioBuffer {
    AudioBuffer::from_channels((0..channels).map(|channel| noise(channel as u32 + 1, frames)).collect())
}

/// Returns the bits of the samples, for exact comparison.
pub fn bits(samples: &[f32]) -> Vec<u32> {
    samples.iter().map(|sample| sample.to_bits()).collect()
}
