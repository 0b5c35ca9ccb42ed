//! Stored chains: factory presets and the user's.

use serde::Serialize;

use crate::chain::{Chain, NodeId, json};
use crate::error::{Error, Result};
use crate::files::SafeFile;
use crate::window::App;
use crate::window::host::FileChoice;
use crate::window::workspace::Workspace;
use crate::window::workspace::open_document::file_name;
use crate::window::workspace::types::DocumentId;
use crate::work::presets::{PRESETS, read_chain};
use base::declared::TS;

/// A stored chain.
#[derive(Clone, Debug, Serialize, TS)]
pub struct PresetView {
    /// The unique name.
    pub name: String,
    /// The chain as text.
    pub text: String,
    /// The chain; empty if it cannot be used.
    pub chain: Chain,
    /// Whether it is a factory preset, which cannot be changed or deleted.
    pub factory: bool,
    /// The task under which a factory preset is listed.
    pub task: Option<String>,
    /// Why it cannot be used.
    pub problem: Option<String>,
}

const EXTENSION: &str = "undertone-chain";

impl App {
    pub(in crate::window) fn presets(&self) -> Result<Vec<PresetView>> {
        let factory = PRESETS.iter().map(|preset| PresetView {
            name: preset.name.to_owned(),
            text: preset.text.to_owned(),
            chain: preset.text.parse().unwrap_or_default(),
            factory: true,
            task: Some(preset.task.title().to_owned()),
            problem: None,
        });
        let saved = self.workspace.session().presets()?.into_iter().map(|preset| PresetView {
            name: preset.name,
            text: preset.chain.as_ref().map(ToString::to_string).unwrap_or_default(),
            chain: preset.chain.clone().unwrap_or_default(),
            factory: false,
            task: None,
            problem: preset.chain.err(),
        });
        Ok(saved.chain(factory).collect())
    }

    pub(in crate::window) fn save_preset(
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
                    whole.with_nodes(vec![found.clone()])
                }
                None => whole.clone(),
            }
        };
        self.store_preset(&name, &chain, replace)?;
        self.presets()
    }

    pub(in crate::window) fn delete_preset(&self, name: String) -> Result<Vec<PresetView>> {
        self.workspace.session().delete_preset(&name)?;
        self.presets()
    }

    pub(in crate::window) fn import_preset(&self) -> Result<Vec<PresetView>> {
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

    pub(in crate::window) fn export_preset(&self, name: String) -> Result<bool> {
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
    pub(in crate::window) fn preset_chain(&self, name: &str) -> Result<Chain> {
        let chain = match PRESETS.iter().find(|preset| preset.name == name) {
            Some(preset) => preset.text.parse()?,
            None => self.session().preset(name)?,
        };
        Ok(chain.limited_to(&self.permission))
    }
}
