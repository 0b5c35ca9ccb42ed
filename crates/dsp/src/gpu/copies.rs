//! Copies between the host's and the device's memory by several threads. One thread of a desktop processor reaches a
//! third to a half of the memory bandwidth.

use rayon::prelude::*;

/// The smallest copy, in bytes, that is divided among threads. It takes about 0.1 ms.
const WORTH_SHARING: usize = 1 << 20;

/// Copies `from` to a buffer that is mapped for writing, from the byte `at` on.
pub(super) fn write_shared(to: &wgpu::Buffer, at: u64, from: &[u8]) -> Result<(), wgpu::MapRangeError> {
    let part = if worth_sharing(from.len()) { WORTH_SHARING / 2 } else { from.len().max(1) };
    let parts = from.chunks(part).enumerate().map(|(number, from)| {
        let first = at + (number * part) as u64;
        to.get_mapped_range_mut(first..first + from.len() as u64).map(|to| (to, from))
    });
    let mut parts = parts.collect::<Result<Vec<_>, _>>()?;
    match parts.as_mut_slice() {
        [(to, from)] => to.copy_from_slice(from),
        parts => parts.par_iter_mut().for_each(|(to, from)| to.copy_from_slice(from)),
    }
    Ok(())
}

/// Copies `from` to `to`, which has the same size.
pub fn copy_shared(to: &mut [f32], from: &[f32]) {
    if !worth_sharing(size_of_val(from)) {
        to.copy_from_slice(from);
        return;
    }
    let middle = from.len() / 2;
    let (first, second) = to.split_at_mut(middle);
    rayon::join(|| copy_shared(first, &from[..middle]), || copy_shared(second, &from[middle..]));
}

/// Returns whether a copy is divided among threads. Two cores have nothing to spare: the others copy, decode and encode.
fn worth_sharing(bytes: usize) -> bool {
    bytes > WORTH_SHARING && rayon::current_num_threads() > 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_copy_is_the_whole() {
        let from: Vec<f32> = (0..1_000_003_u32).map(|n| n as f32).collect();
        let mut to = vec![0.0; from.len()];
        let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
        pool.install(|| {
            assert!(worth_sharing(size_of_val(&from[..])));
            copy_shared(&mut to, &from);
        });
        assert_eq!(to, from);
    }
}
