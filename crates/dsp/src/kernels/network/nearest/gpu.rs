//! The search on a GPU.

use super::Book;
use crate::gpu::shaders::nearest as shader;
use crate::gpu::{Constant, Recording};
use crate::kernels::network::block::{Block, too_large};
use base::error::{Error, Result};

/// Returns a book for the device: component by component, a number of each row; then half the square of each row's
/// length.
pub fn constant(book: &Book, rows: &[f32]) -> Result<Constant> {
    if book.components > shader::MAX_COMPONENTS as usize {
        let reason = format!("a GPU searches vectors of up to {} components", shader::MAX_COMPONENTS);
        return Err(Error::unsupported(format!("a book of {} components", book.components), reason));
    }
    let count = book.halves.len();
    let mut numbers: Vec<f32> = Vec::with_capacity(rows.len() + count);
    for n in 0..book.components {
        numbers.extend((0..count).map(|row| rows[row * book.components + n]));
    }
    numbers.extend_from_slice(&book.halves);
    let bytes = 4 * numbers.len() as u64;
    if bytes > crate::gpu::MAX_BINDING_BYTES { Err(too_large(bytes)) } else { Ok(Constant::of(&numbers)) }
}

/// Records the search of the codes of `vectors` vectors.
pub fn record(
    recording: &mut Recording<'_>,
    book: &Book,
    constant: &Constant,
    x: Block,
    vectors: usize,
) -> Result<Block> {
    let y = Block::new(recording, vectors)?;
    let params = shader::Params {
        vectors: vectors as u32,
        components: book.components as u32,
        rows: book.halves.len() as u32,
        x_first: x.first as u32,
        ..bytemuck::Zeroable::zeroed()
    };
    let constant = recording.constant(constant);
    let entry = shader::Search { x: x.view, book: constant, y: y.view };
    let groups = [vectors.div_ceil(shader::VECTORS as usize) as u32, 1, 1];
    recording.dispatch(entry.dispatch(&params, groups, vectors as u64 * book.products()));
    Ok(y)
}
