//! An image in memory.

/// An image of RGB pixels, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    width: u32,
    height: u32,
    bytes: Vec<u8>,
}

impl Image {
    /// Creates an image of a single colour.
    pub fn new(width: u32, height: u32, colour: [u8; 3]) -> Self {
        Self { width, height, bytes: colour.repeat(width as usize * height as usize) }
    }

    /// The width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The pixels, three bytes each.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns one pixel.
    pub fn get(&self, x: u32, y: u32) -> [u8; 3] {
        let at = self.at(x, y);
        [self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]]
    }

    /// Sets a pixel. Pixels outside the image are ignored.
    pub fn set(&mut self, x: u32, y: u32, colour: [u8; 3]) {
        if x < self.width && y < self.height {
            let at = self.at(x, y);
            self.bytes[at..at + 3].copy_from_slice(&colour);
        }
    }

    /// Blends a colour over a pixel with an opacity of `share`, 0..=1.
    pub fn blend(&mut self, x: u32, y: u32, colour: [u8; 3], share: f32) {
        if x < self.width && y < self.height {
            let below = self.get(x, y);
            let mixed = |channel: usize| {
                let (from, to) = (f32::from(below[channel]), f32::from(colour[channel]));
                (from + share.clamp(0.0, 1.0) * (to - from)).round() as u8
            };
            self.set(x, y, [mixed(0), mixed(1), mixed(2)]);
        }
    }

    /// Fills a rectangle.
    pub fn fill(&mut self, [x, y, width, height]: [u32; 4], colour: [u8; 3]) {
        for y in y..y.saturating_add(height).min(self.height) {
            for x in x..x.saturating_add(width).min(self.width) {
                self.set(x, y, colour);
            }
        }
    }

    fn at(&self, x: u32, y: u32) -> usize {
        3 * (y as usize * self.width as usize + x as usize)
    }
}
