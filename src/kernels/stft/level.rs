//! Levels in decibels, and the codes that pictures keep of them.

use super::Tile;

/// The lowest level that is told from silence, in dB re a full-scale sine.
pub const FLOOR_DB: f32 = -200.0;

/// The power of [`FLOOR_DB`].
pub(super) const FLOOR_POWER: f32 = 1e-20;

/// `10 log10(x) = 3.0103 log2(x)`, as the shader has it.
const DB_PER_OCTAVE: f32 = 3.010_3;

/// The level of a power: `10 log10`, no lower than [`FLOOR_DB`]. What is not finite stays what it is.
pub(crate) fn db_from_power(power: f32) -> f32 {
    if power.is_finite() { DB_PER_OCTAVE * power.max(FLOOR_POWER).log2() } else { power }
}

/// How a level becomes an integer: `round((dB - low_db) / step_db)`, limited to `0..=largest`. The largest also stands
/// for what is not finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelCode {
    /// The level of code 0, in dB.
    pub low_db: f32,
    /// Codes for each dB.
    pub per_db: f32,
    /// The largest code.
    pub largest: u32,
}

impl LevelCode {
    /// 16 bits: steps of 0.005 dB from -200 dB, 0 being that or less; up to +127.675 dB.
    pub const FINE: Self = Self { low_db: FLOOR_DB, per_db: 200.0, largest: 65_535 };

    /// 8 bits from `low_db` to `low_db + range_db`.
    pub fn coarse(low_db: f32, range_db: f32) -> Self {
        Self { low_db, per_db: 255.0 / range_db, largest: 255 }
    }

    /// The code of a level.
    pub fn code(self, db: f32) -> u32 {
        if !db.is_finite() {
            return self.largest;
        }
        ((db - self.low_db) * self.per_db + 0.5).clamp(0.0, self.largest as f32) as u32
    }

    /// The codes of a tile of levels, in 16 bits.
    pub(crate) fn tile(self, levels: &Tile<f32>) -> Tile<u16> {
        let values = levels.values.iter().map(|&db| self.code(db) as u16).collect();
        Tile { rows: levels.rows, columns: levels.columns, values }
    }

    /// The level of a code.
    pub fn db(self, code: u32) -> f32 {
        self.low_db + code as f32 / self.per_db
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
        assert!(db_from_power(f32::NAN).is_nan() && db_from_power(f32::INFINITY) == f32::INFINITY);
    }
}
