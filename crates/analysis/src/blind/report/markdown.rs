//! Results as Markdown.

use std::fmt::Write;

use super::{AbxReport, RankingReport, Report, SessionReport};
use crate::blind::outcomes::CONFIDENCE;
use crate::blind::rule::{Rule, Standing};

impl Report {
    /// Returns the results as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::from("# Blind test\n");
        for session in &self.sessions {
            text.push_str(&of_session(session));
        }
        if let Some(ranking) = &self.ranking {
            text.push_str(&of_ranking(ranking));
        }
        text
    }
}

/// Writes to a string, which cannot fail.
macro_rules! put {
    ($text:expr, $($format:tt)*) => {
        let _ = writeln!($text, $($format)*);
    };
}

fn of_session(session: &SessionReport) -> String {
    let mut text = String::new();
    let name = if session.listener.is_empty() { "A listener" } else { &session.listener };
    put!(text, "\n## {}\n", escaped(name));
    put!(text, "- From {} to {}", session.begun, session.ended);
    put!(text, "- Levels: {}", if session.matched { "matched by loudness" } else { "as they are in the files" });
    put!(text, "- Seed: {}", session.seed);
    if !session.note.is_empty() {
        put!(text, "- Note: {}", escaped(&session.note));
    }
    if session.given_up {
        put!(text, "- **The listener ended the test before its end: it has no result.**");
    }
    put!(text, "\n| version | gain (dB) | sound |\n|---|---:|---|");
    for version in &session.versions {
        put!(text, "| {} | {:+.2} | `{}` |", escaped(&version.name), version.gain_db, escaped(&version.content));
    }
    if let Some(abx) = &session.abx {
        text.push_str(&of_abx(abx));
    }
    for (number, passage) in session.scores.iter().enumerate() {
        let (start, end) = passage.passage_s;
        put!(
            text,
            "\nTrial {}: {} ({start:.3} s to {end:.3} s), {:.1} s, {} switches\n",
            number + 1,
            escaped(&passage.passage),
            passage.seconds,
            passage.switches
        );
        put!(text, "| in the order presented | score |\n|---|---:|");
        for (name, score) in &passage.scores {
            put!(text, "| {} | {score:.0} |", escaped(name));
        }
    }
    text
}

fn of_abx(abx: &AbxReport) -> String {
    let mut text = String::new();
    let (start, end) = abx.passage_s;
    put!(text, "\n### ABX\n");
    put!(
        text,
        "A is {}, B is {}; {} ({start:.3} s to {end:.3} s).\n",
        escaped(&abx.a),
        escaped(&abx.b),
        escaped(&abx.passage)
    );
    put!(text, "{}", rule(&abx.rule));
    put!(
        text,
        "A guesser passes in {} of such tests; a listener who is right in {} of all trials in {}, after {:.1} trials on average.\n",
        percent(abx.guesser_passes),
        percent(abx.ability),
        percent(abx.power),
        abx.expected_trials
    );
    let result = match abx.standing {
        Standing::Passed => "passed",
        Standing::NotPassed => "not passed, which does not show that there is no difference",
        Standing::Open => "none: the test was ended before its end",
    };
    put!(text, "| | |\n|---|---|\n| right answers | {} of {} |\n| result | {result} |", abx.right, abx.answered);
    if let Some(p) = abx.p_value {
        put!(text, "| p-value: the probability of such a result by guessing | {} |", p_text(p));
    }
    if let Some((low, high)) = abx.interval {
        put!(
            text,
            "| right answers in the long run, {} confidence | {} to {} |",
            percent(CONFIDENCE),
            percent(low),
            percent(high)
        );
    }
    put!(text, "\n| trial | X | said | right | seconds | switches |\n|---:|---|---|---|---:|---:|");
    for (number, trial) in abx.trials.iter().enumerate() {
        let right = if trial.x == trial.said { "yes" } else { "no" };
        put!(
            text,
            "| {} | {} | {} | {right} | {:.1} | {} |",
            number + 1,
            trial.x,
            trial.said,
            trial.seconds,
            trial.switches
        );
    }
    text
}

/// The rule as sentences.
fn rule(rule: &Rule) -> String {
    match *rule {
        Rule::Fixed { trials, level } => {
            format!("Rule, chosen beforehand: {trials} trials, passed at a level of {level}.")
        }
        Rule::Sequential { level, miss, ability, most } => format!(
            "Rule, chosen beforehand: sequential probability ratio test of guessing against {} right answers, level \
             {level}, miss {miss}, at most {most} trials.",
            percent(ability)
        ),
    }
}

fn of_ranking(ranking: &RankingReport) -> String {
    let mut text = String::new();
    let listeners = if ranking.result.listeners == 1 {
        "1 listener".into()
    } else {
        format!("{} listeners", ranking.result.listeners)
    };
    put!(text, "\n## Scores of {listeners}\n");
    put!(
        text,
        "| version | scores | mean | {} confidence | least | quartile | median | quartile | most |",
        percent(CONFIDENCE)
    );
    put!(text, "|---|---:|---:|---|---:|---:|---:|---:|---:|");
    for (name, scored) in ranking.names.iter().zip(&ranking.result.stimuli) {
        let interval = scored.interval.map_or("one score".into(), |(low, high)| format!("{low:.1} to {high:.1}"));
        let quantiles = scored.quantiles.map(|value| format!("{value:.0}")).join(" | ");
        put!(text, "| {} | {} | {:.1} | {interval} | {quantiles} |", escaped(name), scored.count, scored.mean);
    }
    put!(
        text,
        "\n| pair | mean difference | p-value (signed ranks) | corrected for the number of pairs (Holm) |\n|---|---:|---:|---:|"
    );
    for pair in &ranking.result.pairs {
        let p = |value: Option<f64>| value.map_or("no difference".into(), p_text);
        put!(
            text,
            "| {} - {} | {:+.1} | {} | {} |",
            escaped(&ranking.names[pair.first]),
            escaped(&ranking.names[pair.second]),
            pair.difference,
            p(pair.p_value),
            p(pair.corrected)
        );
    }
    for excluded in &ranking.result.excluded {
        put!(
            text,
            "\n{} does not count (BS.1534-3, 4.1.2): of {} passages, the hidden reference had less than 90 in {}, the 7 kHz \
             anchor more than 90 in {}.",
            escaped(&excluded.listener),
            excluded.passages,
            excluded.reference_missed,
            excluded.anchor_missed
        );
    }
    text
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn p_text(p: f64) -> String {
    if p < 0.0001 { format!("{p:.1e}") } else { format!("{p:.4}") }
}

/// Text of a user as plain text within a table.
fn escaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => plain.push(' '),
            '\\' | '|' | '`' | '*' | '_' | '<' | '[' | '#' => plain.extend(['\\', letter]),
            letter => plain.push(letter),
        }
    }
    plain
}
