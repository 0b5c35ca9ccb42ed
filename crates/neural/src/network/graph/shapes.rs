//! The shape of an operation's result, and whether it fits its inputs and parameters.

use super::operation::{
    Attention, Convolution, Edge, Extend, Left, Lstm, Norm, Normalized, Operation, Right, Rotary, TransposedConvolution,
};
use crate::network::{Parameter, Parameters, Shape};

/// The most numbers that a value may have: beyond it, something is wrong with the configuration.
const MAX_NUMBERS: usize = 1 << 31;

/// A mismatch: the property, its actual value and the allowed values.
pub(super) struct Misfit {
    pub what: String,
    pub got: String,
    pub allowed: String,
}

type Fits<T = ()> = Result<T, Misfit>;

fn fits(is: bool, what: &str, got: impl ToString, allowed: impl ToString) -> Fits {
    if is { Ok(()) } else { Err(Misfit { what: what.to_owned(), got: got.to_string(), allowed: allowed.to_string() }) }
}

/// Returns the shape of the result. [`Operation::Input`] and [`Operation::Reshape`] have theirs from the builder.
pub(super) fn infer(operation: &Operation, inputs: &[Shape], parameters: &Parameters) -> Fits<Shape> {
    let expected = match operation {
        Operation::Input => 0..=0,
        Operation::Add | Operation::Subtract => 2..=2,
        Operation::Attention(attention) => {
            if attention.distances {
                4..=4
            } else {
                3..=3
            }
        }
        Operation::Join => 1..=usize::MAX,
        _ => 1..=1,
    };
    fits(
        expected.contains(&inputs.len()),
        "inputs",
        inputs.len(),
        format!("{} to {}", expected.start(), expected.end()),
    )?;
    let Some(&x) = inputs.first() else { return Ok(Shape::sequence(0, 0)) };
    let shape = match operation {
        Operation::Input | Operation::Reshape => x,
        Operation::Extend(extend) => extended(extend, x)?,
        Operation::Crop { start, frames } => {
            let end = start.checked_add(*frames);
            fits(
                end.is_some_and(|end| end <= x.frames),
                "frames to keep",
                format!("{frames} from {start}"),
                format!("within {}", x.frames),
            )?;
            x.with_frames(*frames)
        }
        Operation::Channels { start, channels } => {
            let end = start.checked_add(*channels);
            fits(
                end.is_some_and(|end| end <= x.channels),
                "channels to keep",
                format!("{channels} from {start}"),
                format!("within {}", x.channels),
            )?;
            x.with_channels(*channels)
        }
        Operation::Join => {
            for other in inputs {
                fits(other.rows == x.rows && other.frames == x.frames, "shape to join", other, x)?;
            }
            x.with_channels(inputs.iter().map(|shape| shape.channels).sum())
        }
        Operation::Transpose => Shape { channels: x.channels, rows: x.frames, frames: x.rows },
        Operation::Convolution(convolution) => convolved(convolution, x, parameters)?,
        Operation::TransposedConvolution(convolution) => transposed(convolution, x, parameters)?,
        Operation::Activate(super::Activation::Snake(alpha)) => {
            per_channel("snake", Some(*alpha), x, parameters)?;
            x
        }
        Operation::Activate(_) => x,
        Operation::Glu => {
            fits(x.channels % 2 == 0, "channels of a GLU", x.channels, "even")?;
            x.with_channels(x.channels / 2)
        }
        Operation::Add | Operation::Subtract => {
            fits(inputs[1] == x, "shape of the second value", inputs[1], x)?;
            x
        }
        Operation::Scale(gain) => {
            per_channel("gain", Some(*gain), x, parameters)?;
            x
        }
        Operation::Offset(numbers) => {
            let shape = parameters.shape(*numbers);
            let is = shape == [x.channels, x.rows] || shape == [x.channels, x.rows, x.frames];
            fits(
                is,
                "numbers to add",
                format!("{shape:?}"),
                format!("{:?}, with or without frames", [x.channels, x.rows]),
            )?;
            x
        }
        Operation::Normalize(norm) => normalized(norm, x, parameters)?,
        Operation::Lstm(lstm) => recurrent(lstm, x, parameters)?,
        Operation::Rotary(rotary) => turned(rotary, x)?,
        Operation::Attention(attention) => attended(attention, inputs)?,
        Operation::UnitLength => x,
        Operation::Nearest { book } => {
            let components = book_of(*book, parameters)?[1];
            fits(components == x.channels, "components of a code", components, x.channels)?;
            x.with_channels(1)
        }
        Operation::Lookup { book } => {
            fits(x.channels == 1, "channels of codes", x.channels, 1)?;
            x.with_channels(book_of(*book, parameters)?[1])
        }
    };
    let numbers = shape.channels.checked_mul(shape.rows).and_then(|numbers| numbers.checked_mul(shape.frames));
    fits(
        numbers.is_some_and(|numbers| numbers <= MAX_NUMBERS),
        "size of a value",
        shape,
        format!("at most {MAX_NUMBERS} numbers"),
    )?;
    Ok(shape)
}

fn extended(extend: &Extend, x: Shape) -> Fits<Shape> {
    let left = match &extend.left {
        Left::Edge(_, frames) | Left::Kept(_, frames) => *frames,
    };
    let Right(_, right) = extend.right;
    let made_of_frames = matches!(extend.left, Left::Edge(Edge::Reflect | Edge::Replicate, 1..))
        || matches!(extend.right, Right(Edge::Reflect | Edge::Replicate, 1..));
    fits(!made_of_frames || x.frames > 0, "frames to mirror", 0, "at least 1")?;
    let frames = x.frames.checked_add(left).and_then(|frames| frames.checked_add(right));
    fits(frames.is_some(), "frames beyond the edges", format!("{left} and {right}"), "fewer")?;
    let frames = frames.unwrap_or(0);
    if let Some((name, kept)) = &extend.keep {
        fits(*kept <= frames, &format!("frames to keep as {name}"), kept, format!("at most {frames}"))?;
    }
    Ok(x.with_frames(frames))
}

fn convolved(convolution: &Convolution, x: Shape, parameters: &Parameters) -> Fits<Shape> {
    let weights = parameters.shape(convolution.weights);
    fits(weights.len() == 4, "weights of a convolution", format!("{weights:?}"), "outputs x inputs x rows x frames")?;
    let groups = convolution.groups;
    fits(
        groups > 0 && weights[0].is_multiple_of(groups),
        "groups",
        groups,
        format!("a divisor of {} outputs", weights[0]),
    )?;
    fits(
        weights[1].checked_mul(groups) == Some(x.channels),
        "channels",
        x.channels,
        format!("{} in {groups} groups", weights[1]),
    )?;
    per_output("bias", convolution.bias, weights[0], parameters)?;
    let rows = x.rows.checked_add(2 * convolution.row_padding.min(x.rows)).unwrap_or(0);
    fits(
        convolution.row_padding <= x.rows,
        "rows beyond the edges",
        convolution.row_padding,
        format!("at most {}", x.rows),
    )?;
    let along = |axis: usize, size: usize, what: &str| -> Fits<usize> {
        let (stride, dilation, taps) = (convolution.stride[axis], convolution.dilation[axis], weights[2 + axis]);
        fits(
            stride > 0 && dilation > 0 && taps > 0,
            "stride, dilation, taps",
            format!("{stride}, {dilation}, {taps}"),
            "at least 1",
        )?;
        let reach = (taps - 1).checked_mul(dilation).and_then(|reach| reach.checked_add(1));
        fits(
            reach.is_some_and(|reach| reach <= size),
            what,
            size,
            format!("at least {}", reach.unwrap_or(usize::MAX)),
        )?;
        Ok((size - reach.unwrap_or(0)) / stride + 1)
    };
    Ok(Shape { channels: weights[0], rows: along(0, rows, "rows")?, frames: along(1, x.frames, "frames")? })
}

fn transposed(convolution: &TransposedConvolution, x: Shape, parameters: &Parameters) -> Fits<Shape> {
    let weights = parameters.shape(convolution.weights);
    fits(
        weights.len() == 3,
        "weights of a transposed convolution",
        format!("{weights:?}"),
        "inputs x outputs x frames",
    )?;
    let groups = convolution.groups;
    fits(weights[0] == x.channels, "channels", x.channels, weights[0])?;
    fits(
        groups > 0 && weights[0].is_multiple_of(groups),
        "groups",
        groups,
        format!("a divisor of {} inputs", weights[0]),
    )?;
    let outputs = weights[1].checked_mul(groups);
    fits(outputs.is_some(), "outputs", format!("{} in {groups} groups", weights[1]), "fewer")?;
    let outputs = outputs.unwrap_or(0);
    per_output("bias", convolution.bias, outputs, parameters)?;
    fits(
        convolution.stride > 0 && weights[2] > 0,
        "stride and taps",
        format!("{}, {}", convolution.stride, weights[2]),
        "at least 1",
    )?;
    let (size, what) = if convolution.along_rows { (x.rows, "rows") } else { (x.frames, "frames") };
    fits(size > 0, what, 0, "at least 1")?;
    let whole = (size - 1).checked_mul(convolution.stride).and_then(|size| size.checked_add(weights[2]));
    fits(whole.is_some(), what, size, "fewer")?;
    let left = convolution.cut.iter().try_fold(whole.unwrap_or(0), |left, &cut| left.checked_sub(cut));
    let cut = format!("{:?}", convolution.cut);
    fits(left.is_some_and(|left| left > 0), &format!("{what} to leave out"), cut, "fewer than there are")?;
    let left = left.unwrap_or(0);
    Ok(if convolution.along_rows {
        Shape { channels: outputs, rows: left, frames: x.frames }
    } else {
        Shape { channels: outputs, rows: x.rows, frames: left }
    })
}

fn normalized(norm: &Norm, x: Shape, parameters: &Parameters) -> Fits<Shape> {
    if let Normalized::Groups(groups) | Normalized::GroupsOfRow(groups) = norm.over {
        fits(
            groups > 0 && x.channels.is_multiple_of(groups),
            "groups",
            groups,
            format!("a divisor of {}", x.channels),
        )?;
    }
    per_channel("gain", norm.gain, x, parameters)?;
    per_channel("bias", norm.bias, x, parameters)?;
    Ok(x)
}

fn recurrent(lstm: &Lstm, x: Shape, parameters: &Parameters) -> Fits<Shape> {
    let (input, hidden) = (parameters.shape(lstm.input_weights), parameters.shape(lstm.hidden_weights));
    let is = matches!((input, hidden), ([a, inputs], [b, size]) if *inputs == x.channels && a == b && size.checked_mul(4) == Some(*a));
    fits(
        is,
        "weights of an LSTM",
        format!("{input:?} and {hidden:?}"),
        format!("4 hidden x {} and 4 hidden x hidden", x.channels),
    )?;
    fits(x.rows == 1 || lstm.keep.is_none(), "rows of an LSTM that is continued", x.rows, 1)?;
    per_output("bias", Some(lstm.bias), input[0], parameters)?;
    Ok(x.with_channels(hidden[1]))
}

fn turned(rotary: &Rotary, x: Shape) -> Fits<Shape> {
    fits(
        rotary.heads > 0 && x.channels.is_multiple_of(2 * rotary.heads),
        "heads",
        rotary.heads,
        format!("of an even width in {} channels", x.channels),
    )?;
    fits(x.rows == 1, "rows of a rotary embedding", x.rows, 1)?;
    Ok(x)
}

fn attended(attention: &Attention, inputs: &[Shape]) -> Fits<Shape> {
    let [query, keys, values] = [inputs[0], inputs[1], inputs[2]];
    let (heads, key_heads) = (attention.heads, attention.key_heads);
    fits(
        heads > 0 && query.channels.is_multiple_of(heads),
        "heads",
        heads,
        format!("a divisor of {} channels", query.channels),
    )?;
    fits(key_heads > 0 && heads % key_heads == 0, "heads of the keys", key_heads, format!("a divisor of {heads}"))?;
    let width = query.channels / heads;
    fits(keys.channels == key_heads * width, "channels of the keys", keys.channels, key_heads * width)?;
    fits(
        values.channels.is_multiple_of(key_heads),
        "channels of the values",
        values.channels,
        format!("a multiple of {key_heads}"),
    )?;
    fits(values.frames == keys.frames, "frames of the values", values.frames, keys.frames)?;
    fits(keys.frames > 0, "frames of the keys", 0, "at least 1")?;
    let one_row = query.rows == 1 && keys.rows == 1 && values.rows == 1;
    fits(one_row, "rows of an attention", query.rows.max(keys.rows).max(values.rows), 1)?;
    let causal = attention.window.is_some() || attention.sequence.is_some();
    fits(
        !causal || keys.frames >= query.frames,
        "frames of the keys",
        keys.frames,
        format!("at least {}", query.frames),
    )?;
    fits(attention.window != Some(0), "window", 0, "at least 1")?;
    if let Some(&falls) = inputs.get(3) {
        let expected = query.with_channels(heads);
        fits(falls == expected, "shape of what scores fall by", falls, expected)?;
        let is_whole = attention.window.is_none() && attention.sequence.is_none() && keys.frames == query.frames;
        fits(
            is_whole,
            "keys of an attention that looks at distances",
            keys.frames,
            format!("the {} of the query", query.frames),
        )?;
    }
    Ok(query.with_channels(values.channels / key_heads * heads))
}

fn book_of(book: Parameter, parameters: &Parameters) -> Fits<[usize; 2]> {
    let shape = parameters.shape(book);
    match shape {
        [codes @ 1..=0x100_0000, components] => Ok([*codes, *components]),
        _ => {
            Err(Misfit { what: "book".to_owned(), got: format!("{shape:?}"), allowed: "codes x components".to_owned() })
        }
    }
}

fn per_channel(what: &str, parameter: Option<Parameter>, x: Shape, parameters: &Parameters) -> Fits {
    per_output(what, parameter, x.channels, parameters)
}

fn per_output(what: &str, parameter: Option<Parameter>, outputs: usize, parameters: &Parameters) -> Fits {
    match parameter {
        Some(parameter) => {
            let shape = parameters.shape(parameter);
            fits(shape == [outputs], what, format!("{shape:?}"), format!("[{outputs}]"))
        }
        None => Ok(()),
    }
}
