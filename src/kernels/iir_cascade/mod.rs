//! A cascade of second-order sections, the same for every channel: the workhorse behind every IIR filter.
//!
//! A section is a trapezoidal state-variable filter in delta form (A. Simper, "Linear Trapezoidal Integrated State
//! Variable Filter With Low Noise Optimisation", 2013; V. Zavalishin, "The Art of VA Filter Design", 2018). With the
//! input `x` and the integrators `s1`, `s2`, [`Coefficients`] are used as
//!
//! ```text
//! u = x - s2      w = u - h s1      v = s1 + q w      y = m0 u + c1 v + dc s2
//! s1' = v + q w       s2' = s2 + g2 v
//! ```
//!
//! which keeps its accuracy at cutoffs far below the rate, where direct forms lose it: a state changes by a small
//! difference, and that difference is what is rounded.
//!
//! [`Cascade`] is the plan, in f64; [`CascadeState`] carries the integrators from block to block and from device to
//! device; [`cpu`] runs it.
//!
//! Non-finite input: from a NaN or an infinity on, the output of that channel is not finite until its state is reset;
//! what came before it in the same block and the other channels are untouched.

mod accuracy;
pub mod cpu;
pub mod gpu;
mod lowered;
mod matrix;
mod plan;
mod segments;
mod state;
mod tables;

pub use accuracy::{PredictedError, predicted_f32_error, predicted_f32_error_db};
pub use matrix::Matrix;
pub use plan::{Cascade, Coefficients, DeltaForm};
pub use state::CascadeState;
