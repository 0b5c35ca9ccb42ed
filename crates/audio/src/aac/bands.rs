//! The scale factor bands of AAC (ISO/IEC 14496-3, table 4.129 and those after it).

/// The widths of bands in four coefficients, which all are multiples of.
type Widths = &'static [u8];

const LONG_96: Widths = &[
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 6, 7, 9, 11, 16, 16, 16, 16, 16, 16,
    16, 16, 16, 16, 16,
];
const LONG_64: Widths = &[
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 6, 6, 7, 9, 10, 10, 10, 10, 10, 10, 10,
    10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10,
];
const LONG_48: Widths = &[
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8, 8,
    8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 24,
];
const LONG_32: Widths = &[
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8, 8,
    8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
];
const LONG_24: Widths = &[
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6, 6, 7, 7, 8, 9, 9, 10,
    11, 12, 13, 13, 16, 16, 16, 16, 16,
];
const LONG_16: Widths = &[
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 6, 6, 7, 7, 8, 9, 10, 10, 11, 12,
    13, 14, 15, 16, 16, 16,
];
const LONG_8: Widths = &[
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 7, 7, 8, 9, 9, 10, 11, 12, 13, 14,
    15, 16, 20,
];
const SHORT_64: Widths = &[1, 1, 1, 1, 1, 1, 2, 2, 2, 4, 7, 9];
const SHORT_48: Widths = &[1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4];
const SHORT_24: Widths = &[1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5];
const SHORT_16: Widths = &[1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 4, 5, 5];
const SHORT_8: Widths = &[1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 4, 5, 5];
/// The lowest rate at which bands are used, in Hz, with those of long and of short windows.
const RATES: [(u32, Widths, Widths); 7] = [
    (75_132, LONG_96, SHORT_64),
    (55_426, LONG_64, SHORT_64),
    (37_566, LONG_48, SHORT_48),
    (27_713, LONG_32, SHORT_48),
    (18_783, LONG_24, SHORT_24),
    (9_391, LONG_16, SHORT_16),
    (0, LONG_8, SHORT_8),
];

/// The bands at a sample rate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bands {
    long: Widths,
    short: Widths,
}

impl Bands {
    /// Returns the bands at a sample rate.
    pub(super) fn at(rate_hz: u32) -> Self {
        let of_rate = RATES.iter().find(|(lowest, ..)| rate_hz >= *lowest);
        let (_, long, short) = *of_rate.unwrap_or(&RATES[RATES.len() - 1]);
        Self { long, short }
    }

    /// Returns the widths of the bands of short or long windows, in four coefficients.
    #[inline(always)]
    pub(super) fn widths(&self, short: bool) -> &'static [u8] {
        if short { self.short } else { self.long }
    }
}
