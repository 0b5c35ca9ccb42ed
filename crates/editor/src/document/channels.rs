//! The channels that a selection is of.

use super::Document;
use super::tracks::TrackChoice;
use base::error::{Error, Result};

impl Document {
    /// Returns the number of channels of the sound that is edited.
    pub fn lane_channels(&self) -> usize {
        self.channels_of(&self.edits)
    }

    /// Returns the channels that edits of the selection act on, in order.
    pub fn edited_channels(&self) -> Vec<usize> {
        self.channels.clone().unwrap_or_else(|| (0..self.lane_channels()).collect())
    }

    /// Lets edits of the selection act on some of the channels, or on all.
    ///
    /// # Errors
    /// [`Error::Impossible`] while the sum of several tracks is chosen, because each track has its own channels.
    pub fn set_channels(&mut self, channels: Option<Vec<usize>>) -> Result<()> {
        let Some(mut channels) = channels else {
            self.channels = None;
            return Ok(());
        };
        if self.chosen() == Some(TrackChoice::Sum) {
            return Err(Error::impossible("Choose the track whose channels are meant first."));
        }
        let count = self.lane_channels();
        if channels.is_empty() || channels.iter().any(|channel| *channel >= count) {
            let got = if channels.is_empty() { "none".to_owned() } else { format!("{channels:?}") };
            return Err(Error::invalid("selected channels", got, format!("one or more of 0 to {}", count.max(1) - 1)));
        }
        channels.sort_unstable();
        channels.dedup();
        self.channels = Some(channels).filter(|channels| channels.len() < count);
        Ok(())
    }

    /// Selects all channels if those that were selected are of another sound.
    pub(super) fn fit_channels(&mut self) {
        let count = self.lane_channels();
        let on_sum = self.chosen() == Some(TrackChoice::Sum);
        let fits =
            |channels: &Vec<usize>| !on_sum && channels.len() < count && channels.iter().all(|&each| each < count);
        self.channels = self.channels.take().filter(|channels| !channels.is_empty() && fits(channels));
    }
}
