//! The files of the stems.

use std::path::{Path, PathBuf};

use super::arguments::Stems;
use crate::cli::arguments::Collisions;
use crate::effects::Permission;
use crate::error::{Error, Result};
use crate::stems::StemKind;
use crate::work::batch::inputs::{FoundInput, Input};
use crate::work::batch::naming::{Template, TemplateValues};
use crate::work::batch::targets::{extension, number, refuse};
use crate::work::export::ExportInput;

/// The names of the files, if no template is given.
const NAMES: &str = "{folder}/{name} - {stem}.{ext}";
/// The field of a template that is the name of the stem. Names are made of tags; this one is added to them.
const STEM: &str = "STEM";

/// An input with a file for each stem, or why it has none.
pub struct Planned {
    pub input: PathBuf,
    pub targets: Result<Vec<(StemKind, PathBuf)>>,
}

/// Returns the files of each input.
///
/// # Errors
/// [`Error::Impossible`] for an invalid template, and for outputs of the same name if they must be refused.
pub fn planned(words: &Stems, folder: &Path, stems: &[StemKind], found: Vec<FoundInput>) -> Result<Vec<Planned>> {
    let template = Template::parse(words.name.as_deref().unwrap_or(NAMES))?;
    let mut planned = Vec::with_capacity(found.len());
    for (index, found) in found.into_iter().enumerate() {
        planned.push(match found {
            Ok(input) => {
                let targets = named(words, folder, &template, stems, &input, index + 1);
                Planned { targets, input: input.path }
            }
            Err((input, error)) => Planned { input, targets: Err(error) },
        });
    }
    let all = planned.iter_mut().filter_map(|planned| planned.targets.as_mut().ok()).flatten();
    match words.collisions {
        Collisions::Number => number(all.map(|(_, target)| target)),
        Collisions::Refuse => {
            let pairs: Vec<(&Path, &Path)> = planned
                .iter()
                .filter_map(|planned| Some((planned.input.as_path(), planned.targets.as_ref().ok()?)))
                .flat_map(|(input, targets)| targets.iter().map(move |(_, target)| (input, target.as_path())))
                .collect();
            refuse(&pairs)?;
        }
    }
    Ok(planned)
}

/// Returns the files of one input, the `at`th from 1.
fn named(
    words: &Stems,
    folder: &Path,
    template: &Template,
    stems: &[StemKind],
    input: &Input,
    at: usize,
) -> Result<Vec<(StemKind, PathBuf)>> {
    let mut tags = ExportInput::open(&input.path, &Permission::ANY)?.tags().clone();
    let extension = extension(words.format, &input.path);
    let mut targets: Vec<(StemKind, PathBuf)> = Vec::with_capacity(stems.len());
    for &stem in stems {
        tags.items.insert(STEM.to_owned(), stem.name().into());
        let values = TemplateValues { input: &input.path, folder: &input.folder, number: at, extension, tags: &tags };
        let target = folder.join(template.apply(&values)?);
        if targets.iter().any(|(_, other)| *other == target) && words.collisions == Collisions::Refuse {
            return Err(Error::impossible("Names: The template gives several stems one name. Add {stem}."));
        }
        targets.push((stem, target));
    }
    Ok(targets)
}
