//! Edits of a document. Each is one undo step, is on disk before the command returns, and is audible immediately.

use super::types::Edit;
use crate::chain::edit::{self, GroupKind};
use crate::chain::{Chain, Node, NodeId, NodeKind, TimeSpan};
use crate::document::{Band, FrameRange, History, Rack};
use crate::effects::{EffectSpec, Parameter, ParameterKind, SelectedPart, SelectionUse, Value};
use crate::error::{Error, NotationError, Result};
use crate::units::SampleRate;
use crate::window::App;
use crate::window::host::FileChoice;
use crate::window::workspace::types::{DocumentId, DocumentView};
use crate::window::workspace::warning;

impl App {
    pub(in crate::window) fn edit(&self, document: DocumentId, edit: Edit) -> Result<DocumentView> {
        let (before, resting, rack) = {
            let state = self.workspace.state();
            let now = state.document(document)?.document();
            (now.chain.clone(), now.resting.clone(), now.rack)
        };
        let change = match edit {
            Edit::CopyRack => Change {
                label: format!("Copy rack {} to {}", rack.letter(), rack.other().letter()),
                gesture: None,
                resting: Some(before.clone()),
                chain: before,
            },
            Edit::SwapRacks => {
                Change { label: "Swap racks A and B".into(), gesture: None, chain: resting, resting: Some(before) }
            }
            edit => self.change(document, &before, edit)?,
        };
        {
            let mut state = self.workspace.state();
            let open = state.document_mut(document)?;
            let mut changed = open.document().clone();
            changed.chain = change.chain;
            if let Some(resting) = change.resting {
                changed.resting = resting;
            }
            if open.history.apply(&change.label, change.gesture, changed) {
                open.revision += 1;
            }
        }
        self.changed(document)
    }

    // Like the selection, this is not an undo step: comparing racks back and forth must not discard redo steps.
    pub(in crate::window) fn set_rack(&self, document: DocumentId, rack: Rack) -> Result<DocumentView> {
        {
            let mut state = self.workspace.state();
            let open = state.document_mut(document)?;
            let mut changed = open.document().clone();
            if changed.hear_rack(rack) {
                open.history.end_gesture();
                open.history.amend(changed);
                open.revision += 1;
            }
        }
        self.changed(document)
    }

    pub(in crate::window) fn choose_argument(
        &self,
        document: DocumentId,
        node: NodeId,
        name: String,
        folder: bool,
    ) -> Result<DocumentView> {
        let title = {
            let state = self.workspace.state();
            let chain = &state.document(document)?.document().chain;
            let spec = effect_of(chain, node).and_then(|spec| spec.parameter(&name).map(|parameter| (spec, parameter)));
            match spec {
                Some((spec, parameter)) if takes_file(parameter, folder) => {
                    format!("{} of {}", parameter.title, spec.title.to_lowercase())
                }
                _ => {
                    let what = if folder { "folder" } else { "file" };
                    return Err(Error::impossible(format!("{name} does not take a {what}.")));
                }
            }
        };
        let host = &self.workspace.host;
        let chosen = if folder {
            host.choose_folders(&title)
        } else {
            host.choose_open(&FileChoice { title, kind: "Any file", extensions: &["*"], several: false })
        };
        match chosen.into_iter().next() {
            Some(path) => {
                let path = path.into_os_string().into_string().map_err(|path| {
                    Error::unsupported(
                        "This file name",
                        format!("It is not Unicode. Rename the file: {}", path.display()),
                    )
                })?;
                self.chain_files.allow(std::slice::from_ref(&path))?;
                self.edit(document, Edit::SetArgument { node, name, value: Value::Text(path), gesture: None })
            }
            None => self.view(document),
        }
    }

    pub(in crate::window) fn undo(&self, document: DocumentId) -> Result<DocumentView> {
        self.step(document, |history| history.undo().map(drop))
    }

    pub(in crate::window) fn redo(&self, document: DocumentId) -> Result<DocumentView> {
        self.step(document, |history| history.redo().map(drop))
    }

    /// Moves one step through a document's history, and reports steps that could not be read.
    fn step(&self, document: DocumentId, go: fn(&mut History) -> Option<()>) -> Result<DocumentView> {
        let (lost, name, former) = {
            let mut state = self.workspace.state();
            let open = state.document_mut(document)?;
            let before = open.history.lost_steps();
            let former = open.history.shared();
            go(&mut open.history);
            open.revision += 1;
            (open.history.lost_steps() - before, open.name(), former)
        };
        if lost > 0 {
            let steps = if lost == 1 { "One step".to_owned() } else { format!("{lost} steps") };
            let message = format!("{steps} of the history of {name} could not be read and were removed.");
            self.workspace.notify(warning(message));
        }
        self.changed_from(document, &former, None)
    }

    #[allow(clippy::unused_self, reason = "commands are the app's methods")]
    pub(in crate::window) fn check_chain(&self, text: String) -> Result<Option<NotationError>> {
        Ok(text.parse::<Chain>().err())
    }

    #[allow(clippy::unused_self, clippy::needless_pass_by_value, reason = "commands are the app's methods")]
    pub(in crate::window) fn search_effects(&self, words: String) -> Result<Vec<String>> {
        Ok(crate::effects::search(&words).into_iter().map(|spec| spec.name.to_owned()).collect())
    }

    /// Returns the selected part of a document.
    fn selected_part(&self, document: DocumentId) -> Result<Option<SelectedPart>> {
        let state = self.workspace.state();
        let open = state.document(document)?;
        let now = open.document();
        let Some(range) = now.selection else { return Ok(None) };
        let rate = open.format()?.rate;
        Ok(Some(selected(range, now.band, rate, now.frames())))
    }

    /// Adds an effect with initial values for the recording. An effect that only makes sense for a part takes the
    /// selection.
    fn add_effect(
        &self,
        document: DocumentId,
        chain: &Chain,
        effect: &str,
        after: Option<NodeId>,
    ) -> Result<(String, Option<u32>, Chain)> {
        let spec = crate::effects::known(effect)?;
        // Within a part, the effect acts on that part.
        let within = after.and_then(|after| edit::span_around(chain, after));
        let part = if within.is_some() { None } else { self.selected_part(document)? };
        if let (Some(part), Some(SelectionUse::Region)) = (part, spec.selection) {
            let chain = edit::add_repair(chain, spec.name, &part.arguments(spec))?;
            return Ok((capitalised(&title(spec.name)), None, chain));
        }
        let mut arguments = {
            let state = self.workspace.state();
            let open = state.document(document)?;
            // A recording that cannot be read has no format, but its chain can be edited.
            open.format().map_or_else(
                |_| spec.initial_arguments(),
                |format| {
                    let whole_s = format.rate.seconds_from_frames(open.document().frames());
                    let seconds = within.map_or(whole_s, |span| span.to_s.min(whole_s) - span.from_s);
                    spec.initial_arguments_for(format.rate.nyquist_hz(), seconds)
                },
            )
        };
        if let Some(part) = part.filter(|_| spec.selection.is_some_and(SelectionUse::is_taken)) {
            part.arguments(spec).iter().for_each(|(name, value)| arguments.set(name, value.clone()));
        }
        let (chain, _) = edit::add_effect(chain, spec.name, after, &arguments)?;
        Ok((format!("Add {}", title(spec.name)), None, chain))
    }

    fn use_selection(
        &self,
        document: DocumentId,
        chain: &Chain,
        node: NodeId,
        on: bool,
    ) -> Result<(String, Option<u32>, Chain)> {
        let spec = effect_of(chain, node)
            .filter(|spec| spec.selection.is_some())
            .ok_or_else(|| Error::impossible("This effect cannot use the selection."))?;
        if edit::part_around(chain, node).is_some() {
            return Err(Error::impossible(
                "This effect acts on a part of the recording. Change the times of the part.",
            ));
        }
        let part = self.selected_part(document)?;
        let name = name(chain, node)?;
        if on {
            let part = part.ok_or_else(|| Error::impossible("Select a part of the recording first."))?;
            let label = format!("Use selection for {name}");
            return Ok((label, None, edit::set_arguments(chain, node, &part.arguments(spec))?));
        }
        let initial = edit::initial_times(spec);
        Ok((format!("Use whole recording for {name}"), None, edit::set_arguments(chain, node, &initial)?))
    }

    /// Limits nodes to the selection. A part that reaches the end of the recording ends after it, so that it does not
    /// fade there.
    fn act_on_selection(
        &self,
        document: DocumentId,
        chain: &Chain,
        nodes: &[NodeId],
    ) -> Result<(String, Option<u32>, Chain)> {
        if self.workspace.state().document(document)?.document().channels.is_some() {
            return Err(Error::impossible(
                "Effects act on all channels, but only some are selected. Select all channels first.",
            ));
        }
        let part = self.selected_part(document)?;
        let part = part.ok_or_else(|| Error::impossible("Select a part of the recording first."))?;
        let rounded = |seconds: f64| (seconds * 1e6).round() / 1e6;
        let first_span = nodes.first().and_then(|&node| edit::span_of(chain, node));
        let fade_s = first_span.map_or(TimeSpan::DEFAULT_FADE_S, |span| span.fade_s);
        let beyond_s = if part.to_s < part.length_s { 0.0 } else { fade_s };
        let span = TimeSpan { from_s: rounded(part.from_s), to_s: rounded(part.to_s + beyond_s), fade_s };
        let what = match nodes {
            [node] => name(chain, *node)?,
            _ => format!("{} effects", nodes.len()),
        };
        Ok((format!("Apply {what} to the selection"), None, edit::act_during(chain, nodes, span)?.0))
    }

    fn change(&self, document: DocumentId, chain: &Chain, edit: Edit) -> Result<Change> {
        let (label, gesture, chain) = match edit {
            Edit::AddEffect { effect, after } => self.add_effect(document, chain, &effect, after)?,
            Edit::UseSelection { node, on } => self.use_selection(document, chain, node, on)?,
            Edit::ActOnSelection { nodes } => self.act_on_selection(document, chain, &nodes)?,
            Edit::SetSpan { node, span, gesture } => {
                (format!("Change times of {}", name(chain, node)?), gesture, edit::set_span(chain, node, span)?)
            }
            Edit::AddRepair { effect, range, band } => {
                let part = {
                    let state = self.workspace.state();
                    let open = state.document(document)?;
                    selected(range, band, open.format()?.rate, open.document().frames())
                };
                let chain = edit::add_repair(chain, &effect, &part.arguments(crate::effects::known(&effect)?))?;
                (capitalised(&title(&effect)), None, chain)
            }
            Edit::Group { nodes, group } => {
                let what = match group {
                    GroupKind::Series => "Group in series",
                    GroupKind::Parallel => "Group in parallel",
                };
                (what.into(), None, edit::group(chain, &nodes, group)?.0)
            }
            Edit::Ungroup { node } => (format!("Ungroup {}", name(chain, node)?), None, edit::ungroup(chain, node)?),
            Edit::SetGroup { node, group } => {
                let way = match group {
                    GroupKind::Series => "series",
                    GroupKind::Parallel => "parallel",
                };
                (format!("Put {} in {way}", name(chain, node)?), None, edit::set_group(chain, node, group)?)
            }
            Edit::CopyRack | Edit::SwapRacks => return Err(Error::Internal("racks are edited as a whole".into())),
            Edit::Remove { node } => (format!("Remove {}", name(chain, node)?), None, edit::remove(chain, node)?),
            Edit::Move { node, parent, index } => {
                (format!("Move {}", name(chain, node)?), None, edit::move_node(chain, node, parent, index)?)
            }
            Edit::Duplicate { node } => {
                (format!("Duplicate {}", name(chain, node)?), None, edit::duplicate(chain, node)?.0)
            }
            Edit::SetArgument { node, name: parameter, value, gesture } => {
                let label = format!("Change {} of {}", parameter_title(chain, node, &parameter), name(chain, node)?);
                (label, gesture, edit::set_argument(chain, node, &parameter, value)?)
            }
            Edit::SetBypass { node, bypass } => {
                let word = if bypass { "Bypass" } else { "Enable" };
                (format!("{word} {}", name(chain, node)?), None, edit::set_bypass(chain, node, bypass)?)
            }
            Edit::SetMix { node, mix, gesture } => {
                (format!("Change wet/dry of {}", name(chain, node)?), gesture, edit::set_mix(chain, node, mix)?)
            }
            Edit::SetLabel { node, label } => {
                (format!("Label {}", name(chain, node)?), None, edit::set_label(chain, node, label.as_deref())?)
            }
            Edit::Reset { node } => (format!("Reset {}", name(chain, node)?), None, edit::reset(chain, node)?),
            Edit::SetChainText { text } => ("Edit chain".into(), None, edit::replace_chain(chain, &text.parse()?)),
            Edit::LoadPreset { preset, node } => {
                let loaded = self.workspace.preset_chain(&preset)?;
                let chain = match node {
                    Some(node) => edit::replace_node(chain, node, &loaded)?,
                    None => edit::replace_chain(chain, &loaded),
                };
                (format!("Load preset {preset}"), None, chain)
            }
        };
        Ok(Change { label, gesture, chain, resting: None })
    }
}

/// Returns a selected part in seconds and Hz; without a band, all frequencies.
fn selected(range: FrameRange, band: Option<Band>, rate: SampleRate, frames: u64) -> SelectedPart {
    let (low_hz, high_hz) = band.map_or((0.0, rate.nyquist_hz()), |band| (band.low_hz, band.high_hz));
    let seconds = |frame| rate.seconds_from_frames(frame);
    let (from_s, to_s) = (seconds(range.start), seconds(range.end));
    SelectedPart { from_s, to_s, low_hz, high_hz, length_s: seconds(frames) }
}

struct Change {
    label: String,
    gesture: Option<u32>,
    chain: Chain,
    /// The new chain of the other rack; `None` leaves it unchanged.
    resting: Option<Chain>,
}

impl App {
    /// Writes a changed document to disk and updates playback.
    pub(in crate::window) fn changed(&self, id: DocumentId) -> Result<DocumentView> {
        self.workspace.keep(id)?;
        let now = self.workspace.state().document(id)?.history.shared();
        self.playback.set_chain(id, &now.chain);
        self.recording.set_chain(id, &now.chain);
        self.view(id)
    }
}

/// Returns whether a parameter takes a file, or also a folder if one is requested.
fn takes_file(parameter: &Parameter, needs_folder: bool) -> bool {
    matches!(parameter.kind, ParameterKind::File { folder, .. } if folder || !needs_folder)
}

fn node(chain: &Chain, id: NodeId) -> Result<&Node> {
    chain.find(id).ok_or_else(|| Error::NotFound { what: "effect", name: id.0.to_string() })
}

// The name of a node in undo labels: its label, or its effect's title in lower case.
fn name(chain: &Chain, id: NodeId) -> Result<String> {
    let node = node(chain, id)?;
    Ok(match (&node.label, &node.kind) {
        (Some(label), _) => label.clone(),
        (None, NodeKind::Effect { effect, .. }) => title(effect),
        (None, NodeKind::Series { .. } | NodeKind::Parallel { .. }) => "group".into(),
        (None, NodeKind::During { .. }) => "part".into(),
    })
}

fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn title(effect: &str) -> String {
    crate::effects::find(effect).map_or_else(|| effect.to_owned(), |spec| spec.title.to_lowercase())
}

fn parameter_title(chain: &Chain, id: NodeId, parameter: &str) -> String {
    let known = effect_of(chain, id).and_then(|spec| spec.parameter(parameter));
    known.map_or(parameter, |known| known.title).to_lowercase()
}

fn effect_of(chain: &Chain, id: NodeId) -> Option<&'static EffectSpec> {
    match chain.find(id).map(|node| &node.kind) {
        Some(NodeKind::Effect { effect, .. }) => crate::effects::find(effect),
        _ => None,
    }
}
