//! Decodes text in the encodings that tags use.

/// Decodes text without a stated encoding: UTF-8 if it is valid, otherwise Latin-1.
pub(crate) fn utf8_or_latin1(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| latin1(bytes), str::to_owned)
}

/// Decodes Latin-1.
pub(crate) fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// Decodes UTF-16 with a byte order mark, or in the given byte order without one.
pub(crate) fn utf16(bytes: &[u8], big_endian: bool) -> String {
    let (bytes, big_endian) = match bytes {
        [0xff, 0xfe, rest @ ..] => (rest, false),
        [0xfe, 0xff, rest @ ..] => (rest, true),
        _ => (bytes, big_endian),
    };
    let units = bytes.chunks_exact(2).map(|pair| {
        if big_endian { u16::from_be_bytes([pair[0], pair[1]]) } else { u16::from_le_bytes([pair[0], pair[1]]) }
    });
    // Each value of a list may begin with a byte order mark.
    char::decode_utf16(units)
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .filter(|unit| *unit != '\u{feff}')
        .collect()
}

/// Decodes the text of an `ID3v2` frame, by its encoding byte.
pub(crate) fn id3v2(encoding: u8, bytes: &[u8]) -> String {
    match encoding {
        0 => latin1(bytes),
        1 => utf16(bytes, false),
        2 => utf16(bytes, true),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// Splits at the first string terminator in `encoding`. The second part is empty if there is none.
pub(crate) fn split_id3v2(encoding: u8, bytes: &[u8]) -> (&[u8], &[u8]) {
    if matches!(encoding, 1 | 2) {
        let end = bytes.chunks_exact(2).position(|pair| pair == [0, 0]).map_or(bytes.len(), |pairs| 2 * pairs);
        (&bytes[..end], bytes.get(end + 2..).unwrap_or_default())
    } else {
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        (&bytes[..end], bytes.get(end + 1..).unwrap_or_default())
    }
}
