//! Copies WAV, RF64 and BW64 files: all chunks but those of markers, then the new ones.

use super::Copy;
use crate::container::wav::data_size;
use crate::markers::MarkerList;
use crate::markers::riff::{self, MAX_SMPL_BYTES};
use crate::source::FileWindow;
use base::error::{Error, Result};

/// The maximum number of chunks. No real file has more.
const MAX_CHUNKS: usize = 10_000;

/// Copies the file.
pub(super) fn copy(copy: &mut Copy, markers: &MarkerList) -> Result<()> {
    let source = copy.source;
    let mut window = FileWindow::new(source);
    let end = source.bytes();
    let magic = window.array::<4>(0)?.unwrap_or_default();
    let is_long = &magic != b"RIFF";
    copy.range(0, 12)?;
    let (mut at, mut long_data, mut ds64) = (12u64, None, None);
    for _ in 0..MAX_CHUNKS {
        let (Some(id), Some(size)) = (window.array::<4>(at)?, window.array::<4>(at + 4)?) else { break };
        let (size, body) = (u32::from_le_bytes(size), at + 8);
        let bytes = match &id {
            b"data" => {
                let data = data_size(&mut window, body, size, is_long, long_data, u32::from_le_bytes)?;
                data.declared.unwrap_or(data.bytes)
            }
            _ => u64::from(size),
        };
        if &id == b"ds64" {
            long_data = window.array::<8>(body + 8)?.map(u64::from_le_bytes);
            ds64 = Some(copy.written + 8);
        }
        let there = bytes.min(end - body);
        if &id == b"smpl" && there == bytes && there <= MAX_SMPL_BYTES as u64 {
            let smpl = riff::smpl_with(window.bytes(body, there as usize)?, markers);
            copy.put(&id)?;
            copy.put(&(smpl.len() as u32).to_le_bytes())?;
            copy.put(&smpl)?;
            if smpl.len() % 2 == 1 {
                copy.put(&[0])?;
            }
            at = body.saturating_add(bytes).saturating_add(bytes & 1);
            continue;
        }
        let is_list = id.eq_ignore_ascii_case(b"LIST") && window.array(body)? == Some(*b"adtl");
        if &id != b"cue " && !is_list {
            // In a file that was cut off, sizes cover only what is there.
            let told = match u32::try_from(there) {
                Ok(there) if size != u32::MAX || !is_long => there,
                _ if there == bytes => size,
                _ => return Err(source.malformed("the file is cut off; export it instead")),
            };
            copy.put(&id)?;
            copy.put(&told.to_le_bytes())?;
            copy.range(body, body + there)?;
            if there % 2 == 1 {
                copy.put(&[0])?;
            }
        }
        at = body.saturating_add(bytes).saturating_add(bytes & 1);
    }
    copy.put(&riff::chunks(markers))?;
    let riff_bytes = copy.written - 8;
    match (is_long, ds64) {
        (true, Some(ds64)) => copy.target.patch(ds64, &riff_bytes.to_le_bytes()),
        (true, None) => Err(source.malformed("the RF64 file has no `ds64` chunk")),
        (false, _) => match u32::try_from(riff_bytes) {
            Ok(bytes) => copy.target.patch(4, &bytes.to_le_bytes()),
            Err(_) => {
                Err(Error::impossible("With markers, the file would exceed the 4 GiB of WAV. Export it instead."))
            }
        },
    }
}
