//! PyTorch's files: a zip with the pickle `data.pkl` and one entry for each storage.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::data_file::DataFile;
use super::dtype::DType;
use super::layout::{Storage, View};
use super::pickle::{Budget, GlobalRole, Object, ObjectId, Pickle, json, refused};
use super::zip_directory::Directory;
use super::{Contents, Entries, Entry, add};
use base::error::Result;

/// The longest pickle. That of a model of a thousand tensors has 200 kB.
const MAX_PICKLE_BYTES: u64 = 16 << 20;
/// The deepest nesting of dictionaries with tensors.
const MAX_DEPTH: usize = 8;

/// The values of a top dictionary that are a model's tensors: those of audiotools, of Demucs.
const STATES: [&str; 2] = ["state_dict", "state"];
/// The name of a model's class in Demucs' files. It is kept as text; nothing looks it up.
const CLASS: &str = "klass";

fn known(name: &str) -> GlobalRole {
    match name {
        "collections.OrderedDict"
        | "fractions.Fraction"
        | "torch.Size"
        | "torch._utils._rebuild_tensor_v2"
        | "torch._utils._rebuild_parameter"
        | "torch._utils._rebuild_parameter_with_state" => GlobalRole::Callable,
        _ if is_storage(name) || is_number_format(name) => GlobalRole::Value,
        _ => GlobalRole::Unknown,
    }
}

/// Whether a name is a kind of storage, also of numbers that are not read.
fn is_storage(name: &str) -> bool {
    let kind = name.strip_prefix("torch.").and_then(|name| name.strip_suffix("Storage"));
    kind.is_some_and(|kind| kind.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn storage_type(name: &str) -> Option<DType> {
    Some(match name.strip_prefix("torch.")?.strip_suffix("Storage")? {
        "Bool" => DType::Bool,
        "Byte" => DType::U8,
        "Char" => DType::I8,
        "UInt16" => DType::U16,
        "Short" => DType::I16,
        "UInt32" => DType::U32,
        "Int" => DType::I32,
        "UInt64" => DType::U64,
        "Long" => DType::I64,
        "Half" => DType::F16,
        "BFloat16" => DType::BF16,
        "Float" => DType::F32,
        "Double" => DType::F64,
        _ => return None,
    })
}

fn is_number_format(name: &str) -> bool {
    let formats = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"];
    name.strip_prefix("torch.").is_some_and(|name| formats.contains(&name))
}

/// Reads the names and positions of the tensors, and the other values in the pickle.
pub(super) fn read(file: &DataFile, number: usize) -> Result<Contents> {
    let directory = Directory::read(file)?;
    let folder = find_folder(file, &directory)?;
    let entry = |name: &str| directory.find(file, &format!("{folder}{name}"));
    if let Some((start, bytes)) = entry("byteorder")?
        && file.read_vec(start, bytes.min(16) as usize)? != b"little"
    {
        return Err(file.malformed("The numbers are big-endian. Save the weights again on a usual computer"));
    }
    let Some((start, bytes)) = entry("data.pkl")?.filter(|(_, bytes)| *bytes <= MAX_PICKLE_BYTES) else {
        return Err(file.malformed(format!("The pickle of a weight file has at most {MAX_PICKLE_BYTES} bytes")));
    };
    let pickle = file.read_vec(start, bytes as usize)?;
    let pickle = Pickle::read(&pickle, known).map_err(|reason| file.malformed(reason))?;
    let mut reader = Reader {
        file,
        number,
        directory: &directory,
        folder: &folder,
        pickle: &pickle,
        storages: BTreeMap::new(),
        entries: Entries::new(),
        budget: Budget::default(),
    };
    let metadata = reader.top()?;
    check_apart(file, &reader.storages)?;
    Ok(Contents { entries: reader.entries, metadata })
}

/// Returns the name of the folder in the zip that contains the pickle, with its slash.
fn find_folder(file: &DataFile, directory: &Directory) -> Result<String> {
    let mut found = directory.names().filter_map(|name| {
        let folder = name.strip_suffix("data.pkl")?;
        (folder.is_empty() || folder.find('/') == Some(folder.len() - 1)).then_some(folder)
    });
    let (Some(folder), None) = (found.next(), found.next()) else {
        return Err(file.malformed("This zip file is not one of PyTorch's: it does not contain one `data.pkl`"));
    };
    if directory.names().any(|name| name.strip_prefix(folder) == Some("constants.pkl")) {
        return Err(file.malformed("This is a TorchScript program, not a weight file. Save its `state_dict()` instead"));
    }
    Ok(folder.to_owned())
}

struct Reader<'a> {
    file: &'a DataFile,
    number: usize,
    directory: &'a Directory,
    folder: &'a str,
    pickle: &'a Pickle<'a>,
    /// The places of the storages, by their keys.
    storages: BTreeMap<String, (u64, u64)>,
    entries: Entries,
    budget: Budget,
}

impl Reader<'_> {
    /// Reads the object that the file was made for. Returns all that is not a tensor.
    fn top(&mut self) -> Result<Value> {
        let (pickle, root) = (self.pickle, self.pickle.root());
        let class = pickle.item(root, CLASS);
        if let Some((_, name)) = pickle.unknown().find(|(id, _)| Some(*id) != class) {
            return Err(self.file.malformed(refused(name)));
        }
        let Some(items) = pickle.items(root) else {
            return Err(self.file.malformed("The file does not contain tensors by name. Save a `state_dict()`"));
        };
        let state = STATES.iter().filter_map(|key| pickle.item(root, key)).find(|id| pickle.items(*id).is_some());
        let mut metadata = Map::new();
        for &(key, value) in items {
            let key = self.key(key)?;
            let rest = if Some(value) == state { self.walk(value, "", 1)? } else { self.value(value, &key, 1)? };
            if let Some(rest) = rest {
                metadata.insert(key, rest);
            }
        }
        Ok(Value::Object(metadata))
    }

    fn key(&self, id: ObjectId) -> Result<String> {
        let text = self.pickle.text(id).map(str::to_owned);
        text.or_else(|| self.pickle.int(id).map(|number| number.to_string()))
            .ok_or_else(|| self.file.malformed("The file has a dictionary whose keys are not text"))
    }

    /// Takes the tensors of a dictionary. Returns its other values.
    fn walk(&mut self, dictionary: ObjectId, prefix: &str, depth: usize) -> Result<Option<Value>> {
        if depth > MAX_DEPTH {
            return Err(self.file.malformed(format!("The file's dictionaries are nested deeper than {MAX_DEPTH}")));
        }
        let mut rest = Map::new();
        let mut had_tensors = false;
        for &(key, value) in self.pickle.items(dictionary).unwrap_or_default() {
            let key = self.key(key)?;
            match self.value(value, &format!("{prefix}{key}"), depth)? {
                Some(value) => drop(rest.insert(key, value)),
                None => had_tensors = true,
            }
        }
        Ok((!rest.is_empty() || !had_tensors).then_some(Value::Object(rest)))
    }

    /// Takes a tensor, or the tensors of a dictionary. Returns anything else as JSON.
    fn value(&mut self, value: ObjectId, name: &str, depth: usize) -> Result<Option<Value>> {
        self.budget.take(name.len()).map_err(|reason| self.file.malformed(reason))?;
        if let Some(tensor) = self.tensor(value) {
            let entry = tensor.map_err(|reason| self.file.malformed(format!("The tensor `{name}` {reason}")))?;
            add(&mut self.entries, self.file, name.to_owned(), entry)?;
            return Ok(None);
        }
        if self.pickle.items(value).is_some() {
            return self.walk(value, &format!("{name}."), depth + 1);
        }
        let pickle = self.pickle;
        let mut budget = self.budget;
        let plain = json(pickle, value, &mut budget, &mut |id| self.special(id));
        self.budget = budget;
        plain.map(Some).map_err(|reason| self.file.malformed(reason))
    }

    /// Returns the JSON of the special values of PyTorch and Demucs: fractions, shapes, tensors in lists.
    fn special(&self, id: ObjectId) -> std::result::Result<Option<Value>, String> {
        let Some((name, arguments)) = self.pickle.call(id) else { return Ok(None) };
        Ok(match (name, arguments) {
            ("fractions.Fraction", [text]) if self.pickle.text(*text).is_some() => {
                self.pickle.text(*text).map(Value::from)
            }
            ("fractions.Fraction", [over, under]) => {
                let number = |id: &ObjectId| self.pickle.int(*id).ok_or("The file has a fraction without integers");
                Some(format!("{}/{}", number(over)?, number(under)?).into())
            }
            ("torch.Size", [shape]) => self.sizes(*shape).map(Value::from),
            (_, _) if name.starts_with("torch._utils.") => Some("a tensor without a name".into()),
            _ => None,
        })
    }

    /// Returns the entry of an object, if that is a tensor, or what is wrong with it.
    fn tensor(&mut self, id: ObjectId) -> Option<std::result::Result<Entry, String>> {
        let (name, mut arguments) = self.pickle.call(id)?;
        if name.starts_with("torch._utils._rebuild_parameter") {
            let (inner, rest) = self.pickle.call(*arguments.first()?)?;
            if inner != "torch._utils._rebuild_tensor_v2" {
                return Some(Err("is not one that PyTorch writes".into()));
            }
            arguments = rest;
        } else if name != "torch._utils._rebuild_tensor_v2" {
            return None;
        }
        let &[storage, offset, shape, strides, ..] = arguments else {
            return Some(Err("is not one that PyTorch writes".into()));
        };
        Some(self.entry(storage, offset, shape, strides))
    }

    fn entry(
        &mut self,
        storage: ObjectId,
        offset: ObjectId,
        shape: ObjectId,
        strides: ObjectId,
    ) -> std::result::Result<Entry, String> {
        let storage = self.storage(storage)?;
        let offset = self.pickle.size(offset).ok_or("has no offset")?;
        let shape = self.sizes(shape).ok_or("has no shape")?;
        let strides = self.sizes(strides).ok_or("has no strides")?;
        let view = View::new(storage, offset, &shape, Some(strides))?;
        Ok(Entry { shape, dtype: storage.dtype, file: self.number, view })
    }

    fn sizes(&self, id: ObjectId) -> Option<Vec<usize>> {
        let members = match self.pickle.call(id) {
            Some(("torch.Size", [members])) => *members,
            _ => id,
        };
        let sizes = self.pickle.tuple(members)?.iter();
        sizes.map(|id| usize::try_from(self.pickle.size(*id)?).ok()).collect()
    }

    /// Looks up a storage: `('storage', its type, its key, a device, its numbers)`.
    fn storage(&mut self, id: ObjectId) -> std::result::Result<Storage, String> {
        let Object::Stored(description) = self.pickle.object(id) else { return Err("has no data".into()) };
        let Some(&[tag, kind, key, _, numbers]) = self.pickle.tuple(*description) else {
            return Err("has data that are described in another way than PyTorch's".into());
        };
        let is_storage = self.pickle.text(tag) == Some("storage");
        let dtype = self.pickle.global(kind).filter(|_| is_storage).and_then(storage_type);
        let dtype = dtype.ok_or("has numbers of a format that is not read")?;
        let key = self.pickle.text(key).ok_or("has data without a name")?;
        let numbers = self.pickle.size(numbers).ok_or("has data without a size")?;
        let (start, bytes) = if let Some(place) = self.storages.get(key) {
            *place
        } else {
            let name = format!("{}data/{key}", self.folder);
            let place = self.directory.find(self.file, &name).map_err(|error| format!("cannot be read. {error}"))?;
            let place = place.ok_or_else(|| format!("has its data in {name:?}, which the file does not contain"))?;
            self.storages.insert(key.to_owned(), place);
            place
        };
        if numbers.checked_mul(dtype.bytes() as u64).is_none_or(|needed| needed > bytes) {
            return Err(format!("needs {numbers} numbers of {dtype}, and its data have {bytes} bytes"));
        }
        Ok(Storage { start, numbers, dtype })
    }
}

/// Refuses overlapping storages.
fn check_apart(file: &DataFile, storages: &BTreeMap<String, (u64, u64)>) -> Result<()> {
    let mut places: Vec<(u64, u64)> = storages.values().copied().filter(|(_, bytes)| *bytes > 0).collect();
    places.sort_unstable();
    match places.windows(2).find(|pair| pair[0].0 + pair[0].1 > pair[1].0) {
        Some(pair) => Err(file.malformed(format!("The zip file has two entries in one place, at byte {}", pair[1].0))),
        None => Ok(()),
    }
}
