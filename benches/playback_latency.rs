//! Measures the time until a parameter change is heard: median and 99th percentile.
//!
//! Plays into a null sink of a private `PulseAudio` server and switches a gain back and forth. Reports two figures: the
//! player's own (from the call until half of the crossfade has left the output, with the delay that the host reports),
//! and the time until the changed samples return from the sink's monitor through `parec`, which includes its 20 ms of
//! buffering.
#![allow(clippy::unwrap_used, missing_docs, reason = "a bench")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use undertone::audio::AudioBuffer;
use undertone::chain::{Chain, Placement};
use undertone::playback::{ChainSource, Player};

#[path = "../tests/playback/pulse.rs"]
mod pulse;
#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/playback/signal.rs"]
mod signal;

const CHANGES: usize = 200;
const LEVEL: f32 = 0.5;

fn chain(gain_db: i32) -> Chain {
    let text = format!("lowpass(18 kHz, order=4) | peaking(1 kHz, q=2, gain=3 dB) | gain({gain_db} dB)");
    text.parse().unwrap()
}

fn main() {
    let Some(pulse) = pulse::start(&[("main", 48_000)]) else { return };
    let recording = pulse.record("main", 48_000);
    for rate in [48_000, 44_100] {
        let level = AudioBuffer::from_channels(vec![vec![LEVEL; 120 * rate as usize]; 2]);
        let source = ChainSource::new(signal::opener(rate, level), Placement::cpu()).unwrap();
        let player = Player::new(None);
        player.load(Some(Arc::new(source)), chain(0));
        player.play(0, None);
        while player.transport().frame < u64::from(rate) {
            std::thread::sleep(Duration::from_millis(5));
        }
        let (mut told, mut recorded) = (Vec::new(), Vec::new());
        for change in 0..CHANGES {
            // At varying moments of the output's period.
            std::thread::sleep(Duration::from_micros(60_000 + change as u64 * 7_919 % 40_000));
            let quiet = change % 2 == 0;
            let before = player.transport().heard_after_ms;
            let asked = Instant::now();
            player.set_chain(chain(if quiet { -12 } else { 0 }));
            while (recording.latest() < 0.6 * LEVEL) != quiet {
                assert!(asked.elapsed() < Duration::from_secs(5), "the change is never heard");
                std::thread::sleep(Duration::from_micros(200));
            }
            recorded.push(asked.elapsed().as_secs_f64() * 1e3);
            while player.transport().heard_after_ms == before {
                assert!(asked.elapsed() < Duration::from_secs(5), "the change is never told");
                std::thread::sleep(Duration::from_micros(500));
            }
            told.extend(player.transport().heard_after_ms);
        }
        let end = player.transport();
        println!("{rate} Hz on a 48000 Hz output, {CHANGES} changes, {} under-runs", end.underruns);
        report("  call to sound, as the player tells", &mut told);
        report("  call to the monitor's recording   ", &mut recorded);
    }
}

fn report(what: &str, values: &mut [f64]) {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    let build = if cfg!(debug_assertions) { "dev" } else { "release" };
    println!("{what}: median {:.1} ms, 99 % {:.1} ms, most {:.1} ms ({build} build)", at(0.5), at(0.99), at(1.0));
}
