//! Finds, resolves and validates the shaders of a folder. Used by the build script, and by the test that an invalid
//! shader fails the build.
//!
//! **Imports.** A line `// import: shared/NAME.wgsl` is replaced by that file, relative to the shaders' folder. The
//! file may import others; each file is included once. Each line keeps its origin, so that errors name the right file.
//!
//! **Generated code.** A line `// generate: NAME` is replaced by what [`generated`] returns for that name.

#[path = "median.rs"]
mod median;
#[path = "reflect.rs"]
mod reflect;

use std::fs;
use std::path::{Path, PathBuf};

use naga::valid::{Capabilities, ValidationFlags, Validator};

/// Compiles every `*.wgsl` in the folders of `folder` but `shared` to one Rust source.
///
/// # Errors
/// A message of the form `FILE:LINE: what is wrong` for an invalid shader, and a message if the folder has no shaders.
pub fn compile(folder: &Path) -> Result<String, String> {
    let mut paths = Vec::new();
    for wing in listed(folder)?.filter(|path| path.is_dir() && !path.ends_with("shared")) {
        paths.extend(listed(&wing)?.filter(|path| path.extension().is_some_and(|extension| extension == "wgsl")));
    }
    paths.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    if paths.is_empty() {
        return Err(format!("{}: no shader found, expected *.wgsl", folder.display()));
    }
    let mut generated = String::new();
    let mut names = Vec::new();
    for path in &paths {
        let source = Source::resolve(folder, path)?;
        let (module, info) = source.validate()?;
        let name = path.file_stem().and_then(|stem| stem.to_str()).ok_or("a shader's name is not Unicode")?;
        generated.push_str(&reflect::shader(name, &source.text, &module, &info)?);
        names.push(name.to_owned());
    }
    let all: Vec<String> = names.iter().map(|name| format!("&{name}::SHADER")).collect();
    generated.push_str(&reflect::table(&all));
    Ok(generated)
}

/// Returns the paths of what a folder has.
fn listed(folder: &Path) -> Result<impl Iterator<Item = PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(entries.filter_map(|entry| entry.ok().map(|entry| entry.path())))
}

/// Returns the generated WGSL of that name, or `None` if there is none.
fn generated(name: &str) -> Option<String> {
    match name {
        "medians_of_31" => Some(median::medians_of_31()),
        _ => None,
    }
}

/// A shader with its imports, and the file and line from which each of its lines comes.
struct Source {
    text: String,
    origin: Vec<(PathBuf, usize)>,
}

impl Source {
    fn resolve(folder: &Path, path: &Path) -> Result<Self, String> {
        let mut source = Self { text: String::new(), origin: Vec::new() };
        source.include(folder, path, &mut Vec::new())?;
        Ok(source)
    }

    fn include(&mut self, folder: &Path, path: &Path, seen: &mut Vec<PathBuf>) -> Result<(), String> {
        if seen.iter().any(|other| other == path) {
            return Ok(());
        }
        seen.push(path.to_owned());
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        for (index, line) in text.lines().enumerate() {
            if let Some(name) = line.trim().strip_prefix("// import:") {
                let imported = folder.join(name.trim());
                if !imported.is_file() {
                    let at = index + 1;
                    return Err(format!("{}:{at}: no such import: {}", path.display(), imported.display()));
                }
                self.include(folder, &imported, seen)?;
            } else if let Some(name) = line.trim().strip_prefix("// generate:") {
                let at = index + 1;
                let code = generated(name.trim())
                    .ok_or_else(|| format!("{}:{at}: nothing generates `{}`", path.display(), name.trim()))?;
                self.text.push_str(&code);
                self.origin.extend(code.lines().map(|_| (path.to_owned(), at)));
            } else {
                self.text.push_str(line);
                self.text.push('\n');
                self.origin.push((path.to_owned(), index + 1));
            }
        }
        Ok(())
    }

    fn validate(&self) -> Result<(naga::Module, naga::valid::ModuleInfo), String> {
        let module = naga::front::wgsl::parse_str(&self.text).map_err(|error| {
            let line = self.line(error.labels().map(|(span, _)| span));
            self.at(line, &error.emit_to_string(&self.text))
        })?;
        // No capabilities: a kernel may only use what the basic tier has.
        let info =
            Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module).map_err(|error| {
                let line = self.line(error.spans().map(|(span, _)| *span));
                self.at(line, &error.emit_to_string(&self.text))
            })?;
        Ok((module, info))
    }

    /// Returns the line of the first defined span of an error. naga leaves some spans undefined.
    fn line(&self, mut spans: impl Iterator<Item = naga::Span>) -> Option<u32> {
        spans.find(naga::Span::is_defined).map(|span| span.location(&self.text).line_number)
    }

    fn at(&self, line: Option<u32>, message: &str) -> String {
        let origin = line.and_then(|line| self.origin.get((line as usize).saturating_sub(1)));
        match origin.or(self.origin.first()) {
            Some((path, line)) => format!("{}:{line}: {}", path.display(), message.trim_end()),
            None => message.to_owned(),
        }
    }
}
