//! Times the CPU twins of `mix`, `gain` and `peak` in bytes per second, against the copy speed of this machine.
//!
//! `cargo bench --bench mix_peak`

use std::hint::black_box;
use std::time::Instant;

use undertone::kernels::signal::{mix, peak};

/// The best of several runs, in bytes per second. `bytes` is the number of bytes that one run reads and writes.
fn measure(bytes: usize, mut run: impl FnMut()) -> f64 {
    // About 64 MiB per measurement, so that short blocks can be timed too.
    let times = ((64 << 20) / bytes).max(1);
    let seconds = (0..15)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..times {
                run();
            }
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min);
    (bytes * times) as f64 / seconds
}

fn main() {
    println!("GB/s moved: copy (8 bytes a sample), mix (12), gain (8), peak (4)");
    for (samples, place) in [(2048, "L1"), (1 << 17, "L2"), (1 << 25, "memory")] {
        let x = vec![0.25_f32; samples];
        let mut y = vec![0.5_f32; samples];
        let copy = measure(8 * samples, || black_box(&mut y).copy_from_slice(black_box(&x)));
        let mixed = measure(12 * samples, || mix::mix(black_box(&x), 0.5, black_box(&mut y), 0.5));
        // The gains alternate and cancel out, so that no value becomes subnormal.
        let mut up = false;
        let gained = measure(8 * samples, || {
            up = !up;
            mix::gain(black_box(&mut y), if up { 2.0 } else { 0.5 });
        });
        let peaked = measure(4 * samples, || {
            black_box(peak::peak(black_box(&x)));
        });
        let [copy, mixed, gained, peaked] = [copy, mixed, gained, peaked].map(|rate| rate / 1e9);
        println!("{samples:9} samples ({place:6}): {copy:6.1} {mixed:6.1} {gained:6.1} {peaked:6.1}");
    }
}
