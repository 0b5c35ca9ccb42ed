//! Rows of a book on the CPU.

/// Writes the rows that codes name as columns: `y` is `components x codes`. A book has one row a code.
///
/// # Errors
/// The first code that is not a whole number from 0 on, below the number of rows.
pub fn lookup(codes: &[f32], book: &[f32], components: usize, y: &mut [f32]) -> Result<(), f32> {
    let rows = book.len() / components.max(1);
    for (frame, &code) in codes.iter().enumerate() {
        if !(code >= 0.0 && code < rows as f32 && code.fract() == 0.0) {
            return Err(code);
        }
        let row = &book[code as usize * components..][..components];
        for (n, &value) in row.iter().enumerate() {
            y[n * codes.len() + frame] = value;
        }
    }
    Ok(())
}
