//! A private `PulseAudio` server in a separate folder.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// One server at a time, because this process finds it through the environment.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A running server. It ends when dropped.
pub struct Pulse {
    server: Child,
    folder: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

/// Starts a server with null sinks of these names and rates; the first is the default. Returns `None`, with a message
/// on stderr, if `PulseAudio` is missing and not required.
pub fn start(sinks: &[(&str, u32)]) -> Option<Pulse> {
    let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    for program in ["pulseaudio", "pactl", "parec"] {
        if Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            assert!(
                std::env::var("UNDERTONE_REQUIRE_SOUND").as_deref() != Ok("1"),
                "UNDERTONE_REQUIRE_SOUND=1, but {program} is not installed"
            );
            eprintln!("SKIPPED: {program} is not installed, so that nothing can be played for real");
            return None;
        }
    }
    let folder = tempfile::tempdir().unwrap();
    // The client runs in this process and finds the server by this variable. The tests of this file run one at a time,
    // and none of their other threads reads the environment meanwhile.
    #[allow(unsafe_code, reason = "the only way to say where the server is")]
    // SAFETY: see above; ONE_AT_A_TIME is held.
    unsafe {
        std::env::set_var("XDG_RUNTIME_DIR", folder.path());
        std::env::set_var("PULSE_SERVER", format!("unix:{}/pulse/native", folder.path().display()));
        std::env::set_var("HOME", folder.path());
    }
    let mut server = Command::new("pulseaudio");
    server.args(["--daemonize=no", "--exit-idle-time=-1", "-n", "-L", "module-native-protocol-unix auth-anonymous=1"]);
    // As root it only warns.
    for (name, rate) in sinks {
        server.arg("-L").arg(format!("module-null-sink {}", arguments(name, *rate)));
    }
    server.env_remove("PULSE_SERVER").stdout(Stdio::null()).stderr(Stdio::null());
    let pulse = Pulse { server: server.spawn().unwrap(), folder, _turn: turn };
    let begun = Instant::now();
    while !pulse.socket().exists() || pulse.try_control(&["info"]).is_none() {
        assert!(begun.elapsed() < Duration::from_secs(10), "pulseaudio does not start");
        std::thread::sleep(Duration::from_millis(20));
    }
    pulse.control(&["set-default-sink", sinks[0].0]);
    Some(pulse)
}

/// Ensures that there is no sound server while the guard lives.
#[allow(dead_code, reason = "the bench has no use for it")]
pub fn without_server() -> MutexGuard<'static, ()> {
    let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    #[allow(unsafe_code, reason = "the only way to say where the server is")]
    // SAFETY: as above.
    unsafe {
        std::env::set_var("XDG_RUNTIME_DIR", "/nonexistent");
        std::env::set_var("PULSE_SERVER", "unix:/nonexistent");
    }
    turn
}

fn arguments(name: &str, rate: u32) -> String {
    format!("sink_name={name} rate={rate} channels=2 format=float32le norewinds=1")
}

#[allow(clippy::unused_self, reason = "only a running server can be asked")]
impl Pulse {
    fn socket(&self) -> PathBuf {
        self.folder.path().join("pulse/native")
    }

    fn try_control(&self, words: &[&str]) -> Option<String> {
        let output = Command::new("pactl").args(words).output().unwrap();
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Runs `pactl`.
    pub fn control(&self, words: &[&str]) -> String {
        self.try_control(words).unwrap_or_else(|| panic!("pactl {words:?} failed"))
    }

    /// Unplugs a sink.
    #[allow(dead_code, reason = "the bench has no use for it")]
    pub fn unplug(&self, sink: &str) {
        let modules = self.control(&["list", "short", "modules"]);
        let line = modules.lines().find(|line| line.contains(&format!("sink_name={sink} "))).unwrap();
        self.control(&["unload-module", line.split('\t').next().unwrap()]);
    }

    /// Plugs a sink in.
    #[allow(dead_code, reason = "the bench has no use for it")]
    pub fn plug(&self, sink: &str, rate: u32) {
        self.control(&["load-module", "module-null-sink", &arguments(sink, rate)]);
    }

    /// Records a sink's output as interleaved stereo until the recording is ended.
    pub fn record(&self, sink: &str, rate: u32) -> Recording {
        let mut child = Command::new("parec")
            .args([
                "-d",
                &format!("{sink}.monitor"),
                "--latency-msec=20",
                "--format=float32le",
                "--channels=2",
                "--raw",
            ])
            .arg(format!("--rate={rate}"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdout.take().unwrap();
        let samples = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&samples);
        let reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut piece = [0; 16_384];
            while let Ok(count) = pipe.read(&mut piece)
                && count > 0
            {
                bytes.extend_from_slice(&piece[..count]);
                let whole = bytes.len() / 4 * 4;
                let values = bytes[..whole].chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
                into.lock().unwrap().extend(values);
                bytes.drain(..whole);
            }
        });
        let recording = Recording { child, samples, reader: Some(reader) };
        recording.wait_for(rate as usize / 10);
        recording
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        let _ = self.try_control(&["exit"]);
        let begun = Instant::now();
        while matches!(self.server.try_wait(), Ok(None)) {
            if begun.elapsed() > Duration::from_secs(3) {
                let _ = self.server.kill();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A running recording of a sink.
pub struct Recording {
    child: Child,
    samples: Arc<Mutex<Vec<f32>>>,
    reader: Option<JoinHandle<()>>,
}

impl Recording {
    /// Waits until `frames` more frames are recorded.
    pub fn wait_for(&self, frames: usize) {
        let target = self.samples.lock().unwrap().len() + 2 * frames;
        let begun = Instant::now();
        while self.samples.lock().unwrap().len() < target {
            assert!(begun.elapsed() < Duration::from_secs(20), "the monitor gives no samples");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Returns the latest sample. The bench searches it for changes.
    #[allow(dead_code, reason = "the tests have no use for it")]
    pub fn latest(&self) -> f32 {
        self.samples.lock().unwrap().last().copied().unwrap_or(0.0)
    }

    /// Ends the recording. Returns interleaved stereo.
    #[allow(dead_code, reason = "the bench has no use for it")]
    pub fn end(mut self) -> Vec<f32> {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        std::mem::take(&mut self.samples.lock().unwrap())
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
