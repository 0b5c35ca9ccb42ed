//! Replaces fields in a list of Vorbis comments.

use super::EditedTag;

/// Returns a block whose list (vendor, count, comments) begins `head` bytes within it, with other values for some fields;
/// `None` if the list is damaged. The first comment of a field gets its value, further ones of it go, and fields that had
/// none come last. All other comments keep their bytes and their order, and so does what stands around the list.
pub(super) fn replaced(block: &[u8], head: usize, fields: &[(EditedTag, String)]) -> Option<Vec<u8>> {
    let mut rest = block.get(head..)?;
    counted(&mut rest)?;
    let place = block.len() - rest.len();
    let (count, after) = rest.split_first_chunk::<4>()?;
    rest = after;
    let mut left: Vec<&(EditedTag, String)> = fields.iter().collect();
    // A block may be large, so that there is one copy of it.
    let room: usize = fields.iter().map(|(tag, value)| 5 + tag.name().len() + value.len()).sum();
    let mut out = Vec::with_capacity(block.len() + room);
    out.extend_from_slice(&block[..place + 4]);
    let mut kept = 0u32;
    for _ in 0..u32::from_le_bytes(*count) {
        let comment = counted(&mut rest)?;
        let end = comment.iter().position(|byte| *byte == b'=').unwrap_or(comment.len());
        let is_it = |tag: &EditedTag| tag.name().as_bytes().eq_ignore_ascii_case(&comment[..end]);
        if let Some(at) = left.iter().position(|(tag, _)| is_it(tag)) {
            let (_, value) = left.remove(at);
            put(&mut out, &[&comment[..end], b"=", value.as_bytes()].concat());
        } else if fields.iter().any(|(tag, _)| is_it(tag)) {
            continue;
        } else {
            put(&mut out, comment);
        }
        kept += 1;
    }
    for (tag, value) in left {
        put(&mut out, format!("{}={value}", tag.name()).as_bytes());
        kept += 1;
    }
    out[place..place + 4].copy_from_slice(&kept.to_le_bytes());
    // The framing bit of Vorbis, what may follow the comments of Opus, and what some programs leave behind the last one.
    out.extend_from_slice(rest);
    Some(out)
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
            let within = |list: Vec<u8>| [b"head".to_vec(), list, b"\x01rest".to_vec()].concat();
            assert_eq!(replaced(&within(block(&old)), 4, &fields), Some(within(block(&new))));
        }
        let whole = block(&[b"A=b"]);
        for end in 0..whole.len() {
            assert_eq!(replaced(&whole[..end], 0, &fields), None, "{end}");
        }
        assert_eq!(replaced(&whole, whole.len() + 1, &fields), None);
    }
}
