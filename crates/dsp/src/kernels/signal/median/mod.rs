//! Medians of 31 neighbours in a plane of values, at every position and along either axis.
//!
//! The output at a position is the 16th smallest of the 31 values from 15 before it to 15 after it. Beyond its ends the
//! plane is reflected with the edge value repeated (`d c b a | a b c d | d c b a`), repeatedly if it is shorter than
//! the window, like `scipy.ndimage.median_filter` with `mode="reflect"`.
//!
//! **Network.** A network of minima and maxima computes sixteen neighbouring outputs together. Aligned runs of eight
//! values are sorted once. Eight outputs share 24 values, which are three such runs. Each output has 7 further values,
//! which can shift the median by at most 7 ranks, so only the middle 8 of the 24 can be the median. Folding sorted runs
//! into one another (`min(a[i], b[n - 1 - i])` gives the `n` lowest of both) finds these without sorting the rest. Four
//! outputs share four more values, which leaves 4 candidates of 12. Two outputs share two more values, which leaves 2
//! of 6. The last value decides. This takes about 36 minima and maxima per output. Discarding values that can no longer
//! be the median and sharing work between windows follows M. `McGuire`, "A fast, small-radius GPU median filter"
//! (`ShaderX6`, 2008). The sorted runs follow A. Adams, "Fast median filters using separable sorting networks"
//! (SIGGRAPH 2021).
//!
//! Values are compared by their bits. This is the numeric order for values of 0 and above, followed by infinity and
//! then `NaN`. A result is therefore one of the input values, bit-identical to the result of sorting, and a broken
//! value is an ordinary outlier. Negative values are not supported; magnitudes and powers have none.
//!
//! On a GPU, each thread computes eight outputs with the same network ([`gpu`]).

mod cpu;
pub mod gpu;

use crate::kernels::Kernel;
pub use cpu::Median;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "median",
    title: "Medians of 31",
    shaders: &["median.wgsl"],
    tolerance_db: f64::NEG_INFINITY,
    // Two bins per sample, read and written once along each axis: windows of 1025 bins at a hop of 512.
    bytes_per_sample: 32.0,
};

/// The number of values in a window.
pub const WIDTH: usize = 31;
/// The number of neighbours on each side of a position.
pub const REACH: usize = WIDTH / 2;
/// The number of positions processed in parallel.
pub const LANES: usize = 64;
