//! The commands of the web view: the core's named commands, and those that answer in bytes.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use tauri::async_runtime::spawn_blocking;
use tauri::ipc::{Invoke, InvokeBody, Response};
use tauri::{Manager, Runtime, State};
use undertone::Error;
use undertone::app::api::{DocumentId, LoudnessQuery, MonitorQuery, SpectrogramTile};
use undertone::app::order::{Order, lane};
use undertone::app::{App, caught};
use undertone::error::Failure;

/// The core, and the order in which its commands run.
pub struct Core {
    app: Arc<App>,
    order: Order,
}

impl Core {
    /// Commands run on the threads of tauri's runtime that may wait.
    pub fn new(app: App) -> Self {
        let order = Order::new(|task| drop(spawn_blocking(task)));
        Self { app: Arc::new(app), order }
    }

    /// The core itself.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Opens files that the user named; the window hears of them by an event.
    pub fn open_in_background(&self, paths: Vec<PathBuf>) {
        let app = Arc::clone(&self.app);
        spawn_blocking(move || app.open_and_tell(&paths));
    }

    /// Takes files that the user dropped on the window; it hears of them by an event.
    pub fn drop_in_background(&self, paths: Vec<PathBuf>) {
        let app = Arc::clone(&self.app);
        spawn_blocking(move || app.drop_and_tell(&paths));
    }

    /// Opens the demo; the window hears of it by an event.
    pub fn open_demo_in_background(&self) {
        let app = Arc::clone(&self.app);
        spawn_blocking(move || app.open_demo_and_tell());
    }
}

/// The name of the web view's command for all of the core's named ones.
pub const CALL: &str = "call";

/// What it is given.
#[derive(Deserialize)]
struct Call {
    name: String,
    args: Value,
}

/// Runs one of the core's commands by name. Called in the order in which the window gave them, which the `async` commands
/// of tauri are not: each of those is a task at once, and tasks may begin in any order.
pub fn call<R: Runtime>(invoke: Invoke<R>) {
    let Invoke { message, resolver, .. } = invoke;
    let refused = |why: String| Failure::from(Error::invalid("command", why, "a name and its arguments"));
    let given = match message.payload() {
        InvokeBody::Json(given) => Call::deserialize(given).map_err(|error| refused(error.to_string())),
        InvokeBody::Raw(_) => Err(refused("bytes".to_owned())),
    };
    let core = message.webview_ref().try_state::<Core>();
    let core = core.ok_or_else(|| Failure::from(Error::Internal("the core has not started".to_owned())));
    match (core, given) {
        (Ok(core), Ok(Call { name, args })) => {
            let app = Arc::clone(&core.app);
            let lane = lane(&name, &args);
            let task = move || match caught(&name, || app.call(&name, args)) {
                Ok(result) => resolver.resolve(result),
                Err(error) => resolver.reject(Failure::from(error)),
            };
            core.order.submit(lane, Box::new(task));
        }
        (Err(failure), _) | (_, Err(failure)) => resolver.reject(failure),
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
    bytes("peaks", move || app.peaks(document, start, end, columns)).await
}

/// Samples of a range of a document: see [`App::samples`] for the layout.
#[tauri::command]
pub async fn samples(core: State<'_, Core>, document: DocumentId, start: u64, end: u64) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes("samples", move || app.samples(document, start, end)).await
}

/// A tile run of a document's spectrogram: see [`App::spectrogram`] for the layout.
#[tauri::command]
pub async fn spectrogram(
    core: State<'_, Core>,
    document: DocumentId,
    tile: SpectrogramTile,
) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes("spectrogram", move || app.spectrogram(document, tile)).await
}

/// What is heard now: see [`App::monitor`] for the layout.
#[tauri::command]
pub async fn monitor(core: State<'_, Core>, query: MonitorQuery) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes("monitor", move || app.monitor(query)).await
}

/// Loudness over time of one side of a document: see [`App::loudness`] for the layout.
#[tauri::command]
pub async fn loudness(core: State<'_, Core>, document: DocumentId, query: LoudnessQuery) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes("loudness", move || app.loudness(document, query)).await
}

/// The map of the library: see [`App::library_map`] for the layout.
#[tauri::command]
pub async fn library_map(core: State<'_, Core>, whole: bool) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes("library_map", move || app.library_map(whole)).await
}

async fn bytes(
    name: &'static str,
    work: impl FnOnce() -> undertone::Result<Vec<u8>> + Send + 'static,
) -> Result<Response, Failure> {
    match spawn_blocking(move || caught(name, work)).await {
        Ok(result) => result.map(Response::new).map_err(Failure::from),
        Err(error) => Err(Failure::from(Error::Internal(error.to_string()))),
    }
}
