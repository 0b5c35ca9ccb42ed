//! Convolutions.

use super::{Block, Known};
use neural::network::{Convolution, Parameter, Shape, TransposedConvolution};

pub(super) fn convolution(convolution: &Convolution, x: Block<'_>, shape: Shape, known: Known<'_>) -> Vec<f64> {
    let weights = known.of(convolution.weights);
    let [outputs, inputs, row_taps, taps] = dimensions(known.shape(convolution.weights));
    let mut result = biased(convolution.bias, shape, known);
    for output in 0..outputs {
        let first = output / (outputs / convolution.groups) * inputs;
        for row in 0..shape.rows {
            let y = &mut result[(output * shape.rows + row) * shape.frames..][..shape.frames];
            for input in 0..inputs {
                for row_tap in 0..row_taps {
                    let from = row * convolution.stride[0] + row_tap * convolution.dilation[0];
                    let Some(from) = from.checked_sub(convolution.row_padding).filter(|&from| from < x.shape.rows)
                    else {
                        continue;
                    };
                    let x = x.row(first + input, from);
                    for tap in 0..taps {
                        let weight = f64::from(weights[((output * inputs + input) * row_taps + row_tap) * taps + tap]);
                        for (frame, y) in y.iter_mut().enumerate() {
                            *y += weight * x[frame * convolution.stride[1] + tap * convolution.dilation[1]];
                        }
                    }
                }
            }
        }
    }
    result
}

pub(super) fn transposed(
    convolution: &TransposedConvolution,
    x: Block<'_>,
    shape: Shape,
    known: Known<'_>,
) -> Vec<f64> {
    let weights = known.of(convolution.weights);
    let [inputs, outputs, taps] = dimensions(known.shape(convolution.weights));
    let mut result = biased(convolution.bias, shape, known);
    for input in 0..inputs {
        let first = input / (inputs / convolution.groups) * outputs;
        for output in 0..outputs {
            let y = &mut result[(first + output) * shape.rows * shape.frames..][..shape.rows * shape.frames];
            for row in 0..x.shape.rows {
                for (frame, &x) in x.row(input, row).iter().enumerate() {
                    for tap in 0..taps {
                        let weight = f64::from(weights[(input * outputs + output) * taps + tap]);
                        let (from, size) =
                            if convolution.along_rows { (row, shape.rows) } else { (frame, shape.frames) };
                        let to = from * convolution.stride + tap;
                        let Some(to) = to.checked_sub(convolution.cut[0]).filter(|&to| to < size) else { continue };
                        let (row, frame) = if convolution.along_rows { (to, frame) } else { (row, to) };
                        y[row * shape.frames + frame] += weight * x;
                    }
                }
            }
        }
    }
    result
}

fn biased(bias: Option<Parameter>, shape: Shape, known: Known<'_>) -> Vec<f64> {
    let plane = shape.rows * shape.frames;
    match bias {
        Some(bias) => known.of(bias).iter().flat_map(|&bias| std::iter::repeat_n(f64::from(bias), plane)).collect(),
        None => vec![0.0; shape.len()],
    }
}

/// The dimensions of weights, which were checked when the graph was built.
fn dimensions<const N: usize>(shape: &[usize]) -> [usize; N] {
    std::array::from_fn(|axis| shape[axis])
}
