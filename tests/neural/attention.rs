//! Attention and rotary embedding: both devices against the definition, pieces, and spoiled values.

use crate::network::legs::legs;

#[test]
fn both_devices_attend_as_defined_and_spoiled_values_are_refused() {
    legs(&["attention", "causal attention", "near attention"], -100.0);
}
