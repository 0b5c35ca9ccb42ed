//! The commands of the web view: the core's named commands, and those that answer in bytes.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use serde_json::Value;
use tauri::State;
use tauri::async_runtime::{channel as async_channel, spawn_blocking};
use tauri::ipc::Response;
use undertone::Error;
use undertone::app::App;
use undertone::app::api::{DocumentId, LoudnessQuery, MonitorQuery, SpectrogramTile};
use undertone::error::Failure;

type Task = Box<dyn FnOnce(&App) + Send>;

/// The core, and the thread on which its quick commands run in the order in which the window gave them.
pub struct Core {
    app: Arc<App>,
    tasks: Sender<Task>,
}

impl Core {
    /// Starts the thread.
    pub fn new(app: App) -> Self {
        let app = Arc::new(app);
        let (tasks, queue) = channel::<Task>();
        let worker = Arc::clone(&app);
        thread::spawn(move || {
            for task in queue {
                task(&worker);
            }
        });
        Self { app, tasks }
    }

    /// The core itself.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Opens files that the user named; the window hears of them by an event.
    pub fn open_in_background(&self, paths: Vec<PathBuf>) {
        let app = Arc::clone(&self.app);
        thread::spawn(move || app.open_and_tell(&paths));
    }

    /// Takes files that the user dropped on the window; it hears of them by an event.
    pub fn drop_in_background(&self, paths: Vec<PathBuf>) {
        let app = Arc::clone(&self.app);
        thread::spawn(move || app.drop_and_tell(&paths));
    }

    /// Opens the demo; the window hears of it by an event.
    pub fn open_demo_in_background(&self) {
        let app = Arc::clone(&self.app);
        thread::spawn(move || app.open_demo_and_tell());
    }

    fn in_order(&self, task: Task) -> Result<(), Error> {
        self.tasks.send(task).map_err(|_| Error::Internal("the command thread has ended".into()))
    }
}

/// Runs one of the core's commands by name.
#[tauri::command]
pub async fn call(core: State<'_, Core>, name: String, args: Value) -> Result<Value, Failure> {
    if App::may_take_long(&name) {
        let app = Arc::clone(&core.app);
        return match spawn_blocking(move || app.call(&name, args)).await {
            Ok(result) => result.map_err(Failure::from),
            Err(error) => Err(Failure::from(Error::Internal(error.to_string()))),
        };
    }
    let (answer, mut answers) = async_channel(1);
    core.in_order(Box::new(move |app| {
        let _ = answer.try_send(app.call(&name, args));
    }))?;
    match answers.recv().await {
        Some(result) => result.map_err(Failure::from),
        None => Err(Failure::from(Error::Internal("the command did not answer".into()))),
    }
}

/// Peaks of a range of a document: see [`App::peaks`] for the layout.
#[tauri::command]
pub async fn peaks(
    core: State<'_, Core>,
    document: DocumentId,
    start: f64,
    end: f64,
    columns: usize,
) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes(move || app.peaks(document, start, end, columns)).await
}

/// Samples of a range of a document: see [`App::samples`] for the layout.
#[tauri::command]
pub async fn samples(core: State<'_, Core>, document: DocumentId, start: u64, end: u64) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes(move || app.samples(document, start, end)).await
}

/// A tile run of a document's spectrogram: see [`App::spectrogram`] for the layout.
#[tauri::command]
pub async fn spectrogram(
    core: State<'_, Core>,
    document: DocumentId,
    tile: SpectrogramTile,
) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes(move || app.spectrogram(document, tile)).await
}

/// What is heard now: see [`App::monitor`] for the layout.
#[tauri::command]
pub async fn monitor(core: State<'_, Core>, query: MonitorQuery) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes(move || app.monitor(query)).await
}

/// Loudness over time of one side of a document: see [`App::loudness`] for the layout.
#[tauri::command]
pub async fn loudness(core: State<'_, Core>, document: DocumentId, query: LoudnessQuery) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes(move || app.loudness(document, query)).await
}

/// The map of the library: see [`App::library_map`] for the layout.
#[tauri::command]
pub async fn library_map(core: State<'_, Core>, whole: bool) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes(move || app.library_map(whole)).await
}

async fn bytes(work: impl FnOnce() -> undertone::Result<Vec<u8>> + Send + 'static) -> Result<Response, Failure> {
    match spawn_blocking(work).await {
        Ok(result) => result.map(Response::new).map_err(Failure::from),
        Err(error) => Err(Failure::from(Error::Internal(error.to_string()))),
    }
}
