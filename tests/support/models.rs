//! Full-size models of each project and of `transformers`, as `tests/reference/models.py` listed them: files with the
//! names and shapes, and holes in place of the numbers.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
struct Reference {
    models: BTreeMap<String, Described>,
}

#[derive(Clone, Deserialize)]
pub struct Described {
    pub config: Option<Value>,
    pub parameters: u64,
    pub tensors: BTreeMap<String, (String, Vec<usize>)>,
}

pub fn described() -> BTreeMap<String, Described> {
    let packed = include_bytes!("../reference/models.json.gz").as_slice();
    let reference: Reference = serde_json::from_reader(flate2::read::GzDecoder::new(packed)).unwrap();
    reference.models
}

impl Described {
    /// Writes a `safetensors` file without numbers.
    pub fn write(&self, path: &Path) {
        let mut header = Map::new();
        let mut end = 0;
        for (name, (_, shape)) in &self.tensors {
            let start = end;
            end += 4 * shape.iter().product::<usize>();
            header.insert(name.clone(), json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, end] }));
        }
        let header = Value::Object(header).to_string();
        let bytes = [&(header.len() as u64).to_le_bytes(), header.as_bytes()].concat();
        std::fs::write(path, &bytes).unwrap();
        File::options().write(true).open(path).unwrap().set_len((bytes.len() + end) as u64).unwrap();
    }
}
