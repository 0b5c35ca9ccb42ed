//! Keeps messages of driver libraries off the terminal.
//!
//! Mesa, Wayland and ALSA print on standard error when there is no session, no GPU or no sound card, which is nothing
//! the user did wrong. While adapters and outputs are searched for, standard error goes to a temporary file; afterwards
//! the lines that drivers print go to the log, at level `debug`, and all others to standard error.

/// Runs work that calls driver libraries and keeps their messages off the terminal. May be nested, and called by several
/// threads at once.
pub fn kept_off_the_terminal<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(unix)]
    let _capture = unix::Capture::begin();
    work()
}

/// How lines begin that driver libraries print.
#[cfg(any(unix, test))]
const BEGINNINGS: [&str; 19] = [
    "ALSA lib ",
    "error: XDG_RUNTIME_DIR",
    "error: can't open /proc/",
    "MESA",
    "INTEL-MESA",
    "libEGL",
    "libGL",
    "EGL ",
    "amdgpu",
    "radv",
    "TU: ",
    "WARNING: ",
    "vulkan: ",
    "pci id for fd",
    "failed to load driver",
    "Cannot connect to server",
    "jack server",
    "JackShmReadWritePtr",
    "Expression '",
];

/// Returns whether a driver library printed this line.
#[cfg(any(unix, test))]
fn is_of_a_driver(line: &str) -> bool {
    BEGINNINGS.iter().any(|beginning| line.starts_with(beginning))
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io::{Read, Seek, Write};
    use std::os::fd::{AsFd, OwnedFd};
    use std::sync::Mutex;

    use super::is_of_a_driver;
    use crate::lock::lock;

    /// The capture in progress, and how many share it.
    struct Captured {
        depth: usize,
        /// The real standard error, and the file in its place.
        held: Option<(OwnedFd, File)>,
    }

    static CAPTURED: Mutex<Captured> = Mutex::new(Captured { depth: 0, held: None });

    /// Standard error is captured as long as one of these exists.
    pub(super) struct Capture;

    impl Capture {
        pub fn begin() -> Self {
            let mut captured = lock(&CAPTURED);
            captured.depth += 1;
            if captured.depth == 1 {
                // Without a file or a handle, messages stay on the terminal.
                captured.held = redirect().ok();
            }
            Self
        }
    }

    impl Drop for Capture {
        fn drop(&mut self) {
            let mut captured = lock(&CAPTURED);
            captured.depth -= 1;
            if captured.depth == 0
                && let Some((real, file)) = captured.held.take()
            {
                let restored = rustix::stdio::dup2_stderr(&real);
                drop(captured);
                if restored.is_ok() {
                    pass_on(file);
                }
            }
        }
    }

    fn redirect() -> std::io::Result<(OwnedFd, File)> {
        let file = tempfile::tempfile()?;
        let real = std::io::stderr().as_fd().try_clone_to_owned()?;
        rustix::stdio::dup2_stderr(&file)?;
        Ok((real, file))
    }

    /// Sends the lines of drivers to the log and all others to standard error.
    fn pass_on(mut file: File) {
        let mut bytes = Vec::new();
        if file.rewind().is_err() || file.read_to_end(&mut bytes).is_err() {
            return;
        }
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let text = String::from_utf8_lossy(line);
            if is_of_a_driver(&text) {
                tracing::debug!(target: "undertone::driver", "{}", text.trim_end());
            } else {
                // A closed standard error is not worth a failure.
                let _ = std::io::stderr().write_all(line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_drivers_are_told_from_ours() {
        for line in [
            "ALSA lib confmisc.c:855:(parse_card) cannot find card '0'",
            "error: XDG_RUNTIME_DIR is invalid or not set in the environment.",
            "MESA-LOADER: failed to open dri",
            "libEGL warning: egl: failed to create dri2 screen",
        ] {
            assert!(is_of_a_driver(line), "{line}");
        }
        for line in ["undertone: sound output", "error: unrecognized subcommand 'x'", "at 7: `gain` is in dB"] {
            assert!(!is_of_a_driver(line), "{line}");
        }
    }

    #[test]
    fn work_returns_its_result_also_when_nested() {
        assert_eq!(kept_off_the_terminal(|| 1 + kept_off_the_terminal(|| 2)), 3);
    }
}
