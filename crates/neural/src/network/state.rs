//! The values that a causal model remembers from one piece of sound to the next.

use std::collections::BTreeMap;

use super::Shape;

/// The values that a model remembers, by name. Missing values count as zeros.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    values: BTreeMap<String, (Shape, Vec<f32>)>,
    /// The number of frames that came before, at the rate of each sequence with positions.
    positions: BTreeMap<String, u64>,
}

impl State {
    /// Returns the state before the first piece.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the values under a name, or zeros of that shape.
    pub fn get(&self, name: &str, shape: Shape) -> Vec<f32> {
        match self.values.get(name) {
            Some((kept, values)) if *kept == shape => values.clone(),
            _ => vec![0.0; shape.len()],
        }
    }

    /// Keeps values under a name.
    pub fn set(&mut self, name: &str, shape: Shape, values: Vec<f32>) {
        self.values.insert(name.to_owned(), (shape, values));
    }

    /// Returns how many frames of the sequence of that name came before.
    pub fn position(&self, name: &str) -> u64 {
        self.positions.get(name).copied().unwrap_or(0)
    }

    /// Notes that `frames` frames of the sequence of that name were taken.
    pub fn advance(&mut self, name: &str, frames: u64) {
        *self.positions.entry(name.to_owned()).or_default() += frames;
    }

    /// Appends the whole state as numbers.
    pub fn write(&self, to: &mut Vec<f64>) {
        to.extend([self.values.len() as f64, self.positions.len() as f64]);
        for (name, (shape, values)) in &self.values {
            write_name(name, to);
            to.extend([shape.channels, shape.rows, shape.frames].map(|size| size as f64));
            to.extend(values.iter().map(|&x| f64::from(x)));
        }
        for (name, frames) in &self.positions {
            write_name(name, to);
            to.push(*frames as f64);
        }
    }

    /// Reads what [`State::write`] appended, and takes it from the beginning of `from`; `None` for other numbers.
    pub fn read(from: &mut &[f64]) -> Option<Self> {
        let [values, positions] = sizes(from)?;
        let mut state = Self::new();
        for _ in 0..values {
            let name = read_name(from)?;
            let [channels, rows, frames] = sizes(from)?;
            let shape = Shape { channels, rows, frames };
            let count = channels.checked_mul(rows)?.checked_mul(frames)?;
            let numbers = from.split_off(..count)?;
            state.values.insert(name, (shape, numbers.iter().map(|&x| x as f32).collect()));
        }
        for _ in 0..positions {
            let name = read_name(from)?;
            let [frames] = sizes(from)?;
            state.positions.insert(name, frames as u64);
        }
        Some(state)
    }
}

/// Takes whole numbers from the beginning.
fn sizes<const N: usize>(from: &mut &[f64]) -> Option<[usize; N]> {
    let numbers: [f64; N] = from.split_off(..N)?.try_into().ok()?;
    numbers.iter().all(|x| (0.0..9e15).contains(x) && x.fract() == 0.0).then(|| numbers.map(|x| x as usize))
}

fn write_name(name: &str, to: &mut Vec<f64>) {
    to.push(name.len() as f64);
    to.extend(name.bytes().map(f64::from));
}

fn read_name(from: &mut &[f64]) -> Option<String> {
    let [length] = sizes(from)?;
    let bytes = from.split_off(..length)?.iter().map(|&byte| byte as u8).collect();
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_give_the_state_again_and_others_are_refused() {
        let mut state = State::new();
        state.set("encoder.frames", Shape::sequence(2, 3), vec![0.1, -2.0, 3.0, 1e-30, 5.0, 6.0]);
        state.set("empty", Shape::sequence(4, 0), Vec::new());
        state.advance("decoder", 77);
        let mut numbers = vec![9.0];
        state.write(&mut numbers);
        let mut rest = &numbers[1..];
        assert_eq!(State::read(&mut rest), Some(state));
        assert!(rest.is_empty());
        for count in 1..numbers.len() - 1 {
            assert_eq!(State::read(&mut &numbers[1..=count]), None, "{count} numbers");
        }
        for wrong in [-1.0, 0.5, f64::NAN, f64::INFINITY] {
            let mut spoiled = numbers[1..].to_vec();
            spoiled[0] = wrong;
            assert_eq!(State::read(&mut spoiled.as_slice()), None);
        }
        assert_eq!(State::read(&mut [0.0, 0.0].as_slice()), Some(State::new()));
    }
}
