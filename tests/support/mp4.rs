//! Writes MP4 files with samples in the index, in fragments, or in both.

#![allow(dead_code, reason = "each test uses its part")]
#![allow(clippy::trivially_copy_pass_by_ref, reason = "the names of boxes are byte strings")]

/// Returns a box.
pub fn boxed(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32 + 8).to_be_bytes() as &[u8], kind, content].concat()
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// Returns a sample description of version 0, followed by boxes.
pub fn entry(kind: &[u8; 4], channels: u16, bits: u16, rate_hz: u32, boxes: &[u8]) -> Vec<u8> {
    let halves = [0, 0, 0, 1, 0, 0, 0, 0, channels, bits, 0, 0];
    let fixed: Vec<u8> = halves.iter().flat_map(|half| half.to_be_bytes()).collect();
    boxed(kind, &[&fixed, &(rate_hz << 16).to_be_bytes() as &[u8], boxes].concat())
}

/// Returns the `esds` box of an object type without a configuration.
pub fn esds(object_type: u8) -> Vec<u8> {
    let decoder = [&[4, 13, object_type] as &[u8], &[0; 12]].concat();
    let content = [&[0, 0, 0, 0, 3, decoder.len() as u8 + 3, 0, 1, 0] as &[u8], &decoder].concat();
    boxed(b"esds", &content)
}

/// How the sizes of samples are stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// Each one.
    Each,
    /// One size of all.
    Constant(u32),
}

/// How a fragment states its samples.
#[derive(Clone, Copy, Debug)]
pub struct Fragment {
    /// The number of its samples.
    pub samples: usize,
    /// Whether each sample has its size and ticks; otherwise all have those of the first one of the fragment and of the
    /// file, as a default.
    pub each: bool,
    /// Whether the default is that of the whole file.
    pub general: bool,
    /// Whether the run states where its samples begin, or the fragment, from the file's beginning.
    pub relative: bool,
    /// Samples in each run.
    pub run: usize,
}

/// A file with one track.
#[derive(Clone, Debug)]
pub struct Mp4 {
    /// The sample description.
    pub entry: Vec<u8>,
    pub rate_hz: u32,
    pub samples: Vec<Vec<u8>>,
    /// The ticks of each sample.
    pub ticks: Vec<u32>,
    /// Samples in the index; the others are in fragments.
    pub indexed: usize,
    /// Samples in each chunk of the index.
    pub chunk: usize,
    pub sizes: Sizes,
    /// The samples that the index counts, if that is not the number of samples.
    pub counted: Option<u32>,
    pub fragments: Vec<Fragment>,
}

impl Mp4 {
    /// Returns a file of samples in one chunk, without fragments.
    pub fn new(entry: Vec<u8>, rate_hz: u32, samples: Vec<Vec<u8>>, ticks: u32) -> Self {
        let (count, ticks) = (samples.len(), vec![ticks; samples.len()]);
        let (chunk, sizes, counted) = (count, Sizes::Each, None);
        Self { entry, rate_hz, samples, ticks, indexed: count, chunk, sizes, counted, fragments: Vec::new() }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let kind = boxed(b"ftyp", b"isom\0\0\x02\0isomiso2mp41");
        // The index has the same size wherever the sound begins.
        let begin = (kind.len() + self.movie(0).len() + 8) as u32;
        let mut out = [kind, self.movie(begin), boxed(b"mdat", &self.samples[..self.indexed].concat())].concat();
        let mut next = self.indexed;
        for (number, fragment) in self.fragments.iter().enumerate() {
            let range = next..(next + fragment.samples).min(self.samples.len());
            next = range.end;
            let offset = out.len();
            let head = self.fragment(*fragment, number as u32, range.clone(), 0, offset).len();
            out.extend(self.fragment(*fragment, number as u32, range.clone(), head as u32 + 8, offset));
            out.extend(boxed(b"mdat", &self.samples[range].concat()));
        }
        out
    }

    fn movie(&self, begin: u32) -> Vec<u8> {
        let samples = &self.samples[..self.indexed];
        let total: u32 = self.ticks.iter().sum();
        let (mut times, mut offsets, mut at) = (Vec::new(), Vec::new(), begin);
        self.ticks[..self.indexed].iter().for_each(|ticks| times.extend([1, *ticks]));
        let per_chunk = self.chunk.max(1);
        for chunk in samples.chunks(per_chunk) {
            offsets.push(at);
            at += chunk.iter().map(|sample| sample.len() as u32).sum::<u32>();
        }
        let counted = self.counted.unwrap_or(samples.len() as u32);
        let sizes = match self.sizes {
            Sizes::Constant(size) => vec![0, size, counted],
            Sizes::Each => {
                [vec![0, 0, counted], samples.iter().map(|sample| sample.len() as u32).collect::<Vec<_>>()].concat()
            }
        };
        let in_chunk = if offsets.len() == 1 { counted } else { per_chunk as u32 };
        let runs: &[u32] = if samples.is_empty() { &[0, 0] } else { &[0, 1, 1, in_chunk, 1] };
        let table = [
            boxed(b"stsd", &[words(&[0, 1]), self.entry.clone()].concat()),
            boxed(b"stts", &words(&[vec![0, times.len() as u32 / 2], times].concat())),
            boxed(b"stsc", &words(runs)),
            boxed(b"stsz", &words(&sizes)),
            boxed(b"stco", &words(&[vec![0, offsets.len() as u32], offsets].concat())),
        ];
        let media = [
            boxed(b"mdhd", &words(&[0, 0, 0, self.rate_hz, total, 0x55c4_0000])),
            boxed(b"hdlr", b"\0\0\0\0\0\0\0\0soun\0\0\0\0\0\0\0\0\0\0\0\0\0"),
            boxed(b"minf", &[boxed(b"smhd", &[0; 8]), boxed(b"stbl", &table.concat())].concat()),
        ];
        let track =
            [boxed(b"tkhd", &[words(&[7, 0, 0, 1, 0, total]), vec![0; 60]].concat()), boxed(b"mdia", &media.concat())];
        let mut movie = [
            boxed(b"mvhd", &[words(&[0, 0, 0, self.rate_hz, total, 1 << 16]), vec![0; 76]].concat()),
            boxed(b"trak", &track.concat()),
        ]
        .concat();
        if !self.fragments.is_empty() {
            let size = self.samples.last().map_or(0, |sample| sample.len() as u32);
            movie.extend(boxed(b"mvex", &boxed(b"trex", &words(&[0, 1, 1, self.ticks[self.indexed], size, 0]))));
        }
        boxed(b"moov", &movie)
    }

    /// Returns the `moof` box of a fragment at `offset`, whose samples begin `data` bytes behind it.
    fn fragment(
        &self,
        fragment: Fragment,
        number: u32,
        range: std::ops::Range<usize>,
        data: u32,
        offset: usize,
    ) -> Vec<u8> {
        let first = self.samples[range.clone()].first().map_or(0, |sample| sample.len() as u32);
        let has_default = !fragment.each && !fragment.general;
        let flags = if fragment.relative { 0x2_0000 } else { 1 } | if has_default { 0x10 } else { 0 };
        let mut head = words(&[flags, 1]);
        if !fragment.relative {
            head.extend((offset as u64 + u64::from(data)).to_be_bytes());
        }
        if has_default {
            head.extend(first.to_be_bytes());
        }
        let mut runs = boxed(b"tfhd", &head);
        let mut next = range.start;
        for run in self.samples[range.clone()].chunks(fragment.run.max(1)) {
            // Later runs follow the first one.
            let states_place = fragment.relative && next == range.start;
            let flags = u32::from(states_place) | if fragment.each { 0x300 } else { 0 };
            let mut rows = vec![flags, run.len() as u32];
            if states_place {
                rows.push(data);
            }
            if fragment.each {
                let ticks = &self.ticks[next..];
                rows.extend(run.iter().zip(ticks).flat_map(|(sample, ticks)| [*ticks, sample.len() as u32]));
            }
            next += run.len();
            runs.extend(boxed(b"trun", &words(&rows)));
        }
        boxed(b"moof", &[boxed(b"mfhd", &words(&[0, number + 1])), boxed(b"traf", &runs)].concat())
    }
}
