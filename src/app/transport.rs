//! Playback of the document in front, and what the window is told of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use super::App;
use super::api::{DocumentId, Event, Meters, OutputView, Selection, Settings, Side, TransportView};
use super::host::Host;
use super::state::lock;
use crate::chain::{Chain, Placement};
use crate::device::RunPurpose;
use crate::error::Result;
use crate::playback::{self, OutputInfo, PlaybackSource, Player};
use crate::units::db_from_gain;

/// How often the window hears of playback while it runs.
const TELL_EVERY: Duration = Duration::from_millis(33);

/// The player and what is loaded in it.
pub struct Transport {
    inner: Arc<Inner>,
    teller: Mutex<Option<JoinHandle<()>>>,
}

struct Inner {
    host: Arc<dyn Host>,
    player: Player,
    loaded: Mutex<Loaded>,
    ended: AtomicBool,
}

#[derive(Default)]
struct Loaded {
    document: Option<DocumentId>,
    selection: Option<Selection>,
    looping: bool,
}

impl Transport {
    /// A player on the output that the settings choose.
    pub fn new(host: Arc<dyn Host>, settings: &Settings) -> Self {
        let player = Player::new(settings.output.clone());
        let inner = Arc::new(Inner { host, player, loaded: Mutex::default(), ended: AtomicBool::new(false) });
        let told = Arc::clone(&inner);
        let teller = std::thread::spawn(move || told.tell());
        Self { inner, teller: Mutex::new(Some(teller)) }
    }

    /// Stops the sound.
    pub fn stop(&self) {
        self.inner.player.stop();
    }

    /// Stops the sound and ends the thread that tells of it.
    pub fn shut_down(&self) {
        self.stop();
        self.inner.ended.store(true, Ordering::Relaxed);
        if let Some(teller) = lock(&self.teller).take() {
            let _ = teller.join();
        }
    }

    /// Forgets a document that is closed.
    pub fn unload(&self, document: DocumentId) {
        let mut loaded = lock(&self.inner.loaded);
        if loaded.document == Some(document) {
            *loaded = Loaded { looping: loaded.looping, ..Loaded::default() };
            self.inner.player.load(None, Chain::default());
        }
    }

    /// Lets a changed chain be heard.
    pub fn set_chain(&self, document: DocumentId, chain: &Chain) {
        if lock(&self.inner.loaded).document == Some(document) {
            self.inner.player.set_chain(chain.clone());
        }
    }

    /// Follows the selection, which is what a loop repeats.
    pub fn set_selection(&self, document: DocumentId, selection: Option<Selection>) {
        let mut loaded = lock(&self.inner.loaded);
        if loaded.document == Some(document) {
            loaded.selection = selection;
            self.inner.repeat(&loaded);
        }
    }

    /// Forgets what is loaded, so that the next play begins on another device.
    pub fn reload(&self) {
        let document = lock(&self.inner.loaded).document;
        if let Some(document) = document {
            self.unload(document);
        }
    }

    /// The player itself.
    pub fn player(&self) -> &Player {
        &self.inner.player
    }

    /// Uses another output, or follows the system's default.
    pub fn set_output(&self, output: Option<String>) {
        self.inner.player.set_output(output);
    }

    fn load(&self, document: DocumentId, source: Arc<dyn PlaybackSource>, chain: Chain, selection: Option<Selection>) {
        let mut loaded = lock(&self.inner.loaded);
        loaded.document = Some(document);
        loaded.selection = selection;
        self.inner.player.load(Some(source), chain);
        self.inner.repeat(&loaded);
    }

    fn has(&self, document: DocumentId) -> bool {
        lock(&self.inner.loaded).document == Some(document)
    }
}

impl Inner {
    fn repeat(&self, loaded: &Loaded) {
        let range = loaded.selection.filter(|_| loaded.looping).map(|range| range.start..range.end);
        self.player.set_repeat(range);
    }

    fn view(&self) -> TransportView {
        let now = self.player.transport();
        let loaded = lock(&self.loaded);
        TransportView {
            document: loaded.document,
            audition: None,
            playing: now.playing,
            frame: now.frame,
            looping: loaded.looping,
            side: match now.side {
                playback::Side::Original => Side::Original,
                playback::Side::Processed => Side::Processed,
            },
            matched: now.matched,
            matched_gain_db: now.matched_gain_db,
            stale: now.stale,
            underruns: now.underruns,
            output: now.output.map(output_view),
            problem: now.problem,
            heard_after_ms: now.heard_after_ms,
        }
    }

    fn meters(&self) -> Meters {
        let levels = self.player.meters();
        let db =
            |gains: &[f64]| gains.iter().map(|&gain| Some(db_from_gain(gain)).filter(|db| db.is_finite())).collect();
        Meters { peak_db: db(&levels.peak), rms_db: db(&levels.rms), clipped: levels.clipped }
    }

    // Tells the window while something moves, and once more when it has come to rest.
    fn tell(&self) {
        let mut last = None;
        while !self.ended.load(Ordering::Relaxed) {
            std::thread::sleep(TELL_EVERY);
            let now = (self.player.transport(), self.player.meters());
            if last.as_ref() != Some(&now) {
                self.host.emit(Event::Transport { transport: self.view(), meters: self.meters() });
                last = Some(now);
            }
        }
    }
}

impl App {
    pub(super) fn play(
        &self,
        document: DocumentId,
        from_frame: u64,
        until_frame: Option<u64>,
    ) -> Result<TransportView> {
        let transport = &self.shared.transport;
        if !transport.has(document) {
            let (source, chain, selection) = {
                let state = self.shared.state();
                let open = state.document(document)?;
                let devices = Arc::clone(&self.shared.devices);
                let placement = Placement::new(state.settings.device.clone(), devices, RunPurpose::Preview);
                let source = playback::ChainSource::new(open.readers()?, placement)?;
                let selection = open.document().selection.map(|range| Selection { start: range.start, end: range.end });
                (Arc::new(source), open.document().chain.clone(), selection)
            };
            transport.load(document, source, chain, selection);
        }
        transport.inner.player.play(from_frame, until_frame);
        Ok(transport.inner.view())
    }

    pub(super) fn stop(&self) -> Result<TransportView> {
        self.shared.transport.stop();
        self.transport_view()
    }

    pub(super) fn seek(&self, frame: u64) -> Result<TransportView> {
        self.shared.transport.inner.player.seek(frame);
        self.transport_view()
    }

    pub(super) fn set_loop(&self, looping: bool) -> Result<TransportView> {
        {
            let inner = &self.shared.transport.inner;
            let mut loaded = lock(&inner.loaded);
            loaded.looping = looping;
            inner.repeat(&loaded);
        }
        self.transport_view()
    }

    pub(super) fn set_side(&self, side: Side) -> Result<TransportView> {
        self.shared.transport.inner.player.set_side(match side {
            Side::Original => playback::Side::Original,
            Side::Processed => playback::Side::Processed,
        });
        self.transport_view()
    }

    pub(super) fn set_matched(&self, matched: bool) -> Result<TransportView> {
        self.shared.transport.inner.player.set_matched(matched);
        self.transport_view()
    }

    pub(super) fn outputs(&self) -> Result<Vec<OutputView>> {
        Ok(playback::outputs()?.into_iter().map(output_view).collect())
    }

    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    fn transport_view(&self) -> Result<TransportView> {
        Ok(self.shared.transport.inner.view())
    }
}

fn output_view(output: OutputInfo) -> OutputView {
    OutputView { id: output.id, name: output.name, rate: output.rate, channels: output.channels }
}
