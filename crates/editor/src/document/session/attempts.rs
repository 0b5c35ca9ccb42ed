//! Records which documents' recordings are being opened. If opening one ends the program, the next start knows it and
//! does not open that recording again automatically.

use rusqlite::{Transaction, params};

use super::{DocumentKey, Session, stored};
use base::error::Result;

/// How a document's recording is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// Together with others. If the program crashes, any of them may be the cause.
    WithOthers,
    /// Alone.
    Alone,
    /// The program ended while it was opened. It is not opened again until the user asks for it.
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
    /// Records that the recordings of these documents are being opened, or that one must not be opened.
    pub fn note_attempts(&mut self, keys: &[DocumentKey], attempt: Attempt) -> Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        self.change(|transaction| keys.iter().try_for_each(|key| set(transaction, *key, attempt)))
    }

    /// Removes the record of an attempt: the recording is open, or could not be opened for a known reason.
    pub fn end_attempt(&mut self, key: DocumentKey) -> Result<()> {
        self.change(|transaction| transaction.execute("DELETE FROM attempt WHERE document = ?1", [key.0]))?;
        Ok(())
    }

    /// Removes the records of all attempts of this session that did not fail, for a regular exit of the program.
    pub fn end_attempts(&mut self) -> Result<()> {
        let session = self.owned.number();
        let end = "DELETE FROM attempt WHERE state <> 2 AND document IN (SELECT id FROM document WHERE session = ?1)";
        self.database.execute(end, [session]).map_err(|error| stored(&error))?;
        Ok(())
    }
}
