//! Measures the recording offset of an output and an input that a cable connects, or the air.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::Clocks;
use crate::playback::live::{burst, burst_in, not_heard};
use crate::playback::{ChainSource, HeardLog, OutputInfo, Player};
use crate::recording::{Recorder, RecorderState, Take, TakeEnd, free_name};
use audio::encode::SampleFormat;
use audio::{AudioBuffer, AudioFile, AudioReader, MemoryReader};
use base::error::{Error, Result};
use base::progress::Progress;
use base::units::SampleRate;
use effects::chain::{Chain, Placement};

/// The longest recording offset in seconds, in both directions.
pub const MAX_OFFSET_S: f64 = 2.0;
/// The silence before the test sound, in seconds, for recording the times of many calls.
const LEAD_S: f64 = 1.0;
/// The time in seconds that the input is recorded after the test sound.
const TAIL_S: f64 = 2.0;
/// How long a measurement may take.
const LIMIT: Duration = Duration::from_secs(15);
/// How often it is tried.
const TRIES: usize = 5;
/// Results that are no further apart than this agree, in seconds.
const AGREE_S: f64 = 0.000_5;
const PAUSE: Duration = Duration::from_millis(10);

/// A recording offset that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredOffset {
    /// The offset in frames of the input.
    pub frames: f64,
    /// The output that it was measured on.
    pub output: OutputInfo,
}

/// Plays a short noise of -20 dBFS through the player, records it, and returns its delay in frames of the input beyond
/// that reported by the devices. Repeats this until two results agree, and otherwise takes the median of three. `open`
/// opens the input; the takes are temporary files in `folder`. Unloads the player's recording.
///
/// # Errors
/// [`Error::Capture`] if the noise does not come back; [`Error::Impossible`] if sound was lost meanwhile.
pub fn measure_offset(
    player: &Player,
    open: impl Fn() -> Result<Recorder>,
    folder: &Path,
    progress: &Progress,
) -> Result<MeasuredOffset> {
    let mut found: Vec<MeasuredOffset> = Vec::new();
    let (mut refused, mut is_unheard) = (None, false);
    for _ in 0..TRIES {
        let recorder = open()?;
        let near = AGREE_S * recorder.format().rate.as_f64();
        let path = free_name(folder, "Recording offset");
        let result = measured(player, recorder, &path, progress);
        player.load(None, Chain::default());
        let _ = std::fs::remove_file(&path);
        match result {
            Ok(next) => {
                if let Some(same) = found.iter().find(|one| (one.frames - next.frames).abs() <= near) {
                    return Ok(MeasuredOffset { frames: rounded(f64::midpoint(same.frames, next.frames)), ..next });
                }
                found.push(next);
            }
            // A busy machine loses sound now and then, so only a noise unheard twice counts as missing.
            Err(error @ Error::Impossible(_)) => refused = Some(error),
            Err(error @ Error::Capture(_)) if !is_unheard => {
                is_unheard = true;
                refused = Some(error);
            }
            Err(error) => return Err(error),
        }
        if found.len() == 3 {
            break;
        }
    }
    found.sort_by(|one, other| one.frames.total_cmp(&other.frames));
    let middle = found.len() / 2;
    found.into_iter().nth(middle).ok_or_else(|| refused.unwrap_or_else(disturbed))
}

/// Hundredths are far below the accuracy of the devices' times.
fn rounded(frames: f64) -> f64 {
    (100.0 * frames).round() / 100.0
}

fn measured(player: &Player, recorder: Recorder, path: &Path, progress: &Progress) -> Result<MeasuredOffset> {
    let rate = recorder.format().rate;
    let burst = burst();
    let lead = rate.frames_from_seconds(LEAD_S) as usize;
    // At the rate of the input, so that only the output converts it if its rate is another one.
    player.load(Some(Arc::new(source(&burst, lead, rate)?)), Chain::default());
    player.set_repeat(None);
    let log = player.watch();
    let take = Take {
        path: path.to_path_buf(),
        sample: SampleFormat::Float32,
        length_s: None,
        start_at_db: None,
        preroll_s: 0.0,
        belongs: None,
    };
    recorder.begin(&take, None)?;
    player.play(0, None);
    wait(&recorder, &log, lead + burst.len(), rate, progress)?;
    let (heard, captured) = (log.read(), recorder.captured());
    let status = recorder.stop();
    if let Some(TakeEnd::Problem(why)) = status.end {
        return Err(Error::Capture(why));
    }
    let [part] = heard.parts[..] else { return Err(disturbed()) };
    if heard.underruns > 0 || status.losses > 0 {
        return Err(disturbed());
    }
    let clocks = Clocks::of(&heard, &captured).ok_or_else(disturbed)?;
    let expected = clocks.take_frame_of(&part, lead as u64, rate);
    let samples = mixed(path)?;
    let from = (expected - MAX_OFFSET_S * rate.as_f64()).max(0.0) as usize;
    let found = burst_in(&burst, &samples, from.min(samples.len())).ok_or_else(not_heard)?;
    let frames = found as f64 - expected;
    if frames.abs() > MAX_OFFSET_S * rate.as_f64() {
        return Err(not_heard());
    }
    let output = heard.output.ok_or_else(disturbed)?;
    Ok(MeasuredOffset { frames: rounded(frames), output })
}

/// Waits until the test sound was played and the input was heard for long enough after it.
fn wait(recorder: &Recorder, log: &HeardLog, played: usize, rate: SampleRate, progress: &Progress) -> Result<()> {
    let begun = Instant::now();
    let mut until = None;
    loop {
        progress.check()?;
        let status = recorder.status();
        if status.state == RecorderState::Ended {
            return Ok(());
        }
        if let Some(problem) = log.with(|heard| heard.problem.clone()) {
            return Err(Error::Sound(problem));
        }
        // The stream goes on after the end while the output runs.
        if until.is_none() && log.with(|heard| heard.ended || heard.reached().is_some_and(|at| at >= played as u64)) {
            until = Some(status.frames + rate.frames_from_seconds(TAIL_S));
        }
        if until.is_some_and(|until| status.frames >= until) {
            return Ok(());
        }
        if begun.elapsed() > LIMIT {
            return Err(not_heard());
        }
        thread::sleep(PAUSE);
    }
}

/// The test sound between silences, in one channel, which is sent to all output channels.
fn source(burst: &[f32], lead: usize, rate: SampleRate) -> Result<ChainSource> {
    let mut samples = vec![0.0; lead];
    samples.extend_from_slice(burst);
    samples.resize(samples.len() + lead / 2, 0.0);
    let samples = Arc::new(AudioBuffer::from_channels(vec![samples]));
    let open = move || Ok(Box::new(MemoryReader::new(rate, Arc::clone(&samples))) as Box<dyn AudioReader>);
    ChainSource::new(Arc::new(open), Placement::cpu())
}

/// Returns the sum of the channels of a take.
fn mixed(path: &Path) -> Result<Vec<f32>> {
    let mut all = AudioBuffer::default();
    AudioFile::open(path)?.reader()?.read(&mut all, usize::MAX)?;
    Ok((0..all.frames()).map(|n| all.iter().map(|channel| channel[n]).sum()).collect())
}

fn disturbed() -> Error {
    Error::impossible("Sound was lost while it was measured. End what else works now and measure again")
}
