//! Normalisations: both devices against the definition, and spoiled values.

use crate::network::legs::legs;

#[test]
fn both_devices_normalise_as_defined_and_spoiled_values_are_refused() {
    legs(&["layer norm", "rms norm", "group norm", "row norm"], -110.0);
}
