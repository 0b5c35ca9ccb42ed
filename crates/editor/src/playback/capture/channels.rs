//! The choice of an input's channels.

use serde::{Deserialize, Serialize};

use super::InputInfo;
use base::declared::TS;
use base::error::{Error, Result};

/// Adjacent channels of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct ChannelChoice {
    /// The first channel, counted from 0.
    pub first: usize,
    /// Their number; null for all from the first on.
    pub count: Option<usize>,
}

impl ChannelChoice {
    /// Returns the range of the channels of an input.
    pub fn of(self, input: &InputInfo) -> Result<std::ops::Range<usize>> {
        let end = self.count.map_or(input.channels, |count| self.first.saturating_add(count));
        if self.first < end && end <= input.channels {
            return Ok(self.first..end);
        }
        let got = match self.count {
            Some(1) => format!("{}", self.first.saturating_add(1)),
            _ => format!("{} to {end}", self.first.saturating_add(1)),
        };
        let allowed = format!("among the {} of {}", input.channels, input.name);
        Err(Error::invalid("channels to record", got, allowed))
    }
}
