//! The search in a book of 1024 rows of 32 components. The distances of the rows found are compared, because either of
//! two equally near rows may be found.

use super::blocks::{Blocks, noise};
use super::trial::Trial;
use crate::kernels::network::block::Block;
use crate::kernels::network::nearest::{Book, KERNEL, cpu, gpu};
use base::error::Result;
use base::progress::Progress;

const ROWS: usize = 1024;
const COMPONENTS: usize = 32;

/// The squared distance of a vector to a row.
fn distance(inputs: &[Vec<f32>], vector: usize, row: usize) -> f64 {
    let vectors = inputs[0].len() / COMPONENTS;
    let difference = |n: usize| f64::from(inputs[0][n * vectors + vector]) - f64::from(inputs[1][row * COMPONENTS + n]);
    (0..COMPONENTS).map(|n| difference(n).powi(2)).sum()
}

fn distances(inputs: &[Vec<f32>], codes: Vec<f32>) -> Vec<f32> {
    codes.iter().enumerate().map(|(vector, &code)| distance(inputs, vector, code as usize) as f32).collect()
}

pub(super) fn trial(frames: usize, _: usize) -> Result<Box<dyn Trial>> {
    let vectors = frames.div_ceil(COMPONENTS);
    let rows = noise(2, ROWS * COMPONENTS);
    let book = Book::new(&rows, COMPONENTS);
    let (of_device, constant) = (book.clone(), gpu::constant(&book, &rows)?);
    Ok(Box::new(Blocks {
        inputs: vec![noise(1, vectors * COMPONENTS), rows],
        count: vectors,
        operations: 2.0 * (vectors as u64 * book.products()) as f64,
        tolerance_db: KERNEL.tolerance_db,
        on_cpu: Box::new(move |inputs| {
            let mut y = vec![0.0; vectors];
            cpu::run(&book, &inputs[0], &mut y, &Progress::new())?;
            Ok(y)
        }),
        on_gpu: Box::new(move |inputs, recording| {
            let x = Block::upload(recording, &inputs[0])?;
            gpu::record(recording, &of_device, &constant, x, vectors)
        }),
        reference: Box::new(|inputs, places| {
            let least =
                |&vector: &usize| (0..ROWS).map(|row| distance(inputs, vector, row)).fold(f64::INFINITY, f64::min);
            places.iter().map(least).collect()
        }),
        compared: distances,
    }))
}
