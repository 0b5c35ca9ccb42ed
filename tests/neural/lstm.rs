//! The long short-term memory, forward and backward: both devices against the definition, and spoiled values.

use crate::network::legs::legs;

#[test]
fn both_devices_remember_as_defined_and_spoiled_values_are_refused() {
    legs(&["lstm", "lstm of rows"], -105.0);
}
