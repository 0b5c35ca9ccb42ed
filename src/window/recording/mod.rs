//! The recorder and live sound of a window, and the events that report them.

pub mod commands;
pub mod onto;
pub mod takes;
pub mod types;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use self::types::{OntoView, RecordingView};
use super::host::Host;
use super::workspace::Workspace;
use crate::audio::AudioFormat;
use crate::chain::Chain;
use crate::document::{TakeTrack, TrackId};
use crate::error::{Error, Result};
use crate::lock::lock;
use crate::playback::HeardLog;
use crate::playback::capture::Inlet;
use crate::playback::live::{Live, RoundTrip};
use crate::recording::overdub::Overdub;
use crate::recording::{Captured, Recorder, RecorderState, RecorderStatus};
use crate::window::event::Event;
use crate::window::moment::Moment;
use crate::window::workspace::types::DocumentId;
use crate::work::settings::LiveRecords;

/// The interval of events while an input is open.
const TELL_EVERY: Duration = Duration::from_millis(66);

/// The open recorders and live sound. Inputs are only opened by commands.
pub struct RecordingPage {
    workspace: Arc<Workspace>,
    inner: Arc<Inner>,
}

struct Inner {
    host: Arc<dyn Host>,
    open: Mutex<Open>,
    /// Whether a reporting thread runs.
    tells: AtomicBool,
}

#[derive(Default)]
struct Open {
    recorder: Option<Recorder>,
    /// The recorder of the input, while the first one records the effects' output.
    second: Option<Recorder>,
    /// The signals of live sound that are recorded.
    of_live: Option<LiveRecords>,
    appends_to: Option<DocumentId>,
    onto: Option<Onto>,
    live: Option<Live>,
    live_document: Option<DocumentId>,
    live_problem: Option<String>,
}

/// A track that is recorded onto.
pub struct Onto {
    pub document: DocumentId,
    pub track: TakeTrack,
    /// The track in front when it began; `None` for a document of one.
    pub front: Option<TrackId>,
    pub overdub: Overdub,
    /// The log of the playback meanwhile; `None` without playback.
    pub log: Option<HeardLog>,
    pub has_offset: bool,
}

/// A finished recording.
pub struct Finished {
    pub path: PathBuf,
    pub appends_to: Option<DocumentId>,
    pub onto: Option<Onto>,
    pub captured: Captured,
    pub status: RecorderStatus,
    /// The second file, with the input, if live sound was recorded before and after the effects.
    pub second: Option<PathBuf>,
}

/// The recorders of live sound, of which the first is shown, and their inlets.
pub struct LiveTake {
    pub records: LiveRecords,
    pub first: Recorder,
    pub second: Option<Recorder>,
    pub dry: Option<Inlet>,
    pub wet: Option<Inlet>,
}

impl RecordingPage {
    pub fn new(workspace: Arc<Workspace>) -> Self {
        let host = Arc::clone(&workspace.host);
        let inner = Inner { host, open: Mutex::default(), tells: AtomicBool::new(false) };
        Self { workspace, inner: Arc::new(inner) }
    }

    pub fn view(&self) -> RecordingView {
        self.inner.view()
    }

    /// Returns whether an input is open for recording.
    pub fn is_armed(&self) -> bool {
        let open = lock(&self.inner.open);
        open.recorder.as_ref().is_some_and(|recorder| recorder.status().state != RecorderState::Ended)
    }

    /// Uses an opened input instead of one that does not record.
    pub fn arm(&self, recorder: Recorder) -> Result<()> {
        let former = {
            let mut open = lock(&self.inner.open);
            if open.recorder.as_ref().is_some_and(|former| former.path().is_some()) {
                return Err(Error::impossible("A recording is running. Stop it first"));
            }
            open.recorder.replace(recorder)
        };
        drop(former);
        self.tell();
        Ok(())
    }

    /// Runs `work` with the recorder.
    pub fn with<T>(&self, work: impl FnOnce(&Recorder) -> Result<T>) -> Result<T> {
        let open = lock(&self.inner.open);
        work(open.recorder.as_ref().ok_or_else(|| Error::impossible("No input is open. Arm recording first"))?)
    }

    /// Sets the document to which the recording will be appended.
    pub fn set_append(&self, document: Option<DocumentId>) {
        lock(&self.inner.open).appends_to = document;
    }

    /// Sets the track that is recorded onto.
    pub fn set_onto(&self, onto: Onto) {
        lock(&self.inner.open).onto = Some(onto);
        self.inner.report();
    }

    /// Returns whether a track is recorded onto.
    pub fn is_onto(&self) -> bool {
        lock(&self.inner.open).onto.is_some()
    }

    /// Returns whether a recording has begun and not ended.
    pub fn records(&self) -> bool {
        lock(&self.inner.open).recorder.as_ref().is_some_and(|recorder| recorder.path().is_some())
    }

    /// Pauses or continues the recording.
    pub fn pause(&self, paused: bool) -> Result<()> {
        if self.is_onto() {
            return Err(Error::impossible(
                "A recording onto a track cannot pause, or it would not stay in time. Stop it",
            ));
        }
        let second = |open: &Open| {
            if let Some(second) = &open.second {
                second.pause(paused);
            }
        };
        self.with(|recorder| {
            recorder.pause(paused);
            Ok(())
        })?;
        second(&lock(&self.inner.open));
        Ok(())
    }

    /// Returns the formats of live sound before and after its chain; `None` if it is off.
    pub fn live_formats(&self) -> Option<(AudioFormat, AudioFormat)> {
        lock(&self.inner.open).live.as_ref().map(|live| (live.dry_format(), live.wet_format()))
    }

    /// Records live sound from now on, instead of measuring an input.
    pub fn record_live(&self, take: LiveTake) -> Result<()> {
        let former = {
            let mut open = lock(&self.inner.open);
            if open.recorder.as_ref().is_some_and(|former| former.path().is_some()) {
                return Err(Error::impossible("A recording is running. Stop it first"));
            }
            let live = open.live.as_ref().ok_or_else(|| Error::impossible("Live sound is off. Start it first"))?;
            live.tap(take.dry, take.wet);
            open.of_live = Some(take.records);
            open.second = take.second;
            open.recorder.replace(take.first)
        };
        drop(former);
        self.tell();
        Ok(())
    }

    /// Returns whether live sound is recorded.
    pub fn records_live(&self) -> bool {
        lock(&self.inner.open).of_live.is_some()
    }

    /// Ends the recorder. Returns the recording, if one had begun.
    pub fn finish(&self) -> Option<Finished> {
        let (recorder, second, appends_to, onto) = {
            let mut open = lock(&self.inner.open);
            let recorder = open.recorder.take()?;
            if let (Some(_), Some(live)) = (open.of_live.take(), &open.live) {
                live.tap(None, None);
            }
            (recorder, open.second.take(), open.appends_to.take(), open.onto.take())
        };
        let (path, second_path) = (recorder.path(), second.as_ref().and_then(Recorder::path));
        let captured = recorder.captured();
        let status = recorder.stop();
        let has_second = second.is_some_and(|second| second.stop().frames > 0);
        self.inner.report();
        let second = second_path.filter(|_| has_second);
        path.map(|path| Finished { path, appends_to, onto, captured, status, second })
    }

    /// Takes over running live sound, with the document whose chain it uses.
    pub fn set_live(&self, live: Option<Live>, document: Option<DocumentId>) {
        let former = {
            let mut open = lock(&self.inner.open);
            open.live_document = document;
            open.live_problem = None;
            std::mem::replace(&mut open.live, live)
        };
        drop(former);
        self.tell();
        self.inner.report();
    }

    /// Mutes or unmutes live sound.
    pub fn set_live_muted(&self, muted: bool) -> Result<()> {
        let open = lock(&self.inner.open);
        let live = open.live.as_ref().ok_or_else(|| Error::impossible("Live sound is off. Start it first"))?;
        live.set_muted(muted);
        Ok(())
    }

    /// Turns the limiter of live sound on or off.
    pub fn set_live_limits(&self, on: bool) {
        if let Some(live) = &lock(&self.inner.open).live {
            live.set_limits(on);
        }
    }

    /// Begins to measure the round trip of live sound.
    pub fn begin_round_trip(&self) -> Result<RoundTrip> {
        let open = lock(&self.inner.open);
        let live = open.live.as_ref().ok_or_else(|| Error::impossible("Live sound is off. Start it first"))?;
        Ok(live.begin_round_trip())
    }

    /// Updates the chain that is heard live, if it is the document's.
    pub fn set_chain(&self, document: DocumentId, chain: &Chain) {
        let mut open = lock(&self.inner.open);
        if open.live_document != Some(document) {
            return;
        }
        if let Some(live) = &open.live {
            let recorded = open.of_live.filter(|records| records.has_wet()).map(|_| live.wet_format().channels);
            let problem = live.set_chain(chain).err().map(|error| error.sentences());
            // The number of channels of a file cannot change.
            let now = live.wet_format().channels;
            let lost = recorded.filter(|channels| *channels != now).map(|channels| {
                format!(
                    "The recording has {channels} channels, and the effects now give {now}: it goes on when they give \
                     {channels} again."
                )
            });
            open.live_problem = problem.or(lost);
        }
    }

    /// Ends everything. A recording is then complete on disk.
    pub fn shut_down(&self) {
        let open = std::mem::take(&mut *lock(&self.inner.open));
        drop(open);
    }

    /// Reports while an input is open.
    fn tell(&self) {
        if self.inner.tells.swap(true, Ordering::AcqRel) {
            return;
        }
        let inner = Arc::clone(&self.inner);
        std::thread::spawn(move || {
            loop {
                inner.end_what_is_complete();
                inner.report();
                std::thread::sleep(TELL_EVERY);
                let open = lock(&inner.open);
                if open.recorder.is_none() && open.live.is_none() {
                    // Under the lock, so that the next recorder to open finds that no thread reports.
                    inner.tells.store(false, Ordering::Release);
                    drop(open);
                    // The last report may be from before the end.
                    inner.report();
                    return;
                }
            }
        });
    }
}

impl Inner {
    /// Ends a recording onto a track once it has reached its end.
    fn end_what_is_complete(&self) {
        let open = lock(&self.open);
        if let (Some(onto), Some(recorder)) = (&open.onto, &open.recorder)
            && onto.overdub.is_complete(recorder, onto.log.as_ref())
        {
            recorder.complete();
        }
    }

    fn view(&self) -> RecordingView {
        let open = lock(&self.open);
        RecordingView {
            moment: Moment::next(),
            recorder: open.recorder.as_ref().map(Recorder::status),
            appends_to: open.appends_to,
            onto: open.onto.as_ref().map(Onto::view),
            of_live: open.of_live,
            live: open.live.as_ref().map(Live::status),
            live_problem: open.live_problem.clone(),
        }
    }

    fn report(&self) {
        let recording = self.view();
        self.host.emit(Event::Recording { recording });
    }
}

impl Onto {
    fn view(&self) -> OntoView {
        OntoView {
            document: self.document,
            track: self.track,
            start: self.overdub.start,
            end: self.overdub.end,
            plays: self.log.is_some(),
            has_offset: self.has_offset,
        }
    }
}
