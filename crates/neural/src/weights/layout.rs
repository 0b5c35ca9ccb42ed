//! The layout of a tensor's numbers in its file, and reading them.

use super::data_file::DataFile;
use super::dtype::DType;
use base::error::{Error, Result};

/// The most dimensions of a tensor.
pub(super) const MAX_DIMENSIONS: usize = 8;
/// The most numbers of a tensor, so that sizes in bytes fit an integer.
const MAX_NUMBERS: usize = 1 << 40;
/// The most numbers that a tensor may have beyond those in its data, by repetition.
const MAX_REPEATED: u64 = 1 << 20;
/// The numbers that are read at once if a tensor is not stored in order.
const WINDOW: usize = 1 << 15;

/// A view of a storage: the numbers of the file from `start` on, which [`View::new`] has checked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct View {
    /// The offset of the first number in bytes.
    start: u64,
    /// The distance of neighbours in each dimension, in numbers; `None` for a tensor in row-major order.
    strides: Option<Vec<usize>>,
}

/// A storage: contiguous numbers of one format in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Storage {
    /// The offset of the first number in bytes.
    pub start: u64,
    /// The number of numbers.
    pub numbers: u64,
    /// Their format.
    pub dtype: DType,
}

/// Returns the number of numbers of a shape; `None` if it is absurd.
pub(super) fn numbers_of(shape: &[usize]) -> Option<usize> {
    if shape.len() > MAX_DIMENSIONS {
        return None;
    }
    // A dimension of 0 must not hide that the others overflow: their strides are computed all the same.
    shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size.max(1))).filter(|n| *n <= MAX_NUMBERS)?;
    Some(shape.iter().product())
}

impl View {
    /// Creates a view of a storage and checks that it is within it.
    ///
    /// # Errors
    /// The reason, to be appended to the tensor's name.
    pub fn new(
        storage: Storage,
        offset: u64,
        shape: &[usize],
        strides: Option<Vec<usize>>,
    ) -> std::result::Result<Self, String> {
        let numbers = numbers_of(shape).ok_or_else(|| {
            format!("has the shape {shape:?}; at most {MAX_DIMENSIONS} dimensions and 2^40 numbers are read")
        })?;
        let strides = strides.filter(|strides| !is_row_major(shape, strides));
        if let Some(strides) = &strides
            && strides.len() != shape.len()
        {
            return Err(format!("has {} dimensions, but {} strides", shape.len(), strides.len()));
        }
        // A view may repeat its data. Otherwise a small file could ask for any amount of memory.
        if numbers as u64 > storage.numbers.max(MAX_REPEATED) {
            return Err(format!("has the shape {shape:?}, but its data are {} numbers", storage.numbers));
        }
        // The furthest number that the view reaches.
        let last = match &strides {
            None => (numbers as u64).checked_sub(1),
            Some(strides) => {
                check_apart(shape, strides)?;
                let reach = |(&size, &stride): (&usize, &usize)| (size.max(1) as u64 - 1).checked_mul(stride as u64);
                let last = shape.iter().zip(strides).try_fold(0u64, |sum, pair| sum.checked_add(reach(pair)?));
                (numbers > 0).then(|| last.unwrap_or(u64::MAX))
            }
        };
        if last.is_some_and(|last| offset.checked_add(last).is_none_or(|last| last >= storage.numbers)) {
            return Err(format!(
                "reaches beyond its data: it has the shape {shape:?} from number {offset}, and {} numbers are there",
                storage.numbers
            ));
        }
        let bytes = offset.checked_mul(storage.dtype.bytes() as u64);
        let start = bytes.and_then(|bytes| storage.start.checked_add(bytes)).filter(|_| offset <= storage.numbers);
        Ok(Self { start: start.ok_or("begins beyond its data")?, strides })
    }

    /// Reads the numbers in row-major order as f32.
    ///
    /// # Errors
    /// [`Error::Limit`] if the memory is not there.
    pub fn read(&self, file: &DataFile, dtype: DType, shape: &[usize]) -> Result<Vec<f32>> {
        let numbers = numbers_of(shape).unwrap_or(0);
        let mut out = Vec::new();
        out.try_reserve_exact(numbers).map_err(|_| Error::Limit {
            what: "the memory for a tensor".into(),
            got: format!("{numbers} numbers"),
            limit: "what this computer has free".into(),
        })?;
        out.resize(numbers, 0.0);
        if out.is_empty() {
            return Ok(out);
        }
        match &self.strides {
            None => self.read_in_order(file, dtype, &mut out)?,
            Some(strides) => self.read_strided(file, dtype, shape, strides, &mut out)?,
        }
        Ok(out)
    }

    fn read_in_order(&self, file: &DataFile, dtype: DType, out: &mut [f32]) -> Result<()> {
        if dtype == DType::F32 && cfg!(target_endian = "little") {
            return file.read_at(self.start, bytemuck::cast_slice_mut(out));
        }
        let mut numbers = vec![0; out.len().min(WINDOW) * dtype.bytes()];
        let mut at = self.start;
        for out in out.chunks_mut(WINDOW) {
            let numbers = &mut numbers[..out.len() * dtype.bytes()];
            file.read_at(at, numbers)?;
            dtype.convert(numbers, out);
            at += numbers.len() as u64;
        }
        Ok(())
    }

    /// Goes through the tensor in the order of the file, so that each part of it is read once, and puts each number in
    /// its place.
    fn read_strided(
        &self,
        file: &DataFile,
        dtype: DType,
        shape: &[usize],
        strides: &[usize],
        out: &mut [f32],
    ) -> Result<()> {
        let mut dimensions = dimensions_by_stride(shape, strides);
        let last = dimensions.iter().map(|dimension| (dimension.size - 1) * dimension.stride).sum::<usize>() as u64;
        let (mut window, mut bytes) = (vec![0.0; WINDOW], vec![0; WINDOW * dtype.bytes()]);
        let (mut begun, mut held) = (0u64, 0u64);
        let (mut from, mut to) = (0u64, 0usize);
        loop {
            if from < begun || from >= begun + held {
                (begun, held) = (from, (last + 1 - from).min(WINDOW as u64));
                let bytes = &mut bytes[..held as usize * dtype.bytes()];
                file.read_at(self.start + begun * dtype.bytes() as u64, bytes)?;
                dtype.convert(bytes, &mut window[..held as usize]);
            }
            out[to] = window[(from - begun) as usize];
            // The next number: the innermost dimension that is not at its end moves on, those inside it start again.
            let Some(moved) = dimensions.iter().rposition(|dimension| dimension.at + 1 < dimension.size) else {
                return Ok(());
            };
            for dimension in &mut dimensions[moved + 1..] {
                from -= (dimension.at * dimension.stride) as u64;
                to -= dimension.at * dimension.place;
                dimension.at = 0;
            }
            dimensions[moved].at += 1;
            from += dimensions[moved].stride as u64;
            to += dimensions[moved].place;
        }
    }
}

/// A dimension while a tensor is read.
struct Dimension {
    size: usize,
    /// The distance of neighbours in the file.
    stride: usize,
    /// The distance of neighbours in the result.
    place: usize,
    at: usize,
}

/// Returns the dimensions of more than one number, the widest stride first.
fn dimensions_by_stride(shape: &[usize], strides: &[usize]) -> Vec<Dimension> {
    let mut place = 1;
    let mut dimensions = Vec::new();
    for (&size, &stride) in shape.iter().zip(strides).rev() {
        if size > 1 {
            dimensions.push(Dimension { size, stride, place, at: 0 });
        }
        place *= size;
    }
    dimensions.sort_by_key(|dimension| std::cmp::Reverse(dimension.stride));
    dimensions
}

fn is_row_major(shape: &[usize], strides: &[usize]) -> bool {
    let mut expected = 1usize;
    shape.len() == strides.len()
        && shape.iter().zip(strides).rev().all(|(&size, &stride)| {
            let fits = size <= 1 || stride == expected;
            expected = expected.saturating_mul(size.max(1));
            fits
        })
}

/// Refuses views in which two places share a number, other than by repetition (a stride of 0). No model has them, and
/// they cannot be read in the order of the file.
fn check_apart(shape: &[usize], strides: &[usize]) -> std::result::Result<(), String> {
    let mut pairs: Vec<(usize, usize)> =
        shape.iter().zip(strides).filter(|(size, stride)| **size > 1 && **stride > 0).map(|(a, b)| (*b, *a)).collect();
    pairs.sort_unstable();
    let mut reach = 0usize;
    for (stride, size) in pairs {
        if stride <= reach {
            return Err(format!("has overlapping parts: the shape {shape:?} with the strides {strides:?}"));
        }
        reach = reach.saturating_add(stride.saturating_mul(size - 1));
    }
    Ok(())
}
