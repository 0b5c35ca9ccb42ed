//! The search in a book: both devices find the rows that the definition finds, and spoiled values are refused.

use crate::network::legs::legs;

#[test]
fn both_devices_find_the_nearest_and_spoiled_values_are_refused() {
    // The row that was found is looked up, so that another row is a large error.
    legs(&["book"], -120.0);
}
