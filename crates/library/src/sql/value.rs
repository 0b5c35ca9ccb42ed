//! Values that are bound to statements, and values that are read from rows.

use super::{Error, Result};

/// A value, as both databases know it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// `NULL`.
    Null,
    /// A number without fraction. Truth values are 0 and 1.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text.
    Text(&'a str),
    /// Bytes.
    Blob(&'a [u8]),
}

impl Value<'_> {
    fn kind(&self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Integer(_) => "an integer",
            Self::Real(_) => "a number",
            Self::Text(_) => "text",
            Self::Blob(_) => "bytes",
        }
    }
}

/// Can be bound to a statement.
pub trait Bind {
    /// Returns the value to bind.
    fn value(&self) -> Value<'_>;
}

/// `SQLite` stores `NaN` as `NULL`; a server would keep it.
fn real(value: f64) -> Value<'static> {
    if value.is_nan() { Value::Null } else { Value::Real(value) }
}

macro_rules! bind {
    ($($of:ty => |$value:ident| $as:expr;)*) => {$(
        impl Bind for $of {
            fn value(&self) -> Value<'_> {
                let $value = self;
                $as
            }
        }
    )*};
}

bind! {
    i64 => |value| Value::Integer(*value);
    u64 => |value| Value::Integer(*value as i64);
    u32 => |value| Value::Integer((*value).into());
    u16 => |value| Value::Integer((*value).into());
    f64 => |value| real(*value);
    f32 => |value| real((*value).into());
    str => |value| Value::Text(value);
    String => |value| Value::Text(value);
    [u8] => |value| Value::Blob(value);
    Vec<u8> => |value| Value::Blob(value);
    [u8; 32] => |value| Value::Blob(value);
}

impl<T: Bind + ?Sized> Bind for &T {
    fn value(&self) -> Value<'_> {
        (**self).value()
    }
}

impl<T: Bind> Bind for Option<T> {
    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, Bind::value)
    }
}

/// The values of a statement, in the order of their numbers.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::sql::Bind::value(&$value)),*] };
}
pub(crate) use values;

/// Can be read from a column. A size below 0 counts as 0.
pub trait FromColumn: Sized {
    /// The expected kind of value, for errors.
    const WANTED: &'static str;

    /// Converts the value; `None` if it is of another kind or out of range.
    fn from_value(value: Value<'_>) -> Option<Self>;
}

/// Converts the value of a column.
pub(super) fn read<T: FromColumn>(column: usize, value: Value<'_>) -> Result<T> {
    T::from_value(value).ok_or_else(|| Error::Value { column, wanted: T::WANTED, found: value.kind() })
}

macro_rules! from_column {
    ($($of:ty, $wanted:literal: $($kind:pat => $as:expr),+;)*) => {$(
        impl FromColumn for $of {
            const WANTED: &'static str = $wanted;

            fn from_value(value: Value<'_>) -> Option<Self> {
                match value {
                    $($kind => $as,)+
                    _ => None,
                }
            }
        }
    )*};
}

from_column! {
    i64, "an integer": Value::Integer(value) => Some(value);
    u64, "an integer": Value::Integer(value) => Some(value.max(0) as u64);
    u32, "an integer of 32 bits": Value::Integer(value) => value.try_into().ok();
    bool, "a truth value": Value::Integer(value) => Some(value != 0);
    f64, "a number": Value::Real(value) => Some(value), Value::Integer(value) => Some(value as f64);
    f32, "a number": Value::Real(value) => Some(value as f32), Value::Integer(value) => Some(value as f32);
    String, "text": Value::Text(text) => Some(text.to_owned());
    Vec<u8>, "bytes": Value::Blob(bytes) => Some(bytes.to_vec());
    [u8; 32], "32 bytes": Value::Blob(bytes) => bytes.try_into().ok();
}

impl<T: FromColumn> FromColumn for Option<T> {
    const WANTED: &'static str = T::WANTED;

    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::from_value(value).map(Some),
        }
    }
}
