//! Playback of the active document or of a library audition, and the events that report it.
//!
//! The player holds one source at a time, either a document or an audition; each is loaded again when it is next
//! played. Documents have one side in common, and each has its own loudness matching. An audition changes neither.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use super::App;
use super::api::{
    AuditionTrack, AuditionView, ComparisonHeard, DocumentId, Event, Meters, NodeReduction, Settings, TrackLevel,
    TransportView,
};
use super::compare_page::{Laid, PlayedSound};
use super::host::Host;
use crate::audio::AudioReader;
use crate::chain::{Chain, NodeId, Placement};
use crate::device::RunPurpose;
use crate::document::{Document, FrameRange, Mix, Moves, TrackId};
use crate::error::{Error, Result};
use crate::lock::lock;
use crate::playback::{
    self, HeardLog, HeardVersion, MixSource, OpenReader, OutputInfo, PlaybackSource, Player, Side, VersionsSource,
};
use crate::units::{SampleRate, db_from_gain};

/// The interval of playback events while something changes.
const TELL_EVERY: Duration = Duration::from_millis(33);

/// The player and what is loaded in it.
pub struct PlaybackPage {
    inner: Arc<Inner>,
    teller: Mutex<Option<JoinHandle<()>>>,
}

struct Inner {
    host: Arc<dyn Host>,
    player: Player,
    loaded: Mutex<Loaded>,
    wishes: AtomicU64,
    ended: AtomicBool,
    /// Whether a stop was asked for since the last play; the player follows a moment later.
    stopped: AtomicBool,
}

/// What is loaded in the player.
#[derive(Default)]
struct Loaded {
    document: Option<DocumentId>,
    /// The sum of its tracks, which follows changes of their gains.
    mix: Option<Arc<MixSource>>,
    audition: Option<Audition>,
    comparison: Option<Comparison>,
    /// Whether it is played while a track is recorded: it is not quite the document then, and nothing else is played.
    is_take: bool,
    /// The player's number for this load, and the frame from which it was to be played.
    load: u64,
    from: u64,
    selection: Option<FrameRange>,
    looping: bool,
    /// How the loaded source is heard.
    listening: ListeningMode,
    /// The side of documents that is heard; kept during an audition.
    documents_side: Side,
    /// The documents whose loudness is matched.
    matched_documents: BTreeSet<DocumentId>,
}

/// Which side is heard, and whether loudness is matched.
#[derive(Clone, Copy, Default)]
struct ListeningMode {
    side: Side,
    matched: bool,
}

/// An audition of one or two tracks of the library.
#[derive(Clone, Copy)]
pub struct Audition {
    /// The track on side A.
    pub a: AuditionTrack,
    /// The track on side B.
    pub b: Option<AuditionTrack>,
    /// The sample rate of the common time.
    pub rate: SampleRate,
    /// The length in frames of the common time.
    pub frames: u64,
}

impl Audition {
    fn view(&self, frame: u64) -> AuditionView {
        AuditionView {
            a: self.a.track,
            b: self.b.map(|b| b.track),
            rate: self.rate.hz(),
            duration_s: self.rate.seconds_from_frames(self.frames),
            at_s: self.rate.seconds_from_frames(frame.min(self.frames)),
        }
    }
}

/// Versions of a recording, of which one is heard.
pub struct Comparison {
    /// The versions.
    pub source: Arc<VersionsSource>,
    /// What the versions depend on; `None` for a blind test, which the page does not change.
    pub laid: Option<Laid>,
    /// The part that is repeated, whatever else is.
    pub passage: Option<Range<u64>>,
    /// What each version of the source is.
    pub sounds: Vec<PlayedSound>,
    /// What is heard.
    pub heard: ComparisonHeard,
}

/// The number of a playback request, which tells whether the request is still the latest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PlayRequest(u64);

impl PlaybackPage {
    /// Creates a player on the output that the settings choose.
    pub fn new(host: Arc<dyn Host>, settings: &Settings) -> Self {
        let player = Player::new(settings.output.clone());
        player.set_mutes(settings.mute_when_too_loud);
        let (loaded, wishes) = (Mutex::default(), AtomicU64::new(0));
        let (ended, stopped) = (AtomicBool::new(false), AtomicBool::new(false));
        let inner = Arc::new(Inner { host, player, loaded, wishes, ended, stopped });
        let told = Arc::clone(&inner);
        let teller = std::thread::spawn(move || told.tell());
        Self { inner, teller: Mutex::new(Some(teller)) }
    }

    /// Stops playback.
    pub fn stop(&self) {
        self.inner.stopped.store(true, Ordering::Relaxed);
        self.inner.player.stop();
    }

    /// Stops playback and ends the thread that reports it.
    pub fn shut_down(&self) {
        self.stop();
        self.inner.ended.store(true, Ordering::Relaxed);
        if let Some(teller) = lock(&self.teller).take() {
            let _ = teller.join();
        }
    }

    /// Plays a document as it is heard while a track is recorded, and notes what is heard when. Until
    /// [`PlaybackPage::end_take`] nothing else is to be played.
    pub(super) fn play_take(
        &self,
        document: DocumentId,
        opened: LoadedDocument,
        (from, until): (u64, Option<u64>),
    ) -> HeardLog {
        self.next_wish();
        let mut loaded = lock(&self.inner.loaded);
        (loaded.audition, loaded.comparison) = (None, None);
        let listening = ListeningMode { side: loaded.documents_side, matched: false };
        self.inner.listen(&mut loaded, listening);
        loaded.document = Some(document);
        loaded.is_take = true;
        loaded.mix = None;
        loaded.selection = None;
        loaded.load = self.inner.player.load_at(Some(opened.source), opened.chain, from);
        loaded.from = from;
        self.inner.player.set_repeat(None);
        let log = self.inner.player.watch();
        self.inner.play(from, until);
        log
    }

    /// Ends what is played while a track is recorded. The document is loaded again when it is next played.
    pub fn end_take(&self) {
        let document = {
            let mut loaded = lock(&self.inner.loaded);
            let is_take = std::mem::take(&mut loaded.is_take);
            loaded.document.filter(|_| is_take)
        };
        if let Some(document) = document {
            self.unload(document);
        }
    }

    /// Unloads whatever is loaded, and gives the player to work that loads something of its own, at its level.
    pub fn with_player<T>(&self, work: impl FnOnce(&Player) -> T) -> T {
        self.next_wish();
        {
            let mut loaded = lock(&self.inner.loaded);
            self.inner.listen(&mut loaded, ListeningMode { side: Side::Original, matched: false });
            loaded.load = self.inner.player.load(None, Chain::default());
            (loaded.document, loaded.audition, loaded.mix, loaded.selection) = (None, None, None, None);
            loaded.comparison = None;
            loaded.from = 0;
        }
        work(&self.inner.player)
    }

    /// Returns an error while a track is recorded.
    pub(super) fn check_free(&self) -> Result<()> {
        if lock(&self.inner.loaded).is_take {
            return Err(Error::impossible("A recording onto a track is running. Stop it first"));
        }
        Ok(())
    }

    /// Unloads a document; it is loaded again when it is next played.
    fn unload(&self, document: DocumentId) {
        let mut loaded = lock(&self.inner.loaded);
        if loaded.document == Some(document) {
            let load = self.inner.player.load(None, Chain::default());
            loaded.document = None;
            loaded.selection = None;
            loaded.is_take = false;
            loaded.load = load;
            loaded.from = 0;
        }
    }

    /// Unloads a closed document and forgets how it was heard.
    pub fn forget(&self, document: DocumentId) {
        self.unload(document);
        lock(&self.inner.loaded).matched_documents.remove(&document);
    }

    /// Updates the chain of the loaded document.
    pub fn set_chain(&self, document: DocumentId, chain: &Chain) {
        if lock(&self.inner.loaded).document == Some(document) {
            self.inner.player.set_chain(chain.clone());
        }
    }

    /// Updates how the tracks of the loaded document are heard. `chain` is that of the track or sum that is chosen.
    /// Returns `false` if the document has to be loaded again for that.
    pub fn set_mix(&self, document: DocumentId, mix: Mix, chain: &Chain) -> bool {
        let loaded = lock(&self.inner.loaded);
        if loaded.document != Some(document) {
            return true;
        }
        match &loaded.mix {
            Some(source) if loaded.listening.side == Side::Processed => {
                source.set_mix(mix);
                self.inner.player.set_chain(chain.clone());
                true
            }
            _ => false,
        }
    }

    /// Updates the selection of the loaded document, which a loop repeats.
    pub fn set_selection(&self, document: DocumentId, selection: Option<FrameRange>) {
        let mut loaded = lock(&self.inner.loaded);
        if loaded.document == Some(document) && !loaded.is_take {
            loaded.selection = selection;
            self.inner.repeat(&loaded);
        }
    }

    /// Unloads the document, so that the next play loads it on the newly chosen device.
    pub fn reload(&self) {
        let document = lock(&self.inner.loaded).document;
        if let Some(document) = document {
            self.unload(document);
        }
    }

    /// Returns the player.
    pub fn player(&self) -> &Player {
        &self.inner.player
    }

    /// Sets the output device; `None` follows the system's default.
    pub fn set_output(&self, output: Option<String>) {
        self.inner.player.set_output(output);
    }

    /// Loads a document and plays it if asked to, if its request is still the latest.
    fn load(&self, wish: PlayRequest, document: DocumentId, opened: LoadedDocument, play: Option<(u64, Option<u64>)>) {
        let mut loaded = lock(&self.inner.loaded);
        if self.wish() != wish || loaded.is_take {
            return;
        }
        (loaded.audition, loaded.comparison) = (None, None);
        let matched = loaded.matched_documents.contains(&document);
        let listening = ListeningMode { side: loaded.documents_side, matched };
        self.inner.listen(&mut loaded, listening);
        let from = play.map_or(0, |(from, _)| from);
        loaded.document = Some(document);
        loaded.mix = opened.mix;
        loaded.selection = opened.selection;
        loaded.load = self.inner.player.load_at(Some(opened.source), opened.chain, from);
        loaded.from = from;
        self.inner.repeat(&loaded);
        if let Some((from, until)) = play {
            self.inner.play(from, until);
        }
    }

    /// Loads an audition and plays it from a frame of the common time, if its request is still the latest. `side`
    /// selects what is heard; without it, an audition that follows a document starts with side A, and one that follows
    /// an audition keeps the side. `matched` applies only after a document.
    pub fn load_audition(
        &self,
        wish: PlayRequest,
        audition: Audition,
        source: Arc<dyn PlaybackSource>,
        from: u64,
        (side, matched): (Option<Side>, bool),
    ) {
        let mut loaded = lock(&self.inner.loaded);
        if self.wish() != wish || loaded.is_take {
            return;
        }
        if loaded.audition.is_none() {
            self.inner.listen(&mut loaded, ListeningMode { side: Side::Original, matched });
        }
        if let Some(side) = side {
            let listening = ListeningMode { side, ..loaded.listening };
            self.inner.listen(&mut loaded, listening);
        }
        loaded.document = None;
        loaded.is_take = false;
        loaded.selection = None;
        loaded.audition = Some(audition);
        loaded.comparison = None;
        loaded.load = self.inner.player.load_at(Some(source), Chain::default(), from);
        loaded.from = from;
        self.inner.repeat(&loaded);
        self.inner.play(from, None);
    }

    /// Returns the loaded audition.
    pub fn audition(&self) -> Option<Audition> {
        lock(&self.inner.loaded).audition
    }

    /// Loads versions and plays them from a frame of their timeline, if the request is still the latest.
    pub(super) fn load_comparison(&self, wish: PlayRequest, comparison: Comparison, from: u64) {
        let mut loaded = lock(&self.inner.loaded);
        if self.wish() != wish || loaded.is_take {
            return;
        }
        // Versions are heard as the processed side, and have gains of their own.
        self.inner.listen(&mut loaded, ListeningMode { side: Side::Processed, matched: false });
        (loaded.document, loaded.audition, loaded.mix, loaded.selection) = (None, None, None, None);
        let source = Arc::clone(&comparison.source);
        loaded.comparison = Some(comparison);
        loaded.load = self.inner.player.load_at(Some(source), Chain::default(), from);
        loaded.from = from;
        self.inner.repeat(&loaded);
        self.inner.play(from, None);
    }

    /// Returns what the loaded comparison depends on.
    pub(super) fn comparison(&self) -> Option<Laid> {
        lock(&self.inner.loaded).comparison.as_ref().and_then(|comparison| comparison.laid)
    }

    /// Chooses the version that is heard, and its gain. `open` is added to the versions if this one is not among them.
    /// Returns `false` if no versions on this timeline are loaded.
    pub(super) fn hear_comparison(&self, laid: Laid, (sound, gain): (PlayedSound, f32), open: OpenReader) -> bool {
        let mut loaded = lock(&self.inner.loaded);
        let Some(comparison) = loaded.comparison.as_mut().filter(|comparison| comparison.laid == Some(laid)) else {
            return false;
        };
        let known = comparison.sounds.iter().position(|own| *own == sound);
        let version = known.unwrap_or(comparison.sounds.len());
        if known.is_none() {
            comparison.source.add(open);
            comparison.sounds.push(sound);
        }
        comparison.heard.sound = Some(sound.0);
        comparison.source.hear(HeardVersion { version, gain });
        self.inner.player.set_chain(Chain::default());
        true
    }

    /// Chooses what is heard of a blind test's sounds, by its place among them. Returns `false` if none is loaded.
    pub(super) fn hear_blind(&self, heard: HeardVersion) -> bool {
        let loaded = lock(&self.inner.loaded);
        let Some(comparison) = loaded.comparison.as_ref().filter(|comparison| comparison.laid.is_none()) else {
            return false;
        };
        comparison.source.hear(heard);
        self.inner.player.set_chain(Chain::default());
        true
    }

    /// Unloads the versions.
    pub(super) fn end_comparison(&self) {
        let mut loaded = lock(&self.inner.loaded);
        if loaded.comparison.take().is_some() {
            loaded.load = self.inner.player.load(None, Chain::default());
            loaded.from = 0;
        }
    }

    /// Selects which of the two sides is heard. While an audition is heard, that of documents stays.
    pub fn listen_to(&self, side: Side) {
        let mut loaded = lock(&self.inner.loaded);
        let now = self.inner.player.transport();
        // Versions have no sides.
        if loaded.comparison.is_some() {
            loaded.documents_side = side;
            return;
        }
        if loaded.audition.is_none() || (now.loads >= loaded.load && !now.playing) {
            loaded.documents_side = side;
        }
        let listening = ListeningMode { side, ..loaded.listening };
        self.inner.listen(&mut loaded, listening);
    }

    /// Turns loudness matching of a document on or off. Returns whether it has to be loaded for that to be measured:
    /// something else is loaded, and rests.
    fn match_document(&self, document: DocumentId, matched: bool) -> bool {
        let mut loaded = lock(&self.inner.loaded);
        if matched {
            loaded.matched_documents.insert(document);
        } else {
            loaded.matched_documents.remove(&document);
        }
        if loaded.document == Some(document) {
            let listening = ListeningMode { matched, ..loaded.listening };
            self.inner.listen(&mut loaded, listening);
            return false;
        }
        let now = self.inner.player.transport();
        matched && now.loads >= loaded.load && !now.playing
    }

    /// Plays what is loaded.
    pub fn play(&self, from: u64, until: Option<u64>) {
        self.inner.play(from, until);
    }

    /// Registers a new playback request, which supersedes the earlier ones.
    pub fn next_wish(&self) -> PlayRequest {
        PlayRequest(self.inner.wishes.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Returns the latest request.
    pub fn wish(&self) -> PlayRequest {
        PlayRequest(self.inner.wishes.load(Ordering::Relaxed))
    }

    /// Turns loudness matching of auditions on or off.
    pub fn match_auditions(&self, matched: bool) {
        let mut loaded = lock(&self.inner.loaded);
        if loaded.audition.is_some() {
            let listening = ListeningMode { matched, ..loaded.listening };
            self.inner.listen(&mut loaded, listening);
        }
    }

    /// Returns the playback state as the window shows it.
    pub fn view(&self) -> TransportView {
        self.inner.view()
    }

    fn has(&self, document: DocumentId) -> bool {
        let loaded = lock(&self.inner.loaded);
        loaded.document == Some(document) && !loaded.is_take
    }
}

/// A document that is ready to be played.
pub(super) struct LoadedDocument {
    source: Arc<dyn PlaybackSource>,
    /// The source once more, as what it is, for a document of several tracks.
    mix: Option<Arc<MixSource>>,
    chain: Chain,
    selection: Option<FrameRange>,
}

impl Inner {
    fn play(&self, from: u64, until: Option<u64>) {
        self.stopped.store(false, Ordering::Relaxed);
        self.player.play(from, until);
    }

    fn repeat(&self, loaded: &Loaded) {
        if loaded.is_take {
            return;
        }
        // Without a selection everything is repeated; the player knows its length.
        let chosen = || loaded.selection.map_or(0..u64::MAX, |range| range.start..range.end);
        let passage = loaded.comparison.as_ref().and_then(|comparison| comparison.passage.clone());
        self.player.set_repeat(passage.or_else(|| loaded.looping.then(chosen)));
    }

    fn listen(&self, loaded: &mut Loaded, how: ListeningMode) {
        loaded.listening = how;
        self.player.set_side(how.side);
        self.player.set_matched(how.matched);
    }

    fn view(&self) -> TransportView {
        let now = self.player.transport();
        let loaded = lock(&self.loaded);
        // The player's state may still refer to the previous load.
        let told = now.loads >= loaded.load;
        let frame = if told { now.frame } else { loaded.from };
        TransportView {
            document: loaded.document,
            audition: loaded.audition.map(|audition| audition.view(frame)),
            comparison: loaded.comparison.as_ref().map(|comparison| comparison.heard),
            documents_side: loaded.documents_side,
            matched_documents: loaded.matched_documents.iter().copied().collect(),
            player: playback::Transport {
                playing: told && now.playing,
                frame,
                looping: loaded.looping,
                // The requested side: the player follows within milliseconds, and the switch shows what it was set to.
                side: loaded.listening.side,
                matched: loaded.listening.matched,
                ..now
            },
        }
    }

    fn meters(&self) -> Meters {
        let levels = self.player.meters();
        let db =
            |gains: &[f64]| gains.iter().map(|&gain| Some(db_from_gain(gain)).filter(|db| db.is_finite())).collect();
        let track = |&(track, peak): &(TrackId, f32)| TrackLevel {
            track,
            peak_db: Some(db_from_gain(f64::from(peak))).filter(|db| db.is_finite()),
        };
        let reduction = |(node, db): &(NodeId, f32)| NodeReduction { node: *node, db: f64::from(*db) };
        Meters {
            peak_db: db(&levels.peak),
            rms_db: db(&levels.rms),
            clipped: levels.clipped,
            not_finite: levels.not_finite,
            reductions: levels.reductions.iter().map(reduction).collect(),
            tracks: levels.tracks.iter().map(track).collect(),
        }
    }

    // Reports playback while something changes, and once more when it has come to rest.
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
        let transport = &self.playback;
        transport.check_free()?;
        let wish = transport.next_wish();
        if transport.has(document) {
            transport.play(from_frame, until_frame);
        } else {
            self.load_document(wish, document, Some((from_frame, until_frame)))?;
        }
        self.transport_view()
    }

    /// Opens what is heard of a state of a document.
    pub(super) fn playable(&self, document: DocumentId, heard: &Arc<Document>) -> Result<LoadedDocument> {
        let (open, measured, device) = {
            let state = self.workspace.state();
            let open = state.document(document)?;
            (open.open_source()?, Arc::clone(&open.mix_measured), state.settings.device.clone())
        };
        let placement = Placement::new(device, Arc::clone(&self.workspace.devices), RunPurpose::Preview);
        let (source, mix): (Arc<dyn PlaybackSource>, _) = if let Some(mix) = heard.mix()? {
            let source = Arc::new(MixSource::new(mix, open, measured, placement));
            (Arc::clone(&source) as Arc<dyn PlaybackSource>, Some(source))
        } else {
            let whole = Arc::clone(heard);
            let readers = move || Ok(Box::new(whole.reader(|source| open(source))?) as Box<dyn AudioReader>);
            (Arc::new(playback::ChainSource::new(Arc::new(readers), placement)?), None)
        };
        Ok(LoadedDocument { source, mix, chain: heard.chain.clone(), selection: heard.selection })
    }

    /// Loads a document into the player, and plays it if asked to.
    fn load_document(&self, wish: PlayRequest, document: DocumentId, play: Option<(u64, Option<u64>)>) -> Result<()> {
        let now = self.workspace.state().document(document)?.history.shared();
        let LoadedDocument { source, mix, .. } = self.playable(document, &now)?;
        // The current chain and selection: both may have changed while the recording was opened.
        let now = self.workspace.state().document(document)?.history.shared();
        let selection = now.selection;
        let opened = LoadedDocument { source, mix, chain: now.chain.clone(), selection };
        self.playback.load(wish, document, opened, play);
        // An edit between reading the state and loading has updated a player that did not have the document yet.
        let latest = self.workspace.state().document(document)?.history.shared();
        if latest.chain != now.chain {
            self.playback.set_chain(document, &latest.chain);
        }
        Ok(())
    }

    /// Loads a document again whose sound was edited, if it is the one that is loaded. What plays goes on from where it
    /// is in the edited sound.
    pub(super) fn reload_document(&self, document: DocumentId, moves: Option<&Moves>) -> Result<()> {
        if !self.playback.has(document) {
            return Ok(());
        }
        let wish = self.playback.next_wish();
        let frames = self.workspace.state().document(document)?.document().frames();
        let now = self.playback.view().player;
        let frame = moves.map_or(now.frame, |moves| moves.of_frame(now.frame)).min(frames);
        let plays = now.playing && !self.playback.inner.stopped.load(Ordering::Relaxed);
        let play = plays.then_some((frame, None));
        self.load_document(wish, document, play)
    }

    pub(super) fn stop(&self) -> Result<TransportView> {
        self.playback.next_wish();
        self.playback.stop();
        self.transport_view()
    }

    pub(super) fn seek(&self, frame: u64) -> Result<TransportView> {
        self.playback.check_free()?;
        self.playback.inner.player.seek(frame);
        self.transport_view()
    }

    pub(super) fn set_loop(&self, looping: bool) -> Result<TransportView> {
        {
            let inner = &self.playback.inner;
            let mut loaded = lock(&inner.loaded);
            loaded.looping = looping;
            inner.repeat(&loaded);
        }
        self.transport_view()
    }

    pub(super) fn set_side(&self, side: Side) -> Result<TransportView> {
        self.playback.listen_to(side);
        self.transport_view()
    }

    pub(super) fn set_matched(&self, document: DocumentId, matched: bool) -> Result<TransportView> {
        self.workspace.state().document(document)?;
        // A request to play that comes meanwhile wins.
        let wish = self.playback.wish();
        if self.playback.match_document(document, matched) {
            self.load_document(wish, document, None)?;
        }
        self.transport_view()
    }

    pub(super) fn outputs(&self) -> Result<Vec<OutputInfo>> {
        playback::outputs()
    }

    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    fn transport_view(&self) -> Result<TransportView> {
        Ok(self.playback.view())
    }
}
