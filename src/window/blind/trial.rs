//! The running test: its session, and the sounds of the current trial.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::files;
use super::sounds::{self, Played};
use super::types::{BlindSound, BlindTrial};
use crate::blind::{Answer, Passage, Plan, Said, Session, Test, Trial};
use crate::error::{Error, Result};
use crate::playback::{HeardVersion, PlaybackSource, VersionsSource};
use crate::window::compare::BlindVersion;
use crate::window::compare::types::ComparisonHeard;
use crate::window::playback::Comparison;

/// The running test.
pub struct Running {
    path: PathBuf,
    session: Session,
    versions: Vec<BlindVersion>,
    heard: BlindSound,
    /// When the trial was presented, and how often the listener has switched since.
    since: Instant,
    switches: u32,
}

impl Running {
    /// Continues a session.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a passage that ends after the reference.
    pub fn new(path: PathBuf, session: Session, versions: Vec<BlindVersion>) -> Result<Self> {
        let reference = &versions[session.plan().reference];
        let seconds = reference.rate.seconds_from_frames(reference.frames);
        for passage in passages(session.plan()) {
            // Lengths are shown in milliseconds.
            if passage.end_s > seconds + 0.001 {
                let got = format!("{} s to {} s", passage.start_s, passage.end_s);
                return Err(Error::invalid("passage", got, format!("within the {seconds:.3} s of the reference")));
            }
        }
        sounds::check_anchors(session.plan(), reference.rate.hz())?;
        let heard = first_sound(session.plan());
        Ok(Self { path, session, versions, heard, since: Instant::now(), switches: 0 })
    }

    /// Whether the test runs from a file.
    pub fn is_of(&self, path: &Path) -> bool {
        self.path == path
    }

    /// Whether all answers have been given.
    pub fn is_over(&self) -> bool {
        self.session.is_over()
    }

    /// Returns the trial as the listener sees it; `None` once the test is over.
    pub fn view(&self) -> Option<BlindTrial> {
        let plan = self.session.plan();
        self.session.next()?;
        let name = |place: usize| plan.versions[place].name.clone();
        let frames = self.passage_frames();
        let (names, most, may_end_early) = match &plan.test {
            Test::Abx { a, b, rule, .. } => {
                let early = matches!(rule, crate::blind::Rule::Sequential { .. });
                (Some((name(*a), name(*b))), rule.most() as usize, early)
            }
            Test::Ranking { passages, .. } => (None, passages.len(), false),
        };
        Some(BlindTrial {
            session: files::id_of(&self.path),
            names,
            stimuli: plan.stimuli().len(),
            answered: self.session.answers().len(),
            most,
            may_end_early,
            passage: self.passage().name.clone(),
            passage_frames: (frames.start, frames.end),
            heard: self.heard,
        })
    }

    fn reference(&self) -> &BlindVersion {
        &self.versions[self.session.plan().reference]
    }

    /// The passage of the trial, or the first one if the test is over.
    fn passage(&self) -> &Passage {
        let place = match self.session.next() {
            Some(Trial::Ranking { passage, .. }) => passage,
            _ => 0,
        };
        &passages(self.session.plan())[place]
    }

    /// The passage in frames of the timeline; at least one frame.
    pub fn passage_frames(&self) -> Range<u64> {
        let (reference, passage) = (self.reference(), self.passage());
        let frame = |seconds: f64| ((seconds * f64::from(reference.rate.hz())).round() as u64).min(reference.frames);
        let start = frame(passage.start_s).min(reference.frames.saturating_sub(1));
        start..frame(passage.end_s).max(start + 1)
    }

    /// Chooses the sound to play. Returns its index among the sounds of the trial.
    pub fn hear(&mut self, sound: BlindSound) -> Result<HeardVersion> {
        let sounds = self.sounds()?;
        let place = sounds.iter().position(|played| played.sound == sound);
        let place = place.ok_or_else(|| Error::impossible("This trial does not present this sound."))?;
        if self.heard != sound {
            self.switches = self.switches.saturating_add(1);
        }
        self.heard = sound;
        Ok(HeardVersion { version: place, gain: sounds[place].gain })
    }

    /// All sounds of the trial, in an order that reveals nothing.
    fn sounds(&self) -> Result<Vec<Played>> {
        let trial = self.session.next().ok_or_else(|| Error::impossible("This blind test is over."))?;
        sounds::presented(self.session.plan(), &trial, &self.versions)
    }

    /// Returns the comparison that the player loads for the trial. Each sound, X included, has a separate reader, so
    /// that switching takes equally long for all.
    pub fn comparison(&self) -> Result<Comparison> {
        let sounds = self.sounds()?;
        let place = sounds.iter().position(|played| played.sound == self.heard).unwrap_or(0);
        let heard = HeardVersion { version: place, gain: sounds[place].gain };
        let source = VersionsSource::new(sounds.into_iter().map(|played| played.open).collect(), heard)?;
        let heard = ComparisonHeard { sound: None, rate: source.format().rate.hz(), frames: source.frames() };
        Ok(Comparison {
            source: Arc::new(source),
            laid: None,
            passage: Some(self.passage_frames()),
            sounds: Vec::new(),
            heard,
        })
    }

    /// Answers the trial and writes the answer.
    ///
    /// # Errors
    /// If the answer cannot be written, the trial stays unanswered.
    pub fn answer(&mut self, said: Said, now_ms: i64) -> Result<()> {
        let answer = Answer { said, seconds: self.since.elapsed().as_secs_f64(), switches: self.switches };
        let mut next = self.session.clone();
        next.answer(answer, now_ms)?;
        self.keep(next)
    }

    /// Ends the test early and writes that.
    pub fn give_up(&mut self, now_ms: i64) -> Result<()> {
        let mut next = self.session.clone();
        next.give_up(now_ms);
        self.keep(next)
    }

    fn keep(&mut self, next: Session) -> Result<()> {
        next.save(&self.path)?;
        self.session = next;
        (self.since, self.switches) = (Instant::now(), 0);
        self.heard = first_sound(self.session.plan());
        Ok(())
    }
}

fn passages(plan: &Plan) -> &[Passage] {
    match &plan.test {
        Test::Abx { passage, .. } => std::slice::from_ref(passage),
        Test::Ranking { passages, .. } => passages,
    }
}

fn first_sound(plan: &Plan) -> BlindSound {
    match plan.test {
        Test::Abx { .. } => BlindSound::A,
        Test::Ranking { .. } => BlindSound::Reference,
    }
}
