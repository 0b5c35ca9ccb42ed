//! Parts of documentation pages that tests write.

/// Compares the part of a page between `<!-- NAME -->` and `<!-- end -->` with what a test found. With
/// `UPDATE_COMPARE_TABLES` set, the part is written instead.
pub fn documented(page: &str, name: &str, expected: &str) {
    let path = crate::support::repository().join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let start = format!("<!-- {name} -->\n");
    let from = text.find(&start).unwrap_or_else(|| panic!("{page} has no part {name}")) + start.len();
    let to = from + text[from..].find("<!-- end -->").unwrap_or_else(|| panic!("{name} of {page} has no end"));
    let expected = format!("{expected}\n");
    if std::env::var_os("UPDATE_COMPARE_TABLES").is_some() {
        std::fs::write(&path, format!("{}{expected}{}", &text[..from], &text[to..])).unwrap();
        return;
    }
    assert_eq!(&text[from..to], expected, "write {page} with UPDATE_COMPARE_TABLES=1");
}
