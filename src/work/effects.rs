//! Effects as a front end lists them.

use serde::Serialize;

use crate::effects::{self, EffectSpec, Parameter, Purpose, SelectionUse};
use base::declared::TS;

/// An effect as the window lists it.
#[derive(Clone, Debug, Serialize, TS)]
pub struct EffectView {
    /// The name in the notation.
    pub name: &'static str,
    /// The displayed name.
    pub title: &'static str,
    /// The group in the list of effects.
    pub purpose: Purpose,
    /// One line of help.
    pub summary: &'static str,
    /// The full documentation in Markdown.
    pub documentation: String,
    /// The parameters.
    pub parameters: &'static [Parameter],
    /// How it uses a selected part of the recording.
    pub selection: Option<SelectionUse>,
}

/// Returns every effect with its parameters.
pub fn views() -> Vec<EffectView> {
    effects::all().iter().map(|spec| view(spec)).collect()
}

/// Returns the effects that match the words, best first.
pub fn found(words: &str) -> Vec<EffectView> {
    effects::search(words).into_iter().map(view).collect()
}

/// Returns one effect with its parameters.
pub fn view(spec: &EffectSpec) -> EffectView {
    let EffectSpec { example, source, .. } = spec;
    EffectView {
        name: spec.name,
        title: spec.title,
        purpose: spec.purpose,
        summary: spec.summary,
        documentation: format!("{}\n\nExample: `{example}`\n\nSource: {source}", spec.documentation.trim()),
        parameters: spec.parameters,
        selection: spec.selection,
    }
}
