//! Generates TypeScript declarations of everything that crosses to the window, from the Rust types and the command
//! table.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::fmt::Write;

use ts_rs::{Config, TS, TypeVisitor};

use super::commands::command_table;
#[allow(clippy::wildcard_imports, reason = "the table names all of it")]
use super::commands::types::*;
use crate::error::Failure;

/// Returns the colour map points as TypeScript, so that the window uses the same colours as exported pictures.
fn colours() -> String {
    let mut text = String::from(
        "/** Points of colour maps from silence to loud, six hexadecimal digits each: red, green, blue. */\n",
    );
    text += "export const COLOUR_POINTS = {\n";
    for (name, points) in crate::view::colours::POINTS {
        let _ = writeln!(text, "  {name}: '{points}',");
    }
    text + "} as const;\n\n"
}

/// Returns the whole declaration file: every type, the commands with their arguments and results, and the events.
pub fn typescript() -> String {
    // Frame counts stay far below 2^53, up to which a JavaScript number is exact for integers.
    let config = Config::new().with_large_int("number");
    let mut types = Types { config, seen: BTreeSet::new(), declarations: BTreeMap::new() };
    let commands = commands(&mut types);
    types.visit::<Event>();
    types.visit::<Failure>();
    // These have calls of their own, because their answers are bytes.
    types.visit::<SpectrogramTile>();
    types.visit::<MonitorQuery>();
    types.visit::<LoudnessQuery>();

    let mut text = String::from("// Generated from the core's Rust types; `npm run bindings` makes it anew.\n\n");
    for declaration in types.declarations.values() {
        text += declaration;
        text.push('\n');
    }
    text += &colours();
    text += "/** What a window may ask: arguments and result by name. */\nexport interface Commands {\n";
    text += &commands;
    text += "}\n";
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

struct Types {
    config: Config,
    seen: BTreeSet<TypeId>,
    declarations: BTreeMap<String, String>,
}

impl TypeVisitor for Types {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        // Only our own types have an output path; others (numbers, lists) are written out where they are used.
        if T::output_path().is_some() {
            let docs = T::docs().unwrap_or_default();
            let declaration = format!("{docs}export {}\n", T::decl(&self.config));
            self.declarations.insert(T::ident(&self.config), declaration);
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

macro_rules! declare {
    ($($(#[doc = $doc:literal])* [$place:ident $($page:ident)?] $name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)*) => {
        fn commands(types: &mut Types) -> String {
            let mut text = String::new();
            $(
                let arguments: Vec<String> = vec![$({
                    types.visit::<$kind>();
                    format!("{}: {}", stringify!($argument), <$kind as TS>::name(&types.config))
                }),*];
                types.visit::<$result>();
                $(let _ = writeln!(text, "  /**{} */", $doc);)*
                let arguments = if arguments.is_empty() {
                    "Record<string, never>".to_owned()
                } else {
                    format!("{{ {} }}", arguments.join("; "))
                };
                let _ = writeln!(
                    text,
                    "  {}: {{ args: {arguments}; result: {} }};",
                    stringify!($name),
                    <$result as TS>::name(&types.config),
                );
            )*
            text
        }
    };
}

command_table!(declare);
