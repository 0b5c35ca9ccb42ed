//! Files of units.

use std::path::{Path, PathBuf};

use crate::codecs::neural::NeuralCodec;
use crate::codecs::unit_files::{DacFile, EcdcFile, EcdcModel, UnitFile, npy_bytes, read_scales, scales_bytes};
use crate::codecs::{Coded, Payload};
use crate::error::{Error, Result};
use crate::files::{Protected, SafeFile, check_target};
use crate::models::{CodecKind, Facts};

/// The content of a file of units.
pub enum Given {
    /// The units of one sound.
    Units {
        /// A series for each book.
        books: Vec<Vec<i32>>,
        /// The scales of segments.
        scales: Vec<f32>,
        /// The model and the frames of the sound, where the file states them.
        stated: Option<(EcdcModel, u64)>,
    },
    /// DAC's container, which states how it is decoded.
    Dac(DacFile),
}

impl Given {
    /// Returns the number of books.
    pub fn books(&self) -> usize {
        match self {
            Self::Units { books, .. } => books.len(),
            Self::Dac(file) => file.channels.first().map_or(0, |units| units.books().len()),
        }
    }
}

/// The second file, of models that scale segments.
fn scales_path(path: &Path) -> PathBuf {
    path.with_extension("scales.npy")
}

fn is_named(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(extension))
}

/// Returns the model of EnCodec's container that a model corresponds to.
fn container_of(facts: &Facts) -> Option<EcdcModel> {
    let known = [EcdcModel::Khz24, EcdcModel::Khz48];
    // The container states neither the frames nor the bits of a code: it implies those of the published models.
    let is_published = facts.kind == CodecKind::Encodec && (facts.hop, facts.bits) == (320, 10);
    known.into_iter().find(|model| is_published && facts.rate.hz() == model.hz())
}

fn no_container(facts: &Facts) -> Error {
    let got = format!(
        "{} at {} Hz, {} frames and {} bits a code",
        facts.kind.title(),
        facts.rate.hz(),
        facts.hop,
        facts.bits
    );
    Error::invalid("model of an .ecdc file", got, "EnCodec at 24,000 or 48,000 Hz, 320 frames and 10 bits a code")
}

/// Refuses targets that cannot be written, before the work begins.
pub fn check_targets(path: &Path, overwrite: bool, inputs: &Protected) -> Result<()> {
    if !["npy", "ecdc", "dac"].iter().any(|extension| is_named(path, extension)) {
        return Err(Error::invalid("output", path.display().to_string(), "a name that ends in .npy, .ecdc or .dac"));
    }
    check_target(path, overwrite, inputs)?;
    if !is_named(path, "npy") {
        return Ok(());
    }
    // Only some models have scales, but none should fail on them after the work.
    check_target(&scales_path(path), overwrite, inputs)
}

/// Returns whether a path names a DAC container.
pub fn is_dac(path: &Path) -> bool {
    is_named(path, "dac")
}

/// Refuses a container that cannot hold the units of a model.
pub fn check_model(path: &Path, codec: &NeuralCodec) -> Result<()> {
    if is_dac(path) && codec.facts().kind != CodecKind::Dac {
        return Err(Error::invalid("model of a .dac file", codec.facts().kind.title(), "DAC"));
    }
    if is_named(path, "ecdc") && container_of(codec.facts()).is_none() {
        return Err(no_container(codec.facts()));
    }
    Ok(())
}

/// Writes units, and their scales beside them where there are any. Returns what was written.
pub fn write(path: &Path, overwrite: bool, inputs: &Protected, facts: &Facts, coded: &Coded) -> Result<Vec<PathBuf>> {
    let Payload::Units(units) = &coded.payload else {
        return Err(Error::Internal("a model that gives no units".into()));
    };
    let mut files = Vec::new();
    if is_named(path, "ecdc") {
        let model = container_of(facts).ok_or_else(|| no_container(facts))?;
        files.push((path.to_path_buf(), EcdcFile::of(model, coded.frames, units)?.bytes()?));
    } else {
        if !units.scales().is_empty() {
            // First, so that units never stand without theirs.
            files.push((scales_path(path), scales_bytes(units.scales())));
        }
        files.push((path.to_path_buf(), npy_bytes(units)));
    }
    let mut written = Vec::new();
    for (path, bytes) in files {
        write_bytes(&path, overwrite, inputs, &bytes)?;
        written.insert(0, path);
    }
    Ok(written)
}

/// Writes a whole file.
pub fn write_bytes(path: &Path, overwrite: bool, inputs: &Protected, bytes: &[u8]) -> Result<()> {
    let mut file = SafeFile::create(path, overwrite, inputs.clone())?;
    file.append(bytes)?;
    file.commit().map(|_| ())
}

/// Reads units, and their scales if there is a file of them.
pub fn read(path: &Path) -> Result<Given> {
    match UnitFile::read(path)? {
        UnitFile::Npy(units) => {
            let beside = scales_path(path);
            let scales = if beside.exists() { read_scales(&beside)? } else { Vec::new() };
            Ok(Given::Units { books: units.books().to_vec(), scales, stated: None })
        }
        UnitFile::Ecdc(file) => {
            let units = file.units()?;
            let stated = Some((file.model, file.frames));
            Ok(Given::Units { books: units.books().to_vec(), scales: units.scales().to_vec(), stated })
        }
        UnitFile::Dac(file) => Ok(Given::Dac(file)),
    }
}

/// Checks that units are decoded by the model that their file names, and takes the number of frames that it states.
pub fn take_stated(given: Option<(EcdcModel, u64)>, facts: &Facts, coded: &mut Coded) -> Result<()> {
    let Some((model, frames)) = given else { return Ok(()) };
    if container_of(facts) != Some(model) {
        let got = format!("{} at {} Hz", facts.kind.title(), facts.rate.hz());
        return Err(Error::invalid("model of this .ecdc file", got, model.name()));
    }
    coded.frames = frames;
    Ok(())
}
