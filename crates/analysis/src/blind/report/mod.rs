//! The results of sessions that are over, with all that a reader needs to judge them: what was played at which level, the
//! rule, the seed, and each answer.

mod csv;
mod markdown;

use serde::Serialize;

use super::outcomes::{expected_trials, pass_rate};
use super::plan::{Passage, Plan, Test};
use super::ranking::{self, Ranking, Role};
use super::rule::{Rule, Standing};
use super::session::{Said, Session, Trial};
use base::date::moment;
use base::declared::TS;
use base::error::{Error, Result};

/// Results.
#[derive(Clone, Debug, Serialize, TS)]
pub struct Report {
    /// The sessions, in the order given.
    pub sessions: Vec<SessionReport>,
    /// The joint result of the rankings among them; `None` if there are none.
    #[ts(inline)]
    pub ranking: Option<RankingReport>,
}

/// One session.
#[derive(Clone, Debug, Serialize, TS)]
pub struct SessionReport {
    /// Who listened; may be empty.
    pub listener: String,
    /// The note in the plan; may be empty.
    pub note: String,
    /// When it was begun, as in RFC 3339, in UTC.
    pub begun: String,
    /// When the last answer was given.
    pub ended: String,
    /// The seed of all orders, as a decimal number.
    pub seed: String,
    /// Whether the versions were played at equal loudness.
    pub matched: bool,
    /// Whether the listener gave up before the end.
    pub given_up: bool,
    /// The versions. The window does not show them.
    #[ts(skip)]
    pub versions: Vec<VersionReport>,
    /// The result of a test of A against B; `None` for a ranking.
    pub abx: Option<AbxReport>,
    /// The trials of a ranking, in the order in which they were made; empty for A against B. The window shows their
    /// joint result.
    #[ts(skip)]
    pub scores: Vec<ScoredPassage>,
}

/// A version.
#[derive(Clone, Debug, Serialize)]
pub struct VersionReport {
    /// Its name.
    pub name: String,
    /// The key of its sound.
    pub content: String,
    /// The gain at which it was played, in decibels.
    pub gain_db: f64,
}

/// A test of A against B.
#[derive(Clone, Debug, Serialize, TS)]
pub struct AbxReport {
    /// The name of version A.
    pub a: String,
    /// The name of version B.
    pub b: String,
    /// The passage.
    pub passage: String,
    /// Its beginning and end in seconds.
    pub passage_s: (f64, f64),
    /// The rule.
    pub rule: Rule,
    /// The probability with which a guesser passes under this rule.
    pub guesser_passes: f64,
    /// The share of right answers for which the power is given: that of a sequential rule, else 0.75.
    pub ability: f64,
    /// The probability with which a listener of this ability passes.
    pub power: f64,
    /// The mean number of trials of such a listener.
    pub expected_trials: f64,
    /// Trials with an answer.
    pub answered: u32,
    /// Right ones.
    pub right: u32,
    /// The result.
    pub standing: Standing,
    /// The probability with which guessing ends as convincingly; `None` if the listener gave up.
    pub p_value: Option<f64>,
    /// The share of right answers in the long run, at a confidence of 95 %; `None` if the listener gave up.
    pub interval: Option<(f64, f64)>,
    /// The trials.
    pub trials: Vec<AbxTrial>,
}

/// A trial of A against B.
#[derive(Clone, Debug, Serialize, TS)]
pub struct AbxTrial {
    /// The version that X was: `A` or `B`.
    pub x: char,
    /// The version that the listener took X for.
    pub said: char,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// How often the listener switched.
    pub switches: u32,
}

/// A trial of a ranking.
#[derive(Clone, Debug, Serialize)]
pub struct ScoredPassage {
    /// The passage.
    pub passage: String,
    /// Its beginning and end in seconds.
    pub passage_s: (f64, f64),
    /// The stimuli and their scores, in the order in which they were presented.
    pub scores: Vec<(String, f64)>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// How often the listener switched.
    pub switches: u32,
}

/// The joint result of rankings.
#[derive(Clone, Debug, Serialize, TS)]
pub struct RankingReport {
    /// The names of the stimuli.
    pub names: Vec<String>,
    /// Their roles. The window does not show them.
    #[ts(skip)]
    pub roles: Vec<Role>,
    /// Their scores, pair by pair and over all listeners.
    pub result: Ranking,
}

impl Report {
    /// Returns the results of sessions. Rankings of several listeners are taken together.
    ///
    /// # Errors
    /// [`Error::Impossible`] for a session that is not over, whose answers must not be known yet, and for rankings of
    /// different versions.
    pub fn new(sessions: &[Session]) -> Result<Self> {
        if sessions.iter().any(|session| !session.is_over()) {
            return Err(Error::Impossible("This blind test is not over. Its results can be read when it is.".into()));
        }
        let rankings: Vec<&Session> =
            sessions.iter().filter(|session| matches!(session.plan().test, Test::Ranking { .. })).collect();
        Ok(Self { sessions: sessions.iter().map(of_session).collect(), ranking: together(&rankings)? })
    }
}

fn of_session(session: &Session) -> SessionReport {
    let plan = session.plan();
    let (begun, ended) = session.times_ms();
    let version = |version: &super::Version| VersionReport {
        name: version.name.clone(),
        content: version.content.clone(),
        gain_db: version.gain_db,
    };
    SessionReport {
        listener: plan.listener.clone(),
        note: plan.note.clone(),
        begun: moment(begun),
        ended: moment(ended),
        seed: plan.seed.to_string(),
        matched: plan.matched,
        given_up: session.given_up(),
        versions: plan.versions.iter().map(version).collect(),
        abx: of_abx(session),
        scores: of_scores(session),
    }
}

fn of_abx(session: &Session) -> Option<AbxReport> {
    let plan = session.plan();
    let Test::Abx { a, b, passage, rule } = &plan.test else { return None };
    let result = session.abx()?;
    let ability = if let Rule::Sequential { ability, .. } = rule { *ability } else { 0.75 };
    let trial = |(number, answer): (usize, &super::Answer)| AbxTrial {
        x: if session.is_right(number as u32) == (answer.said == Said::XIsA) { 'A' } else { 'B' },
        said: if answer.said == Said::XIsA { 'A' } else { 'B' },
        seconds: answer.seconds,
        switches: answer.switches,
    };
    Some(AbxReport {
        a: plan.versions[*a].name.clone(),
        b: plan.versions[*b].name.clone(),
        passage: passage.name.clone(),
        passage_s: (passage.start_s, passage.end_s),
        rule: *rule,
        guesser_passes: pass_rate(rule, 0.5),
        ability,
        power: pass_rate(rule, ability),
        expected_trials: expected_trials(rule, ability),
        answered: result.answered,
        right: result.right,
        standing: result.standing,
        p_value: result.p_value,
        interval: result.interval,
        trials: session.answers().iter().enumerate().map(trial).collect(),
    })
}

fn of_scores(session: &Session) -> Vec<ScoredPassage> {
    let plan = session.plan();
    let Test::Ranking { passages, .. } = &plan.test else { return Vec::new() };
    let row = |(number, answer): (usize, &super::Answer)| {
        let (Trial::Ranking { passage, stimuli, .. }, Said::Scores(scores)) =
            (session.presented(number)?, &answer.said)
        else {
            return None;
        };
        let Passage { name, start_s, end_s } = &passages[passage];
        Some(ScoredPassage {
            passage: name.clone(),
            passage_s: (*start_s, *end_s),
            scores: stimuli.iter().map(|&stimulus| plan.stimulus_name(stimulus)).zip(scores.iter().copied()).collect(),
            seconds: answer.seconds,
            switches: answer.switches,
        })
    };
    session.answers().iter().enumerate().filter_map(row).collect()
}

/// The names and roles of a ranking's stimuli.
fn stimuli(plan: &Plan) -> (Vec<String>, Vec<Role>) {
    plan.stimuli().into_iter().map(|stimulus| (plan.stimulus_name(stimulus), stimulus.role)).unzip()
}

fn together(rankings: &[&Session]) -> Result<Option<RankingReport>> {
    let Some(first) = rankings.first() else { return Ok(None) };
    let (names, roles) = stimuli(first.plan());
    let same = |session: &&&Session| {
        let contents = |plan: &Plan| plan.versions.iter().map(|version| version.content.clone()).collect::<Vec<_>>();
        stimuli(session.plan()).1 == roles && contents(session.plan()) == contents(first.plan())
    };
    if !rankings.iter().all(|session| same(&session)) {
        return Err(Error::Impossible(
            "These blind tests rank different versions. Give those of the same versions.".into(),
        ));
    }
    let scores: Vec<_> =
        rankings.iter().map(|session| session.scores()).filter(|scores| !scores.passages.is_empty()).collect();
    if scores.is_empty() {
        return Ok(None);
    }
    // One listener's scores are reported as they are; a panel's are screened.
    let result = ranking::rank(&roles, &scores, scores.len() > 1)?;
    Ok(Some(RankingReport { names, roles, result }))
}

#[cfg(test)]
mod tests;
