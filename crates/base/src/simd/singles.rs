//! The operations on f32 values that a vector unit must support.

use transforms::num_complex::Complex32;

use super::lanes::LANES;

/// Eight f32 values worked on at once. No multiplication is fused with an addition, so that every instruction set gives
/// the same bits, and the same as single values do.
///
/// Values of an implementing type exist only within a [`super::Task`] that was dispatched to their instruction set.
pub trait Singles: Copy {
    /// The same value in all lanes.
    fn splat(value: f32) -> Self;

    /// Eight values in order.
    fn load(from: &[f32; LANES]) -> Self;

    /// The lanes in order.
    fn store(self, to: &mut [f32; LANES]);

    /// `self + other`.
    fn add(self, other: Self) -> Self;

    /// `self - other`.
    fn sub(self, other: Self) -> Self;

    /// `self * other`.
    fn mul(self, other: Self) -> Self;

    /// `self` where it is greater, otherwise `other`: also where either is NaN.
    fn max(self, other: Self) -> Self;

    /// The root of every lane.
    fn sqrt(self) -> Self;

    /// Positive normal values as `mantissa * 2^exponent`, with a mantissa from 1 to below 2.
    fn mantissa_and_exponent(self) -> [Self; 2];

    /// The last lane first.
    fn reversed(self) -> Self;

    /// Lane `i` is the sum of the lanes of vector `i`, as `((l0+l4)+(l2+l6)) + ((l1+l5)+(l3+l7))`.
    #[inline(always)]
    fn sums(vectors: [Self; LANES]) -> Self {
        let mut totals = [0.0; LANES];
        for (total, vector) in totals.iter_mut().zip(vectors) {
            let mut l = [0.0; LANES];
            vector.store(&mut l);
            *total = ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]));
        }
        Self::load(&totals)
    }

    /// Rows to columns: lane `i` of vector `n` is lane `n` of vector `i`.
    #[inline(always)]
    fn turned(rows: [Self; LANES]) -> [Self; LANES] {
        let mut values = [[0.0; LANES]; LANES];
        for (to, row) in values.iter_mut().zip(rows) {
            row.store(to);
        }
        let mut columns = rows;
        for (n, column) in columns.iter_mut().enumerate() {
            let mut lanes = [0.0; LANES];
            for (lane, row) in lanes.iter_mut().zip(&values) {
                *lane = row[n];
            }
            *column = Self::load(&lanes);
        }
        columns
    }

    /// The real and the imaginary parts of eight values.
    fn load_complex(from: &[Complex32; LANES]) -> [Self; 2];

    /// The way back from [`Singles::load_complex`].
    fn store_complex(parts: [Self; 2], to: &mut [Complex32; LANES]);
}

/// Plain Rust, which compilers vectorise where loads and stores are in order.
#[derive(Clone, Copy)]
pub struct PlainSingles([f32; LANES]);

impl PlainSingles {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let mut result = self.0;
        for lane in 0..LANES {
            result[lane] = f(result[lane], other.0[lane]);
        }
        Self(result)
    }
}

impl Singles for PlainSingles {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    fn load(from: &[f32; LANES]) -> Self {
        Self(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES]) {
        *to = self.0;
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        let mut result = self.0;
        for x in &mut result {
            *x = x.sqrt();
        }
        Self(result)
    }

    #[inline(always)]
    fn mantissa_and_exponent(self) -> [Self; 2] {
        let (mut mantissa, mut exponent) = (self.0, self.0);
        for (mantissa, exponent) in mantissa.iter_mut().zip(&mut exponent) {
            let bits = mantissa.to_bits();
            *mantissa = f32::from_bits(bits & 0x007f_ffff | 0x3f80_0000);
            *exponent = ((bits >> 23) as i32 - 127) as f32;
        }
        [Self(mantissa), Self(exponent)]
    }

    #[inline(always)]
    fn reversed(self) -> Self {
        let mut result = self.0;
        result.reverse();
        Self(result)
    }

    #[inline(always)]
    fn load_complex(from: &[Complex32; LANES]) -> [Self; 2] {
        [Self(from.map(|x| x.re)), Self(from.map(|x| x.im))]
    }

    #[inline(always)]
    fn store_complex([re, im]: [Self; 2], to: &mut [Complex32; LANES]) {
        for (to, (re, im)) in to.iter_mut().zip(re.0.into_iter().zip(im.0)) {
            *to = Complex32::new(re, im);
        }
    }
}
