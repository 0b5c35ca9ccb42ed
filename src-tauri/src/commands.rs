//! The commands of the web view: the core's named commands, and commands that return bytes.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use tauri::async_runtime::spawn_blocking;
use tauri::ipc::{Invoke, InvokeBody, Response};
use tauri::{Manager, Runtime, State};
use undertone::Error;
use undertone::document::TrackId;
use undertone::error::Failure;
use undertone::playback::Side;
use undertone::window::{App, CompareSound, DocumentId, MonitorQuery, Order, SpectrogramTile, caught, lane};

/// The core, and the queue that orders its commands.
pub struct Core {
    app: Arc<App>,
    order: Order,
}

impl Core {
    /// Creates the state. Commands run on the blocking threads of tauri's runtime.
    pub fn new(app: App) -> Self {
        let order = Order::new(|task| drop(spawn_blocking(task)));
        Self { app: Arc::new(app), order }
    }

    /// Returns the core.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Opens files that the user named. The window is notified by an event.
    pub fn open_in_background(&self, paths: Vec<PathBuf>) {
        let app = Arc::clone(&self.app);
        spawn_blocking(move || app.open_and_tell(&paths));
    }

    /// Opens files that the user dropped on the window. The window is notified by an event.
    pub fn drop_in_background(&self, paths: Vec<PathBuf>) {
        let app = Arc::clone(&self.app);
        spawn_blocking(move || app.drop_and_tell(&paths));
    }

    /// Opens the demo. The window is notified by an event.
    pub fn open_demo_in_background(&self) {
        let app = Arc::clone(&self.app);
        spawn_blocking(move || app.open_demo_and_tell());
    }
}

/// The web view's command that runs all of the core's named commands.
pub const CALL: &str = "call";

/// The arguments of [`CALL`].
#[derive(Deserialize)]
struct Call {
    name: String,
    args: Value,
}

/// Runs one of the core's commands by name. Commands are queued in the order in which the window sends them. Tauri's
/// `async` commands do not ensure this: each becomes a task at once, and tasks may start in any order.
pub fn call<R: Runtime>(invoke: Invoke<R>) {
    let Invoke { message, resolver, .. } = invoke;
    let refused = |why: String| Failure::from(Error::impossible(format!("A call is not a name with arguments: {why}")));
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

/// Returns peaks of a range of a document. See [`App::peaks`] for the layout.
#[tauri::command]
pub async fn peaks(
    core: State<'_, Core>,
    document: DocumentId,
    side: Side,
    start: f64,
    end: f64,
    columns: usize,
) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes("peaks", move || app.peaks(document, side, start, end, columns)).await
}

/// Returns peaks of a range of a track. See [`App::track_peaks`] for the layout.
#[tauri::command]
pub async fn track_peaks(
    core: State<'_, Core>,
    document: DocumentId,
    track: TrackId,
    start: f64,
    end: f64,
    columns: usize,
) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes("track_peaks", move || app.track_peaks(document, track, start, end, columns)).await
}

/// Returns samples of a range of a document. See [`App::samples`] for the layout.
#[tauri::command]
pub async fn samples(
    core: State<'_, Core>,
    document: DocumentId,
    side: Side,
    start: u64,
    end: u64,
) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes("samples", move || app.samples(document, side, start, end)).await
}

/// Returns a run of tiles of a document's spectrogram. See [`App::spectrogram`] for the layout.
#[tauri::command]
pub async fn spectrogram(
    core: State<'_, Core>,
    document: DocumentId,
    tile: SpectrogramTile,
) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes("spectrogram", move || app.spectrogram(document, tile)).await
}

/// Returns peaks of a version or a difference. See [`App::compare_peaks`] for the layout.
#[tauri::command]
pub async fn compare_peaks(
    core: State<'_, Core>,
    sound: CompareSound,
    start: f64,
    end: f64,
    columns: usize,
) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes("compare_peaks", move || app.compare_peaks(sound, start, end, columns)).await
}

/// Returns samples of a version or a difference. See [`App::compare_samples`] for the layout.
#[tauri::command]
pub async fn compare_samples(
    core: State<'_, Core>,
    sound: CompareSound,
    start: u64,
    end: u64,
) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes("compare_samples", move || app.compare_samples(sound, start, end)).await
}

/// Returns a run of tiles of one of two sounds. See [`App::compare_spectrogram`] for the layout.
#[tauri::command]
pub async fn compare_spectrogram(
    core: State<'_, Core>,
    original: CompareSound,
    processed: CompareSound,
    tile: SpectrogramTile,
) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes("compare_spectrogram", move || app.compare_spectrogram(original, processed, tile)).await
}

/// Returns the current measurements of playback. See [`App::monitor`] for the layout.
#[tauri::command]
pub async fn monitor(core: State<'_, Core>, query: MonitorQuery) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes("monitor", move || app.monitor(query)).await
}

/// Returns the loudness over time of one side of a document. See [`App::loudness`] for the layout.
#[tauri::command]
pub async fn loudness(
    core: State<'_, Core>,
    document: DocumentId,
    side: Side,
    generation: u32,
    from: u32,
) -> Result<Response, Failure> {
    let app = Arc::clone(&core.app);
    bytes("loudness", move || app.loudness(document, side, generation, from)).await
}

/// Returns the map of the library. See [`App::library_map`] for the layout.
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
