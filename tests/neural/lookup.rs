//! Rows of a book: both devices against the definition, and spoiled values.

use crate::network::legs::legs;

#[test]
fn both_devices_look_up_as_defined_and_spoiled_values_are_refused() {
    legs(&["book"], -120.0);
}
