//! Events at equal distances that need not be whole frames.

/// Event `k` happens at the frame nearest to `k * interval`, for `k` from 0.
#[derive(Clone, Copy, Debug)]
pub struct Beats {
    interval_frames: f64,
}

impl Beats {
    /// Creates events at a distance of at least one frame.
    pub fn new(interval_frames: f64) -> Self {
        Self { interval_frames }
    }

    /// Returns the frame of an event.
    pub fn frame(self, event: u64) -> u64 {
        (event as f64 * self.interval_frames).round() as u64
    }

    /// Returns the first event at or after a frame.
    pub fn from(self, frame: u64) -> u64 {
        let mut event = (frame as f64 / self.interval_frames).ceil() as u64;
        while event > 0 && self.frame(event - 1) >= frame {
            event -= 1;
        }
        while self.frame(event) < frame {
            event += 1;
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_from_any_frame() {
        for interval in [1.0, 1.2, 1.5, 7.0, 26_181.818_181_818_18] {
            let beats = Beats::new(interval);
            let mut event = 0;
            for frame in 0..5000 {
                while beats.frame(event) < frame {
                    event += 1;
                }
                assert_eq!(beats.from(frame), event, "{interval} {frame}");
            }
        }
    }
}
