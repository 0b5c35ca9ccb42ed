//! The layers of DAC.

use super::Configuration;
use crate::models::tensors::Tensors;
use crate::network::{
    Activation, Builder, Convolution, Edge, Extend, Left, Parameter, Right, TransposedConvolution, Value,
};
use base::error::Result;

/// The dilations of the residual units of a stage.
pub const DILATIONS: [usize; 3] = [1, 3, 9];
/// The taps of the convolutions that keep the rate.
pub const TAPS: usize = 7;
/// The taps of the encoder's last convolution.
pub const LAST_TAPS: usize = 3;

/// A part of encoder or decoder, with its place within it.
#[derive(Clone, Debug)]
pub struct Unit {
    place: String,
    layer: Layer,
}

#[derive(Clone, Debug)]
enum Layer {
    Snake(Parameter),
    Convolution {
        convolution: Convolution,
        padding: usize,
    },
    Transposed {
        convolution: TransposedConvolution,
        padding: usize,
        taps: usize,
    },
    /// Units whose result is added to their input.
    Residual(Vec<Unit>),
    Stage(Vec<Unit>),
}

/// Adds units to a graph in order. Without zeros beyond the ends, a layer's result has only the frames that its input
/// determines: fewer for a convolution, all of them for a transposed convolution.
pub fn build(b: &mut Builder<'_>, x: Value, units: &[Unit], is_bare: bool) -> Result<Value> {
    units.iter().try_fold(x, |x, unit| {
        b.within(unit.place.clone(), |b| match &unit.layer {
            Layer::Snake(slopes) => b.activate(x, Activation::Snake(*slopes)),
            Layer::Convolution { convolution, .. } if is_bare => b.convolution(x, convolution.clone()),
            Layer::Transposed { convolution, .. } if is_bare => b.transposed_convolution(x, convolution.clone()),
            Layer::Convolution { convolution, padding } => {
                let zeros =
                    Extend { left: Left::Edge(Edge::Zero, *padding), right: Right(Edge::Zero, *padding), keep: None };
                let x = if *padding > 0 { b.extend(x, zeros)? } else { x };
                b.convolution(x, convolution.clone())
            }
            Layer::Transposed { convolution, padding, taps } => {
                let frames = (b.shape(x).frames.max(1) - 1) * convolution.stride + taps - 2 * padding;
                let y = b.transposed_convolution(x, convolution.clone())?;
                b.crop(y, *padding, frames)
            }
            Layer::Residual(units) => {
                let y = build(b, x, units, is_bare)?;
                let (frames, made) = (b.shape(x).frames, b.shape(y).frames);
                let middle = if made < frames { b.crop(x, (frames - made) / 2, made)? } else { x };
                b.add(middle, y)
            }
            Layer::Stage(units) => build(b, x, units, is_bare),
        })
    })
}

/// Takes the tensors of the encoder.
pub fn encoder(tensors: &mut Tensors<'_>, configuration: &Configuration) -> Result<Vec<Unit>> {
    let mut width = configuration.encoder_width;
    let mut take = Take { tensors, part: "encoder".into() };
    let mut units = vec![take.convolution("conv1", [width, 1, TAPS], 1, 1)?];
    for (n, &ratio) in configuration.encoder_ratios.iter().enumerate() {
        let mut stage = take.part(&format!("block.{n}"));
        let mut parts = stage.residuals(width)?;
        parts.push(stage.snake("snake1", width)?);
        parts.push(stage.strided("conv1", [2 * width, width], ratio)?);
        units.push(Unit { place: format!("block.{n}"), layer: Layer::Stage(parts) });
        width *= 2;
    }
    units.push(take.snake("snake1", width)?);
    units.push(take.convolution("conv2", [configuration.hidden, width, LAST_TAPS], 1, 1)?);
    Ok(units)
}

/// Takes the tensors of the decoder.
pub fn decoder(tensors: &mut Tensors<'_>, configuration: &Configuration) -> Result<Vec<Unit>> {
    let mut width = configuration.decoder_width;
    let mut take = Take { tensors, part: "decoder".into() };
    let mut units = vec![take.convolution("conv1", [width, configuration.hidden, TAPS], 1, 1)?];
    for (n, &ratio) in configuration.decoder_ratios.iter().enumerate() {
        let mut stage = take.part(&format!("block.{n}"));
        let mut parts = vec![stage.snake("snake1", width)?, stage.transposed("conv_t1", [width, width / 2], ratio)?];
        width /= 2;
        parts.extend(stage.residuals(width)?);
        units.push(Unit { place: format!("block.{n}"), layer: Layer::Stage(parts) });
    }
    units.push(take.snake("snake1", width)?);
    units.push(take.convolution("conv2", [1, width, TAPS], 1, 1)?);
    Ok(units)
}

/// Takes tensors of one part.
struct Take<'a, 'w> {
    tensors: &'a mut Tensors<'w>,
    part: String,
}

impl<'w> Take<'_, 'w> {
    fn part(&mut self, part: &str) -> Take<'_, 'w> {
        Take { part: format!("{}.{part}", self.part), tensors: self.tensors }
    }

    fn snake(&mut self, place: &str, width: usize) -> Result<Unit> {
        let name = format!("{}.{place}.alpha", self.part);
        let slopes = self.tensors.take(&name, &[1, width, 1])?;
        Ok(Unit { place: place.into(), layer: Layer::Snake(self.tensors.add(&name, &[width], slopes)?) })
    }

    fn bias(&mut self, place: &str, outputs: usize) -> Result<Option<Parameter>> {
        Ok(Some(self.tensors.parameter(&format!("{}.{place}.bias", self.part), &[outputs])?))
    }

    /// A convolution that keeps the rate, with as many zeros on each side as it reaches.
    fn convolution(&mut self, place: &str, shape: [usize; 3], stride: usize, dilation: usize) -> Result<Unit> {
        self.padded(place, shape, stride, dilation, (shape[2] - 1) * dilation / 2)
    }

    fn strided(&mut self, place: &str, [outputs, inputs]: [usize; 2], ratio: usize) -> Result<Unit> {
        self.padded(place, [outputs, inputs, 2 * ratio], ratio, 1, ratio.div_ceil(2))
    }

    fn padded(
        &mut self,
        place: &str,
        shape: [usize; 3],
        stride: usize,
        dilation: usize,
        padding: usize,
    ) -> Result<Unit> {
        let convolution = Convolution {
            weights: self.tensors.convolution(&format!("{}.{place}", self.part), shape)?,
            bias: self.bias(place, shape[0])?,
            stride: [1, stride],
            dilation: [1, dilation],
            groups: 1,
            row_padding: 0,
        };
        Ok(Unit { place: place.into(), layer: Layer::Convolution { convolution, padding } })
    }

    fn transposed(&mut self, place: &str, [inputs, outputs]: [usize; 2], ratio: usize) -> Result<Unit> {
        let (name, shape) = (format!("{}.{place}", self.part), [inputs, outputs, 2 * ratio]);
        let weights = self.tensors.folded(&name, &shape)?;
        let convolution = TransposedConvolution {
            weights: self.tensors.add(&format!("{name}.weight"), &shape, weights)?,
            bias: self.bias(place, outputs)?,
            stride: ratio,
            groups: 1,
            along_rows: false,
            cut: [0, 0],
        };
        let layer = Layer::Transposed { convolution, padding: ratio.div_ceil(2), taps: 2 * ratio };
        Ok(Unit { place: place.into(), layer })
    }

    fn residuals(&mut self, width: usize) -> Result<Vec<Unit>> {
        let one = |(n, &dilation): (usize, &usize)| {
            let place = format!("res_unit{}", n + 1);
            let mut unit = self.part(&place);
            let units = vec![
                unit.snake("snake1", width)?,
                unit.convolution("conv1", [width, width, TAPS], 1, dilation)?,
                unit.snake("snake2", width)?,
                unit.convolution("conv2", [width, width, 1], 1, 1)?,
            ];
            Ok(Unit { place, layer: Layer::Residual(units) })
        };
        DILATIONS.iter().enumerate().map(one).collect()
    }
}

/// A book with the projections to its components and back.
#[derive(Clone, Debug)]
pub struct Projections {
    inward: Convolution,
    outward: Convolution,
    book: Parameter,
    /// The rows of the book at unit length.
    directions: Parameter,
}

impl Projections {
    /// Takes its tensors.
    pub fn take(tensors: &mut Tensors<'_>, place: &str, configuration: &Configuration) -> Result<Self> {
        let Configuration { hidden, book_size, book_width, .. } = *configuration;
        let mut projection = |part: &str, [outputs, inputs]: [usize; 2]| -> Result<Convolution> {
            let name = format!("{place}.{part}");
            Ok(Convolution {
                weights: tensors.convolution(&name, [outputs, inputs, 1])?,
                bias: Some(tensors.parameter(&format!("{name}.bias"), &[outputs])?),
                stride: [1, 1],
                dilation: [1, 1],
                groups: 1,
                row_padding: 0,
            })
        };
        let inward = projection("in_proj", [book_width, hidden])?;
        let outward = projection("out_proj", [hidden, book_width])?;
        let name = format!("{place}.codebook.weight");
        let rows = tensors.take(&name, &[book_size, book_width])?;
        let mut directions = rows.clone();
        for row in directions.chunks_mut(book_width) {
            let length = row.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt().max(1e-12);
            row.iter_mut().for_each(|x| *x = (f64::from(*x) / length) as f32);
        }
        let directions = tensors.add(&format!("{name}.directions"), &[book_size, book_width], directions)?;
        Ok(Self { inward, outward, book: tensors.add(&name, &[book_size, book_width], rows)?, directions })
    }

    /// Returns the codes of a value and the vectors that they decode to.
    pub fn encode(&self, b: &mut Builder<'_>, x: Value) -> Result<(Value, Value)> {
        let latents = b.within("in_proj", |b| b.convolution(x, self.inward.clone()))?;
        let direction = b.operation(crate::network::Operation::UnitLength, &[latents])?;
        let code = b.nearest(direction, self.directions)?;
        Ok((code, self.decode(b, code)?))
    }

    /// Returns the vectors that codes decode to.
    pub fn decode(&self, b: &mut Builder<'_>, code: Value) -> Result<Value> {
        let found = b.lookup(code, self.book)?;
        b.within("out_proj", |b| b.convolution(found, self.outward.clone()))
    }
}
