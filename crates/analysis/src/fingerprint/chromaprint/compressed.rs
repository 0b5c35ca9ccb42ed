//! The compressed form of a fingerprint.
//!
//! One byte holds the algorithm, and three bytes the number of items, most significant first. Each item is combined
//! with its predecessor by exclusive or. The distances between successive set bits follow, from the lowest bit up, with
//! 0 as the end of an item. They take three bits each, where 7 stands for 7 or more; a second list holds the excess
//! over 7 of those, in five bits each. Both lists are packed from the lowest bit of each byte up and end on whole
//! bytes. The text form is the base64 of all these bytes.

use super::{ALGORITHM, base64};
use base::error::{Error, Result};

const NORMAL_BITS: u32 = 3;
const EXTRA_BITS: u32 = 5;
/// The largest short number; it means that an excess follows in the second list.
const MORE: u8 = 7;
/// The largest number of items that fits in three bytes.
const MAX_ITEMS: usize = (1 << 24) - 1;

/// Returns the compressed form of a fingerprint as text.
///
/// # Errors
/// [`Error::Limit`] for more than 16,777,215 items, which is more than three weeks of audio.
pub fn compress(items: &[u32]) -> Result<String> {
    if items.len() > MAX_ITEMS {
        return Err(Error::Limit {
            what: "items of a fingerprint".to_owned(),
            got: items.len().to_string(),
            limit: MAX_ITEMS.to_string(),
        });
    }
    let (mut normal, mut extra) = (Vec::with_capacity(items.len() * 8), Vec::new());
    let mut before = 0;
    for &item in items {
        let mut changed = item ^ before;
        before = item;
        let mut last = 0;
        while changed != 0 {
            let bit = changed.trailing_zeros() as u8 + 1;
            let distance = bit - last;
            normal.push(distance.min(MORE));
            if distance >= MORE {
                extra.push(distance - MORE);
            }
            last = bit;
            changed &= changed - 1;
        }
        normal.push(0);
    }
    let count = items.len().to_be_bytes();
    let mut bytes = vec![ALGORITHM];
    bytes.extend_from_slice(&count[count.len() - 3..]);
    pack(&normal, NORMAL_BITS, &mut bytes);
    pack(&extra, EXTRA_BITS, &mut bytes);
    Ok(base64::encode(&bytes))
}

/// Decodes the compressed form of a fingerprint.
///
/// # Errors
/// [`Error::Invalid`] also for a fingerprint of another algorithm, whose items have a different meaning.
pub fn decompress(text: &str) -> Result<Vec<u32>> {
    let refuse = |why: String| Error::invalid("compressed fingerprint", why, "what fpcalc prints after FINGERPRINT=");
    let bytes = base64::decode(text.trim()).map_err(|place| refuse(format!("no base64 digit at {place}")))?;
    let (&[algorithm, high, middle, low], packed) =
        bytes.split_first_chunk().ok_or_else(|| refuse(format!("{} bytes", bytes.len())))?;
    if algorithm != ALGORITHM {
        return Err(refuse(format!("algorithm {}", u32::from(algorithm) + 1)));
    }
    let count = u32::from_be_bytes([0, high, middle, low]) as usize;
    let short = || refuse(format!("too few bytes for {count} items"));
    // Every item takes at least three bits. A larger count is refused before memory is allocated for it.
    if count * NORMAL_BITS as usize > packed.len() * 8 {
        return Err(short());
    }
    let mut normal = Unpacked { bytes: packed, bits: NORMAL_BITS, place: 0 };
    let mut distances = Vec::with_capacity(count * 4);
    let (mut ended, mut long) = (0, 0_usize);
    while ended < count {
        let distance = normal.next().ok_or_else(short)?;
        ended += usize::from(distance == 0);
        long += usize::from(distance == MORE);
        distances.push(distance);
    }
    let rest = &packed[(distances.len() * NORMAL_BITS as usize).div_ceil(8)..];
    if rest.len() * 8 < long * EXTRA_BITS as usize {
        return Err(short());
    }
    let mut extra = Unpacked { bytes: rest, bits: EXTRA_BITS, place: 0 };
    let mut items = Vec::with_capacity(count);
    let (mut item, mut bit) = (0_u32, 0_u32);
    for distance in distances {
        if distance == 0 {
            item ^= items.last().copied().unwrap_or(0);
            items.push(item);
            (item, bit) = (0, 0);
            continue;
        }
        bit += u32::from(distance);
        if distance == MORE {
            bit += u32::from(extra.next().ok_or_else(short)?);
        }
        item |= 1_u32.checked_shl(bit - 1).ok_or_else(|| refuse(format!("bit {bit} of 32 in item {}", items.len())))?;
    }
    Ok(items)
}

/// Appends `numbers` in `bits` bits each.
fn pack(numbers: &[u8], bits: u32, to: &mut Vec<u8>) {
    let (mut held, mut count) = (0_u32, 0);
    for &number in numbers {
        held |= u32::from(number) << count;
        count += bits;
        while count >= 8 {
            to.push(held as u8);
            held >>= 8;
            count -= 8;
        }
    }
    if count > 0 {
        to.push(held as u8);
    }
}

/// An iterator over packed numbers of `bits` bits each.
struct Unpacked<'a> {
    bytes: &'a [u8],
    bits: u32,
    place: usize,
}

impl Iterator for Unpacked<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let (byte, shift) = (self.place / 8, self.place % 8);
        if self.place + self.bits as usize > self.bytes.len() * 8 {
            return None;
        }
        let next = self.bytes.get(byte + 1).copied().unwrap_or(0);
        let pair = u16::from_le_bytes([self.bytes[byte], next]);
        self.place += self.bits as usize;
        Some((pair >> shift) as u8 & ((1 << self.bits) - 1))
    }
}
