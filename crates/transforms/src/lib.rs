//! Plans of Fourier transforms, as `rustfft` and `realfft` make them.
//!
//! Both libraries are generic, so their code is compiled wherever a number type is first named: with each build of the
//! core that was a tenth of all of its code. Here it is compiled once, with full optimisation in development too.
//!
//! ```
//! use transforms::RealFftPlanner;
//!
//! let forward = RealFftPlanner::<f32>::new().plan_fft_forward(8);
//! let mut spectrum = forward.make_output_vec();
//! forward.process(&mut [1.0; 8], &mut spectrum)?;
//! assert_eq!(spectrum[0].re, 8.0);
//! # Ok::<(), transforms::FftError>(())
//! ```

use std::sync::Arc;

pub use realfft::{ComplexToReal, FftError, FftNum, RealToComplex, num_complex};
pub use rustfft::Fft;

/// A number type that transforms are compiled for.
pub trait Planned: FftNum {
    #[doc(hidden)]
    fn complex() -> Box<dyn ComplexPlans<Self>>;
    #[doc(hidden)]
    fn real() -> Box<dyn RealPlans<Self>>;
}

#[doc(hidden)]
pub trait ComplexPlans<T>: Send {
    fn forward(&mut self, points: usize) -> Arc<dyn Fft<T>>;
    fn inverse(&mut self, points: usize) -> Arc<dyn Fft<T>>;
}

#[doc(hidden)]
pub trait RealPlans<T>: Send {
    fn forward(&mut self, points: usize) -> Arc<dyn RealToComplex<T>>;
    fn inverse(&mut self, points: usize) -> Arc<dyn ComplexToReal<T>>;
}

macro_rules! planned {
    ($($number:ty)*) => {$(
        impl Planned for $number {
            fn complex() -> Box<dyn ComplexPlans<Self>> {
                Box::new(rustfft::FftPlanner::<$number>::new())
            }

            fn real() -> Box<dyn RealPlans<Self>> {
                Box::new(realfft::RealFftPlanner::<$number>::new())
            }
        }

        impl ComplexPlans<$number> for rustfft::FftPlanner<$number> {
            fn forward(&mut self, points: usize) -> Arc<dyn Fft<$number>> {
                self.plan_fft_forward(points)
            }

            fn inverse(&mut self, points: usize) -> Arc<dyn Fft<$number>> {
                self.plan_fft_inverse(points)
            }
        }

        impl RealPlans<$number> for realfft::RealFftPlanner<$number> {
            fn forward(&mut self, points: usize) -> Arc<dyn RealToComplex<$number>> {
                self.plan_fft_forward(points)
            }

            fn inverse(&mut self, points: usize) -> Arc<dyn ComplexToReal<$number>> {
                self.plan_fft_inverse(points)
            }
        }
    )*};
}

planned!(f32 f64);

/// Plans transforms of complex numbers. Plans share what they have in common.
pub struct FftPlanner<T>(Box<dyn ComplexPlans<T>>);

/// Plans transforms between real numbers and the half of the spectrum that tells all. Plans share what they have in
/// common.
pub struct RealFftPlanner<T>(Box<dyn RealPlans<T>>);

impl<T: Planned> FftPlanner<T> {
    /// Creates a planner without plans.
    #[expect(clippy::new_without_default, reason = "as in rustfft")]
    pub fn new() -> Self {
        Self(T::complex())
    }

    /// Plans a forward transform of so many points, without a factor.
    pub fn plan_fft_forward(&mut self, points: usize) -> Arc<dyn Fft<T>> {
        self.0.forward(points)
    }

    /// Plans an inverse transform of so many points, without a factor: after the forward one, everything is `points`
    /// times as large.
    pub fn plan_fft_inverse(&mut self, points: usize) -> Arc<dyn Fft<T>> {
        self.0.inverse(points)
    }
}

impl<T: Planned> RealFftPlanner<T> {
    /// Creates a planner without plans.
    #[expect(clippy::new_without_default, reason = "as in realfft")]
    pub fn new() -> Self {
        Self(T::real())
    }

    /// Plans a forward transform of so many real numbers to `points / 2 + 1` bins, without a factor.
    pub fn plan_fft_forward(&mut self, points: usize) -> Arc<dyn RealToComplex<T>> {
        self.0.forward(points)
    }

    /// Plans an inverse transform of `points / 2 + 1` bins to so many real numbers, without a factor: after the forward
    /// one, everything is `points` times as large.
    pub fn plan_fft_inverse(&mut self, points: usize) -> Arc<dyn ComplexToReal<T>> {
        self.0.inverse(points)
    }
}
