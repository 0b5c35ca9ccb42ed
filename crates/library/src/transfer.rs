//! Copies a whole library into another, from a file to a server or back.
//!
//! Rows are compared in ranges of their keys. A range that differs is written in one transaction and read again, so
//! that every row of the target is compared with its row of the source. An interrupted copy continues when it is called
//! again: rows that are already there are compared, not written.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Library;
use super::scan;
use super::schema::fresh;
use super::sql::{self, Bind, Session, Value, values};
use super::store::stored;
use base::error::{Error, Result};
use base::progress::Progress;

/// The result of a copy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Transfer {
    /// Number of rows of both libraries that are the same now.
    pub rows: u64,
    /// Number of rows that were written.
    pub written: u64,
    /// Number of rows of the target that were not in the source, and were deleted.
    pub deleted: u64,
    /// Number of tracks.
    pub tracks: u64,
}

/// A table, with its columns; the first `keys` of them are its key.
struct Table {
    name: String,
    keys: usize,
    columns: Vec<String>,
}

/// Returns the tables of a new library, each after those that it refers to; a server has them too. Data derived from
/// others (the index of words) and that of running scans is left out.
fn tables() -> sql::Result<Vec<Table>> {
    let tables = "SELECT t.name, sum(c.pk > 0), group_concat(c.name ORDER BY c.pk = 0, c.pk, c.cid)
         FROM sqlite_schema AS t, pragma_table_list(t.name) AS l, pragma_table_info(t.name) AS c
         WHERE t.type = 'table' AND l.strict AND t.name <> 'text_stale' AND c.name <> 'claimed_by'
         GROUP BY t.rowid ORDER BY t.rowid";
    Session::File(&fresh()?).all(tables, &[], |row| {
        let (keys, columns): (u32, String) = (row.get(1)?, row.get(2)?);
        Ok(Table { name: row.get(0)?, keys: keys as usize, columns: columns.split(',').map(str::to_owned).collect() })
    })
}

/// Number of keys in a range.
const RANGE: i64 = 256;
/// Maximum number of values of a statement; `SQLite` takes 32,766.
const MAX_VALUES: usize = 30_000;

/// A value that outlives its row.
#[derive(Clone, Debug, PartialEq)]
enum Owned {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

impl Owned {
    fn new(value: Value<'_>) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Integer(value) => Self::Integer(value),
            Value::Real(value) => Self::Real(value),
            // A server has no U+0000.
            Value::Text(text) => Self::Text(text.replace('\0', "\u{fffd}")),
            Value::Blob(bytes) => Self::Blob(bytes.to_vec()),
        }
    }

    /// For the order of rows: keys are numbers and text.
    fn key(&self) -> (i64, &str) {
        match self {
            Self::Integer(number) => (*number, ""),
            Self::Text(text) => (0, text),
            _ => (0, ""),
        }
    }
}

impl Bind for Owned {
    fn value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Integer(value) => Value::Integer(*value),
            Self::Real(value) => Value::Real(*value),
            Self::Text(text) => Value::Text(text),
            Self::Blob(bytes) => Value::Blob(bytes),
        }
    }
}

/// Rows by their keys.
type Rows = BTreeMap<Vec<(i64, String)>, Vec<Owned>>;

impl Table {
    /// Returns the last key of the range after `after`; `None` if nothing follows.
    fn range_after(&self, session: &Session<'_>, after: i64) -> sql::Result<Option<i64>> {
        let (name, key) = (&self.name, &self.columns[0]);
        let last = format!(
            "SELECT max({key}) FROM (SELECT DISTINCT {key} FROM {name} WHERE {key} > ?1 ORDER BY {key} LIMIT {RANGE}) AS range"
        );
        session.one(&last, values![after], |row| row.get(0))
    }

    /// Returns the rows of a range, as the target has them: no scan works on them.
    fn rows(&self, session: &Session<'_>, (after, last): (i64, i64)) -> sql::Result<Rows> {
        let (name, key, columns) = (&self.name, &self.columns[0], self.columns.join(", "));
        let rows = format!("SELECT {columns} FROM {name} WHERE {key} > ?1 AND {key} <= ?2");
        let mut found = Rows::new();
        session.each(&rows, values![after, last], |row| {
            let mut values: Vec<Owned> =
                (0..self.columns.len()).map(|column| Ok(Owned::new(row.value(column)?))).collect::<sql::Result<_>>()?;
            self.settle(&mut values);
            let key = values[..self.keys].iter().map(|value| (value.key().0, value.key().1.to_owned())).collect();
            found.insert(key, values);
            Ok(())
        })?;
        Ok(found)
    }

    /// A track that a scan is working on waits in the copy, and a scan that has not ended counts as killed.
    fn settle(&self, row: &mut [Owned]) {
        let at = |name: &str| self.columns.iter().position(|column| *column == name);
        match self.name.as_str() {
            "track" => {
                if let Some(state) = at("state")
                    && row[state] == Owned::Text("analysing".to_owned())
                {
                    row[state] = Owned::Text("waiting".to_owned());
                }
            }
            "scan" => {
                if let (Some(ended), Some(outcome)) = (at("ended_at"), at("outcome"))
                    && (&row[ended], &row[outcome]) == (&Owned::Null, &Owned::Null)
                {
                    row[outcome] = Owned::Text("killed".to_owned());
                }
            }
            _ => {}
        }
    }

    /// Writes the rows of `wanted` that `there` lacks or has with other values, and deletes those that only `there`
    /// has.
    fn write(&self, session: &Session<'_>, wanted: &Rows, there: &Rows) -> sql::Result<(u64, u64)> {
        let keys = &self.columns[..self.keys];
        let mut deleted = 0;
        for (key, row) in there {
            if !wanted.contains_key(key) {
                let places: Vec<String> =
                    keys.iter().enumerate().map(|(n, key)| format!("{key} = ?{}", n + 1)).collect();
                let delete = format!("DELETE FROM {} WHERE {}", self.name, places.join(" AND "));
                let values: Vec<Value<'_>> = row[..self.keys].iter().map(Bind::value).collect();
                deleted += session.execute(&delete, &values)? as u64;
            }
        }
        let changed: Vec<&Vec<Owned>> =
            wanted.iter().filter(|(key, row)| there.get(*key) != Some(row)).map(|(_, row)| row).collect();
        let others: Vec<String> =
            self.columns[self.keys..].iter().map(|column| format!("{column} = excluded.{column}")).collect();
        for rows in changed.chunks(MAX_VALUES / self.columns.len()) {
            let mut place = 0;
            let mut next = || {
                place += 1;
                format!("?{place}")
            };
            let tuples: Vec<String> = rows
                .iter()
                .map(|row| format!("({})", row.iter().map(|_| next()).collect::<Vec<_>>().join(", ")))
                .collect();
            let put = format!(
                "INSERT INTO {} ({}) VALUES {} ON CONFLICT ({}) DO UPDATE SET {}",
                self.name,
                self.columns.join(", "),
                tuples.join(", "),
                keys.join(", "),
                others.join(", ")
            );
            let values: Vec<Value<'_>> = rows.iter().flat_map(|row| row.iter().map(Bind::value)).collect();
            session.execute_once(&put, &values)?;
        }
        Ok((changed.len() as u64, deleted))
    }
}

impl Library {
    /// Makes `target` a copy of this library: all tracks, results, decisions and the history of scans. This library is
    /// only read. Progress counts rows. A killed copy keeps what it has done, and a later call continues. Tracks of the
    /// target that are not in this library are deleted if `replace` allows it.
    ///
    /// # Errors
    /// [`Error::Refused`] while one of them is scanned, or if the target has other tracks and `replace` is false;
    /// [`Error::Stored`] also if a row is not in the target as it was written, or the source changed meanwhile.
    pub fn copy_to(&self, target: &Self, replace: bool, progress: &Progress) -> Result<Transfer> {
        for library in [self, target] {
            if let Some(holder) = scan::holder(&library.store)? {
                return Err(Error::Refused {
                    reason: format!("{holder} is scanning {}. Wait for it, or stop it there", library.place()),
                    path: library.place().shown(),
                });
            }
        }
        if !replace {
            self.check_target(target, progress)?;
        }
        let tables = tables().map_err(|error| stored(&error))?;
        let version = self.version()?;
        let mut total = 0;
        for table in &tables {
            total += self.store.read(|session| session.number(&format!("SELECT count(*) FROM {}", table.name), &[]))?;
        }
        progress.set_total(total.max(0) as u64);
        let mut done = Transfer::default();
        for table in &tables {
            let rows = self.copy_table(table, target, progress, &mut done)?;
            if table.name == "track" {
                done.tracks = rows;
            }
        }
        target.store.write(renumber)?;
        if self.version()? != version {
            return Err(Error::Stored(
                "The library changed while it was copied. Copy it again; only what changed is written then.".to_owned(),
            ));
        }
        Ok(done)
    }

    /// Checks that every track of the target is one of this library.
    fn check_target(&self, target: &Self, progress: &Progress) -> Result<()> {
        let columns = ["id", "path", "path_exact"].map(str::to_owned).to_vec();
        let tracks = Table { name: "track".to_owned(), keys: 1, columns };
        let mut after = i64::MIN;
        while let Some(last) = target.store.read(|session| tracks.range_after(session, after))? {
            progress.check()?;
            let there = target.store.read(|session| tracks.rows(session, (after, last)))?;
            let here = self.store.read(|session| tracks.rows(session, (after, last)))?;
            if there.iter().any(|(key, row)| here.get(key) != Some(row)) {
                return Err(Error::Refused {
                    reason:
                        "The target has tracks that this library has not. They would be deleted; allow it, or name \
                             another place"
                            .to_owned(),
                    path: target.place().shown(),
                });
            }
            after = last;
        }
        Ok(())
    }

    /// Copies a table. Returns the number of its rows.
    fn copy_table(&self, table: &Table, target: &Self, progress: &Progress, done: &mut Transfer) -> Result<u64> {
        let (mut after, mut count) = (i64::MIN, 0);
        loop {
            progress.check()?;
            // After the last row of the source, the target may still have some.
            let last = self.store.read(|session| table.range_after(session, after))?.unwrap_or(i64::MAX);
            let range = (after, last);
            let wanted = self.store.read(|session| table.rows(session, range))?;
            let there = target.store.read(|session| table.rows(session, range))?;
            if wanted != there {
                let (written, deleted) = target.store.write(|session| {
                    // Another copy into the same target waits, and then finds these rows. With several unique columns,
                    // `ON CONFLICT` on one of them does not settle a race for another.
                    session.lock_table(&table.name)?;
                    let there = table.rows(session, range)?;
                    table.write(session, &wanted, &there)
                })?;
                done.written += written;
                done.deleted += deleted;
                if target.store.read(|session| table.rows(session, range))? != wanted {
                    return Err(Error::Stored(format!(
                        "Rows of `{}` from {} to {last} are not in the target as they were written. Copy again: {}",
                        table.name,
                        after.saturating_add(1),
                        target.place()
                    )));
                }
            }
            let rows = wanted.len() as u64;
            (count, done.rows) = (count + rows, done.rows + rows);
            progress.advance(rows)?;
            if last == i64::MAX {
                return Ok(count);
            }
            after = last;
        }
    }
}

/// Makes a server number new rows after the copied ones.
fn renumber(session: &Session<'_>) -> sql::Result<()> {
    if session.dialect() == sql::Dialect::Server {
        for table in ["root", "scan", "cover", "track"] {
            let next = format!(
                "SELECT setval(pg_get_serial_sequence('undertone.{table}', 'id'), coalesce(max(id), 0) + 1, FALSE) FROM {table}"
            );
            session.number(&next, &[])?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::tables;

    #[test]
    fn all_that_is_not_derived_is_copied_each_row_after_those_that_it_refers_to() {
        let tables = tables().unwrap();
        let keys: Vec<(&str, usize)> = tables.iter().map(|table| (table.name.as_str(), table.keys)).collect();
        assert_eq!(keys[..4], [("root", 1), ("scan", 1), ("cover", 1), ("track", 1)]);
        assert_eq!(keys[4..7], [("description", 1), ("feature", 1), ("feature_missing", 2)]);
        assert_eq!(keys[7..10], [("fingerprint", 1), ("series", 2), ("decision", 2)]);
        assert_eq!(keys[10..], [("place", 1), ("map", 1), ("sketch", 1)]);
        let of = |name: &str| &tables.iter().find(|table| table.name == name).unwrap().columns;
        assert_eq!(of("decision")[..], ["first", "second", "verdict", "decided_at"]);
        assert!(of("track").contains(&"alone".to_owned()) && !of("track").contains(&"claimed_by".to_owned()));
    }
}
