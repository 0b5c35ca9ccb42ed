use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;
use audio::{AudioBuffer, AudioReader};

/// An input that the test drives itself.
struct VirtualInput {
    info: Result<InputInfo>,
    refusal: Option<Error>,
    slow: Duration,
    opened: Sender<(Inlet, Arc<Health>)>,
    closed: Sender<()>,
}

struct Closing(Sender<()>);

impl Drop for Closing {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

impl InputHost for VirtualInput {
    fn inputs(&mut self) -> Result<Vec<InputInfo>> {
        Ok(Vec::new())
    }

    fn find(&mut self, _: &InputWish) -> Result<InputInfo> {
        thread::sleep(self.slow);
        std::mem::replace(&mut self.info, Err(Error::Cancelled))
    }

    fn open(&mut self, inlet: Inlet, health: Arc<Health>) -> Result<OpenInput> {
        if let Some(refusal) = self.refusal.take() {
            return Err(refusal);
        }
        self.opened.send((inlet, health)).unwrap();
        Ok(Box::new(Closing(self.closed.clone())))
    }
}

struct Rig {
    input: VirtualInput,
    opened: Receiver<(Inlet, Arc<Health>)>,
    closed: Receiver<()>,
}

fn rig(rate: u32, channels: usize) -> Rig {
    let ((to, opened), (closing, closed)) = (channel(), channel());
    let info = Ok(InputInfo { name: "MIC".into(), rate, channels, ..InputInfo::default() });
    Rig {
        input: VirtualInput { info, refusal: None, slow: Duration::ZERO, opened: to, closed: closing },
        opened,
        closed,
    }
}

const SOON: Duration = Duration::from_secs(20);
const STALL_SOON: Duration = Duration::from_millis(300);

/// Records while `give` drives the input's end.
fn recorded(
    rig: Rig,
    seconds: f64,
    progress: &Progress,
    give: impl FnOnce(Inlet, Arc<Health>) + Send + 'static,
) -> (Result<Recorded>, Receiver<()>) {
    let opened = rig.opened;
    let giver = thread::spawn(move || {
        if let Ok((inlet, health)) = opened.recv_timeout(SOON) {
            give(inlet, health);
        }
    });
    let outcome = record_with(Box::new(rig.input), seconds, STALL_SOON, progress);
    giver.join().unwrap();
    (outcome, rig.closed)
}

fn frame(n: usize, channels: usize) -> Vec<f32> {
    (0..channels).map(|channel| n as f32 / 65_536.0 - channel as f32).collect()
}

#[test]
fn each_frame_is_recorded_in_its_channel_up_to_the_length() {
    for (channels, piece) in [(1, 7), (2, 441), (6, 1_000)] {
        let progress = Progress::new();
        let (outcome, closed) = recorded(rig(8_000, channels), 0.5, &progress, move |mut inlet, _| {
            for start in (0..6_000).step_by(piece) {
                let samples: Vec<f32> = (start..start + piece).flat_map(|n| frame(n, channels)).collect();
                inlet.push(&samples);
            }
        });
        let recorded = outcome.unwrap();
        assert_eq!((recorded.channels.len(), recorded.rate.hz(), recorded.gaps), (channels, 8_000, 0));
        assert_eq!((&recorded.device_name[..], recorded.duration_s()), ("MIC", 0.5));
        for (channel, samples) in recorded.channels.iter().enumerate() {
            assert_eq!(samples.len(), 4_000);
            assert!(samples.iter().enumerate().all(|(n, &sample)| sample == frame(n, channels)[channel]));
        }
        assert_eq!((progress.snapshot().done, progress.snapshot().total), (4_000, 4_000));
        closed.recv_timeout(SOON).expect("the input is closed");
    }
}

#[test]
fn a_recording_is_read_as_a_file_is() {
    let channels = vec![(0..100).map(|n| n as f32).collect::<Vec<f32>>(), vec![0.5; 100]];
    let rate = SampleRate::new(100).unwrap();
    let recorded = Recorded { channels, rate, device_name: String::new(), gaps: 0 };
    assert_eq!(recorded.peak(), 99.0);
    let mut reader = recorded.into_reader();
    let mut out = AudioBuffer::default();
    reader.seek(90).unwrap();
    reader.read(&mut out, usize::MAX).unwrap();
    assert_eq!((out.frames(), out.channel(0)[0], reader.position(), reader.frames()), (10, 90.0, 100, 100));
    reader.read(&mut out, 5).unwrap();
    assert!(out.is_empty() && out.channels() == 2);
}

#[test]
fn silence_is_recorded_and_its_peak_says_so() {
    let (outcome, _) = recorded(rig(8_000, 2), 0.1, &Progress::new(), |mut inlet, _| inlet.push(&[0.0; 1_600]));
    assert_eq!(outcome.unwrap().peak(), 0.0);
    let (outcome, _) = recorded(rig(8_000, 1), 0.1, &Progress::new(), |mut inlet, _| {
        inlet.push(&[f32::NAN; 400]);
        inlet.push(&[f32::NEG_INFINITY; 399]);
        inlet.push(&[-0.25]);
    });
    assert_eq!(outcome.unwrap().peak(), 0.25, "what is not a number is silence");
}

#[test]
fn no_input_and_a_refused_one_say_what_to_do() {
    let mut none = rig(8_000, 1);
    none.input.info = Err(Error::Capture("there is none".into()));
    let (outcome, _) = recorded(none, 1.0, &Progress::new(), |_, _| {});
    assert_eq!(outcome.unwrap_err().to_string(), "There is none.");
    let mut refused = rig(8_000, 1);
    refused.input.refusal = Some(Error::Capture("not allowed".into()));
    let (outcome, _) = recorded(refused, 1.0, &Progress::new(), |_, _| {});
    assert!(outcome.unwrap_err().to_string().contains("Not allowed"));
    let (outcome, _) = recorded(rig(8_000, 0), 1.0, &Progress::new(), |_, _| {});
    assert!(outcome.unwrap_err().to_string().contains("no channels"));
    let (outcome, _) = recorded(rig(0, 2), 1.0, &Progress::new(), |_, _| {});
    assert!(matches!(outcome, Err(Error::Invalid { .. })));
}

#[test]
fn an_input_that_goes_away_says_after_how_long() {
    let (outcome, closed) = recorded(rig(8_000, 2), 1.0, &Progress::new(), |mut inlet, health| {
        inlet.push(&[0.1; 8_000]);
        health.lose("unplugged");
    });
    let told = outcome.unwrap_err().to_string();
    assert!(told.contains("MIC failed after 0.5 s. unplugged"), "{told}");
    closed.recv_timeout(SOON).expect("the input is closed");
    // A recording that is complete before the input goes away is kept.
    let (outcome, _) = recorded(rig(8_000, 2), 0.5, &Progress::new(), |mut inlet, health| {
        inlet.push(&[0.1; 8_000]);
        health.lose("unplugged");
    });
    assert!(outcome.is_ok());
}

#[test]
fn an_input_that_gives_nothing_is_given_up() {
    let (outcome, _) = recorded(rig(8_000, 1), 1.0, &Progress::new(), |mut inlet, _| inlet.push(&[0.1; 800]));
    let told = outcome.unwrap_err().to_string();
    assert!(told.contains("MIC gave no sound after 0.1 s"), "{told}");
}

#[test]
fn a_cancel_is_heard_while_recording_and_while_the_input_is_opened() {
    let progress = Progress::new();
    let cancel = progress.clone();
    let (outcome, closed) = recorded(rig(8_000, 1), 60.0, &progress, move |mut inlet, _| {
        inlet.push(&[0.1; 800]);
        cancel.cancel();
    });
    assert!(matches!(outcome, Err(Error::Cancelled)));
    closed.recv_timeout(SOON).expect("the input is closed");

    let mut slow = rig(8_000, 1);
    slow.input.slow = Duration::from_secs(2);
    let progress = Progress::new();
    let cancel = progress.clone();
    let canceller = thread::spawn(move || {
        thread::sleep(Duration::from_millis(20));
        cancel.cancel();
    });
    assert!(matches!(record_from(Box::new(slow.input), 1.0, &progress), Err(Error::Cancelled)));
    canceller.join().unwrap();
    assert!(slow.opened.try_recv().is_err(), "it did not wait for the input");
    slow.closed.recv_timeout(SOON).expect("an input that nobody waits for is closed");
}

#[test]
fn what_finds_no_room_is_counted() {
    let (outcome, _) = recorded(rig(8_000, 1), 0.5, &Progress::new(), |mut inlet, health| {
        inlet.push(&[0.1; 40_000]);
        health.count_glitch();
        inlet.push(&[0.2; 4_000]);
    });
    let recorded = outcome.unwrap();
    assert_eq!((recorded.gaps, recorded.peak()), (2, f64::from(0.2f32)));
}

#[test]
fn lengths_that_are_none_or_too_much_are_refused() {
    for seconds in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let outcome = record_from(Box::new(rig(8_000, 1).input), seconds, &Progress::new());
        assert!(matches!(outcome, Err(Error::Invalid { .. })), "{seconds}");
    }
    let (outcome, _) = recorded(rig(48_000, 64), 60.0, &Progress::new(), |_, _| {});
    let told = outcome.unwrap_err().to_string();
    assert!(told.contains("limited to 21 s"), "{told}");
}
