use super::*;
use crate::blind::{Answer, Version};

const FIXED: Rule = Rule::Fixed { trials: 8, level: 0.05 };

fn plan(test: Test) -> Plan {
    let version = |name: &str| Version { name: name.into(), content: format!("blake3:{name}"), gain_db: 0.5 };
    Plan {
        listener: "A | B\n=1+1".into(),
        note: "headphones".into(),
        seed: u64::MAX,
        matched: true,
        versions: vec![version("original.wav"), version("coded.opus")],
        reference: 0,
        test,
    }
}

fn passage(name: &str) -> Passage {
    Passage { name: name.into(), start_s: 0.0, end_s: 2.0 }
}

fn answer(said: Said) -> Answer {
    Answer { said, seconds: 1.5, switches: 4 }
}

fn abx() -> Session {
    Session::new(plan(Test::Abx { a: 0, b: 1, passage: passage("all"), rule: FIXED }), 0).unwrap()
}

fn heard() -> Session {
    let mut session = abx();
    while let Some(Trial::Abx { x_is_a, number }) = session.next() {
        let right = number != 2;
        session.answer(answer(if x_is_a == right { Said::XIsA } else { Said::XIsB }), 60_000).unwrap();
    }
    session
}

fn ranked(listener: &str, reference: f64, coded: f64) -> Session {
    let test = Test::Ranking {
        low_anchor: true,
        mid_anchor: false,
        passages: (0..7).map(|n| passage(&n.to_string())).collect(),
    };
    let mut session = Session::new(Plan { listener: listener.into(), ..plan(test) }, 0).unwrap();
    while let Some(Trial::Ranking { stimuli, number, .. }) = session.next() {
        let score = |role| match role {
            Role::Reference => reference,
            Role::Version => coded + number as f64,
            _ => 10.0,
        };
        let scores = stimuli.iter().map(|stimulus| score(stimulus.role)).collect();
        session.answer(answer(Said::Scores(scores)), 0).unwrap();
    }
    session
}

#[test]
fn a_test_that_is_not_over_tells_nothing() {
    let error = Report::new(&[abx()]).unwrap_err().to_string();
    assert!(error.contains("not over"), "{error}");
}

#[test]
fn the_results_of_a_test_say_all_that_a_reader_needs() {
    let report = Report::new(&[heard()]).unwrap();
    let got = report.sessions[0].abx.as_ref().unwrap();
    assert_eq!((got.answered, got.right, got.standing), (8, 7, Standing::Passed));
    assert_eq!(got.p_value, Some(9.0 / 256.0));
    assert_eq!(got.trials.iter().filter(|trial| trial.x == trial.said).count(), 7);
    assert_ne!(got.trials[2].x, got.trials[2].said);
    let text = report.markdown();
    for part in [
        "7 of 8",
        "0.0352",
        "passed",
        "level of 0.05",
        "18446744073709551615",
        "blake3:coded.opus",
        "1970-01-01T00:01:00.000Z",
        "headphones",
        "A \\| B =1+1",
        "+0.50",
        "3.5 % of such tests",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    let csv = report.csv().unwrap();
    assert_eq!(csv.lines().count(), 1 + 8 + 8, "{csv}");
    assert!(serde_json::to_string(&report).unwrap().contains("\"right\":7"));
}

#[test]
fn whoever_gave_up_has_trials_and_no_result() {
    let mut session = abx();
    for _ in 0..3 {
        session.answer(answer(Said::XIsA), 0).unwrap();
    }
    session.give_up(0);
    let report = Report::new(&[session]).unwrap();
    let got = report.sessions[0].abx.as_ref().unwrap();
    assert_eq!((got.answered, got.standing, got.p_value, got.interval), (3, Standing::Open, None, None));
    let text = report.markdown();
    assert!(text.contains("it has no result") && !text.contains("p-value"), "{text}");
}

#[test]
fn listeners_are_taken_together_and_screened() {
    let report =
        Report::new(&[ranked("one", 100.0, 60.0), ranked("two", 95.0, 70.0), ranked("three", 50.0, 90.0)]).unwrap();
    let ranking = report.ranking.as_ref().unwrap();
    assert_eq!(ranking.names, ["original.wav (hidden reference)", "coded.opus", "Anchor 3.5 kHz"]);
    assert_eq!(ranking.result.listeners, 2);
    assert_eq!(ranking.result.excluded[0].listener, "three");
    assert_eq!(ranking.result.stimuli[1].mean, 68.0);
    assert_eq!(ranking.result.pairs.len(), 1);
    let text = report.markdown();
    for part in ["2 listeners", "three does not count", "68.0", "Anchor 3.5 kHz", "+29.5"] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert_eq!(report.csv().unwrap().lines().count(), 1 + 3 * 7 * 3);
    // One listener's scores are reported whatever they are.
    assert_eq!(Report::new(&[ranked("three", 50.0, 90.0)]).unwrap().ranking.unwrap().result.listeners, 1);
}

#[test]
fn rankings_of_other_versions_are_not_taken_together() {
    let session = ranked("one", 100.0, 60.0);
    let mut other = plan(session.plan().test.clone());
    other.versions[1].content = "blake3:another".into();
    let mut other = Session::new(other, 0).unwrap();
    other.give_up(0);
    let error = Report::new(&[session, other]).unwrap_err().to_string();
    assert!(error.contains("different versions"), "{error}");
}
