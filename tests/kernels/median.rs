//! Medians of 31 on a GPU: equal to sorting and to the CPU twin bit for bit, for any plane.

use crate::support;

use std::ops::Range;

use base::Error;
use base::progress::Progress;
use dsp::device::trials::median::medians_on_gpu;
use dsp::gpu::Engine;
use dsp::kernels::signal::median::gpu::Axis;
use dsp::kernels::signal::median::{KERNEL, Median, REACH};
use support::gpu::{bits, engine};

const AXES: [Axis; 2] = [Axis::Columns, Axis::Rows];

/// Values of many kinds: wide, with ties, zeros, denormals, an infinity and NaN.
fn plane(rows: usize, columns: usize) -> Vec<f32> {
    let mut state = (rows * 4096 + columns) as u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    };
    let value = |_| match next() % 40 {
        0..10 => 0.0,
        10..20 => (next() % 4) as f32,
        20 => f32::from_bits(next() % 0x0080_0000),
        21 => f32::INFINITY,
        22 => f32::NAN,
        _ => f32::from_bits(next() % 0x7f80_0000),
    };
    (0..rows * columns).map(value).collect()
}

fn on_gpu(engine: &mut Engine, plane: &[f32], columns: usize, rows: Range<usize>, axis: Axis) -> Vec<f32> {
    let (medians, finished) = medians_on_gpu(engine, plane, columns, rows, axis, None).unwrap();
    assert!(finished.dispatches > 0, "the GPU did not run");
    medians
}

fn on_cpu(plane: &[f32], columns: usize, rows: Range<usize>, axis: Axis) -> Vec<f32> {
    let mut to = vec![-1.0; rows.len() * columns];
    let mut median = Median::new(columns);
    match axis {
        Axis::Columns => median.along_columns(plane, rows, &mut to),
        Axis::Rows => median.along_rows(plane, rows, &mut to),
    }
    to
}

/// By sorting, reflected beyond the ends as the definition says.
fn by_sorting(plane: &[f32], columns: usize, rows: Range<usize>, axis: Axis) -> Vec<u32> {
    let all = plane.len() / columns;
    let reflected = |place: i64, count: usize| {
        let place = place.rem_euclid(2 * count as i64);
        place.min(2 * count as i64 - 1 - place) as usize
    };
    let at = |row: usize, column: usize| {
        let mut around: Vec<u32> = (-15..=15)
            .map(|k| match axis {
                Axis::Columns => plane[reflected(row as i64 + k, all) * columns + column],
                Axis::Rows => plane[row * columns + reflected(column as i64 + k, columns)],
            })
            .map(f32::to_bits)
            .collect();
        around.sort_unstable();
        around[15]
    };
    rows.flat_map(|row| (0..columns).map(move |column| (row, column))).map(|(row, column)| at(row, column)).collect()
}

#[test]
fn medians_are_those_of_sorting_and_of_the_twin_bit_for_bit() {
    let Some(mut engine) = engine() else { return };
    assert_eq!(KERNEL.tolerance_db, f64::NEG_INFINITY, "bits are compared");
    // Around the sizes of a step, a span, a workgroup and a single reflection.
    let sizes = [(1, 1), (1, 40), (40, 1), (2, 3), (7, 65), (8, 256), (9, 257), (31, 33), (130, 64), (3, 1025)];
    for (rows, columns) in
        sizes.into_iter().chain([(300, 7), (511, 2), (512, 2), (600, 3), (2, 511), (3, 512), (1, 4097)])
    {
        let plane = plane(rows, columns);
        for axis in AXES {
            for wanted in [0..rows, rows / 2..rows, rows / 3..rows / 2 + 1] {
                let got = bits(&on_gpu(&mut engine, &plane, columns, wanted.clone(), axis));
                let case = format!("{axis:?}, rows {wanted:?} of {rows} x {columns}");
                assert_eq!(got, bits(&on_cpu(&plane, columns, wanted.clone(), axis)), "{case}: the twin");
                assert_eq!(got, by_sorting(&plane, columns, wanted, axis), "{case}: sorting");
            }
        }
    }
}

#[test]
fn a_spoiled_plane_gives_other_medians() {
    let Some(mut engine) = engine() else { return };
    let x: Vec<f32> = (0..64 * 64).map(|n| ((n * 7919) % 4096) as f32).collect();
    for axis in AXES {
        let medians = on_gpu(&mut engine, &x, 64, 0..64, axis);
        // The value that is the median at one place is raised: the medians around it are others.
        let at = x.iter().position(|&value| value == medians[32 * 64 + 32]).unwrap();
        let mut spoiled = x.clone();
        spoiled[at] = 1e9;
        assert_ne!(bits(&on_cpu(&spoiled, 64, 0..64, axis)), bits(&medians), "{axis:?}");
        let other = AXES[usize::from(axis == Axis::Columns)];
        assert_ne!(bits(&on_cpu(&x, 64, 0..64, other)), bits(&medians), "{axis:?} are not {other:?}");
    }
}

#[test]
fn pieces_with_their_margins_are_joined_without_a_seam() {
    let Some(mut engine) = engine() else { return };
    let plane = plane(200, 96);
    for axis in AXES {
        let whole = bits(&on_gpu(&mut engine, &plane, 96, 0..200, axis));
        assert_eq!(whole, bits(&on_gpu(&mut engine, &plane, 96, 0..200, axis)), "twice the same");
        let mut joined = Vec::new();
        for cut in [0_usize..1, 1..7, 7..100, 100..101, 101..190, 190..200] {
            let around = cut.start.saturating_sub(REACH)..200.min(cut.end + REACH);
            let part = &plane[around.start * 96..around.end * 96];
            let wanted = cut.start - around.start..cut.end - around.start;
            joined.extend(bits(&on_gpu(&mut engine, part, 96, wanted, axis)));
        }
        assert_eq!(joined, whole, "{axis:?}");
    }
}

#[test]
fn nothing_gives_nothing_and_what_is_not_there_is_refused() {
    let Some(mut engine) = engine() else { return };
    for axis in AXES {
        let mut of = |plane: &[f32], columns, rows| medians_on_gpu(&mut engine, plane, columns, rows, axis, None);
        assert!(of(&[], 5, 0..0).unwrap().0.is_empty());
        assert!(of(&[1.0; 10], 5, 1..1).unwrap().0.is_empty());
        assert!(matches!(of(&[1.0; 10], 5, 0..3), Err(Error::Invalid { .. })));
        assert!(matches!(of(&[], 0, 0..1), Err(Error::Invalid { .. })));
    }
    let progress = Progress::new();
    progress.cancel();
    let stopped = medians_on_gpu(&mut engine, &[1.0; 100], 10, 0..10, Axis::Rows, Some(&progress));
    assert!(matches!(stopped, Err(Error::Cancelled)));
}
