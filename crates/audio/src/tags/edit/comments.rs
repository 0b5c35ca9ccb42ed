//! Replaces fields in a list of Vorbis comments.

use super::EditedTag;

/// Returns the list (vendor, count, comments) that `block` begins with, with other values for some fields, and the number
/// of bytes of the old list; `None` if it is damaged. The first comment of a field gets its value, further ones of it go,
/// and fields that had none come last. All other comments keep their bytes and their order.
pub(super) fn replaced(block: &[u8], fields: &[(EditedTag, String)]) -> Option<(Vec<u8>, usize)> {
    let mut rest = block;
    let vendor = counted(&mut rest)?;
    let (count, after) = rest.split_first_chunk::<4>()?;
    rest = after;
    let mut left: Vec<&(EditedTag, String)> = fields.iter().collect();
    let mut kept = Vec::new();
    let mut kept_count = 0u32;
    for _ in 0..u32::from_le_bytes(*count) {
        let comment = counted(&mut rest)?;
        let end = comment.iter().position(|byte| *byte == b'=').unwrap_or(comment.len());
        let is_it = |tag: &EditedTag| tag.name().as_bytes().eq_ignore_ascii_case(&comment[..end]);
        if let Some(at) = left.iter().position(|(tag, _)| is_it(tag)) {
            let (_, value) = left.remove(at);
            put(&mut kept, &[&comment[..end], b"=", value.as_bytes()].concat());
        } else if fields.iter().any(|(tag, _)| is_it(tag)) {
            continue;
        } else {
            put(&mut kept, comment);
        }
        kept_count += 1;
    }
    for (tag, value) in left {
        put(&mut kept, format!("{}={value}", tag.name()).as_bytes());
        kept_count += 1;
    }
    let mut out = Vec::with_capacity(block.len() + kept.len());
    put(&mut out, vendor);
    out.extend_from_slice(&kept_count.to_le_bytes());
    out.extend_from_slice(&kept);
    Some((out, block.len() - rest.len()))
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

/// Takes a length and as many bytes.
fn counted<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let (bytes, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *rest = after;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(comments: &[&[u8]]) -> Vec<u8> {
        let mut out = Vec::new();
        put(&mut out, b"vendor");
        out.extend_from_slice(&(comments.len() as u32).to_le_bytes());
        comments.iter().for_each(|comment| put(&mut out, comment));
        out
    }

    #[test]
    fn only_the_own_comments_change() {
        let fields = [(EditedTag::Bpm, "120".to_owned()), (EditedTag::InitialKey, "Am".to_owned())];
        for (old, new) in [
            (vec![], vec![&b"BPM=120"[..], b"INITIALKEY=Am"]),
            (
                vec![&b"TITLE="[..], b"bpm=90", b"no equals", b"BPM=91", b"X=\xff\xfe", b"=", b""],
                vec![&b"TITLE="[..], b"bpm=120", b"no equals", b"X=\xff\xfe", b"=", b"", b"INITIALKEY=Am"],
            ),
            (vec![b"InitialKey=C"], vec![b"InitialKey=Am", b"BPM=120"]),
        ] {
            let before = [block(&old), b"\x01rest".to_vec()].concat();
            assert_eq!(replaced(&before, &fields), Some((block(&new), before.len() - 5)));
        }
        let whole = block(&[b"A=b"]);
        for end in 0..whole.len() {
            assert_eq!(replaced(&whole[..end], &fields), None, "{end}");
        }
    }
}
