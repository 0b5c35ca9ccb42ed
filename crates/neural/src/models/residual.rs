//! Residual vector quantisation: each book codes what those before it left.

use crate::network::{Builder, Parameter, Value};
use base::error::Result;

/// Quantises `x` and returns a series of codes for each book.
pub fn encode(b: &mut Builder<'_>, x: Value, books: &[Parameter]) -> Result<Vec<Value>> {
    let mut left = x;
    let mut codes = Vec::with_capacity(books.len());
    for (n, &book) in books.iter().enumerate() {
        let (code, rest) = b.within(format!("layers.{n}"), |b| {
            let code = b.nearest(left, book)?;
            if n + 1 == books.len() {
                return Ok((code, left));
            }
            let found = b.lookup(code, book)?;
            Ok((code, b.subtract(left, found)?))
        })?;
        codes.push(code);
        left = rest;
    }
    Ok(codes)
}

/// Returns the sum of the vectors that the codes of the books decode to. The codes are the channels of `codes` from
/// `first` on.
pub fn decode(b: &mut Builder<'_>, codes: Value, first: usize, books: &[Parameter]) -> Result<Value> {
    let mut sum = None;
    for (n, &book) in books.iter().enumerate() {
        let next = b.within(format!("layers.{n}"), |b| {
            let code = b.channels(codes, first + n, 1)?;
            let found = b.lookup(code, book)?;
            sum.map_or(Ok(found), |sum| b.add(sum, found))
        })?;
        sum = Some(next);
    }
    sum.ok_or_else(|| base::error::Error::Internal("a quantiser without books".into()))
}
