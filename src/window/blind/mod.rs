//! Blind tests of the versions on the Compare page.
//!
//! ```text
//! versions of the page -> plan -> session (a file in the data folder, written after each answer)
//!                           `-> what a trial presents -> player
//! ```
//!
//! The interface receives the names of A and B and the numbers of trials and passages, but never what X or a stimulus
//! is.

pub mod commands;
mod files;
mod sounds;
mod trial;
pub mod types;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use self::types::{BlindFormat, BlindOdds, BlindSound, BlindView};
use super::host::FileChoice;
use super::workspace::Workspace;
use crate::blind::{Plan, Report, Rule, Said, Session, Test, Version, expected_trials, pass_rate};
use crate::date::now_ms;
use crate::error::{Error, Result};
use crate::files as written;
use crate::lock::lock;
use crate::window::compare::{BlindVersion, ComparePage};
use crate::window::playback::PlaybackPage;
use crate::window::playback::types::TransportView;
use trial::Running;

/// The page of blind tests.
pub struct BlindPage {
    workspace: Arc<Workspace>,
    compare: Arc<ComparePage>,
    playback: Arc<PlaybackPage>,
    running: Mutex<Option<Running>>,
}

impl BlindPage {
    /// Creates the page, without a test.
    pub fn new(workspace: Arc<Workspace>, compare: Arc<ComparePage>, playback: Arc<PlaybackPage>) -> Self {
        Self { workspace, compare, playback, running: Mutex::new(None) }
    }

    /// The folder of the sessions.
    fn folder(&self) -> PathBuf {
        self.workspace.directories.data().join("blind")
    }

    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    pub(in crate::window) fn view(&self) -> Result<BlindView> {
        let trial = lock(&self.running).as_ref().and_then(Running::view);
        Ok(BlindView { trial, sessions: files::listed(&self.folder()) })
    }

    /// Returns the odds that a rule gives guessers and listeners.
    #[allow(clippy::unused_self, reason = "commands are methods")]
    pub(in crate::window) fn odds(&self, rule: Rule) -> Result<BlindOdds> {
        rule.check()?;
        let (ability, trials) = match rule {
            Rule::Fixed { trials, .. } => (0.75, Some(trials)),
            Rule::Sequential { ability, .. } => (ability, None),
        };
        let passes =
            |trials: u32| (0..=trials).find(|&right| rule.standing(trials, right) == crate::blind::Standing::Passed);
        Ok(BlindOdds {
            guesser_passes: pass_rate(&rule, 0.5),
            ability,
            power: pass_rate(&rule, ability),
            expected_trials: expected_trials(&rule, ability),
            least_right: trials.and_then(passes),
        })
    }

    /// Begins a test of versions of the Compare page. The test names A and B by their places among `versions`.
    pub(in crate::window) fn start(
        &self,
        listener: String,
        note: String,
        versions: Vec<u32>,
        test: Test,
    ) -> Result<BlindView> {
        let (plan, versions) = self.plan(listener, note, &versions, test)?;
        let session = Session::new(plan, now_ms())?;
        let path = files::create(&self.folder(), &session)?;
        self.run(path, session, versions)
    }

    /// Continues a session. Its versions must be on the Compare page.
    pub(in crate::window) fn resume(&self, session: String) -> Result<BlindView> {
        let path = files::path_of(&self.folder(), &session)?;
        let session = Session::load(&path)?;
        if session.is_over() {
            return Err(Error::impossible("This blind test is over. Read its results."));
        }
        let versions = self.versions_of(session.plan())?;
        self.run(path, session, versions)
    }

    fn run(&self, path: PathBuf, session: Session, versions: Vec<BlindVersion>) -> Result<BlindView> {
        self.playback.check_free()?;
        let running = Running::new(path, session, versions)?;
        *lock(&self.running) = Some(running);
        self.playback.end_comparison();
        self.view()
    }

    /// Chooses the sound to play, continuing at the same position.
    pub(in crate::window) fn hear(&self, sound: BlindSound) -> Result<BlindView> {
        {
            let mut running = lock(&self.running);
            let running = running.as_mut().ok_or_else(nothing_runs)?;
            let heard = running.hear(sound)?;
            self.playback.hear_blind(heard);
        }
        self.view()
    }

    /// Plays the passage, repeated, from a frame of the timeline.
    pub(in crate::window) fn play(&self, from_frame: u64) -> Result<TransportView> {
        self.playback.check_free()?;
        let wish = self.playback.next_wish();
        let (comparison, passage) = {
            let running = lock(&self.running);
            let running = running.as_ref().ok_or_else(nothing_runs)?;
            (running.comparison()?, running.passage_frames())
        };
        self.playback.load_comparison(wish, comparison, from_frame.clamp(passage.start, passage.end - 1));
        Ok(self.playback.view())
    }

    /// Answers the trial. The answer is written before the next trial is presented.
    pub(in crate::window) fn answer(&self, said: Said) -> Result<BlindView> {
        {
            let mut running = lock(&self.running);
            let running = running.as_mut().ok_or_else(nothing_runs)?;
            running.answer(said, now_ms())?;
        }
        // The next trial presents another sound, or the test is over.
        self.playback.end_comparison();
        self.ended_if_over();
        self.view()
    }

    /// Ends the test early: its answers are kept, and it has no result.
    pub(in crate::window) fn give_up(&self) -> Result<BlindView> {
        lock(&self.running).as_mut().ok_or_else(nothing_runs)?.give_up(now_ms())?;
        self.playback.end_comparison();
        self.ended_if_over();
        self.view()
    }

    /// Leaves the test, which can be resumed later.
    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    pub(in crate::window) fn leave(&self) -> Result<BlindView> {
        if lock(&self.running).take().is_some() {
            self.playback.end_comparison();
        }
        self.view()
    }

    fn ended_if_over(&self) {
        let mut running = lock(&self.running);
        if running.as_ref().is_some_and(Running::is_over) {
            *running = None;
        }
    }

    /// Returns the results of finished sessions.
    pub(in crate::window) fn report(&self, sessions: Vec<String>) -> Result<Report> {
        let folder = self.folder();
        let load = |id: &String| Session::load(&files::path_of(&folder, id)?);
        Report::new(&sessions.iter().map(load).collect::<Result<Vec<_>>>()?)
    }

    /// Lets the user choose a file and writes results to it. Returns `false` if cancelled.
    pub(in crate::window) fn export(&self, sessions: Vec<String>, format: BlindFormat) -> Result<bool> {
        let report = self.report(sessions)?;
        let (kind, extensions, text): (_, &[&str], _) = match format {
            BlindFormat::Markdown => ("Markdown", &["md"], report.markdown()),
            BlindFormat::Csv => ("CSV", &["csv"], report.csv()?),
            BlindFormat::Json => {
                let text = serde_json::to_string_pretty(&report).map_err(|error| Error::Internal(error.to_string()))?;
                ("JSON", &["json"], text + "\n")
            }
        };
        let choice = FileChoice { title: "Export results".into(), kind, extensions, several: false };
        let suggestion = format!("blind test.{}", extensions[0]);
        let Some(chosen) = self.workspace.choose_target(&choice, &suggestion) else { return Ok(false) };
        written::check_target(&chosen.path, chosen.may_replace, &self.workspace.protected())?;
        written::write(&chosen.path, chosen.may_replace, text.as_bytes())?;
        Ok(true)
    }

    /// Removes a session that is not running.
    pub(in crate::window) fn remove(&self, session: String) -> Result<BlindView> {
        let path = files::path_of(&self.folder(), &session)?;
        if lock(&self.running).as_ref().is_some_and(|running| running.is_of(&path)) {
            return Err(Error::impossible("This blind test runs. Leave it first."));
        }
        std::fs::remove_file(&path).map_err(|source| Error::io("remove", &path, source))?;
        self.view()
    }

    /// Makes a plan and returns it with the versions that it plays: the reference, and those of `wanted`.
    fn plan(
        &self,
        listener: String,
        note: String,
        wanted: &[u32],
        mut test: Test,
    ) -> Result<(Plan, Vec<BlindVersion>)> {
        let (versions, matched) = self.compare.blind_versions(wanted)?;
        if let Test::Abx { a, b, .. } = &mut test {
            let place = |among: usize| {
                let place = wanted.get(among).and_then(|id| versions.iter().position(|version| version.id == *id));
                place.unwrap_or(usize::MAX)
            };
            (*a, *b) = (place(*a), place(*b));
        }
        let plan = Plan {
            listener,
            note,
            seed: seed(),
            matched,
            versions: versions.iter().map(BlindVersion::planned).collect(),
            reference: 0,
            test,
        };
        Ok((plan, versions))
    }

    /// Finds the versions of a plan on the Compare page, by their sound.
    fn versions_of(&self, plan: &Plan) -> Result<Vec<BlindVersion>> {
        let wanted: Vec<Version> = plan.versions.clone();
        self.compare.blind_versions_again(&wanted, plan.reference)
    }
}

fn nothing_runs() -> Error {
    Error::impossible("No blind test runs. Begin one, or resume one.")
}

/// Returns a seed that nobody can predict.
fn seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}
