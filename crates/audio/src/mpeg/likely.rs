//! Tells frames from other bytes that look like a frame header: pictures, samples and tables have these too.

use super::header::FrameHeader;

/// The size of a frame header in bytes, and of the checksum after it.
const HEADER_BYTES: usize = 4;
const CHECKSUM_BYTES: usize = 2;
/// The largest number of pairs of spectral lines of a granule of layer III.
const MAX_PAIRS: u32 = 288;
/// The samples of a subband in a frame of layer I.
const SUBBAND_SAMPLES: u32 = 12;
/// The bits of a scale factor of layer I.
const SCALE_FACTOR_BITS: u32 = 6;

/// Returns whether the frame that begins with these bytes can be one, by the fields after its header: those of layer I
/// have a value that is forbidden, those of layer III contradict each other in most other bytes. As many bytes as there
/// are are looked at.
pub(crate) fn is_likely(bytes: &[u8], frame: FrameHeader) -> bool {
    let has_checksum = bytes.get(1).is_some_and(|byte| byte & 1 == 0);
    let fields = bytes.get(HEADER_BYTES + if has_checksum { CHECKSUM_BYTES } else { 0 }..).unwrap_or_default();
    let mut bits = Bits { bytes: fields, at: 0 };
    match frame.layer {
        1 => is_likely_allocation(&mut bits, bytes[3], frame).unwrap_or(true),
        3 => is_likely_side_information(&mut bits, frame).unwrap_or(true),
        _ => true,
    }
}

/// Returns whether the size of a frame is known. Of one of free format it may not be yet.
fn is_known(frame: FrameHeader) -> bool {
    frame.kbps > 0 || frame.bytes as usize > HEADER_BYTES + 1
}

/// Looks at the bits that layer I allocates to each subband. `mode` is the last byte of the header.
fn is_likely_allocation(bits: &mut Bits, mode: u8, frame: FrameHeader) -> Option<bool> {
    let is_joint = mode >> 6 == 1;
    let bound = if is_joint { 4 * (u32::from(mode >> 4 & 3) + 1) } else { 32 };
    let mut used = 0;
    for subband in 0..32 {
        let shared = subband >= bound;
        for _ in 0..if shared { 1 } else { frame.channels } {
            let allocation = bits.take(4)?;
            if allocation == 15 {
                return Some(false);
            }
            if allocation > 0 {
                let factors = if shared { frame.channels as u32 } else { 1 };
                used += (allocation + 1) * SUBBAND_SAMPLES + SCALE_FACTOR_BITS * factors;
            }
        }
    }
    Some(!is_known(frame) || used <= 8 * frame.bytes)
}

/// Looks at the side information of layer III.
fn is_likely_side_information(bits: &mut Bits, frame: FrameHeader) -> Option<bool> {
    let channels = frame.channels as u32;
    let (reservoir, granules) = if frame.lsf {
        let reservoir = bits.take(8)?;
        bits.take(channels)?;
        (reservoir, 1)
    } else {
        let reservoir = bits.take(9)?;
        bits.take(if channels == 1 { 5 } else { 3 } + 4 * channels)?;
        (reservoir, 2)
    };
    let mut used = 0;
    for _ in 0..granules * channels {
        used += bits.take(12)?;
        if bits.take(9)? > MAX_PAIRS {
            return Some(false);
        }
        bits.take(8 + if frame.lsf { 9 } else { 4 })?;
        let (is_switched, block_type) = (bits.take(1)? == 1, bits.take(2)?);
        // A window is only switched to one of another kind.
        if is_switched && block_type == 0 {
            return Some(false);
        }
        bits.take(20 + if frame.lsf { 2 } else { 3 })?;
    }
    Some(!is_known(frame) || used <= 8 * (reservoir + frame.bytes))
}

/// Reads bits from the highest to the lowest of each byte.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    /// Returns the next bits, up to 32; `None` after the end.
    fn take(&mut self, count: u32) -> Option<u32> {
        let mut value = 0;
        for _ in 0..count {
            let byte = self.bytes.get(self.at / 8)?;
            value = value << 1 | u32::from(byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::super::frame_header;
    use super::*;

    #[test]
    fn frames_and_other_bytes() {
        let likely = |bytes: &[u8]| is_likely(bytes, frame_header(bytes, 0).unwrap());
        // Fields of zeros, as in a silent frame and one with a stream's header, and a frame that is cut off.
        for header in [[0xff, 0xfb, 0x90, 0x00], [0xff, 0xff, 0x90, 0xc0], [0xff, 0xf3, 0x40, 0x00]] {
            assert!(likely(&[header.as_slice(), &[0; 44]].concat()) && likely(&header), "{header:x?}");
        }
        // Allocations of layer I: a forbidden one, more than the frame has, and some that it has.
        let layer1 = |allocations: u8| [[0xff, 0xff, 0x10, 0x00].as_slice(), &[allocations; 44]].concat();
        assert!(!likely(&layer1(0x0f)) && !likely(&layer1(0xee)) && !likely(&layer1(0x11)));
        let mut few = layer1(0);
        few[4] = 0x11;
        assert!(likely(&few));
        // Side information of layer III: too many pairs, a switched window of the usual kind, too many bits.
        let layer3 = |at: usize, value: u8| {
            let mut bytes = [[0xff, 0xfb, 0x10, 0x00].as_slice(), &[0; 44]].concat();
            bytes[at] = value;
            bytes
        };
        // 20 bits precede the first granule, whose pairs follow after 12 bits more, and its switch after 33.
        assert!(!likely(&layer3(4 + 4, 0xff)));
        assert!(!likely(&layer3(4 + 6, 0x04)) && likely(&layer3(4 + 6, 0x06)));
        assert!(!likely(&layer3(4 + 2, 0x0f)) && likely(&layer3(4 + 3, 0x0f)));
    }
}
