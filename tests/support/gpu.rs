//! What the tests of kernels share: an adapter and noise.

#![allow(dead_code, reason = "each test uses a part")]

use undertone::audio::AudioBuffer;
use undertone::gpu::{Adapters, Engine};

/// The adapter to test on: the first that can be used. None is a failure where `UNDERTONE_REQUIRE_GPU=1`, and a loud
/// skip elsewhere.
pub fn engine() -> Option<Engine> {
    let adapters = Adapters::enumerate();
    let usable = (0..adapters.list().len()).find_map(|index| adapters.get(index).ok());
    let opened = usable.map(Engine::open);
    match opened {
        Some(Ok(engine)) => {
            println!("testing on {}", engine.info().key());
            Some(engine)
        }
        other => {
            let required = std::env::var("UNDERTONE_REQUIRE_GPU").is_ok_and(|value| value == "1");
            assert!(!required, "UNDERTONE_REQUIRE_GPU=1, but there is no usable adapter: {other:?}");
            eprintln!("SKIPPED: there is no usable GPU adapter, the GPU leg of this test did not run ({other:?})");
            None
        }
    }
}

/// White noise between -1 and 1.
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

/// Noise in every channel, another in each.
pub fn noise_buffer(channels: usize, frames: usize) -> AudioBuffer {
    AudioBuffer::from_channels((0..channels).map(|channel| noise(channel as u32 + 1, frames)).collect())
}

/// For comparing to the last bit.
pub fn bits(samples: &[f32]) -> Vec<u32> {
    samples.iter().map(|sample| sample.to_bits()).collect()
}
