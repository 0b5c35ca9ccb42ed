//! The two checksums of FLAC.

/// CRC-8 of a frame header, with polynomial 0x07.
pub(crate) fn crc8(bytes: &[u8]) -> u8 {
    bytes
        .iter()
        .fold(0, |crc, byte| (0..8).fold(crc ^ byte, |crc, _| if crc & 0x80 != 0 { crc << 1 ^ 0x07 } else { crc << 1 }))
}

/// `TABLES[k][byte]` is the CRC-16 of `byte` followed by `k` zero bytes.
static TABLES: [[u16; 256]; 8] = tables();

const fn tables() -> [[u16; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = (byte as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 0x8000 != 0 { crc << 1 ^ 0x8005 } else { crc << 1 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut zeros = 1;
    while zeros < 8 {
        byte = 0;
        while byte < 256 {
            let before = tables[zeros - 1][byte];
            tables[zeros][byte] = before << 8 ^ tables[0][(before >> 8) as usize];
            byte += 1;
        }
        zeros += 1;
    }
    tables
}

/// CRC-16 of a whole frame, with polynomial 0x8005; 0 over a frame that includes its checksum. Processes eight bytes at
/// a time.
pub(crate) fn crc16(crc: u16, bytes: &[u8]) -> u16 {
    let (eights, rest) = bytes.as_chunks::<8>();
    let crc = eights.iter().fold(crc, |crc, eight| {
        let [high, low] = crc.to_be_bytes();
        let folded = [eight[0] ^ high, eight[1] ^ low, eight[2], eight[3], eight[4], eight[5], eight[6], eight[7]];
        folded.iter().enumerate().fold(0, |crc, (at, byte)| crc ^ TABLES[7 - at][usize::from(*byte)])
    });
    rest.iter().fold(crc, |crc, byte| crc << 8 ^ TABLES[0][usize::from((crc >> 8) as u8 ^ byte)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_values_of_both() {
        // The catalogue values of CRC-8/SMBUS and CRC-16/UMTS for "123456789".
        assert_eq!(crc8(b"123456789"), 0xf4);
        assert_eq!(crc16(0, b"123456789"), 0xfee8);
        let text = b"The length of this text is no multiple of eight.!";
        assert_eq!(crc16(crc16(0, &text[..5]), &text[5..]), crc16(0, text));
    }
}
