//! `undertone play`: plays a recording through a sound output.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use super::Outcome;
use super::arguments::Play;
use super::options::{chain, check_own_chain, devices_and_request};
use super::output::{Output, name};
use super::time::{range_from_texts, text_from_seconds};
use crate::chain::Placement;
use crate::device::{DeviceRequest, RunPurpose};
use crate::document::FrameRange;
use crate::effects::Permission;
use crate::error::{Error, Result};
use crate::playback::{ChainSource, OpenReader, OutputInfo, PlaybackSource, Player, outputs};
use crate::progress::Progress;
use crate::work::export::ExportInput;
use crate::work::{Directories, settings};

/// Time limit for an output to start.
const BEGIN_WITHIN: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(50);

#[derive(Serialize)]
struct Played<'a> {
    #[serde(flatten, serialize_with = "crate::files::json::as_input")]
    input: &'a Path,
    output: Option<String>,
    underruns: u64,
}

pub fn run(words: &Play, device: Option<DeviceRequest>, output: &Output) -> Result<Outcome> {
    let input = ExportInput::open(&words.file, &Permission::ANY)?;
    check_own_chain(&words.chain, &input)?;
    let (rate, frames) = (input.format().rate, input.frames());
    let chain = chain(&words.chain, output)?;
    let (FrameRange { start, end }, told) =
        range_from_texts(words.start.as_deref(), words.end.as_deref(), rate, frames)?;
    if let Some(warning) = told {
        output.note(&format!("undertone: {}: {warning}", name(&words.file)));
    }
    let preference = words.output.as_deref().map(find_output).transpose()?;
    let player = Player::new(preference.map(|found| found.id));
    let (settings, _) = settings::load(Directories::of_this_user()?.config())?;
    player.set_mutes(settings.mute_when_too_loud);
    let (devices, request) = devices_and_request(device)?;
    let placement = Placement::new(request, devices, RunPurpose::Preview);
    let tracks = placement.clone();
    // As in `process`, the chain treats an excerpt as a separate recording.
    let is_excerpt = (start, end) != (0, frames) && !chain.nodes.is_empty();
    let chain = if is_excerpt { chain } else { input.chain(&chain) };
    let open: OpenReader = if is_excerpt {
        let range = FrameRange { start, end };
        Arc::new(move || Ok(input.excerpt(range, &tracks, &Progress::new())?.0))
    } else {
        Arc::new(move || input.reader(&tracks, &Progress::new()))
    };
    let source = ChainSource::new(open, placement)?;
    chain.check(source.format())?;
    let (first, end, shown_from) = if is_excerpt { (0, source.frames(), start) } else { (start, end, 0) };
    player.load(Some(Arc::new(source)), chain);
    player.play(first, Some(end));

    let title = name(&words.file);
    wait_for_start(&player)?;
    let terminal = std::io::stderr().is_terminal() && !output.is_json();
    loop {
        let now = player.transport();
        if let Some(problem) = now.problem.filter(|_| !now.playing) {
            return Err(Error::Sound(problem));
        }
        if !now.playing {
            break;
        }
        if terminal {
            let at = text_from_seconds(rate.seconds_from_frames(shown_from + now.frame));
            let whole = text_from_seconds(rate.seconds_from_frames(frames));
            output.over(&format!("{title}  {at} / {whole} "));
        }
        std::thread::sleep(LOOK_EVERY);
    }
    if terminal {
        output.note("");
    }
    let end = player.transport();
    if let Some(muted_db) = end.muted_db {
        return Err(Error::Sound(format!(
            "Muted, as the sound rose to {muted_db:+.0} dB over full scale. Turn it down in the chain, or switch \
             Protection off in the window's settings"
        )));
    }
    let not_finite = player.meters().not_finite;
    if not_finite > 0 {
        output.note(&format!("undertone: {not_finite} samples were not numbers and were muted"));
    }
    if end.underruns > 0 {
        output.note(&format!("undertone: {} drop-outs", end.underruns));
    }
    if output.is_json() {
        let (name, underruns) = (end.output.map(|output| output.name), end.underruns);
        output.json(&Played { input: &words.file, output: name, underruns })?;
    }
    Ok(Outcome::Done)
}

fn find_output(wanted: &str) -> Result<OutputInfo> {
    let lower = wanted.to_lowercase();
    let all = outputs()?;
    let names: Vec<String> = all.iter().map(|output| output.name.clone()).collect();
    let found = all.into_iter().find(|output| output.id == wanted || output.name.to_lowercase().contains(&lower));
    found.ok_or_else(|| {
        Error::invalid(
            "--output",
            wanted,
            if names.is_empty() { "the name of an output, but none was found".into() } else { names.join(", ") },
        )
    })
}

fn wait_for_start(player: &Player) -> Result<()> {
    let begun = std::time::Instant::now();
    while begun.elapsed() < BEGIN_WITHIN {
        let now = player.transport();
        if now.playing {
            return Ok(());
        }
        if let Some(problem) = now.problem {
            return Err(Error::Sound(problem));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err(Error::Sound(format!("The sound output did not start within {} s. Choose another one", BEGIN_WITHIN.as_secs())))
}
