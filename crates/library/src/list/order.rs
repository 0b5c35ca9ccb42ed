//! Sorting of lists: the values of a row become one byte string whose order is that of the values.
//!
//! Numbers come before text, and missing values come last. Text is compared without regard to case, and digits in it by
//! numeric value: "song 2" comes before "song 10". The values of a row are concatenated with end markers, so that
//! comparing two rows is one comparison of bytes. The first eight bytes, in which most rows differ, are stored beside
//! the row's id.

use crate::sql::Value;

/// Type tags of values, in sort order. When inverted for descending order, the first two remain below the last.
const NUMBER: u8 = 1;
const TEXT: u8 = 2;
const NOTHING: u8 = 0xff;
/// End of a text, below all bytes that a text can contain.
const END: u8 = 0;
/// Maximum digit count that is encoded for a number in a text.
const MAX_DIGITS: usize = 0x7e;

/// Collects rows and sorts them.
#[derive(Debug, Default)]
pub(super) struct Rows {
    bytes: Vec<u8>,
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    /// The first eight bytes, big-endian.
    head: u64,
    from: u32,
    to: u32,
    id: i64,
}

impl Rows {
    /// Begins a row. Its values follow.
    pub fn begin(&mut self, id: i64) {
        self.end();
        let from = self.bytes.len() as u32;
        self.rows.push(Row { head: 0, from, to: from, id });
    }

    /// Appends a value to the row.
    pub fn push(&mut self, value: Value<'_>, descending: bool) {
        let from = self.bytes.len();
        match value {
            Value::Null => return self.bytes.push(NOTHING),
            Value::Integer(value) => self.push_number(value as f64),
            Value::Real(value) => self.push_number(value),
            Value::Text(text) => self.push_text(text),
            Value::Blob(bytes) => self.push_text(&String::from_utf8_lossy(bytes)),
        }
        if descending {
            self.bytes[from..].iter_mut().for_each(|byte| *byte = !*byte);
        }
    }

    fn push_number(&mut self, value: f64) {
        // Order of `f64::total_cmp`.
        let bits = value.to_bits();
        let ordered = if bits >> 63 == 0 { bits | 1 << 63 } else { !bits };
        self.bytes.push(NUMBER);
        self.bytes.extend(ordered.to_be_bytes());
    }

    fn push_text(&mut self, text: &str) {
        self.bytes.push(TEXT);
        let folded;
        let text = if text.is_ascii() {
            text
        } else {
            folded = text.to_lowercase();
            &folded
        };
        let mut rest = text.as_bytes();
        while let Some((&byte, behind)) = rest.split_first() {
            if byte.is_ascii_digit() {
                let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let (number, behind) = rest.split_at(digits);
                let zeros = number.iter().take_while(|&&digit| digit == b'0').count().min(digits - 1);
                let number = &number[zeros..];
                // A number sorts among other characters where digits do. Of two numbers, the one with more digits is
                // larger.
                self.bytes.extend([b'0', number.len().min(MAX_DIGITS) as u8]);
                self.bytes.extend_from_slice(number);
                rest = behind;
            } else {
                self.bytes.push(byte.to_ascii_lowercase().max(END + 1));
                rest = behind;
            }
        }
        self.bytes.push(END);
    }

    /// Ends the row begun last.
    fn end(&mut self) {
        let to = self.bytes.len() as u32;
        if let Some(row) = self.rows.last_mut().filter(|row| row.to == row.from) {
            row.to = to;
            let key = &self.bytes[row.from as usize..];
            let mut head = [0; 8];
            let known = key.len().min(8);
            head[..known].copy_from_slice(&key[..known]);
            row.head = u64::from_be_bytes(head);
        }
    }

    /// Returns the ids of the rows in order, equal rows by id.
    pub fn sorted(mut self) -> Vec<i64> {
        self.end();
        let bytes = |row: &Row| &self.bytes[row.from as usize..row.to as usize];
        self.rows.sort_unstable_by(|a, b| {
            a.head.cmp(&b.head).then_with(|| bytes(a).cmp(bytes(b))).then_with(|| a.id.cmp(&b.id))
        });
        self.rows.iter().map(|row| row.id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(texts: &[&str], descending: bool) -> Vec<String> {
        let mut rows = Rows::default();
        for (id, text) in texts.iter().enumerate() {
            rows.begin(id as i64);
            rows.push(Value::Text(text), descending);
        }
        rows.sorted().into_iter().map(|id| texts[id as usize].to_owned()).collect()
    }

    #[test]
    fn numbers_in_text_count_and_case_does_not() {
        let wanted =
            ["", " x", "Song", "song 1", "song 02", "Song 2a", "song 10", "song2", "song10", "songs", "Ä 9", "ä 10"];
        let mut mixed = wanted;
        mixed.reverse();
        assert_eq!(sorted(&mixed, false), wanted);
        let mut down = wanted;
        down.reverse();
        assert_eq!(sorted(&wanted, true), down);
        let long = [format!("{}1", "9".repeat(300)), format!("{}2", "9".repeat(300))];
        assert_eq!(sorted(&[&long[1], &long[0]], false), long);
        assert_eq!(sorted(&["track 1\u{0}b", "track 1"], false), ["track 1", "track 1\u{0}b"]);
    }

    #[test]
    fn numbers_come_before_text_and_nothing_comes_last_either_way() {
        let values =
            [Value::Null, Value::Text("a"), Value::Real(2.5), Value::Integer(2), Value::Integer(-7), Value::Real(-0.5)];
        let order = |descending| {
            let mut rows = Rows::default();
            for (id, value) in values.iter().enumerate() {
                rows.begin(id as i64);
                rows.push(*value, descending);
            }
            rows.sorted()
        };
        assert_eq!(order(false), [4, 5, 3, 2, 1, 0]);
        assert_eq!(order(true), [1, 2, 3, 5, 4, 0]);
    }

    #[test]
    fn later_values_count_where_earlier_ones_are_equal_and_numbers_of_rows_where_all_are() {
        let mut rows = Rows::default();
        for (id, artist, year) in [(5, "b", 1), (4, "a", 1), (3, "a", 2), (2, "ab", 0), (1, "a", 2)] {
            rows.begin(id);
            rows.push(Value::Text(artist), false);
            rows.push(Value::Integer(year), true);
        }
        assert_eq!(rows.sorted(), [1, 3, 4, 2, 5]);
        let mut bare = Rows::default();
        [3, 1, 2].into_iter().for_each(|id| bare.begin(id));
        assert_eq!(bare.sorted(), [1, 2, 3]);
        assert!(Rows::default().sorted().is_empty());
    }
}
