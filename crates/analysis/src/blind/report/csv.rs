//! Results as CSV: a row for each answer.

use super::{AbxTrial, Report, ScoredPassage, SessionReport};
use base::error::{Error, Result};
use base::files::csv_text;

const COLUMNS: [&str; 11] =
    ["listener", "begun", "test", "trial", "passage", "stimulus", "said", "right", "score", "seconds", "switches"];

impl Report {
    /// Returns the answers as CSV: of A against B a row for each trial, of a ranking one for each score.
    pub fn csv(&self) -> Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let internal = |error: csv::Error| Error::Internal(error.to_string());
        writer.write_record(COLUMNS).map_err(internal)?;
        for session in &self.sessions {
            for row in abx_rows(session).into_iter().chain(ranking_rows(session)) {
                let begin = [csv_text(&session.listener).into_owned(), session.begun.clone()];
                writer.write_record(begin.into_iter().chain(row)).map_err(internal)?;
            }
        }
        let bytes = writer.into_inner().map_err(|error| Error::Internal(error.to_string()))?;
        String::from_utf8(bytes).map_err(|error| Error::Internal(error.to_string()))
    }
}

/// The columns after the session's.
type Row = [String; COLUMNS.len() - 2];

fn abx_rows(session: &SessionReport) -> Vec<Row> {
    let Some(abx) = &session.abx else { return Vec::new() };
    let row = |(number, trial): (usize, &AbxTrial)| {
        let right = if trial.x == trial.said { "yes" } else { "no" };
        [
            "ABX".into(),
            (number + 1).to_string(),
            csv_text(&abx.passage).into_owned(),
            trial.x.to_string(),
            trial.said.to_string(),
            right.into(),
            String::new(),
            trial.seconds.to_string(),
            trial.switches.to_string(),
        ]
    };
    abx.trials.iter().enumerate().map(row).collect()
}

fn ranking_rows(session: &SessionReport) -> Vec<Row> {
    let rows = |(number, passage): (usize, &ScoredPassage)| {
        let row = |(name, score): &(String, f64)| {
            [
                "ranking".into(),
                (number + 1).to_string(),
                csv_text(&passage.passage).into_owned(),
                csv_text(name).into_owned(),
                String::new(),
                String::new(),
                score.to_string(),
                passage.seconds.to_string(),
                passage.switches.to_string(),
            ]
        };
        passage.scores.iter().map(row).collect::<Vec<_>>()
    };
    session.scores.iter().enumerate().flat_map(rows).collect()
}
