//! Eight lanes of f64, or of f32, on whatever vector unit the machine has, chosen when the program runs.
//!
//! A computation is written once, generic over [`Lanes`], as a [`Task`]; [`Simd::dispatch`] compiles it for each
//! instruction set and calls the one asked for. Every set works on eight lanes (in one, two or four registers), in the
//! same order and with fused multiply-adds, so that all give the same bits; only [`Simd::Portable`] on a processor
//! without fused multiply-add rounds twice and differs in the last bits.

#![allow(clippy::inline_always, reason = "a task's code must be compiled within its instruction set's entry")]
#![allow(clippy::wildcard_imports, reason = "of intrinsics, which are named after the set")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx_singles;
mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
mod sample;
mod singles;
mod wide;

pub use lanes::{LANES, Lanes};
pub use sample::Sample;
pub use singles::Singles;
pub use wide::Wide;

use serde::Serialize;

/// An instruction set that the CPU twins can use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Simd {
    /// x86-64 with AVX-512F.
    Avx512,
    /// x86-64 with AVX2 and FMA.
    Avx2,
    /// Any `AArch64` machine.
    Neon,
    /// Any machine.
    Portable,
}

/// A computation written for any instruction set. `run` and all that it calls with lanes must be `#[inline(always)]`,
/// or they are compiled without the instructions that they were chosen for.
pub trait Task {
    /// The result of the computation.
    type Output;

    /// Does it.
    fn run<L: Lanes>(self) -> Self::Output;
}

impl Simd {
    /// All there are, the fastest first.
    const ALL: [Self; 4] = [Self::Avx512, Self::Avx2, Self::Neon, Self::Portable];

    /// Returns those that this machine has, the fastest first; at least one.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|simd| simd.is_available())
    }

    /// The fastest that this machine has.
    pub fn best() -> Self {
        Self::available().next().unwrap_or(Self::Portable)
    }

    /// Returns whether this machine has it.
    pub fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => is_x86_feature_detected!("avx512f"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            #[cfg(target_arch = "aarch64")]
            Self::Neon => true,
            Self::Portable => true,
            #[allow(unreachable_patterns, reason = "each architecture leaves others out")]
            _ => false,
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Avx512 => "AVX-512",
            Self::Avx2 => "AVX2 and FMA",
            Self::Neon => "NEON",
            Self::Portable => "portable",
        }
    }

    /// Runs a task on this instruction set, or on the portable one if this machine lacks it.
    #[allow(unsafe_code, reason = "calls functions compiled for instructions that were just found to be there")]
    pub fn dispatch<T: Task>(self, task: T) -> T::Output {
        let chosen = if self.is_available() { self } else { Self::Portable };
        match chosen {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this machine has AVX-512F, as was just asked.
            Self::Avx512 => unsafe { avx512::run(task) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this machine has AVX2 and FMA, as was just asked.
            Self::Avx2 => unsafe { avx2::run(task) },
            #[cfg(target_arch = "aarch64")]
            Self::Neon => task.run::<neon::Neon>(),
            // Once only, since all of the task is compiled into this place.
            _ => task.run::<portable::Portable>(),
        }
    }
}
