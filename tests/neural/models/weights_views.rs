//! Views of storages: any order of dimensions, steps, offsets and number formats, against the definition of a stride.

use neural::weights::Weights;
use proptest::prelude::*;

use crate::support::torch_file::{Described, dictionary, tensor, torch_file};

/// Writes one tensor, and reads it. The storage holds 0, 1, 2 and so on.
fn read(kind: &str, bytes: &[u8], numbers: usize, offset: usize, shape: &[usize], strides: &[usize]) -> Vec<f32> {
    let signed = |sizes: &[usize]| sizes.iter().map(|&size| size as i64).collect::<Vec<_>>();
    let described = Described {
        storage_type: kind,
        key: "0",
        numbers: numbers as i64,
        offset: offset as i64,
        shape: &signed(shape),
        strides: &signed(strides),
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights");
    std::fs::write(&path, torch_file(&dictionary(&[("view", tensor(&described))]), &[bytes.to_vec()])).unwrap();
    Weights::open(&path).unwrap().tensor("view", shape).unwrap()
}

/// The numbers of a view in row-major order, by the definition of strides.
fn expected(offset: usize, shape: &[usize], strides: &[usize]) -> Vec<f32> {
    let places = shape.iter().zip(strides).fold(vec![offset], |places, (&size, &stride)| {
        places.iter().flat_map(|place| (0..size).map(move |step| place + step * stride)).collect()
    });
    places.into_iter().map(|place| place as f32).collect()
}

/// Returns the strides of a tensor with its dimensions in this order, the outermost first, each with gaps, and the
/// extent of its numbers.
fn strides_of(shape: &[usize], order: &[usize], gaps: &[usize]) -> (Vec<usize>, usize) {
    let mut strides = vec![0; shape.len()];
    let mut reach = 1;
    for &dimension in order.iter().rev() {
        strides[dimension] = reach + gaps[dimension];
        reach += strides[dimension] * (shape[dimension] - 1);
    }
    (strides, reach)
}

fn bytes_of(kind: &str, numbers: usize) -> Vec<u8> {
    let each = |number: usize| match kind {
        "HalfStorage" => half::f16::from_f32(number as f32).to_le_bytes().to_vec(),
        "BFloat16Storage" => half::bf16::from_f32(number as f32).to_le_bytes().to_vec(),
        "DoubleStorage" => (number as f64).to_le_bytes().to_vec(),
        "LongStorage" => (number as i64).to_le_bytes().to_vec(),
        "ShortStorage" => (number as i16).to_le_bytes().to_vec(),
        _ => (number as f32).to_le_bytes().to_vec(),
    };
    (0..numbers).flat_map(each).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn views_are_read_as_strides_define_them(
        dimensions in proptest::collection::vec((1usize..5, 0usize..3), 0..5),
        order in any::<u64>(),
        offset in 0usize..9,
        kind in proptest::sample::select(vec!["FloatStorage", "DoubleStorage", "LongStorage", "ShortStorage"]),
    ) {
        let (shape, gaps): (Vec<usize>, Vec<usize>) = dimensions.into_iter().unzip();
        let mut places: Vec<usize> = (0..shape.len()).collect();
        places.sort_by_key(|place| order.rotate_left(13 * *place as u32).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let (strides, reach) = strides_of(&shape, &places, &gaps);
        let numbers = offset + reach;
        let found = read(kind, &bytes_of(kind, numbers), numbers, offset, &shape, &strides);
        prop_assert_eq!(found, expected(offset, &shape, &strides));
    }
}

#[test]
fn large_views_are_read_in_pieces_in_any_order() {
    // More numbers than are read at once; whole, transposed, and with steps.
    for (shape, strides) in [
        (vec![300, 500], vec![500, 1]),
        (vec![500, 300], vec![1, 500]),
        (vec![7, 50, 300], vec![1, 2100, 7]),
        (vec![150, 250], vec![1000, 2]),
        (vec![3, 40_000], vec![50_000, 1]),
    ] {
        let numbers = 150_000;
        let found = read("FloatStorage", &bytes_of("FloatStorage", numbers), numbers, 0, &shape, &strides);
        assert!(found == expected(0, &shape, &strides), "{shape:?} {strides:?}");
    }
    // Halves hold these numbers exactly.
    for kind in ["HalfStorage", "BFloat16Storage"] {
        let numbers = if kind == "HalfStorage" { 2048 } else { 256 };
        let found = read(kind, &bytes_of(kind, numbers), numbers, 0, &[16, numbers / 16], &[1, 16]);
        assert_eq!(found, expected(0, &[16, numbers / 16], &[1, 16]), "{kind}");
    }
}

#[test]
fn single_numbers_empty_tensors_and_repetitions_are_views() {
    let bytes = bytes_of("FloatStorage", 5);
    assert_eq!(read("FloatStorage", &bytes, 5, 4, &[], &[]), [4.0]);
    assert!(read("FloatStorage", &bytes, 5, 5, &[0, 3], &[3, 1]).is_empty());
    assert_eq!(read("FloatStorage", &bytes, 5, 1, &[2, 3], &[1, 0]), [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
    assert_eq!(read("FloatStorage", &bytes, 5, 3, &[2, 2], &[0, 0]), [3.0; 4]);
}
