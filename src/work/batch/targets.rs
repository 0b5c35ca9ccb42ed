//! Chooses a distinct output path for each input.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::inputs::Input;
use super::naming::{Template, TemplateValues};
use crate::audio::Tags;
use crate::audio::encode::{FileFormat, SampleFormat};
use crate::error::{Error, Result};

/// How outputs are named.
#[derive(Clone, Copy, Debug)]
pub struct Naming<'a> {
    /// The output folder.
    pub folder: &'a Path,
    /// The template of the names. Without one, an output has its input's name and relative folder.
    pub template: Option<&'a Template>,
    /// The output format. Without one, it depends on the input.
    pub format: Option<FileFormat>,
}

impl Naming<'_> {
    /// Returns the output path of the `number`th input, counted from 1. `tags` is called only if the name depends on
    /// tags.
    pub fn target(&self, input: &Input, number: usize, tags: impl FnOnce() -> Result<Tags>) -> Result<PathBuf> {
        let extension = extension(self.format, &input.path);
        let Some(template) = self.template else {
            let mut name = input.path.file_stem().unwrap_or(input.path.as_os_str()).to_os_string();
            name.push(".");
            name.push(extension);
            return Ok(self.folder.join(&input.folder).join(name));
        };
        let tags = if template.needs_tags() { tags()? } else { Tags::default() };
        let facts = TemplateValues { input: &input.path, folder: &input.folder, number, extension, tags: &tags };
        Ok(self.folder.join(template.apply(&facts)?))
    }
}

/// Returns the extension of an input's output: the given format's, or without one `flac` for FLAC inputs and `wav` for
/// all others.
pub fn extension(format: Option<FileFormat>, input: &Path) -> &'static str {
    match format {
        Some(format) => format.extension(),
        None if input.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("flac")) => "flac",
        None => "wav",
    }
}

/// Returns the input's sample format if the output format supports it. Lossy codecs decode to 24 bits.
pub fn own_bits(format: FileFormat, bits: Option<u32>, codec: &str) -> SampleFormat {
    match (format, bits) {
        (FileFormat::Wav, Some(32 | 64)) if codec.contains("float") => SampleFormat::Float32,
        (FileFormat::Wav, Some(25..)) => SampleFormat::Int32,
        (_, Some(..=16)) => SampleFormat::Int16,
        _ => SampleFormat::Int24,
    }
}

/// Returns a case-insensitive key for a path, as on case-insensitive file systems.
fn key(path: &Path) -> String {
    path.to_string_lossy().to_lowercase()
}

/// Checks that no two inputs have the same output.
pub fn refuse(pairs: &[(&Path, &Path)]) -> Result<()> {
    let mut seen: HashMap<String, &Path> = HashMap::new();
    for (input, target) in pairs {
        if let Some(earlier) = seen.insert(key(target), input) {
            return Err(Error::impossible(format!(
                "{} and {} would both be written to {}. Tell them apart by --name or --collisions number.",
                earlier.display(),
                input.display(),
                target.display()
            )));
        }
    }
    Ok(())
}

/// Makes equal output paths distinct by numbers: the second one gets ` (2)`.
pub fn number<'a>(targets: impl Iterator<Item = &'a mut PathBuf>) {
    let mut seen = std::collections::HashSet::new();
    for target in targets {
        let plain = target.clone();
        let mut count = 1;
        while !seen.insert(key(target)) {
            count += 1;
            let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
            let ending = plain.extension().map(|_| format!(".{}", part(plain.extension()))).unwrap_or_default();
            *target = plain.with_file_name(format!("{} ({count}){ending}", part(plain.file_stem())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_of_one_name_are_numbered_in_order() {
        let mut targets: Vec<PathBuf> =
            ["o/a.wav", "o/A.wav", "o/a (2).wav", "o/a.wav", "o/b"].iter().map(PathBuf::from).collect();
        number(targets.iter_mut());
        let names: Vec<_> = targets.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        assert_eq!(names, ["o/a.wav", "o/A (2).wav", "o/a (2) (2).wav", "o/a (3).wav", "o/b"]);
        let pairs = [(Path::new("x"), Path::new("o/a.wav")), (Path::new("y"), Path::new("o/A.wav"))];
        assert!(refuse(&pairs).is_err());
        assert!(refuse(&pairs[..1]).is_ok());
    }
}
