//! The bit writer of FLAC frames, most significant bit first.

use crate::checksums::crc8;

/// Writes bits into bytes.
pub struct Bits {
    bytes: Vec<u8>,
    /// Pending bits that do not fill a word yet, at the low end.
    held: u64,
    count: u32,
}

impl Bits {
    /// Creates an empty writer with capacity for `bytes` bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), held: 0, count: 0 }
    }

    /// Appends the low `width` bits of `value`, at most 32. The higher bits must be zero.
    pub fn put(&mut self, value: u32, width: u32) {
        self.put_wide(u64::from(value), width);
    }

    fn put_wide(&mut self, value: u64, width: u32) {
        // At most 31 bits are pending, so 32 more fit.
        self.held = self.held << width | value;
        self.count += width;
        if self.count >= 32 {
            self.count -= 32;
            self.bytes.extend_from_slice(&((self.held >> self.count) as u32).to_be_bytes());
        }
    }

    /// Appends a signed number of `width` bits.
    pub fn put_signed(&mut self, value: i32, width: u32) {
        self.put(value as u32 & (u32::MAX >> (32 - width)), width);
    }

    /// Appends `zeros` zeros and a one.
    pub fn put_unary(&mut self, mut zeros: u32) {
        while zeros >= 32 {
            self.put(0, 32);
            zeros -= 32;
        }
        self.put(1, zeros + 1);
    }

    /// Appends a Rice code.
    pub fn put_rice(&mut self, value: u32, parameter: u32) {
        let high = value >> parameter;
        let low = value & ((1 << parameter) - 1);
        if high + 1 + parameter <= 32 {
            self.put_wide(1 << parameter | u64::from(low), high + 1 + parameter);
        } else {
            self.put_unary(high);
            self.put(low, parameter);
        }
    }

    /// Appends a number of up to 36 bits in UTF-8 coding.
    pub fn put_number(&mut self, number: u64) {
        if number < 0x80 {
            return self.put(number as u32, 8);
        }
        // The number of bytes after the first; each holds six bits.
        let following = (1..=6).find(|&bytes| number < 1 << (6 * bytes + 6 - bytes.min(6))).unwrap_or(6);
        let first = (0xff00u32 >> (following + 1)) & 0xff;
        self.put(first | (number >> (6 * following)) as u32, 8);
        for index in (0..following).rev() {
            self.put(0x80 | (number >> (6 * index)) as u32 & 0x3f, 8);
        }
    }

    /// Appends the CRC-8 of all bytes so far. They must be whole.
    pub fn put_crc8(&mut self) {
        self.align();
        let check = crc8(&self.bytes);
        self.bytes.push(check);
    }

    /// Pads the last byte with zeros and returns all bytes.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.align();
        self.bytes
    }

    fn align(&mut self) {
        let missing = self.count.next_multiple_of(8) - self.count;
        let (held, count) = (self.held << missing, self.count + missing);
        for index in (0..count / 8).rev() {
            self.bytes.push((held >> (8 * index)) as u8);
        }
        (self.held, self.count) = (0, 0);
    }
}
