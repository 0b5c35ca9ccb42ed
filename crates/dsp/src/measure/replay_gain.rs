//! Gains that players apply so that all recordings are as loud: `ReplayGain` 2.0, and that of Opus files.

/// The loudness that `ReplayGain` 2.0 aims at, in LUFS.
pub const REPLAY_GAIN_LUFS: f64 = -18.0;
/// The loudness that the gains of Opus files aim at (RFC 7845, 5.2.1; EBU R 128), in LUFS.
pub const R128_LUFS: f64 = -23.0;

/// Returns the gain of `ReplayGain` 2.0 in dB, to two decimals, for an integrated loudness in LUFS.
pub fn replay_gain_db(lufs: f64) -> f64 {
    // Adding 0 makes -0 positive.
    ((REPLAY_GAIN_LUFS - lufs) * 100.0).round() / 100.0 + 0.0
}

/// Returns the gain of `ReplayGain` 2.0 as in tags, such as "-7.03 dB".
pub fn replay_gain_text(lufs: f64) -> String {
    format!("{:.2} dB", replay_gain_db(lufs))
}

/// Returns the gain of an Opus file as in its tags: in 1/256 dB (Q7.8).
pub fn r128_gain(lufs: f64) -> i16 {
    ((R128_LUFS - lufs) * 256.0).round() as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_lead_to_their_loudness() {
        for (lufs, text) in
            [(-10.97, "-7.03 dB"), (-18.0, "0.00 dB"), (-17.998, "0.00 dB"), (-18.002, "0.00 dB"), (-30.5, "12.50 dB")]
        {
            assert_eq!(replay_gain_text(lufs), text, "{lufs}");
        }
        // (-23 + 10.97) * 256 = -3079.68.
        assert_eq!([r128_gain(-10.97), r128_gain(-23.0), r128_gain(-24.0)], [-3080, 0, 256]);
        assert_eq!([r128_gain(1000.0), r128_gain(-1000.0)], [i16::MIN, i16::MAX]);
    }
}
