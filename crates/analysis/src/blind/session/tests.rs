use proptest::prelude::*;

use super::*;
use crate::blind::plan::{Passage, Version};
use crate::blind::ranking::Role;
use crate::blind::rule::Rule;
use dsp::generate::Sequence;

fn passage(name: &str) -> Passage {
    Passage { name: name.into(), start_s: 1.0, end_s: 4.5 }
}

fn plan(test: Test, seed: u64) -> Plan {
    let version = |name: &str| Version { name: name.into(), content: format!("content of {name}"), gain_db: -1.5 };
    Plan {
        listener: "first".into(),
        note: String::new(),
        seed,
        matched: true,
        versions: vec![version("original.wav"), version("coded.opus"), version("other.mp3")],
        reference: 0,
        test,
    }
}

fn abx(seed: u64, rule: Rule) -> Session {
    Session::new(plan(Test::Abx { a: 0, b: 1, passage: passage("all"), rule }, seed), 1000).unwrap()
}

fn ranking(seed: u64) -> Session {
    let passages = ["one", "two", "three"].map(passage).to_vec();
    Session::new(plan(Test::Ranking { low_anchor: true, mid_anchor: true, passages }, seed), 1000).unwrap()
}

fn said(said: Said) -> Answer {
    Answer { said, seconds: 2.5, switches: 3 }
}

const FIXED: Rule = Rule::Fixed { trials: 16, level: 0.05 };
const SEQUENTIAL: Rule = Rule::Sequential { level: 0.05, miss: 0.1, ability: 0.75, most: 60 };

/// Lets a listener who hears the difference in a share of the trials answer all of them.
fn answered(mut session: Session, hears: f64, luck: u64) -> Session {
    let luck = Sequence::new(luck, 40);
    while let Some(Trial::Abx { number, x_is_a }) = session.next() {
        let knows = luck.unit(2 * u64::from(number)) < hears;
        let says_a = if knows { x_is_a } else { luck.unit(2 * u64::from(number) + 1) < 0.5 };
        session.answer(said(if says_a { Said::XIsA } else { Said::XIsB }), 2000).unwrap();
    }
    session
}

#[test]
fn guessers_pass_at_the_stated_rate_and_listeners_as_often_as_the_power_says() {
    for (rule, ability) in [(FIXED, 0.9), (SEQUENTIAL, 0.75)] {
        for (hears, right) in [(0.0, 0.5), (2.0 * ability - 1.0, ability)] {
            let stated = outcomes::pass_rate(&rule, right);
            let sessions = 4000;
            let passed = (0..sessions)
                .filter(|&n| answered(abx(n, rule), hears, 90_000 + n).standing() == Some(Standing::Passed))
                .count();
            let rate = passed as f64 / sessions as f64;
            let deviation = (stated * (1.0 - stated) / sessions as f64).sqrt();
            assert!((rate - stated).abs() < 4.0 * deviation, "{rule:?}, right in {right}: {rate}, not {stated}");
        }
    }
}

#[test]
fn who_always_hears_it_passes_and_who_is_always_wrong_does_not() {
    let got = answered(abx(3, FIXED), 1.0, 0).abx().unwrap();
    assert_eq!((got.answered, got.right, got.standing), (16, 16, Standing::Passed));
    assert_eq!(got.p_value, Some(0.5_f64.powi(16)));
    let mut wrong = abx(3, FIXED);
    while let Some(Trial::Abx { x_is_a, .. }) = wrong.next() {
        wrong.answer(said(if x_is_a { Said::XIsB } else { Said::XIsA }), 0).unwrap();
    }
    let got = wrong.abx().unwrap();
    assert_eq!((got.right, got.standing, got.p_value), (0, Standing::NotPassed, Some(1.0)));
}

#[test]
fn a_resumed_session_goes_on_as_it_would_have() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.json");
    for begun in [abx(11, FIXED), abx(12, SEQUENTIAL), ranking(13)] {
        let mut session = begun;
        session.save(&path).unwrap();
        while let Some(trial) = session.next() {
            let resumed = Session::load(&path).unwrap();
            assert_eq!(resumed, session);
            assert_eq!(resumed.next().as_ref(), Some(&trial));
            let answer = match trial {
                Trial::Abx { .. } => Said::XIsA,
                Trial::Ranking { stimuli, .. } => {
                    Said::Scores((0..stimuli.len()).map(|place| 10.0 * place as f64).collect())
                }
            };
            session.answer(said(answer), 5000).unwrap();
            session.save(&path).unwrap();
        }
        let over = Session::load(&path).unwrap();
        assert!(over.is_over());
        assert_eq!(over, session);
        assert_eq!(over.times_ms(), (1000, 5000));
    }
}

#[test]
fn scores_come_to_the_stimuli_that_they_were_given_to() {
    for seed in 0..20 {
        let mut session = ranking(seed);
        let mut heard = Vec::new();
        while let Some(Trial::Ranking { passage, stimuli, .. }) = session.next() {
            heard.push(passage);
            let score = |stimulus: &Stimulus| match stimulus.role {
                Role::Reference => 100.0,
                Role::Version => 50.0 + stimulus.version as f64,
                Role::LowAnchor => 5.0,
                Role::MidAnchor => 20.0,
            };
            session.answer(said(Said::Scores(stimuli.iter().map(score).collect())), 0).unwrap();
        }
        heard.sort_unstable();
        assert_eq!(heard, [0, 1, 2]);
        assert_eq!(session.scores().passages, vec![vec![100.0, 51.0, 52.0, 5.0, 20.0]; 3]);
    }
}

#[test]
fn who_gives_up_has_no_result() {
    let mut session = abx(5, FIXED);
    session.answer(said(Said::XIsA), 0).unwrap();
    session.give_up(7000);
    assert!(session.is_over() && session.given_up());
    let got = session.abx().unwrap();
    assert_eq!((got.answered, got.standing, got.p_value, got.interval), (1, Standing::Open, None, None));
    let error = session.answer(said(Said::XIsA), 0).unwrap_err().to_string();
    assert!(error.contains("is over"), "{error}");
}

#[test]
fn answers_that_do_not_fit_are_refused() {
    let mut session = ranking(1);
    for scores in [vec![], vec![50.0; 4], vec![50.0, 50.0, 50.0, 50.0, 101.0], vec![f64::NAN; 5]] {
        assert!(session.answer(said(Said::Scores(scores.clone())), 0).is_err(), "{scores:?}");
    }
    assert!(session.answer(said(Said::XIsA), 0).unwrap_err().to_string().contains("another kind"));
    let late = Answer { said: Said::Scores(vec![50.0; 5]), seconds: f64::INFINITY, switches: 0 };
    assert!(session.answer(late, 0).is_err());
    assert!(session.answers().is_empty());
    assert!(abx(1, FIXED).answer(said(Said::Scores(vec![1.0; 3])), 0).is_err());
}

#[test]
fn plans_that_cannot_be_are_refused() {
    let wrong = |change: fn(&mut Plan)| {
        let mut plan = plan(Test::Abx { a: 0, b: 1, passage: passage("all"), rule: FIXED }, 1);
        change(&mut plan);
        Session::new(plan, 0).unwrap_err().to_string()
    };
    assert!(wrong(|plan| plan.versions.truncate(1)).contains("two or more"));
    assert!(wrong(|plan| plan.versions = vec![plan.versions[0].clone(); 13]).contains("12 versions"));
    assert!(wrong(|plan| plan.versions[1].gain_db = f64::NAN).contains("gain"));
    assert!(wrong(|plan| plan.note = "x".repeat(5000)).contains("4096 bytes"));
    let test = |test: Test| Session::new(plan(test, 1), 0).unwrap_err().to_string();
    assert!(test(Test::Abx { a: 0, b: 3, passage: passage("all"), rule: FIXED }).contains("0 to 2"));
    assert!(test(Test::Abx { a: 1, b: 1, passage: passage("all"), rule: FIXED }).contains("another version"));
    let backwards = Passage { name: "back".into(), start_s: 3.0, end_s: 2.0 };
    assert!(test(Test::Abx { a: 0, b: 1, passage: backwards, rule: FIXED }).contains("passage"));
    let none = Test::Ranking { low_anchor: false, mid_anchor: false, passages: Vec::new() };
    assert!(test(none).contains("one or more"));
}

#[test]
fn files_that_lie_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.json");
    let mut session = abx(5, FIXED);
    session.answer(said(Said::XIsA), 0).unwrap();
    let text = serde_json::to_string(&session).unwrap();
    let refused = |text: &str| {
        std::fs::write(&path, text).unwrap();
        Session::load(&path).unwrap_err().to_string()
    };
    assert!(refused("").contains("no blind test"));
    assert!(refused("[]").contains("no blind test"));
    assert!(refused(&text.replace("\"format\":1", "\"format\":2")).contains("format 2"));
    assert!(refused(&text.replace("\"trials\":16", "\"trials\":4000000000")).contains("500"));
    assert!(refused(&text.replace("\"a\":0", "\"a\":9")).contains("number of a version"));
    assert!(refused(&text.replace("\"x_is_a\"", "{\"scores\":[1]}")).contains("another kind"));
    let one = serde_json::to_string(&said(Said::XIsA)).unwrap();
    let many = vec![one.as_str(); 17].join(",");
    assert!(refused(&text.replace(&one, &many)).contains("is over"));
    std::fs::write(&path, vec![b' '; 5 << 20]).unwrap();
    assert!(Session::load(&path).unwrap_err().to_string().contains("bytes"));
    assert!(Session::load(folder.path()).is_err());
}

proptest! {
    #[test]
    fn no_file_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), at in 0usize..900, cut in 0usize..40) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.json");
        let mut text = serde_json::to_vec(&ranking(2)).unwrap();
        let at = at.min(text.len());
        let end = (at + cut).min(text.len());
        text.splice(at..end, bytes);
        std::fs::write(&path, &text).unwrap();
        if let Ok(session) = Session::load(&path) {
            session.next();
            session.scores();
        }
    }
}
