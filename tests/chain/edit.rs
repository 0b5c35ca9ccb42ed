//! Edits of chains, identities across texts, and JSON.

use base::{Error, Result};
use effects::chain::{Chain, NodeId, NodeKind, edit, json};
use effects::{Arguments, Value};

fn chain(text: &str) -> Chain {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Returns the edited chain as text. Also checks that the text is canonical: parsing it gives the same chain.
fn text(edited: Result<Chain>) -> String {
    let edited = edited.unwrap();
    let text = edited.to_string();
    assert!(chain(&text).is_like(&edited), "{text} does not give {edited:?} back");
    let mut ids: Vec<NodeId> = edited.walk().map(|node| node.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), edited.walk().count(), "identities are not unique in {text}");
    text
}

fn ids(chain: &Chain) -> Vec<u32> {
    chain.walk().map(|node| node.id.0).collect()
}

#[test]
fn an_effect_is_added_at_the_end_after_a_node_and_into_a_branch() {
    let start = chain("gain(1 dB) | (gain(2 dB) + gain(3 dB))"); // 1, 2(3, 4)
    let add = |after: Option<u32>| edit::add_effect(&start, "normalize", after.map(NodeId), &Arguments::default());
    assert_eq!(text(add(None).map(|(chain, _)| chain)), "gain(1 dB) | (gain(2 dB) + gain(3 dB)) | normalize");
    assert_eq!(text(add(Some(1)).map(|(chain, _)| chain)), "gain(1 dB) | normalize | (gain(2 dB) + gain(3 dB))");
    let (into_branch, id) = add(Some(3)).unwrap();
    assert_eq!(text(Ok(into_branch.clone())), "gain(1 dB) | ((gain(2 dB) | normalize) + gain(3 dB))");
    assert_eq!(into_branch.find(id).unwrap().name(), "normalize");
    assert!(start.find(id).is_none());
    assert!(matches!(add(Some(9)), Err(Error::NotFound { .. })));
    let unknown = edit::add_effect(&start, "normalyze", None, &Arguments::default()).unwrap_err().to_string();
    assert!(unknown.contains("did you mean `normalize`"), "{unknown}");
}

#[test]
fn every_effect_can_be_added_and_reset() {
    for spec in effects::all() {
        let (added, id) = edit::add_effect(&Chain::default(), spec.name, None, &Arguments::default()).unwrap();
        text(Ok(added.clone()));
        assert_eq!(edit::reset(&added, id).unwrap(), added);
    }
}

#[test]
fn groups_that_are_left_empty_or_with_one_go() {
    let start = chain("gain(1 dB) | off(gain(2 dB) + gain(3 dB))"); // 1, 2(3, 4)
    let one = edit::remove(&start, NodeId(3));
    assert_eq!(text(one), "gain(1 dB) | off(gain(3 dB))");
    assert_eq!(text(edit::remove(&start, NodeId(2))), "gain(1 dB)");
    let both = edit::remove(&edit::remove(&start, NodeId(3)).unwrap(), NodeId(4));
    assert_eq!(text(both), "gain(1 dB)");
    let nested = chain("mix(50 %, gain(1 dB) | mix(20 %, gain(2 dB)))"); // 1(2, 3)
    assert_eq!(text(edit::remove(&nested, NodeId(2))), "mix(50 %, mix(20 %, gain(2 dB)))");
}

#[test]
fn nodes_move_but_not_into_themselves() {
    let start = chain("gain(1 dB) | (gain(2 dB) + gain(3 dB) + gain(4 dB)) | gain(5 dB)"); // 1, 2(3, 4, 5), 6
    let moved = |node, parent: Option<u32>, index| edit::move_node(&start, NodeId(node), parent.map(NodeId), index);
    assert_eq!(text(moved(6, None, 0)), "gain(5 dB) | gain(1 dB) | (gain(2 dB) + gain(3 dB) + gain(4 dB))");
    assert_eq!(text(moved(1, None, 2)), "(gain(2 dB) + gain(3 dB) + gain(4 dB)) | gain(5 dB) | gain(1 dB)");
    assert_eq!(text(moved(1, Some(2), 3)), "(gain(2 dB) + gain(3 dB) + gain(4 dB) + gain(1 dB)) | gain(5 dB)");
    assert_eq!(text(moved(3, Some(2), 2)), "gain(1 dB) | (gain(3 dB) + gain(4 dB) + gain(2 dB)) | gain(5 dB)");
    assert_eq!(ids(&moved(6, None, 0).unwrap()), [6, 1, 2, 3, 4, 5]);
    for (node, parent) in [(2, 2), (2, 3), (1, 6)] {
        assert!(matches!(moved(node, Some(parent), 0), Err(Error::Impossible(_))), "{node} {parent}");
    }
    for (node, parent, index) in [(1, None, 3), (1, Some(2), 4)] {
        assert!(matches!(moved(node, parent, index), Err(Error::Invalid { .. })), "{node} {parent:?} {index}");
    }
    assert!(matches!(moved(9, None, 0), Err(Error::NotFound { .. })));
    assert!(matches!(moved(1, Some(9), 0), Err(Error::NotFound { .. })));
}

#[test]
fn a_copy_has_identities_of_its_own() {
    let start = chain("label(\"x\", gain(1 dB) | gain(2 dB)) | gain(3 dB)");
    let (copied, id) = edit::duplicate(&start, NodeId(1)).unwrap();
    assert_eq!(ids(&copied), [1, 2, 3, 5, 6, 7, 4]);
    assert_eq!(id, NodeId(5));
    assert_eq!(
        text(Ok(copied)),
        "label(\"x\", gain(1 dB) | gain(2 dB)) | label(\"x\", gain(1 dB) | gain(2 dB)) | gain(3 dB)"
    );
}

#[test]
fn arguments_are_checked_when_set() {
    let start = chain("bandpass(300 Hz, 3.4 kHz) | (gain(1 dB) + gain(2 dB))");
    let set = |node, name, value: Value| edit::set_argument(&start, NodeId(node), name, value);
    assert_eq!(text(set(1, "low", 250.0.into())), "bandpass(250 Hz, 3.4 kHz) | (gain(1 dB) + gain(2 dB))");
    for (node, name, value, said) in [
        (1, "low", Value::from(4000.0), "Low must be below High (3.4 kHz)"),
        (1, "low", Value::from(f64::NAN), "0.1 Hz to 384 kHz"),
        (1, "low", Value::from("x"), "0.1 Hz to 384 kHz"),
        (1, "order", Value::from(2.5), "a whole number from 1 to 24"),
        (1, "lwo", Value::from(1.0), "did you mean `low`"),
        (1, "design", Value::from("butterwort"), "did you mean `butterworth`"),
        (2, "gain", Value::from(1.0), "Choose an effect"),
    ] {
        let message = set(node, name, value).unwrap_err().to_string();
        assert!(message.contains(said), "{message}");
    }
    assert!(edit::reset(&start, NodeId(2)).is_err());
}

#[test]
fn bypass_mix_and_label_are_set_and_taken_away() {
    let start = chain("gain(1 dB)");
    let node = NodeId(1);
    let off = edit::set_bypass(&start, node, true);
    assert_eq!(text(Ok(off.as_ref().unwrap().clone())), "off(gain(1 dB))");
    assert_eq!(text(edit::set_bypass(&off.unwrap(), node, false)), "gain(1 dB)");
    let mixed = edit::set_mix(&start, node, 0.25);
    assert_eq!(text(Ok(mixed.as_ref().unwrap().clone())), "mix(25 %, gain(1 dB))");
    assert_eq!(text(edit::set_mix(&mixed.unwrap(), node, 1.0)), "gain(1 dB)");
    let named = edit::set_label(&start, node, Some(" Tom's \"low\" "));
    assert_eq!(text(Ok(named.as_ref().unwrap().clone())), r#"label("Tom's \"low\"", gain(1 dB))"#);
    assert_eq!(text(edit::set_label(&named.unwrap(), node, Some("  "))), "gain(1 dB)");
    for mix in [-0.1, 1.1, f64::NAN] {
        assert!(edit::set_mix(&start, node, mix).is_err());
    }
}

#[test]
fn a_node_is_replaced_by_a_chain() {
    let start = chain("gain(1 dB) | gain(2 dB)");
    let by = chain("gain(3 dB) | gain(4 dB)");
    assert_eq!(text(edit::replace_node(&start, NodeId(1), &by)), "(gain(3 dB) | gain(4 dB)) | gain(2 dB)");
    assert_eq!(text(edit::replace_node(&start, NodeId(2), &chain("gain(3 dB)"))), "gain(1 dB) | gain(3 dB)");
    assert_eq!(text(edit::replace_node(&start, NodeId(2), &Chain::default())), "gain(1 dB)");
}

#[test]
fn nesting_has_a_limit() {
    let mut deep = chain("gain(1 dB)");
    let mut refused = None;
    for level in 0..40 {
        let id = deep.fresh_id();
        let inner = std::mem::take(&mut deep.nodes);
        deep.nodes = vec![effects::chain::Node::new(id, NodeKind::Series { nodes: inner })];
        deep.nodes[0].mix = 0.5;
        match edit::set_bypass(&deep, NodeId(1), false) {
            Ok(_) => assert!(refused.is_none()),
            Err(Error::Limit { .. }) => refused = refused.or(Some(level + 1)),
            Err(other) => panic!("{other}"),
        }
    }
    // The innermost of these groups is replaced by the effect within it.
    assert_eq!(refused, Some(effects::chain::notation::MAX_DEPTH + 1));
}

/// Returns the identities in `new` after it has adopted those of `old`.
fn adopted(old: &str, new: &str) -> Vec<u32> {
    let mut new = chain(new);
    new.adopt_ids(&chain(old));
    ids(&new)
}

#[test]
fn nodes_found_again_keep_their_identity() {
    let old = "highpass(80) | peaking(1000, 2, 3) | gain(-3)";
    for (new, expected) in [
        (old, vec![1, 2, 3]),
        ("highpass(90) | peaking(1000, 2, 3) | gain(-3)", vec![1, 2, 3]),
        ("highpass(90) | peaking(1000, 2, 4) | gain(-6)", vec![1, 2, 3]),
        ("peaking(1000, 2, 3) | gain(-3)", vec![2, 3]),
        ("highpass(80) | notch(50, 10) | peaking(1000, 2, 3) | gain(-3)", vec![1, 4, 2, 3]),
        ("gain(-3) | highpass(80) | peaking(1000, 2, 3)", vec![3, 1, 2]),
        ("highpass(80) | lowpass(1000) | gain(-3)", vec![1, 4, 3]),
        ("highpass(80) | off(peaking(1000, 2, 3)) | gain(-3)", vec![1, 2, 3]),
        ("highpass(80) | (peaking(1000, 2, 3) + lowpass(100)) | gain(-3)", vec![1, 4, 2, 5, 3]),
        ("peaking(1000, 2, 3) | peaking(1000, 2, 3)", vec![2, 4]),
        ("", vec![]),
    ] {
        assert_eq!(adopted(old, new), expected, "{new}");
    }
    assert_eq!(adopted("", "gain(1)"), [1]);
    // Inside groups and across their borders.
    let old = "gain(1) | (gain(2) + (gain(3) | gain(4)))"; // 1, 2(3, 4(5, 6))
    assert_eq!(adopted(old, "gain(1) | (gain(2) + (gain(3) | gain(5)))"), [1, 2, 3, 4, 5, 6]);
    assert_eq!(adopted(old, "gain(1) | gain(3) | (gain(2) + gain(4))"), [1, 5, 2, 3, 6]);
    // If the first of two equal nodes is changed, the second keeps its identity.
    assert_eq!(adopted("gain(1) | gain(1)", "gain(2) | gain(1)"), [1, 2]);
}

#[test]
fn adopted_identities_are_unique_on_long_and_repetitive_chains() {
    let old = ["gain(1)"; 1500].join(" | ");
    let new = format!("gain(2) | {} | gain(3)", ["gain(1)", "gain(4)"].repeat(800).join(" | "));
    let mut ids = adopted(&old, &new);
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn json_keeps_everything() {
    let start = chain(
        "off(mix(40 %, label(\"low \u{e9}\", highpass(80.1 Hz, order=4)))) | (gain(1 dB) + (gain(2 dB) | gain(-0.3 dB))) | off(off(normalize))",
    );
    let start = edit::move_node(&start, NodeId(1), None, 1).unwrap();
    let written = json::to_json(&start).unwrap();
    let read = json::from_json(&written).unwrap();
    assert_eq!(read, start);
    assert_eq!(json::to_json(&read).unwrap(), written);
    assert_eq!(json::from_json(&json::to_json(&Chain::default()).unwrap()).unwrap(), Chain::default());
}

#[test]
fn json_fills_in_defaults_and_refuses_what_is_no_chain() {
    let node = |rest: &str| format!(r#"{{"version":1,"chain":{{"nodes":[{{"id":1,{rest}}}]}}}}"#);
    let short = node(r#""kind":"effect","effect":"highpass","arguments":{"cutoff":80}"#);
    assert_eq!(json::from_json(&short).unwrap(), chain("highpass(80 Hz)"));
    let gain = r#""kind":"effect","effect":"gain","arguments":{"gain":1}"#;
    let deep = {
        let mut inner = format!(r#"{{"id":0,{gain}}},{{"id":9999,{gain}}}"#);
        for id in 1..200 {
            inner = format!(r#"{{"id":{id},"kind":"series","nodes":[{inner}]}}"#);
        }
        format!(r#"{{"version":1,"chain":{{"nodes":[{inner}]}}}}"#)
    };
    for (text, said) in [
        (node(gain).replace("\"version\":1", "\"version\":3"), "Update Undertone"),
        (node(gain).replace("\"version\":1", "\"version\":0"), "no format 0"),
        (node(gain).replace("\"version\":1,", ""), "version"),
        (node(&gain.replace("\"gain\",", "\"gian\",")), "did you mean `gain`"),
        (node(&gain.replace(":1}", ":99}")), "-120 dB to 60 dB"),
        (node(&gain.replace("{\"gain\":1}", "{}")), "Gain is missing"),
        (node(&format!(r#""mix":1.5,{gain}"#)), "0 to 1"),
        (node(r#""kind":"series","nodes":[]"#), "is empty. Put an effect into it"),
        (node(&format!(r#"{gain}}},{{"id":1,{gain}"#)), "Two effects of the chain have the number 1"),
        (node(gain).replace("\"id\":1", "\"id\":4294967295"), "has the number 4294967295"),
        (deep, "not a chain"),
        ("[]".to_owned(), "not a chain"),
        (String::new(), "not a chain"),
        (node(gain)[..40].to_owned(), "not a chain"),
    ] {
        match json::from_json(&text) {
            Err(Error::Stored(message)) => assert!(message.contains(said), "{text}: {message}"),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn nodes_of_one_list_are_grouped_where_the_first_stands() {
    use edit::GroupKind::{Parallel, Series};
    let start = chain("gain(1 dB) | gain(2 dB) | gain(3 dB) | (gain(4 dB) + gain(5 dB))"); // 1, 2, 3, 4(5, 6)
    let group = |nodes: &[u32], kind| {
        let nodes: Vec<NodeId> = nodes.iter().copied().map(NodeId).collect();
        edit::group(&start, &nodes, kind).map(|(chain, _)| chain)
    };
    assert_eq!(
        text(group(&[3, 1], Parallel)),
        "(gain(1 dB) + gain(3 dB)) | gain(2 dB) | (gain(4 dB) + gain(5 dB))",
        "in the order of the chain, not of the asking"
    );
    assert_eq!(text(group(&[2, 3], Series)), "gain(1 dB) | (gain(2 dB) | gain(3 dB)) | (gain(4 dB) + gain(5 dB))");
    assert_eq!(
        text(group(&[3, 4], Parallel)),
        "gain(1 dB) | gain(2 dB) | (gain(3 dB) + (gain(4 dB) + gain(5 dB)))",
        "groups nest"
    );
    assert_eq!(
        text(group(&[2], Parallel)),
        "gain(1 dB) | (gain(2 dB) + gain(0 dB)) | gain(3 dB) | (gain(4 dB) + gain(5 dB))",
        "one alone gets a branch that changes nothing beside it"
    );
    assert!(matches!(group(&[2], Series), Err(Error::Impossible(_))));
    assert!(matches!(group(&[], Parallel), Err(Error::Impossible(_))));
    assert!(matches!(group(&[1, 5], Parallel), Err(Error::Impossible(_))));
    assert!(matches!(group(&[1, 9], Parallel), Err(Error::NotFound { .. })));
    let (edited, id) = edit::group(&start, &[NodeId(1), NodeId(2)], Series).unwrap();
    assert_eq!(edited.find(id).unwrap().children().iter().map(|node| node.id.0).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn a_group_is_dissolved_into_its_place_or_put_together_otherwise() {
    let start = chain("gain(1 dB) | off(label(\"two\", gain(2 dB) + mix(50 %, gain(3 dB)))) | gain(4 dB)"); // 1, 2(3, 4), 5
    assert_eq!(
        text(edit::ungroup(&start, NodeId(2))),
        "gain(1 dB) | off(gain(2 dB)) | off(mix(50 %, gain(3 dB))) | gain(4 dB)",
        "what was not heard stays so"
    );
    assert_eq!(
        text(edit::set_group(&start, NodeId(2), edit::GroupKind::Series)),
        "gain(1 dB) | off(label(\"two\", gain(2 dB) | mix(50 %, gain(3 dB)))) | gain(4 dB)"
    );
    for edited in [edit::ungroup(&start, NodeId(1)), edit::set_group(&start, NodeId(3), edit::GroupKind::Parallel)] {
        assert!(matches!(edited, Err(Error::Impossible(_))));
    }
    assert!(matches!(edit::ungroup(&start, NodeId(9)), Err(Error::NotFound { .. })));
    let nested = chain("gain(1 dB) + (gain(2 dB) | gain(3 dB))"); // 1(2, 3(4, 5))
    let branches = text(edit::ungroup(&nested, NodeId(3)));
    assert_eq!(branches, "gain(1 dB) + gain(2 dB) + gain(3 dB)");
}
