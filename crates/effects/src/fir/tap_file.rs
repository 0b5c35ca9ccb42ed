//! Reads taps from a file: numbers in text, a `NumPy` array, or the samples of a recording.

use std::path::Path;

use audio::{AudioBuffer, AudioFile};
use base::error::{Error, Result};
use base::files::npy::{Header, MAGIC as ARRAY};

/// The maximum number of taps.
pub(super) const MAX_TAPS: usize = 1 << 20;
/// The maximum size of a file of numbers in bytes, at 32 bytes per tap.
const MAX_BYTES: u64 = 32 * MAX_TAPS as u64;

/// Reads the taps from the file at `path`.
///
/// # Errors
/// [`Error::Malformed`] for anything but a list of finite numbers, with the position of the fault;
/// [`Error::Unsupported`] for an array of more than one dimension or without floating-point numbers, and for more than
/// one channel; [`Error::Limit`] for more than 2^20 taps.
pub(super) fn read(path: &Path) -> Result<Vec<f64>> {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let taps = match extension.as_deref() {
        Some("txt" | "csv" | "npy") => {
            let bytes = base::files::read_foreign(path, "file of taps", MAX_BYTES)?;
            if bytes.starts_with(ARRAY) { array(&bytes, path)? } else { text(&bytes, path)? }
        }
        _ => recording(path)?,
    };
    if taps.is_empty() {
        return Err(Error::malformed("The file has no taps", path));
    }
    if taps.len() > MAX_TAPS {
        return Err(too_many(taps.len().to_string()));
    }
    match taps.iter().position(|tap| !tap.is_finite()) {
        Some(number) => Err(Error::malformed(format!("Tap {} is not a finite number", number + 1), path)),
        None => Ok(taps),
    }
}

fn too_many(got: String) -> Error {
    Error::Limit { what: "the number of taps in a file".into(), got, limit: MAX_TAPS.to_string() }
}

/// Parses numbers separated by whitespace, commas or semicolons. A `#` starts a comment to the end of the line.
fn text(bytes: &[u8], path: &Path) -> Result<Vec<f64>> {
    let text = std::str::from_utf8(bytes).map_err(|_| Error::malformed("This is not a text file", path))?;
    let mut taps = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or(line);
        for word in line.split(|c: char| c.is_whitespace() || c == ',' || c == ';').filter(|word| !word.is_empty()) {
            let tap = word.parse().map_err(|_| {
                let short: String = word.chars().take(20).collect();
                Error::malformed(format!("Line {}: {short:?} is not a number", number + 1), path)
            })?;
            taps.push(tap);
            if taps.len() > MAX_TAPS {
                return Err(too_many(format!("more than {MAX_TAPS}")));
            }
        }
    }
    Ok(taps)
}

/// Parses an array in the `NumPy` format (NEP 1), f32 or f64 in one dimension.
fn array(bytes: &[u8], path: &Path) -> Result<Vec<f64>> {
    let header = Header::parse(bytes).map_err(|reason| Error::malformed(reason, path))?;
    let sizes = &header.shape;
    if sizes.iter().filter(|size| **size != 1).count() > 1 {
        let reason = format!("Its shape is {sizes:?}. Give a list of taps, one dimension");
        return Err(Error::unsupported("this array", reason));
    }
    let count = sizes.iter().try_fold(1usize, |product, size| product.checked_mul(*size));
    let count = count.ok_or_else(|| Error::malformed("The array's header is damaged", path))?;
    if count > MAX_TAPS {
        return Err(too_many(count.to_string()));
    }
    let data = header.data(bytes);
    let short = || Error::malformed("The array is cut off", path);
    if header.format == "<f4" {
        let (values, _) = data.get(..4 * count).ok_or_else(short)?.as_chunks::<4>();
        Ok(values.iter().map(|value| f64::from(f32::from_le_bytes(*value))).collect())
    } else if header.format == "<f8" {
        let (values, _) = data.get(..8 * count).ok_or_else(short)?.as_chunks::<8>();
        Ok(values.iter().map(|value| f64::from_le_bytes(*value)).collect())
    } else {
        Err(Error::unsupported("this array", "Its numbers must be 32- or 64-bit floats in little-endian order"))
    }
}

fn recording(path: &Path) -> Result<Vec<f64>> {
    let file = AudioFile::open(path)?;
    let info = file.info();
    if info.audio.channels != 1 {
        let reason = format!("It has {} channels. Give one channel, or use Convolve", info.audio.channels);
        return Err(Error::unsupported("This recording of taps", reason));
    }
    if info.frames > MAX_TAPS as u64 {
        return Err(too_many(info.frames.to_string()));
    }
    let mut block = AudioBuffer::new(1, 0);
    file.reader()?.read(&mut block, info.frames as usize)?;
    Ok(block.channel(0).iter().map(|sample| f64::from(*sample)).collect())
}
