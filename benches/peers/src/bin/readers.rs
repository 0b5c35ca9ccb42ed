//! Our container readers against Symphonia's: stated length and decoded length, seeking, and time to open.
//!
//! Needs `ffmpeg`, which makes the files. The decoders are the same on both sides, so that differences are the
//! readers'. A seek is exact if the samples after it equal those of the straight read at the same frame.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use symphonia::core::codecs::audio::AudioDecoderOptions;
use symphonia::core::errors::Error;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, FormatReader, SeekMode, SeekTo, TrackType};
use symphonia::core::io::MediaSourceStream;
use symphonia::core::meta::MetadataOptions;
use symphonia::core::units::Timestamp;
use undertone::audio::{AudioBuffer, AudioFile};

const RATE: u32 = 48_000;
const FRAMES: usize = 60 * RATE as usize + 1_234;
/// Where seeks go, as a share of the length.
const PLACES: [f64; 5] = [0.9, 0.1, 0.5, 0.0003, 0.7];
/// Frames compared after a seek.
const COMPARED: usize = 2_000;
const OPENINGS: usize = 20;

/// A file's name and the arguments with which `ffmpeg` makes it.
const FILES: &[(&str, &str)] = &[
    ("pcm.wav", "-c:a pcm_s16le"),
    ("pcm.aiff", "-c:a pcm_s16be"),
    ("pcm.caf", "-c:a pcm_s16be"),
    ("lossless.flac", "-c:a flac"),
    ("cbr.mp3", "-c:a libmp3lame -b:a 192k"),
    ("vbr.mp3", "-c:a libmp3lame -q:a 4"),
    ("no-header.mp3", "-c:a libmp3lame -q:a 4 -write_xing 0 -id3v2_version 0"),
    ("frames.aac", "-c:a aac -b:a 160k"),
    ("aac.m4a", "-c:a aac -b:a 160k"),
    ("fragments.m4a", "-c:a aac -b:a 160k -movflags frag_keyframe+empty_moov -frag_duration 1000000"),
    ("alac.m4a", "-c:a alac"),
    ("alac.caf", "-c:a alac"),
    ("vorbis.ogg", "-c:a libvorbis -q:a 5"),
    ("opus.opus", "-c:a libopus -b:a 128k"),
    ("aac.mka", "-c:a aac -b:a 160k"),
    ("flac.mka", "-c:a flac"),
    ("vorbis.webm", "-c:a libvorbis -q:a 5"),
];

struct Answer {
    open_ms: f64,
    told: Option<u64>,
    decoded: usize,
    exact_seeks: usize,
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source.wav");
    write_source(&source);
    println!("| file | true frames | Symphonia: told, decoded, exact seeks, ms to open | ours: the same |");
    println!("|---|---|---|---|");
    for (name, words) in FILES {
        let path = folder.path().join(name);
        let status = Command::new("ffmpeg")
            .args(["-v", "error", "-y", "-i"])
            .arg(&source)
            .args(words.split(' '))
            .arg(&path)
            .status()
            .unwrap();
        assert!(status.success(), "{name}");
        row(name, &path);
    }
    // Two streams in turn in one file, as of a radio recording.
    let (one, two) = (folder.path().join("vorbis.ogg"), folder.path().join("chained.ogg"));
    let bytes = std::fs::read(one).unwrap();
    std::fs::write(&two, [bytes.clone(), bytes].concat()).unwrap();
    row("chained.ogg", &two);
}

fn row(name: &str, path: &Path) {
    let show = |answer: Result<Answer, String>| match answer {
        Ok(answer) => format!(
            "{}, {}, {} of {}, {:.2}",
            answer.told.map_or("-".to_owned(), |told| told.to_string()),
            answer.decoded,
            answer.exact_seeks,
            PLACES.len(),
            answer.open_ms
        ),
        Err(reason) => reason,
    };
    println!("| {name} | {FRAMES} | {} | {} |", show(symphonia(path)), show(ours(path)));
}

/// Tones that move and noise, so that no two places are alike.
fn write_source(path: &Path) {
    let mut seed = 7u32;
    let samples: Vec<f32> = (0..FRAMES)
        .map(|n| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let time = n as f64 / f64::from(RATE);
            let tone = (std::f64::consts::TAU * (200.0 * time + 20.0 * time * time)).sin();
            (0.4 * tone + 0.1 * (f64::from(seed >> 8) / 16_777_216.0 - 0.5)) as f32
        })
        .collect();
    let format = undertone::audio::AudioFormat::new(undertone::units::SampleRate::new(RATE).unwrap(), 2);
    let buffer = AudioBuffer::from_channels(vec![samples.clone(), samples]);
    let settings = undertone::audio::encode::EncodeSettings::default();
    let mut encoder = undertone::audio::encode::Encoder::create(path, &settings, format, true, &[]).unwrap();
    encoder.write(&buffer).unwrap();
    encoder.finish().unwrap();
}

fn ours(path: &Path) -> Result<Answer, String> {
    let open = || AudioFile::open(path).map_err(|error| error.to_string());
    let open_ms = milliseconds(|| open().map(drop))?;
    let file = open()?;
    let mut reader = file.reader().map_err(|error| error.to_string())?;
    let (mut whole, mut block) = (Vec::new(), AudioBuffer::default());
    loop {
        reader.read(&mut block, 65_536).map_err(|error| error.to_string())?;
        if block.frames() == 0 {
            break;
        }
        whole.extend_from_slice(block.channel(0));
    }
    let mut exact_seeks = 0;
    for start in PLACES.map(|place| (place * whole.len() as f64) as usize) {
        reader.seek(start as u64).map_err(|error| error.to_string())?;
        let mut after = Vec::new();
        while after.len() < COMPARED {
            reader.read(&mut block, COMPARED - after.len()).map_err(|error| error.to_string())?;
            if block.frames() == 0 {
                break;
            }
            after.extend_from_slice(block.channel(0));
        }
        exact_seeks += usize::from(is_exact(&after, &whole, start));
    }
    Ok(Answer { open_ms, told: Some(file.info().frames), decoded: whole.len(), exact_seeks })
}

fn symphonia(path: &Path) -> Result<Answer, String> {
    let open_ms = milliseconds(|| open_symphonia(path).map(drop))?;
    let mut format = open_symphonia(path)?;
    let track = format.default_track(TrackType::Audio).ok_or("no track")?;
    let (told, id, time_base) = (track.num_frames, track.id, track.time_base);
    let parameters = track.codec_params.as_ref().and_then(|all| all.audio()).ok_or("no codec")?.clone();
    let make = || {
        symphonia::default::get_codecs()
            .make_audio_decoder(&parameters, &AudioDecoderOptions::default())
            .map_err(|error| error.to_string())
    };
    let mut decoder = make()?;
    let (mut whole, mut interleaved) = (Vec::new(), Vec::new());
    let channels = 2;
    let mut next = |format: &mut Box<dyn FormatReader>, out: &mut Vec<f32>| -> Result<Option<i64>, String> {
        loop {
            let packet = match format.next_packet() {
                Ok(Some(packet)) => packet,
                Ok(None) => return Ok(None),
                Err(Error::ResetRequired) => return Ok(None),
                Err(error) => return Err(error.to_string()),
            };
            if packet.track_id != id {
                continue;
            }
            match decoder.decode(&packet) {
                Ok(buffer) => {
                    interleaved.resize(buffer.samples_interleaved(), 0.0f32);
                    buffer.copy_to_slice_interleaved(&mut interleaved);
                    out.extend(interleaved.iter().step_by(channels));
                    return Ok(Some(packet.pts.get()));
                }
                Err(Error::DecodeError(_)) => {}
                Err(error) => return Err(error.to_string()),
            }
        }
    };
    while next(&mut format, &mut whole)?.is_some() {}
    let per_tick =
        time_base.map_or(1.0, |base| f64::from(base.numer.get()) / f64::from(base.denom.get()) * f64::from(RATE));
    let mut exact_seeks = 0;
    for start in PLACES.map(|place| (place * whole.len() as f64) as usize) {
        let ts = Timestamp::new((start as f64 / per_tick) as i64);
        let Ok(to) = format.seek(SeekMode::Accurate, SeekTo::Timestamp { ts, track_id: id }) else { continue };
        // As a player does: decode from there and drop the frames before the place.
        let mut after = Vec::new();
        let drop = (start as f64 - to.actual_ts.get() as f64 * per_tick).round().max(0.0) as usize;
        while after.len() < drop + COMPARED && next(&mut format, &mut after)?.is_some() {}
        after.drain(..drop.min(after.len()));
        exact_seeks += usize::from(is_exact(&after, &whole, start));
    }
    Ok(Answer { open_ms, told, decoded: whole.len(), exact_seeks })
}

fn open_symphonia(path: &Path) -> Result<Box<dyn FormatReader>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let stream = MediaSourceStream::new(Box::new(file), Default::default());
    symphonia::default::get_probe()
        .probe(&Hint::new(), stream, FormatOptions::default(), MetadataOptions::default())
        .map_err(|error| error.to_string())
}

fn is_exact(after: &[f32], whole: &[f32], start: usize) -> bool {
    let frames = COMPARED.min(whole.len() - start);
    after.len() >= frames && after[..frames].iter().zip(&whole[start..]).all(|(a, b)| (a - b).abs() < 1e-4)
}

fn milliseconds(mut run: impl FnMut() -> Result<(), String>) -> Result<f64, String> {
    let mut best = f64::INFINITY;
    for _ in 0..OPENINGS {
        let started = Instant::now();
        run()?;
        best = best.min(started.elapsed().as_secs_f64() * 1e3);
    }
    Ok(best)
}
