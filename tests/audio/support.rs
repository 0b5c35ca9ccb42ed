//! The parts of `tests/support` that this program uses.

#![allow(dead_code, reason = "each program uses a part of them")]

#[path = "../support/aac.rs"]
pub mod aac;
#[path = "../support/ebml.rs"]
pub mod ebml;
#[path = "../support/files.rs"]
pub mod files;
#[path = "../support/flac.rs"]
pub mod flac;
#[path = "../support/mp4.rs"]
pub mod mp4;
#[path = "../support/mpeg.rs"]
pub mod mpeg;
#[path = "../support/opening.rs"]
pub mod opening;
#[path = "../support/tagged.rs"]
pub mod tagged;
#[path = "../support/wave64.rs"]
pub mod wave64;

pub use files::reference;

use audio::{AudioBuffer, AudioFile};

/// Asserts that a read from frame `at` on has the samples that the whole has there.
pub fn assert_reads_from(file: &AudioFile, at: u64, whole: &AudioBuffer) {
    let mut part = AudioBuffer::default();
    let mut reader = file.reader().unwrap();
    reader.seek(at).unwrap();
    reader.read(&mut part, 3000).unwrap();
    for (got, whole) in part.iter().zip(whole.iter()) {
        assert!(*got == whole[at as usize..at as usize + got.len()], "other samples from {at} on");
    }
}
