//! The order of channels in Vorbis and Opus.

/// Returns, for each channel in the order of Vorbis and Opus, its index in WAV order (front, centre, low frequencies,
/// back, sides). Covers up to eight channels.
pub fn vorbis_order(channels: usize) -> &'static [usize] {
    match channels {
        1 => &[0],
        2 => &[0, 1],
        3 => &[0, 2, 1],
        4 => &[0, 1, 2, 3],
        5 => &[0, 2, 1, 3, 4],
        6 => &[0, 2, 1, 4, 5, 3],
        7 => &[0, 2, 1, 5, 6, 4, 3],
        _ => &[0, 2, 1, 6, 7, 4, 5, 3],
    }
}
