//! The weight files of a model, or of several with weights for their stems (a bag).
//!
//! Demucs describes a bag in a YAML file: `models`, the signatures of its models, which their file names begin with;
//! optionally `weights`, a number for each stem of each model; and optionally `segment`, the segment length in seconds,
//! which overrides that of the models.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::models::demucs::{Configuration, HybridDemucs};
use crate::weights::Weights;
use base::error::{Error, Result};
use base::files;

/// The longest YAML file.
const MAX_BYTES: u64 = 1 << 16;
/// The most models of a bag.
const MAX_MODELS: usize = 16;
/// The models of `htdemucs_ft`, for drums, bass, other and vocals: the published bag takes each stem from one of them.
const FINE_TUNED: [&str; 4] = ["f7e0c4bc", "d12395a8", "92cfc3b6", "04573f0d"];

/// A model of a bag.
pub struct Member {
    /// Its weight file.
    pub file: PathBuf,
    /// The identity of its weights and segments, regardless of their path: the BLAKE3 hash, and the segments if the bag
    /// sets them.
    pub identity: String,
    /// The model.
    pub model: HybridDemucs,
    /// How much each of its stems counts.
    pub weights: Vec<f64>,
}

impl Member {
    /// Opens a weight file, all of whose stems have weight 1, with segments of `segment` seconds or the file's.
    fn open(file: &Path, segment: Option<f64>) -> Result<Self> {
        let weights = hybrid(file)?;
        let mut configuration = Configuration::of(&weights)?;
        let mut identity = weights.content_hash()?;
        if let Some(seconds) = segment {
            configuration = configuration.with_segment(seconds)?;
            identity = format!("{identity} in {} frames", configuration.segment_frames);
        }
        let model = HybridDemucs::with(&weights, configuration)?;
        let stems = model.configuration().sources.len();
        Ok(Self { file: file.to_path_buf(), identity, model, weights: vec![1.0; stems] })
    }
}

/// Opens a weight file, the YAML file of a bag, or a folder, with segments of `segment` seconds or the length that it
/// specifies.
pub fn open(path: &Path, segment: Option<f64>) -> Result<Vec<Member>> {
    match place(path)? {
        Place::File => Ok(vec![Member::open(path, segment)?]),
        Place::Folder(files) => of_files(path, &files, segment),
        Place::Yaml(yaml) => of_yaml(&yaml, segment),
    }
}

/// Returns the configuration of the first model that [`open`] would open, without reading any weights.
pub fn configuration(path: &Path) -> Result<Configuration> {
    let first = match place(path)? {
        Place::File => path.to_path_buf(),
        Place::Folder(files) => {
            let files = weight_files(path, &files)?;
            files.first().map(|file| (*file).clone()).unwrap_or_default()
        }
        Place::Yaml(yaml) => bag_of(&yaml)?.files.swap_remove(0),
    };
    Configuration::of(&hybrid(&first)?)
}

/// Returns whether a folder is a bag: it has one YAML file that describes one, or the models of `htdemucs_ft` and no
/// others.
pub fn is_bag(folder: &Path) -> bool {
    match place(folder) {
        Ok(Place::Yaml(yaml)) => folder.is_dir() && bag_of(&yaml).is_ok(),
        Ok(Place::Folder(files)) => weight_files(folder, &files).is_ok_and(|files| {
            let tuned = |file: &&PathBuf| FINE_TUNED.iter().any(|signature| is_of(file, signature));
            files.len() == FINE_TUNED.len() && files.iter().all(tuned)
        }),
        Ok(Place::File) | Err(_) => false,
    }
}

/// The kind of file or folder at a path.
enum Place {
    /// A weight file.
    File,
    /// A folder without a YAML file, and its files.
    Folder(Vec<PathBuf>),
    /// A YAML file, or the one of a folder.
    Yaml(PathBuf),
}

fn place(path: &Path) -> Result<Place> {
    if !path.is_dir() {
        let is_yaml = has_extension(path, &["yaml", "yml"]);
        return Ok(if is_yaml { Place::Yaml(path.to_path_buf()) } else { Place::File });
    }
    let files = entries(path)?;
    let yaml: Vec<&PathBuf> = files.iter().filter(|file| has_extension(file, &["yaml", "yml"])).collect();
    match yaml.as_slice() {
        [] => Ok(Place::Folder(files)),
        [file] => Ok(Place::Yaml((*file).clone())),
        _ => Err(Error::malformed("The folder has several YAML files. Choose the one of the bag", path)),
    }
}

/// Opens a weight file that has the tensors of a hybrid model.
fn hybrid(path: &Path) -> Result<Weights> {
    let weights = Weights::open(path)?;
    if !HybridDemucs::is_in(&weights) {
        let what = format!("This model ({})", path.display());
        return Err(Error::unsupported(
            what,
            "Its tensors are not those of a hybrid model of Demucs (htdemucs, hdemucs_mmi), which splits music into stems.",
        ));
    }
    Ok(weights)
}

/// Returns the files of a folder by name.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |source| Error::io("read the folder", folder, source);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        found.push(entry.map_err(failed)?.path());
    }
    found.retain(|path| path.is_file());
    found.sort();
    Ok(found)
}

fn has_extension(path: &Path, extensions: &[&str]) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    extensions.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Opens the models of a folder without a YAML file: those of `htdemucs_ft` provide one stem each, others are weighted
/// equally.
fn of_files(folder: &Path, files: &[PathBuf], segment: Option<f64>) -> Result<Vec<Member>> {
    let files = weight_files(folder, files)?;
    let tuned = |file: &Path| FINE_TUNED.iter().position(|signature| is_of(file, signature));
    let of: Option<Vec<usize>> = files.iter().map(|file| tuned(file)).collect();
    let mut bag = Vec::with_capacity(files.len());
    for (n, file) in files.iter().enumerate() {
        let mut member = Member::open(file, segment)?;
        if let Some(of) = &of {
            member
                .weights
                .iter_mut()
                .enumerate()
                .for_each(|(stem, weight)| *weight = f64::from(u8::from(of[n] == stem)));
        }
        bag.push(member);
    }
    Ok(bag)
}

/// Returns the weight files of a folder, at least one.
fn weight_files<'a>(folder: &Path, files: &'a [PathBuf]) -> Result<Vec<&'a PathBuf>> {
    let files: Vec<&PathBuf> = files.iter().filter(|file| has_extension(file, &["th", "pt", "safetensors"])).collect();
    if files.is_empty() {
        return Err(Error::malformed("The folder contains no weight files of Demucs (.th, .safetensors)", folder));
    }
    if files.len() > MAX_MODELS {
        let what = format!("The folder has {} weight files, more than the {MAX_MODELS} of a bag", files.len());
        return Err(Error::malformed(what, folder));
    }
    Ok(files)
}

/// Whether a file is the one of a signature: `SIGNATURE.safetensors`, `SIGNATURE-CHECKSUM.th`.
fn is_of(file: &Path, signature: &str) -> bool {
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    stem.split('-').next() == Some(signature) && has_extension(file, &["th", "pt", "safetensors"])
}

fn of_yaml(path: &Path, wanted: Option<f64>) -> Result<Vec<Member>> {
    let Bag { files, weights, segment } = bag_of(path)?;
    let segment = wanted.or(segment);
    let mut bag = Vec::with_capacity(files.len());
    for (n, file) in files.iter().enumerate() {
        let mut member = Member::open(file, segment)?;
        if let Some(weights) = &weights {
            let (given, stems) = (weights[n].len(), member.weights.len());
            if given != stems {
                let what = format!("The bag has {given} weights for {}, which has {stems} stems", file.display());
                return Err(Error::malformed(what, path));
            }
            member.weights.clone_from(&weights[n]);
        }
        bag.push(member);
    }
    Ok(bag)
}

/// The weight files and settings that a YAML file names.
struct Bag {
    /// The weight files, one at least.
    files: Vec<PathBuf>,
    /// The weights of their stems.
    weights: Option<Vec<Vec<f64>>>,
    /// The seconds of their segments.
    segment: Option<f64>,
}

fn bag_of(path: &Path) -> Result<Bag> {
    let wrong = |what: String| Error::malformed(what, path);
    let bytes = files::read(path, "YAML file of the bag", MAX_BYTES)?;
    let text = String::from_utf8(bytes).map_err(|_| wrong("The YAML file of the bag is not text".into()))?;
    let Described { signatures, weights, segment } = described(&text).map_err(wrong)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let files = entries(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })?;
    let found = signatures.iter().map(|signature| {
        files.iter().find(|file| is_of(file, signature)).cloned().ok_or_else(|| {
            wrong(format!(
                "The bag needs the model {signature}: no file {signature}.safetensors or {signature}-….th is beside it"
            ))
        })
    });
    Ok(Bag { files: found.collect::<Result<Vec<_>>>()?, weights, segment })
}

/// The settings in the text of a YAML file.
#[derive(Debug)]
struct Described {
    signatures: Vec<String>,
    weights: Option<Vec<Vec<f64>>>,
    segment: Option<f64>,
}

fn described(text: &str) -> std::result::Result<Described, String> {
    let part = |name: &str| -> std::result::Result<Option<Value>, String> {
        let Some(start) = key(text, name) else { return Ok(None) };
        list(&text[start..]).map(Some).ok_or_else(|| format!("`{name}` of the bag is not a list in brackets"))
    };
    let names = part("models")?.ok_or("The YAML file names no `models`, and is not that of a bag")?;
    let names: Option<Vec<String>> =
        names.as_array().and_then(|names| names.iter().map(|name| name.as_str().map(str::to_owned)).collect());
    let names = names.filter(|names| (1..=MAX_MODELS).contains(&names.len()));
    let names = names.ok_or_else(|| format!("`models` of the bag are not 1 to {MAX_MODELS} signatures"))?;
    let numbers = |row: &Value| -> Option<Vec<f64>> {
        let numbers: Option<Vec<f64>> = row.as_array()?.iter().map(Value::as_f64).collect();
        numbers.filter(|numbers| numbers.iter().all(|number| (0.0..=1e6).contains(number)))
    };
    let weights = part("weights")?.map(|rows| {
        let rows: Option<Vec<Vec<f64>>> = rows.as_array().and_then(|rows| rows.iter().map(numbers).collect());
        let rows = rows.filter(|rows| rows.len() == names.len());
        rows.ok_or("`weights` of the bag are not a list of numbers, 0 or more, for each model")
    });
    let segment = key(text, "segment").map(|start| {
        let word = text[start..].lines().next().unwrap_or_default().split('#').next().unwrap_or_default().trim();
        let seconds = word.parse::<f64>().ok().filter(|seconds| *seconds > 0.0 && seconds.is_finite());
        seconds.ok_or_else(|| format!("`segment` of the bag is not a number of seconds: {word}"))
    });
    Ok(Described { signatures: names, weights: weights.transpose()?, segment: segment.transpose()? })
}

/// Returns where the value of a key at the beginning of a line begins.
fn key(text: &str, name: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(rest) = line.strip_prefix(name)
            && rest.trim_start().starts_with(':')
        {
            return Some(at + line.find(':')? + 1);
        }
        at += line.len();
    }
    None
}

/// Reads a list in brackets, of lists, numbers such as `1.` and names, at the beginning of a text.
fn list(text: &str) -> Option<Value> {
    let mut open: Vec<Vec<Value>> = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for sign in text.chars() {
        if let Some(end) = quote {
            if sign == end {
                open.last_mut()?.push(Value::from(std::mem::take(&mut word)));
                quote = None;
            } else {
                word.push(sign);
            }
            continue;
        }
        if matches!(sign, ',' | ']') || sign.is_whitespace() {
            if !word.is_empty() {
                let ended = std::mem::take(&mut word);
                open.last_mut()?.push(ended.parse::<f64>().map_or_else(|_| Value::from(ended.as_str()), Value::from));
            }
            if sign == ']' {
                let done = Value::from(open.pop()?);
                match open.last_mut() {
                    Some(outer) => outer.push(done),
                    None => return Some(done),
                }
            }
            continue;
        }
        match sign {
            '[' if open.len() < 3 => open.push(Vec::new()),
            '[' => return None,
            '\'' | '"' => quote = Some(sign),
            _ if open.is_empty() => return None,
            _ => word.push(sign),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bag_is_read_as_demucs_writes_it() {
        let text =
            "models: ['f7e0c4bc', 'd12395a8']\nweights: [\n  [1., 0., 0.5, 0],\n  [0., 1., 0.5, 1.],\n]\nsegment: 39";
        let bag = described(text).unwrap();
        assert_eq!(bag.signatures, ["f7e0c4bc", "d12395a8"]);
        assert_eq!(bag.weights.unwrap(), [[1.0, 0.0, 0.5, 0.0], [0.0, 1.0, 0.5, 1.0]]);
        assert_eq!(bag.segment, Some(39.0));
        let bag = described("models: [\"a\"]\n").unwrap();
        assert_eq!((bag.signatures, bag.weights, bag.segment), (vec!["a".to_owned()], None, None));
    }

    #[test]
    fn what_is_no_bag_is_said() {
        for (text, said) in [
            ("", "names no `models`"),
            ("models: 3", "list in brackets"),
            ("models: []", "signatures"),
            ("models: [a", "list in brackets"),
            ("models: [[[[a]]]]", "list in brackets"),
            ("models: [a]\nsegment: long", "segment"),
            ("models: [a]\nsegment: -3", "segment"),
            ("models: [a]\nweights: [[x]]", "weights"),
            ("models: [a]\nweights: [[-1.]]", "weights"),
            ("models: [a]\nweights: [[1.], [1.]]", "weights"),
        ] {
            let message = described(text).unwrap_err();
            assert!(message.contains(said), "{text}: {message}");
        }
    }
}
