//! Measurements of the whole signal, made in the background while the last known values are in use: what effects need
//! (normalise), and the gain that brings the processed side to the original's integrated loudness.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::{Duration, Instant};

use super::source::{MatchingGain, PlaybackSource};
use base::error::{Error, Result};
use base::progress::Progress;
use dsp::measure::loudness::integrated_lufs;
use effects::chain::{Chain, MeasuredMap};

/// How long a chain must stay unchanged before it is measured.
const SETTLE: Duration = Duration::from_millis(250);

/// An integrated loudness in LUFS; `None` for silence.
#[derive(Clone, Copy, Debug)]
struct Loudness(Option<f64>);

/// The number of chains whose measurements are remembered.
const REMEMBERED: usize = 8;

/// The measurements of a chain, so that switching between two chains applies them immediately.
struct ChainMeasurements {
    chain: Chain,
    measured: MeasuredMap,
    gain_db: Option<f64>,
    /// Whether the gain was measured.
    gain: bool,
}

/// Measurements of the whole signal, and the job that makes them.
#[derive(Default)]
pub(super) struct Whole {
    source: Option<Arc<dyn PlaybackSource>>,
    chain: Chain,
    measured: MeasuredMap,
    measured_stale: bool,
    matched: bool,
    original: Option<Loudness>,
    gain_db: Option<f64>,
    gain_stale: bool,
    changed: Option<Instant>,
    job: Option<Job>,
    /// Ordered by age, the newest last.
    known: Vec<ChainMeasurements>,
}

/// A measurement that has become known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// The measurements that effects need.
    Measured,
    /// The matching gain.
    Gain,
}

struct Job {
    progress: Progress,
    findings: Receiver<Result<Finding>>,
}

enum Finding {
    Measured(MeasuredMap),
    Original(Loudness),
    Processed(Loudness),
    Done,
}

impl Whole {
    /// Switches to another recording.
    pub fn load(&mut self, source: Option<Arc<dyn PlaybackSource>>, chain: Chain) {
        self.source = source;
        self.measured = MeasuredMap::default();
        self.original = None;
        self.known.clear();
        self.gain_db = match self.known_gain() {
            MatchingGain::Unknown => None,
            MatchingGain::Expected(db) | MatchingGain::Exact(db) => Some(db),
        };
        self.set_chain(chain);
    }

    /// Switches to another chain. The measurements of the old one may be out of date.
    pub fn set_chain(&mut self, chain: Chain) {
        self.cancel();
        let found = self.known.iter().find(|known| known.chain == chain);
        if let Some(found) = found {
            self.measured = found.measured.clone();
        }
        // A chain that cannot run needs no measurement.
        let known = |source: &Arc<dyn PlaybackSource>| source.is_measured(&chain, &self.measured).unwrap_or(true);
        self.measured_stale = self.source.as_ref().is_some_and(|source| !known(source));
        self.chain = chain;
        self.gain_stale = !matches!(self.known_gain(), MatchingGain::Exact(_));
        if let Some(found) = found.filter(|found| found.gain && self.gain_stale) {
            self.gain_db = found.gain_db;
            self.gain_stale = false;
        }
        self.changed = Some(Instant::now());
    }

    fn known_gain(&self) -> MatchingGain {
        self.source.as_ref().map_or(MatchingGain::Unknown, |source| source.matching_gain())
    }

    /// Sets whether the matching gain is wanted.
    pub fn set_matched(&mut self, matched: bool) {
        self.matched = matched;
        if self.job.is_none() {
            self.changed = self.changed.or(Some(Instant::now()));
        }
    }

    /// The last known measurements that effects need.
    pub fn measured(&self) -> &MeasuredMap {
        &self.measured
    }

    /// The last known gain of the processed side, in dB.
    pub fn gain_db(&self) -> Option<f64> {
        self.gain_db
    }

    /// Returns whether a wanted value is out of date.
    pub fn is_stale(&self) -> bool {
        self.measured_stale || (self.matched && self.gain_stale)
    }

    /// Continues measuring if necessary, and returns what became known.
    ///
    /// # Errors
    /// An error of the measurement, which is not retried before the next change.
    pub fn step(&mut self) -> Result<Option<News>> {
        if let Some(job) = &self.job {
            let finding = match job.findings.try_recv() {
                Err(TryRecvError::Empty) => return Ok(None),
                Err(TryRecvError::Disconnected) => Err(Error::Internal("measuring broke off".to_owned())),
                Ok(finding) => finding,
            };
            return match finding {
                Ok(finding) => Ok(self.learn(finding)),
                Err(error) => {
                    self.job = None;
                    self.measured_stale = false;
                    self.gain_stale = false;
                    Err(error)
                }
            };
        }
        if self.is_stale()
            && self.changed.is_some_and(|changed| changed.elapsed() >= SETTLE)
            && let Some(source) = &self.source
        {
            self.changed = None;
            let work = Work {
                source: Arc::clone(source),
                chain: self.chain.clone(),
                measured: (!self.measured_stale).then(|| self.measured.clone()),
                matched: self.matched,
                original: self.original,
            };
            self.job = Some(work.begin());
        }
        Ok(None)
    }

    fn learn(&mut self, finding: Finding) -> Option<News> {
        match finding {
            Finding::Measured(measured) => {
                self.measured = measured;
                self.measured_stale = false;
                self.remember(false);
                Some(News::Measured)
            }
            Finding::Original(loudness) => {
                self.original = Some(loudness);
                None
            }
            Finding::Processed(processed) => {
                let original = self.original.and_then(|loudness| loudness.0);
                self.gain_db = original.zip(processed.0).map(|(original, processed)| original - processed);
                self.gain_stale = false;
                self.remember(true);
                Some(News::Gain)
            }
            Finding::Done => {
                self.job = None;
                // Matching may have been turned on in the meantime.
                self.changed = self.is_stale().then(Instant::now);
                None
            }
        }
    }

    /// Remembers the measurements of the current chain.
    fn remember(&mut self, gain: bool) {
        self.known.retain(|known| known.chain != self.chain);
        if self.known.len() == REMEMBERED {
            self.known.remove(0);
        }
        let (chain, measured) = (self.chain.clone(), self.measured.clone());
        self.known.push(ChainMeasurements { chain, measured, gain_db: self.gain_db, gain });
    }

    fn cancel(&mut self) {
        if let Some(job) = self.job.take() {
            job.progress.cancel();
        }
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        self.cancel();
    }
}

/// The task of one background pass.
struct Work {
    source: Arc<dyn PlaybackSource>,
    chain: Chain,
    /// The measurements that effects need, if they are current.
    measured: Option<MeasuredMap>,
    matched: bool,
    original: Option<Loudness>,
}

impl Work {
    fn begin(self) -> Job {
        let progress = Progress::new();
        let (to, findings) = channel();
        let thread_progress = progress.clone();
        std::thread::spawn(move || {
            let outcome = self.run(&thread_progress, &to);
            // After a cancel nobody receives any more.
            let _ = to.send(outcome.map(|()| Finding::Done));
        });
        Job { progress, findings }
    }

    fn run(self, progress: &Progress, to: &Sender<Result<Finding>>) -> Result<()> {
        let tell = |finding| to.send(Ok(finding)).map_err(|_| Error::Cancelled);
        let measured = if let Some(measured) = self.measured {
            measured
        } else {
            let measured = self.source.measure(&self.chain, progress)?;
            tell(Finding::Measured(measured.clone()))?;
            measured
        };
        if self.matched {
            if self.original.is_none() {
                let lufs = integrated_lufs(self.source.original()?.as_mut(), progress)?;
                tell(Finding::Original(Loudness(lufs)))?;
            }
            let lufs = integrated_lufs(self.source.processed(&self.chain, &measured)?.as_mut(), progress)?;
            tell(Finding::Processed(Loudness(lufs)))?;
        }
        Ok(())
    }
}
