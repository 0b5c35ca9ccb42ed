//! Levels in decibels, and their integer codes for pictures.

use super::Tile;
use base::simd::{Lanes, Simd, Task};

/// The lowest level, in dB re a full-scale sine. Anything below counts as silence.
pub const FLOOR_DB: f32 = -200.0;

/// The power at [`FLOOR_DB`].
const FLOOR_POWER: f32 = 1e-20;

/// `10 log10(x) = 3.0103 log2(x)`, the same constant as in the shader.
const DB_PER_OCTAVE: f32 = 3.010_3;

/// Coefficients `2 / ((2 n + 1) ln 2)` of the series of `log2((1 + s) / (1 - s))` in `s^(2 n + 1)`.
const LOG2_SERIES: [f32; 5] = [2.885_39, 0.961_796_7, 0.577_078, 0.412_198_6, 0.320_598_9];

/// Returns the level of a power in dB, `10 log10`, at least [`FLOOR_DB`]. Non-finite values are returned unchanged.
/// Accurate to 3e-5 dB.
#[inline(always)]
pub(crate) fn db_from_power(power: f32) -> f32 {
    let bits = power.max(FLOOR_POWER).to_bits();
    // Chooses the exponent so that the remainder is between sqrt(1/2) and sqrt(2), which keeps the series continuous.
    let exponent = (bits.wrapping_sub(std::f32::consts::FRAC_1_SQRT_2.to_bits())).cast_signed() >> 23;
    let rest = f32::from_bits(bits.wrapping_sub((exponent << 23).cast_unsigned()));
    let s = (rest - 1.0) / (rest + 1.0);
    let [c0, c1, c2, c3, c4] = LOG2_SERIES;
    let square = s * s;
    let log2 = ((((c4 * square + c3) * square + c2) * square + c1) * square + c0) * s;
    let db = DB_PER_OCTAVE * (log2 + exponent as f32);
    if power.is_finite() { db } else { power }
}

/// Replaces powers by their levels.
pub(crate) fn dbs_from_powers(values: &mut [f32]) {
    Simd::best().dispatch(ToDecibels { values });
}

struct ToDecibels<'a> {
    values: &'a mut [f32],
}

impl Task for ToDecibels<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        self.values.iter_mut().for_each(|value| *value = db_from_power(*value));
    }
}

/// The mapping from levels to integer codes: `round((dB - low_db) / step_db)`, limited to `0..=largest`, where
/// `step_db` is `1 / per_db`. The largest code also represents non-finite levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelCode {
    /// The level of code 0, in dB.
    pub low_db: f32,
    /// Codes per dB.
    pub per_db: f32,
    /// The largest code.
    pub largest: u32,
}

impl LevelCode {
    /// 16 bits: steps of 0.005 dB from -200 dB (code 0, also for anything below) to +127.675 dB.
    pub const FINE: Self = Self { low_db: FLOOR_DB, per_db: 200.0, largest: 65_535 };

    /// Creates 8-bit codes from `low_db` to `low_db + range_db`.
    pub fn coarse(low_db: f32, range_db: f32) -> Self {
        Self { low_db, per_db: 255.0 / range_db, largest: 255 }
    }

    /// Returns the code of a level.
    #[inline(always)]
    pub fn code(self, db: f32) -> u32 {
        if !db.is_finite() {
            return self.largest;
        }
        ((db - self.low_db) * self.per_db + 0.5).clamp(0.0, self.largest as f32) as u32
    }

    /// Writes the codes of levels to `to`.
    pub(super) fn codes<T: Code>(self, levels: &[f32], to: &mut [T]) {
        Simd::best().dispatch(Codes { code: self, levels, to });
    }

    /// Returns the 16-bit codes of a tile of levels.
    pub(crate) fn tile(self, levels: &Tile<f32>) -> Tile<u16> {
        let mut values = vec![0; levels.values.len()];
        self.codes(&levels.values, &mut values);
        Tile { rows: levels.rows, columns: levels.columns, values }
    }

    /// Returns the level of a code, in dB.
    pub fn db(self, code: u32) -> f32 {
        self.low_db + code as f32 / self.per_db
    }
}

/// An integer type of codes.
pub(super) trait Code: Copy {
    /// Converts a code that fits.
    fn of(code: u32) -> Self;
}

impl Code for u8 {
    #[inline(always)]
    fn of(code: u32) -> Self {
        code as Self
    }
}

impl Code for u16 {
    #[inline(always)]
    fn of(code: u32) -> Self {
        code as Self
    }
}

struct Codes<'a, T> {
    code: LevelCode,
    levels: &'a [f32],
    to: &'a mut [T],
}

impl<T: Code> Task for Codes<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (to, &db) in self.to.iter_mut().zip(self.levels) {
            *to = T::of(self.code.code(db));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_levels_in_steps() {
        let fine = LevelCode::FINE;
        assert_eq!(
            [-300.0, -200.0, -199.995, 0.0, 127.675, 500.0].map(|db| fine.code(db)),
            [0, 0, 1, 40_000, 65_535, 65_535]
        );
        assert_eq!([f32::NAN, f32::INFINITY].map(|db| fine.code(db)), [65_535, 65_535]);
        for code in 0..=65_535 {
            assert_eq!(fine.code(fine.db(code)), code);
        }
        let coarse = LevelCode::coarse(-120.0, 120.0);
        assert_eq!([-121.0, -120.0, -60.0, 0.0, 6.0, f32::NAN].map(|db| coarse.code(db)), [0, 0, 128, 255, 255, 255]);
    }

    #[test]
    fn levels_of_powers() {
        for (power, db) in [(1.0, 0.0), (0.25, -6.0206), (100.0, 20.0), (1e-12, -120.0), (0.0, -200.0), (1e-30, -200.0)]
        {
            assert!((db_from_power(power) - db).abs() < 1e-4, "{power}: {}", db_from_power(power));
        }
        let mut powers: Vec<f32> = (0..200_000).map(|step| 1e-20 * 1.000_3_f64.powi(step) as f32).collect();
        let exact: Vec<f64> = powers.iter().map(|&power| 10.0 * f64::from(power).log10()).collect();
        dbs_from_powers(&mut powers);
        let worst = powers.iter().zip(exact).map(|(&db, exact)| (f64::from(db) - exact).abs()).fold(0.0, f64::max);
        assert!(worst < 3e-5, "{worst} dB");
        assert!(db_from_power(f32::NAN).is_nan() && db_from_power(f32::INFINITY) == f32::INFINITY);
    }
}
