//! Stored chains: factory presets and the user's.

use std::path::Path;

use super::App;
use super::api::{DocumentId, PresetView};
use super::factory::PRESETS;
use super::host::FileChoice;
use super::open_document::file_name;
use super::workspace::Workspace;
use crate::chain::{Chain, NodeId, json};
use crate::error::{Error, Result};
use crate::files::{self, SafeFile};

const EXTENSION: &str = "undertone-chain";

/// The largest accepted preset file, in bytes; a chain is a few kilobytes of text.
const MAX_BYTES: u64 = 1 << 20;

impl App {
    pub(super) fn presets(&self) -> Result<Vec<PresetView>> {
        let factory = PRESETS.iter().map(|preset| PresetView {
            name: preset.name.to_owned(),
            text: preset.text.to_owned(),
            chain: preset.text.parse().unwrap_or_default(),
            factory: true,
            task: Some(preset.task.title().to_owned()),
            problem: None,
        });
        let own = self.workspace.session().presets()?.into_iter().map(|preset| PresetView {
            name: preset.name,
            text: preset.chain.as_ref().map(ToString::to_string).unwrap_or_default(),
            chain: preset.chain.clone().unwrap_or_default(),
            factory: false,
            task: None,
            problem: preset.chain.err(),
        });
        Ok(own.chain(factory).collect())
    }

    pub(super) fn save_preset(
        &self,
        document: DocumentId,
        node: Option<NodeId>,
        name: String,
        replace: bool,
    ) -> Result<Vec<PresetView>> {
        let chain = {
            let state = self.workspace.state();
            let whole = &state.document(document)?.document().chain;
            match node {
                Some(id) => {
                    let found =
                        whole.find(id).ok_or_else(|| Error::NotFound { what: "effect", name: id.0.to_string() })?;
                    Chain { nodes: vec![found.clone()] }
                }
                None => whole.clone(),
            }
        };
        self.store_preset(&name, &chain, replace)?;
        self.presets()
    }

    pub(super) fn delete_preset(&self, name: String) -> Result<Vec<PresetView>> {
        self.workspace.session().delete_preset(&name)?;
        self.presets()
    }

    pub(super) fn import_preset(&self) -> Result<Vec<PresetView>> {
        let choice = FileChoice {
            title: "Import a preset".into(),
            kind: "Preset",
            extensions: &[EXTENSION, "json"],
            several: false,
        };
        if let Some(path) = self.workspace.host.choose_open(&choice).into_iter().next() {
            let chain = read_chain(&path)?;
            let name = path.file_stem().map_or_else(|| file_name(&path), |stem| stem.to_string_lossy().into_owned());
            self.store_preset(&name, &chain, false)?;
        }
        self.presets()
    }

    pub(super) fn export_preset(&self, name: String) -> Result<bool> {
        let text = json::to_json(&self.workspace.preset_chain(&name)?)?;
        let choice =
            FileChoice { title: "Export a preset".into(), kind: "Preset", extensions: &[EXTENSION], several: false };
        let suggestion = format!("{}.{EXTENSION}", name.replace(['/', '\\', ':'], "-"));
        let Some(chosen) = self.workspace.choose_target(&choice, &suggestion) else { return Ok(false) };
        let mut file = SafeFile::create(&chosen.path, chosen.may_replace, self.protected())?;
        file.append(text.as_bytes())?;
        file.commit()?;
        Ok(true)
    }

    fn store_preset(&self, name: &str, chain: &Chain, replace: bool) -> Result<()> {
        if PRESETS.iter().any(|preset| preset.name == name.trim()) {
            return Err(Error::impossible("A preset of this name comes with Undertone. Choose another name."));
        }
        if self.workspace.session().save_preset(name, chain, replace)? {
            Ok(())
        } else {
            Err(Error::impossible("A preset of this name exists. Choose another name, or replace it."))
        }
    }
}

impl Workspace {
    /// Returns the chain of a factory preset or of one of the user's.
    pub(super) fn preset_chain(&self, name: &str) -> Result<Chain> {
        match PRESETS.iter().find(|preset| preset.name == name) {
            Some(preset) => Ok(preset.text.parse()?),
            None => self.session().preset(name),
        }
    }
}

/// Reads a chain from a preset file.
pub fn read_chain(path: &Path) -> Result<Chain> {
    let bytes = files::read(path, "preset file", MAX_BYTES)?;
    let text = String::from_utf8(bytes).map_err(|_| Error::malformed("This is not a preset", path))?;
    json::from_json(&text)
}
