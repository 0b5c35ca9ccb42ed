//! Shared by the opening tests: WAV files of every kind, and a reproducible random generator.
#![allow(dead_code, reason = "each test uses its part")]

/// A reproducible random generator (xorshift), sufficient for picking positions.
pub fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }
}

/// The format of a WAV or AIFF file to write.
#[derive(Clone, Copy, Debug)]
pub struct Wav {
    pub magic: &'static str,
    pub bits: u32,
    pub float: bool,
    pub extensible: bool,
    pub channels: usize,
}

impl Wav {
    pub fn plain(bits: u32, channels: usize) -> Self {
        Self { magic: "RIFF", bits, float: false, extensible: false, channels }
    }

    pub fn all_kinds() -> Vec<Self> {
        let mut kinds = Vec::new();
        for channels in [1, 2, 6] {
            for (bits, float) in [(8, false), (16, false), (24, false), (32, false), (32, true), (64, true)] {
                for magic in ["RIFF", "RIFX", "RF64", "BW64", "AIFF", "AIFC"] {
                    for extensible in [false, true] {
                        let aiff = magic.starts_with("AIF");
                        if !(aiff && (extensible || (float && magic == "AIFF"))) {
                            kinds.push(Self { magic, bits, float, extensible, channels });
                        }
                    }
                }
            }
        }
        kinds
    }

    pub fn format_name(&self) -> &'static str {
        match self.magic {
            "RF64" => "RF64",
            "BW64" => "BW64",
            "RIFX" => "RIFX",
            "AIFF" => "AIFF",
            "AIFC" => "AIFF-C",
            _ => "WAV",
        }
    }

    /// Returns the difference between adjacent values.
    pub fn step(&self) -> f64 {
        if self.float { 1e-7 } else { 2f64.powi(1 - self.bits as i32) }
    }

    fn big_endian(&self) -> bool {
        matches!(self.magic, "RIFX" | "AIFF" | "AIFC")
    }

    fn sample(&self, value: f64) -> Vec<u8> {
        let mut bytes = match (self.float, self.bits) {
            (true, 32) => (value as f32).to_le_bytes().to_vec(),
            (true, _) => value.to_le_bytes().to_vec(),
            (false, bits) => {
                let scaled = (value * 2f64.powi(bits as i32 - 1)).round() as i64;
                let offset = if bits == 8 && !self.magic.starts_with("AIF") { 128 } else { 0 };
                (scaled + offset).to_le_bytes()[..bits as usize / 8].to_vec()
            }
        };
        if self.big_endian() {
            bytes.reverse();
        }
        bytes
    }

    /// Returns the whole file.
    pub fn bytes(&self, frames: usize, value: impl Fn(usize, usize) -> f64) -> Vec<u8> {
        let mut data = Vec::new();
        for frame in 0..frames {
            for channel in 0..self.channels {
                data.extend(self.sample(value(channel, frame)));
            }
        }
        if self.magic.starts_with("AIF") { self.aiff(frames, &data) } else { self.riff(&data) }
    }

    fn aiff(&self, frames: usize, data: &[u8]) -> Vec<u8> {
        let mut common = Vec::new();
        common.extend((self.channels as u16).to_be_bytes());
        common.extend((frames as u32).to_be_bytes());
        common.extend((self.bits as u16).to_be_bytes());
        common.extend([0x40, 0x0e, 0xac, 0x44, 0, 0, 0, 0, 0, 0]);
        if self.magic == "AIFC" {
            common.extend(match (self.float, self.bits) {
                (true, 32) => b"fl32",
                (true, _) => b"fl64",
                _ => b"NONE",
            });
            common.extend([0, 0]);
        }
        let mut body = self.magic.as_bytes().to_vec();
        for (id, chunk) in [(b"COMM", common), (b"SSND", [&[0; 8], data].concat())] {
            body.extend(id);
            body.extend((chunk.len() as u32).to_be_bytes());
            body.extend(&chunk);
            body.resize(body.len().next_multiple_of(2), 0);
        }
        [b"FORM".as_slice(), &(body.len() as u32).to_be_bytes(), &body].concat()
    }

    fn riff(&self, data: &[u8]) -> Vec<u8> {
        let half =
            |value: usize| if self.big_endian() { (value as u16).to_be_bytes() } else { (value as u16).to_le_bytes() };
        let word =
            |value: usize| if self.big_endian() { (value as u32).to_be_bytes() } else { (value as u32).to_le_bytes() };
        let align = self.channels * self.bits as usize / 8;
        let tag = if self.float { 3 } else { 1 };
        let mut format = Vec::new();
        format.extend(half(if self.extensible { 0xfffe } else { tag }));
        format.extend(half(self.channels));
        format.extend(word(44_100));
        format.extend(word(44_100 * align));
        format.extend(half(align));
        format.extend(half(self.bits as usize));
        if self.extensible {
            format.extend(half(22));
            format.extend(half(self.bits as usize));
            format.extend(word(0));
            format.extend(half(tag));
            format.extend([0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]);
        }
        let long = matches!(self.magic, "RF64" | "BW64");
        let mut body = b"WAVE".to_vec();
        if long {
            body.extend(b"ds64");
            body.extend(word(28));
            body.extend(0u64.to_le_bytes());
            body.extend((data.len() as u64).to_le_bytes());
            body.extend(((data.len() / align) as u64).to_le_bytes());
            body.extend(word(0));
        }
        body.extend(b"junk");
        body.extend(word(3));
        body.extend([1, 2, 3, 0]);
        body.extend(b"fmt ");
        body.extend(word(format.len()));
        body.extend(&format);
        body.extend(b"data");
        body.extend(if long { word(0xffff_ffff) } else { word(data.len()) });
        body.extend(data);
        body.resize(body.len().next_multiple_of(2), 0);
        let size = if long { word(0xffff_ffff) } else { word(body.len()) };
        [self.magic.as_bytes(), &size, &body].concat()
    }
}
