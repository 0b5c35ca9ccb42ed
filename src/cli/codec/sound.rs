//! Recordings before and after a model.

use std::path::Path;

use super::arguments::SoundFile;
use crate::audio::encode::LossySettings;
use crate::audio::tags::{FrameMap, Processing, TagCause};
use crate::audio::{AudioBuffer, MarkerList};
use crate::chain::{Chain, Placement};
use crate::cli::options::{dither_for, file_format};
use crate::codecs::neural::NeuralCodec;
use crate::codecs::{Codec, Sound};
use crate::compare::MAX_SAMPLES;
use crate::effects::Permission;
use crate::error::{Error, Result};
use crate::files::{Protected, check_target as check};
use crate::library::answers::only_copies;
use crate::progress::Progress;
use crate::units::SampleRate;
use crate::work::Directories;
use crate::work::export::{self, ExportInput, ExportJob, ExportSettings, Tagging};

/// A recording, and at the rate of a model.
pub struct Read {
    /// The recording's rate.
    pub rate: SampleRate,
    /// The recording's length.
    pub frames: u64,
    /// At the model's rate.
    pub converted: Sound,
}

/// Reads a recording for a codec.
pub fn read(path: &Path, codec: &NeuralCodec, progress: &Progress) -> Result<Read> {
    let input = ExportInput::open(path, &Permission::ANY)?;
    let Some(file) = input.recording() else {
        return Err(Error::impossible(
            "A project has a chain of its own. Render it with `process`, then encode the result.",
        ));
    };
    let format = codec.format_for(input.format())?;
    let sound = Sound::read(file.reader()?.as_mut(), MAX_SAMPLES, progress)?;
    let converted = sound.converted(format.rate, MAX_SAMPLES, progress)?;
    Ok(Read { rate: sound.rate, frames: sound.frames(), converted })
}

/// Returns a decoded sound at the rate and length of its recording.
pub fn at(sound: &Sound, rate: SampleRate, frames: u64, progress: &Progress) -> Result<Sound> {
    let converted = sound.converted(rate, MAX_SAMPLES, progress)?;
    if converted.frames() == frames {
        return Ok(converted);
    }
    // Rounded lengths of a conversion there and back differ by a frame.
    let resized = converted.samples.iter().map(|channel| {
        let mut channel = channel.to_vec();
        channel.resize(frames as usize, 0.0);
        channel
    });
    Ok(Sound::new(rate, AudioBuffer::from_channels(resized.collect())).with_layout(converted.format().layout()))
}

/// Returns the files that must not be replaced: the input and the model, and the library's only copies.
pub fn protected(input: &Path, model: &Path) -> Result<Protected> {
    let directories = Directories::of_this_user()?;
    let of_model = ["", "config.json", "model.safetensors", "pytorch_model.bin"].map(|name| model.join(name));
    let read = [input.to_path_buf(), model.to_path_buf()];
    Ok(export::protected(&[input.to_path_buf()]).with(read).with(of_model).guarded(only_copies(directories.data())))
}

/// Refuses what cannot be written before anything is worked on.
pub fn check_target(words: &SoundFile, input: &Path, model: &Path) -> Result<()> {
    file_format(None, &words.output)?.check_encoder()?;
    check(&words.output, words.overwrite, &protected(input, model)?)
}

/// Writes a sound, with the tags and markers of the recording that it was made of. Returns warnings.
pub fn write(
    words: &SoundFile,
    inputs: Protected,
    sound: &Sound,
    tagged: Option<&Path>,
    progress: &Progress,
) -> Result<Vec<String>> {
    let format = file_format(None, &words.output)?;
    format.check_layout(sound.format())?;
    let dither = dither_for(None, format, words.bits);
    let (tags, markers) = match tagged {
        Some(path) => {
            let input = ExportInput::open(path, &Permission::ANY)?;
            // The output of a model is another sound of the same length.
            let channels = sound.samples.channels() != input.format().channels;
            let done = Processing::default().with(TagCause::Level, true).with(TagCause::Channels, channels);
            let done =
                if sound.format().rate == input.format().rate { done } else { done.with_frames(FrameMap::UNKNOWN) };
            (input.tagging()?.after(&done), input.markers())
        }
        None => (Tagging::default(), MarkerList::default()),
    };
    let job = ExportJob {
        source: Box::new(sound.reader()),
        chain: Chain::default(),
        placement: Placement::cpu(),
        settings: ExportSettings::plain(format, words.bits, dither, LossySettings::default()),
        target: words.output.clone(),
        overwrite: words.overwrite,
        inputs,
        tags,
        markers,
    };
    Ok(export::export(job, &progress.uncounted())?.warnings)
}
