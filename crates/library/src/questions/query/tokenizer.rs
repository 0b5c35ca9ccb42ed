//! The words of a text as the full-text table of a file has them, for a library on a server.

use rusqlite::Connection;

/// The longest word of a text vector, in bytes. The rest of a longer one is not searched.
const MAX_WORD_BYTES: usize = 2000;

/// The tokenizer of the full-text table, for use without one.
pub struct Tokenizer(Connection);

impl std::fmt::Debug for Tokenizer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Tokenizer")
    }
}

impl Tokenizer {
    /// Creates a tokenizer.
    pub fn new() -> rusqlite::Result<Self> {
        let database = Connection::open_in_memory()?;
        database.execute_batch(
            "CREATE VIRTUAL TABLE one USING fts5 (text, content = '', tokenize = 'unicode61 remove_diacritics 2');
             CREATE VIRTUAL TABLE word USING fts5vocab (one, instance);",
        )?;
        Ok(Self(database))
    }

    /// Returns the words of a text, in order.
    pub fn words(&self, text: &str) -> rusqlite::Result<Vec<String>> {
        self.0.prepare_cached("INSERT INTO one (text) VALUES (?1)")?.execute([text])?;
        let words = self
            .0
            .prepare_cached("SELECT term FROM word ORDER BY \"offset\"")?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<Vec<String>>>()?;
        self.0.prepare_cached("INSERT INTO one (one) VALUES ('delete-all')")?.execute([])?;
        Ok(words.into_iter().map(cut).collect())
    }

    /// Returns a question to text vectors for a phrase whose last word may be the beginning of one; `None` if the phrase
    /// has no words.
    pub fn phrase(&self, text: &str) -> rusqlite::Result<Option<String>> {
        let words = self.words(text)?;
        let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        Ok((!quoted.is_empty()).then(|| format!("{}:*", quoted.join(" <-> "))))
    }
}

fn cut(mut word: String) -> String {
    word.truncate(word.floor_char_boundary(MAX_WORD_BYTES));
    word
}

/// Returns a word as text vectors and questions to them write it.
pub fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\\', "\\\\").replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_full_text_table() {
        let tokenizer = Tokenizer::new().unwrap();
        for (text, words) in [
            ("Björk: Jóga (live)", vec!["bjork", "joga", "live"]),
            ("/music/AC-DC/01 T.N.T..flac", vec!["music", "ac", "dc", "01", "t", "n", "t", "flac"]),
            ("!!!", vec![]),
            ("b a b", vec!["b", "a", "b"]),
        ] {
            assert_eq!(tokenizer.words(text).unwrap(), words, "{text}");
        }
        assert_eq!(tokenizer.phrase("Blue in Gr").unwrap().as_deref(), Some("'blue' <-> 'in' <-> 'gr':*"));
        assert_eq!(tokenizer.phrase("?!").unwrap(), None);
        assert_eq!(tokenizer.words(&"x".repeat(5000)).unwrap()[0].len(), MAX_WORD_BYTES);
        assert_eq!(quoted("it's\\"), "'it''s\\\\'");
    }
}
