//! PESQ, which this build does not contain.

use super::{Direction, Measure, Reading};

/// Why there is no value.
const REASON: &str = "PESQ is not part of this build: ITU-T P.862 is under patent and licence terms of its own";

pub(super) const NARROW: Measure =
    measure("pesq_nb", "MOS-LQO of P.862 at 8 kHz, after P.862.1", "ITU-T P.862, P.862.1");
pub(super) const WIDE: Measure = measure("pesq_wb", "MOS-LQO of P.862.2 at 16 kHz", "ITU-T P.862.2");

const fn measure(name: &'static str, definition: &'static str, source: &'static str) -> Measure {
    Measure {
        name,
        unit: "MOS",
        direction: Direction::Higher,
        range: "1 to 4.6",
        definition,
        source,
        decimals: 2,
        needs_alignment: true,
        compute: |_, _| Ok(Reading::missing(REASON)),
    }
}
