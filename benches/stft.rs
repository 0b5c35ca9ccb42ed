//! Times the CPU twins of short-time spectra, spectrogram tiles and the inverse transform, in windows per second at
//! 2048 frames and a hop of 512, against `SciPy`'s real transforms if `SciPy` is installed.
//!
//! `cargo bench --bench stft`; `PYTHON` names the Python that has `SciPy` (default `python3`). `benches/NOTES.md`
//! discusses the results and the limits.

use std::hint::black_box;
use std::time::Instant;

use undertone::design::{Bank, FrequencyScale, Window};
use undertone::kernels::signal::istft::{self, IstftPlan};
use undertone::kernels::signal::stft::{Columns, Rows, Samples, StftPlan, StftSpec, TileRequest, cpu};

const SPEC: StftSpec = StftSpec { window: Window::Hann, size: 2048, padding: 1, hop: 512 };

/// Windows per timed run, which takes about 5 ms.
const WINDOWS: u64 = 1024;

const RUNS: usize = 40;

/// Prints the windows per second of the transform alone, with windows already weighted, and of windowing, transform and
/// power.
const SCIPY: &str = "
import time, numpy, scipy
from scipy import fft, signal
x = numpy.random.default_rng(1).uniform(-1, 1, 2048 + 512 * 1023)
def best(run):
    seconds = 1e9
    for _ in range(40):
        start = time.perf_counter()
        run()
        seconds = min(seconds, time.perf_counter() - start)
    return 1024 / seconds
rates = []
for kind in (numpy.float32, numpy.float64):
    windows = numpy.lib.stride_tricks.sliding_window_view(x.astype(kind), 2048)[::512]
    taps = signal.get_window('hann', 2048).astype(kind)
    weighed = windows * taps
    rates.append(best(lambda: fft.rfft(weighed, workers=1)))
    def power():
        y = fft.rfft(windows * taps, workers=1)
        return y.real ** 2 + y.imag ** 2
    rates.append(best(power))
print(scipy.__version__, *rates)
";

/// The best of several runs, in windows per second.
fn measure(threads: usize, mut run: impl FnMut() + Send) -> f64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let seconds = pool.install(|| {
        (0..RUNS)
            .map(|_| {
                let start = Instant::now();
                run();
                start.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min)
    });
    WINDOWS as f64 / seconds
}

fn scipy() -> Option<(String, Vec<f64>)> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let output = std::process::Command::new(python).args(["-c", SCIPY]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let mut words = text.split_whitespace();
    let version = words.next()?.to_owned();
    Some((version, words.map(|rate| rate.parse().ok()).collect::<Option<_>>()?))
}

fn hardware() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|pair| pair.1));
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    format!("{}, {cores} cores, {}", name.unwrap_or("processor without a name"), std::env::consts::ARCH)
}

fn main() {
    println!("{}", hardware());
    println!("thousands of windows a second, 2048 frames, hop 512: one thread | two threads");
    let frames = 512 * (WINDOWS as usize - 1) + 1;
    let mut seed = 1_u32;
    let mut noise = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    let x: Vec<f32> = (0..frames).map(|_| noise()).collect();
    let samples = Samples::whole(&x);
    let plan = StftPlan::new(SPEC).expect("an allowed plan");
    let line = |what: &str, run: &(dyn Fn() + Sync)| {
        let [one, two] = [1, 2].map(|threads| measure(threads, run));
        println!("{what:44} {:7.0} | {:7.0}", one / 1e3, two / 1e3);
        one
    };
    let power = line("power spectra", &|| {
        black_box(cpu::power(&plan, samples, 0..WINDOWS).expect("spectra"));
    });
    line("complex spectra", &|| {
        black_box(cpu::spectra(&plan, samples, 0..WINDOWS).expect("spectra"));
    });
    let bank = |scale, rows| Bank::display(plan.bins_at(48_000.0), scale, [20.0, 24_000.0], rows).expect("a bank");
    for (title, scale, rows) in
        [("tile of 512 linear rows", FrequencyScale::Linear, 512), ("tile of 512 mel rows", FrequencyScale::Mel, 512)]
    {
        let rows = Rows::new(&bank(scale, rows));
        let columns = Columns::of_windows(&plan, 0, WINDOWS as usize);
        line(title, &|| {
            black_box(cpu::fine(&TileRequest { plan: &plan, rows: &rows, columns, samples }).expect("a tile"));
        });
        let columns = Columns { count: WINDOWS as usize / 8, first_centre: 2048.0, frames_each: 4096.0, windows: 8 };
        line("the same, 8 windows a column", &|| {
            black_box(cpu::fine(&TileRequest { plan: &plan, rows: &rows, columns, samples }).expect("a tile"));
        });
    }
    let spectra = cpu::spectra(&plan, samples, 0..WINDOWS).expect("spectra");
    let inverse = IstftPlan::new(&plan).expect("a plan that can be inverted");
    line("inversion", &|| {
        black_box(istft::cpu::samples(&inverse, &spectra, frames - 1).expect("a signal"));
    });
    match scipy() {
        Some((version, rates)) if rates.len() == 4 => {
            let names = ["f32 transform alone", "f32 window, transform, power", "f64 transform alone", "f64 all three"];
            for (name, rate) in names.iter().zip(&rates) {
                println!("SciPy {version} rfft, {name:28} {:7.0}; ours is {:.2} times that", rate / 1e3, power / rate);
            }
        }
        _ => println!("SciPy was not found: set PYTHON to a Python that has it"),
    }
}
