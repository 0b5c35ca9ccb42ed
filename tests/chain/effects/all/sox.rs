//! Shelves, equalisers and the cookbook filters against `SoX` (`tests/reference/sox_filters.py`).

use std::collections::BTreeMap;

use super::streamed::Reference;
use super::table;

fn reference() -> Reference {
    serde_json::from_str(include_str!("../../../reference/sox_filters.json")).unwrap()
}

#[test]
fn filters_sound_as_in_sox() {
    let mut found: BTreeMap<String, (usize, f64)> = BTreeMap::new();
    for case in &reference().cases {
        let (residual, difference) = case.residual();
        assert!(difference < 1e-6 && residual < -110.0, "{}: {residual} dB, {difference:e}", case.chain);
        let name = case.chain.split('(').next().unwrap().to_owned();
        let entry = found.entry(name).or_insert((0, 0.0));
        *entry = (entry.0 + 1, entry.1.max(difference));
    }
    for shelf in ["low_shelf", "high_shelf"] {
        assert!(found[shelf].0 >= 4, "{shelf}");
    }
    for (name, (cases, worst)) in found {
        table::measured(&name, "SoX, sample by sample", cases, worst, "FS");
    }
}

#[test]
fn another_gain_is_told_from_sox() {
    for mut case in reference().cases {
        case.gain *= 1.002;
        assert!(case.residual().1 > 1e-5, "{}", case.chain);
    }
}
