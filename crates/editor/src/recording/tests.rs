use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::*;
use crate::playback::Health;
use crate::playback::capture::{Inlet, InputHost, InputInfo, OpenInput};
use audio::encode::SampleFormat;
use audio::{AudioBuffer, AudioFile};
use base::error::{Error, Result};
use base::progress::Progress;

const RATE: u32 = 8_000;
const SOON: Duration = Duration::from_secs(20);

/// An input that the test drives itself.
struct Inputs {
    channels: usize,
    opened: Sender<(Inlet, Arc<Health>)>,
}

impl InputHost for Inputs {
    fn inputs(&mut self) -> Result<Vec<InputInfo>> {
        Ok(Vec::new())
    }

    fn find(&mut self, _: &InputWish) -> Result<InputInfo> {
        Ok(InputInfo { name: "MIC".into(), rate: RATE, channels: self.channels, ..InputInfo::default() })
    }

    fn open(&mut self, inlet: Inlet, health: Arc<Health>) -> Result<OpenInput> {
        self.opened.send((inlet, health)).unwrap();
        Ok(Box::new(()))
    }
}

struct Rig {
    recorder: Recorder,
    inlet: Inlet,
    health: Arc<Health>,
    folder: tempfile::TempDir,
}

fn armed(channels: usize, choice: ChannelChoice) -> Result<Rig> {
    let (opened, opens): (_, Receiver<_>) = channel();
    let choice = InputChoice { channels: choice, ..InputChoice::default() };
    let recorder = Recorder::arm_with(Box::new(Inputs { channels, opened }), &choice, &Progress::new())?;
    let (inlet, health) = opens.recv_timeout(SOON).unwrap();
    Ok(Rig { recorder, inlet, health, folder: tempfile::tempdir().unwrap() })
}

fn rig(channels: usize) -> Rig {
    armed(channels, ChannelChoice::default()).unwrap()
}

impl Rig {
    fn take(&self) -> Take {
        Take {
            path: self.folder.path().join("take.wav"),
            sample: SampleFormat::Int24,
            length_s: None,
            start_at_db: None,
            preroll_s: 0.0,
            belongs: None,
        }
    }

    fn begin(&self, take: &Take) {
        self.recorder.begin(take, Some(self.folder.path())).unwrap();
    }

    fn until(&self, what: &str, done: impl Fn(&RecorderStatus) -> bool) -> RecorderStatus {
        let begun = Instant::now();
        loop {
            let status = self.recorder.status();
            if done(&status) {
                return status;
            }
            assert!(begun.elapsed() < SOON, "{what}: {status:?}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn sample(n: usize) -> f32 {
    (n % 16_384) as f32 / 32_768.0
}

fn counted(from: usize, frames: usize) -> Vec<f32> {
    (from..from + frames).map(sample).collect()
}

fn read(path: &Path) -> AudioBuffer {
    let file = AudioFile::open(path).unwrap();
    assert_eq!(file.info().warnings, Vec::<String>::new());
    let mut all = AudioBuffer::default();
    file.reader().unwrap().read(&mut all, usize::MAX).unwrap();
    all
}

#[test]
fn every_frame_is_written_from_the_beginning_to_the_stop() {
    let mut rig = rig(1);
    let take = rig.take();
    rig.begin(&take);
    rig.until("it records", |status| status.state == RecorderState::Recording);
    for piece in 0..100 {
        rig.inlet.push(&counted(piece * 333, 333));
    }
    // Everything that was pushed before the stop is written, however late the thread is.
    let end = rig.recorder.stop();
    assert_eq!((end.frames, end.end, end.losses), (33_300, Some(TakeEnd::Stopped), 0));
    assert_eq!(read(&take.path).channel(0), counted(0, 33_300));
    assert!(left(rig.folder.path()).is_empty());
}

#[test]
fn channels_are_chosen_and_the_length_is_kept_to_the_frame() {
    let mut rig = armed(4, ChannelChoice { first: 1, count: Some(2) }).unwrap();
    let take = Take { length_s: Some(0.5), ..rig.take() };
    rig.begin(&take);
    let frames: Vec<f32> = (0..6_000).flat_map(|n| [9.0, sample(n), -sample(n), 9.0]).collect();
    rig.inlet.push(&frames);
    let status = rig.until("it ends by itself", |status| status.state == RecorderState::Ended);
    assert_eq!((status.frames, status.recorded_s, status.end), (4_000, 0.5, Some(TakeEnd::Length)));
    let back = read(&take.path);
    assert_eq!((back.channels(), back.channel(0)), (2, &counted(0, 4_000)[..]));
    assert!(back.channel(1).iter().zip(back.channel(0)).all(|(right, left)| *right == -*left));
    for (first, count) in [(0, Some(5)), (4, None), (0, Some(0)), (usize::MAX, Some(2))] {
        assert!(matches!(armed(4, ChannelChoice { first, count }), Err(Error::Invalid { .. })), "{first} {count:?}");
    }
}

#[test]
fn a_pause_leaves_out_what_comes_meanwhile() {
    let mut rig = rig(1);
    let take = rig.take();
    rig.begin(&take);
    rig.inlet.push(&counted(0, 1_000));
    rig.until("the first part", |status| status.frames == 1_000);
    rig.recorder.pause(true);
    rig.until("it pauses", |status| status.state == RecorderState::Paused);
    rig.inlet.push(&[0.75; 500]);
    rig.until("the levels go on", |status| status.channels[0].held == 0.75);
    rig.recorder.pause(false);
    rig.until("it goes on", |status| status.state == RecorderState::Recording);
    rig.inlet.push(&counted(1_000, 700));
    rig.recorder.stop();
    assert_eq!(read(&take.path).channel(0), counted(0, 1_700));
}

#[test]
fn it_begins_at_a_level_with_what_came_before() {
    let mut rig = rig(1);
    // -40 dB is 0.01.
    let take = Take { start_at_db: Some(-40.0), preroll_s: 0.1, ..rig.take() };
    let quiet: Vec<f32> = (0..5_000).map(|n| sample(n) / 100.0).collect();
    rig.inlet.push(&quiet[..3_000]);
    rig.begin(&take);
    rig.until("it waits", |status| status.state == RecorderState::Waiting);
    rig.inlet.push(&quiet[3_000..]);
    rig.inlet.push(&[0.001, 0.5, 0.25]);
    rig.until("it records", |status| status.state == RecorderState::Recording);
    rig.recorder.stop();
    let back = read(&take.path);
    let whole: Vec<f32> = quiet.iter().copied().chain([0.001, 0.5, 0.25]).collect();
    // 800 frames before the first loud one.
    let wanted = &whole[5_001 - 800..];
    assert_eq!(back.frames(), wanted.len());
    assert!(back.channel(0).iter().zip(wanted).all(|(got, wanted)| (got - wanted).abs() < 1e-6));
}

#[test]
fn what_never_began_leaves_no_file() {
    let mut rig = rig(1);
    let take = Take { start_at_db: Some(-20.0), ..rig.take() };
    rig.begin(&take);
    assert!(take.path.exists());
    rig.inlet.push(&[0.01; 800]);
    let end = rig.recorder.stop();
    assert_eq!((end.frames, end.end), (0, Some(TakeEnd::Stopped)));
    assert!(!take.path.exists());
}

#[test]
fn an_unplugged_input_and_a_stalled_one_leave_what_was_recorded() {
    for stalls in [false, true] {
        let mut rig = rig(2);
        let take = rig.take();
        rig.begin(&take);
        let frames: Vec<f32> = counted(0, 2_000).into_iter().flat_map(|sample| [sample, 0.0]).collect();
        rig.inlet.push(&frames);
        if !stalls {
            rig.health.lose("It was disconnected. Connect it and record again");
        }
        let status = rig.until("it ends", |status| status.state == RecorderState::Ended);
        let Some(TakeEnd::Problem(why)) = &status.end else { panic!("{status:?}") };
        assert!(
            why.contains(if stalls { "MIC gave no more sound" } else { "MIC failed. It was disconnected" }),
            "{why}"
        );
        assert_eq!((status.frames, read(&take.path).channel(0)), (2_000, &counted(0, 2_000)[..]));
        assert!(left(rig.folder.path()).is_empty(), "it has ended properly");
    }
}

#[test]
fn a_full_disk_ends_it_with_everything_written_readable() {
    let mut rig = rig(1);
    let take = rig.take();
    rig.begin(&take);
    rig.inlet.push(&counted(0, 1_000));
    rig.until("the first part", |status| status.frames == 1_000);
    rig.recorder.fail_after(1_001);
    for piece in 1..9 {
        rig.inlet.push(&counted(1_000 * piece, 1_000));
    }
    let status = rig.until("it ends", |status| status.state == RecorderState::Ended);
    let Some(TakeEnd::Problem(why)) = &status.end else { panic!("{status:?}") };
    assert!(why.starts_with("The disk is full."), "{why}");
    // 1,001 bytes are 333 whole frames.
    assert_eq!((status.frames, read(&take.path).channel(0)), (1_333, &counted(0, 1_333)[..]));
}

#[test]
fn lost_frames_are_silence_and_told_with_their_place() {
    let mut rig = rig(1);
    let take = rig.take();
    rig.begin(&take);
    rig.inlet.push(&counted(0, 800));
    rig.until("the first part", |status| status.frames == 800);
    // More than the ring holds: all of it is lost.
    rig.inlet.push(&vec![0.5; 20 * RATE as usize]);
    rig.inlet.push(&counted(800, 400));
    rig.until("the second part", |status| status.frames == 800 + 160_000 + 400);
    rig.health.count_glitch();
    rig.until("a loss that the system tells", |status| status.losses == 2);
    let end = rig.recorder.stop();
    assert_eq!(end.lost[0], LostPart { at_s: 0.1, frames: Some(160_000) });
    assert_eq!(end.lost[1].frames, None);
    let back = read(&take.path);
    assert_eq!(back.channel(0)[..800], counted(0, 800));
    assert!(back.channel(0)[800..160_800].iter().all(|&sample| sample == 0.0));
    assert_eq!(back.channel(0)[160_800..], counted(800, 400));
}

#[test]
fn levels_and_clipping_are_measured_before_and_while_it_records() {
    let mut rig = rig(2);
    rig.inlet.push(&[1.0, 0.25].repeat(1_000));
    rig.until("it is measured", |status| status.channels[0].clipped == 1_000);
    let take = rig.take();
    rig.begin(&take);
    rig.inlet.push(&[0.5, 1.0].repeat(800));
    let status = rig.until("it counts anew", |status| status.channels[1].clipped == 800);
    assert_eq!((status.channels[0].clipped, status.channels[0].held, status.channels[0].rms), (0, 0.5, 0.5));
    let status = rig.until("the free space is known", |status| status.left_s.is_some());
    assert!(status.left_s.is_some_and(|seconds| seconds > 0.0));
}

#[test]
fn wrong_wishes_are_refused_and_change_no_file() {
    let rig = rig(1);
    let plain = rig.take();
    for take in [
        Take { length_s: Some(0.0), ..plain.clone() },
        Take { length_s: Some(f64::NAN), ..plain.clone() },
        Take { start_at_db: Some(3.0), ..plain.clone() },
        Take { preroll_s: -1.0, ..plain.clone() },
    ] {
        assert!(matches!(rig.recorder.begin(&take, None), Err(Error::Invalid { .. })), "{take:?}");
    }
    std::fs::write(&plain.path, "mine").unwrap();
    assert!(matches!(rig.recorder.begin(&plain, None), Err(Error::Refused { .. })));
    assert_eq!(std::fs::read(&plain.path).unwrap(), b"mine");
    std::fs::remove_file(&plain.path).unwrap();
    rig.begin(&plain);
    let second = Take { path: rig.folder.path().join("second.wav"), ..plain };
    assert!(matches!(rig.recorder.begin(&second, None), Err(Error::Impossible(_))));
}

#[test]
fn another_part_of_the_program_is_recorded_by_a_tap() {
    let folder = tempfile::tempdir().unwrap();
    let rate = base::units::SampleRate::new(RATE).unwrap();
    let (recorder, mut inlet) = Recorder::tap("wet", audio::AudioFormat::new(rate, 1)).unwrap();
    let path = folder.path().join("wet.wav");
    let take = Take {
        path: path.clone(),
        sample: SampleFormat::Float32,
        length_s: None,
        start_at_db: None,
        preroll_s: 0.0,
        belongs: None,
    };
    recorder.begin(&take, None).unwrap();
    inlet.push(&[2.5, -0.125, 0.1]);
    recorder.stop();
    assert_eq!(read(&path).channel(0), [2.5, -0.125, 0.1], "floats keep every bit");
}
