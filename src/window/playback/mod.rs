//! Playback of the active document, of a library audition, of compared versions or of stems, and the events that report
//! it.
//!
//! The player holds one source at a time, such as a document or an audition; each is loaded again when it is next
//! played. Documents share one side, and each has its own loudness matching. An audition changes neither.

mod auditions;
pub mod commands;
mod documents;
mod stems;
mod takes;
mod telling;
mod transport;
pub mod types;
mod versions;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use self::types::TransportView;
use super::host::Host;
use crate::chain::Chain;
use crate::document::FrameRange;
use crate::lock::lock;
use crate::playback::{MixSource, Player, Side};
use crate::window::workspace::types::DocumentId;
use crate::work::settings::Settings;
pub use auditions::Audition;
pub use stems::StemsSoFar;
pub use versions::{Comparison, Laid, PlayedSound};

/// The player and its loaded source.
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
    /// Whether a stop was requested since the last play; the player follows a moment later.
    stopped: AtomicBool,
}

/// The content that is loaded in the player.
#[derive(Default)]
struct Loaded {
    document: Option<DocumentId>,
    /// The sum of the document's tracks, which follows changes of their gains.
    mix: Option<Arc<MixSource>>,
    audition: Option<Audition>,
    comparison: Option<Comparison>,
    stems: Option<StemsSoFar>,
    /// Whether it is played while a track is recorded: it then differs from the document, and nothing else can be
    /// played.
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

impl Loaded {
    /// Unloads the loaded source.
    fn let_go(&mut self) {
        (self.document, self.mix, self.selection) = (None, None, None);
        (self.audition, self.comparison, self.stems) = (None, None, None);
    }
}

/// The side that is heard, and whether loudness is matched.
#[derive(Clone, Copy, Default)]
struct ListeningMode {
    side: Side,
    matched: bool,
}

/// The number of a playback request, by which it is known whether the request is still the latest.
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

    /// Unloads the current source and lends the player, with loudness matching off, to `work`, which loads something
    /// else.
    pub fn with_player<T>(&self, work: impl FnOnce(&Player) -> T) -> T {
        self.next_wish();
        {
            let mut loaded = lock(&self.inner.loaded);
            self.inner.listen(&mut loaded, ListeningMode { side: Side::Original, matched: false });
            loaded.load = self.inner.player.load(None, Chain::default());
            loaded.let_go();
            loaded.from = 0;
        }
        work(&self.inner.player)
    }

    /// Returns the player.
    pub fn player(&self) -> &Player {
        &self.inner.player
    }

    /// Sets the output device; `None` follows the system's default.
    pub fn set_output(&self, output: Option<String>) {
        self.inner.player.set_output(output);
    }

    /// Selects which of the two sides is heard. During an audition, the side of documents does not change.
    pub fn listen_to(&self, side: Side) {
        let mut loaded = lock(&self.inner.loaded);
        let now = self.inner.player.transport();
        // Versions and stems have no sides.
        if loaded.comparison.is_some() || loaded.stems.is_some() {
            loaded.documents_side = side;
            return;
        }
        if loaded.audition.is_none() || (now.loads >= loaded.load && !now.playing) {
            loaded.documents_side = side;
        }
        let listening = ListeningMode { side, ..loaded.listening };
        self.inner.listen(&mut loaded, listening);
    }

    /// Plays the loaded source.
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

    /// Returns the playback state as the window shows it.
    pub fn view(&self) -> TransportView {
        self.inner.view()
    }
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
        // The end of the part separated so far moves.
        if loaded.stems.is_some() {
            return self.player.set_repeat(None);
        }
        // Without a selection the whole sound is repeated; the player knows its length.
        let chosen = || loaded.selection.map_or(0..u64::MAX, |range| range.start..range.end);
        let passage = loaded.comparison.as_ref().and_then(|comparison| comparison.passage.clone());
        self.player.set_repeat(passage.or_else(|| loaded.looping.then(chosen)));
    }

    fn listen(&self, loaded: &mut Loaded, how: ListeningMode) {
        loaded.listening = how;
        self.player.set_side(how.side);
        self.player.set_matched(how.matched);
    }
}
