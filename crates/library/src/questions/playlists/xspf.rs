//! XSPF, version 1 (<https://xspf.org/spec>).

use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::{Entry, Places};

pub(super) fn write(output: &mut dyn Write, entries: &[Entry], places: &Places) -> io::Result<()> {
    let mut xml = Writer::new_with_indent(&mut *output, b' ', 2);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let playlist = xml.create_element("playlist");
    let playlist = playlist.with_attributes([("version", "1"), ("xmlns", "http://xspf.org/ns/0/")]);
    playlist.write_inner_content(|xml| {
        xml.create_element("trackList")
            .write_inner_content(|xml| entries.iter().try_for_each(|of| track(xml, of, places)))?;
        Ok(())
    })?;
    writeln!(output)
}

fn track<W: Write>(xml: &mut Writer<W>, entry: &Entry, places: &Places) -> io::Result<()> {
    xml.create_element("track").write_inner_content(|xml| {
        let mut element = |name: &str, text: &str| -> io::Result<()> {
            xml.create_element(name).write_text_content(BytesText::new(text))?;
            Ok(())
        };
        element("location", &places.as_uri(&entry.path))?;
        for (name, text) in [("title", &entry.title), ("creator", &entry.artist), ("album", &entry.album)] {
            if let Some(text) = text.as_deref().filter(|text| !text.is_empty()) {
                element(name, &allowed(text))?;
            }
        }
        // Only whole numbers above 0 are valid here.
        if let Some(number) = entry.track_no.filter(|number| *number > 0) {
            element("trackNum", &number.to_string())?;
        }
        if let Some(seconds) = entry.duration_s.filter(|seconds| seconds.is_finite() && *seconds >= 0.0) {
            element("duration", &format!("{:.0}", 1000.0 * seconds))?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Returns a text without the characters that XML 1.0 does not allow.
fn allowed(text: &str) -> String {
    let is_allowed =
        |sign: &char| matches!(sign, '\t' | '\n' | '\r') || (*sign >= ' ' && !matches!(sign, '\u{fffe}' | '\u{ffff}'));
    text.chars().filter(is_allowed).collect()
}
