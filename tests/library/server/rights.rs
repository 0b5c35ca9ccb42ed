//! Readers, scanners and read-only libraries.

use std::fs;
use std::time::Duration;

use library_support::{Seen, Test, analyser, options, scan};
use undertone::error::Error;
use undertone::library::{Decision, Library, Place, ReadOnly, TrackQuery};

use super::{both, fill, name_of, seen};
use crate::support::library as library_support;
use crate::support::server;

#[test]
fn a_reader_may_ask_and_not_change() -> Test {
    let Some(cluster) = server::shared() else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let [file, _] = both(cluster, folder.path(), 12)?;
    let address = cluster.database();
    let (library, _) = Library::open_at(server::place(&address, folder.path()))?;
    library.add_root(&folder.path().join("music"))?;
    scan(&library, &Seen::default())?;
    let name = name_of(&address)?;
    let role = format!("{name}_reader");
    cluster.sql(
        name,
        &format!(
            "CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA undertone TO {role};
             GRANT SELECT ON ALL TABLES IN SCHEMA undertone TO {role}"
        ),
    );
    let (reader, _) =
        Library::open_existing(server::place(&address.replace("undertone@", &format!("{role}@")), folder.path()))?;
    let query = TrackQuery { text: String::new(), filter: Some("blue or title:night".parse()?) };
    assert_eq!(reader.track_ids(&query, &[])?.len(), file.track_ids(&query, &[])?.len());
    assert_eq!(reader.status()?.done, 12);
    let refused = reader.forget(&[1]).err().ok_or("it was deleted")?;
    assert!(refused.to_string().contains("lets this user read it only"), "{refused}");
    assert_eq!((reader.read_only(), reader.status()?.done), (Some(ReadOnly::User), 12));
    // Permission to change only one table would allow half a change of the library.
    cluster.sql(name, &format!("GRANT INSERT, UPDATE, DELETE ON undertone.decision TO {role}"));
    let reader_place = server::place(&address.replace("undertone@", &format!("{role}@")), folder.path());
    assert_eq!(Library::open_existing(reader_place)?.0.read_only(), Some(ReadOnly::User));
    // Tables of an earlier version are for their owner to change.
    let former = "ALTER TABLE undertone.track DROP COLUMN reading_version; UPDATE undertone.format SET version = 1";
    cluster.sql(name, former);
    let reader_place = server::place(&address.replace("undertone@", &format!("{role}@")), folder.path());
    let refused = Library::open_existing(reader_place.clone()).err().ok_or("it was opened")?.to_string();
    assert!(refused.contains("(format 1)") && refused.contains("as their owner"), "{refused}");
    assert_eq!(Library::open_at(server::place(&address, folder.path()))?.0.status()?.done, 12);
    assert_eq!(Library::open_existing(reader_place)?.0.status()?.done, 12);
    // A server that accepts no changes, such as a standby, is distinguished from a user without permission.
    cluster.sql(name, &format!("ALTER DATABASE {name} SET default_transaction_read_only = on"));
    let library = Library::open_existing(server::place(&address, folder.path()))?.0;
    assert_eq!(library.read_only(), Some(ReadOnly::Server));
    assert_eq!(library.status()?.done, 12);
    Ok(())
}

#[test]
fn a_library_that_is_to_be_read_only_is_kept_so_by_the_server() -> Test {
    let Some(cluster) = server::shared() else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let [_, library] = both(cluster, folder.path(), 12)?;
    let address = library.place().to_string();
    let read_only = server::place(&address, folder.path()).read_only()?;
    let (reader, _) = Library::open_at(read_only)?;
    assert_eq!((reader.read_only(), library.read_only()), (Some(ReadOnly::Asked), None));
    let found =
        |library: &Library, text: &str| library.track_ids(&TrackQuery { text: text.to_owned(), filter: None }, &[]);
    let all = found(&reader, "")?;
    assert_eq!(all.len(), 12);
    assert!(!found(&reader, "night")?.is_empty());
    assert_eq!(found(&reader, "night")?, found(&library, "night")?);
    // The reader is notified of changes by others.
    reader.listen();
    let known = reader.version()?;
    assert_eq!(library.forget(&all[..1])?, 1);
    assert!(library_support::until(|| reader.version().is_ok_and(|version| version != known)));
    assert_eq!(found(&reader, "")?.len(), 11);
    // Nothing is written, and no work is begun whose result would be written later.
    let before = seen(&library)?;
    let more = folder.path().join("more");
    fs::create_dir_all(&more)?;
    let refusals = [
        reader.add_root(&more).err(),
        reader.remove_root(1).err(),
        reader.retry(None).err(),
        reader.forget(&all[1..]).err(),
        reader.mark_binned(all[1]).err(),
        reader.decide(all[1], all[2], Some(Decision::Same)).err(),
        reader.scan(options(analyser(&Seen::default(), 1, Duration::ZERO))).err(),
        reader.tag_writer().err(),
        reader.check_writable().err(),
    ];
    for refused in refusals {
        let refused = refused.ok_or("it was done")?;
        assert!(matches!(refused, Error::Impossible(_)) && refused.to_string().contains("read-only"), "{refused}");
    }
    assert_eq!(seen(&library)?, before);
    // The server itself rejects what this program would not: here a query that writes.
    let name = name_of(&address)?;
    cluster.sql(
        name,
        "CREATE FUNCTION undertone.meddle() RETURNS bigint LANGUAGE plpgsql AS
             $$ BEGIN INSERT INTO undertone.change VALUES (99, 1); RETURN 0; END $$;
         ALTER TABLE undertone.scan RENAME TO scans;
         CREATE VIEW undertone.scan AS SELECT * FROM undertone.scans WHERE undertone.meddle() = 0;
         GRANT SELECT ON undertone.scan TO PUBLIC;
         GRANT EXECUTE ON FUNCTION undertone.meddle() TO PUBLIC",
    );
    let rejected = reader.history(1).err().ok_or("it was written")?;
    assert!(rejected.to_string().contains("read-only transaction (25006)"), "{rejected}");
    library.history(1)?;
    // A database without a library is left without one, and a file is not opened in this way.
    let empty = cluster.database();
    let refused = Library::open_at(server::place(&empty, folder.path()).read_only()?).err().ok_or("it was opened")?;
    assert!(matches!(refused, Error::NotFound { .. }), "{refused}");
    assert_eq!(cluster.sql(name_of(&empty)?, "SELECT count(*) FROM pg_namespace WHERE nspname = 'undertone'"), "0");
    assert!(Place::File(folder.path().join("library.sqlite")).read_only().is_err());
    Ok(())
}

#[test]
fn a_scanner_may_scan_with_the_rights_that_the_documentation_gives_it() -> Test {
    let Some(cluster) = server::shared() else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    fill(&folder.path().join("music"), 12)?;
    let address = cluster.database();
    let (library, _) = Library::open_at(server::place(&address, folder.path()))?;
    library.add_root(&folder.path().join("music"))?;
    let name = name_of(&address)?;
    let role = format!("{name}_scanner");
    cluster.sql(
        name,
        &format!(
            "CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA undertone TO {role};
             GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA undertone TO {role}"
        ),
    );
    let as_scanner = address.replace("undertone@", &format!("{role}@"));
    let (scanner, _) = Library::open_existing(server::place(&as_scanner, folder.path()))?;
    assert_eq!(scan(&scanner, &Seen::default())?.counts.failed, 0);
    let query = TrackQuery { text: "night".to_owned(), filter: None };
    assert_eq!(*scanner.track_ids(&query, &[])?, *library.track_ids(&query, &[])?);
    assert_eq!(library.status()?.done, 12);
    Ok(())
}
