//! A library on a `PostgreSQL` server: the same answers as in a file, several machines, crashes, hostile servers.
//!
//! `UNDERTONE_SCANNED=2000`, `UNDERTONE_KILLED=50` and `UNDERTONE_RESTARTED=5` make the test of several machines longer.

use crate::support::library as library_support;
use crate::support::server::{self, Cluster};

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use library_support::{Fixture, Seen, Test, analyser, options, rows, scan, wav};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use undertone::error::Error;
use undertone::library::{
    Access, Address, Analyser, Decision, Library, Password, Place, ReadOnly, RootPlace, ScanOptions, SortKey,
    TrackQuery, Versions, keyring, list,
};
use undertone::progress::Progress;

const WORDS: [&str; 12] =
    ["Blue", "Björk", "night", "Élan", "river", "T.N.T.", "Miles Davis", "Straße", "!!!", "moon", "Дельфин", "東京"];

/// Writes recordings with titles, some of which are the same.
fn fill(music: &Path, count: u64) -> Test {
    for seed in 0..count {
        let title = format!("{} {}", WORDS[(seed * 7 % 12) as usize], WORDS[(seed * seed % 12) as usize]);
        let path = music.join(format!("{}/{seed:04} {title}.wav", WORDS[(seed % 5) as usize]));
        fs::create_dir_all(path.parent().ok_or("no folder")?)?;
        // Every tenth is a copy of the one before.
        let audio = if seed % 10 == 9 { seed - 1 } else { seed };
        fs::write(path, library_support::wav_bytes(audio, (seed % 4 != 0).then_some(title.as_str())))?;
    }
    Ok(())
}

/// Returns the same recordings as a library in a file and on a server.
fn both(cluster: &Cluster, folder: &Path, count: u64) -> Result<[Library; 2], Box<dyn std::error::Error>> {
    let music = folder.join("music");
    fill(&music, count)?;
    let places = [Place::File(folder.join("library.sqlite")), server::place(&cluster.database(), folder)];
    let mut libraries = Vec::new();
    for place in places {
        let (library, _) = Library::open_at(place)?;
        library.add_root(&music)?;
        // One worker, so that copies are analysed in the same order.
        let analyser = analyser(&Seen::default(), 1, Duration::ZERO);
        let summary = library.scan(ScanOptions { workers: Some(1), ..ScanOptions::new(analyser) })?.wait()?;
        assert_eq!((summary.counts.new, summary.counts.failed), (count, 0));
        libraries.push(library);
    }
    libraries.try_into().map_err(|_| "two".into())
}

#[test]
fn a_server_answers_what_a_file_answers() -> Test {
    let Some(cluster) = server::shared() else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let [file, server] = both(cluster, folder.path(), 120)?;
    let without_times = |library: &Library| -> Result<_, Box<dyn std::error::Error>> {
        let mut rows = rows(library)?;
        rows.iter_mut().for_each(|row| row.added_at = 0);
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let mut tracks = Vec::new();
        for id in &ids {
            let mut track = library.track(*id)?;
            (track.analysed_at, track.row.added_at) = (None, 0);
            tracks.push(track);
        }
        Ok((rows, library.tags(&ids)?, tracks, library.fingerprints_of(&ids)?))
    };
    assert_eq!(without_times(&file)?, without_times(&server)?);
    // Missing values are `NaN`, which is not equal to itself.
    let features = |library: &Library| -> Result<Vec<(i64, [u32; 25])>, Error> {
        let table = library.features_table()?;
        Ok(table.ids.into_iter().zip(table.rows.iter().map(|row| row.map(f32::to_bits))).collect())
    };
    assert_eq!(features(&file)?, features(&server)?);
    let keys = |library: &Library| -> Result<BTreeMap<i64, [u8; 32]>, Error> {
        Ok(library.audio_keys()?.into_iter().collect())
    };
    assert_eq!(keys(&file)?, keys(&server)?);
    // The databases add in another order, so the last digits differ.
    let counts = |library: &Library| {
        library.status().map(|status| (status.done, status.waiting, status.bytes, (status.duration_s * 1e6).round()))
    };
    assert_eq!(counts(&file)?, counts(&server)?);
    let names = |library: &Library| -> Result<Vec<(PathBuf, u64)>, Error> {
        Ok(library.roots()?.into_iter().map(|root| (root.path, root.tracks)).collect())
    };
    assert_eq!(names(&file)?, names(&server)?);
    for (column, text) in [("title", "b"), ("title", "BJO"), ("title", ""), ("format", "w"), ("artist", "x")] {
        assert_eq!(file.values(column, text, 10)?, server.values(column, text, 10)?, "{column} {text}");
    }
    let texts = [
        "blue",
        "bjork",
        "elan river",
        "strasse",
        "straße",
        "!!!",
        "t.n.t",
        "miles dav",
        "\"miles davis\"",
        "дельфин",
        "東京",
        "title:blue",
        "title:=\"Blue Blue\"",
        "title:none",
        "-title:blue or path:night",
        "year:none",
        "id:3..40",
        "key:Am",
        "bpm:none",
        "rate:8k",
        "state:done",
        "loudness:<0.5 -title:moon",
        "format:wav,flac",
        "added:2020..2030",
        "'--",
        "\\",
        "title:'",
        "0042",
        "wav",
        "title:\"\u{301}\"",
        "title:% path:_",
        "duration:<1",
    ];
    for text in texts {
        let query = TrackQuery { text: String::new(), filter: Some(text.parse()?) };
        for key in [SortKey::up("title"), SortKey::down("centroid_hz"), SortKey::up("file_name")] {
            let found = file.track_ids(&query, std::slice::from_ref(&key))?;
            assert_eq!(*found, *server.track_ids(&query, &[key])?, "{text}");
        }
    }
    for text in ["blu", "bjö nig", "t n t", "004", "\" OR *", "!!!", "東", "strasse", "stra"] {
        let query = TrackQuery { text: text.to_owned(), filter: None };
        assert_eq!(*file.track_ids(&query, &[])?, *server.track_ids(&query, &[])?, "{text}");
    }
    for column in list::columns() {
        for key in [SortKey::up(column), SortKey::down(column)] {
            if column != "added_at" {
                let all = TrackQuery::default();
                assert_eq!(
                    *file.track_ids(&all, std::slice::from_ref(&key))?,
                    *server.track_ids(&all, &[key])?,
                    "{column}"
                );
            }
        }
    }
    for library in [&file, &server] {
        let before = library.version()?;
        library.decide(2, 1, Some(Decision::KeepBoth))?;
        library.decide(1, 2, Some(Decision::Same))?;
        library.decide(3, 4, Some(Decision::Different))?;
        library.decide(4, 3, None)?;
        assert_eq!(library.decisions()?, [(1, 2, Decision::Same)]);
        assert_ne!(library.version()?, before);
        library.mark_binned(5)?;
        library.mark_restored(5)?;
        assert_eq!(library.forget(&[7, 8])?, 2);
        assert_eq!(library.check()?, Vec::<String>::new());
    }
    assert_eq!(file.status()?.done, server.status()?.done);
    Ok(())
}

/// Returns all rows of the libraries that a user sees, and what belongs to them.
fn seen(library: &Library) -> Result<String, Box<dyn std::error::Error>> {
    let rows = rows(library)?;
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let tracks: Vec<_> = ids.iter().map(|id| library.track(*id)).collect::<Result<_, _>>()?;
    let covers: Vec<_> = ids.iter().map(|id| library.cover(*id)).collect::<Result<_, _>>()?;
    let roots: Vec<_> = library.roots()?.into_iter().map(|root| (root.id, root.path, root.tracks)).collect();
    let decisions = library.decisions()?;
    let scans: Vec<_> = library.history(10)?.into_iter().map(|scan| (scan.id, scan.outcome, scan.summary)).collect();
    Ok(format!("{tracks:?}{:?}{covers:?}{roots:?}{decisions:?}{scans:?}", library.fingerprints_of(&ids)?))
}

#[test]
fn a_library_moves_to_a_server_and_back() -> Test {
    let Some(cluster) = server::shared() else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let [file, other] = both(cluster, folder.path(), 60)?;
    file.decide(1, 2, Some(Decision::Same))?;
    let address = cluster.database();
    let open = || Library::open_at(server::place(&address, folder.path()));
    let (server, _) = open()?;
    // Cancelled at first: what was written stays.
    let stopped = Progress::new();
    stopped.cancel();
    assert!(matches!(file.copy_to(&server, false, &stopped), Err(Error::Cancelled)));
    let progress = Progress::new();
    let done = file.copy_to(&server, false, &progress)?;
    assert_eq!((done.tracks, done.written, done.deleted), (60, done.rows, 0));
    assert_eq!(progress.snapshot().done, done.rows);
    assert_eq!(seen(&file)?, seen(&server)?);
    let again = file.copy_to(&server, false, &Progress::new())?;
    assert_eq!((again.rows, again.written), (done.rows, 0), "nothing is written twice");
    // What is lost or changed is written again, and nothing else.
    server.forget(&[3])?;
    server.decide(1, 2, None)?;
    let mended = file.copy_to(&server, false, &Progress::new())?;
    assert!((2..12).contains(&mended.written), "{mended:?}");
    assert_eq!(seen(&file)?, seen(&server)?);
    // Searches find what was copied, and new tracks have new numbers.
    let blue = TrackQuery { text: "blue".to_owned(), filter: None };
    assert_eq!(*file.track_ids(&blue, &[])?, *server.track_ids(&blue, &[])?);
    wav(&folder.path().join("music/new.wav"), 999)?;
    assert_eq!(scan(&server, &Seen::default())?.counts.new, 1);
    assert!(server.find(&folder.path().join("music/new.wav"))?.is_some_and(|id| id > 60));
    // Back, into a new file.
    let (back, _) = Library::open(&folder.path().join("back.sqlite"))?;
    server.copy_to(&back, false, &Progress::new())?;
    assert_eq!(seen(&server)?, seen(&back)?);
    assert_eq!(back.check()?, Vec::<String>::new());
    // A target with other tracks is left alone, unless its user allows it.
    let refused = file.copy_to(&server, false, &Progress::new()).err().ok_or("it was replaced")?;
    assert!(matches!(refused, Error::Refused { .. }), "{refused}");
    let replaced = file.copy_to(&server, true, &Progress::new())?;
    assert!(replaced.deleted > 0, "{replaced:?}");
    assert_eq!(seen(&file)?, seen(&server)?);
    drop(other);
    Ok(())
}

#[test]
fn folders_may_be_elsewhere_on_each_machine() -> Test {
    let Some(cluster) = server::shared() else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let address = cluster.database();
    let place = |roots: &[&str]| -> Result<Place, Error> {
        let roots = roots.iter().map(|root| RootPlace::parse(root)).collect::<Result<_, _>>()?;
        Ok(Place::Server {
            address: Address::parse(&address)?,
            beside: folder.path().join("library"),
            roots,
            access: Access::default(),
        })
    };
    let (first, _) = Library::open_at(place(&[])?)?;
    let (here, there) = (folder.path().join("a/music"), folder.path().join("b/songs"));
    wav(&here.join("one.wav"), 1)?;
    first.add_root(&here)?;
    scan(&first, &Seen::default())?;
    // The other machine has the same folder under another name.
    fs::create_dir_all(folder.path().join("b"))?;
    fs::rename(&here, &there)?;
    wav(&there.join("sub/two.wav"), 2)?;
    let (second, _) = Library::open_at(place(&[&format!("music={}", there.display())])?)?;
    let summary = scan(&second, &Seen::default())?;
    assert_eq!((summary.counts.new, summary.counts.vanished, summary.counts.analysed), (1, 0, 1));
    let paths = |library: &Library| -> Result<Vec<PathBuf>, Error> {
        Ok(rows(library)?.into_iter().map(|row| row.path.into()).collect())
    };
    assert_eq!(paths(&second)?, [there.join("one.wav"), there.join("sub/two.wav")]);
    assert_eq!(paths(&first)?, [here.join("one.wav"), here.join("sub/two.wav")]);
    assert_eq!(second.roots()?[0].path, there);
    assert!(second.find(&there.join("one.wav"))?.is_some());
    assert!(second.is_only_copy(&there.join("one.wav"))?);
    // To add it again, under the name of this machine, changes nothing.
    second.add_root(&there)?;
    assert_eq!(second.roots()?.len(), 1);
    let wrong = Library::open_at(place(&["talk=/mnt/t"])?).err().ok_or("it was opened")?.to_string();
    assert!(wrong.contains("talk") && wrong.contains("music"), "{wrong}");
    Ok(())
}

#[test]
fn a_database_without_a_library_is_not_filled_by_a_question() -> Test {
    let Some(cluster) = server::shared() else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let address = cluster.database();
    let missing = Library::open_existing(server::place(&address, folder.path()));
    assert!(matches!(missing, Err(Error::NotFound { .. })));
    drop(Library::open_at(server::place(&address, folder.path()))?);
    drop(Library::open_existing(server::place(&address, folder.path()))?);
    // A later version is left alone.
    let name = name_of(&address)?;
    cluster.sql(name, "UPDATE undertone.format SET version = 999");
    let refused = Library::open_at(server::place(&address, folder.path())).err().ok_or("it was opened")?;
    assert!(refused.to_string().contains("later version"), "{refused}");
    Ok(())
}

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
    // A change of one table would be half a change of the library.
    cluster.sql(name, &format!("GRANT INSERT, UPDATE, DELETE ON undertone.decision TO {role}"));
    let reader_place = server::place(&address.replace("undertone@", &format!("{role}@")), folder.path());
    assert_eq!(Library::open_existing(reader_place)?.0.read_only(), Some(ReadOnly::User));
    // A server that takes no changes, such as a standby, is told from a user who may make none.
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
    // What others change is heard of.
    reader.listen();
    let known = reader.version()?;
    assert_eq!(library.forget(&all[..1])?, 1);
    assert!(library_support::until(|| reader.version().is_ok_and(|version| version != known)));
    assert_eq!(found(&reader, "")?.len(), 11);
    // Nothing is written, and nothing that would be written later is begun.
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
    // The server itself rejects what this program would not: here a question that writes.
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
    // A database without a library stays without one, and a file is not opened so.
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

#[test]
fn changes_are_heard_of_and_those_of_a_restart_are_not_missed() -> Test {
    let Some(cluster) = Cluster::start() else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let place = server::place(&cluster.database(), folder.path());
    let (library, _) = Library::open_at(place.clone())?;
    let (other, _) = Library::open_at(place)?;
    library.listen();
    let mut known = library.version()?;
    for restarts in [false, true, false] {
        if restarts {
            cluster.stop(true);
            cluster.resume();
        }
        fs::create_dir_all(folder.path().join(format!("{known}")))?;
        // The first try after a restart finds its connections closed.
        let folder = folder.path().join(format!("{known}"));
        assert!(library_support::until(|| other.add_root(&folder).is_ok()));
        assert!(library_support::until(|| library.version().is_ok_and(|version| version != known)), "{restarts}");
        known = library.version()?;
        assert_eq!(library.version()?, known);
    }
    Ok(())
}

/// Returns the name of the database.
fn name_of(address: &str) -> Result<&str, Box<dyn std::error::Error>> {
    let rest = address.split_once("@/").ok_or("no name")?.1;
    Ok(rest.split_once('?').ok_or("no socket")?.0)
}

#[test]
fn an_encrypted_connection_is_to_the_server_that_was_meant() -> Test {
    let authority = |name: &str| {
        let mut asked = CertificateParams::default();
        asked.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        asked.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let certificate = asked.self_signed(&key).unwrap();
        (certificate.pem(), Issuer::new(asked, key))
    };
    let (trusted, issuer) = authority("Trusted");
    let (other, _) = authority("Other");
    let key = KeyPair::generate()?;
    let certificate = CertificateParams::new(["localhost".to_owned()])?.signed_by(&key, &issuer)?;
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let started = Cluster::start_with(|data| {
        fs::write(data.join("server.crt"), certificate.pem()).unwrap();
        fs::write(data.join("server.key"), key.serialize_pem()).unwrap();
        fs::set_permissions(data.join("server.key"), fs::Permissions::from_mode(0o600)).unwrap();
        vec!["ssl=on".to_owned(), "listen_addresses=localhost".to_owned(), format!("port={port}")]
    });
    let Some(cluster) = started else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    for (name, pem) in [("trusted.pem", trusted), ("other.pem", other)] {
        fs::write(folder.path().join(name), pem)?;
    }
    let name = name_of(&cluster.database())?.to_owned();
    let open = |host: &str, end: &str| {
        let address = format!("postgres://undertone@{host}:{port}/{name}?{end}");
        Library::open_at(server::place(&address, folder.path()))
    };
    let verified = |file: &str| format!("sslrootcert={}", folder.path().join(file).display());
    drop(open("localhost", &verified("trusted.pem"))?);
    let encrypted = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
                     WHERE ssl AND usename = 'undertone'";
    let (library, _) = open("localhost", &verified("trusted.pem"))?;
    assert!(cluster.sql("postgres", encrypted).parse::<u32>()? > 0);
    assert_eq!(library.status()?.done, 0);
    // Another authority, another name, the system's authorities, a file without certificates.
    fs::write(folder.path().join("empty.pem"), "")?;
    for (host, end) in [
        ("localhost", verified("other.pem")),
        ("127.0.0.1", verified("trusted.pem")),
        ("localhost", "sslmode=verify-full".to_owned()),
        ("localhost", verified("empty.pem")),
        ("localhost", verified("missing.pem")),
    ] {
        let refused = open(host, &end).err().ok_or_else(|| format!("{host} {end} was opened"))?;
        assert!(
            matches!(refused, Error::Stored(_))
                && (refused.to_string().contains("certificate") || end.contains("missing")),
            "{end}: {refused}"
        );
    }
    drop(open("localhost", "sslmode=disable")?);
    Ok(())
}

#[test]
fn a_password_comes_from_the_password_file_and_is_shown_nowhere() -> Test {
    let Some((_cluster, address)) = Cluster::start_locked() else { return Ok(()) };
    let name = name_of(&address)?.to_owned();
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("pgpass");
    fill(&folder.path().join("music"), 3)?;
    let run = |password: &str, words: &[&str]| -> Result<std::process::Output, Box<dyn std::error::Error>> {
        fs::write(&file, format!("localhost:5432:{name}:locked:{password}\n"))?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600))?;
        Ok(Command::new(env!("CARGO_BIN_EXE_undertone"))
            .args(["library", "--library", &address])
            .args(words)
            .env("PGPASSFILE", &file)
            .env("RUST_LOG", "trace")
            // There is no keyring here.
            .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
            .env("XDG_DATA_HOME", folder.path().join("data"))
            .env("XDG_CONFIG_HOME", folder.path().join("config"))
            .env_remove("PGPASSWORD")
            .output()?)
    };
    let music = folder.path().join("music");
    let scanned = run("open\\:sesame", &["scan", "--device", "cpu", &music.to_string_lossy()])?;
    let said = format!("{}{}", String::from_utf8_lossy(&scanned.stdout), String::from_utf8_lossy(&scanned.stderr));
    assert!(!said.contains("sesame"), "{said}");
    let status = run("open\\:sesame", &["status", "--json"])?;
    let status: serde_json::Value = serde_json::from_slice(&status.stdout)?;
    assert_eq!(status["library"], serde_json::json!(address));
    let wrong = run("wrong", &["status"])?;
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(!wrong.status.success() && said.contains("refused the password in the password file for locked"), "{said}");
    let begun = Instant::now();
    let none = run("open\\:sesame\n#", &["password", "forget"])?;
    let said = String::from_utf8_lossy(&none.stderr).into_owned();
    assert!(!none.status.success() && said.contains("The system's keyring cannot be used: "), "{said}");
    fs::write(&file, "")?;
    let none = Command::new(env!("CARGO_BIN_EXE_undertone"))
        .args(["library", "--library", &address, "status"])
        .env("PGPASSFILE", &file)
        .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
        .env_remove("PGPASSWORD")
        .output()?;
    let said = String::from_utf8_lossy(&none.stderr).into_owned();
    assert!(said.contains("wants the password of locked. The system's keyring cannot be used: "), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(30), "a missing keyring is not waited for");
    Ok(())
}

#[test]
fn a_password_comes_from_the_keyring_if_the_server_wants_one_and_nothing_else_has_it() -> Test {
    let Some((_cluster, address)) = Cluster::start_locked() else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let place = server::place(&address, folder.path());
    let server = Address::parse(&address)?;
    let entry = server::keyring_entry(&address);
    let open = |place: &Place| Library::open_at(place.clone()).map(|(library, _)| library);
    let refused = |place: &Place| match open(place) {
        Err(Error::Password(reason)) => reason,
        other => panic!("{other:?}"),
    };
    assert!(refused(&place).contains("wants the password of locked; PGPASSWORD, the password file and the keyring"));
    server::break_keyring(&entry);
    assert!(refused(&place).contains("The system's keyring cannot be used: no such service"));
    keyring::remember(&server, &Password::new("wrong"))?;
    assert!(refused(&place).contains("refused the password in the keyring for locked"));
    // What the user gives comes before what was remembered.
    let given = place.clone().with_password(Some(Password::new(server::PASSWORD)));
    let library = open(&given)?;
    assert!(!format!("{library:?} {given:?}").contains(server::PASSWORD));
    assert!(
        refused(&place.clone().with_password(Some(Password::new("no")))).contains("refused the password for locked")
    );
    keyring::remember(&server, &Password::new(server::PASSWORD))?;
    assert_eq!(entry.get_password()?, server::PASSWORD);
    // All connections have it: those of the pool, and the one that listens.
    let other = open(&place)?;
    other.listen();
    let known = other.version()?;
    fs::create_dir_all(folder.path().join("music"))?;
    library.add_root(&folder.path().join("music"))?;
    assert!(library_support::until(|| other.version().is_ok_and(|version| version != known)));
    assert_eq!((keyring::forget(&server)?, keyring::forget(&server)?), (true, false));
    assert!(refused(&place).contains("wants the password"));
    Ok(())
}

#[test]
fn a_server_that_wants_no_password_asks_the_keyring_for_none() -> Test {
    let Some(cluster) = server::shared() else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let address = cluster.database();
    let entry = server::keyring_entry(&address);
    server::break_keyring(&entry);
    Library::open_at(server::place(&address, folder.path()))?;
    assert!(entry.get_password().is_err_and(|error| error.to_string().contains("no such service")), "it was asked");
    Ok(())
}

/// The address that a child scans, and its folder.
const CHILD: &str = "UNDERTONE_TEST_SERVER_CHILD";
const LEASE: Duration = Duration::from_secs(3);

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// Not a test by itself: a machine that scans, and may be killed.
#[test]
fn child_scans_on_the_server() -> Test {
    let Ok(child) = std::env::var(CHILD) else { return Ok(()) };
    let (address, folder) = child.split_once(' ').ok_or("an address and a folder")?;
    let folder = PathBuf::from(folder);
    let log = folder.join(format!("log-{}", std::process::id()));
    let log = fs::File::options().create(true).append(true).open(log)?;
    let analyser = Analyser::new(Versions { features: 1, fingerprint: 1 }, move |path, _| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (&log).write_all(format!("{name}\n").as_bytes()).map_err(|error| Error::io("write", path, error))?;
        std::thread::sleep(Duration::from_millis(10));
        library_support::analysis_of(path)
    });
    let options = ScanOptions { workers: Some(2), max_attempts: 1000, lease: LEASE, ..ScanOptions::new(analyser) };
    // The server may be starting.
    let begun = Instant::now();
    loop {
        let place = server::place(address, &folder.join(std::process::id().to_string()));
        let done = Library::open_existing(place).and_then(|(library, _)| library.scan(options.clone())?.wait());
        match done {
            Ok(_) => return Ok(()),
            Err(error) if begun.elapsed() > Duration::from_mins(1) => return Err(error.into()),
            Err(error) => eprintln!("{error}"),
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn machine(address: &str, folder: &Path) -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args(["--exact", "server::child_scans_on_the_server", "--nocapture", "--test-threads=1"])
        .env(CHILD, format!("{address} {}", folder.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

#[test]
fn machines_that_scan_together_lose_nothing_through_kills_and_restarts() -> Test {
    let Some(cluster) = Cluster::start() else { return Ok(()) };
    let files = number("UNDERTONE_SCANNED", 240);
    let (kills, restarts) = (number("UNDERTONE_KILLED", 6), number("UNDERTONE_RESTARTED", 1));
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    for seed in 0..files {
        wav(&folder.join(format!("music/{:02}/{seed:04}.wav", seed % 17)), seed)?;
    }
    let address = cluster.database();
    let (library, _) = Library::open_at(server::place(&address, folder))?;
    library.add_root(&folder.join("music"))?;
    let mut machines: Vec<Child> = Vec::new();
    for _ in 0..3 {
        machines.push(machine(&address, folder)?);
    }
    let begun = Instant::now();
    let mut random = 0x2545_f491u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        random >> 33
    };
    for round in 0..kills {
        std::thread::sleep(Duration::from_millis(100 + next() % 300));
        let unlucky = next() as usize % machines.len();
        machines[unlucky].kill()?;
        machines[unlucky].wait()?;
        machines[unlucky] = machine(&address, folder)?;
        if restarts > 0 && round % (kills / restarts).max(1) == 1 {
            cluster.stop(round % 2 == 1);
            std::thread::sleep(Duration::from_millis(next() % 500));
            cluster.resume();
        }
    }
    for machine in &mut machines {
        while machine.try_wait()?.is_none() {
            assert!(begun.elapsed() < Duration::from_secs(120 + files / 2), "a machine does not end");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    // What the last dead machines had is taken by another when their time is over.
    let (library, _) = Library::open_existing(server::place(&address, folder))?;
    std::thread::sleep(LEASE + Duration::from_millis(500));
    let last = options(analyser(&Seen::default(), 1, Duration::ZERO));
    library.scan(ScanOptions { max_attempts: 1000, ..last })?.wait()?;
    let status = library.status()?;
    assert_eq!((status.done, status.waiting, status.analysing, status.failed), (files, 0, 0, 0));
    assert_eq!(library.check()?, Vec::<String>::new());
    let mut begun_times: BTreeMap<String, u64> = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("log-")) {
            fs::read_to_string(path)?.lines().for_each(|name| *begun_times.entry(name.to_owned()).or_default() += 1);
        }
    }
    let again: u64 = begun_times.values().map(|times| times - 1).sum();
    // Two in hand at each kill; at a restart, six whose outcome could not be written may be begun again.
    assert!(again <= 2 * kills + 6 * restarts, "{again} tracks were begun again");
    // One machine alone gets the same features.
    let (alone, _) = Library::open(&folder.join("alone.sqlite"))?;
    alone.add_root(&folder.join("music"))?;
    scan(&alone, &Seen::default())?;
    let features = |library: &Library| -> Result<BTreeMap<PathBuf, Vec<u64>>, Error> {
        let bits = |values: &[Option<f64>]| values.iter().map(|value| value.map_or(1, f64::to_bits)).collect();
        let rows = rows(library)?;
        Ok(rows.into_iter().map(|row| (PathBuf::from(row.path), bits(&row.features))).collect())
    };
    assert_eq!(features(&library)?, features(&alone)?);
    println!(
        "{files} files, {kills} kills, {restarts} restarts: {:.1} s, {again} begun again",
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}

#[test]
fn a_server_that_answers_nonsense_or_nothing_is_an_error() -> Test {
    let answers: [(&str, Vec<u8>); 4] = [
        ("nonsense", vec![0x55; 4096]),
        ("a message of 2 GiB", [&b"R\x7f\xff\xff\xff"[..], &[0; 100]].concat()),
        ("a negative length", b"R\x80\0\0\0\0\0\0\0".to_vec()),
        ("an end", Vec::new()),
    ];
    for (what, answer) in answers {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let hostile = std::thread::spawn(move || {
            let Ok((mut stream, _)) = listener.accept() else { return };
            let _ = stream.read(&mut [0; 1000]);
            let _ = stream.write_all(&answer);
            std::thread::sleep(Duration::from_millis(200));
        });
        let folder = tempfile::tempdir()?;
        let begun = Instant::now();
        let address = Address::parse(&format!("postgres://a@127.0.0.1:{port}/music"))?;
        let place = Place::Server {
            address,
            beside: folder.path().join("library"),
            roots: Vec::new(),
            access: Access::default(),
        };
        let refused = Library::open_at(place).err().ok_or("it was opened")?;
        assert!(matches!(refused, Error::Stored(_)) && begun.elapsed() < Duration::from_secs(15), "{what}: {refused}");
        hostile.join().map_err(|_| "the server panicked")?;
    }
    // Nobody listens.
    let address = Address::parse("postgres://a@127.0.0.1:1/music")?;
    let place =
        Place::Server { address, beside: PathBuf::from("library"), roots: Vec::new(), access: Access::default() };
    let refused = Library::open_at(place).err().ok_or("it was opened")?.to_string();
    assert!(refused.contains("cannot be reached") && refused.contains("postgres://a@127.0.0.1:1/music"), "{refused}");
    Ok(())
}

#[test]
fn a_fixture_on_the_server_is_on_the_server() -> Test {
    let fixture = Fixture::new()?;
    let wanted = std::env::var("UNDERTONE_TEST_SERVER").is_ok_and(|value| value == "1");
    assert_eq!(matches!(fixture.library.place(), Place::Server { .. }), wanted);
    Ok(())
}
