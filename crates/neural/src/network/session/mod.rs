//! Runs graphs efficiently.
//!
//! ```text
//! Graph -> fused -> Plan (steps, places in memory) -> Session::run(items)
//! Parameters -> Constants (in the order in which kernels read them) ---^
//! ```
//!
//! A [`Session`] computes the same as the oracle of the tests, to the precision of f32. The bits depend neither on the
//! number of threads nor on the items of a batch nor, in causal models, on how a sound is cut into pieces.

mod constants;
mod device;
mod fused;
mod memory;
mod on_device;
mod peak;
mod places;
mod plan;
mod steps;

use std::sync::{Arc, Mutex};

pub use constants::Constants;
pub use peak::peak_operations_per_second;

use super::{Graph, State};
use base::error::{Error, Result};
use base::lock::lock;
use base::progress::Progress;
use dsp::gpu::copy_shared;
use memory::Memory;
use plan::Plan;

/// One input of a network, with its state.
#[derive(Debug)]
pub struct Item<'a> {
    /// The values of [`Graph::inputs`], in their order.
    pub inputs: Vec<&'a [f32]>,
    /// The state before the run, and after it. It does not change if the run fails.
    pub state: &'a mut State,
    /// After the run, the values of [`Graph::outputs`].
    pub outputs: Vec<Vec<f32>>,
}

impl<'a> Item<'a> {
    /// An item that was not run yet.
    pub fn new(inputs: Vec<&'a [f32]>, state: &'a mut State) -> Self {
        Self { inputs, state, outputs: Vec::new() }
    }
}

/// A graph, planned for execution.
#[derive(Debug)]
pub struct Session {
    plan: Plan,
    /// Memory of earlier runs.
    kept: Arc<Mutex<Vec<Memory>>>,
    /// Results of earlier runs that are not needed any more.
    spare: Arc<Mutex<Vec<Vec<f32>>>>,
}

impl Session {
    /// Plans a graph. `constants` belong to the model that it was built for.
    pub fn new(graph: &Graph, constants: &Arc<Constants>) -> Result<Self> {
        graph.check(constants.parameters())?;
        Ok(Self { plan: Plan::new(graph, constants), kept: Arc::default(), spare: Arc::default() })
    }

    /// Shares the memory of runs with another session, such as one of the same graph with other numbers or of another
    /// length.
    pub fn share_memory(&mut self, other: &Self) {
        self.kept = Arc::clone(&other.kept);
        self.spare = Arc::clone(&other.spare);
    }

    /// Returns the bytes that a run needs for the values of each item, beside the constants.
    pub fn bytes_of_item(&self) -> u64 {
        self.plan.sizes.iter().map(|&size| 4 * size as u64).sum()
    }

    /// Returns the number of multiplications of a run for each item, each with an addition.
    pub fn products(&self) -> u64 {
        self.plan.products()
    }

    /// Runs the network on items, all by the same steps on the CPU. Checks `progress` for cancellation every few
    /// milliseconds, but does not advance it.
    ///
    /// # Errors
    /// [`Error::Invalid`] if an input does not have the size that the graph expects, or a code names no row of its
    /// book. After any error all states are as before.
    pub fn run(&self, items: &mut [Item<'_>], progress: &Progress) -> Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        for item in items.iter() {
            self.check(item)?;
        }
        let mut memories: Vec<Memory> = {
            let mut kept = lock(&self.kept);
            let memory = |_| Memory::of(&self.plan.sizes, kept.pop());
            items.iter().map(memory).collect::<Result<_>>()?
        };
        let done = steps::run(&self.plan, items, &mut memories, progress);
        if done.is_ok() {
            for (item, memory) in items.iter_mut().zip(&mut memories) {
                let inputs = &item.inputs;
                item.outputs = self.plan.outputs.iter().map(|&place| self.copied(memory.read(inputs, place))).collect();
                memory.remembered.commit(item.state);
            }
        }
        memories.iter_mut().for_each(|memory| memory.remembered.clear());
        lock(&self.kept).append(&mut memories);
        done
    }

    /// Takes results that are not needed any more, so that later runs write theirs there: memory that is new to the
    /// process takes longer to get than to fill.
    pub fn recycle(&self, outputs: Vec<Vec<f32>>) {
        let mut spare = lock(&self.spare);
        spare.extend(outputs);
        let surplus = spare.len().saturating_sub(2 * self.plan.outputs.len());
        spare.drain(..surplus);
    }

    /// Copies a result, to memory that is there if it fits.
    fn copied(&self, result: &[f32]) -> Vec<f32> {
        let mut spare = lock(&self.spare);
        let found = spare.iter().position(|spare| spare.len() == result.len());
        let found = found.map(|at| spare.swap_remove(at));
        drop(spare);
        let mut copy = found.unwrap_or_else(|| vec![0.0; result.len()]);
        copy_shared(&mut copy, result);
        copy
    }

    fn check(&self, item: &Item<'_>) -> Result<()> {
        if item.inputs.len() != self.plan.inputs.len() {
            let (got, allowed) = (item.inputs.len().to_string(), self.plan.inputs.len().to_string());
            return Err(Error::invalid("inputs of a network", got, allowed));
        }
        for (input, (name, shape)) in item.inputs.iter().zip(&self.plan.inputs) {
            if input.len() != shape.len() {
                let (got, allowed) = (format!("{} numbers", input.len()), format!("{} numbers, {shape}", shape.len()));
                return Err(Error::invalid(format!("input {name}"), got, allowed));
            }
        }
        Ok(())
    }
}
