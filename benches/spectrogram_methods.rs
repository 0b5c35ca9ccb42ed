//! Times the tiles of every spectrogram method on the CPU: 256 columns by 512 rows, in columns per second.
//!
//! `cargo bench --bench spectrogram_methods`

use std::hint::black_box;
use std::time::Instant;

use undertone::design::{FrequencyScale, Window};
use undertone::kernels::signal::stft::{ColumnGrid, Samples};
use undertone::progress::Progress;
use undertone::units::SampleRate;
use undertone::view::spectrogram::{Analysis, EXACT, Method};

const RUNS: usize = 5;
const COLUMNS: usize = 256;

fn main() {
    let frames = COLUMNS << 12;
    let mut seed = 1_u32;
    let mut noise = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    let x: Vec<f32> = (0..frames).map(|_| noise()).collect();
    let rate = SampleRate::new(48_000).expect("a rate");
    println!("columns a second of 2^4, 2^9 and 2^12 frames, {} threads", rayon::current_num_threads());
    for method in Method::ALL {
        let scale = FrequencyScale::Log;
        let analysis = Analysis { method, bins_per_octave: 36, window: Window::Hann, size: 2048, padding: 1, scale };
        let analyser = analysis.columns(rate, analysis.axis(rate).span(512)).expect("an analyser");
        print!("{:20}", method.to_string());
        for level in [4, 9, 12] {
            let each = f64::from(1 << level);
            let grid = ColumnGrid { count: COLUMNS, first_centre: each / 2.0, frames_each: each, spacing: EXACT };
            let seconds = (0..RUNS).map(|_| {
                let start = Instant::now();
                black_box(analyser.fine(&grid, Samples::whole(&x), Some(&Progress::new())).expect("a tile"));
                start.elapsed().as_secs_f64()
            });
            print!("{:12.0}", COLUMNS as f64 / seconds.fold(f64::INFINITY, f64::min));
        }
        println!();
    }
}
