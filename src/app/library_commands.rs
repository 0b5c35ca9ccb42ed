//! Auditioning, which waits for its player.

use super::App;
use super::api::{AuditionTrack, TransportView};
use crate::error::{Error, Result};

impl App {
    pub(super) fn audition(&self, _a: AuditionTrack, _b: Option<AuditionTrack>, _from_s: f64) -> Result<TransportView> {
        Err(Error::Internal("later".into()))
    }
}
