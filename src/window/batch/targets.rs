//! Computes the output names, both for display and for the run.

use std::collections::HashSet;
use std::path::PathBuf;

use super::State;
use crate::audio::Tags;
use crate::error::{Error, Failure};
use crate::work::batch::inputs::Input;
use crate::work::batch::naming::Template;
use crate::work::batch::targets::{Naming, number};

/// Names the outputs of all inputs, as far as the data for their names is known. Equal names are numbered.
pub fn name(state: &mut State) {
    let template = match Template::parse(&state.settings.template) {
        Ok(template) => template,
        Err(error) => {
            state.template_problem = Some(error.sentences());
            for item in &mut state.items {
                item.is_news |= item.target.take().is_some();
            }
            return;
        }
    };
    state.template_problem = None;
    let inputs: HashSet<PathBuf> = state.items.iter().map(|item| item.path.clone()).collect();
    let folder = state.output.clone().unwrap_or_default();
    let naming = Naming { folder: &folder, template: Some(&template), format: Some(state.settings.export.format) };
    let mut targets: Vec<Option<Result<PathBuf, Failure>>> = Vec::with_capacity(state.items.len());
    for (index, item) in state.items.iter().enumerate() {
        let known = match &item.facts {
            None if template.needs_tags() => None,
            None | Some(Err(_)) => Some(Tags::default()),
            Some(Ok(facts)) => Some(facts.tags.clone()),
        };
        targets.push(known.map(|tags| {
            let input = Input { path: item.path.clone(), folder: item.folder.clone() };
            naming.target(&input, index + 1, || Ok(tags)).map_err(Failure::from)
        }));
    }
    number(targets.iter_mut().filter_map(|target| target.as_mut()?.as_mut().ok()));
    for (item, target) in state.items.iter_mut().zip(targets) {
        let target = target.map(|target| {
            target.and_then(|target| if inputs.contains(&target) { Err(would_harm(target)) } else { Ok(target) })
        });
        let exists =
            !folder.as_os_str().is_empty() && matches!(&target, Some(Ok(target)) if target.symlink_metadata().is_ok());
        let is_same = match (&target, &item.target) {
            (Some(Ok(new)), Some(Ok(old))) => new == old && exists == item.exists,
            (None, None) => true,
            _ => false,
        };
        if !is_same {
            item.is_news = true;
            item.target = target;
            item.exists = exists;
        }
    }
}

fn would_harm(path: PathBuf) -> Failure {
    let reason = "This is one of the inputs. Choose another folder or another name";
    Failure::from(Error::Refused { reason: reason.to_owned(), path })
}
