//! Finds the files of two folders that are versions of one recording.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use walkdir::WalkDir;

use crate::fingerprint::landmark::{Landmarks, compare, compare_short};
use crate::fingerprint::{Listener, SourceFormat};
use audio::{AudioBuffer, AudioFile, file_extensions};
use base::error::{Error, Result};
use base::progress::Progress;

/// The maximum number of files in a folder that are paired by content: each is compared with each.
const MAX_BY_CONTENT: usize = 2000;
/// Frames read at once.
const BLOCK_FRAMES: usize = 1 << 16;

/// How files of two folders are paired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairBy {
    /// By the path within the folder without extension; what then remains, by the name alone.
    #[default]
    Name,
    /// By the recordings' landmarks.
    Content,
}

/// Pairs of files, and files that have no partner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paired {
    /// A reference and its other version.
    pub pairs: Vec<(PathBuf, PathBuf)>,
    /// Files of the reference's folder without another version.
    pub alone: Vec<PathBuf>,
}

/// Pairs the recordings of two folders and of the folders in them. Files that cannot be read by content have no
/// partner.
///
/// # Errors
/// [`Error::Limit`] for a folder of more than 2000 files that are paired by content.
pub fn paired(reference: &Path, other: &Path, by: PairBy, progress: &Progress) -> Result<Paired> {
    let [references, others] = [recordings(reference)?, recordings(other)?];
    match by {
        PairBy::Name => Ok(by_name((reference, references), (other, others))),
        PairBy::Content => by_content(references, others, progress),
    }
}

/// Returns the recordings in a folder, in order of their paths.
fn recordings(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|error| {
            let source = error.into_io_error().unwrap_or_else(|| std::io::Error::other("a loop of links"));
            Error::io("read", folder, source)
        })?;
        let extension = entry.path().extension().map(|extension| extension.to_string_lossy().to_lowercase());
        if entry.file_type().is_file() && extension.is_some_and(|name| file_extensions().contains(&name.as_str())) {
            found.push(entry.into_path());
        }
    }
    Ok(found)
}

fn by_name((folder, references): (&Path, Vec<PathBuf>), (other, others): (&Path, Vec<PathBuf>)) -> Paired {
    let key = |folder: &Path, path: &Path| path.strip_prefix(folder).unwrap_or(path).with_extension("");
    let mut of_key: BTreeMap<PathBuf, Vec<&PathBuf>> = BTreeMap::new();
    let mut of_stem: BTreeMap<&std::ffi::OsStr, Vec<&PathBuf>> = BTreeMap::new();
    for path in &others {
        of_key.entry(key(other, path)).or_default().push(path);
        of_stem.entry(path.file_stem().unwrap_or_default()).or_default().push(path);
    }
    let mut paired = Paired::default();
    for path in references {
        let same = of_key.get(&key(folder, &path));
        // A name that several files have says nothing.
        let named = of_stem.get(path.file_stem().unwrap_or_default()).filter(|same| same.len() == 1);
        match same.or(named) {
            Some(others) => paired.pairs.extend(others.iter().map(|other| (path.clone(), (*other).clone()))),
            None => paired.alone.push(path),
        }
    }
    paired
}

fn by_content(references: Vec<PathBuf>, others: Vec<PathBuf>, progress: &Progress) -> Result<Paired> {
    for files in [&references, &others] {
        if files.len() > MAX_BY_CONTENT {
            return Err(Error::Limit {
                what: "files of a folder that are paired by content".to_owned(),
                got: files.len().to_string(),
                limit: MAX_BY_CONTENT.to_string(),
            });
        }
    }
    let heard = |files: &[PathBuf]| -> Result<Vec<Option<Landmarks>>> {
        files
            .par_iter()
            .map(|path| match landmarks(path, progress) {
                Ok(landmarks) => Ok(Some(landmarks)),
                Err(Error::Cancelled) => Err(Error::Cancelled),
                // The comparison would say the same of this file; here it has no partner.
                Err(_) => Ok(None),
            })
            .collect()
    };
    let (of_references, of_others) = (heard(&references)?, heard(&others)?);
    let score = |a: &Landmarks, b: &Landmarks| {
        compare_short(a, b).or_else(|| compare(a, b)).map(|found| found.score * found.overlap_s)
    };
    let mut paired = Paired::default();
    // Each other version belongs to the reference that it matches best.
    let owners: Vec<Option<usize>> = of_others
        .par_iter()
        .map(|other| {
            let other = other.as_ref()?;
            let scores = of_references
                .iter()
                .enumerate()
                .filter_map(|(index, reference)| score(reference.as_ref()?, other).map(|score| (index, score)));
            scores.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
        })
        .collect();
    for (index, reference) in references.into_iter().enumerate() {
        let matches: Vec<&PathBuf> =
            others.iter().zip(&owners).filter(|(_, owner)| **owner == Some(index)).map(|(path, _)| path).collect();
        if matches.is_empty() {
            paired.alone.push(reference);
        } else {
            paired.pairs.extend(matches.into_iter().map(|other| (reference.clone(), other.clone())));
        }
    }
    Ok(paired)
}

fn landmarks(path: &Path, progress: &Progress) -> Result<Landmarks> {
    let file = AudioFile::open(path)?;
    let mut reader = file.reader()?;
    let info = file.info();
    let source = SourceFormat::of(info.audio, info.bits);
    let mut listener = Listener::new(source, 1.0)?;
    let mut block = AudioBuffer::default();
    loop {
        reader.read(&mut block, BLOCK_FRAMES)?;
        if block.is_empty() {
            return Ok(listener.finish().landmarks);
        }
        let planes: Vec<&[f32]> = block.iter().collect();
        listener.push(&planes)?;
        progress.check()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_pair_across_extensions_and_folders() {
        let folder = tempfile::tempdir().unwrap();
        let file = |path: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, b"").unwrap();
            path
        };
        let references = ["a/one.wav", "a/in/two.wav", "a/three.wav", "a/twice.wav"].map(file);
        let others = ["b/one.mp3", "b/two.flac", "b/x/twice.ogg", "b/y/twice.ogg", "b/notes.txt"].map(file);
        let [a, b] = ["a", "b"].map(|name| folder.path().join(name));
        let found = paired(&a, &b, PairBy::Name, &Progress::new()).unwrap();
        let expected = [(&references[1], &others[1]), (&references[0], &others[0])];
        assert_eq!(found.pairs, expected.map(|(a, b)| (a.clone(), b.clone())));
        assert_eq!(found.alone, [&references[2], &references[3]].map(Clone::clone));
    }
}
