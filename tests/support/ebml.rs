//! Reads the elements of Matroska files.

/// Returns the elements in `bytes`: their identifiers and contents. One of unknown size reaches to the end.
pub fn elements(bytes: &[u8]) -> Vec<(u32, &[u8])> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let width = bytes[at].leading_zeros() as usize + 1;
        let id = bytes[at..at + width].iter().fold(0u32, |id, byte| id << 8 | u32::from(*byte));
        at += width;
        let width = bytes[at].leading_zeros() as usize + 1;
        let value = bytes[at..at + width].iter().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
        let unknown = (1u64 << (7 * width)) - 1;
        let value = value & unknown;
        at += width;
        let end = if value == unknown { bytes.len() } else { (at + value as usize).min(bytes.len()) };
        found.push((id, &bytes[at..end]));
        at = end;
    }
    found
}
