//! The window of Undertone: a thin layer over [`undertone::window`] without audio logic. It connects the core to the
//! desktop (dialogs, events, dropped files) and to the web view (commands).

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod commands;
mod host;
#[cfg(target_os = "linux")]
mod once_more;
mod place;
#[cfg(target_os = "linux")]
mod web_renderer;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tauri::ipc::Invoke;
use tauri::{DragDropEvent, Manager, RunEvent, WebviewWindowBuilder, WindowEvent};
use tracing::error;
use undertone::files::from_lossy;
use undertone::window::App;
use undertone::work::Directories;

use crate::commands::Core;
use crate::host::Desktop;
use crate::place::Place;

fn main() {
    #[cfg(target_os = "linux")]
    web_renderer::choose();
    undertone::work::log_to_stderr();
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let application = tauri::Builder::default()
        // A second instance passes its files to the first and exits.
        .plugin(tauri_plugin_single_instance::init(|window, arguments, folder| {
            if let Some(core) = window.try_state::<Core>() {
                let arguments = arguments.into_iter().skip(1).map(PathBuf::from).collect();
                // The paths arrive as text, so names that are not Unicode are lossy.
                open(&core, arguments, |file| from_lossy(&Path::new(&folder).join(file)));
            }
            if let Some(window) = window.get_webview_window("main") {
                let _ = window.unminimize();
                let _ = window.set_focus();
            }
        }))
        .invoke_handler(|invoke| {
            if invoke.message.command() == commands::CALL {
                commands::call(invoke);
                return true;
            }
            answer_in_bytes(invoke)
        })
        .setup(move |window| {
            let desktop = Arc::new(Desktop::new(window.handle().clone()));
            let directories = Directories::of_this_user()?;
            let config = window.config().app.windows.first().cloned().unwrap_or_default();
            // Without it WebKitGTK lets the page write to the clipboard, but not read it, so menus cannot paste.
            let main =
                WebviewWindowBuilder::from_config(window.handle(), &config)?.enable_clipboard_access().build()?;
            window.manage(Place::restore(&main, directories.config()));
            let core = Core::new(App::new(desktop, directories)?);
            let folder = std::env::current_dir().unwrap_or_default();
            open(&core, arguments, |file| folder.join(file));
            window.manage(core);
            Ok(())
        })
        .on_window_event(|window, event| match event {
            WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }) => {
                if let Some(core) = window.try_state::<Core>() {
                    core.drop_in_background(paths.clone());
                }
            }
            WindowEvent::Moved(_) | WindowEvent::Resized(_) => place::note(window),
            _ => {}
        })
        .build(tauri::generate_context!());
    match application {
        Ok(application) => application.run(|window, event| match event {
            // From here on, a new start is independent: files passed to this instance would be lost.
            RunEvent::ExitRequested { .. } => tauri_plugin_single_instance::destroy(window),
            // macOS brings a file that was double-clicked or dropped on the icon as an event, not as an argument.
            #[cfg(target_os = "macos")]
            RunEvent::Opened { urls } => {
                if let Some(core) = window.try_state::<Core>() {
                    let files: Vec<PathBuf> = urls.iter().filter_map(|url| url.to_file_path().ok()).collect();
                    core.open_in_background(files);
                }
            }
            RunEvent::Exit => {
                if let Some(place) = window.try_state::<Place>() {
                    place.keep();
                }
                if let Some(core) = window.try_state::<Core>() {
                    core.app().shut_down();
                }
            }
            _ => {}
        }),
        Err(error) => {
            #[cfg(target_os = "linux")]
            once_more::if_the_former_was_ending(&error);
            error!("{error}");
            eprintln!("undertone-app cannot start: {error}");
            std::process::exit(1);
        }
    }
}

/// Handles the commands that return bytes. They run in no particular order, because each only reads the current state.
fn answer_in_bytes(invoke: Invoke) -> bool {
    let handler: fn(Invoke) -> bool = tauri::generate_handler![
        commands::peaks,
        commands::track_peaks,
        commands::samples,
        commands::spectrogram,
        commands::compare_peaks,
        commands::compare_samples,
        commands::compare_spectrogram,
        commands::monitor,
        commands::loudness,
        commands::library_map
    ];
    handler(invoke)
}

/// Opens what the command line names: files, with paths resolved by `place`, or the demo.
fn open(core: &Core, arguments: Vec<PathBuf>, place: impl Fn(PathBuf) -> PathBuf) {
    let is_option = |word: &PathBuf| word.as_os_str().as_encoded_bytes().starts_with(b"--");
    let (options, files): (Vec<PathBuf>, Vec<PathBuf>) = arguments.into_iter().partition(is_option);
    if options.iter().any(|option| option.as_os_str() == "--demo") && files.is_empty() {
        core.open_demo_in_background();
    }
    if !files.is_empty() {
        core.open_in_background(files.into_iter().map(place).collect());
    }
}
