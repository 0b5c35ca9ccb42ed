//! The pass over a recording that splits it.
//!
//! ```text
//! network          | segment 0           | segment 1                     | segment 2
//! beside it        | read and prepare 1  | sum and give 0, read 2        | sum and give 1, read 3
//! ```
//!
//! A network runs on a separate thread, so that a GPU waits neither for the host's transforms nor for the sink.

use std::sync::Arc;
use std::thread;

use super::input::{Input, Measured};
use super::network::{Given, Made, Network};
use super::output::{Output, StemResult};
use super::segments::Schedule;
use crate::stems::Sink;
use base::error::Result;
use base::progress::Progress;
use dsp::device::DeviceJob;

/// A network that runs, and the stems that count of it: among the wanted, in the model, and the share of each.
pub struct Running<'a> {
    pub network: &'a Network,
    pub stems: Vec<(usize, usize, f64)>,
}

/// A segment and a network, both by number.
#[derive(Clone, Copy)]
struct Turn {
    segment: usize,
    network: usize,
}

/// The pass in the making.
pub struct Pass<'a, 's> {
    schedule: &'a Schedule,
    input: &'a mut Input<'s>,
    output: Output,
    measured: Measured,
    networks: &'a [Running<'a>],
    /// The segment that was prepared last.
    prepared: Option<(usize, Arc<Given>)>,
    frames: u64,
}

impl<'a, 's> Pass<'a, 's> {
    /// Begins a pass. `measured` is from the first pass over the recording.
    pub fn new(
        schedule: &'a Schedule,
        input: &'a mut Input<'s>,
        output: Output,
        measured: Measured,
        networks: &'a [Running<'a>],
    ) -> Self {
        let frames = input.frames();
        Self { schedule, input, output, measured, networks, prepared: None, frames }
    }

    /// Splits the recording on the device of a job; without one, all stems are silent.
    pub fn run(&mut self, job: Option<&mut DeviceJob<()>>, sink: &mut Sink<'_>, progress: &Progress) -> Result<()> {
        let segments = self.schedule.segments().len();
        match job {
            Some(job) => self.with_networks(job, sink, progress)?,
            None => (0..segments).try_for_each(|segment| {
                let last = self.schedule.segments()[segment];
                self.input.reach(last.start + last.length as i64, progress)?;
                self.finish(segment, sink, progress)
            })?,
        }
        if segments == 0 {
            self.output.emit(self.input, true, sink, progress)?;
        }
        Ok(())
    }

    fn with_networks(&mut self, job: &mut DeviceJob<()>, sink: &mut Sink<'_>, progress: &Progress) -> Result<()> {
        let networks = self.networks;
        let mut turns = (0..self.schedule.segments().len())
            .flat_map(|segment| (0..networks.len()).map(move |network| Turn { segment, network }));
        let mut now = turns.next().map(|turn| self.prepare(turn, progress)).transpose()?;
        let mut before = None;
        while let Some((turn, given)) = now {
            let network = networks[turn.network].network;
            let next = turns.next();
            let (made, beside) = thread::scope(|scope| {
                let running = scope.spawn(|| network.run(job, &given, progress));
                let beside = self.beside(before.take(), next, sink, progress);
                (running.join(), beside)
            });
            let made = made.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            now = beside?;
            before = Some((turn, given, made));
        }
        before.map_or(Ok(()), |done| self.take(done, sink, progress))
    }

    /// Takes the result of the run before and prepares the next run, while a network runs.
    fn beside(
        &mut self,
        before: Option<(Turn, Arc<Given>, Made)>,
        next: Option<Turn>,
        sink: &mut Sink<'_>,
        progress: &Progress,
    ) -> Result<Option<(Turn, Arc<Given>)>> {
        if let Some(done) = before {
            self.take(done, sink, progress)?;
        }
        next.map(|turn| self.prepare(turn, progress)).transpose()
    }

    /// Reads a segment, which is the same for all networks.
    fn prepare(&mut self, turn: Turn, progress: &Progress) -> Result<(Turn, Arc<Given>)> {
        if let Some((segment, given)) = &self.prepared
            && *segment == turn.segment
        {
            return Ok((turn, Arc::clone(given)));
        }
        let segment = &self.schedule.segments()[turn.segment];
        let mix = self.input.segment(segment, self.measured, progress)?;
        let given = Arc::new(self.networks[turn.network].network.given(&mix)?);
        self.prepared = Some((turn.segment, Arc::clone(&given)));
        Ok((turn, given))
    }

    /// Adds a network's result for a segment, and passes it to the sink once all networks are done with it.
    fn take(
        &mut self,
        (turn, given, made): (Turn, Arc<Given>, Made),
        sink: &mut Sink<'_>,
        progress: &Progress,
    ) -> Result<()> {
        let Running { network, stems } = &self.networks[turn.network];
        let places: Vec<usize> = stems.iter().map(|(_, place, _)| *place).collect();
        let channels = network.stems(&given, &made, &places, progress)?;
        network.recycle(made);
        let share = |share: f64| share / self.schedule.shifts() as f64;
        let part = |(&(stem, _, of_network), channels)| StemResult { stem, share: share(of_network), channels };
        let parts: Vec<StemResult> = stems.iter().zip(channels).map(part).collect();
        let segment = &self.schedule.segments()[turn.segment];
        self.output.add(segment, &self.schedule.weights(segment), &parts);
        if turn.network + 1 == self.networks.len() { self.finish(turn.segment, sink, progress) } else { Ok(()) }
    }

    /// Passes the frames that no later segment changes to the sink, and counts a segment as done.
    fn finish(&mut self, segment: usize, sink: &mut Sink<'_>, progress: &Progress) -> Result<()> {
        let segments = self.schedule.segments();
        let end = self.input.model_frames();
        let settled = segments.get(segment + 1).map_or(end, |next| next.start.max(0) as u64);
        self.output.settle(settled)?;
        self.input.forget(segments[segment + 1..].iter().map(|next| next.from).min());
        self.output.emit(self.input, settled == end, sink, progress)?;
        let done = |n: usize| self.frames * n as u64 / segments.len() as u64;
        progress.advance(done(segment + 1) - done(segment))
    }
}
