//! Servers that are not `PostgreSQL`, or hostile.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use library_support::Test;
use undertone::error::Error;
use undertone::library::{Access, Address, Library, Place};

use crate::support::library as library_support;

/// Returns the error of opening a library on a server that treats each connection like this, and the time that it took.
fn told(
    behave: impl Fn(TcpStream) -> std::io::Result<()> + Send + 'static,
) -> Result<(Error, Duration), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = Address::parse(&format!("postgres://a@127.0.0.1:{}/music", listener.local_addr()?.port()))?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // The other end disconnects before everything is sent.
            let _ = behave(stream);
        }
    });
    let folder = tempfile::tempdir()?;
    let beside = folder.path().join("library");
    let begun = Instant::now();
    let opened = Library::open_at(Place::Server { address, beside, roots: Vec::new(), access: Access::default() });
    Ok((opened.err().ok_or("it was opened")?, begun.elapsed()))
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
        let (refused, after) = told(move |mut stream| {
            let _ = stream.read(&mut [0; 1000])?;
            stream.write_all(&answer)?;
            std::thread::sleep(Duration::from_millis(200));
            Ok(())
        })?;
        assert!(matches!(refused, Error::Stored(_)) && after < Duration::from_secs(15), "{what}: {refused}");
    }
    // No server listens.
    let address = Address::parse("postgres://a@127.0.0.1:1/music")?;
    let place =
        Place::Server { address, beside: PathBuf::from("library"), roots: Vec::new(), access: Access::default() };
    let refused = Library::open_at(place).err().ok_or("it was opened")?.to_string();
    assert!(refused.contains("cannot be reached") && refused.contains("postgres://a@127.0.0.1:1/music"), "{refused}");
    Ok(())
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = body.len() as u32 + 4;
    [&[kind][..], &length.to_be_bytes(), body].concat()
}

/// Accepts a client, and answers each statement with a truth value and bytes, whose rows `rows` writes.
fn answers(mut stream: TcpStream, rows: impl Fn(&mut TcpStream) -> std::io::Result<()>) -> std::io::Result<()> {
    let ready = message(b'Z', b"I");
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    stream.read_exact(&mut vec![0; u32::from_be_bytes(length) as usize - 4])?;
    stream.write_all(&[message(b'R', &0u32.to_be_bytes()), ready.clone()].concat())?;
    let mut asked = Vec::new();
    loop {
        let mut header = [0; 5];
        stream.read_exact(&mut header)?;
        let [kind, length @ ..] = header;
        stream.read_exact(&mut vec![0; u32::from_be_bytes(length) as usize - 4])?;
        asked.push(kind);
        match kind {
            b'Q' => stream.write_all(&[message(b'C', b"SET\0"), ready.clone()].concat())?,
            b'S' if asked.contains(&b'B') => {
                stream.write_all(&message(b'2', b""))?;
                rows(&mut stream)?;
            }
            b'S' => {
                // A name, no table, BOOL or BYTEA, in binary form.
                let field = |kind: u32| [&b"a\0"[..], &[0; 6], &kind.to_be_bytes(), &[0xff; 6], &[0, 1]].concat();
                let fields = [&[0, 2][..], &field(16), &field(17)].concat();
                let parts = [message(b'1', b""), message(b't', &[0, 0]), message(b'T', &fields), ready.clone()];
                stream.write_all(&parts.concat())?;
            }
            _ => continue,
        }
        asked.clear();
    }
}

#[test]
fn a_server_cannot_fill_the_memory_with_an_answer() -> Test {
    // A row with a length larger than any of ours.
    let (refused, _) = told(|stream| {
        answers(stream, |stream| {
            stream.write_all(&[&b"D"[..], &0x7fff_ffffu32.to_be_bytes()].concat())?;
            loop {
                stream.write_all(&[0; 1 << 16])?;
            }
        })
    })?;
    assert!(refused.to_string().contains("more than 256 MiB"), "{refused}");
    // Endless rows of an accepted size.
    let (refused, _) = told(|stream| {
        let bytes = vec![1; 200 << 20];
        let row = message(b'D', &[&[0, 2, 0, 0, 0, 1, 1][..], &(bytes.len() as u32).to_be_bytes(), &bytes].concat());
        answers(stream, |stream| {
            loop {
                stream.write_all(&row)?;
            }
        })
    })?;
    assert!(refused.to_string().contains("more than 2048 MiB"), "{refused}");
    Ok(())
}

#[test]
fn values_of_another_kind_are_an_error() -> Test {
    let (refused, _) = told(|stream| {
        answers(stream, |stream| {
            let row = message(b'D', &[0, 2, 0, 0, 0, 3, 1, 2, 3, 0, 0, 0, 0]);
            stream.write_all(&[row, message(b'C', b"SELECT 1\0"), message(b'Z', b"I")].concat())
        })
    })?;
    assert!(matches!(refused, Error::Stored(_)), "{refused}");
    Ok(())
}
