//! The long short-term memory.

use super::{Block, Known, logistic};
use neural::network::{Lstm, Shape, State};

pub(super) fn lstm(lstm: &Lstm, x: Block<'_>, known: Known<'_>, state: &mut State) -> Vec<f64> {
    let (input_weights, hidden_weights) = (known.of(lstm.input_weights), known.of(lstm.hidden_weights));
    let (bias, size) = (known.of(lstm.bias), known.shape(lstm.hidden_weights)[1]);
    let Shape { channels: inputs, rows, frames } = x.shape;
    let kept = Shape::sequence(2 * size, 1);
    let before = lstm.keep.as_ref().map_or_else(|| vec![0.0; kept.len()], |name| state.get(name, kept));
    let mut result = vec![0.0; size * rows * frames];
    for row in 0..rows {
        let (mut hidden, mut cell): (Vec<f64>, Vec<f64>) = (
            before[..size].iter().map(|&x| f64::from(x)).collect(),
            before[size..].iter().map(|&x| f64::from(x)).collect(),
        );
        for step in 0..frames {
            let frame = if lstm.backward { frames - 1 - step } else { step };
            let gate = |gate: usize| {
                let of_input = input_weights[gate * inputs..][..inputs].iter().enumerate();
                let of_hidden = hidden_weights[gate * size..][..size].iter().zip(&hidden);
                f64::from(bias[gate])
                    + of_input.map(|(n, &weight)| f64::from(weight) * x.at(n, row, frame)).sum::<f64>()
                    + of_hidden.map(|(&weight, hidden)| f64::from(weight) * hidden).sum::<f64>()
            };
            let gates: Vec<f64> = (0..4 * size).map(gate).collect();
            for n in 0..size {
                let (input, forget, new, output) =
                    (gates[n], gates[size + n], gates[2 * size + n], gates[3 * size + n]);
                cell[n] = logistic(forget) * cell[n] + logistic(input) * new.tanh();
                hidden[n] = logistic(output) * cell[n].tanh();
                result[(n * rows + row) * frames + frame] = hidden[n];
            }
        }
        if let Some(name) = &lstm.keep {
            state.set(name, kept, hidden.iter().chain(&cell).map(|&x| x as f32).collect());
        }
    }
    result
}
