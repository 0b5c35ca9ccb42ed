//! Parameter changes during playback, to any allowed value: the output stays finite and within the effect's bound.

use audio::AudioBuffer;
use base::progress::Progress;
use effects::chain::{Chain, Node, NodeId, NodeKind, Placement, RenderState, Renderer, measure_whole};
use effects::{self, Arguments, ParameterKind, Scale, Unit};
use rayon::prelude::*;

use super::runs::{Sound, chain};
use super::settings::{self, Setting};
use super::streamed::{format_at, peak};
use super::table;

/// The number of changes of all parameters.
const CHANGES: usize = 24;
const FRAMES: usize = 1500;

struct Random(u64);

impl Random {
    /// Returns a number in 0..=1, often one of the ends.
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let share = (self.0 >> 33) as f64 / (1u64 << 31) as f64;
        ((share - 0.5) * 1.6 + 0.5).clamp(0.0, 1.0)
    }
}

fn one(name: &str, arguments: &Arguments) -> Chain {
    let kind = NodeKind::Effect { effect: name.to_owned(), arguments: arguments.clone() };
    Chain::new(vec![Node { id: NodeId(1), bypass: false, mix: 1.0, label: None, kind }])
}

/// Returns other values for all parameters, as far as they are valid together.
fn turned(setting: &Setting, arguments: &Arguments, random: &mut Random) -> Arguments {
    let spec = effects::find(setting.name).unwrap();
    let mut turned = arguments.clone();
    for parameter in spec.parameters {
        let mut tried = turned.clone();
        let share = random.share();
        match parameter.kind {
            ParameterKind::Number { unit, min, max, scale, .. }
            | ParameterKind::NumberOrNote { unit, min, max, scale, .. } => {
                // Ten bands of 60 dB each would give 600 dB, and very long filters take long to design.
                let max = if unit == Unit::Db { max.min(24.0) } else { max };
                let max = if parameter.name == "taps" { max.min(201.0) } else { max };
                // A filter that rings for minutes gives a large transient when it becomes one that does not ring.
                let is_q = parameter.name.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with('q');
                let max = if is_q { max.min(30.0) } else { max };
                // Places lie within the signal.
                let is_place = unit == Unit::Seconds && max >= 1e6;
                let max = if is_place { FRAMES as f64 / 48_000.0 } else { max };
                let value = match scale {
                    Scale::Integer | Scale::Index => (min + share * (max - min)).round(),
                    Scale::Log if min > 0.0 => (min * (max / min).powf(share)).clamp(min, max),
                    Scale::Linear | Scale::Log => min + share * (max - min),
                };
                tried.set(parameter.name, value);
            }
            ParameterKind::Choice { options, .. } => {
                tried.set(parameter.name, options[(share * (options.len() - 1) as f64).round() as usize]);
            }
            ParameterKind::File { .. } => {}
        }
        let fits = spec.make(&tried).is_ok() && one(setting.name, &tried).check(format_at(48_000, 2)).is_ok();
        if fits {
            turned = tried;
        }
    }
    turned
}

/// Returns the peak of the output while all parameters change.
fn loudest(setting: &Setting) -> f32 {
    let chain = chain(&setting.text);
    let NodeKind::Effect { arguments, .. } = &chain.nodes[0].kind else { panic!("{}", setting.text) };
    let mut random = Random(7);
    let mut arguments = arguments.clone();
    let mut most = 0.0f32;
    let mut before: Option<RenderState> = None;
    for change in 0..CHANGES {
        let square = (0..FRAMES).map(|n| if (n / 37 + change) % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let noise = super::streamed::signal::noise(1, FRAMES).channel(0).iter().map(|x| 2.0 * x).collect();
        let mut block = AudioBuffer::from_channels(vec![square, noise]);
        let chain = one(setting.name, &arguments);
        let mut source = Sound::new(48_000, block.iter().map(<[f32]>::to_vec).collect());
        let measured = measure_whole(&chain, &mut source, "", &Placement::cpu(), &Progress::new()).unwrap();
        let mut renderer = Renderer::new(&chain, format_at(48_000, 2), &Placement::cpu(), &measured).unwrap();
        if let Some(before) = &before {
            renderer.adopt_state(before);
        }
        renderer.process(&mut block).unwrap();
        let state = renderer.state();
        // The latency's frames come out at the end.
        let now = peak(&block).max(peak(&renderer.finish(false).unwrap()));
        assert!(now <= setting.bound, "{}: {now} with {arguments:?}", setting.name);
        most = most.max(now);
        before = Some(state);
        arguments = turned(setting, &arguments, &mut random);
    }
    most
}

#[test]
fn parameters_turned_while_it_plays_keep_within_bounds() {
    settings::all().par_iter().for_each(|setting| {
        let most = loudest(setting);
        assert!(most > 0.0, "{} was silent all the time", setting.name);
        table::figure(setting.name, table::SWEPT, f64::from(most), "FS", "");
    });
}
