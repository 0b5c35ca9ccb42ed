//! Runs the built program as a child with limits on memory and time, so that faults in C libraries stay in the child.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use undertone::window::{Event, Host};

/// The environment variable that passes the folder to a child that is this test program itself.
pub const FOLDER: &str = "UNDERTONE_FUZZ_CHILD";

/// The result of a program that ended.
pub struct Ended {
    pub output: Output,
}

impl Ended {
    /// Returns its exit status; `None` if a signal ended it.
    pub fn code(&self) -> Option<i32> {
        self.output.status.code()
    }

    /// Returns all of its output.
    pub fn said(&self) -> String {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        text(&self.output.stdout) + &text(&self.output.stderr)
    }
}

/// Runs `undertone` with at most `mebibytes` MiB of address space; `None` if it was still running after `time`.
pub fn undertone(words: &[&str], folder: &Path, mebibytes: u64, time: Duration) -> Option<Ended> {
    program(Path::new(env!("CARGO_BIN_EXE_undertone")), words, folder, mebibytes, time)
}

/// Runs one test of this program as a child, and passes it a folder in [`FOLDER`].
pub fn itself(test: &str, folder: &Path, mebibytes: u64, time: Duration) -> Option<Ended> {
    let words = [test, "--exact", "--nocapture", "--test-threads=1"];
    program(&std::env::current_exe().expect("a path"), &words, folder, mebibytes, time)
}

fn program(path: &Path, words: &[&str], folder: &Path, mebibytes: u64, time: Duration) -> Option<Ended> {
    let begun = Instant::now();
    // A shell sets the limit, which is only possible on Unix.
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v {}; exec \"$0\" \"$@\"", mebibytes << 10)])
        .arg(path)
        .args(words)
        .current_dir(folder)
        .env(FOLDER, folder)
        .env("UNDERTONE_CONFIG_DIR", folder.join("config"))
        .env("UNDERTONE_DATA_DIR", folder.join("data"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let (mut out, mut err) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    // Both pipes are drained while it runs, so that it never blocks on them.
    let (out, err) = (thread::spawn(move || read(&mut out)), thread::spawn(move || read(&mut err)));
    let status = loop {
        if let Some(status) = child.try_wait().expect("a status") {
            break status;
        }
        if begun.elapsed() > time {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let output = Output { status, stdout: out.join().expect("read"), stderr: err.join().expect("read") };
    Some(Ended { output })
}

/// A host without a user.
pub struct Nobody;

impl Host for Nobody {
    fn emit(&self, _: Event) {}
}

fn read(from: &mut impl std::io::Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = from.read_to_end(&mut bytes);
    bytes
}
