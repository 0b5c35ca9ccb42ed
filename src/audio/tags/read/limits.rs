//! How much of a file's tags is kept. What goes beyond is cut or left out with a warning; the audio opens all the same.

/// Values of text.
pub const MAX_VALUES: usize = 4096;
/// The text of one field, with all its values, in bytes of UTF-8.
pub const MAX_FIELD_BYTES: usize = 256 << 10;
/// The text of all fields and their names.
pub const MAX_TEXT_BYTES: usize = 4 << 20;
/// A field's name.
pub const MAX_NAME_BYTES: usize = 256;
/// One picture.
pub const MAX_PICTURE_BYTES: usize = 16 << 20;
/// All pictures together.
pub const MAX_PICTURES_BYTES: usize = 32 << 20;
/// How many pictures.
pub const MAX_PICTURES: usize = 64;
/// What is inflated of a file's compressed frames, kept or not.
pub const MAX_INFLATED_BYTES: usize = 64 << 20;
/// Frames, chunks, atoms and comments that are looked at.
pub const MAX_PARTS: usize = 1 << 16;
