//! Names outputs by a template, such as `{album}/{track:02} {title}.{ext}`.

use std::path::{Component, Path, PathBuf};

use crate::audio::Tags;
use crate::error::{Error, Result};

/// The longest file or folder name, in bytes. Most systems allow 255; an extension and a number must still fit.
const MAX_NAME_BYTES: usize = 200;
/// Names that Windows reserves for devices, whatever their extension.
const RESERVED: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2",
    "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// A parsed template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Field {
        /// The field name in lower case.
        name: String,
        /// The minimum number of digits.
        width: usize,
        /// The replacement for a missing tag.
        instead: Option<String>,
    },
}

/// The values from which a name is built.
#[derive(Clone, Debug)]
pub struct TemplateValues<'a> {
    /// The input.
    pub input: &'a Path,
    /// The input's folder relative to the given folder.
    pub folder: &'a Path,
    /// The input's position among all inputs, from 1.
    pub number: usize,
    /// The extension of the output format.
    pub extension: &'a str,
    /// The input's tags.
    pub tags: &'a Tags,
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// [`Error::Impossible`] for unbalanced braces, an empty field name, a width above 9, or an empty template.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |problem: &str| Err(Error::impossible(format!("Names: {problem}")));
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let (brace, after) = rest[at..].split_at(1);
            if after.starts_with(brace) {
                plain.push_str(brace);
                rest = &after[1..];
                continue;
            }
            let Some(end) = after.find('}').filter(|_| brace == "{") else {
                return wrong("A brace is not closed. Write {{ and }} for braces themselves.");
            };
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            let (field, instead) = match after[..end].split_once('|') {
                Some((field, instead)) => (field, Some(instead.to_owned())),
                None => (&after[..end], None),
            };
            let (name, width) = field.split_once(':').unwrap_or((field, "0"));
            let Some(width) = width.parse().ok().filter(|width| *width <= 9) else {
                return wrong("After the colon stands the number of digits, up to 9, as in {track:02}.");
            };
            if name.trim().is_empty() {
                return wrong("A field has no name. Write for example {title}.");
            }
            pieces.push(Piece::Field { name: name.trim().to_lowercase(), width, instead });
            rest = &after[end + 1..];
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        if pieces.is_empty() {
            return wrong("The template is empty. Write for example {name}.{ext}.");
        }
        Ok(Self(pieces))
    }

    /// Whether a name depends on the input's tags.
    pub fn needs_tags(&self) -> bool {
        self.0.iter().any(|piece| match piece {
            Piece::Field { name, .. } => !["name", "ext", "number", "folder"].contains(&name.as_str()),
            Piece::Text(_) => false,
        })
    }

    /// Returns the path relative to the output folder. Tag values cannot leave the folder or add characters that file
    /// systems do not allow.
    ///
    /// # Errors
    /// [`Error::Impossible`] if the template leads out of the folder or gives no name.
    pub fn apply(&self, facts: &TemplateValues) -> Result<PathBuf> {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                // The separators of the input's folder are kept.
                Piece::Field { name, .. } if name == "folder" => {
                    let parts = facts.folder.components().filter_map(|part| match part {
                        Component::Normal(part) => Some(allowed(&part.to_string_lossy())),
                        _ => None,
                    });
                    text.push_str(&parts.collect::<Vec<_>>().join("/"));
                }
                Piece::Field { name, width, instead } => {
                    let value = facts.value(name).or_else(|| instead.clone());
                    let value = value.unwrap_or_else(|| format!("Unknown {name}"));
                    text.push_str(&allowed(&padded(&value, *width)));
                }
            }
        }
        if text.starts_with(['/', '\\']) && !matches!(self.0.first(), Some(Piece::Field { .. })) {
            return Err(outside());
        }
        let mut path = PathBuf::new();
        for part in text.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".") {
            if part == ".." {
                return Err(outside());
            }
            path.push(file_name(part));
        }
        if path.as_os_str().is_empty() {
            return Err(Error::impossible("Names: The template gives no name for this file. Add {name}."));
        }
        Ok(path)
    }
}

impl TemplateValues<'_> {
    fn value(&self, field: &str) -> Option<String> {
        let stem = || self.input.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let tag = |key: &str| self.tags.items.get(key).map(|value| value.trim().to_owned()).filter(|v| !v.is_empty());
        match field {
            "name" => stem(),
            "ext" => Some(self.extension.to_owned()),
            "number" => Some(self.number.to_string()),
            "title" => tag("TITLE").or_else(stem),
            // "3/12" is track 3 of 12.
            "track" => tag("TRACKNUMBER").map(|value| first_part(&value)),
            "disc" => tag("DISCNUMBER").map(|value| first_part(&value)),
            "year" => tag("DATE").or_else(|| tag("YEAR")).map(|value| value.chars().take(4).collect()),
            "albumartist" => tag("ALBUMARTIST").or_else(|| tag("ARTIST")),
            other => tag(&other.to_uppercase()),
        }
    }
}

fn first_part(value: &str) -> String {
    value.split('/').next().unwrap_or_default().trim().to_owned()
}

/// Pads whole numbers with leading zeros.
fn padded(value: &str, width: usize) -> String {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    if digits && width > 0 { format!("{:0>width$}", value.trim_start_matches('0')) } else { value.to_owned() }
}

/// Replaces characters that a common file system does not allow in a name.
fn allowed(value: &str) -> String {
    let forbidden = |c: char| c.is_control() || r#"/\:*?"<>|"#.contains(c);
    let clean: String = value.chars().map(|c| if forbidden(c) { '_' } else { c }).collect();
    if clean.chars().all(|c| c == '.') { "_".repeat(clean.len()) } else { clean }
}

/// Makes a path component valid on all systems: no trailing dots or spaces, no reserved Windows name, not too long.
fn file_name(part: &str) -> String {
    let clean: String =
        part.chars().map(|c| if c.is_control() || r#":*?"<>|"#.contains(c) { '_' } else { c }).collect();
    let trimmed = clean.trim_start().trim_end_matches([' ', '.']);
    let mut name = if trimmed.is_empty() { "_".to_owned() } else { trimmed.to_owned() };
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    if RESERVED.contains(&stem.as_str()) {
        name.insert(0, '_');
    }
    shortened(&name)
}

/// Shortens a long name but keeps its extension.
fn shortened(name: &str) -> String {
    if name.len() <= MAX_NAME_BYTES {
        return name.to_owned();
    }
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if ending.len() <= 8 => (stem, format!(".{ending}")),
        _ => (name, String::new()),
    };
    let mut end = MAX_NAME_BYTES - ending.len();
    while !stem.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{ending}", stem[..end].trim_end_matches([' ', '.']))
}

fn outside() -> Error {
    Error::impossible("Names: The template must give a path below the output folder.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(template: &str, items: &[(&str, &str)]) -> Result<String> {
        let mut tags = Tags::default();
        tags.items.extend(items.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())));
        let facts = TemplateValues {
            input: Path::new("in/Take 3.wav"),
            folder: Path::new("a/b"),
            number: 7,
            extension: "opus",
            tags: &tags,
        };
        let path = Template::parse(template)?.apply(&facts)?;
        Ok(path.to_string_lossy().replace('\\', "/"))
    }

    #[test]
    fn fields_are_filled_in() {
        let tags =
            [("TITLE", "Air"), ("ALBUM", "Suites"), ("TRACKNUMBER", "3/12"), ("DATE", "1998-04-01"), ("MOOD", "x")];
        for (template, expected) in [
            ("{name}.{ext}", "Take 3.opus"),
            ("{album}/{track:02} {title}.{ext}", "Suites/03 Air.opus"),
            ("{folder}/{number:3}-{name}", "a/b/007-Take 3"),
            ("{year} {Mood} {{{name}}}", "1998 x {Take 3}"),
            ("{genre}/{composer|nobody}/{title}", "Unknown genre/nobody/Air"),
            ("./{name}", "Take 3"),
        ] {
            assert_eq!(named(template, &tags).unwrap(), expected, "{template}");
        }
        // A missing title is replaced by the file name.
        assert_eq!(named("{title}", &[]).unwrap(), "Take 3");
    }

    #[test]
    fn what_tags_say_cannot_leave_the_folder_nor_break_a_name() {
        for (title, expected) in [
            ("../../etc/passwd", ".._.._etc_passwd.wav"),
            ("..", "__.wav"),
            ("AC/DC: \"Live\"?", "AC_DC_ _Live__.wav"),
            ("C:\\x", "C__x.wav"),
            ("con", "_con.wav"),
            ("tab\there\0", "tab_here_.wav"),
        ] {
            assert_eq!(named("{title}.wav", &[("TITLE", title)]).unwrap(), expected, "{title}");
        }
        assert_eq!(named("{title}/{name}", &[("TITLE", "And so on...")]).unwrap(), "And so on/Take 3");
        assert_eq!(named("{title}/{name}", &[("TITLE", "..")]).unwrap(), "__/Take 3");
        let long = named("{title}.wav", &[("TITLE", &"\u{e9}".repeat(400))]).unwrap();
        assert!(long.len() <= 200 && long.ends_with("\u{e9}.wav"), "{long}");
    }

    #[test]
    fn only_fields_of_tags_need_them() {
        let needs = |text: &str| Template::parse(text).unwrap().needs_tags();
        assert!(!needs("{folder}/{number:3} {Name}.{ext} {{title}}"));
        assert!(needs("{name} {title}") && needs("{anything}"));
    }

    #[test]
    fn faults_of_a_template_are_told() {
        for wrong in ["", "{name", "name}", "{}", "{track:x}", "{track:99}", "../{name}", "/{name}", "{name}/../../x"] {
            assert!(matches!(named(wrong, &[]), Err(Error::Impossible(_))), "{wrong}");
        }
    }
}
