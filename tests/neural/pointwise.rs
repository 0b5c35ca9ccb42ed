//! Element-wise operations: both devices against the definition, and spoiled values.

use crate::network::legs::legs;

#[test]
fn both_devices_compute_as_defined_and_spoiled_values_are_refused() {
    legs(&["activations", "snake", "glu", "sums", "offset"], -110.0);
}
