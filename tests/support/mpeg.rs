//! Writes streams of MPEG audio by the grammar of ISO/IEC 11172-3 and 13818-3, with random choices: layers, rates, modes,
//! joint stereo, block types, mixed blocks, scale factors, Huffman tables, bit reservoir, checksums, free format.

#![allow(dead_code, reason = "each test uses its part")]

/// Pairs of values with the length and bits of their code (ISO/IEC 11172-3, table 3-B.7). Of the larger tables these are
/// the pairs of 0, 1 and the largest value.
#[rustfmt::skip]
const PAIRS: [(usize, &[(i32, i32, u32, u64)]); 15] = [
    (1, &[(0, 0, 1, 0x1), (0, 1, 3, 0x1), (1, 0, 2, 0x1), (1, 1, 3, 0x0)]),
    (2, &[(0, 0, 1, 0x1), (0, 1, 3, 0x2), (0, 2, 6, 0x1), (1, 0, 3, 0x3), (1, 1, 3, 0x1), (1, 2, 5, 0x1), (2, 0, 5, 0x3), (2, 1, 5, 0x2), (2, 2, 6, 0x0)]),
    (3, &[(0, 0, 2, 0x3), (0, 1, 2, 0x2), (0, 2, 6, 0x1), (1, 0, 3, 0x1), (1, 1, 2, 0x1), (1, 2, 5, 0x1), (2, 0, 5, 0x3), (2, 1, 5, 0x2), (2, 2, 6, 0x0)]),
    (5, &[(0, 0, 1, 0x1), (0, 1, 3, 0x2), (0, 2, 6, 0x6), (0, 3, 7, 0x5), (1, 0, 3, 0x3), (1, 1, 3, 0x1), (1, 2, 6, 0x4), (1, 3, 7, 0x4), (2, 0, 6, 0x7), (2, 1, 6, 0x5), (2, 2, 7, 0x7), (2, 3, 8, 0x1), (3, 0, 7, 0x6), (3, 1, 6, 0x1), (3, 2, 7, 0x1), (3, 3, 8, 0x0)]),
    (6, &[(0, 0, 3, 0x7), (0, 1, 3, 0x3), (0, 2, 5, 0x5), (0, 3, 7, 0x1), (1, 0, 3, 0x6), (1, 1, 2, 0x2), (1, 2, 4, 0x3), (1, 3, 5, 0x2), (2, 0, 4, 0x5), (2, 1, 4, 0x4), (2, 2, 5, 0x4), (2, 3, 6, 0x1), (3, 0, 6, 0x3), (3, 1, 5, 0x3), (3, 2, 6, 0x2), (3, 3, 7, 0x0)]),
    (7, &[(0, 0, 1, 0x1), (0, 1, 3, 0x2), (0, 5, 9, 0xa), (1, 0, 3, 0x3), (1, 1, 4, 0x3), (1, 5, 8, 0x3), (5, 0, 8, 0x6), (5, 1, 8, 0x4), (5, 5, 10, 0x0)]),
    (8, &[(0, 0, 2, 0x3), (0, 1, 3, 0x4), (0, 5, 9, 0x5), (1, 0, 3, 0x5), (1, 1, 2, 0x1), (1, 5, 8, 0x3), (5, 0, 9, 0xc), (5, 1, 8, 0x4), (5, 5, 11, 0x0)]),
    (9, &[(0, 0, 3, 0x7), (0, 1, 3, 0x5), (0, 5, 9, 0x7), (1, 0, 3, 0x6), (1, 1, 3, 0x4), (1, 5, 8, 0x7), (5, 0, 8, 0xe), (5, 1, 7, 0x4), (5, 5, 9, 0x0)]),
    (10, &[(0, 0, 1, 0x1), (0, 1, 3, 0x2), (0, 7, 10, 0x11), (1, 0, 3, 0x3), (1, 1, 4, 0x3), (1, 7, 8, 0x7), (7, 0, 9, 0x9), (7, 1, 8, 0x8), (7, 7, 11, 0x0)]),
    (11, &[(0, 0, 2, 0x3), (0, 1, 3, 0x4), (0, 7, 9, 0xf), (1, 0, 3, 0x5), (1, 1, 3, 0x3), (1, 7, 8, 0xa), (7, 0, 8, 0xb), (7, 1, 7, 0x4), (7, 7, 10, 0x0)]),
    (12, &[(0, 0, 4, 0x9), (0, 1, 3, 0x6), (0, 7, 9, 0x1a), (1, 0, 3, 0x7), (1, 1, 3, 0x5), (1, 7, 8, 0xb), (7, 0, 9, 0x1b), (7, 1, 8, 0xc), (7, 7, 10, 0x0)]),
    (13, &[(0, 0, 1, 0x1), (0, 1, 4, 0x5), (0, 15, 13, 0x13), (1, 0, 3, 0x3), (1, 1, 4, 0x4), (1, 15, 12, 0xe), (15, 0, 12, 0x10), (15, 1, 12, 0xf), (15, 15, 16, 0x1)]),
    (15, &[(0, 0, 3, 0x7), (0, 1, 4, 0xc), (0, 15, 13, 0x3f), (1, 0, 4, 0xd), (1, 1, 3, 0x5), (1, 15, 11, 0x24), (15, 0, 12, 0x47), (15, 1, 11, 0x25), (15, 15, 13, 0x0)]),
    (16, &[(0, 0, 1, 0x1), (0, 1, 4, 0x5), (0, 15, 9, 0x11), (1, 0, 3, 0x3), (1, 1, 4, 0x4), (1, 15, 8, 0x9), (15, 0, 9, 0xc), (15, 1, 8, 0xa), (15, 15, 8, 0x3)]),
    (24, &[(0, 0, 4, 0xf), (0, 1, 4, 0xd), (0, 15, 9, 0x58), (1, 0, 4, 0xe), (1, 1, 4, 0xc), (1, 15, 8, 0x2a), (15, 0, 8, 0x2b), (15, 1, 7, 0x14), (15, 15, 4, 0x3)]),
];
/// Lengths and bits of the codes of four values of table A. Table B has the inverted values themselves.
const QUADS: [(u32, u64); 16] = [
    (1, 1),
    (4, 5),
    (4, 4),
    (5, 5),
    (4, 6),
    (6, 5),
    (5, 4),
    (6, 4),
    (4, 7),
    (5, 3),
    (5, 6),
    (6, 0),
    (5, 7),
    (6, 2),
    (6, 3),
    (6, 1),
];
const LINBITS: [u32; 16] = [1, 2, 3, 4, 6, 8, 10, 13, 4, 5, 6, 7, 8, 9, 11, 13];
/// The bounds of the scale factor bands of long blocks, without 0, for each version and rate (tables 3-B.8 and B.2).
const LOW: [usize; 22] =
    [6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 116, 140, 168, 200, 238, 284, 336, 396, 464, 522, 576];
const LONG: [[[usize; 22]; 3]; 3] = [
    [
        [4, 8, 12, 16, 20, 24, 30, 36, 44, 52, 62, 74, 90, 110, 134, 162, 196, 238, 288, 342, 418, 576],
        [4, 8, 12, 16, 20, 24, 30, 36, 42, 50, 60, 72, 88, 106, 128, 156, 190, 230, 276, 330, 384, 576],
        [4, 8, 12, 16, 20, 24, 30, 36, 44, 54, 66, 82, 102, 126, 156, 194, 240, 296, 364, 448, 550, 576],
    ],
    [LOW, [6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 114, 136, 162, 194, 232, 278, 332, 394, 464, 540, 576], LOW],
    [LOW, LOW, [12, 24, 36, 48, 60, 72, 88, 108, 132, 160, 192, 232, 280, 336, 400, 476, 566, 568, 570, 572, 574, 576]],
];
const KBPS: [[usize; 14]; 5] = [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
const MPEG1_LENGTHS: [(u32, u32); 16] = [
    (0, 0),
    (0, 1),
    (0, 2),
    (0, 3),
    (3, 0),
    (1, 1),
    (1, 2),
    (1, 3),
    (2, 1),
    (2, 2),
    (2, 3),
    (3, 1),
    (3, 2),
    (3, 3),
    (4, 2),
    (4, 3),
];

/// The properties that all frames of a stream share.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub layer: usize,
    /// 0 for MPEG 1, 1 for MPEG 2, 2 for MPEG 2.5.
    pub version: usize,
    pub rate: usize,
    /// Stereo, joint stereo, two voices, mono.
    pub mode: usize,
    pub checksums: bool,
    /// The size of frames of free format, without padding.
    pub free_bytes: Option<usize>,
    pub emphasis: u8,
}

/// A stream: its frames with their headers, and what they hold, in words.
pub struct Stream {
    pub kind: Kind,
    pub frames: Vec<Vec<u8>>,
    pub mixed: bool,
}

impl Stream {
    pub fn bytes(&self) -> Vec<u8> {
        self.frames.concat()
    }
}

impl Kind {
    pub fn random(random: &mut impl FnMut() -> u64) -> Self {
        let layer = [1, 2, 3, 3, 3, 3][random() as usize % 6];
        let free = random().is_multiple_of(8) && layer != 2;
        let mut kind = Self {
            layer,
            // MPEG 2.5 has layer III only.
            version: [0, 0, 0, 1, 1, if layer == 3 { 2 } else { 1 }][random() as usize % 6],
            rate: random() as usize % 3,
            mode: [0, 1, 1, 1, 2, 3][random() as usize % 6],
            checksums: random().is_multiple_of(3),
            free_bytes: None,
            emphasis: (random() % 4) as u8,
        };
        // Between the sizes that no frame lacks and that the decoder takes.
        kind.free_bytes = free.then(|| (120 + random() as usize % 1400) & !3);
        kind
    }

    pub fn channels(&self) -> usize {
        if self.mode == 3 { 1 } else { 2 }
    }

    pub fn rate_hz(&self) -> usize {
        [44_100, 48_000, 32_000][self.rate] >> self.version
    }

    /// Returns the frames of sound in a frame of the stream.
    pub fn sound_frames(&self) -> usize {
        match (self.layer, self.version) {
            (1, _) => 384,
            (3, 1..) => 576,
            _ => 1152,
        }
    }

    fn side_bytes(&self) -> usize {
        match (self.version == 0, self.channels()) {
            (true, 2) => 32,
            (true, _) | (false, 2) => 17,
            (false, _) => 9,
        }
    }

    /// Returns a header with an index of the bit rate (0: free), and the size of its frame.
    fn header(&self, bit_rate: usize, padding: usize, extension: usize) -> (Vec<u8>, usize) {
        let row = match (self.version, self.layer) {
            (0, layer) => layer - 1,
            (_, 1) => 3,
            _ => 4,
        };
        let slot = if self.layer == 1 { 4 } else { 1 };
        let size = match self.free_bytes {
            Some(size) => size,
            None => self.sound_frames() / 8 / slot * KBPS[row][bit_rate - 1] * 1000 / self.rate_hz() * slot,
        };
        let version = [3, 2, 0][self.version];
        let header = vec![
            0xff,
            0xe0 | version << 3 | (4 - self.layer as u8) << 1 | u8::from(!self.checksums),
            (bit_rate << 4 | self.rate << 2 | padding << 1) as u8,
            (self.mode << 6 | extension << 4) as u8 | self.emphasis,
        ];
        (header, size + padding * slot)
    }
}

/// Writes bits, the highest first.
#[derive(Clone, Default)]
pub struct Bits(Vec<bool>);

impl Bits {
    pub fn put(&mut self, value: u64, count: u32) {
        self.0.extend((0..count).rev().map(|bit| value >> bit & 1 == 1));
    }

    fn bytes(&self) -> Vec<u8> {
        self.0
            .chunks(8)
            .map(|byte| byte.iter().enumerate().fold(0, |all, (at, bit)| all | u8::from(*bit) << (7 - at)))
            .collect()
    }
}

/// Returns the checksum of the end of a header and of `covered`.
fn checksum(header: &[u8], covered: &[bool]) -> [u8; 2] {
    let mut head = Bits::default();
    head.put(u64::from(header[2]) << 8 | u64::from(header[3]), 16);
    let step = |check: u32, bit: &bool| (check << 1 ^ if (check >> 15 & 1 == 1) == *bit { 0 } else { 0x8005 }) & 0xffff;
    (head.0.iter().chain(covered).fold(0xffff, step) as u16).to_be_bytes()
}

/// Writes a random stream of `count` frames.
pub fn stream(random: &mut impl FnMut() -> u64, kind: Kind, count: usize) -> Stream {
    if kind.layer == 3 { layer3(random, kind, count) } else { layers12(random, kind, count) }
}

fn one_in(random: &mut impl FnMut() -> u64, times: u64) -> bool {
    random().is_multiple_of(times)
}

/// The blocks of a granule, as both channels have them.
#[derive(Clone, Copy)]
struct Blocks {
    /// 0 long, 1 start, 2 short, 3 stop.
    kind: u64,
    mixed: bool,
}

/// Returns the blocks after those of a granule. Short blocks lie between start and stop, and are mixed if these are: what
/// overlaps has one form of window. Other sequences have no meaning.
fn next_blocks(random: &mut impl FnMut() -> u64, mixable: bool, before: Blocks) -> Blocks {
    match before.kind {
        1 | 2 => Blocks { kind: if one_in(random, 3) { 3 } else { 2 }, ..before },
        _ if one_in(random, 2) => Blocks { kind: 1, mixed: mixable && one_in(random, 2) },
        _ => Blocks { kind: 0, mixed: false },
    }
}

fn layer3(random: &mut impl FnMut() -> u64, kind: Kind, count: usize) -> Stream {
    let (channels, granules) = (kind.channels(), if kind.version == 0 { 2 } else { 1 });
    let most_back = if kind.version == 0 { 511 } else { 255 };
    let (mut heads, mut main, mut mixed) = (Vec::new(), Vec::new(), false);
    // The size of main data in the frames before, and where it has been used up to.
    let (mut own, mut used) = (0usize, 0usize);
    let mut state = Blocks { kind: 0, mixed: false };
    // Decoders differ in intensity stereo at low rates and of mixed blocks. MPEG 2.5 does not define these at 8 kHz.
    let intense = kind.mode == 1 && kind.version == 0 && one_in(random, 2);
    let mixable = !intense && (kind.version, kind.rate) != (2, 2);
    for _ in 0..count {
        let extension = if kind.mode == 1 { (random() as usize % 4) & if intense { 3 } else { 2 } } else { 0 };
        let bit_rate = if kind.free_bytes.is_some() { 0 } else { 5 + random() as usize % 10 };
        let (header, size) = kind.header(bit_rate, random() as usize % 2, extension);
        let room = size - 4 - kind.side_bytes() - if kind.checksums { 2 } else { 0 };
        let begin = used.max(own.saturating_sub(most_back));
        main.resize(begin, 0x55);
        let mut budget = 8 * (own + room - begin);
        if one_in(random, 3) {
            budget /= 3;
        }
        let mut side = Bits::default();
        side.put((own - begin) as u64, if kind.version == 0 { 9 } else { 8 });
        let (private, intensity) = (if kind.version == 0 { [5, 3] } else { [1, 2] }, extension & 1 == 1);
        side.put(random(), private[channels - 1]);
        let blocks: Vec<Blocks> = (0..granules)
            .map(|_| {
                state = next_blocks(random, mixable, state);
                state
            })
            .collect();
        mixed |= blocks.iter().any(|blocks| blocks.kind == 2 && blocks.mixed);
        let mut shared = vec![[false; 4]; channels];
        if kind.version == 0 {
            for shared in &mut shared {
                if blocks.iter().all(|blocks| blocks.kind != 2) {
                    shared.fill_with(|| random().is_multiple_of(3));
                }
                shared.iter().for_each(|shared| side.put(u64::from(*shared), 1));
            }
        }
        let mut data = Bits::default();
        for (granule, blocks) in blocks.iter().enumerate() {
            for channel in 0..channels {
                let parts = (granules - granule) * channels - channel;
                let share = ((budget - data.0.len()) / parts).min(4095);
                let shared = if granule == 1 { shared[channel] } else { [false; 4] };
                let right = intensity && channel == 1;
                granule_of(random, kind, *blocks, right, shared, share, &mut side, &mut data);
            }
        }
        assert_eq!(side.0.len(), 8 * kind.side_bytes());
        let data = data.bytes();
        used = begin + data.len();
        main.extend(data);
        own += room;
        let check = kind.checksums.then(|| checksum(&header, &side.0));
        heads.push(([&header[..], check.as_ref().map_or(&[], |check| &check[..]), &side.bytes()].concat(), room));
    }
    main.resize(own, 0);
    let mut at = 0;
    let frames = heads.into_iter().map(|(head, room)| {
        at += room;
        [&head[..], &main[at - room..at]].concat()
    });
    Stream { kind, frames: frames.collect(), mixed }
}

/// Writes one channel of a granule: its side information, and at most `share` bits of main data.
#[allow(clippy::too_many_arguments, reason = "the parts of a granule")]
fn granule_of(
    random: &mut impl FnMut() -> u64,
    kind: Kind,
    blocks: Blocks,
    right: bool,
    shared: [bool; 4],
    share: usize,
    side: &mut Bits,
    data: &mut Bits,
) {
    let before = data.0.len();
    let sizes = |long: [usize; 4], short: [usize; 4], mixed: [usize; 4]| match blocks {
        Blocks { kind: 2, mixed: true } => mixed,
        Blocks { kind: 2, .. } => short,
        _ => long,
    };
    // Lengths of scale factors, and how many have them.
    let (compress, lengths, counts) = if kind.version == 0 {
        // Positions of intensity beyond 7 mean nothing.
        let compress = random() as usize % if right { 14 } else { 16 };
        let (low, high) = MPEG1_LENGTHS[compress];
        (compress, [low, low, high, high], sizes([6, 5, 5, 5], [9, 9, 9, 9], [8, 9, 9, 9]))
    } else {
        let compress = random() as usize % 512;
        match compress as u32 {
            s @ 0..400 => (
                compress,
                [(s >> 4) / 5, (s >> 4) % 5, s >> 2 & 3, s & 3],
                sizes([6, 5, 5, 5], [9, 9, 9, 9], [6, 9, 9, 9]),
            ),
            s @ 400..500 => {
                let s = s - 400;
                (compress, [(s >> 2) / 5, (s >> 2) % 5, s & 3, 0], sizes([6, 5, 7, 3], [9, 9, 12, 6], [6, 9, 12, 6]))
            }
            s => {
                let s = s - 500;
                (compress, [s / 3, s % 3, 0, 0], sizes([11, 10, 0, 0], [18, 18, 0, 0], [15, 18, 0, 0]))
            }
        }
    };
    let lengths_fit =
        lengths.iter().zip(counts).map(|(length, count)| *length as usize * count).sum::<usize>() <= share;
    let (compress, lengths) = if lengths_fit { (compress, lengths) } else { (0, [0; 4]) };
    for ((length, count), shared) in lengths.into_iter().zip(counts).zip(shared) {
        (0..if shared { 0 } else { count }).for_each(|_| data.put(random(), length));
    }

    // Regions of big values, with a table each.
    let windowed = blocks.kind != 0;
    let long = &LONG[kind.version][kind.rate];
    let (region0, region1) = (random() as usize % 16, random() as usize % 8);
    let region1 = region1.min(20usize.saturating_sub(region0));
    let bounds = if windowed {
        let first = match (kind.version, kind.rate) {
            (2, 2) if blocks.kind == 2 => 72,
            (2, 2) => 108,
            (0, _) => 36,
            _ if blocks.kind == 2 => 36,
            _ => 54,
        };
        [first, 576, 576]
    } else {
        [long[region0], long[(region0 + region1 + 1).min(21)], 576]
    };
    let mut table = || {
        let (table, pairs) = PAIRS[random() as usize % PAIRS.len()];
        // Tables 16 to 23 and 24 to 31 differ in the bits of what exceeds 15.
        let linear = if table >= 16 { (random() % 8) as usize } else { 0 };
        (table + linear, pairs, if table >= 16 { LINBITS[table - 16 + linear] } else { 0 })
    };
    let mut tables = [table(), table(), table()];
    if kind.version > 0 && blocks.kind == 2 && blocks.mixed {
        // Where the regions of mixed blocks meet at low rates, decoders differ.
        tables[1] = tables[0];
    }
    let most = tables.iter().map(|(_, pairs, linear)| {
        let most = pairs.iter().map(|pair| pair.0).max().unwrap_or(0);
        f64::from(most) + if *linear > 0 { f64::from(1u32 << linear) } else { 0.0 }
    });
    let most = most.fold(1.0, f64::max);
    let mut big_values = 0;
    // The right channel of intensity stereo is empty from some band on.
    let wanted =
        if one_in(random, 4) { random() as usize % 20 } else { random() as usize % if right { 150 } else { 289 } };
    while big_values < wanted {
        let (_, pairs, linear) = tables[bounds.iter().position(|bound| 2 * big_values < *bound).unwrap_or(2)];
        let (x, y, length, code) = pairs[random() as usize % pairs.len()];
        let mut next = Bits::default();
        next.put(code, length);
        for value in [x, y] {
            if value == 15 && linear > 0 {
                next.put(random(), linear);
            }
            if value > 0 {
                next.put(random(), 1);
            }
        }
        if data.0.len() - before + next.0.len() > share {
            break;
        }
        data.0.extend(next.0);
        big_values += 1;
    }
    let count1 = random() % 2;
    let room = (576 - 2 * big_values) / 4;
    for _ in 0..if right || room == 0 { 0 } else { random() as usize % room } {
        let value = random() as usize % 16;
        let mut next = Bits::default();
        let (length, code) = if count1 == 1 { (4, 15 - value as u64) } else { QUADS[value] };
        next.put(code, length);
        next.put(random(), (value as u32).count_ones());
        if data.0.len() - before + next.0.len() > share {
            break;
        }
        data.0.extend(next.0);
    }

    // The largest value becomes a fiftieth of full scale or less.
    let gain = 210.0 - 4.0 * (50.0 * most.powf(4.0 / 3.0)).log2() - (random() % 20) as f64;
    side.put((data.0.len() - before) as u64, 12);
    side.put(big_values as u64, 9);
    side.put(gain as u64, 8);
    side.put(compress as u64, if kind.version == 0 { 4 } else { 9 });
    side.put(u64::from(windowed), 1);
    if windowed {
        side.put(blocks.kind, 2);
        side.put(u64::from(blocks.mixed), 1);
        (0..2).for_each(|region| side.put(tables[region].0 as u64, 5));
        (0..3).for_each(|_| side.put(random() % 3, 3));
    } else {
        (0..3).for_each(|region| side.put(tables[region].0 as u64, 5));
        side.put(region0 as u64, 4);
        side.put(region1 as u64, 3);
    }
    if kind.version == 0 {
        // Only long blocks have pre-emphasis.
        side.put(if blocks.kind == 2 { 0 } else { random() % 2 }, 1);
    }
    side.put(random() % 2, 1);
    side.put(count1, 1);
}

/// How samples of a subband are written: bits for each, or values for three together.
#[derive(Clone, Copy)]
enum Quantiser {
    Bits(u32),
    Grouped(u64),
}

impl Quantiser {
    /// Returns the bits of twelve samples of a channel.
    fn bits_of_12(self) -> usize {
        match self {
            Self::Bits(bits) => 12 * bits as usize,
            Self::Grouped(levels) => 4 * grouped_bits(levels) as usize,
        }
    }
}

fn grouped_bits(levels: u64) -> u32 {
    match levels {
        3 => 5,
        5 => 7,
        _ => 10,
    }
}

/// Returns the bits of an allocation in layer II and the quantisers that it selects, from 1 on, for each subband
/// (ISO/IEC 11172-3, tables 3-B.2; 13818-3, table B.1).
fn layer2_table(kind: Kind, kbps: usize) -> Vec<(u32, Vec<Quantiser>)> {
    use Quantiser::{Bits, Grouped};
    let bits = |range: std::ops::RangeInclusive<u32>| range.map(Bits).collect::<Vec<_>>();
    let with = |first: &[Quantiser], rest: Vec<Quantiser>| [first.to_vec(), rest].concat();
    let fine = (4, with(&[Grouped(3)], bits(3..=16)));
    let middle = (4, with(&[Grouped(3), Grouped(5), Bits(3), Grouped(9)], with(&bits(4..=13), vec![Bits(16)])));
    let coarse = (3, vec![Grouped(3), Grouped(5), Bits(3), Grouped(9), Bits(4), Bits(5), Bits(16)]);
    let least = (2, vec![Grouped(3), Grouped(5), Bits(16)]);
    let low = |width: u32| (width, with(&[Grouped(3), Grouped(5), Grouped(9)], bits(4..=(1 << width))));
    let low = |width: u32| {
        let (width, all) = low(width);
        (width, all[..(1 << width) - 1].to_vec())
    };
    let groups = |groups: &[(usize, &(u32, Vec<Quantiser>))]| -> Vec<_> {
        groups.iter().flat_map(|(count, group)| std::iter::repeat_n((*group).clone(), *count)).collect()
    };
    if kind.version > 0 {
        let first = (4, with(&[Grouped(3), Grouped(5), Bits(3), Grouped(9)], bits(4..=14)));
        return groups(&[(4, &first), (7, &low(3)), (19, &low(2))]);
    }
    let each = kbps / kind.channels();
    match (each, kind.rate) {
        (..56, 2) => groups(&[(2, &low(4)), (10, &low(3))]),
        (..56, _) => groups(&[(2, &low(4)), (6, &low(3))]),
        (96.., 0 | 2) => groups(&[(3, &fine), (8, &middle), (12, &coarse), (7, &least)]),
        _ => groups(&[(3, &fine), (8, &middle), (12, &coarse), (4, &least)]),
    }
}

fn layers12(random: &mut impl FnMut() -> u64, kind: Kind, count: usize) -> Stream {
    let channels = kind.channels();
    let row = match (kind.version, kind.layer) {
        (0, layer) => layer - 1,
        (_, 1) => 3,
        _ => 4,
    };
    let mut frames = Vec::new();
    for _ in 0..count {
        let extension = if kind.mode == 1 { random() as usize % 4 } else { 0 };
        let mut bit_rate = 4 + random() as usize % 11;
        if kind.layer == 2 && kind.version == 0 && channels == 2 && matches!(KBPS[1][bit_rate - 1], 48 | 56 | 80) {
            bit_rate += 2;
        }
        let bit_rate = if kind.free_bytes.is_some() { 0 } else { bit_rate };
        // mpg123 takes four bytes of padding for one in free format.
        let padding = if kind.free_bytes.is_some() { 0 } else { random() as usize % 2 };
        let (header, size) = kind.header(bit_rate, padding, extension);
        let table = if kind.layer == 1 {
            vec![(4, (2..=15).map(Quantiser::Bits).collect()); 32]
        } else {
            layer2_table(kind, KBPS[row][bit_rate - 1])
        };
        let bound = if kind.mode == 1 { 4 * extension + 4 } else { 32 };
        let head_bits = 32 + if kind.checksums { 16 } else { 0 };
        let allocation_bits: usize = table
            .iter()
            .enumerate()
            .map(|(band, (width, _))| *width as usize * if band < bound { channels } else { 1 })
            .sum();
        let mut left = (8 * size).saturating_sub(head_bits + allocation_bits);
        let (mut first, mut selections, mut scales, mut used) =
            (Bits::default(), Bits::default(), Bits::default(), Vec::new());
        for (band, (width, quantisers)) in table.iter().enumerate() {
            let written = if band < bound { channels } else { 1 };
            for channel in 0..written {
                let wanted = if one_in(random, 3) { 0 } else { random() as usize % (quantisers.len() + 1) };
                let scaled = if band < bound { 1 } else { channels };
                let cost = |index: usize| {
                    let samples = quantisers[index - 1].bits_of_12() * if kind.layer == 2 { 3 } else { 1 };
                    samples + scaled * if kind.layer == 2 { 2 + 18 } else { 6 }
                };
                let index = if wanted > 0 && cost(wanted) <= left { wanted } else { 0 };
                first.put(index as u64, *width);
                if index == 0 {
                    continue;
                }
                left -= cost(index);
                used.push((band, channel, quantisers[index - 1]));
                for _ in 0..scaled {
                    let selection = if kind.layer == 2 { random() % 4 } else { 2 };
                    if kind.layer == 2 {
                        selections.put(selection, 2);
                    }
                    (0..[3, 2, 1, 2][selection as usize]).for_each(|_| scales.put(14 + random() % 49, 6));
                }
            }
        }
        let mut samples = Bits::default();
        let parts = if kind.layer == 2 { 12 } else { 1 };
        for _ in 0..parts {
            let mut write = |count: usize| {
                for (_, _, quantiser) in &used {
                    match *quantiser {
                        Quantiser::Grouped(levels) => samples.put(random() % levels.pow(3), grouped_bits(levels)),
                        Quantiser::Bits(bits) => {
                            (0..count).for_each(|_| samples.put(random() % ((1 << bits) - 1), bits));
                        }
                    }
                }
            };
            if kind.layer == 2 { write(3) } else { (0..12).for_each(|_| write(1)) }
        }
        let mut covered = first;
        covered.0.extend(selections.0);
        let check = kind.checksums.then(|| checksum(&header, &covered.0));
        covered.0.extend(scales.0);
        covered.0.extend(samples.0);
        let mut frame = [&header[..], check.as_ref().map_or(&[], |check| &check[..]), &covered.bytes()].concat();
        assert!(frame.len() <= size, "{} of {size} bytes", frame.len());
        frame.resize(size, 0);
        frames.push(frame);
    }
    Stream { kind, frames, mixed: false }
}
