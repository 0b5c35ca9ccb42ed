//! Base64 with `-` and `_` for 62 and 63 and without padding (RFC 4648, section 5), the encoding of fingerprints in
//! text.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for block in bytes.chunks(3) {
        let bits =
            block.iter().enumerate().fold(0_u32, |bits, (place, &byte)| bits | u32::from(byte) << (16 - 8 * place));
        for digit in 0..=block.len() {
            text.push(char::from(DIGITS[(bits >> (18 - 6 * digit)) as usize & 63]));
        }
    }
    text
}

/// Returns the decoded bytes, or the byte offset of an invalid digit or of an impossible ending.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for (index, block) in text.as_bytes().chunks(4).enumerate() {
        let mut bits = 0_u32;
        for (place, digit) in block.iter().enumerate() {
            let value = value(*digit).ok_or(4 * index + place)?;
            bits |= value << (18 - 6 * place);
        }
        if block.len() == 1 {
            return Err(4 * index);
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[1..block.len()]);
    }
    Ok(bytes)
}

fn value(digit: u8) -> Option<u32> {
    Some(u32::from(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standards_own_examples() {
        for (bytes, text) in
            [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE")]
        {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).unwrap(), bytes.as_bytes());
        }
        assert_eq!(encode(&[0xfb, 0xff]), "-_8");
        assert_eq!((decode("Zm9v+g"), decode("Zm9vY"), decode("é")), (Err(4), Err(4), Err(0)));
    }
}
