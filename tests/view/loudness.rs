//! Loudness over time, measured in the background.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use audio::{AudioBuffer, AudioFormat, AudioReader};
use base::Result;
use base::error::Error;
use base::progress::Progress;
use base::units::SampleRate;
use dsp::measure::loudness::integrated_lufs;
use editor::view::loudness::{LoudnessTrack, TrackState};

/// A minute of a sine that swells, readable only as far as the test allows.
struct Gated {
    position: u64,
    /// Frames that may be read; `None` allows all.
    allowed: Option<Arc<Mutex<u64>>>,
    fails_at: u64,
}

const FRAMES: u64 = 60 * 48_000;

impl Gated {
    fn new(allowed: Option<Arc<Mutex<u64>>>) -> Self {
        Self { position: 0, allowed, fails_at: u64::MAX }
    }
}

impl AudioReader for Gated {
    fn format(&self) -> AudioFormat {
        AudioFormat::new(SampleRate::new(48_000).unwrap(), 1)
    }

    fn frames(&self) -> u64 {
        FRAMES
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> Result<()> {
        self.position = frame.min(FRAMES);
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> Result<()> {
        while let Some(allowed) = &self.allowed
            && self.position >= *allowed.lock().unwrap()
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        if self.position >= self.fails_at {
            return Err(Error::Internal("the disk went away".to_owned()));
        }
        let count = (frames as u64).min(FRAMES - self.position);
        let sample =
            |frame: u64| (0.4 * (frame as f64 * 0.131).sin() * (0.6 + 0.4 * (frame as f64 / 2e5).sin())) as f32;
        *out = AudioBuffer::from_channels(vec![(self.position..self.position + count).map(sample).collect()]);
        self.position += count;
        Ok(())
    }
}

/// Starts a track and tells what it tells.
fn start(reader: Gated) -> (LoudnessTrack, Receiver<TrackState>) {
    let (news, heard): (Sender<TrackState>, _) = channel();
    let open = move |progress: &Progress| {
        progress.set_total(FRAMES);
        Ok(Box::new(reader) as Box<dyn AudioReader>)
    };
    let track = LoudnessTrack::start(open, Box::new(move |state| drop(news.send(state)))).unwrap();
    (track, heard)
}

fn wait(what: &str, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_mins(1), "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_curve_grows_with_real_progress_and_ends_as_the_whole_measure() {
    let allowed = Arc::new(Mutex::new(FRAMES / 4));
    let (track, heard) = start(Gated::new(Some(Arc::clone(&allowed))));
    wait("a quarter", || track.state().points >= 148);
    let state = track.state();
    assert!(!state.finished && (0.2..0.35).contains(&state.share), "{state:?}");
    let early = track.read(|curve| curve.momentary().to_vec());
    *allowed.lock().unwrap() = u64::MAX;
    wait("all", || track.state().finished);
    assert_eq!((track.state().points, track.state().share), (600, 1.0));
    track.read(|curve| assert_eq!(curve.momentary()[..early.len()], early[..], "what was told first stays so"));
    let whole = integrated_lufs(&mut Gated::new(None), &Progress::new()).unwrap().unwrap();
    let found = track.read(|curve| curve.summary().integrated).unwrap();
    assert!((found - whole).abs() < 0.1, "{found} is not {whole} LUFS");
    assert!(heard.iter().any(|state| state.finished), "the end is told");
}

#[test]
fn what_is_superseded_ends_and_tells_no_more() {
    let allowed = Arc::new(Mutex::new(FRAMES / 4));
    let (track, heard) = start(Gated::new(Some(Arc::clone(&allowed))));
    wait("a beginning", || track.state().points > 10);
    drop(track);
    *allowed.lock().unwrap() = u64::MAX;
    // Its thread drops the other end: without a cancel it would read on and report the end.
    let told: Vec<TrackState> = heard.iter().collect();
    assert!(told.iter().all(|state| !state.finished && state.failure.is_none()), "{told:?}");
}

#[test]
fn a_failure_is_told_and_what_was_measured_before_stays() {
    let reader = Gated { fails_at: FRAMES / 2, ..Gated::new(None) };
    let (track, heard) = start(reader);
    let last = heard.iter().last().unwrap();
    assert!(last.failure.unwrap().contains("The disk went away"));
    assert!(!track.state().finished && (295..=301).contains(&track.state().points), "{:?}", track.state());
}
