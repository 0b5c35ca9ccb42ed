//! `safetensors` files: a header in JSON, and the numbers.

use safetensors::tensor::{Dtype, Metadata};
use serde_json::Value;

use super::data_file::DataFile;
use super::dtype::DType;
use super::layout::{Storage, View};
use super::{Contents, Entries, Entry, add};
use base::error::{Error, Result};

/// The longest header. That of a model of a thousand tensors has 120 kB.
const MAX_HEADER_BYTES: u64 = 8 << 20;
/// The bytes of the header's length, before the header.
const LENGTH_BYTES: u64 = 8;

/// Returns whether a file begins as this format does.
pub(super) fn is_begun(begin: &[u8]) -> bool {
    begin.len() > LENGTH_BYTES as usize && begin[LENGTH_BYTES as usize] == b'{' && begin[5..8] == [0; 3]
}

/// Reads the names and places of the tensors, and the metadata.
pub(super) fn read(file: &DataFile, number: usize) -> Result<Contents> {
    let mut length = [0; LENGTH_BYTES as usize];
    file.read_at(0, &mut length)?;
    let length = u64::from_le_bytes(length);
    if length > MAX_HEADER_BYTES {
        return Err(Error::Limit {
            what: "the header of a safetensors file".into(),
            got: format!("{length} bytes"),
            limit: format!("{MAX_HEADER_BYTES} bytes"),
        });
    }
    let header = file.read_vec(LENGTH_BYTES, length as usize)?;
    // This checks that the parts follow each other without gaps, and that each has the bytes of its shape.
    let header: Metadata = serde_json::from_slice(&header)
        .map_err(|error| file.malformed(format!("The header of the safetensors file is damaged: {error}")))?;
    let start = LENGTH_BYTES + length;
    let expected = start.checked_add(header.data_len() as u64);
    if expected != Some(file.bytes()) {
        return Err(file.malformed(format!(
            "The header describes {} bytes of numbers, and {} are there. The file was cut or joined with another",
            header.data_len(),
            file.bytes() - start
        )));
    }
    let mut entries = Entries::new();
    for (name, info) in header.tensors() {
        let dtype = dtype(info.dtype).ok_or_else(|| {
            file.malformed(format!("The tensor `{name}` has the number format {:?}, which is not read", info.dtype))
        })?;
        let (from, to) = (info.data_offsets.0 as u64, info.data_offsets.1 as u64);
        let storage = Storage { start: start + from, numbers: (to - from) / dtype.bytes() as u64, dtype };
        let view = View::new(storage, 0, &info.shape, None)
            .map_err(|reason| file.malformed(format!("The tensor `{name}` {reason}")))?;
        add(&mut entries, file, name, Entry { shape: info.shape.clone(), dtype, file: number, view })?;
    }
    let metadata = header.metadata().iter().flatten().map(|(key, text)| (key.clone(), Value::from(text.as_str())));
    Ok(Contents { entries, metadata: Value::Object(metadata.collect()) })
}

fn dtype(dtype: Dtype) -> Option<DType> {
    Some(match dtype {
        Dtype::BOOL => DType::Bool,
        Dtype::U8 => DType::U8,
        Dtype::I8 => DType::I8,
        Dtype::U16 => DType::U16,
        Dtype::I16 => DType::I16,
        Dtype::U32 => DType::U32,
        Dtype::I32 => DType::I32,
        Dtype::U64 => DType::U64,
        Dtype::I64 => DType::I64,
        Dtype::F16 => DType::F16,
        Dtype::BF16 => DType::BF16,
        Dtype::F32 => DType::F32,
        Dtype::F64 => DType::F64,
        _ => return None,
    })
}
