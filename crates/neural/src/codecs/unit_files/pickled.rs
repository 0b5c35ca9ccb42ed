//! NumPy's arrays in pickles, read and written.

use super::array::{Integers, rows};
use crate::weights::pickle::{GlobalRole, Object, ObjectId, Pickle};

/// The names of NumPy that pickles of arrays use, in its versions 1 and 2.
pub fn known(name: &str) -> GlobalRole {
    match name {
        "numpy.core.multiarray._reconstruct"
        | "numpy._core.multiarray._reconstruct"
        | "numpy.core.multiarray.scalar"
        | "numpy._core.multiarray.scalar"
        | "numpy.dtype" => GlobalRole::Callable,
        "numpy.ndarray" => GlobalRole::Value,
        _ => GlobalRole::Unknown,
    }
}

/// An array in a pickle.
pub struct PickledArray {
    /// The sizes of its dimensions.
    pub shape: Vec<usize>,
    /// The number format, such as `u2`.
    format: String,
    order: char,
    is_columns: bool,
    /// The list of its objects, or the bytes of its numbers.
    pub content: ObjectId,
}

impl PickledArray {
    /// Reads an object as an array; `None` if it is not one.
    ///
    /// NumPy writes a call of `_reconstruct`, with the state (version, shape, format, order, content).
    pub fn of(pickle: &Pickle, id: ObjectId) -> Option<Self> {
        let Object::Call { state: Some(state), .. } = pickle.object(id) else { return None };
        let (name, _) = pickle.call(id)?;
        let &[_, shape, format, order, content] = pickle.tuple(*state).filter(|_| name.ends_with("._reconstruct"))?
        else {
            return None;
        };
        let sizes = pickle.tuple(shape)?.iter();
        let shape = sizes.map(|size| usize::try_from(pickle.size(*size)?).ok()).collect::<Option<_>>()?;
        let (format, byte_order) = format_of(pickle, format)?;
        let is_columns = matches!(pickle.object(order), Object::Bool(true));
        Some(Self { shape, format, order: byte_order, is_columns, content })
    }

    /// Returns the rows of each layer of an array of three dimensions.
    pub fn layers(&self, pickle: &Pickle) -> Result<Vec<Vec<Vec<i32>>>, String> {
        let integers = Integers::parse(&self.format, self.order)?;
        let &[layers, books, codes] = &self.shape[..] else {
            return Err(format!("The codes have the shape {:?}; three dimensions are expected", self.shape));
        };
        if layers != 1 && self.is_columns {
            return Err("The codes of several channels lie in Fortran's order, which is not read".into());
        }
        let data = pickle.bytes(self.content).ok_or("The codes have no numbers")?;
        if layers == 0 || !data.len().is_multiple_of(layers) {
            return Err(format!("The codes have the shape {:?} and {} bytes", self.shape, data.len()));
        }
        let one = data.len() / layers;
        (0..layers).map(|layer| rows(integers, [books, codes], self.is_columns, &data[layer * one..][..one])).collect()
    }
}

/// Returns a float, an integer, or the only float of an array or of NumPy's scalar.
pub fn number(pickle: &Pickle, id: ObjectId) -> Option<f64> {
    match pickle.object(id) {
        Object::Float(number) => return Some(*number),
        Object::Int(number) => return Some(*number as f64),
        _ => {}
    }
    let (format, order, bytes) = if let Some(array) = PickledArray::of(pickle, id) {
        (array.format, array.order, pickle.bytes(array.content)?)
    } else {
        let (name, &[format, content]) = pickle.call(id)? else { return None };
        let (format, order) = format_of(pickle, format).filter(|_| name.ends_with(".scalar"))?;
        (format, order, pickle.bytes(content)?)
    };
    match (format.as_str(), order == '>') {
        ("f4", false) => Some(f32::from_le_bytes(bytes.try_into().ok()?).into()),
        ("f4", true) => Some(f32::from_be_bytes(bytes.try_into().ok()?).into()),
        ("f8", false) => Some(f64::from_le_bytes(bytes.try_into().ok()?)),
        ("f8", true) => Some(f64::from_be_bytes(bytes.try_into().ok()?)),
        _ => None,
    }
}

/// Returns a number format and its byte order: a call of `dtype`, with the state (version, order, ...).
fn format_of(pickle: &Pickle, id: ObjectId) -> Option<(String, char)> {
    let (name, arguments) = pickle.call(id)?;
    let format = pickle.text(*arguments.first()?).filter(|_| name == "numpy.dtype")?;
    let Object::Call { state, .. } = pickle.object(id) else { return None };
    let order = state.and_then(|state| pickle.text(*pickle.tuple(state)?.get(1)?)?.chars().next());
    Some((format.to_owned(), order.unwrap_or('<')))
}

/// Writes pickles of protocol 3, which all versions of Python 3 read. The names are those of NumPy 1, which NumPy 2
/// keeps for this.
#[derive(Default)]
pub struct PickleWriter(Vec<u8>);

impl PickleWriter {
    /// Begins a pickle.
    pub fn new() -> Self {
        Self(b"\x80\x03".to_vec())
    }

    /// Ends the pickle.
    pub fn finish(mut self) -> Vec<u8> {
        self.0.push(b'.');
        self.0
    }

    /// Adds instructions unchanged.
    pub fn raw(&mut self, instructions: &[u8]) {
        self.0.extend(instructions);
    }

    /// Pushes text.
    pub fn text(&mut self, text: &str) {
        self.raw(b"X");
        self.raw(&(text.len() as u32).to_le_bytes());
        self.raw(text.as_bytes());
    }

    /// Pushes an integer.
    pub fn int(&mut self, number: i64) {
        self.raw(b"\x8a\x08");
        self.raw(&number.to_le_bytes());
    }

    /// Pushes an array with content that `content` pushes: bytes of numbers, or a list of objects.
    pub fn array(&mut self, shape: &[usize], format: &str, content: impl FnOnce(&mut Self)) {
        self.raw(b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85C\x01b\x87R(K\x01(");
        for &size in shape {
            self.int(size as i64);
        }
        self.raw(b"tcnumpy\ndtype\n");
        self.text(format);
        // The order of the bytes; objects have none, and flags that say that they are objects.
        let (order, flags) = if format.starts_with('O') { ("|", 0x3f) } else { ("<", 0) };
        self.raw(b"\x89\x88\x87R(K\x03");
        self.text(order);
        self.raw(b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK");
        self.raw(&[flags]);
        self.raw(b"tb\x89");
        content(self);
        self.raw(b"tb");
    }

    /// Pushes bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.raw(b"B");
        self.raw(&(bytes.len() as u32).to_le_bytes());
        self.raw(bytes);
    }
}
