//! Frames beyond the edges, some of the frames, rows as frames: both devices against the definition, and spoiled values.

use crate::network::legs::legs;

#[test]
fn both_devices_extend_as_defined_and_spoiled_values_are_refused() {
    legs(&["reflect", "replicate", "crop and join", "transpose"], -110.0);
}
