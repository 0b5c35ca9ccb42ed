//! Where the frames of a recording are in a file that is made of it.

use std::ops::Range;

use base::units::SampleRate;

/// A part of a recording that is in a file, forwards and in one piece.
#[derive(Clone, Debug, PartialEq)]
pub struct MapPiece {
    /// The frames of the recording.
    pub source: Range<u64>,
    /// The frame of the file at which the first of them is.
    pub start: f64,
    /// The frames of the file for each frame of the recording.
    pub scale: f64,
}

impl MapPiece {
    fn end(&self) -> f64 {
        self.start + (self.source.end - self.source.start) as f64 * self.scale
    }

    fn continues(&self, next: &Self) -> bool {
        self.source.end == next.source.start && self.scale == next.scale && (self.end() - next.start).abs() < 1e-6
    }

    fn frame(&self, source: u64) -> u64 {
        (self.start + (source - self.source.start) as f64 * self.scale).round().max(0.0) as u64
    }
}

/// Where the frames of a recording are in a file that is made of it. By default they are where they were.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameMap {
    kind: MapKind,
    /// The sample rate of the file, if it may be another.
    rate: Option<SampleRate>,
}

#[derive(Clone, Debug, Default, PartialEq)]
enum MapKind {
    #[default]
    Same,
    Pieces(Vec<MapPiece>),
    Unknown,
}

impl FrameMap {
    /// A map that does not know where the frames are.
    pub const UNKNOWN: Self = Self { kind: MapKind::Unknown, rate: None };

    /// Returns the map of these parts.
    pub fn of(pieces: Vec<MapPiece>) -> Self {
        let mut joined: Vec<MapPiece> = Vec::with_capacity(pieces.len());
        for piece in pieces {
            // A cut that changes nothing does not divide what is around it.
            match joined.last_mut() {
                Some(last) if last.continues(&piece) => last.source.end = piece.source.end,
                _ => joined.push(piece),
            }
        }
        Self { kind: MapKind::Pieces(joined), rate: None }
    }

    /// Returns the map of one part that has kept its speed.
    pub fn of_part(source: Range<u64>) -> Self {
        Self::of(vec![MapPiece { source, start: 0.0, scale: 1.0 }])
    }

    /// Returns the same map for a file of this sample rate.
    #[must_use]
    pub fn at_rate(self, rate: SampleRate) -> Self {
        Self { rate: Some(rate), ..self }
    }

    /// Returns the sample rate of the file; `None` if it is that of the recording.
    pub fn rate(&self) -> Option<SampleRate> {
        self.rate
    }

    /// Returns whether all frames are where they were.
    pub fn is_same(&self) -> bool {
        self.kind == MapKind::Same
    }

    /// Returns the map of this processing and the next one.
    #[must_use]
    pub fn then(self, next: &Self) -> Self {
        let rate = next.rate.or(self.rate);
        let kind = match (self.kind, &next.kind) {
            (MapKind::Unknown, _) | (_, MapKind::Unknown) => MapKind::Unknown,
            (MapKind::Same, next) => next.clone(),
            (kind, MapKind::Same) => kind,
            (MapKind::Pieces(first), MapKind::Pieces(second)) => {
                let joined = first.iter().flat_map(|first| second.iter().filter_map(|second| joined(first, second)));
                MapKind::Pieces(joined.collect())
            }
        };
        Self { kind, rate }
    }

    /// Returns the frame of the recording that is the first of the file; `None` if that is another sound.
    pub fn first(&self) -> Option<u64> {
        match &self.kind {
            MapKind::Same => Some(0),
            MapKind::Unknown => None,
            MapKind::Pieces(pieces) => {
                pieces.iter().find(|piece| piece.start.abs() < 0.5).map(|piece| piece.source.start)
            }
        }
    }

    /// Returns where a frame of the recording is in the file; `None` if it is not there.
    pub fn frame(&self, source: u64) -> Option<u64> {
        self.region(source..source.saturating_add(1)).map(|region| region.start)
    }

    /// Returns where a range of the recording is in the file; `None` if it is not there as a whole.
    pub fn region(&self, source: Range<u64>) -> Option<Range<u64>> {
        match &self.kind {
            MapKind::Same => Some(source),
            MapKind::Unknown => None,
            MapKind::Pieces(pieces) => {
                let holds = |piece: &&MapPiece| piece.source.start <= source.start && source.end <= piece.source.end;
                pieces.iter().find(holds).map(|piece| piece.frame(source.start)..piece.frame(source.end))
            }
        }
    }
}

/// Returns the part of `first` that is in `second`, whose source is what `first` leads to.
fn joined(first: &MapPiece, second: &MapPiece) -> Option<MapPiece> {
    let (from, to) = (first.start.max(second.source.start as f64), first.end().min(second.source.end as f64));
    let source = |frame: f64| first.source.start + ((frame - first.start) / first.scale).round().max(0.0) as u64;
    let (start, end) = (source(from), source(to).min(first.source.end));
    (from < to && start < end).then_some(MapPiece {
        source: start..end,
        start: second.start + (from - second.source.start as f64) * second.scale,
        scale: first.scale * second.scale,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(source: Range<u64>, start: f64, scale: f64) -> MapPiece {
        MapPiece { source, start, scale }
    }

    #[test]
    fn frames_are_followed_through_one_change_after_another() {
        // The middle is cut out, then a part of the rest is taken at half the rate.
        let cut = FrameMap::of(vec![piece(0..100, 0.0, 1.0), piece(300..1000, 100.0, 1.0)]);
        let part = FrameMap::of(vec![piece(50..500, 0.0, 0.5)]);
        let both = cut.clone().then(&part);
        for (source, expected) in [
            (0, None),
            (49, None),
            (50, Some(0)),
            (98, Some(24)),
            (150, None),
            (300, Some(25)),
            (698, Some(224)),
            (700, None),
        ] {
            assert_eq!(both.frame(source), expected, "{source}");
        }
        assert_eq!(both.region(300..400), Some(25..75));
        assert_eq!((both.region(90..310), both.region(600..800)), (None, None), "in pieces");
        assert_eq!((both.first(), cut.first()), (Some(50), Some(0)));
        let rate = SampleRate::new(22_050).ok();
        assert_eq!(rate.map(|rate| both.clone().at_rate(rate).then(&FrameMap::default()).rate()), Some(rate));
    }

    #[test]
    fn what_is_not_known_stays_unknown() {
        let part = FrameMap::of_part(10..20);
        for map in [FrameMap::UNKNOWN.then(&part), part.clone().then(&FrameMap::UNKNOWN)] {
            assert_eq!((map.first(), map.frame(12), map.is_same()), (None, None, false));
        }
        assert_eq!(FrameMap::default().then(&part), part);
        assert_eq!(part.clone().then(&FrameMap::default()), part);
        assert_eq!((FrameMap::default().frame(7), FrameMap::default().first()), (Some(7), Some(0)));
        let split = FrameMap::of(vec![piece(0..10, 0.0, 1.0), piece(10..30, 10.0, 1.0), piece(40..50, 30.0, 1.0)]);
        assert_eq!((split.region(5..25), split.region(25..45)), (Some(5..25), None));
        // Something else is inserted in front.
        assert_eq!(FrameMap::of(vec![piece(0..100, 40.0, 1.0)]).first(), None);
    }
}
