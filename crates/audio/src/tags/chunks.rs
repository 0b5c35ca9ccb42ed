//! The chunks of WAV files that say something about the recording: which are kept, and what becomes of each when the
//! sound is changed. One table for the readers and the writers.

mod broadcast;
mod cart;
mod ixml;
mod sampler;

use base::units::SampleRate;

use super::frame_map::FrameMap;
use super::processing::{ChangedTag, Processing};
use super::rules::TagCause;

/// A chunk, as it is in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its identifier.
    pub id: [u8; 4],
    /// The sample rate in which it counts times.
    pub rate: SampleRate,
    /// Its contents.
    pub data: Vec<u8>,
}

impl Chunk {
    /// Returns its name: the identifier without blanks.
    pub fn name(&self) -> String {
        name(self.id)
    }
}

/// Returns the name of a chunk: its identifier without blanks at the end.
pub(super) fn name(id: [u8; 4]) -> String {
    id.iter().map(|byte| char::from(*byte)).collect::<String>().trim_end().to_owned()
}

/// What a kept chunk contains that follows the sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkContent {
    /// The broadcast extension.
    Broadcast,
    /// The XML of recorders on film sets.
    Ixml,
    /// The loops and the pitch of a sampler.
    Sampler,
    /// The pitch and the ranges of an instrument.
    Instrument,
    /// The cart chunk of radio automation.
    Cart,
    /// Nothing that could be changed.
    Opaque,
}

/// A kind of chunk that is kept.
#[derive(Debug)]
pub struct ChunkRow {
    /// Its identifier.
    pub id: [u8; 4],
    /// Its subject and source.
    pub about: &'static str,
    /// What it contains.
    pub content: ChunkContent,
    /// The changes that make it false as a whole: it is left out then.
    pub causes: &'static [TagCause],
    /// What follows the sound, in words; empty if nothing does.
    pub follows: &'static str,
}

use TagCause::{Channels, Cut, Encoding, Level, Mixed, Pitch, Tempo};

/// The chunks that are kept. WAV, RF64 and BW64 have them, and no other format that is written here.
pub static CHUNKS: [ChunkRow; 9] = [
    ChunkRow {
        id: *b"bext",
        about: "Broadcast extension (EBU Tech 3285)",
        content: ChunkContent::Broadcast,
        causes: &[],
        follows: "The time reference moves with the first frame. Loudness values are left out if the level or the \
                  channels change or the recording is cut, the UMID if it becomes another recording.",
    },
    ChunkRow {
        id: *b"iXML",
        about: "Scene, take, tracks and times (iXML 3)",
        content: ChunkContent::Ixml,
        causes: &[],
        follows: "Time stamps, sync points and the sample rate follow. The list of tracks is left out if the channels \
                  change, the rest as in `bext`.",
    },
    ChunkRow {
        id: *b"cart",
        about: "Radio automation (AES46)",
        content: ChunkContent::Cart,
        causes: &[],
        follows: "Post timers move with their sound; those whose sound is gone are cleared.",
    },
    ChunkRow {
        id: *b"smpl",
        about: "Loops and pitch of a sampler (RIFF)",
        content: ChunkContent::Sampler,
        causes: &[Mixed],
        follows: "Loops move with their sound; those whose sound is gone, or in pieces, are left out. The note is \
                  transposed.",
    },
    ChunkRow {
        id: *b"inst",
        about: "Note and ranges of an instrument (RIFF)",
        content: ChunkContent::Instrument,
        causes: &[Mixed],
        follows: "The note is transposed.",
    },
    ChunkRow {
        id: *b"acid",
        about: "Beats and tempo of a loop (ACID)",
        content: ChunkContent::Opaque,
        causes: &[Cut, Mixed, Tempo, Pitch],
        follows: "",
    },
    ChunkRow {
        id: *b"axml",
        about: "XML metadata, such as that of the Audio Definition Model (EBU Tech 3285 supplement 5)",
        content: ChunkContent::Opaque,
        causes: &[Level, Cut, Mixed, Tempo, Channels],
        follows: "",
    },
    ChunkRow {
        id: *b"chna",
        about: "Tracks of the Audio Definition Model (ITU-R BS.2088)",
        content: ChunkContent::Opaque,
        causes: &[Level, Cut, Mixed, Tempo, Channels],
        follows: "",
    },
    ChunkRow {
        id: *b"_PMX",
        about: "XMP metadata (Adobe)",
        content: ChunkContent::Opaque,
        causes: &[Cut, Mixed, Tempo],
        follows: "",
    },
];

/// Chunks that only describe the former file and its samples. They are left out without a word. Tags and markers are
/// read from others of them.
const OF_THE_FILE: [&[u8; 4]; 19] = [
    b"fmt ", b"data", b"fact", b"ds64", b"cue ", b"plst", b"LIST", b"list", b"id3 ", b"ID3 ", b"JUNK", b"junk",
    b"PAD ", b"FLLR", b"PEAK", b"levl", b"MD5 ", b"ovwf", b"minf",
];

/// Returns the row of a chunk that is kept.
pub fn row(id: [u8; 4]) -> Option<&'static ChunkRow> {
    CHUNKS.iter().find(|row| row.id == id)
}

/// Returns whether a chunk says nothing that a written file lacks without it.
pub(super) fn is_of_the_file(id: [u8; 4]) -> bool {
    OF_THE_FILE.iter().any(|known| **known == id)
}

/// What becomes of a chunk.
pub(super) struct Change<'a> {
    pub processing: &'a Processing,
    pub map: &'a FrameMap,
    /// The sample rate of the chunk's times.
    pub rate: SampleRate,
    /// What was left out of it, and why.
    pub left_out: Vec<(&'static str, TagCause)>,
}

impl Change<'_> {
    /// Returns the first of these causes that the processing has.
    fn by(&self, causes: &[TagCause]) -> Option<TagCause> {
        causes.iter().copied().find(|cause| self.processing.does(*cause))
    }

    /// Returns why times are no longer known.
    fn of_times(&self) -> TagCause {
        self.by(&[Cut, Mixed, Tempo]).unwrap_or(Cut)
    }

    /// Returns the sample rate of the file.
    fn new_rate(&self) -> SampleRate {
        self.map.rate().unwrap_or(self.rate)
    }

    /// Returns a time of the day of the first frame, in frames of the file; `None` if the first frame is another sound.
    fn time_of_day(&self, frames: u64) -> Option<u64> {
        let first = self.map.first()?;
        Some(self.at_new_rate(frames.saturating_add(first)))
    }

    /// Returns a time in frames of the file.
    fn at_new_rate(&self, frames: u64) -> u64 {
        let scaled = u128::from(frames) * u128::from(self.new_rate().hz()) / u128::from(self.rate.hz());
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }

    /// Returns where a moment is in the file, the end of the recording included.
    fn moment(&self, frame: u64) -> Option<u64> {
        self.map.frame(frame).or_else(|| self.map.region(frame..frame).map(|end| end.start))
    }

    /// Returns whether times are as they were.
    fn keeps_times(&self) -> bool {
        self.map.is_same() && self.new_rate() == self.rate
    }
}

/// Returns the chunks of a file that the processing makes of a recording with these, and what is left out of them.
pub(super) fn processed(chunks: &[Chunk], processing: &Processing) -> (Vec<Chunk>, Vec<ChangedTag>) {
    let map = processing.frames();
    let (mut kept, mut told) = (Vec::new(), Vec::new());
    for chunk in chunks {
        let Some(row) = row(chunk.id) else { continue };
        let name = chunk.name();
        let mut tell = |what: &str, cause| {
            let tag = [name.as_str(), what].join(" ").trim_end().to_owned();
            told.push(ChangedTag { tag, old: String::new(), new: None, cause });
        };
        let mut change = Change { processing, map: &map, rate: chunk.rate, left_out: Vec::new() };
        if let Some(cause) = change.by(row.causes) {
            tell("", cause);
            continue;
        }
        let mut data = chunk.data.clone();
        let is_kept = match row.content {
            ChunkContent::Broadcast => broadcast::change(&mut data, &mut change),
            ChunkContent::Ixml => ixml::change(&mut data, &mut change),
            ChunkContent::Sampler => sampler::change(&mut data, &mut change),
            ChunkContent::Instrument => sampler::change_instrument(&mut data, &mut change),
            ChunkContent::Cart => cart::change(&mut data, &mut change),
            ChunkContent::Opaque => true,
        };
        change.left_out.iter().for_each(|(what, cause)| tell(what, *cause));
        if is_kept {
            kept.push(Chunk { data, rate: change.new_rate(), ..chunk.clone() });
        }
    }
    (kept, told)
}

/// Returns the semitones by which a note goes up; `Err` with the cause if that cannot be said.
fn semitones(change: &Change<'_>) -> Result<f64, TagCause> {
    change.processing.semitones().ok_or(Pitch)
}

fn le32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..).and_then(|bytes| bytes.first_chunk()).copied().map(u32::from_le_bytes)
}

fn put_le32(bytes: &mut [u8], at: usize, value: u32) {
    if let Some(place) = bytes.get_mut(at..at + 4) {
        place.copy_from_slice(&value.to_le_bytes());
    }
}
