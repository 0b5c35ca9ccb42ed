//! A rate-quality plot: a measure's mean over the bit rate that was reached, a line for each codec, a bar for the
//! standard deviation over recordings.

use std::sync::OnceLock;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::register_font;

use super::points::{Point, Series, series};
use super::{Plot, heading};
use crate::codec_grid::Results;
use analysis::compare::Measure;
use base::error::{Error, Result};

/// The size of the SVG in pixels; the PNG has twice as many.
const SIZE: (u32, u32) = (900, 540);
/// The width of the legend.
const LEGEND: u32 = 170;
/// Colours that are distinguishable with any colour vision (M. Okabe and K. Ito, "Color Universal Design", 2008).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(60, 60, 60),
];
/// The lines of the axes' marks.
const GRID: RGBColor = RGBColor(225, 225, 225);
const FONT: &str = "sans-serif";
/// A scale of bit rates is logarithmic if the highest is this many times the lowest.
const LOGARITHMIC: f64 = 6.0;

/// Draws the plot of a measure; `None` if no codec has a value.
pub(super) fn plot(results: &Results, measure: &'static Measure) -> Result<Option<Plot>> {
    static FONTS: OnceLock<bool> = OnceLock::new();
    let is_there =
        FONTS.get_or_init(|| register_font(FONT, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT).is_ok());
    if !is_there {
        return Err(Error::Internal("the font of plots cannot be read".into()));
    }
    let all = series(results, measure);
    if all.iter().all(|series| series.points.is_empty()) {
        return Ok(None);
    }
    let mut svg = String::new();
    draw(&SVGBackend::with_string(&mut svg, SIZE).into_drawing_area(), &all, measure, 1.0)?;
    let (width, height) = (2 * SIZE.0, 2 * SIZE.1);
    let mut pixels = vec![0; 3 * width as usize * height as usize];
    draw(&BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area(), &all, measure, 2.0)?;
    Ok(Some(Plot { measure, svg, png: png(&pixels, width, height)? }))
}

fn png(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>> {
    let internal = |error: png::EncodingError| Error::Internal(error.to_string());
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(internal)?;
    writer.write_image_data(pixels).map_err(internal)?;
    writer.finish().map_err(internal)?;
    Ok(bytes)
}

type Area<D> = DrawingArea<D, Shift>;
type Drawn<D> = std::result::Result<(), DrawingAreaErrorKind<<D as DrawingBackend>::ErrorType>>;

fn draw<D: DrawingBackend>(area: &Area<D>, all: &[Series], measure: &Measure, scale: f64) -> Result<()> {
    drawn(area, all, measure, scale).map_err(|error| Error::Internal(format!("a plot cannot be drawn: {error}")))
}

fn drawn<D: DrawingBackend>(area: &Area<D>, all: &[Series], measure: &Measure, scale: f64) -> Drawn<D> {
    let px = |pixels: f64| (pixels * scale).round() as i32;
    area.fill(&WHITE)?;
    let (field, legend) = area.split_horizontally(px(f64::from(SIZE.0 - LEGEND)));
    let points: Vec<&Point> = all.iter().flat_map(|series| &series.points).collect();
    let (rates, values) = ranges(&points);
    // About ten steps.
    let decimals = (1.0 - (values.1 - values.0).log10()).ceil().clamp(0.0, 6.0) as usize;
    let mut builder = ChartBuilder::on(&field);
    builder
        .margin(px(14.0))
        .caption(heading(measure), (FONT, px(20.0)))
        .x_label_area_size(px(44.0))
        .y_label_area_size(px(64.0));
    if rates.1 > LOGARITHMIC * rates.0 {
        let rates = (rates.0..rates.1).log_scale().with_key_points(round_rates(rates));
        fill(builder.build_cartesian_2d(rates, values.0..values.1)?, all, decimals, scale)?;
    } else {
        fill(builder.build_cartesian_2d(rates.0..rates.1, values.0..values.1)?, all, decimals, scale)?;
    }
    draw_legend(&legend, all, scale)
}

/// Returns the ranges of both axes, with room around the points and their bars.
fn ranges(points: &[&Point]) -> ((f64, f64), (f64, f64)) {
    let least = |of: &dyn Fn(&Point) -> f64| points.iter().map(|point| of(point)).fold(f64::INFINITY, f64::min);
    let most = |of: &dyn Fn(&Point) -> f64| points.iter().map(|point| of(point)).fold(f64::NEG_INFINITY, f64::max);
    let rates = (0.8 * least(&|point| point.kbps), 1.25 * most(&|point| point.kbps));
    let (low, high) = (least(&|point| point.value - point.sd), most(&|point| point.value + point.sd));
    let room = (0.08 * (high - low)).max(1e-6 + 0.02 * high.abs().max(low.abs()));
    (rates, (low - room, high + room))
}

/// Returns the marks of a logarithmic axis: 1, 2 and 5 times the powers of ten.
fn round_rates((low, high): (f64, f64)) -> Vec<f64> {
    let powers = -3..7;
    let all = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|times| times * 10f64.powi(power)));
    all.filter(|rate| (low..=high).contains(rate)).collect()
}

fn rate_label(kbps: f64) -> String {
    format!("{kbps:.2}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Draws the axes, and for each series a line, bars, marks and the settings as text.
fn fill<D: DrawingBackend, X: Ranged<ValueType = f64> + ValueFormatter<f64>>(
    mut chart: ChartContext<'_, D, Cartesian2d<X, RangedCoordf64>>,
    all: &[Series],
    decimals: usize,
    scale: f64,
) -> Drawn<D> {
    let px = |pixels: f64| (pixels * scale).round() as i32;
    chart
        .configure_mesh()
        .x_desc("bit rate reached, kbit/s")
        .x_label_formatter(&|kbps| rate_label(*kbps))
        .y_label_formatter(&|value| format!("{value:.decimals$}"))
        .label_style((FONT, px(13.0)))
        .axis_desc_style((FONT, px(15.0)))
        .bold_line_style(GRID)
        .light_line_style(WHITE)
        .draw()?;
    for (index, series) in all.iter().enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let line = series.points.iter().map(|point| (point.kbps, point.value));
        chart.draw_series(LineSeries::new(line, colour.stroke_width(px(2.0) as u32)))?;
        for point in &series.points {
            let at = (point.kbps, point.value);
            if point.sd > 0.0 {
                let ends = [(at.0, at.1 - point.sd), (at.0, at.1 + point.sd)];
                chart.draw_series([PathElement::new(ends, colour.mix(0.45).stroke_width(px(1.0) as u32))])?;
            }
            // Shapes differ too, so that the plot is readable without colour.
            let size = px(4.5);
            match index % 3 {
                0 => chart.draw_series([Circle::new(at, size, colour.filled())]).map(drop)?,
                1 => chart.draw_series([TriangleMarker::new(at, size + size / 4, colour.filled())]).map(drop)?,
                _ => chart.draw_series([Cross::new(at, size, colour.stroke_width(px(2.0) as u32))]).map(drop)?,
            }
            let style = (FONT, px(12.0)).into_font().color(&colour);
            let text = Text::new(point.setting.clone(), (px(7.0), px(-15.0)), style);
            chart.draw_series([EmptyElement::at(at) + text])?;
        }
    }
    Ok(())
}

fn draw_legend<D: DrawingBackend>(area: &Area<D>, all: &[Series], scale: f64) -> Drawn<D> {
    let px = |pixels: f64| (pixels * scale).round() as i32;
    let mut y = 60.0;
    for (index, series) in all.iter().enumerate().filter(|(_, series)| !series.points.is_empty()) {
        let colour = COLOURS[index % COLOURS.len()];
        area.draw(&PathElement::new(vec![(px(4.0), px(y)), (px(28.0), px(y))], colour.stroke_width(px(2.0) as u32)))?;
        let (at, size) = ((px(16.0), px(y)), px(4.5));
        match index % 3 {
            0 => area.draw(&Circle::new(at, size, colour.filled()))?,
            1 => area.draw(&TriangleMarker::new(at, size + size / 4, colour.filled()))?,
            _ => area.draw(&Cross::new(at, size, colour.stroke_width(px(2.0) as u32)))?,
        }
        area.draw(&Text::new(series.family.clone(), (px(36.0), px(y - 8.0)), (FONT, px(15.0))))?;
        y += 24.0;
    }
    let infinite: Vec<&String> = all.iter().flat_map(|series| &series.infinite).collect();
    if !infinite.is_empty() {
        area.draw(&Text::new("without a difference:", (px(4.0), px(y + 6.0)), (FONT, px(13.0))))?;
        for name in infinite {
            y += 20.0;
            area.draw(&Text::new(name.clone(), (px(14.0), px(y + 6.0)), (FONT, px(13.0))))?;
        }
    }
    Ok(())
}
