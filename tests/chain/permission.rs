//! What chains may read and run: one permission is not another's, on every way to lower a chain and to make one.

use std::collections::BTreeSet;
use std::path::PathBuf;

use audio::encode::{EncodeSettings, Encoder};
use audio::{AudioBuffer, MemoryReader};
use base::Result;
use base::error::Error;
use base::progress::Progress;
use base::units::SampleRate;
use effects::chain::response::{chain_response, node_response};
use effects::chain::{
    Chain, MeasuredMap, NodeId, Placement, Plan, Rendered, Renderer, Seeking, aligned_format, cost, edit, input_of,
    json, measure_whole,
};
use effects::{FileDependency, ParameterKind, Permission};
use neural::models::ModelKind;

use crate::support::streamed::format_at;

/// A chain that reads a file or runs a model, and what it reads.
struct Case {
    effect: &'static str,
    text: String,
    file: PathBuf,
}

fn cases(folder: &tempfile::TempDir) -> [Case; 3] {
    let [taps, room] = ["taps.txt", "room.wav"].map(|name| folder.path().join(name));
    std::fs::write(&taps, "1 0.5").unwrap();
    let mut encoder = Encoder::create(&room, &EncodeSettings::default(), format_at(48_000, 1), false, &[]).unwrap();
    encoder.write(&AudioBuffer::from_channels(vec![vec![0.5, 0.25, 0.125]])).unwrap();
    encoder.finish().unwrap();
    let model = crate::support::reference("codec_models/encodec_24khz");
    [("fir", "file=", taps), ("convolve", "", room), ("codec", "", model)].map(|(effect, name, file)| Case {
        effect,
        text: format!("gain(-1 dB) | (gain(0 dB) + mix(50 %, {effect}({name}{:?})))", file.to_str().unwrap()),
        file,
    })
}

/// Returns what every way to lower a chain says, by its name.
fn lowered(chain: &Chain) -> Vec<(&'static str, Result<()>)> {
    let (format, measured, placement) = (format_at(48_000, 1), MeasuredMap::default(), Placement::cpu());
    let rate = SampleRate::new(48_000).unwrap();
    let source = || Box::new(MemoryReader::new(rate, AudioBuffer::new(1, 4800)));
    let node = chain.walk().find(|node| node.named_files().next().is_some()).unwrap().id;
    vec![
        ("check", chain.check(format)),
        ("plan", Plan::new(chain, format, &measured).map(drop)),
        ("renderer", Renderer::new(chain, format, &placement, &measured).map(drop)),
        ("rendered", Rendered::new(chain, source(), &placement, &measured, Seeking::Exact).map(drop)),
        ("measured", measure_whole(chain, source().as_mut(), "", &placement, &Progress::new()).map(drop)),
        ("aligned", aligned_format(chain, format).map(drop)),
        ("response", chain_response(chain, rate, &[1000.0]).map(drop)),
        ("response of a node", node_response(chain, node, rate, &[1000.0]).map(drop)),
    ]
}

fn is_refused(error: &Error) -> bool {
    matches!(error, Error::Refused { .. }) || error.to_string().contains("is not confirmed")
}

fn assert_runs(what: &str, chain: &Chain) {
    for (way, result) in lowered(chain) {
        result.unwrap_or_else(|error| panic!("{what}, {way}: {error}"));
    }
    assert!(chain.files().iter().all(|file| file.content.is_some()), "{what}");
}

fn assert_refused(what: &str, chain: &Chain) {
    for (way, result) in lowered(chain) {
        assert!(result.as_ref().is_err_and(is_refused), "{what}, {way}: {result:?}");
    }
    let files = chain.files();
    assert!(!files.is_empty() && files.iter().all(|file| file.content.is_none()), "{what}");
    assert!(chain.sound_key().ends_with("|unread"), "{what}");
    let costs = cost::of_nodes(chain, format_at(48_000, 1));
    assert_eq!(costs.iter().filter(|cost| cost.latency_frames.is_none()).count(), files.len(), "{what}");
}

#[test]
fn what_one_permission_allows_is_refused_to_a_chain_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let cases = cases(&folder);
    let with_files = effects::all()
        .iter()
        .filter(|spec| spec.parameters.iter().any(|parameter| matches!(parameter.kind, ParameterKind::File { .. })));
    let tested: BTreeSet<_> = cases.iter().map(|case| case.effect).collect();
    assert_eq!(with_files.map(|spec| spec.name).collect::<BTreeSet<_>>(), tested, "every effect with a file is tested");
    for Case { effect, text, file } in cases {
        let any: Chain = text.parse().unwrap();
        // What was read is cached from here on.
        assert_runs(effect, &any);
        let [one, other] = [Permission::nothing(), Permission::nothing()];
        let [mine, theirs] = [&one, &other].map(|permission| any.clone().limited_to(permission));
        assert_refused(effect, &mine);
        one.allow([&file]);
        if effect == "codec" {
            assert_refused("a model without its licence", &mine);
            other.allow([&file]);
            one.confirm(ModelKind::Encodec24, true);
        }
        assert_runs("a chain that was there before its file was allowed", &mine);
        assert_refused("a chain of another permission", &theirs);
        assert_refused("both together", &mine.clone().limited_to(&other));
        one.confirm(ModelKind::Encodec24, false);
        assert_eq!(mine.check(format_at(48_000, 1)).is_ok(), effect != "codec", "{effect}");
        assert!(any == theirs && any.is_like(&theirs), "equal whatever they are allowed");
        assert_eq!(json::to_json(&any).unwrap(), json::to_json(&theirs).unwrap());
        let unread = FileDependency { path: file, content: None };
        assert_eq!(theirs.files(), [unread]);
    }
}

#[test]
fn a_chain_that_is_made_of_others_is_allowed_no_more_than_they_are() {
    let folder = tempfile::tempdir().unwrap();
    for Case { effect, text, .. } in cases(&folder) {
        let any: Chain = text.parse().unwrap();
        let gain: Chain = "gain(-2 dB)".parse().unwrap();
        let nothing = Permission::nothing();
        let [limited, plain, empty] = [&any, &gain, &Chain::default()].map(|chain| chain.clone().limited_to(&nothing));
        let (node, first) = (any.nodes[1].id, NodeId(1));
        let read = any.walk().find(|node| node.name() == effect).unwrap().clone();
        let path = read.named_files().next().unwrap().to_owned();
        let parameter = effects::find(effect).unwrap().parameters;
        let parameter = parameter.iter().find(|found| matches!(found.kind, ParameterKind::File { .. })).unwrap().name;
        let (added, id) = edit::add_effect(&empty, effect, None, &effects::Arguments::default()).unwrap();
        let mut grown = plain.clone();
        grown.nodes.push(read.clone());
        let mut renamed = limited.clone();
        renamed.adopt_ids(&any);
        for (how, chain) in [
            ("a clone", limited.clone()),
            ("before another", limited.followed_by(&gain)),
            ("behind another", gain.followed_by(&limited)),
            ("behind one that is limited", plain.followed_by(&any)),
            ("before one that is limited", any.followed_by(&plain)),
            ("replaced by another", edit::replace_chain(&plain, &any)),
            ("in place of another", edit::replace_chain(&gain, &limited)),
            ("in place of a node", edit::replace_node(&gain, first, &limited).unwrap()),
            ("in place of a node of one that is limited", edit::replace_node(&plain, first, &any).unwrap()),
            ("added to an empty one", edit::set_argument(&added, id, parameter, path.into()).unwrap()),
            ("twice", edit::duplicate(&limited, node).unwrap().0),
            ("after an edit", edit::remove(&limited, first).unwrap()),
            ("with its nodes", empty.with_nodes(vec![read])),
            ("pushed", grown),
            ("with other identities", renamed),
            ("limited twice", limited.clone().limited_to(&Permission::ANY)),
        ] {
            assert_refused(&format!("{effect}, {how}"), &chain);
        }
        // What comes before a node, as measurements render it.
        let measuring: Chain = format!("{text} | normalize(-1 dB)").parse().unwrap();
        let last = measuring.nodes[2].id;
        let before = input_of(&measuring.clone().limited_to(&nothing), last).unwrap();
        assert_refused(&format!("{effect}, before a node"), &before);
    }
}
