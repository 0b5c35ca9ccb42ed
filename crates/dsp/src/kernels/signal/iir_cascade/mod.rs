//! A cascade of second-order sections, the same for every channel. All IIR filters run on this kernel.
//!
//! A section is a trapezoidal state-variable filter in delta form (A. Simper, "Linear Trapezoidal Integrated State
//! Variable Filter With Low Noise Optimisation", 2013; V. Zavalishin, "The Art of VA Filter Design", 2018). With the
//! input `x` and the integrators `s1`, `s2`, the [`Coefficients`] are used as
//!
//! ```text
//! u = x - s2      w = u - h s1      v = s1 + q w      y = m0 u + c1 v + dc s2
//! s1' = v + q w       s2' = s2 + g2 v
//! ```
//!
//! This form stays accurate at cutoffs far below the sample rate, where direct forms do not: a state changes by a small
//! difference, and only that difference is rounded.
//!
//! [`Cascade`] is the plan, in f64. [`CascadeState`] carries the integrators from block to block and from device to
//! device. [`cpu`] runs the cascade on the CPU, [`gpu`] on a GPU.
//!
//! Non-finite input: from a `NaN` or an infinity onwards, the output of that channel is not finite until its state is
//! reset. Earlier frames of the same block and other channels are unaffected.

mod accuracy;
pub mod cpu;
pub mod gpu;
mod lowered;
mod matrix;
mod plan;
mod segments;
mod state;
mod tables;

use crate::kernels::Kernel;
pub use accuracy::{PredictedError, predicted_f32_error, predicted_f32_error_db};
pub use matrix::Matrix;
pub use plan::{Cascade, Coefficients, DeltaForm};
pub use state::CascadeState;

/// The row of the table of kernels.
pub const KERNEL: Kernel = Kernel {
    name: "iir_cascade",
    title: "Cascade of second-order sections",
    shaders: &["iir_cascade.wgsl"],
    tolerance_db: -120.0,
    bytes_per_sample: 12.0,
};
