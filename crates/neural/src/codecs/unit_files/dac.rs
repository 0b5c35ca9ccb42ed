//! DAC's container: a dictionary of codes and metadata, pickled by `numpy.save` (`dac.model.base.DACFile`).

use std::path::Path;

use super::pickled::{PickleWriter, PickledArray, known, number};
use super::{MAX_BOOKS, units_of};
use crate::codecs::Units;
use crate::weights::pickle::{Object, ObjectId, Pickle, refused};
use base::error::{Error, Result};
use base::files::npy;

/// The version of the container.
const VERSION: &str = "1.0.0";

/// A file of DAC's codes.
#[derive(Clone, Debug, PartialEq)]
pub struct DacFile {
    /// The codes of each channel; DAC codes channels separately.
    pub channels: Vec<Units>,
    /// The number of codes in a chunk. Each chunk is decoded separately.
    pub chunk_length: u64,
    /// The number of frames of the sound at its rate.
    pub original_length: u64,
    /// The loudness of the sound in LUFS, which the decoded sound is scaled to.
    pub input_db: f32,
    /// The sample rate of the sound in hertz.
    pub sample_rate: u32,
    /// Whether the layers pad their input: for a sound of one chunk.
    pub padding: bool,
}

impl DacFile {
    /// Reads the pickle of a file.
    pub(super) fn parse(pickle: &[u8], path: &Path) -> Result<Self> {
        let read = || -> std::result::Result<Self, String> {
            let pickle = Pickle::read(pickle, known)?;
            if let Some((_, name)) = pickle.unknown().next() {
                return Err(refused(name));
            }
            Self::of(&pickle)
        };
        read().map_err(|reason| Error::malformed(reason, path))
    }

    fn of(pickle: &Pickle) -> std::result::Result<Self, String> {
        let foreign = || "This .npy file holds objects of Python other than those of a .dac file".to_owned();
        // An array without dimensions, whose only object is the dictionary.
        let outer = PickledArray::of(pickle, pickle.root()).ok_or_else(foreign)?;
        let Object::List(objects) = pickle.object(outer.content) else { return Err(foreign()) };
        let &[dictionary] = &objects[..] else { return Err(foreign()) };
        let item =
            |of: ObjectId, name: &str| pickle.item(of, name).ok_or_else(|| format!("The .dac file has no `{name}`"));
        let (codes, metadata) = (item(dictionary, "codes")?, item(dictionary, "metadata")?);
        let version = pickle.text(item(metadata, "dac_version")?).unwrap_or_default();
        if version != VERSION {
            return Err(format!("The .dac file has the version {version:?}; {VERSION} is read"));
        }
        let size = |name: &str| {
            let value = pickle.size(item(metadata, name)?);
            value.ok_or_else(|| format!("`{name}` of the .dac file is not a whole number"))
        };
        let input_db = number(pickle, item(metadata, "input_db")?).filter(|number| !number.is_nan());
        let padding = match pickle.object(item(metadata, "padding")?) {
            Object::Bool(padding) => *padding,
            _ => return Err("`padding` of the .dac file is neither true nor false".into()),
        };
        let codes = PickledArray::of(pickle, codes).ok_or("The codes of the .dac file are not an array")?;
        if !codes.shape.get(1).is_some_and(|books| (1..=MAX_BOOKS).contains(books)) {
            return Err(format!("The codes have the shape {:?}; (channels, books, codes) is expected", codes.shape));
        }
        let channels = codes.layers(pickle)?.into_iter().map(units_of).collect::<std::result::Result<Vec<_>, _>>()?;
        if size("channels")? != channels.len() as u64 {
            return Err(format!("The .dac file says {} channels and has {}", size("channels")?, channels.len()));
        }
        let chunk_length = size("chunk_length")?;
        if chunk_length == 0 {
            return Err("`chunk_length` of the .dac file is 0".into());
        }
        Ok(Self {
            channels,
            chunk_length,
            original_length: size("original_length")?,
            input_db: input_db.ok_or("`input_db` of the .dac file is not a number")? as f32,
            sample_rate: u32::try_from(size("sample_rate")?)
                .ok()
                .filter(|hz| *hz > 0)
                .ok_or("`sample_rate` of the .dac file is not one")?,
            padding,
        })
    }

    /// Returns the content of a file that `DACFile.load` reads.
    ///
    /// # Errors
    /// [`Error::Invalid`] for channels of unequal books or codes, or codes beyond 16 bits; [`Error::Limit`] if the
    /// codes need more than 4 GiB.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let size = |units: &Units| [units.books().len(), units.books().first().map_or(0, Vec::len)];
        let Some([books, codes]) = self.channels.first().map(size) else {
            return Err(Error::invalid("channels of a .dac file", "0", "at least 1"));
        };
        if let Some(other) = self.channels.iter().map(size).find(|other| *other != [books, codes]) {
            return Err(Error::invalid("codes of a channel", format!("{other:?}"), format!("{:?}", [books, codes])));
        }
        let mut numbers = Vec::new();
        for &unit in self.channels.iter().flat_map(|units| units.books().iter().flatten()) {
            let unit = u16::try_from(unit)
                .map_err(|_| Error::invalid("code of a .dac file", unit.to_string(), format!("0 to {}", u16::MAX)))?;
            numbers.extend(unit.to_le_bytes());
        }
        if numbers.len() > u32::MAX as usize {
            return Err(Error::Limit {
                what: "the codes of a .dac file".into(),
                got: format!("{} bytes", numbers.len()),
                limit: format!("{} bytes", u32::MAX),
            });
        }
        let mut writer = PickleWriter::new();
        writer.array(&[], "O8", |writer| {
            writer.raw(b"](}(");
            writer.text("codes");
            writer.array(&[self.channels.len(), books, codes], "u2", |writer| writer.bytes(&numbers));
            writer.text("metadata");
            writer.raw(b"}(");
            writer.text("input_db");
            writer.array(&[1], "f4", |writer| writer.bytes(&self.input_db.to_le_bytes()));
            for (name, number) in [
                ("original_length", self.original_length),
                ("sample_rate", self.sample_rate.into()),
                ("chunk_length", self.chunk_length),
                ("channels", self.channels.len() as u64),
            ] {
                writer.text(name);
                writer.int(number as i64);
            }
            writer.text("padding");
            writer.raw(if self.padding { b"\x88" } else { b"\x89" });
            writer.text("dac_version");
            writer.text(VERSION);
            writer.raw(b"uue");
        });
        Ok([npy::header("|O", false, &[]), writer.finish()].concat())
    }
}
