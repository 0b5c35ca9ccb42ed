//! Builds a plan: walks the graph of a chain once and emits operations.

use std::ops::Range;

use super::super::catalogue::Catalogue;
use super::super::graph::{Chain, Node, NodeId, NodeKind, TimeSpan};
use super::super::measured::{MeasuredMap, MeasurementNeed};
use super::schedule::once;
use super::{DelayedSide, MixInput, NodeSections, Op, Plan, Schedule, SoundChanges, StreamPosition, decay_frames};
use crate::{Permission, Process, Stage, TimeMap};
use audio::AudioFormat;
use base::error::{Error, Result};
use base::units::SampleRate;
use dsp::design::Section;

/// The maximum number of signals in parallel, each with a separate block: branches of sums and dry sides.
const MAX_REGISTERS: usize = 256;

/// The level to which sound before a part decays in the recursions that act on it, before the part begins, in dB.
const RUN_IN_DB: f64 = -120.0;

/// The longest time for that in seconds, in addition to the memory that effects declare.
const RUN_IN_S: f64 = 10.0;

pub(super) fn build(chain: &Chain, input: AudioFormat, measured: &MeasuredMap, catalogue: Catalogue) -> Result<Plan> {
    let mut builder = Builder {
        measured,
        catalogue,
        permission: chain.permission(),
        ops: Vec::new(),
        runs: Vec::new(),
        run: None,
        free: Vec::new(),
        registers: 1,
        needs: Vec::new(),
        notes: Vec::new(),
    };
    let flow = builder.series(
        &chain.nodes,
        Flow {
            register: 0,
            format: input,
            latency: 0,
            memory: 0,
            tail: 0,
            ratio: 1.0,
            skipped: 0.0,
            length: None,
            time_changes: 0,
            span: None,
            changes: SoundChanges::NONE,
        },
    )?;
    builder.flush();
    Ok(Plan {
        input,
        output: flow.format,
        ops: builder.ops,
        schedule: Schedule::new(builder.runs),
        output_register: flow.register,
        registers: builder.registers,
        latency_frames: flow.latency,
        memory_frames: flow.memory,
        tail_frames: flow.tail,
        frames_ratio: flow.ratio,
        skipped_frames: flow.skipped,
        length: flow.length,
        keeps_time: flow.time_changes == 0,
        needs: builder.needs,
        changes: flow.changes,
        notes: builder.notes,
    })
}

/// A signal on its way through the chain: its register, format and timing.
#[derive(Clone, Copy, Debug)]
struct Flow {
    register: usize,
    format: AudioFormat,
    latency: u64,
    /// In frames of the chain's input.
    memory: u64,
    tail: u64,
    /// Frames here per frame of the chain's input.
    ratio: f64,
    /// Frames of the chain's input skipped at its beginning.
    skipped: f64,
    /// The number of frames here, if an effect determines it independently of the length of the chain's input.
    length: Option<u64>,
    /// The number of effects so far that change the number of frames.
    time_changes: usize,
    /// The part of the recording on which effects here act; `None` for all of it.
    span: Option<TimeSpan>,
    changes: SoundChanges,
}

/// Adjacent sections and gains, still being collected. They all use one register.
#[derive(Debug)]
struct Run {
    register: usize,
    sections: Vec<Section>,
    gain: Vec<f64>,
    parts: Vec<NodeSections>,
}

struct Builder<'a> {
    measured: &'a MeasuredMap,
    catalogue: Catalogue,
    permission: &'a Permission,
    ops: Vec<Op>,
    /// When each operation runs; `None` for always.
    runs: Vec<Option<Vec<Range<u64>>>>,
    run: Option<Run>,
    free: Vec<usize>,
    registers: usize,
    needs: Vec<MeasurementNeed>,
    notes: Vec<String>,
}

impl Builder<'_> {
    fn series(&mut self, nodes: &[Node], mut flow: Flow) -> Result<Flow> {
        for node in nodes {
            flow = self.node(node, flow)?;
        }
        Ok(flow)
    }

    fn node(&mut self, node: &Node, flow: Flow) -> Result<Flow> {
        if !(0.0..=1.0).contains(&node.mix) {
            return Err(Error::invalid("wet/dry", format!("{} %", node.mix * 100.0), "0 % to 100 %"));
        }
        if node.bypass {
            return Ok(flow);
        }
        if node.mix == 1.0 {
            return self.kind(node, flow);
        }
        let dry = self.fork(&flow)?;
        let wet = self.kind(node, flow)?;
        let wet_gain = self.trailing_gain(wet.format.channels).into_iter().map(|gain| gain * node.mix).collect();
        let dry_gain = vec![1.0 - node.mix; dry.format.channels];
        self.sum(&[(node.id, wet, wet_gain), (node.id, dry, dry_gain)], DelayedSide::Dry, &flow)
    }

    fn kind(&mut self, node: &Node, flow: Flow) -> Result<Flow> {
        match &node.kind {
            NodeKind::Series { nodes } => self.series(nodes, flow),
            NodeKind::Parallel { nodes } => self.parallel(nodes, flow),
            NodeKind::During { nodes, .. } if nodes.is_empty() => Ok(flow),
            NodeKind::During { span, nodes } => self.during(node.id, *span, nodes, flow),
            NodeKind::Effect { effect, arguments } => {
                let spec = (self.catalogue)(effect).ok_or_else(|| match crate::known(effect) {
                    Err(unknown) => unknown,
                    Ok(_) => Error::NotFound { what: "effect", name: effect.clone() },
                })?;
                self.effect(node.id, effect, spec.make_with(arguments, self.permission)?.as_ref(), flow)
            }
        }
    }

    fn parallel(&mut self, nodes: &[Node], flow: Flow) -> Result<Flow> {
        let Some((last, others)) = nodes.split_last() else { return Ok(flow) };
        if others.is_empty() {
            return self.node(last, flow);
        }
        let mut branches = Vec::with_capacity(nodes.len());
        let mut forks = Vec::with_capacity(others.len());
        for _ in others {
            forks.push(self.fork(&flow)?);
        }
        // The last branch reuses the register of the input.
        for (node, start) in others.iter().zip(forks).chain([(last, flow)]) {
            let end = self.node(node, start)?;
            let gain = self.trailing_gain(end.format.channels);
            branches.push((node.id, end, gain));
        }
        self.sum(&branches, DelayedSide::Branch, &flow)
    }

    /// Emits nodes that act on a part of the recording. They run only around it: from far enough before it that their
    /// filters have forgotten earlier sound, to its end. The dry side is delayed to match them throughout.
    fn during(&mut self, id: NodeId, span: TimeSpan, nodes: &[Node], flow: Flow) -> Result<Flow> {
        span.check()?;
        if flow.span.is_some() {
            return Err(Error::impossible("A part cannot hold another part. Put them one after the other."));
        }
        if flow.time_changes > 0 {
            return Err(Error::impossible(
                "A part cannot stand behind an effect that changes the sample rate or the length, because its times are \
                 those of the recording. Move it before that effect.",
            ));
        }
        // The effects before the part always run.
        self.flush();
        let first = self.ops.len();
        let start = self.fork(&flow)?;
        let end = self.series(nodes, Flow { span: Some(span), ..start })?;
        self.flush();
        if end.time_changes > 0 || end.format != flow.format {
            return Err(Error::impossible(
                "An effect that changes the sample rate, the channels or the length cannot act on a part. Move it out of \
                 there.",
            ));
        }
        let rate = flow.format.rate;
        let part = rate.frames_from_seconds(span.from_s)..rate.frames_from_seconds(span.to_s);
        let longest = rate.frames_from_seconds(RUN_IN_S);
        let run_in = self.settle_frames(first, longest) + (end.memory - flow.memory) + (end.latency - flow.latency);
        // A frame that is here now entered `latency` frames ago.
        let runs_from = part.start.saturating_sub(run_in) + flow.latency;
        let [here_from, here_to] = [part.start, part.end].map(|frame| frame + end.latency);
        let fade = rate.frames_from_seconds(span.fade_s).min((here_to - here_from) / 2);
        let rise = here_from..here_from + if part.start == 0 { 0 } else { fade };
        let fall = here_to - fade..here_to;
        self.runs[first..].fill(Some(once(runs_from..here_to)));
        if end.latency > flow.latency {
            let frames = (end.latency - flow.latency) as usize;
            let (register, channels) = (flow.register, flow.format.channels);
            self.emit(Op::Delay { register, node: id, side: DelayedSide::Part, frames, channels });
        }
        let (dry, wet) = (flow.register, end.register);
        self.emit_during(
            vec![rise.clone(), fall.clone()],
            Op::Crossfade { dry, wet, rise: rise.clone(), fall: fall.clone() },
        );
        self.emit_during(once(rise.end..fall.start), Op::Copy { from: wet, to: dry });
        self.free.push(wet);
        let changes = SoundChanges {
            level: end.changes.level,
            semitones: end.changes.semitones.filter(|_| end.changes.semitones == flow.changes.semitones),
        };
        Ok(Flow { latency: end.latency, memory: end.memory, changes, ..flow })
    }

    /// Returns how long the recursions of the operations from `first` on take to decay, in frames, at most `longest`.
    fn settle_frames(&self, first: usize, longest: u64) -> u64 {
        let sections = self.ops[first..].iter().filter_map(|op| match op {
            Op::Cascade { sections, .. } => Some(sections),
            _ => None,
        });
        let slowest = |sections: &Vec<Section>| {
            sections.iter().map(|section| decay_frames(&section.svf, RUN_IN_DB)).max().unwrap_or(0)
        };
        sections.map(slowest).fold(0u64, u64::saturating_add).min(longest)
    }

    fn effect(&mut self, id: NodeId, name: &str, effect: &dyn crate::Effect, flow: Flow) -> Result<Flow> {
        if let Some(side) = effect.side_inputs().iter().find(|side| !side.optional) {
            return Err(Error::unsupported(
                format!("{name} in a chain"),
                format!("it needs the side input `{}`, which a chain does not give", side.name),
            ));
        }
        let channels_out = effect.channels_out(flow.format.channels)?;
        let map = effect.time_map(flow.format);
        let frames_ratio = map.rate_ratio * map.duration_ratio;
        let rate = if map.rate_ratio == 1.0 {
            flow.format.rate
        } else {
            SampleRate::new((flow.format.rate.as_f64() * map.rate_ratio).round() as u32)?
        };
        if let Some(what) = effect.whole_signal() {
            self.needs.push(MeasurementNeed { node: id, what, part: effect.measured_part(), span: flow.span });
        }
        let own_latency = effect.latency_frames(flow.format);
        let own_tail = effect.tail_frames(flow.format);
        let own_memory = (effect.memory_frames(flow.format) as f64 / flow.ratio).ceil() as u64;
        let measured = self.measured.get(id);
        let length = effect.frames_out(flow.format, measured);
        let skipped = effect.frames_skipped(flow.format, measured) as f64 / flow.ratio;
        self.notes.extend(measured.and_then(|measured| effect.note(measured)));
        let stage = effect.stage(flow.format, measured)?;
        let changes = flow.changes.after(effect, &stage);
        match stage {
            Stage::Sections(sections) => self.sections(id, name, sections, &flow),
            Stage::Gain(gain) => self.gain(name, &gain, &flow)?,
            Stage::Process(process) => self.process(id, name, process, &flow, own_latency),
        }
        let scaled = |frames: u64| (frames as f64 * frames_ratio).round() as u64;
        Ok(Flow {
            register: flow.register,
            format: AudioFormat::new(rate, channels_out).with_layout(effect.layout_out(flow.format)),
            latency: scaled(flow.latency + own_latency),
            memory: flow.memory + own_memory,
            // An effect that knows its output length also drops the tails of the effects before it.
            tail: scaled(if length.is_some() { own_tail } else { flow.tail + own_tail }),
            ratio: flow.ratio * frames_ratio,
            skipped: flow.skipped + skipped,
            length: length.or(flow.length.map(scaled)),
            time_changes: flow.time_changes + usize::from(length.is_some() || map != TimeMap::IDENTITY),
            span: flow.span,
            changes,
        })
    }

    fn sections(&mut self, id: NodeId, name: &str, sections: Vec<Section>, flow: &Flow) {
        let run = self.run(flow);
        let first = run.sections.len();
        run.sections.extend(sections);
        run.parts.push(NodeSections {
            node: id,
            effect: name.to_owned(),
            sections: first..run.sections.len(),
            gain_before: run.gain.clone(),
        });
    }

    fn gain(&mut self, name: &str, gain: &[f64], flow: &Flow) -> Result<()> {
        if gain.len() != flow.format.channels {
            return Err(Error::Internal(format!(
                "{name} gave {} gains for {} channels",
                gain.len(),
                flow.format.channels
            )));
        }
        for (total, gain) in self.run(flow).gain.iter_mut().zip(gain) {
            *total *= gain;
        }
        Ok(())
    }

    fn process(&mut self, id: NodeId, name: &str, mut process: Box<dyn Process>, flow: &Flow, latency_frames: u64) {
        self.flush();
        let place = StreamPosition {
            ratio: flow.ratio,
            latency_frames: flow.latency,
            skipped: flow.skipped,
            origin: flow.span.map_or(0, |span| flow.format.rate.frames_from_seconds(span.from_s)),
            keeps_time: flow.time_changes == 0,
        };
        process.seek(place.frame(0));
        let (register, effect) = (flow.register, name.to_owned());
        self.emit(Op::Process { register, node: id, effect, place, latency_frames, process });
    }

    /// Emits an operation that always runs.
    fn emit(&mut self, op: Op) {
        self.ops.push(op);
        self.runs.push(None);
    }

    /// Emits an operation that runs during these frames of the chain's input.
    fn emit_during(&mut self, runs: Vec<Range<u64>>, op: Op) {
        self.ops.push(op);
        self.runs.push(Some(runs));
    }

    /// Returns the current run, starting one if there is none.
    fn run(&mut self, flow: &Flow) -> &mut Run {
        debug_assert!(self.run.as_ref().is_none_or(|run| run.register == flow.register));
        self.run.get_or_insert_with(|| Run {
            register: flow.register,
            sections: Vec::new(),
            gain: vec![1.0; flow.format.channels],
            parts: Vec::new(),
        })
    }

    /// Emits the current run.
    fn flush(&mut self) {
        let Some(Run { register, sections, gain, parts }) = self.run.take() else { return };
        if !sections.is_empty() {
            self.emit(Op::Cascade { register, sections, gain, parts });
        } else if gain.iter().any(|gain| *gain != 1.0) {
            self.emit(Op::Gain { register, gain });
        }
    }

    /// Ends a branch. A run of gains alone is left to the following sum; anything else is emitted.
    fn trailing_gain(&mut self, channels: usize) -> Vec<f64> {
        if self.run.as_ref().is_some_and(|run| run.sections.is_empty()) {
            return self.run.take().map_or_else(|| vec![1.0; channels], |run| run.gain);
        }
        self.flush();
        vec![1.0; channels]
    }

    /// Returns a second flow with the same signal.
    fn fork(&mut self, flow: &Flow) -> Result<Flow> {
        self.flush();
        if self.free.is_empty() && self.registers >= MAX_REGISTERS {
            return Err(Error::Limit {
                what: "the number of parallel branches".into(),
                got: "more".into(),
                limit: format!("{MAX_REGISTERS} at once"),
            });
        }
        let to = self.free.pop().unwrap_or_else(|| {
            self.registers += 1;
            self.registers - 1
        });
        self.emit(Op::Copy { from: flow.register, to });
        Ok(Flow { register: to, ..*flow })
    }

    /// Aligns branches in time and sums them. `before` is the signal that all of them receive.
    fn sum(&mut self, branches: &[(NodeId, Flow, Vec<f64>)], side: DelayedSide, before: &Flow) -> Result<Flow> {
        let first = branches[0].1;
        let what = match side {
            DelayedSide::Branch => "the branches of a parallel group",
            DelayedSide::Dry | DelayedSide::Part => "a mix of wet and dry",
        };
        if branches.iter().any(|(_, flow, _)| flow.time_changes != before.time_changes) {
            return Err(Error::impossible(format!(
                "An effect that changes the sample rate or the length cannot stand in {what}. Move it out of there."
            )));
        }
        for (_, branch, _) in branches {
            if branch.format != first.format || (branch.ratio - first.ratio).abs() > 1e-12 {
                let shape = |flow: &Flow| format!("{} at {}", flow.format.channels_in_words(), flow.format.rate);
                let (one, other) = (shape(&first), shape(branch));
                return Err(Error::impossible(format!("{what} must put out the same format, not {one} and {other}.")));
            }
        }
        let latency = branches.iter().map(|(_, flow, _)| flow.latency).max().unwrap_or(0);
        let memory = branches.iter().map(|(_, flow, _)| flow.memory).max().unwrap_or(0);
        let tail = branches.iter().map(|(_, flow, _)| flow.tail).max().unwrap_or(0);
        for (node, flow, _) in branches {
            if flow.latency < latency {
                let frames = (latency - flow.latency) as usize;
                let channels = flow.format.channels;
                self.emit(Op::Delay { register: flow.register, node: *node, side, frames, channels });
            }
        }
        let inputs =
            branches.iter().map(|(_, flow, gain)| MixInput { register: flow.register, gain: gain.clone() }).collect();
        self.emit(Op::Mix { inputs });
        self.free.extend(branches[1..].iter().map(|(_, flow, _)| flow.register));
        let changes = before.changes.sum(branches.iter().map(|(_, flow, _)| flow.changes));
        Ok(Flow { latency, memory, tail, changes, ..first })
    }
}
