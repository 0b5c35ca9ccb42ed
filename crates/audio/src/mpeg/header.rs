//! The headers of frames.

/// A parsed MPEG audio frame header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameHeader {
    /// The layer, 1 to 3.
    pub layer: u8,
    /// Whether the sample rate is a low one (MPEG 2 and 2.5).
    pub lsf: bool,
    pub rate_hz: u32,
    pub channels: usize,
    /// The number of frames of sound.
    pub frames: u32,
    /// The size in bytes, with the header.
    pub bytes: u32,
    /// The bit rate in kbit/s; 0 in free format.
    pub kbps: u32,
}

/// Parses a frame header. `free_bytes` is the size of frames of free format without padding; 0 refuses them.
pub(crate) fn frame_header(bytes: &[u8], free_bytes: u32) -> Option<FrameHeader> {
    const KBPS: [[u16; 15]; 5] = [
        [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ];
    let word = u32::from_be_bytes(*bytes.first_chunk()?);
    if word >> 21 != 0x7ff {
        return None;
    }
    let (version, layer) = ((word >> 19) & 3, 4 - ((word >> 17) & 3));
    let (bitrate, rate) = ((word >> 12) & 15, (word >> 10) & 3);
    // An emphasis of 2 is reserved, but other players decode such files.
    if version == 1 || layer == 4 || bitrate == 15 || rate == 3 || (bitrate == 0 && free_bytes == 0) {
        return None;
    }
    let lsf = version != 3;
    let rate_hz = [44_100, 48_000, 32_000][rate as usize] >> [2, 0, 1, 0][version as usize];
    let row = match (lsf, layer) {
        (false, layer) => layer as usize - 1,
        (true, 1) => 3,
        (true, _) => 4,
    };
    let kbps = u32::from(KBPS[row][bitrate as usize]);
    let padding = (word >> 9) & 1;
    let (frames, bytes, slot_bytes) = match layer {
        1 => (384, 12 * kbps * 1000 / rate_hz * 4, 4),
        3 if lsf => (576, 72 * kbps * 1000 / rate_hz, 1),
        _ => (1152, 144 * kbps * 1000 / rate_hz, 1),
    };
    let bytes = if kbps == 0 { free_bytes } else { bytes } + padding * slot_bytes;
    let channels = if (word >> 6) & 3 == 3 { 1 } else { 2 };
    Some(FrameHeader { layer: layer as u8, lsf, rate_hz, channels, frames, bytes, kbps })
}
