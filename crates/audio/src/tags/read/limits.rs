//! The limits for a file's tags. Excess tags are truncated or left out with a warning; the audio still opens.

/// The maximum number of text values.
pub const MAX_VALUES: usize = 4096;
/// The maximum size of the text of one field, with all its values, in bytes of UTF-8.
pub const MAX_FIELD_BYTES: usize = 256 << 10;
/// The maximum size of the text of all fields and their names, in bytes.
pub const MAX_TEXT_BYTES: usize = 4 << 20;
/// The maximum length of a field's name in bytes.
pub const MAX_NAME_BYTES: usize = 256;
/// The maximum size of one picture in bytes.
pub const MAX_PICTURE_BYTES: usize = 16 << 20;
/// The maximum size of all pictures in bytes.
pub const MAX_PICTURES_BYTES: usize = 32 << 20;
/// The maximum number of pictures.
pub const MAX_PICTURES: usize = 64;
/// The maximum number of bytes inflated from a file's compressed frames, whether kept or not.
pub const MAX_INFLATED_BYTES: usize = 64 << 20;
/// The maximum number of frames, chunks, atoms and comments that are processed.
pub const MAX_PARTS: usize = 1 << 16;
/// The maximum size of a chunk about the recording in bytes.
pub const MAX_CHUNK_BYTES: usize = 1 << 20;
/// The maximum size of all chunks about the recording in bytes.
pub const MAX_CHUNKS_BYTES: usize = 4 << 20;
