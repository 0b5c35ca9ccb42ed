//! Files of units: `.npy` with the scales of segments beside it, and EnCodec's `.ecdc`.

use std::path::{Path, PathBuf};

use crate::codecs::neural::NeuralCodec;
use crate::codecs::unit_files::{EcdcFile, EcdcModel, EcdcSegment, UnitFile, npy_bytes};
use crate::codecs::{Coded, Payload, Units};
use crate::error::{Error, Result};
use crate::files::npy::{self, Header};
use crate::files::{self, Protected, SafeFile, check_target};
use crate::models::{CodecKind, Facts};

/// The largest accepted file of scales: a month of segments.
const MAX_SCALES_BYTES: u64 = 16 << 20;

/// What a file of units has.
pub struct Given {
    /// A series for each book.
    pub books: Vec<Vec<i32>>,
    /// The scales of segments.
    pub scales: Vec<f32>,
    /// The frames of the sound, if the file tells.
    pub frames: Option<u64>,
}

/// The second file beside a `.npy`, of models that scale segments.
fn scales_path(path: &Path) -> PathBuf {
    path.with_extension("scales.npy")
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

/// Refuses what cannot be written before anything is worked on.
pub fn check_targets(path: &Path, overwrite: bool, inputs: &Protected, codec: &NeuralCodec) -> Result<()> {
    check_target(path, overwrite, inputs)?;
    if has_extension(path, "ecdc") {
        return ecdc_model(codec.facts()).map(drop);
    }
    if !has_extension(path, "npy") {
        return Err(Error::invalid("output", path.display().to_string(), "a name that ends in .npy or .ecdc"));
    }
    // Only some models have scales, but none should stop at them after the work.
    check_target(&scales_path(path), overwrite, inputs)
}

/// Writes units, and beside a `.npy` their scales where there are any. Returns what was written.
pub fn write(
    path: &Path,
    overwrite: bool,
    inputs: &Protected,
    codec: &NeuralCodec,
    coded: &Coded,
) -> Result<Vec<PathBuf>> {
    let Payload::Units(units) = &coded.payload else {
        return Err(Error::Internal("a model that gives no units".into()));
    };
    let mut contents = Vec::new();
    if has_extension(path, "ecdc") {
        let file = ecdc(ecdc_model(codec.facts())?, units, coded.frames, &codec.segment_codes(coded.frames));
        contents.push((path.to_path_buf(), file.bytes()?));
    } else {
        if !units.scales().is_empty() {
            // First, so that units never stand without theirs.
            let numbers = units.scales().iter().flat_map(|scale| scale.to_le_bytes());
            let bytes = npy::header("<f4", false, &[units.scales().len()]).into_iter().chain(numbers).collect();
            contents.push((scales_path(path), bytes));
        }
        contents.push((path.to_path_buf(), npy_bytes(units)));
    }
    let mut written = Vec::new();
    for (path, bytes) in contents {
        let mut file = SafeFile::create(&path, overwrite, inputs.clone())?;
        file.append(&bytes)?;
        file.commit()?;
        written.insert(0, path);
    }
    Ok(written)
}

/// Reads units, and their scales where they lie beside a `.npy`.
pub fn read(path: &Path) -> Result<Given> {
    match UnitFile::read(path)? {
        UnitFile::Npy(units) => {
            let beside = scales_path(path);
            let scales = if beside.exists() { read_scales(&beside)? } else { Vec::new() };
            Ok(Given { books: units.books().to_vec(), scales, frames: None })
        }
        UnitFile::Ecdc(file) => Ok(given(file)),
        UnitFile::Dac(_) => Err(Error::unsupported(
            "Decoding a .dac file",
            "Its chunks were made without zeros between them, which gives other sound at their ends. \
             Decode it with the package that made it.",
        )),
    }
}

fn read_scales(path: &Path) -> Result<Vec<f32>> {
    let malformed = |reason: String| Error::malformed(reason, path);
    let bytes = files::read(path, "scales of segments", MAX_SCALES_BYTES)?;
    if !bytes.starts_with(npy::MAGIC) {
        return Err(malformed("This is not a NumPy array".into()));
    }
    let header = Header::parse(&bytes).map_err(malformed)?;
    let data = header.data(&bytes);
    match (header.format.as_str(), &header.shape[..]) {
        ("<f4", &[count]) if count.checked_mul(4) == Some(data.len()) => {
            Ok(data.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
        }
        (format, shape) => {
            let got = format!("{} bytes of {format:?} in the shape {shape:?}", data.len());
            Err(malformed(format!("The array has {got}; one float32 for each segment was expected")))
        }
    }
}

/// The published model whose codes an `.ecdc` holds.
fn ecdc_model(facts: &Facts) -> Result<EcdcModel> {
    let is_published = facts.kind == CodecKind::Encodec && facts.book_size == 1024 && facts.hop == 320;
    match (is_published, facts.rate.hz(), facts.channels) {
        (true, 24_000, 1) => Ok(EcdcModel::Khz24),
        (true, 48_000, 2) => Ok(EcdcModel::Khz48),
        _ => {
            let got =
                format!("codes of a {} model of {} books of {}", facts.kind.title(), facts.books, facts.book_size);
            Err(Error::invalid("content of an .ecdc file", got, "codes of a published model of EnCodec; write a .npy"))
        }
    }
}

fn ecdc(model: EcdcModel, units: &Units, frames: u64, lengths: &[usize]) -> EcdcFile {
    let mut first = 0;
    let segment = |(n, &length): (usize, &usize)| {
        let range = first..first + length;
        first += length;
        EcdcSegment {
            scale: units.scales().get(n).copied(),
            codes: units.books().iter().map(|book| book[range.clone()].to_vec()).collect(),
        }
    };
    EcdcFile { model, frames, books: units.books().len(), segments: lengths.iter().enumerate().map(segment).collect() }
}

fn given(file: EcdcFile) -> Given {
    let mut books = vec![Vec::new(); file.books];
    let mut scales = Vec::new();
    for segment in file.segments {
        books.iter_mut().zip(segment.codes).for_each(|(book, codes)| book.extend(codes));
        scales.extend(segment.scale);
    }
    Given { books, scales, frames: Some(file.frames) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ecdc_has_the_segments_with_their_scales() {
        let books: Vec<Vec<i32>> = (0..2).map(|book| (0..152).map(|n| n * 6 + book).collect()).collect();
        let units = Units::new(10, books.clone()).unwrap().with_scales(vec![0.5, 0.25]).unwrap();
        let file = ecdc(EcdcModel::Khz48, &units, 48_000, &[150, 2]);
        assert_eq!((file.segments.len(), file.segments[1].codes[1].as_slice()), (2, &books[1][150..]));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ecdc");
        std::fs::write(&path, file.bytes().unwrap()).unwrap();
        let read = read(&path).unwrap();
        assert_eq!((read.books, read.scales, read.frames), (books, vec![0.5, 0.25], Some(48_000)));
    }
}
