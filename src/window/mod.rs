//! Everything that a window can request from the core: a folder for each of its pages, with its commands, the workspace
//! of open documents, jobs and events.
//!
//! [`App`] is driven by the named commands of its pages and reports through [`Host::emit`]. It runs without a window.
//! Front ends hold handles, never paths.

mod arguments;
mod batch;
#[cfg(all(test, feature = "bindings"))]
mod bindings;
mod blind;
mod codecs;
mod commands;
mod compare;
#[cfg(all(test, feature = "bindings"))]
mod declarations;
mod devices;
mod editor;
mod event;
mod excerpt;
mod host;
mod jobs;
mod library;
mod models;
mod moment;
mod order;
mod panics;
mod playback;
mod recording;
mod settings;
mod stems;
mod window_place;
mod workspace;

pub use commands::Lane;
pub use compare::types::CompareSound;
pub use editor::monitor::MonitorQuery;
pub use editor::spectrograms::SpectrogramTile;
pub use event::Event;
pub use host::{FileChoice, Host};
pub use order::Order;
pub use panics::caught;
pub use playback::types::TransportView;
pub use window_place::{Rect, WindowPlace};
pub use workspace::types::DocumentId;

use std::sync::{Arc, Mutex};

use serde_json::Value;

use arguments::Arguments;
use batch::BatchPage;
use blind::BlindPage;
use codecs::CodecsPage;
use commands::Command;
use compare::ComparePage;
use editor::loudness::LoudnessTracks;
use editor::measurements::Measurements;
use editor::spectrograms::SpectrogramTiles;
use editor::waveforms::ProcessedWaveforms;
use jobs::Jobs;
use library::LibraryPage;
use playback::PlaybackPage;
use recording::RecordingPage;
use stems::StemsPage;
use workspace::Workspace;
use workspace::chain_files::ChainFiles;

use crate::error::{Error, Result};
use crate::lock::lock;
use crate::progress::Progress;
use crate::work::Directories;

/// The tables of commands of all pages.
const TABLES: [&[Command]; 14] = [
    workspace::commands::COMMANDS,
    editor::commands::COMMANDS,
    playback::commands::COMMANDS,
    recording::commands::COMMANDS,
    batch::commands::COMMANDS,
    compare::commands::COMMANDS,
    blind::commands::COMMANDS,
    codecs::commands::COMMANDS,
    stems::commands::COMMANDS,
    library::commands::COMMANDS,
    devices::commands::COMMANDS,
    models::commands::COMMANDS,
    jobs::commands::COMMANDS,
    settings::commands::COMMANDS,
];

/// The core behind a window: documents, playback, jobs and settings, all stored on disk.
pub struct App {
    workspace: Arc<Workspace>,
    jobs: Arc<Jobs>,
    chain_files: Arc<ChainFiles>,
    playback: Arc<PlaybackPage>,
    recording: RecordingPage,
    spectrograms: Arc<SpectrogramTiles>,
    loudness: LoudnessTracks,
    measurements: Measurements,
    /// The signal that is being generated.
    generating: Mutex<Option<Progress>>,
    waveforms: ProcessedWaveforms,
    library: Arc<LibraryPage>,
    batch: Arc<BatchPage>,
    compare: Arc<ComparePage>,
    blind: BlindPage,
    codecs: Arc<CodecsPage>,
    stems: Arc<StemsPage>,
}

impl App {
    /// Restores the last session. [`event::Startup::notices`] reports what could not be restored. The app's chains
    /// read only files that its user has allowed, and run only models whose licence was confirmed
    /// ([`crate::effects::Permission`]).
    ///
    /// # Errors
    /// If the folders cannot be written.
    pub fn new(host: Arc<dyn Host>, directories: Directories) -> Result<Self> {
        let workspace = Workspace::new(host, directories)?;
        let jobs = Arc::new(Jobs::new(Arc::clone(&workspace.host)));
        let settings = workspace.state().settings.clone();
        let spectrograms = Arc::new(SpectrogramTiles::new(Arc::clone(&workspace)));
        let playback = Arc::new(PlaybackPage::new(Arc::clone(&workspace.host), &settings));
        let compare = Arc::new(ComparePage::new(
            Arc::clone(&workspace),
            Arc::clone(&jobs),
            Arc::clone(&spectrograms),
            Arc::clone(&playback),
        ));
        let chain_files = Arc::new(ChainFiles::new(Arc::clone(&workspace)));
        let app = Self {
            stems: Arc::new(StemsPage::new(
                Arc::clone(&workspace),
                Arc::clone(&jobs),
                Arc::clone(&chain_files),
                Arc::clone(&playback),
            )),
            chain_files,
            recording: RecordingPage::new(Arc::clone(&workspace)),
            loudness: LoudnessTracks::new(Arc::clone(&workspace), Arc::clone(&spectrograms)),
            measurements: Measurements::default(),
            generating: Mutex::default(),
            waveforms: ProcessedWaveforms::new(Arc::clone(&workspace), Arc::clone(&spectrograms)),
            blind: BlindPage::new(Arc::clone(&workspace), Arc::clone(&compare), Arc::clone(&playback)),
            codecs: Arc::new(CodecsPage::new(Arc::clone(&workspace), Arc::clone(&jobs), Arc::clone(&compare))),
            compare,
            playback,
            spectrograms,
            library: LibraryPage::new(Arc::clone(&workspace), Arc::clone(&jobs)),
            batch: Arc::new(BatchPage::new(Arc::clone(&workspace), Arc::clone(&jobs))),
            jobs,
            workspace,
        };
        app.workspace.restore_documents()?;
        if let Err(error) = app.remove_unused_recordings() {
            tracing::warn!("{error}");
        }
        Ok(app)
    }

    fn quit(&self) -> Result<()> {
        self.workspace.host.quit();
        Ok(())
    }

    /// Runs a command by its name, `page.verb`. Arguments and result are JSON, as `ui/src/bindings` declares them.
    pub fn call(&self, name: &str, args: Value) -> Result<Value> {
        let command = command(name).ok_or_else(|| Error::NotFound { what: "command", name: name.to_owned() })?;
        let mut given = Arguments::new(name, command.arguments, args)?;
        (command.run)(self, &mut given)
    }

    /// Returns the names of all commands.
    pub fn command_names() -> impl Iterator<Item = &'static str> {
        TABLES.into_iter().flatten().map(|command| command.name)
    }

    /// Shuts down: stops playback and cancels jobs, which leave no partial files. The session is already on disk.
    pub fn shut_down(&self) {
        self.playback.shut_down();
        // The running recording must be among the documents of the next start.
        if let Err(error) = recording::takes::stop(self) {
            tracing::warn!("{error}");
        }
        self.recording.shut_down();
        self.spectrograms.stop_all();
        self.loudness.stop_all();
        self.measurements.stop_all();
        if let Some(running) = lock(&self.generating).take() {
            running.cancel();
        }
        self.waveforms.stop_all();
        self.compare.stop();
        self.library.stop();
        self.jobs.stop_all();
        // Files that are still being opened did not cause the program to end.
        if let Err(error) = self.workspace.session().end_attempts() {
            tracing::warn!("{error}");
        }
    }
}

/// Returns the command of a name; `None` if there is none.
fn command(name: &str) -> Option<&'static Command> {
    TABLES.into_iter().flatten().find(|command| command.name == name)
}

/// Returns the lane of a command; `None` if it may take long, so that no other command waits for it, or does not exist.
pub fn lane(name: &str, args: &Value) -> Option<Lane> {
    command(name)?.lane.of(args)
}
