//! The memory of an item while its network runs.

use super::places::{Home, Place};
use crate::network::{Shape, State};
use base::error::{Error, Result};

/// The slots of an item, and the values to be remembered.
#[derive(Debug, Default)]
pub(super) struct Memory {
    slots: Vec<Vec<f32>>,
    pub remembered: Remembered,
}

impl Memory {
    /// Creates slots of these sizes. Reuses slots of `former`, perhaps from another plan, if they are large enough.
    ///
    /// # Errors
    /// [`Error::Limit`] if the system does not have that much memory.
    pub fn of(sizes: &[usize], former: Option<Self>) -> Result<Self> {
        let mut memory = former.unwrap_or_default();
        memory.slots.resize_with(sizes.len().max(memory.slots.len()), Vec::new);
        for (slot, &size) in memory.slots.iter_mut().zip(sizes) {
            if slot.len() >= size {
                continue;
            }
            // A slot that is too small is freed first.
            *slot = Vec::new();
            slot.try_reserve_exact(size).map_err(|_| {
                let all: usize = sizes.iter().sum();
                let got = format!("{} MiB", (4 * all).div_ceil(1 << 20));
                Error::Limit { what: "the memory of a network".into(), got, limit: "what the system has".into() }
            })?;
            slot.resize(size, 0.0);
        }
        Ok(memory)
    }

    /// The numbers at a place.
    pub fn read<'a>(&'a self, inputs: &[&'a [f32]], place: Place) -> &'a [f32] {
        let home = match place.home {
            Home::Input(n) => inputs[n],
            Home::Slot(slot) => &self.slots[slot],
        };
        &home[place.first..][..place.count]
    }

    /// Takes the slot of a result while it is written.
    pub fn take(&mut self, place: Place) -> Vec<f32> {
        match place.home {
            Home::Input(_) => Vec::new(),
            Home::Slot(slot) => std::mem::take(&mut self.slots[slot]),
        }
    }

    /// Puts it back.
    pub fn put(&mut self, place: Place, values: Vec<f32>) {
        if let Home::Slot(slot) = place.home {
            self.slots[slot] = values;
        }
    }
}

/// The values that a run remembers if it succeeds.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    values: Vec<(String, Shape, Vec<f32>)>,
    /// Sequences and the frames that the run takes from them.
    taken: Vec<(String, u64)>,
}

impl Remembered {
    /// The values under a name: those of this run, else those of the state, else zeros.
    pub fn get(&self, state: &State, name: &str, shape: Shape) -> Vec<f32> {
        match self.values.iter().rev().find(|(key, ..)| key == name) {
            Some((_, kept, values)) if *kept == shape => values.clone(),
            Some(_) => vec![0.0; shape.len()],
            None => state.get(name, shape),
        }
    }

    pub fn set(&mut self, name: &str, shape: Shape, values: Vec<f32>) {
        self.values.push((name.to_owned(), shape, values));
    }

    /// Notes how many frames of a sequence are taken; all operations of a run take as many.
    pub fn take(&mut self, name: &str, frames: usize) {
        if self.taken.iter().all(|(known, _)| known != name) {
            self.taken.push((name.to_owned(), frames as u64));
        }
    }

    /// Brings all into the state.
    pub fn commit(&mut self, state: &mut State) {
        for (name, shape, values) in self.values.drain(..) {
            state.set(&name, shape, values);
        }
        for (name, frames) in self.taken.drain(..) {
            state.advance(&name, frames);
        }
    }

    pub fn clear(&mut self) {
        self.values.clear();
        self.taken.clear();
    }
}
