//! The list of inputs and the settings.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::types::{BatchChain, BatchPhase, BatchSettings, BatchView};
use super::{BatchPage, State, checked, targets};
use crate::chain::Chain;
use crate::error::{Error, Result};
use crate::window::event::{Notice, NoticeLevel};
use crate::window::host::FileChoice;
use crate::window::workspace::open_document::file_name;
use crate::work::batch::inputs::{self, FoundInput};
use crate::work::batch::journal::{self, Journal};

impl BatchPage {
    pub(in crate::window) fn view(self: &Arc<Self>) -> Result<BatchView> {
        {
            let mut state = self.locked();
            if state.is_running() {
                return Ok(state.view());
            }
        }
        self.check_chain_of_batch();
        let view = {
            let mut state = self.locked();
            targets::name(&mut state);
            state.view()
        };
        self.look_at_inputs();
        Ok(view)
    }

    pub(in crate::window) fn add_files(self: &Arc<Self>) -> Result<BatchView> {
        let choice = FileChoice::recordings_and_projects("Files to process");
        let chosen = self.workspace.host.choose_open(&choice);
        self.take_inputs(&chosen)
    }

    pub(in crate::window) fn add_folders(self: &Arc<Self>) -> Result<BatchView> {
        let chosen = self.workspace.host.choose_folders("Folders to process");
        self.take_inputs(&chosen)
    }

    pub(in crate::window) fn remove(self: &Arc<Self>, items: Vec<u32>) -> Result<BatchView> {
        let items: std::collections::HashSet<u32> = items.into_iter().collect();
        self.changed_batch(|state| {
            state.items.retain(|item| !items.contains(&item.id));
        })
    }

    pub(in crate::window) fn clear(self: &Arc<Self>) -> Result<BatchView> {
        self.changed_batch(|state| {
            state.items.clear();
            (state.phase, state.failure) = (BatchPhase::Idle, None);
        })
    }

    pub(in crate::window) fn choose_output(self: &Arc<Self>) -> Result<BatchView> {
        let chosen = self.workspace.host.choose_folders("Output folder").into_iter().next();
        self.changed_batch(|state| {
            state.output = chosen.or(state.output.take());
        })
    }

    pub(in crate::window) fn set(self: &Arc<Self>, settings: BatchSettings) -> Result<BatchView> {
        self.changed_batch(|state| {
            state.settings = checked(settings);
        })
    }

    pub(in crate::window) fn take_drops(&self, on: bool) -> Result<()> {
        self.takes_drops.store(on, Ordering::Relaxed);
        Ok(())
    }

    pub(in crate::window) fn pause(&self) -> Result<()> {
        self.hold_batch(true)
    }

    pub(in crate::window) fn resume(&self) -> Result<()> {
        self.hold_batch(false)
    }

    pub(in crate::window) fn cancel(&self) -> Result<()> {
        let job = {
            let state = self.locked();
            state.job.filter(|_| state.is_running())
        };
        job.map_or(Ok(()), |job| self.jobs.cancel(job))
    }

    pub(in crate::window) fn show_file(&self, item: u32) -> Result<()> {
        let path = {
            let state = self.locked();
            let target = state.item(item)?.target.as_ref().and_then(|target| target.as_ref().ok()).cloned();
            target.ok_or_else(|| Error::NotFound { what: "output", name: item.to_string() })?
        };
        if !path.exists() {
            return Err(Error::NotFound { what: "output", name: path.display().to_string() });
        }
        self.workspace.host.show_file(&path)
    }

    fn hold_batch(&self, on: bool) -> Result<()> {
        let mut state = self.locked();
        if state.is_running() {
            state.hold.set(on);
            state.phase = if on { BatchPhase::Paused } else { BatchPhase::Running };
            self.tell_batch(&mut state);
        }
        Ok(())
    }

    /// Adds files and all recordings in folders, except files that an earlier run wrote.
    pub(in crate::window) fn take_inputs(self: &Arc<Self>, chosen: &[PathBuf]) -> Result<BatchView> {
        let output = self.locked().output.clone();
        let made = output.as_deref().and_then(list_of);
        let found = inputs::find(chosen, true, output.as_deref().unwrap_or(Path::new("")));
        let is_made =
            |path: &Path| made.as_ref().is_some_and(|made| made.made(path)) && !chosen.iter().any(|c| c == path);
        let mut refused = Vec::new();
        let mut added = Vec::new();
        for found in found {
            match found {
                FoundInput::Ok(input) if is_made(&input.path) => {}
                FoundInput::Ok(input) => added.push(input),
                FoundInput::Err((path, error)) => refused.push(format!("{}: {}", file_name(&path), error.sentences())),
            }
        }
        if added.is_empty() && refused.is_empty() && !chosen.is_empty() {
            let names = chosen.iter().map(|path| file_name(path)).collect::<Vec<_>>().join(", ");
            refused.push(format!("No recording found in {names}."));
        }
        for message in refused {
            self.workspace.notify(Notice { level: NoticeLevel::Warning, message });
        }
        self.changed_batch(|state| {
            state.add(added);
        })
    }

    /// Changes the batch if it is not running, and returns its new state.
    fn changed_batch(self: &Arc<Self>, change: impl FnOnce(&mut State)) -> Result<BatchView> {
        {
            let mut state = self.locked();
            state.at_rest()?;
            change(&mut state);
            targets::name(&mut state);
            self.keep_batch(&state);
        }
        self.check_chain_of_batch();
        self.look_at_inputs();
        Ok(self.locked().view())
    }

    /// Stores the current chain as text, or its error.
    fn check_chain_of_batch(&self) {
        let choice = self.locked().settings.chain.clone();
        let chain = self.batch_chain(&choice);
        let device = self.workspace.state().settings.device.clone();
        let mut state = self.locked();
        state.device = device;
        state.chain = chain.map(|chain| chain.to_string()).map_err(|error| error.sentences());
    }

    /// Returns the chain that the files go through. Fails if the chain names a file that the user has not allowed.
    pub(super) fn batch_chain(&self, chain: &BatchChain) -> Result<Chain> {
        let chain = match chain {
            BatchChain::None => Chain::default(),
            BatchChain::Preset { name } => self.workspace.preset_chain(name)?,
            BatchChain::Rack => {
                let state = self.workspace.state();
                let active = state
                    .active
                    .ok_or_else(|| Error::impossible("No document is open. Open one, or choose a preset."))?;
                state.document(active)?.document().chain.clone()
            }
        };
        let permission = &self.workspace.permission;
        chain.named_files().iter().try_for_each(|file| permission.check(file))?;
        // Even an empty chain: projects among the inputs are limited to what it is allowed.
        Ok(chain.limited_to(permission))
    }
}

/// Opens the list of finished files in a folder, if there is one.
fn list_of(folder: &Path) -> Option<Journal> {
    if folder.join(journal::NAME).is_file() { Journal::open(folder).ok() } else { None }
}
