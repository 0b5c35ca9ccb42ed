//! Rows of a book on the CPU.

/// Writes the row of each code as a column: `y` is `components x codes`. A book has one row per code.
///
/// # Errors
/// The first code without a row.
pub fn lookup(codes: &[f32], book: &[f32], components: usize, y: &mut [f32]) -> Result<(), f32> {
    if let Some(wrong) = super::first_wrong(codes, book.len() / components.max(1)) {
        return Err(wrong);
    }
    for (frame, &code) in codes.iter().enumerate() {
        let row = &book[code as usize * components..][..components];
        for (n, &value) in row.iter().enumerate() {
            y[n * codes.len() + frame] = value;
        }
    }
    Ok(())
}
