//! Books of codes.

use super::Block;
use base::error::{Error, Result};

pub(super) fn nearest(x: Block<'_>, book: &[f32]) -> Vec<f64> {
    let (components, plane) = (x.shape.channels, x.shape.rows * x.shape.frames);
    let code = |at: usize| {
        let distance = |row: &[f32]| {
            let differences = row.iter().enumerate().map(|(n, &row)| x.values[n * plane + at] - f64::from(row));
            differences.map(|difference| difference * difference).sum::<f64>()
        };
        let rows = book.chunks(components.max(1)).map(distance).enumerate();
        rows.fold((0, f64::INFINITY), |best, (n, distance)| if distance < best.1 { (n, distance) } else { best }).0
            as f64
    };
    (0..plane).map(code).collect()
}

pub(super) fn lookup(codes: Block<'_>, book: &[f32], components: usize, place: &str) -> Result<Vec<f64>> {
    let rows = book.len() / components.max(1);
    let row = |&code: &f64| {
        if code >= 0.0 && code < rows as f64 && code.fract() == 0.0 {
            return Ok(code as usize);
        }
        Err(Error::invalid(format!("code for {place}"), code.to_string(), format!("a whole number, 0 to {}", rows - 1)))
    };
    let rows: Vec<usize> = codes.values.iter().map(row).collect::<Result<_>>()?;
    Ok((0..components).flat_map(|n| rows.iter().map(move |&row| f64::from(book[row * components + n]))).collect())
}
