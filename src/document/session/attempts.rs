//! Documents whose recordings are being opened, noted before and forgotten after: one that ends the whole program is known
//! at the next start, which does not open it again of its own accord.

use rusqlite::{Transaction, params};

use super::{DocumentKey, Session, stored};
use crate::error::Result;

/// How the recording of a document is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// While others are opened, too: if the program ends, any of them may have ended it.
    WithOthers,
    /// While no other is.
    Alone,
    /// The program ended while it was opened. It is left alone until the user says otherwise.
    Failed,
}

impl Attempt {
    fn number(self) -> i64 {
        match self {
            Self::WithOthers => 0,
            Self::Alone => 1,
            Self::Failed => 2,
        }
    }

    pub(super) fn from_number(number: i64) -> Self {
        match number {
            0 => Self::WithOthers,
            1 => Self::Alone,
            _ => Self::Failed,
        }
    }
}

pub(super) fn set(transaction: &Transaction<'_>, key: DocumentKey, attempt: Attempt) -> rusqlite::Result<()> {
    let put = "INSERT OR REPLACE INTO attempt (document, state) SELECT id, ?2 FROM document WHERE id = ?1";
    transaction.prepare_cached(put)?.execute(params![key.0, attempt.number()]).map(drop)
}

impl Session {
    /// Notes that the recordings of these documents are opened from now on, or that one may not be.
    ///
    /// # Errors
    /// [`crate::Error::Stored`].
    pub fn note_attempts(&mut self, keys: &[DocumentKey], attempt: Attempt) -> Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        self.change(|transaction| keys.iter().try_for_each(|key| set(transaction, *key, attempt)))
    }

    /// Forgets an attempt: the recording is open, or could not be opened for a reason that is known.
    ///
    /// # Errors
    /// [`crate::Error::Stored`].
    pub fn end_attempt(&mut self, key: DocumentKey) -> Result<()> {
        self.change(|transaction| transaction.execute("DELETE FROM attempt WHERE document = ?1", [key.0]))?;
        Ok(())
    }

    /// Forgets all attempts of this session that did not fail, as the program ends of its own accord.
    ///
    /// # Errors
    /// [`crate::Error::Stored`].
    pub fn end_attempts(&mut self) -> Result<()> {
        let own = self.owned.number();
        let end = "DELETE FROM attempt WHERE state <> 2 AND document IN (SELECT id FROM document WHERE session = ?1)";
        self.database.execute(end, [own]).map_err(|error| stored(&error))?;
        Ok(())
    }
}
