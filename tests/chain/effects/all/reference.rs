//! The reference of all effects, `docs/effects.md`, written from their definitions.

use std::fmt::Write;

use effects::{EffectSpec, Purpose};

use super::table;

const HEAD: &str = "\
# Effects

All effects, with their parameters in the order of the [notation](design/effects-and-chains.md): \
`highpass(80 Hz, order=4)`. Any \
argument may be named; the first ones may also be given by place. `undertone effects NAME` prints the same text, and `undertone effects --search WORDS` finds an effect by what it does. \
[What was measured](measured/effects.md) gives the errors of each effect against independent references, its latency \
and tail, and what it costs.

The definitions in `crates/effects/src` are the source of this page; `UPDATE_EFFECTS_TABLE=1 cargo test -p effects \
--test chain` writes it.
";

/// The sections of the page, as the window groups effects.
const PURPOSES: [(Purpose, &str); 9] = [
    (Purpose::Filter, "Filters"),
    (Purpose::Equaliser, "Equalisers"),
    (Purpose::Dynamics, "Dynamics"),
    (Purpose::Space, "Space"),
    (Purpose::Modulation, "Modulation"),
    (Purpose::Level, "Level"),
    (Purpose::Image, "Stereo image"),
    (Purpose::Tone, "Tone and time"),
    (Purpose::Repair, "Spectral edits"),
];

fn page() -> String {
    let mut page = HEAD.to_owned();
    let of = |purpose| effects::all().iter().copied().filter(move |spec| spec.purpose == purpose);
    for (purpose, title) in PURPOSES {
        let names: Vec<String> = of(purpose).map(|spec| format!("[`{0}`](#{0})", spec.name)).collect();
        write!(page, "\n- **{title}**: {}", names.join(", ")).unwrap();
    }
    page.push('\n');
    for (purpose, title) in PURPOSES {
        write!(page, "\n## {title}\n").unwrap();
        of(purpose).for_each(|spec| page += &section(spec));
    }
    page
}

fn section(spec: &EffectSpec) -> String {
    let mut text =
        format!("\n### {}\n\n**{}.** {}\n\n{}\n", spec.name, spec.title, spec.summary, spec.documentation.trim());
    if !spec.parameters.is_empty() {
        text += "\n| parameter | | values |\n|---|---|---|\n";
    }
    for parameter in spec.parameters {
        let meaning = format!("{}{} {}.", parameter.help, parameter.used(), parameter.usual());
        let values = parameter.allowed();
        writeln!(text, "| `{}` | {} | {} |", parameter.name, cell(&meaning), cell(&values)).unwrap();
    }
    write!(text, "\nExample: `{}`\n\nSource: {}\n", spec.example, spec.source).unwrap();
    if !spec.aliases.is_empty() {
        let names: Vec<String> = spec.aliases.iter().map(|name| format!("`{name}`")).collect();
        write!(text, "\nAlso read as {}.\n", names.join(", ")).unwrap();
    }
    text
}

/// A text within a cell of a table, where a bar would end it.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[test]
fn the_reference_is_that_of_the_definitions() {
    assert_eq!(
        effects::all().iter().filter(|spec| PURPOSES.iter().all(|(purpose, _)| *purpose != spec.purpose)).count(),
        0
    );
    let path = crate::support::files::repository().join("docs/effects.md");
    if table::updating() {
        std::fs::write(&path, page()).unwrap();
    }
    let stands = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stands == page(), "UPDATE_EFFECTS_TABLE=1 cargo test -p effects --test chain writes docs/effects.md");
}
