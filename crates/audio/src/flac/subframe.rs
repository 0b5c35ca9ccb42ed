//! Decodes a subframe: one channel of a frame (RFC 9639, section 9.2).

use std::cell::Cell;

use super::bits::Bits;

/// The type of stored samples: `i32` for up to 25 bits, which are the side channel's of 24 bits; `i64` beyond.
pub(super) trait Sample: Copy + Default + From<i32> {
    /// Returns the low bits of `value`.
    fn wrapped(value: i64) -> Self;
    /// Returns the sample as an `i64`.
    fn wide(self) -> i64;
    /// Returns the sum, wrapped.
    fn plus(self, other: Self) -> Self;
    /// Returns the difference, wrapped.
    fn minus(self, other: Self) -> Self;
    /// Returns the sample shifted up, wrapped.
    fn up(self, bits: u32) -> Self;
    /// Returns the sample shifted down, rounded towards negative infinity.
    fn down(self, bits: u32) -> Self;
    /// Returns the lowest bit.
    fn lowest(self) -> Self;
    /// Returns the nearest `f32`.
    fn float(self) -> f32;
    /// Returns whether all samples fit `bits` bits.
    fn all_fit(samples: &[Self], bits: u32) -> bool;
}

macro_rules! sample {
    ($type:ty) => {
        impl Sample for $type {
            fn wrapped(value: i64) -> Self {
                value as Self
            }

            fn wide(self) -> i64 {
                self.into()
            }

            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            fn up(self, bits: u32) -> Self {
                self.wrapping_shl(bits)
            }

            fn down(self, bits: u32) -> Self {
                self >> bits
            }

            fn lowest(self) -> Self {
                self & 1
            }

            fn float(self) -> f32 {
                self as f32
            }

            fn all_fit(samples: &[Self], bits: u32) -> bool {
                // All bits above the sign bit must equal it.
                samples.iter().fold(0, |beyond, sample| beyond | (sample >> (bits - 1) ^ sample >> (Self::BITS - 1)))
                    == 0
            }
        }
    };
}

sample!(i32);
sample!(i64);

/// The Rice parameter that announces samples without a code, in 4 and 5 bits.
const ESCAPES: [u64; 2] = [15, 31];

/// Decodes a subframe with samples of `depth` bits into `out`. Returns `None` if it is damaged.
pub(super) fn decode<S: Sample>(bits: &mut Bits, depth: u32, out: &mut [S]) -> Option<()> {
    if bits.take(1)? != 0 {
        return None;
    }
    let kind = bits.take(6)? as usize;
    let wasted = if bits.take(1)? == 1 { bits.take_unary()?.checked_add(1)? } else { 0 };
    let depth = depth.checked_sub(wasted).filter(|depth| *depth > 0)?;
    match kind {
        0 => out.fill(S::wrapped(bits.take_signed(depth)?)),
        1 => plain(bits, depth, out)?,
        8..=12 => {
            let order = kind - 8;
            plain(bits, depth, out.get_mut(..order)?)?;
            residual(bits, order, out)?;
            restore_fixed(order, depth, out)?;
        }
        32..=63 => {
            let order = kind - 31;
            plain(bits, depth, out.get_mut(..order)?)?;
            let precision = bits.take(4)? as u32 + 1;
            let shift = bits.take(5)? as u32;
            // A precision of 16 bits and negative shifts are not allowed.
            if precision > 15 || shift > 15 {
                return None;
            }
            let mut taps = [0; 32];
            for tap in &mut taps[..order] {
                *tap = bits.take_signed(precision)?;
            }
            residual(bits, order, out)?;
            restore(&taps[..order], shift, depth, out)?;
        }
        _ => return None,
    }
    if wasted > 0 {
        out.iter_mut().for_each(|sample| *sample = sample.up(wasted));
    }
    Some(())
}

/// Reads samples without a code.
fn plain<S: Sample>(bits: &mut Bits, depth: u32, out: &mut [S]) -> Option<()> {
    for out in out {
        *out = S::wrapped(bits.take_signed(depth)?);
    }
    Some(())
}

/// Reads the residual after a predictor of order `order`.
fn residual<S: Sample>(bits: &mut Bits, order: usize, out: &mut [S]) -> Option<()> {
    let method = bits.take(2)? as usize;
    let escape = *ESCAPES.get(method)?;
    let partitions = 1 << bits.take(4)?;
    let size = out.len() / partitions;
    if size * partitions != out.len() || size < order {
        return None;
    }
    let mut from = order;
    for partition in 1..=partitions {
        let part = &mut out[from..partition * size];
        from = partition * size;
        let parameter = bits.take(4 + method as u32)?;
        if parameter != escape {
            bits.take_rice(parameter as u32, part)?;
            continue;
        }
        match bits.take(5)? as u32 {
            0 => part.fill(S::default()),
            width => plain(bits, width, part)?,
        }
    }
    Some(())
}

/// Adds the prediction of a fixed predictor, a polynomial through the last `order` samples.
fn restore_fixed<S: Sample>(order: usize, depth: u32, samples: &mut [S]) -> Option<()> {
    match order {
        0 => S::all_fit(samples, depth).then_some(()),
        1 => predict(&[1], 0, depth, samples),
        2 => predict(&[2, -1], 0, depth, samples),
        3 => predict(&[3, -3, 1], 0, depth, samples),
        _ => predict(&[4, -6, 4, -1], 0, depth, samples),
    }
}

/// Adds the prediction of a linear predictor.
fn restore<S: Sample>(taps: &[i64], shift: u32, depth: u32, samples: &mut [S]) -> Option<()> {
    macro_rules! by_order {
        ($($order:literal)*) => {
            match taps.len() {
                $($order => predict::<S, $order>(taps.first_chunk()?, shift, depth, samples),)*
                _ => None,
            }
        };
    }
    by_order!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32)
}

/// Replaces the residuals after the first `N` samples by samples: adds to each `sum(taps[k] * earlier[k]) >> shift`,
/// where `earlier[0]` is the sample before it. Returns `None` if one has more than `depth` bits.
#[inline(always)]
fn predict<S: Sample, const N: usize>(taps: &[i64; N], shift: u32, depth: u32, samples: &mut [S]) -> Option<()> {
    let Some(&last) = samples.get(N - 1) else { return Some(()) };
    let (mut last, mut beyond) = (last.wide(), 0);
    // A window of known length needs no bounds checks, and cells can be read and written through overlapping ones.
    for window in Cell::from_mut(samples).as_slice_of_cells().windows(N + 1) {
        // The products of older samples first: only the latest has to be waited for.
        let mut sum = 0i64;
        for k in (1..N).rev() {
            sum = sum.wrapping_add(taps[k].wrapping_mul(window[N - 1 - k].get().wide()));
        }
        sum = sum.wrapping_add(taps[0].wrapping_mul(last));
        last = window[N].get().wide().wrapping_add(sum >> shift);
        window[N].set(S::wrapped(last));
        // After the first sample that does not fit its type, the others do not matter.
        beyond |= last ^ S::wrapped(last).wide();
    }
    (beyond == 0 && S::all_fit(samples, depth)).then_some(())
}
