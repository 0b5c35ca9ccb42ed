//! The number formats of tensors, and their conversion to f32.

use std::fmt;

/// A number format of a tensor. All are little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named after its format")]
pub enum DType {
    Bool,
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    BF16,
    F32,
    F64,
}

impl DType {
    /// The size of a number in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Self::Bool | Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 | Self::BF16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Whether the numbers are floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::BF16 | Self::F32 | Self::F64)
    }

    /// Converts numbers to f32, rounded to nearest. `numbers` has `out.len() * self.bytes()` bytes.
    pub(super) fn convert(self, numbers: &[u8], out: &mut [f32]) {
        match self {
            Self::Bool => each(numbers, out, |[byte]| f32::from(u8::from(byte != 0))),
            Self::U8 => each(numbers, out, |[byte]| f32::from(byte)),
            Self::I8 => each(numbers, out, |bytes| f32::from(i8::from_le_bytes(bytes))),
            Self::U16 => each(numbers, out, |bytes| f32::from(u16::from_le_bytes(bytes))),
            Self::I16 => each(numbers, out, |bytes| f32::from(i16::from_le_bytes(bytes))),
            Self::U32 => each(numbers, out, |bytes| u32::from_le_bytes(bytes) as f32),
            Self::I32 => each(numbers, out, |bytes| i32::from_le_bytes(bytes) as f32),
            Self::U64 => each(numbers, out, |bytes| u64::from_le_bytes(bytes) as f32),
            Self::I64 => each(numbers, out, |bytes| i64::from_le_bytes(bytes) as f32),
            Self::F16 => each(numbers, out, |bytes| half::f16::from_le_bytes(bytes).to_f32()),
            Self::BF16 => each(numbers, out, |bytes| half::bf16::from_le_bytes(bytes).to_f32()),
            Self::F32 => each(numbers, out, f32::from_le_bytes),
            Self::F64 => each(numbers, out, |bytes| f64::from_le_bytes(bytes) as f32),
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Bool => "bool",
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F16 => "f16",
            Self::BF16 => "bf16",
            Self::F32 => "f32",
            Self::F64 => "f64",
        })
    }
}

fn each<const N: usize>(numbers: &[u8], out: &mut [f32], convert: impl Fn([u8; N]) -> f32) {
    let (numbers, _) = numbers.as_chunks();
    for (out, number) in out.iter_mut().zip(numbers) {
        *out = convert(*number);
    }
}
