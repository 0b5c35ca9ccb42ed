//! Whole files: beyond the limit of RIFF, in memory, on a full disk.

use super::*;
use crate::AudioFile;
use base::units::SampleRate;

fn audio(frames: usize) -> AudioBuffer {
    let sample = |n: usize| ((n * 2_654_435_761) % 65_536) as f32 / 32_768.0 - 1.0;
    AudioBuffer::from_channels(vec![(0..frames).map(sample).collect(), (1..=frames).map(sample).collect()])
}

fn encoder(target: &Path, format: FileFormat) -> Result<Encoder> {
    let settings =
        EncodeSettings { format, sample: SampleFormat::Int16, dither: Dither::None, ..EncodeSettings::default() };
    let format = AudioFormat::new(SampleRate::new(48_000)?, 2);
    Encoder::create(target, &settings, format, true, &[])
}

#[test]
fn beyond_the_limit_of_riff_the_file_is_rf64_and_reads_the_same() -> Result<()> {
    let folder = tempfile::tempdir().map_err(|e| Error::Internal(e.to_string()))?;
    let path = folder.path().join("long.wav");
    let audio = audio(5001);
    let mut tags = Tags::default();
    tags.items.insert("TITLE".into(), "Long".into());
    for (limit, id) in [(10_000, b"RF64"), (1 << 20, b"RIFF")] {
        let mut encoder = encoder(&path, FileFormat::Wav)?;
        if let Container::Wav(wav) = &mut encoder.container {
            wav.set_riff_limit(limit);
        }
        encoder.write(&audio)?;
        encoder.finish_with(&tags)?;
        let bytes = std::fs::read(&path).map_err(|e| Error::io("read", &path, e))?;
        assert_eq!(&bytes[..4], id);
        if id == b"RF64" {
            assert_eq!(&bytes[4..8], &[0xff; 4]);
            assert_eq!(&bytes[12..16], b"ds64");
            assert_eq!(bytes[20..28], (bytes.len() as u64 - 8).to_le_bytes());
            assert_eq!(bytes[28..36], (5001u64 * 4).to_le_bytes());
            assert_eq!(bytes[36..44], 5001u64.to_le_bytes());
        }
        let file = AudioFile::open(&path)?;
        assert_eq!((file.info().frames, file.info().warnings.len()), (5001, 0), "{:?}", file.info().warnings);
        let mut back = AudioBuffer::default();
        file.reader()?.read(&mut back, 6000)?;
        assert_eq!(back, audio);
    }
    Ok(())
}

#[test]
fn in_memory_are_the_bytes_of_the_file() -> Result<()> {
    let folder = tempfile::tempdir().map_err(|e| Error::Internal(e.to_string()))?;
    let path = folder.path().join("file");
    let audio = audio(70_001);
    for kind in [FileFormat::Wav, FileFormat::Flac, FileFormat::Vorbis, FileFormat::Opus] {
        let mut on_disk = encoder(&path, kind)?;
        on_disk.write(&audio)?;
        let (settings, format) = (on_disk.settings, on_disk.format);
        let written = on_disk.finish()?;
        let in_memory = || -> Result<Encoder> {
            let mut encoder = Encoder::in_memory(&settings, format)?;
            encoder.write(&audio)?;
            Ok(encoder)
        };
        let (encoded, bytes) = in_memory()?.finish_in_memory()?;
        assert_eq!(encoded, written, "{kind:?}");
        assert!(std::fs::read(&path).is_ok_and(|file| file == bytes), "{kind:?}");
        let (file, held) = (AudioFile::open(&path)?, AudioFile::from_bytes(bytes, Path::new("held"))?);
        assert_eq!(file.info(), held.info());
        let mut blocks = [AudioBuffer::default(), AudioBuffer::default()];
        file.reader()?.read(&mut blocks[0], 80_000)?;
        held.reader()?.read(&mut blocks[1], 80_000)?;
        assert_eq!(blocks[0], blocks[1]);
        // Neither can be finished as the other.
        assert!(matches!(in_memory()?.finish(), Err(Error::Internal(_))));
        assert!(matches!(encoder(&path, kind)?.finish_in_memory(), Err(Error::Internal(_))));
    }
    assert!(matches!(AudioFile::from_bytes(Vec::new(), Path::new("held")), Err(Error::Malformed { .. })));
    Ok(())
}

#[test]
fn a_full_disk_is_told_with_the_files_name_and_leaves_nothing() -> Result<()> {
    let folder = tempfile::tempdir().map_err(|e| Error::Internal(e.to_string()))?;
    let audio = audio(200_000);
    for format in [FileFormat::Wav, FileFormat::Flac, FileFormat::Vorbis, FileFormat::Opus] {
        // In the middle of the audio, and within its last bytes.
        let rooms = if format.is_lossy() { [0, 100, 20_000, 30_000] } else { [0, 100, 300_000, 700_000] };
        for room in rooms {
            let path = folder.path().join("full");
            let mut encoder = encoder(&path, format)?;
            encoder.fail_after(room);
            let written = (0..4).try_for_each(|_| encoder.write(&audio)).and_then(|()| encoder.finish());
            let message = written.err().map(|error| error.to_string()).unwrap_or_default();
            assert!(message.starts_with("The disk is full.") && message.ends_with("full"), "{room}: {message}");
            assert_eq!(std::fs::read_dir(folder.path()).map(Iterator::count).ok(), Some(0));
        }
    }
    Ok(())
}
