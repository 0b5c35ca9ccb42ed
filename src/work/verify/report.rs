//! The file of a report.

use std::path::Path;

use super::Verification;
use crate::error::{Error, Result};
use crate::files::{Protected, SafeFile};

/// A report that is being written to a file. Nothing is replaced before [`ReportFile::write`] has written everything.
#[derive(Debug)]
pub struct ReportFile {
    file: SafeFile,
    as_json: bool,
}

impl ReportFile {
    /// Prepares to write to `path`, as Markdown or JSON by its extension. `protected` files are never replaced.
    ///
    /// # Errors
    /// [`Error::Invalid`] for another extension; [`Error::Refused`] for an existing file without `overwrite`.
    pub fn create(path: &Path, overwrite: bool, protected: impl Into<Protected>) -> Result<Self> {
        let as_json = match path.extension().and_then(std::ffi::OsStr::to_str) {
            Some("md") => false,
            Some("json") => true,
            _ => return Err(Error::invalid("report", path.display().to_string(), "a name that ends in .md or .json")),
        };
        Ok(Self { file: SafeFile::create(path, overwrite, protected)?, as_json })
    }

    /// Writes the report.
    pub fn write(mut self, verification: &Verification) -> Result<()> {
        let text = if self.as_json {
            serde_json::to_string_pretty(verification).map_err(|error| Error::Internal(error.to_string()))? + "\n"
        } else {
            verification.to_markdown()
        };
        self.file.append(text.as_bytes())?;
        self.file.commit().map(drop)
    }
}
