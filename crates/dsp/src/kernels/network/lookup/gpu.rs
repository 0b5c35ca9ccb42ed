//! Rows of a book on a GPU.

use crate::gpu::shaders::lookup as shader;
use crate::gpu::{Constant, Recording};
use crate::kernels::network::block::{Block, too_large};
use base::error::Result;

/// Records the reading of the rows of `count` codes; see [`super::cpu::lookup`]. A code without a row reads some other
/// row, so callers check codes from outside with [`super::first_wrong`].
pub fn record(
    recording: &mut Recording<'_>,
    codes: Block,
    count: usize,
    book: &Constant,
    [rows, components]: [usize; 2],
) -> Result<Block> {
    let y = Block::new(recording, count * components)?;
    let book = recording.constant(book);
    if book.bytes > crate::gpu::MAX_BINDING_BYTES {
        return Err(too_large(book.bytes));
    }
    let params = shader::Params {
        codes: count as u32,
        components: components as u32,
        book_rows: rows as u32,
        codes_first: codes.first as u32,
        ..bytemuck::Zeroable::zeroed()
    };
    let entry = shader::Rows { codes: codes.view, book, y: y.view };
    let groups = [count.div_ceil(256) as u32, components as u32, 1];
    recording.dispatch(entry.dispatch(&params, groups, (count * components) as u64));
    Ok(y)
}
