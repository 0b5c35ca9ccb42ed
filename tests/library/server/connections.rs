//! Encrypted connections, and the sources of passwords.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::{Duration, Instant};

use library_support::Test;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use undertone::error::Error;
use undertone::library::{Address, Library, Password, Place, keyring};

use super::{fill, name_of};
use crate::support::library as library_support;
use crate::support::server::{self, Cluster};

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
    // A password that the user enters takes precedence over the stored one.
    let given = place.clone().with_password(Some(Password::new(server::PASSWORD)));
    let library = open(&given)?;
    assert!(!format!("{library:?} {given:?}").contains(server::PASSWORD));
    assert!(
        refused(&place.clone().with_password(Some(Password::new("no")))).contains("refused the password for locked")
    );
    keyring::remember(&server, &Password::new(server::PASSWORD))?;
    assert_eq!(entry.get_password()?, server::PASSWORD);
    // All connections use it: those of the pool, and the one that listens.
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
