//! IMA ADPCM of `QuickTime` (`ima4`), by the algorithm of the Interactive Multimedia Association: each term of a difference
//! is cut to a whole number by itself. Apple's blocks begin with the upper nine bits of the value before them, and each is
//! decoded by itself.

use crate::AudioBuffer;

/// The bytes of a block for each channel.
pub(crate) const BLOCK_BYTES: u32 = 34;
/// The frames of a block.
pub(crate) const BLOCK_FRAMES: u32 = 64;

#[rustfmt::skip]
const STEPS: [i32; 89] = [
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107, 118,
    130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166,
    1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845,
    8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
];
/// How a code without its sign changes the place among the steps.
const CHANGES: [i32; 8] = [-1, -1, -1, -1, 2, 4, 6, 8];

/// Decodes a packet of one block for each channel of `out`; `None` if it is not whole.
pub(crate) fn decode(packet: &[u8], out: &mut AudioBuffer) -> Option<()> {
    let channels = out.channels();
    if packet.len() != channels * BLOCK_BYTES as usize {
        return None;
    }
    out.resize(channels, BLOCK_FRAMES as usize);
    for (block, plane) in packet.chunks_exact(BLOCK_BYTES as usize).zip(out.iter_mut()) {
        let (head, codes) = block.split_first_chunk::<2>()?;
        let head = u16::from_be_bytes(*head);
        let (mut value, mut place) = (i32::from((head & 0xff80) as i16), i32::from(head & 0x7f).min(88));
        for (code, sample) in codes.iter().flat_map(|byte| [byte & 15, byte >> 4]).zip(plane) {
            let step = STEPS[place as usize];
            let part = |bit: u8, part: i32| if code & bit == 0 { 0 } else { part };
            let change = (step >> 3) + part(4, step) + part(2, step >> 1) + part(1, step >> 2);
            value = (value + if code & 8 == 0 { change } else { -change }).clamp(i16::MIN.into(), i16::MAX.into());
            place = (place + CHANGES[usize::from(code & 7)]).clamp(0, 88);
            *sample = value as f32 / 32_768.0;
        }
    }
    Some(())
}
