//! Random chains, and their texts with random damage.

use proptest::prelude::*;

use super::*;
use crate::chain::wrap::tidied;
use crate::chain::{Node, NodeId, NodeKind, TimeSpan};
use crate::{ParameterKind, Value};

fn value(kind: ParameterKind) -> BoxedStrategy<Value> {
    match kind {
        ParameterKind::Number { min, max, scale, .. } if scale.is_whole() => {
            (min as i64..=max as i64).prop_map(|number| Value::Number(number as f64)).boxed()
        }
        ParameterKind::Number { min, max, default, .. } => {
            prop_oneof![min..=max, Just(default.unwrap_or(min)), Just(max)].prop_map(Value::Number).boxed()
        }
        ParameterKind::NumberOrNote { min, max, .. } => prop_oneof![
            (min..=max).prop_map(Value::Number),
            (1..=128u32, 1..=128u32, proptest::sample::select(&["", "d", "t"][..]))
                .prop_map(|(above, below, letter)| Value::Text(format!("{above}/{below}{letter}"))),
        ]
        .boxed(),
        ParameterKind::Choice { options, .. } => proptest::sample::select(options).prop_map(Value::from).boxed(),
        ParameterKind::File { .. } => any::<String>().prop_map(Value::Text).boxed(),
    }
}

fn effect() -> impl Strategy<Value = NodeKind> {
    proptest::sample::select(crate::all()).prop_flat_map(|spec| {
        let values: Vec<_> = spec.parameters.iter().map(|parameter| value(parameter.kind)).collect();
        values.prop_map(move |values| {
            // Start from valid arguments and apply the values one by one as long as they stay valid together.
            let mut arguments = spec.initial_arguments();
            for (parameter, value) in spec.parameters.iter().zip(values) {
                let mut tried = arguments.clone();
                tried.set(parameter.name, value);
                if let Ok(complete) = spec.arguments(&tried) {
                    arguments = complete;
                }
            }
            NodeKind::Effect { effect: spec.name.to_owned(), arguments }
        })
    })
}

fn node() -> impl Strategy<Value = Node> {
    let dressed = |kind: BoxedStrategy<NodeKind>| {
        let mix = prop_oneof![3 => Just(1.0), 1 => 0.0..=1.0f64];
        let label = prop_oneof![3 => Just(None), 1 => ".{0,8}".prop_map(Some)];
        (kind, proptest::bool::weighted(0.2), mix, label)
            .prop_map(|(kind, bypass, mix, label)| Node { id: NodeId(0), bypass, mix, label, kind })
            .boxed()
    };
    dressed(effect().boxed()).prop_recursive(4, 24, 3, move |inner| {
        let nodes = proptest::collection::vec(inner, 1..4);
        dressed(
            (nodes, 0..3u8, 0.0..100.0f64, prop_oneof![Just(TimeSpan::DEFAULT_FADE_S), 0.0..10.0f64])
                .prop_map(|(nodes, kind, from_s, fade_s)| match kind {
                    0 => NodeKind::Series { nodes },
                    1 => NodeKind::Parallel { nodes },
                    _ => NodeKind::During { span: TimeSpan { from_s, to_s: from_s + 0.5, fade_s }, nodes },
                })
                .boxed(),
        )
    })
}

fn chain() -> impl Strategy<Value = Chain> {
    proptest::collection::vec(node(), 0..5).prop_map(|nodes| {
        let mut chain = Chain::new(tidied(nodes));
        chain.renumber(NodeId(1));
        chain
    })
}

/// One kind of damage to a text: its position, the number of characters to replace, and the replacement.
fn spoiling() -> impl Strategy<Value = (usize, usize, String)> {
    let piece = prop_oneof![
        "[-|+(),=/%:#\"\\\\a-zA-G0-9. ]{0,3}",
        any::<char>().prop_map(String::from),
        Just("off(".to_owned()),
        Just("during(1 s, 2 s, ".to_owned()),
        Just("1e400".to_owned()),
        Just("\\u{".to_owned()),
    ];
    (any::<usize>(), 0..4usize, piece)
}

fn spoiled(text: &str, (at, count, piece): &(usize, usize, String)) -> String {
    let characters: Vec<char> = text.chars().collect();
    let start = at % (characters.len() + 1);
    let end = (start + count).min(characters.len());
    let (before, after) = (&characters[..start], &characters[end..]);
    before.iter().copied().chain(piece.chars()).chain(after.iter().copied()).collect()
}

/// Parses arbitrary text: the result is a chain that prints stably, or an error with a position in the text.
fn read(text: &str) {
    match text.parse::<Chain>() {
        Ok(chain) => {
            let printed = chain.to_string();
            assert_eq!(printed.parse::<Chain>().as_ref(), Ok(&chain), "{text:?} printed {printed:?}");
        }
        Err(error) => {
            assert_eq!(text.get(error.start..error.end), Some(error.got.as_str()), "{text:?}: {error:?}");
            assert!(!error.message.is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn a_chain_comes_back_from_its_text_and_its_json(chain in chain()) {
        let text = chain.to_string();
        let read: Chain = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        prop_assert_eq!(&read, &chain, "{}", text);
        prop_assert_eq!(read.to_string(), text);
        let json = crate::chain::json::to_json(&chain).unwrap();
        prop_assert_eq!(crate::chain::json::from_json(&json).unwrap(), chain);
    }

    #[test]
    fn a_value_in_any_unit_prints_in_ours_and_stays_there(
        amplitude in 0.1..500f64,
        lufs in -60i32..-1,
        (letter, accidental, octave) in ("[A-Ga-g]", "[#b]?", 1..8i32),
        (above, below) in (1..20u32, 1..20u32),
    ) {
        let text = format!(
            "gain({amplitude:.3} %) | normalize({lufs} LUFS) | notch({letter}{accidental}{octave}, q=3) | \
             compressor(-20 dB, {}:{below}) | delay(0.1 min, mix=-{above} dB)",
            above + below,
        );
        let chain: Chain = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        let printed = chain.to_string();
        prop_assert_eq!(printed.parse::<Chain>().unwrap(), chain, "{}", printed);
    }

    #[test]
    fn a_spoiled_text_is_read_or_refused_with_a_place(
        chain in chain(),
        spoilings in proptest::collection::vec(spoiling(), 1..6),
    ) {
        read(&spoilings.iter().fold(chain.to_string(), |text, spoiling| spoiled(&text, spoiling)));
    }

    #[test]
    fn any_text_is_read_or_refused_with_a_place(text in ".{0,40}") {
        read(&text);
    }

    #[test]
    fn identities_stay_unique_when_adopted(old in chain(), new in chain()) {
        let mut adopted = new.clone();
        adopted.adopt_ids(&old);
        prop_assert!(adopted.is_like(&new));
        let mut ids: Vec<NodeId> = adopted.walk().map(|node| node.id).collect();
        ids.sort();
        ids.dedup();
        prop_assert_eq!(ids.len(), new.walk().count());
        let mut itself = old.clone();
        itself.adopt_ids(&old);
        prop_assert_eq!(itself, old);
    }
}
