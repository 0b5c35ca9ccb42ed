//! Real recording, from the monitor of a private server's null sink, which is its default source.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use undertone::Error;
use undertone::chain::{Chain, Placement};
use undertone::playback::capture::record;
use undertone::playback::{ChainSource, Player};
use undertone::progress::Progress;

use super::pulse::{start, without_server};
use super::signal::{Finder, noise, opener, residual_db};

#[test]
fn what_plays_is_recorded_to_the_sample() {
    let Some(pulse) = start(&[("main", 48_000)]) else { return };
    pulse.control(&["set-default-source", "main.monitor"]);
    let samples = noise(20 * 48_000);
    // On a busy machine samples are lost. A recording that is never complete in ten attempts is an error.
    for _ in 0..10 {
        let player = Player::new(None);
        player.load(
            Some(Arc::new(ChainSource::new(opener(48_000, samples.clone()), Placement::cpu()).unwrap())),
            Chain::default(),
        );
        player.play(0, None);
        let begun = Instant::now();
        while player.transport().frame < 4_800 {
            assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", player.transport());
            thread::sleep(Duration::from_millis(5));
        }
        let progress = Progress::new();
        let recorded = record(1.0, &progress).unwrap();
        println!("{}: peak {}, {} gaps", recorded.device_name, recorded.peak(), recorded.gaps);
        assert_eq!((recorded.rate.hz(), recorded.channels.len()), (48_000, 2));
        assert_eq!((progress.snapshot().done, progress.snapshot().total), (48_000, 48_000));
        assert!(recorded.channels.iter().all(|channel| channel.len() == 48_000));
        let whole = samples.channel(1);
        let piece = &recorded.channels[1][20_000..22_000];
        let place = Finder::new(whole, piece.len()).find(piece);
        if whole.get(place..place + piece.len()).is_some_and(|wanted| residual_db(piece, wanted) < -90.0) {
            return;
        }
    }
    panic!("what was played was never recorded");
}

#[test]
fn silence_and_a_cancel_are_told() {
    let Some(_pulse) = start(&[("main", 44_100)]) else { return };
    let recorded = record(0.2, &Progress::new()).unwrap();
    assert_eq!((recorded.peak(), recorded.rate.hz()), (0.0, 44_100));

    let progress = Progress::new();
    let cancel = progress.clone();
    let canceller = thread::spawn(move || {
        wait_for_sound(&cancel);
        cancel.cancel();
    });
    assert!(matches!(record(60.0, &progress), Err(Error::Cancelled)));
    canceller.join().unwrap();
}

/// If another input remains, the sound server itself moves the recording there silently.
#[test]
fn the_last_input_pulled_out_is_told() {
    let Some(pulse) = start(&[("main", 48_000)]) else { return };
    let progress = Progress::new();
    let running = progress.clone();
    let recorder = thread::spawn(move || record(20.0, &running));
    wait_for_sound(&progress);
    pulse.unplug("main");
    let told = recorder.join().unwrap().map(|recorded| recorded.channels[0].len());
    assert!(matches!(told, Err(Error::Capture(_))), "{told:?} frames");
}

/// Waits until a recording has started.
fn wait_for_sound(progress: &Progress) {
    let begun = Instant::now();
    while progress.snapshot().done == 0 {
        assert!(begun.elapsed() < Duration::from_secs(20), "nothing is recorded");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn without_a_sound_system_the_reason_is_told() {
    let _turn = without_server();
    match record(0.1, &Progress::new()) {
        Ok(recorded) => eprintln!("SKIPPED: this machine has an input of its own, {}", recorded.device_name),
        Err(error) => {
            let told = error.to_string();
            assert!(matches!(error, Error::Capture(_)) && told.starts_with("No sound input found. "), "{told}");
        }
    }
}
