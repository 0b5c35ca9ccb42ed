//! Text in an image.

use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};

use super::Image;

/// The horizontal alignment of a text at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Centre,
    Right,
}

/// The font size in pixels.
pub(super) const SIZE: f32 = 15.0;

fn font() -> Option<FontRef<'static>> {
    FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).ok()
}

/// Draws a text that is vertically centred on `y`.
pub(super) fn write(image: &mut Image, words: &str, (x, y): (f32, f32), align: Align, colour: [u8; 3]) {
    let Some(font) = font() else { return };
    let scaled = font.as_scaled(PxScale::from(SIZE));
    let left = match align {
        Align::Left => x,
        Align::Centre => x - width(words) / 2.0,
        Align::Right => x - width(words),
    };
    let baseline = y + f32::midpoint(scaled.ascent(), scaled.descent());
    let mut pen = left.round();
    for letter in words.chars() {
        let glyph = scaled.scaled_glyph(letter);
        let advance = scaled.h_advance(glyph.id);
        let placed = ab_glyph::Glyph { position: point(pen, baseline.round()), ..glyph };
        if let Some(outline) = font.outline_glyph(placed) {
            let corner = outline.px_bounds().min;
            outline.draw(|dx, dy, share| {
                let (px, py) = (corner.x + dx as f32, corner.y + dy as f32);
                if px >= 0.0 && py >= 0.0 {
                    image.blend(px as u32, py as u32, colour, share);
                }
            });
        }
        pen += advance;
    }
}

/// Returns the width of a text in pixels.
pub(super) fn width(words: &str) -> f32 {
    font().map_or(0.0, |font| {
        let scaled = font.as_scaled(PxScale::from(SIZE));
        words.chars().map(|letter| scaled.h_advance(scaled.glyph_id(letter))).sum()
    })
}
