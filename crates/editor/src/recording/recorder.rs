//! The thread that measures an input and writes it to disk.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::levels::Levels;
use super::preroll::Preroll;
use super::writer::Writer;
use super::{ChannelLevel, InputChoice, LostPart, Take, TakeEnd};
use crate::playback::capture::{CpalInput, Inlet, Input, InputHost, InputInfo, Outlet, inlet};
use crate::playback::{CallTimes, Health};
use audio::{AudioBuffer, AudioFormat};
use base::declared::TS;
use base::error::{Error, Result};
use base::lock::lock;
use base::progress::Progress;
use base::units::{SampleRate, gain_from_db};

/// How often the ring buffer is emptied.
const PAUSE: Duration = Duration::from_millis(10);
/// An input that delivers nothing for this long is given up.
const STALL: Duration = Duration::from_secs(3);
/// The length of the ring buffer in seconds: the longest stall of the disk without loss.
const ROOM_S: usize = 10;
/// Frames taken from the ring buffer at once.
const BLOCK_FRAMES: usize = 1 << 14;
/// The most samples of a pre-roll, over all channels: 16 MiB.
const PREROLL_SAMPLES: usize = 1 << 22;
/// Lost parts in a status.
const TOLD_LOSSES: usize = 20;

/// The state of a recorder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RecorderState {
    /// It measures the input.
    #[default]
    Armed,
    /// It waits for the level at which it begins.
    Waiting,
    /// It records.
    Recording,
    /// It is paused.
    Paused,
    /// The recording has ended, or the input is gone.
    Ended,
}

/// The state of a recorder and its measurements. The window does not show all of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, TS)]
pub struct RecorderStatus {
    /// The state.
    pub state: RecorderState,
    /// The input.
    pub input: InputInfo,
    /// The level of each recorded channel.
    pub channels: Vec<ChannelLevel>,
    /// The length of the recording in seconds.
    pub recorded_s: f64,
    /// The length in frames.
    #[serde(skip)]
    pub frames: u64,
    /// How often samples were lost.
    #[ts(type = "number")]
    pub losses: u64,
    /// The first of the lost parts.
    #[serde(skip)]
    pub lost: Vec<LostPart>,
    /// The seconds for which the disk has space; null if that is not known.
    pub left_s: Option<f64>,
    /// Why it has ended.
    #[serde(skip)]
    pub end: Option<TakeEnd>,
}

/// When the frames of an input were captured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Captured {
    /// The calls of the input. Their frames count everything that arrived, including lost frames.
    pub calls: CallTimes,
    /// The first of these frames that is recorded; `None` before the recording has begun.
    pub first: Option<u64>,
    /// The frames that came so far.
    pub came: u64,
}

/// An open input that is measured, and recorded from [`Recorder::begin`] on. Dropping it ends the recording properly and
/// closes the input.
pub struct Recorder {
    input: InputInfo,
    format: AudioFormat,
    status: Arc<Mutex<RecorderStatus>>,
    captured: Arc<Mutex<Captured>>,
    path: Mutex<Option<PathBuf>>,
    commands: Sender<Command>,
    thread: Option<JoinHandle<()>>,
}

enum Command {
    Begin {
        writer: Box<Writer>,
        start_at: Option<f32>,
        preroll_frames: usize,
        begun: Sender<()>,
    },
    Pause(bool),
    End,
    #[cfg(test)]
    FailAfter(u64),
}

/// Where the samples come from.
pub(super) enum Feed {
    Input(Input),
    /// Another part of the program, through an [`Inlet`]. It may pause for any time.
    Tap(Outlet, Arc<Health>),
}

impl Feed {
    fn outlet(&mut self) -> &mut Outlet {
        match self {
            Self::Input(input) => &mut input.outlet,
            Self::Tap(outlet, _) => outlet,
        }
    }

    fn health(&self) -> &Health {
        match self {
            Self::Input(input) => &input.health,
            Self::Tap(_, health) => health,
        }
    }
}

impl Recorder {
    /// Opens an input of the system and measures it.
    pub fn arm(choice: &InputChoice, progress: &Progress) -> Result<Self> {
        Self::arm_with(Box::new(CpalInput::default()), choice, progress)
    }

    /// Does the same with an input of another sound system.
    pub fn arm_with(host: Box<dyn InputHost>, choice: &InputChoice, progress: &Progress) -> Result<Self> {
        let input = Input::open(host, choice.input.clone(), ROOM_S, progress)?;
        let info = input.info.clone();
        let channels = choice.channels.of(&info)?;
        Self::start(info, channels, Feed::Input(input), STALL)
    }

    /// Records the sound that another part of the program pushes into the returned [`Inlet`], which takes no locks.
    pub fn tap(name: &str, format: AudioFormat) -> Result<(Self, Inlet)> {
        let (to, from) = inlet(format.rate.hz(), format.channels, ROOM_S);
        let info = InputInfo {
            name: name.to_owned(),
            rate: format.rate.hz(),
            channels: format.channels,
            ..InputInfo::default()
        };
        let recorder = Self::start(info, 0..format.channels, Feed::Tap(from, Arc::default()), STALL)?;
        Ok((recorder, to))
    }

    pub(super) fn start(
        info: InputInfo,
        channels: std::ops::Range<usize>,
        feed: Feed,
        stall: Duration,
    ) -> Result<Self> {
        let format = AudioFormat::new(SampleRate::new(info.rate)?, channels.len());
        let mut levels = Levels::new(info.rate, format.channels);
        levels.restart();
        let status = Arc::new(Mutex::new(RecorderStatus {
            input: info.clone(),
            channels: levels.channels.clone(),
            ..RecorderStatus::default()
        }));
        let captured = Captured { calls: CallTimes::new(info.rate), ..Captured::default() };
        let captured = Arc::new(Mutex::new(captured));
        let (commands, received) = channel();
        let kept = format.rate.frames_from_seconds(Take::MAX_PREROLL_S) as usize;
        let preroll = Preroll::new(format.channels, kept.min(PREROLL_SAMPLES / format.channels));
        let work = Work {
            scratch: vec![Vec::new(); info.channels],
            input: info.clone(),
            channels,
            format,
            feed,
            stall,
            commands: received,
            status: Arc::clone(&status),
            captured: Arc::clone(&captured),
            levels,
            preroll,
            phase: Phase::Armed,
            heard: Instant::now(),
            glitches: 0,
            has_length: false,
        };
        let thread = thread::Builder::new().name("recorder".into()).spawn(move || work.run());
        let thread = thread.map_err(|error| Error::Internal(format!("no thread for recording: {error}")))?;
        Ok(Self { input: info, format, status, captured, path: Mutex::default(), commands, thread: Some(thread) })
    }

    /// Returns the input.
    pub fn input(&self) -> &InputInfo {
        &self.input
    }

    /// Returns the format of the recording.
    pub fn format(&self) -> AudioFormat {
        self.format
    }

    /// Returns the file of the recording, once it has begun.
    pub fn path(&self) -> Option<PathBuf> {
        lock(&self.path).clone()
    }

    /// Begins a recording, once in the life of a recorder. `data` is the program's data folder, in which the recording
    /// is remembered until it ends.
    ///
    /// # Errors
    /// [`Error::Refused`] if the file exists; [`Error::Impossible`] if a recording has begun; [`Error::Capture`] if the
    /// input is gone.
    pub fn begin(&self, take: &Take, data: Option<&Path>) -> Result<()> {
        for (what, seconds) in [("length", take.length_s), ("pre-roll", Some(take.preroll_s))] {
            if seconds
                .is_some_and(|seconds| !seconds.is_finite() || seconds < 0.0 || (what == "length" && seconds == 0.0))
            {
                return Err(Error::invalid(format!("{what} of a recording"), "a negative time", "more than 0 s"));
            }
        }
        if take.start_at_db.is_some_and(|level| !(-120.0..=0.0).contains(&level)) {
            let got = format!("{} dB", take.start_at_db.unwrap_or_default());
            return Err(Error::invalid("level at which the recording begins", got, "-120 to 0 dB"));
        }
        let mut path = lock(&self.path);
        if path.is_some() {
            return Err(Error::impossible("A recording is running. Stop it first"));
        }
        if let Some(TakeEnd::Problem(why)) = self.status().end {
            return Err(Error::Capture(why));
        }
        let writer = Box::new(Writer::begin(take, self.format, data, &self.input.name)?);
        let (begun, has_begun) = channel();
        let begin = Command::Begin {
            writer,
            begun,
            start_at: take.start_at_db.map(|level| gain_from_db(level) as f32),
            preroll_frames: self.format.rate.frames_from_seconds(take.preroll_s) as usize,
        };
        *path = Some(take.path.clone());
        // If the thread has ended meanwhile, the file is removed with the command, and the status says why.
        let _ = self.commands.send(begin);
        // The recording contains everything that comes from now on.
        let _ = has_begun.recv();
        Ok(())
    }

    /// Returns when the frames of the input were captured. Begins anew with a recording.
    pub fn captured(&self) -> Captured {
        lock(&self.captured).clone()
    }

    /// Ends the recording as one that has its length.
    pub fn complete(&self) {
        let _ = self.commands.send(Command::End);
    }

    /// Pauses the recording or continues it.
    pub fn pause(&self, paused: bool) {
        let _ = self.commands.send(Command::Pause(paused));
    }

    /// Simulates a full disk after `bytes` more bytes.
    #[cfg(test)]
    pub(super) fn fail_after(&self, bytes: u64) {
        let _ = self.commands.send(Command::FailAfter(bytes));
    }

    /// Returns the present state.
    pub fn status(&self) -> RecorderStatus {
        lock(&self.status).clone()
    }

    /// Ends the recording, closes the input and returns the last state. A file without any frames is removed.
    pub fn stop(mut self) -> RecorderStatus {
        self.end();
        self.status()
    }

    fn end(&mut self) {
        let (gone, _) = channel();
        // The thread ends when nobody can send commands any more.
        drop(std::mem::replace(&mut self.commands, gone));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.end();
    }
}

enum Phase {
    Armed,
    Waiting { writer: Box<Writer>, start_at: f32, preroll_frames: usize },
    Recording(Box<Writer>),
    Paused(Box<Writer>),
}

impl Phase {
    fn state(&self) -> RecorderState {
        match self {
            Self::Armed => RecorderState::Armed,
            Self::Waiting { .. } => RecorderState::Waiting,
            Self::Recording(_) => RecorderState::Recording,
            Self::Paused(_) => RecorderState::Paused,
        }
    }

    fn writer(&self) -> Option<&Writer> {
        match self {
            Self::Armed => None,
            Self::Waiting { writer, .. } | Self::Recording(writer) | Self::Paused(writer) => Some(writer),
        }
    }

    fn into_writer(self) -> Option<Box<Writer>> {
        match self {
            Self::Armed => None,
            Self::Waiting { writer, .. } | Self::Recording(writer) | Self::Paused(writer) => Some(writer),
        }
    }
}

/// Says that a command was carried out when it is dropped.
struct Begun(Sender<()>);

impl Drop for Begun {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

/// The state of the recorder's thread.
struct Work {
    input: InputInfo,
    channels: std::ops::Range<usize>,
    format: AudioFormat,
    feed: Feed,
    stall: Duration,
    commands: Receiver<Command>,
    status: Arc<Mutex<RecorderStatus>>,
    captured: Arc<Mutex<Captured>>,
    levels: Levels,
    preroll: Preroll,
    scratch: Vec<Vec<f32>>,
    phase: Phase,
    /// When the last samples came.
    heard: Instant,
    glitches: u64,
    /// Whether it was told that the take has reached its length.
    has_length: bool,
}

impl Work {
    fn run(mut self) {
        let end = loop {
            match self.turn() {
                Ok(None) => {}
                Ok(Some(end)) => break end,
                Err(error) => break TakeEnd::Problem(error.sentences()),
            }
        };
        self.finish(end);
    }

    /// Takes the frames that have come. Returns the end once it is reached.
    fn turn(&mut self) -> Result<Option<TakeEnd>> {
        let is_idle = self.feed.outlet().waiting() == 0;
        let mut next = if is_idle { self.commands.recv_timeout(PAUSE) } else { received(self.commands.try_recv()) };
        loop {
            match next {
                Ok(command) => self.obey(command)?,
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    // Frames that the input gave before the stop belong to the recording.
                    while self.pull()? && !self.is_full() {}
                    return Ok(Some(if self.is_full() { TakeEnd::Length } else { TakeEnd::Stopped }));
                }
            }
            next = received(self.commands.try_recv());
        }
        let came = self.pull()?;
        if let Phase::Recording(writer) | Phase::Paused(writer) = &mut self.phase {
            writer.keep_readable()?;
        }
        if self.is_full() {
            return Ok(Some(TakeEnd::Length));
        }
        self.tell();
        if came {
            self.heard = Instant::now();
            return Ok(None);
        }
        let name = &self.input.name;
        if let Some(why) = self.feed.health().lost() {
            return Err(Error::Capture(format!("{name} failed. {why}")));
        }
        if matches!(self.feed, Feed::Input(_)) && self.heard.elapsed() >= self.stall {
            let why = format!("{name} gave no more sound. Connect it again, or choose another input");
            return Err(Error::Capture(why));
        }
        Ok(None)
    }

    fn is_full(&self) -> bool {
        self.has_length || matches!(&self.phase, Phase::Recording(writer) if writer.is_full())
    }

    fn obey(&mut self, command: Command) -> Result<()> {
        let phase = std::mem::replace(&mut self.phase, Phase::Armed);
        self.phase = match (command, phase) {
            (Command::Begin { writer, start_at, preroll_frames, begun }, _) => {
                let _begun = Begun(begun);
                self.levels.restart();
                self.glitches = self.feed.health().glitches();
                if let Some(start_at) = start_at {
                    Phase::Waiting { writer, start_at, preroll_frames }
                } else {
                    let mut writer = writer;
                    let before = self.preroll.take(preroll_frames, &AudioBuffer::new(self.format.channels, 0));
                    self.note_first(before.frames());
                    let written = writer.write(&before);
                    self.phase = Phase::Recording(writer);
                    self.tell();
                    return written;
                }
            }
            (Command::Pause(true), Phase::Recording(writer)) => Phase::Paused(writer),
            (Command::Pause(false), Phase::Paused(writer)) => Phase::Recording(writer),
            (Command::Pause(_), phase) => phase,
            (Command::End, phase) => {
                self.has_length = true;
                phase
            }
            #[cfg(test)]
            (Command::FailAfter(bytes), mut phase) => {
                if let Phase::Recording(writer) = &mut phase {
                    writer.fail_after(bytes);
                }
                phase
            }
        };
        Ok(())
    }

    /// Takes a block. Returns whether anything came.
    fn pull(&mut self) -> Result<bool> {
        self.scratch.iter_mut().for_each(Vec::clear);
        let (taken, gap) = match &mut self.feed {
            Feed::Input(input) => input.outlet.take_or_gap(BLOCK_FRAMES, &mut self.scratch),
            Feed::Tap(outlet, _) => outlet.take_or_gap(BLOCK_FRAMES, &mut self.scratch),
        };
        self.note_calls();
        let glitches = self.feed.health().glitches();
        if glitches > self.glitches {
            lock(&self.captured).calls.break_off();
        }
        if let Phase::Recording(writer) = &mut self.phase {
            if glitches > self.glitches {
                writer.lose(None)?;
            }
            if gap.is_some() {
                writer.lose(gap)?;
            }
        }
        self.glitches = glitches;
        if taken == 0 {
            return Ok(gap.is_some());
        }
        let block = AudioBuffer::from_channels(self.scratch[self.channels.clone()].to_vec());
        self.levels.add(&block);
        self.hear(&block)?;
        Ok(true)
    }

    fn note_calls(&mut self) {
        let outlet = self.feed.outlet();
        let mut captured = lock(&self.captured);
        captured.came = outlet.position();
        while let Some(call) = outlet.call() {
            captured.calls.note(call.frame, call.at_ns);
        }
    }

    /// Notes that the recording begins with the last `frames` frames that were taken.
    fn note_first(&mut self, frames: usize) {
        let position = self.feed.outlet().position();
        let mut captured = lock(&self.captured);
        captured.calls = CallTimes::new(captured.calls.rate());
        captured.first = Some(position.saturating_sub(frames as u64));
    }

    fn hear(&mut self, block: &AudioBuffer) -> Result<()> {
        match &mut self.phase {
            Phase::Armed => self.preroll.push(block),
            Phase::Paused(_) => {}
            Phase::Recording(writer) => writer.write(block)?,
            Phase::Waiting { start_at, preroll_frames, .. } => {
                let loud = |samples: &[f32]| samples.iter().position(|sample| sample.abs() >= *start_at);
                let Some(begin) = block.iter().filter_map(loud).min() else {
                    self.preroll.push(block);
                    return Ok(());
                };
                // The pre-roll may reach into this block.
                let mut before = AudioBuffer::new(block.channels(), 0);
                before.extend_from(block, 0..begin);
                self.preroll.push(&before);
                let mut after = AudioBuffer::new(block.channels(), 0);
                after.extend_from(block, begin..block.frames());
                let whole = self.preroll.take(*preroll_frames, &after);
                self.note_first(whole.frames());
                if let Some(mut writer) = std::mem::replace(&mut self.phase, Phase::Armed).into_writer() {
                    let written = writer.write(&whole);
                    self.phase = Phase::Recording(writer);
                    written?;
                }
            }
        }
        Ok(())
    }

    fn tell(&self) {
        let mut status = lock(&self.status);
        status.state = self.phase.state();
        status.channels.clone_from(&self.levels.channels);
        if let Some(writer) = self.phase.writer() {
            status.frames = writer.frames();
            status.recorded_s = self.format.rate.seconds_from_frames(status.frames);
            status.left_s = writer.left_s();
            if status.losses != writer.losses {
                status.losses = writer.losses;
                status.lost = writer.lost.iter().take(TOLD_LOSSES).copied().collect();
            }
        }
    }

    /// Completes the file and says how it ended.
    fn finish(mut self, mut end: TakeEnd) {
        self.tell();
        let mut frames = None;
        if let Some(writer) = std::mem::replace(&mut self.phase, Phase::Armed).into_writer() {
            match writer.end() {
                Ok(written) => frames = Some(written),
                Err(error) if !matches!(end, TakeEnd::Problem(_)) => end = TakeEnd::Problem(error.sentences()),
                Err(_) => {}
            }
        }
        let mut status = lock(&self.status);
        status.state = RecorderState::Ended;
        if let Some(frames) = frames {
            status.frames = frames;
            status.recorded_s = self.format.rate.seconds_from_frames(frames);
        }
        status.end = Some(end);
        drop(status);
        // A command that came too late takes its file with it.
        for command in self.commands.try_iter() {
            if let Command::Begin { writer, .. } = command {
                let _ = writer.end();
            }
        }
    }
}

/// Converts the result of a receive without waiting to that of a receive with a timeout.
fn received<T>(got: std::result::Result<T, std::sync::mpsc::TryRecvError>) -> std::result::Result<T, RecvTimeoutError> {
    got.map_err(|error| match error {
        std::sync::mpsc::TryRecvError::Empty => RecvTimeoutError::Timeout,
        std::sync::mpsc::TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
    })
}
