//! The library's tables on a server, in a separate schema.
//!
//! They match those of a file (see [`crate::schema`]), with additions for several machines. Text is ordered by its
//! bytes, whatever the language of the server. A path may be longer than an index entry, so that its digest is unique
//! instead, and a hash index finds it. `word_index` and `folded` take the place of `SQLite`'s full-text table and of a
//! function of this program; `text_stale` lists the tracks for which both are out of date.

use super::super::Result;
use super::{Connection, Open};
use crate::access::ReadOnly;
use base::error::Error;

/// Migrations from one version of the tables to the next. Never change a released one; add another.
const MIGRATIONS: &[&str] = &[include_str!("schema/0001.sql"), include_str!("schema/0002.sql")];

/// The number of the advisory lock under which the tables are changed ("Utlb").
const LOCK: i64 = 0x5574_6c62;

/// The treatment of tables that are missing or of an earlier version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tables {
    /// They are brought up to date, and if `create` is set, created.
    Update {
        /// Whether they may be created.
        create: bool,
    },
    /// They stay as they are.
    Keep,
}

/// Creates the tables or brings them up to date, as far as `allowed`. The inner error concerns the tables, the outer
/// one the database.
///
/// # Errors
/// [`Error::Stored`] if a later version of this program wrote them, or an earlier one and they must stay as they are;
/// [`Error::NotFound`] if there are none.
pub(super) fn migrate(connection: &Connection<'_>, allowed: Tables) -> Result<std::result::Result<(), Error>> {
    match version(connection)? {
        Some(version) if version == MIGRATIONS.len() => return Ok(Ok(())),
        None if allowed != (Tables::Update { create: true }) => {
            let name = format!("{} (`undertone library scan FOLDER` makes one)", connection.server.address());
            return Ok(Err(Error::NotFound { what: "library", name }));
        }
        Some(version) if version < MIGRATIONS.len() && allowed == Tables::Keep => {
            return Ok(Err(Error::Stored(format!(
                "The library was kept by an earlier version of this program (format {version}), and is to be read-only. \
                 Open it once without that: {}",
                connection.server.address()
            ))));
        }
        _ => {}
    }
    let open = Open::begin(connection)?;
    connection.batch(&format!("SELECT pg_advisory_xact_lock({LOCK})"))?;
    // Another process may have made them while this one waited.
    let version = version(connection)?.unwrap_or(0);
    if version > MIGRATIONS.len() {
        return Ok(Err(Error::Stored(format!(
            "The library was kept by a later version of this program (format {version}). Update this program: {}",
            connection.server.address()
        ))));
    }
    for migration in MIGRATIONS.iter().skip(version) {
        match connection.batch(migration) {
            Err(error) if version > 0 && error.is_forbidden() => {
                return Ok(Err(Error::Stored(format!(
                    "The library was kept by an earlier version of this program (format {version}), and this user may not \
                     change its tables. Open it once as their owner: {}",
                    connection.server.address()
                ))));
            }
            migrated => migrated?,
        }
    }
    connection
        .batch(&format!("DELETE FROM undertone.format; INSERT INTO undertone.format VALUES ({})", MIGRATIONS.len()))?;
    open.commit("")?;
    Ok(Ok(()))
}

/// Returns why nothing may be written with this connection; `None` if it may. A user who may change only some tables
/// may not change the library: half of a change would fail.
pub(super) fn read_only(connection: &Connection<'_>) -> Result<Option<ReadOnly>> {
    let mut found = (false, true);
    connection.each(
        "SELECT current_setting('transaction_read_only') = 'on',
             coalesce(bool_and(has_table_privilege(oid, 'INSERT') AND has_table_privilege(oid, 'UPDATE')
                 AND has_table_privilege(oid, 'DELETE')), false)
             FROM pg_class
             WHERE relnamespace = to_regnamespace('undertone') AND relkind = 'r' AND relname <> 'format'",
        &[],
        &mut |row| {
            found = (row.try_get(0)?, row.try_get(1)?);
            Ok(())
        },
    )?;
    Ok(match found {
        (_, false) => Some(ReadOnly::User),
        (true, true) => Some(ReadOnly::Server),
        (false, true) => None,
    })
}

/// Returns the version of the tables; `None` if there are none. The catalogue itself is read, because `to_regclass`
/// answers from a cache, which within a transaction may still say that there are none when the lock is granted.
fn version(connection: &Connection<'_>) -> Result<Option<usize>> {
    let mut there = false;
    connection.each(
        "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
             WHERE nspname = 'undertone' AND relname = 'format')",
        &[],
        &mut |row| {
            there = row.try_get(0)?;
            Ok(())
        },
    )?;
    let mut version = None;
    if there {
        connection.each("SELECT version FROM undertone.format", &[], &mut |row| {
            version = usize::try_from(row.try_get::<_, i64>(0)?).ok();
            Ok(())
        })?;
    }
    Ok(version)
}
