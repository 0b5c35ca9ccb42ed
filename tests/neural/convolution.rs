//! Convolutions of all kinds: both devices against the definition, and spoiled values.

use crate::network::legs::legs;

#[test]
fn both_devices_convolve_as_defined_and_spoiled_values_are_refused() {
    let kinds = [
        "linear",
        "convolution",
        "strided",
        "dilated",
        "grouped",
        "depthwise",
        "image",
        "transposed",
        "transposed groups",
        "transposed rows",
        "transposed cut",
        "zeros",
        "sums",
    ];
    legs(&kinds, -110.0);
}
