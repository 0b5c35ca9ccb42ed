//! LAME, the MP3 encoder, loaded from the system when it is first needed.
//!
//! LAME is LGPL and is therefore neither linked nor shipped. The functions below are those of its `lame.h` that
//! [`super::mp3`] needs, with the types of that header; they are the same since version 3.98 (2008).

#![allow(unsafe_code, reason = "calls a library of the system; each call says why it is sound")]

use std::ffi::{CStr, OsStr, c_char, c_float, c_int, c_uchar, c_void};
use std::ptr::NonNull;
use std::sync::OnceLock;

use libloading::Library;

use super::lossy::LossySettings;
use crate::AudioFormat;
use base::error::{Error, Result};

/// The variable that names another file of the library.
pub const VARIABLE: &str = "UNDERTONE_LAME";

/// The names and places of the library on this system, in the order in which they are tried.
const FILES: &[&str] = if cfg!(target_os = "macos") {
    &[
        "libmp3lame.dylib",
        "/opt/homebrew/lib/libmp3lame.dylib",
        "/usr/local/lib/libmp3lame.dylib",
        "/opt/local/lib/libmp3lame.dylib",
    ]
} else if cfg!(windows) {
    &["libmp3lame.dll", "libmp3lame-0.dll", "lame_enc.dll"]
} else {
    &["libmp3lame.so.0"]
};

/// How to get the library on this system.
const REMEDY: &str = if cfg!(target_os = "macos") {
    "Install it with: brew install lame"
} else if cfg!(windows) {
    "Put libmp3lame.dll (64 bit) into the folder of this program"
} else {
    "Install libmp3lame0 (Debian, Ubuntu), lame-libs (Fedora) or lame (Arch)"
};

/// The oldest version whose functions are as declared here.
const OLDEST: (u32, u32) = (3, 98);

/// `lame_global_flags`, known to LAME alone.
type Flags = *mut c_void;

macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) -> $result:ty;)*) => {
        /// The functions of the library. They are valid as long as the library is loaded.
        #[allow(non_snake_case, reason = "LAME's own names")]
        struct Functions {
            $($name: unsafe extern "C" fn($($argument),*) -> $result,)*
            /// Keeps the library loaded.
            _library: Library,
        }

        #[allow(non_snake_case, reason = "LAME's own names")]
        impl Functions {
            fn of(library: Library) -> Result<Self> {
                $(
                    // SAFETY: the type is that of `lame.h`, whose functions have kept theirs since `OLDEST`. The pointer
                    // stays valid, because the library is kept beside it.
                    let $name: unsafe extern "C" fn($($argument),*) -> $result =
                        *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }
                            .map_err(|_| unusable(concat!("It lacks the function `", stringify!($name), "`")))?;
                )*
                Ok(Self { $($name,)* _library: library })
            }
        }
    };
}

functions! {
    get_lame_version: fn() -> *const c_char;
    lame_init: fn() -> Flags;
    lame_close: fn(Flags) -> c_int;
    lame_set_in_samplerate: fn(Flags, c_int) -> c_int;
    lame_set_out_samplerate: fn(Flags, c_int) -> c_int;
    lame_set_num_channels: fn(Flags, c_int) -> c_int;
    lame_set_mode: fn(Flags, c_int) -> c_int;
    lame_set_quality: fn(Flags, c_int) -> c_int;
    lame_set_VBR: fn(Flags, c_int) -> c_int;
    lame_set_VBR_q: fn(Flags, c_int) -> c_int;
    lame_set_brate: fn(Flags, c_int) -> c_int;
    lame_set_bWriteVbrTag: fn(Flags, c_int) -> c_int;
    lame_init_params: fn(Flags) -> c_int;
    lame_encode_buffer_ieee_float: fn(Flags, *const c_float, *const c_float, c_int, *mut c_uchar, c_int) -> c_int;
    lame_encode_flush: fn(Flags, *mut c_uchar, c_int) -> c_int;
    lame_get_lametag_frame: fn(Flags, *mut c_uchar, usize) -> usize;
}

/// Values of LAME's enumerations `MPEG_mode` and `vbr_mode`.
const JOINT_STEREO: c_int = 1;
const MONO: c_int = 3;
const VBR_OFF: c_int = 0;
const VBR_MTRH: c_int = 4;
/// The quality of the search for the bits of a frame: near the best, which takes far longer for hardly any gain.
const SEARCH: c_int = 2;
/// The maximum number of bytes that `lame_encode_flush` and the LAME tag need (`lame.h`: 7200 and `LAME_MAXMP3BUFFER`).
const FLUSH_BYTES: usize = 16_384;

fn unusable(why: &str) -> Error {
    Error::unsupported("MP3 with the LAME library of this system", format!("{why}. {REMEDY}, version 3.98 or later"))
}

fn missing() -> Error {
    Error::unsupported("MP3 without the LAME library", format!("{REMEDY}, then export again"))
}

/// The loaded library.
pub struct Lame(Functions);

impl Lame {
    /// Loads the library on the first call. A failure is not remembered, so that the library may be installed while the
    /// program runs.
    ///
    /// # Errors
    /// [`Error::Unsupported`], with what to do, if the library is missing, too old, or lacks a function.
    pub fn get() -> Result<&'static Self> {
        static LAME: OnceLock<Lame> = OnceLock::new();
        if let Some(lame) = LAME.get() {
            return Ok(lame);
        }
        let lame = match std::env::var_os(VARIABLE) {
            Some(file) => Self::load(&[file])?,
            None => Self::load(FILES)?,
        };
        Ok(LAME.get_or_init(|| lame))
    }

    /// Loads the first of these files that exists.
    fn load(files: &[impl AsRef<OsStr>]) -> Result<Self> {
        let library = files.iter().find_map(|file| open(file.as_ref())).ok_or_else(missing)?;
        let lame = Self(Functions::of(library)?);
        let version = lame.version();
        match numbers(&version) {
            Some(found) if found >= OLDEST => Ok(lame),
            _ => Err(unusable(&format!("Its version is `{version}`"))),
        }
    }

    fn version(&self) -> String {
        // SAFETY: the function takes nothing and returns a constant, null-terminated text.
        let text = unsafe { (self.0.get_lame_version)() };
        if text.is_null() {
            return String::new();
        }
        // SAFETY: as above; the text lives as long as the library.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    /// Starts an encoder. The caller has checked settings and format.
    pub fn encoder(&'static self, settings: &LossySettings, format: AudioFormat) -> Result<LameEncoder> {
        let Self(lame) = self;
        // SAFETY: the function takes nothing; null means failure.
        let flags = NonNull::new(unsafe { (lame.lame_init)() });
        let flags = flags.ok_or_else(|| Error::Internal("LAME could not be started".into()))?;
        // From here on, the encoder closes the handle when it is dropped.
        let encoder = LameEncoder { lame, flags, channels: format.channels };
        let rate = format.rate.hz() as c_int;
        let mode = if format.channels == 1 { MONO } else { JOINT_STEREO };
        let (vbr, set_amount, amount) = match settings.mp3_kbps {
            Some(kbps) => (VBR_OFF, lame.lame_set_brate, kbps as c_int),
            None => (VBR_MTRH, lame.lame_set_VBR_q, c_int::from(settings.mp3_quality)),
        };
        let steps = [
            (lame.lame_set_in_samplerate, rate),
            (lame.lame_set_out_samplerate, rate),
            (lame.lame_set_num_channels, format.channels as c_int),
            (lame.lame_set_mode, mode),
            (lame.lame_set_quality, SEARCH),
            (lame.lame_set_VBR, vbr),
            (set_amount, amount),
            (lame.lame_set_bWriteVbrTag, 1),
        ];
        let refused = |code| {
            Error::unsupported(
                "MP3 of this rate, number of channels and quality",
                format!("Choose others. LAME says: {code}"),
            )
        };
        for (set, value) in steps {
            // SAFETY: the handle is from `lame_init` and open. Setters check their values.
            let code = unsafe { set(flags.as_ptr(), value) };
            if code < 0 {
                return Err(refused(code));
            }
        }
        // SAFETY: as above.
        let code = unsafe { (lame.lame_init_params)(flags.as_ptr()) };
        if code < 0 { Err(refused(code)) } else { Ok(encoder) }
    }
}

/// Opens a library by name or path; `None` if there is none.
fn open(file: &OsStr) -> Option<Library> {
    #[cfg(windows)]
    {
        use libloading::os::windows::{LOAD_LIBRARY_SEARCH_DEFAULT_DIRS, Library as WindowsLibrary};
        // Not from the current folder, which may be that of a stranger's recording.
        // SAFETY: LAME's initialisation does nothing beyond that of the C library.
        unsafe { WindowsLibrary::load_with_flags(file, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS) }.ok().map(Into::into)
    }
    #[cfg(not(windows))]
    {
        // SAFETY: LAME's initialisation does nothing beyond that of the C library.
        unsafe { Library::new(file) }.ok()
    }
}

/// Returns the first two numbers of a version such as `3.100` or `3.99.5`.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split(|letter: char| !letter.is_ascii_digit()).map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

/// An encoder of one stream.
pub struct LameEncoder {
    lame: &'static Functions,
    flags: NonNull<c_void>,
    channels: usize,
}

// SAFETY: a handle has no ties to the thread that made it, and is used by one thread at a time.
unsafe impl Send for LameEncoder {}

impl Drop for LameEncoder {
    fn drop(&mut self) {
        // SAFETY: the handle is from `lame_init` and is closed only here.
        unsafe { (self.lame.lame_close)(self.flags.as_ptr()) };
    }
}

impl LameEncoder {
    /// Encodes samples, one plane for mono and two of equal length for stereo, and appends the bytes to `out`.
    pub fn encode(&mut self, planes: &[&[f32]], out: &mut Vec<u8>) -> Result<()> {
        let (left, right) = match planes {
            [left] => (left, left),
            [left, right] if left.len() == right.len() => (left, right),
            _ => {
                return Err(Error::invalid(
                    "planes of an MP3 block",
                    planes.len().to_string(),
                    "1, or 2 of one length",
                ));
            }
        };
        let frames = c_int::try_from(left.len()).ok().filter(|_| planes.len() == self.channels);
        let frames =
            frames.ok_or_else(|| Error::invalid("MP3 block", format!("{} planes", planes.len()), "as begun"))?;
        // By `lame.h`, a block needs at most 1.25 bytes a frame and 7200 bytes more.
        let room = left.len() + left.len() / 4 + 7_201;
        let start = out.len();
        out.resize(start + room, 0);
        // SAFETY: both planes have `frames` samples, `out` has room for `room` bytes from `start` on, which LAME does
        // not exceed because it is told so, and the handle is open.
        let written = unsafe {
            (self.lame.lame_encode_buffer_ieee_float)(
                self.flags.as_ptr(),
                left.as_ptr(),
                right.as_ptr(),
                frames,
                out.as_mut_ptr().add(start),
                room as c_int,
            )
        };
        keep(out, start, written)
    }

    /// Ends the stream and appends the last bytes to `out`.
    pub fn flush(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        out.resize(start + FLUSH_BYTES, 0);
        // SAFETY: `out` has room for as many bytes as LAME is told, and the handle is open.
        let written = unsafe {
            (self.lame.lame_encode_flush)(self.flags.as_ptr(), out.as_mut_ptr().add(start), FLUSH_BYTES as c_int)
        };
        keep(out, start, written)
    }

    /// Returns the frame that holds the LAME tag, with the encoder's delay and padding; empty if LAME wrote none. To be
    /// called after [`LameEncoder::flush`]; it takes the place of the first frame.
    pub fn tag(&mut self) -> Vec<u8> {
        let mut tag = vec![0; FLUSH_BYTES];
        // SAFETY: `tag` has as many bytes as LAME is told; it writes nothing if it needs more.
        let length = unsafe { (self.lame.lame_get_lametag_frame)(self.flags.as_ptr(), tag.as_mut_ptr(), tag.len()) };
        tag.truncate(if length > tag.len() { 0 } else { length });
        tag
    }
}

/// Keeps the bytes that LAME wrote from `start` on.
fn keep(out: &mut Vec<u8>, start: usize, written: c_int) -> Result<()> {
    let written =
        usize::try_from(written).map_err(|_| Error::Internal(format!("the MP3 encoder failed: {written}")))?;
    out.truncate(start + written);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number() {
        assert_eq!(numbers("3.100"), Some((3, 100)));
        assert_eq!(numbers("3.99.5"), Some((3, 99)));
        assert_eq!(numbers("3.101 (beta 2)"), Some((3, 101)));
        assert!(numbers("3.97").is_some_and(|found| found < OLDEST));
        assert_eq!(numbers(""), None);
        assert_eq!(numbers("LAME"), None);
    }

    #[test]
    fn a_missing_library_is_told_with_how_to_get_it() {
        let error = Lame::load(&["libmp3lame-that-nobody-has.so"]).err().map(|error| error.to_string());
        let error = error.unwrap_or_default();
        assert!(error.contains("without the LAME library") && error.contains(REMEDY), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_library_without_the_functions_is_told_apart() {
        let error = Lame::load(&["libc.so.6"]).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("It lacks the function `get_lame_version`"), "{error}");
    }
}
