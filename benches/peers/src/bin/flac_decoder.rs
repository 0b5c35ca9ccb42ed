//! Our FLAC decoder against Symphonia's: seconds to read whole files, and whether both give the same samples.
//!
//! Arguments: FLAC files of up to 24 bits. Ours is measured twice: with the MD5 of the stream, which a read from the
//! first frame on checks on other threads, and without it, in a read that begins at the second block. Symphonia does
//! not check it.

use std::fs::File;
use std::path::Path;
use std::time::Instant;

use symphonia::core::codecs::audio::AudioDecoderOptions;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, TrackType};
use symphonia::core::io::MediaSourceStream;
use symphonia::core::meta::MetadataOptions;
use undertone::audio::{AudioBuffer, AudioFile};

const ROUNDS: usize = 5;
/// No block of FLAC is longer.
const LONGEST_BLOCK: u64 = 65_535;

fn main() {
    println!("| file | Symphonia, s | ours, s | ratio | ours with MD5, s | ratio | same samples |");
    println!("|---|---|---|---|---|---|---|");
    for path in std::env::args().skip(1) {
        let path = Path::new(&path);
        let (mut peer, mut plain, mut checked) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
        let mut sums = [0.0; 2];
        for _ in 0..ROUNDS {
            let started = Instant::now();
            sums[0] = symphonia(path);
            peer = peer.min(started.elapsed().as_secs_f64());
            let started = Instant::now();
            sums[1] = ours(path, 0);
            checked = checked.min(started.elapsed().as_secs_f64());
            let started = Instant::now();
            ours(path, LONGEST_BLOCK);
            plain = plain.min(started.elapsed().as_secs_f64());
        }
        println!(
            "| {} | {peer:.3} | {plain:.3} | {:.2} | {checked:.3} | {:.2} | {} |",
            path.display(),
            peer / plain,
            peer / checked,
            sums[0] == sums[1]
        );
    }
}

/// Reads a file from frame `from` on. Returns a sum of its samples that depends on their order.
fn ours(path: &Path, from: u64) -> f64 {
    let mut reader = AudioFile::open(path).unwrap().reader().unwrap();
    reader.seek(from).unwrap();
    let (mut block, mut sum) = (AudioBuffer::default(), 0.0);
    loop {
        reader.read(&mut block, 65_536).unwrap();
        if block.is_empty() {
            return sum;
        }
        sum = block.channel(0).iter().fold(sum, |sum, sample| sum * 0.5 + f64::from(*sample));
    }
}

fn symphonia(path: &Path) -> f64 {
    let stream = MediaSourceStream::new(Box::new(File::open(path).unwrap()), Default::default());
    let mut format = symphonia::default::get_probe()
        .probe(&Hint::new(), stream, FormatOptions::default(), MetadataOptions::default())
        .unwrap();
    let track = format.default_track(TrackType::Audio).unwrap();
    let parameters = track.codec_params.as_ref().and_then(|all| all.audio()).unwrap().clone();
    let mut decoder =
        symphonia::default::get_codecs().make_audio_decoder(&parameters, &AudioDecoderOptions::default()).unwrap();
    let (mut planes, mut sum) = (Vec::<Vec<f32>>::new(), 0.0);
    while let Ok(Some(packet)) = format.next_packet() {
        decoder.decode(&packet).unwrap().copy_to_vecs_planar(&mut planes);
        sum = planes[0].iter().fold(sum, |sum, sample| sum * 0.5 + f64::from(*sample));
    }
    sum
}
