//! Planar audio, the streams that carry it, and the files that it is read from and written to.

mod aac;
mod channel_order;
mod checksums;
mod codec;
mod codec_names;
mod container;
mod decode;
pub mod demo;
mod durations;
mod ebml;
pub mod encode;
mod file;
mod file_format;
mod file_kinds;
mod flac;
mod guarded;
mod ima4;
pub mod marker_copy;
pub mod markers;
mod mpeg;
mod opus_streams;
mod packets;
mod parts;
mod pcm;
mod probe;
mod probed;
mod refused_kinds;
mod reordered;
mod source;
pub mod tags;
mod text;
mod unread;
mod vorbis;

pub use base::sound::{
    AudioBuffer, AudioFormat, AudioReader, ChannelMix, Damage, Lanes, Layout, MemoryReader, RangeReader, Speaker,
    read_ahead,
};
pub use codec::is_lossless;
pub use file::{AudioFile, FileInfo, READING_VERSION};
pub use file_kinds::{FILE_KINDS, FileKind, file_extensions};
pub use guarded::guarded;
pub use markers::{Marker, MarkerList};
pub use tags::{CoverChange, Picture, TagChanges, Tags};
