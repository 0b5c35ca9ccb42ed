//! Builds the zip files and pickles of PyTorch, right or wrong in every field.

/// An entry of a zip file that is stored as it is.
pub struct StoredEntry {
    pub name: Vec<u8>,
    pub data: Vec<u8>,
    /// 0 is stored.
    pub method: u16,
    /// The size that the directory states instead of the true one.
    pub claimed_bytes: Option<u32>,
    /// The place of the header that the directory states instead of the true one.
    pub claimed_header: Option<u32>,
}

impl StoredEntry {
    pub fn new(name: &str, data: &[u8]) -> Self {
        Self { name: name.into(), data: data.into(), method: 0, claimed_bytes: None, claimed_header: None }
    }
}

/// Returns a zip file. Checksums are 0: they are not read.
pub fn zip(entries: &[StoredEntry]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let (header, bytes) = (file.len() as u32, entry.data.len() as u32);
        let claimed = entry.claimed_bytes.unwrap_or(bytes);
        file.extend(b"PK\x03\x04\x14\0\0\0");
        file.extend(entry.method.to_le_bytes());
        file.extend([0; 8]);
        file.extend([bytes, bytes].map(u32::to_le_bytes).concat());
        file.extend([entry.name.len() as u16, 0].map(u16::to_le_bytes).concat());
        file.extend(&entry.name);
        file.extend(&entry.data);
        directory.extend(b"PK\x01\x02\x14\0\x14\0\0\0");
        directory.extend(entry.method.to_le_bytes());
        directory.extend([0; 8]);
        directory.extend([claimed, claimed].map(u32::to_le_bytes).concat());
        directory.extend((entry.name.len() as u16).to_le_bytes());
        directory.extend([0; 12]);
        directory.extend(entry.claimed_header.unwrap_or(header).to_le_bytes());
        directory.extend(&entry.name);
    }
    let (start, count) = (file.len() as u32, entries.len() as u16);
    file.extend(&directory);
    file.extend(b"PK\x05\x06\0\0\0\0");
    file.extend([count, count].map(u16::to_le_bytes).concat());
    file.extend([directory.len() as u32, start].map(u32::to_le_bytes).concat());
    file.extend([0, 0]);
    file
}

/// Returns a file of PyTorch's with this pickle and storages of these bytes, named 0, 1 and so on.
pub fn torch_file(pickle: &[u8], storages: &[Vec<u8>]) -> Vec<u8> {
    let mut entries = vec![StoredEntry::new("archive/data.pkl", pickle)];
    entries.extend(storages.iter().enumerate().map(|(k, data)| StoredEntry::new(&format!("archive/data/{k}"), data)));
    zip(&entries)
}

/// Returns the instructions that push text.
pub fn text(text: &str) -> Vec<u8> {
    [b"X", (text.len() as u32).to_le_bytes().as_slice(), text.as_bytes()].concat()
}

/// Returns the instructions that push an integer.
pub fn int(number: i64) -> Vec<u8> {
    [b"\x8a\x08".as_slice(), &number.to_le_bytes()].concat()
}

/// Returns the instructions that push a tuple of integers.
pub fn sizes(sizes: &[i64]) -> Vec<u8> {
    [b"(".as_slice(), &sizes.iter().flat_map(|size| int(*size)).collect::<Vec<u8>>(), b"t"].concat()
}

/// A tensor as a pickle describes it.
pub struct Described<'a> {
    pub storage_type: &'a str,
    pub key: &'a str,
    pub numbers: i64,
    pub offset: i64,
    pub shape: &'a [i64],
    pub strides: &'a [i64],
}

/// Returns the instructions that push a tensor.
pub fn tensor(tensor: &Described) -> Vec<u8> {
    let stored = [
        b"(".to_vec(),
        text("storage"),
        format!("ctorch\n{}\n", tensor.storage_type).into_bytes(),
        text(tensor.key),
        text("cpu"),
        int(tensor.numbers),
        b"tQ".to_vec(),
    ]
    .concat();
    let arguments =
        [stored, int(tensor.offset), sizes(tensor.shape), sizes(tensor.strides), b"\x89N".to_vec()].concat();
    [b"ctorch._utils\n_rebuild_tensor_v2\n(".as_slice(), &arguments, b"tR"].concat()
}

/// Returns a pickle of a dictionary of these named values.
pub fn dictionary(items: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let items: Vec<u8> = items.iter().flat_map(|(name, value)| [text(name), value.clone()].concat()).collect();
    [b"\x80\x02}(".as_slice(), &items, b"u."].concat()
}
