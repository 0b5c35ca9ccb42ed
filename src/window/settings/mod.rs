//! The settings, as the window changes them.

pub mod commands;
pub mod keys;

use std::sync::Arc;

use super::App;
use super::event::Event;
use crate::error::Result;
use crate::work::settings::{self, Settings};

#[allow(clippy::unnecessary_wraps, reason = "commands give results")]
fn view(app: &App) -> Result<Settings> {
    Ok(app.workspace.state().settings.clone())
}

fn set(app: &App, settings: Settings) -> Result<Settings> {
    app.change_settings(|now| {
        // A window cannot set folders.
        let (folder, models) = (now.recording.folder.take(), std::mem::take(&mut now.models));
        *now = settings;
        (now.recording.folder, now.models) = (folder, models);
    })
}

impl App {
    /// Changes the settings and applies the change. The settings are on disk when this returns.
    pub(super) fn change_settings(&self, change: impl FnOnce(&mut Settings)) -> Result<Settings> {
        let (before, settings) = {
            let _turn = self.workspace.settings_turn();
            let before = self.workspace.state().settings.clone();
            let mut settings = before.clone();
            change(&mut settings);
            let settings = settings::checked(settings);
            settings::save(self.workspace.directories.config(), &before, &settings)?;
            self.workspace.state().settings = settings.clone();
            (before, settings)
        };
        if before.output != settings.output {
            self.playback.set_output(settings.output.clone());
        }
        if before.mute_when_too_loud != settings.mute_when_too_loud {
            self.playback.player().set_mutes(settings.mute_when_too_loud);
        }
        if before.recording.live_limiter != settings.recording.live_limiter {
            self.recording.set_live_limits(settings.recording.live_limiter);
        }
        if before.library.matched != settings.library.matched {
            self.playback.match_auditions(settings.library.matched);
        }
        if !settings::library::is_same(&before.library, &settings.library) {
            self.library.close();
        } else if before.library.watch != settings.library.watch {
            self.library.watch_as_set();
        }
        if before.device != settings.device {
            self.playback.reload();
            let workspace = Arc::clone(&self.workspace);
            // Enumerating adapters may take a while; an event tells the window the result.
            self.workspace.in_background("Looking for devices", move || {
                if let Ok(devices) = workspace.devices_view() {
                    workspace.host.emit(Event::Devices { devices });
                }
            });
        }
        Ok(settings)
    }
}
