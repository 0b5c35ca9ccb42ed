//! The checksums of FLAC and Ogg.

/// A cyclic redundancy check of at most 32 bits, not reflected, that begins with 0. It is kept in the highest bits of a
/// 32-bit word, so that all widths are one.
struct Check {
    /// `tables[k][byte]` is the check of `byte` followed by `k` zero bytes.
    tables: [[u32; 256]; 8],
}

impl Check {
    /// Creates the check of a polynomial, in the highest bits.
    const fn new(polynomial: u32) -> Self {
        let mut tables = [[0; 256]; 8];
        let mut byte = 0;
        while byte < 256 {
            let mut check = (byte as u32) << 24;
            let mut bit = 0;
            while bit < 8 {
                check = if check >> 31 == 1 { check << 1 ^ polynomial } else { check << 1 };
                bit += 1;
            }
            tables[0][byte] = check;
            byte += 1;
        }
        let mut zeros = 1;
        while zeros < 8 {
            byte = 0;
            while byte < 256 {
                let before = tables[zeros - 1][byte];
                tables[zeros][byte] = before << 8 ^ tables[0][(before >> 24) as usize];
                byte += 1;
            }
            zeros += 1;
        }
        Self { tables }
    }

    /// Returns `check` continued over `bytes`. Processes eight bytes at a time.
    fn update(&self, check: u32, bytes: &[u8]) -> u32 {
        let tables = &self.tables;
        let (eights, rest) = bytes.as_chunks::<8>();
        let check = eights.iter().fold(check, |check, [a, b, c, d, e, f, g, h]| {
            let [high, upper, lower, low] = check.to_be_bytes();
            let at = |zeros: usize, byte: u8| tables[zeros][usize::from(byte)];
            let first = at(7, a ^ high) ^ at(6, b ^ upper) ^ at(5, c ^ lower) ^ at(4, d ^ low);
            first ^ at(3, *e) ^ at(2, *f) ^ at(1, *g) ^ at(0, *h)
        });
        rest.iter().fold(check, |check, byte| check << 8 ^ tables[0][usize::from((check >> 24) as u8 ^ byte)])
    }
}

static FLAC_HEADER: Check = Check::new(0x07 << 24);
static FLAC_FRAME: Check = Check::new(0x8005 << 16);
static OGG_PAGE: Check = Check::new(0x04c1_1db7);

/// CRC-8 of a FLAC frame's header, with polynomial 0x07.
pub(crate) fn crc8(bytes: &[u8]) -> u8 {
    (FLAC_HEADER.update(0, bytes) >> 24) as u8
}

/// CRC-16 of a whole FLAC frame, with polynomial 0x8005; 0 over a frame that includes its checksum.
pub(crate) fn crc16(crc: u16, bytes: &[u8]) -> u16 {
    (FLAC_FRAME.update(u32::from(crc) << 16, bytes) >> 16) as u16
}

/// CRC-32 of an Ogg page, with polynomial 0x04c11db7, as in RFC 3533.
pub(crate) fn crc32(crc: u32, bytes: &[u8]) -> u32 {
    OGG_PAGE.update(crc, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_values_of_all() {
        // The catalogue values of CRC-8/SMBUS and CRC-16/UMTS for "123456789", and that of CRC-32/CKSUM before its
        // length and inversion.
        assert_eq!(crc8(b"123456789"), 0xf4);
        assert_eq!(crc16(0, b"123456789"), 0xfee8);
        assert_eq!(crc32(0, b"123456789"), 0x89a1_897f);
    }

    #[test]
    fn many_bytes_are_as_bit_by_bit_and_in_any_parts() {
        let bytes: Vec<u8> = (0..300_u32).map(|n| (n * n * 31 + n * 7) as u8).collect();
        let slow = bytes.iter().fold(0_u32, |check, byte| {
            (0..8).fold(check ^ u32::from(*byte) << 24, |check, _| {
                if check >> 31 == 1 { check << 1 ^ 0x04c1_1db7 } else { check << 1 }
            })
        });
        assert_eq!(crc32(0, &bytes), slow);
        for part in [0, 1, 5, 8, 13, 64, 299] {
            let (first, second) = bytes.split_at(part);
            assert_eq!(crc32(crc32(0, first), second), slow, "in parts of {part}");
            assert_eq!(crc16(crc16(0, first), second), crc16(0, &bytes), "in parts of {part}");
        }
    }
}
