//! The commands that a window can call: where each runs, its name, arguments and result.
//!
//! Each page has a table of its commands in its folder, `commands.rs`. The dispatch ([`App::call`]), the lanes
//! ([`super::order::lane`]) and the TypeScript declarations (`bindings`) come from these tables, so that they always
//! agree.

use serde::Serialize;
use serde_json::Value;

use super::arguments::Arguments;
use super::order::LaneChoice;
use super::{
    App, batch, blind, codecs, compare, devices, editor, jobs, library, models, playback, recording, settings, stems,
    workspace,
};
use crate::error::{Error, Result};

/// The tables of all pages.
const PAGES: [&[Command]; 14] = [
    workspace::commands::COMMANDS,
    editor::commands::COMMANDS,
    playback::commands::COMMANDS,
    recording::commands::COMMANDS,
    batch::commands::COMMANDS,
    compare::commands::COMMANDS,
    blind::commands::COMMANDS,
    codecs::commands::COMMANDS,
    stems::commands::COMMANDS,
    library::commands::COMMANDS,
    devices::commands::COMMANDS,
    models::commands::COMMANDS,
    jobs::commands::COMMANDS,
    settings::commands::COMMANDS,
];

/// A row of a table.
pub(super) struct Command {
    /// The name, `page.verb`.
    pub name: &'static str,
    pub lane: LaneChoice,
    /// The names of the arguments.
    pub arguments: &'static [&'static str],
    pub run: fn(&App, &mut Arguments<'_>) -> Result<Value>,
    #[cfg(all(test, feature = "bindings"))]
    pub declaration: super::bindings::Declaration,
}

/// Makes the table of a page. A row is the documentation, the lane in brackets ([`LaneChoice`]), the verb, the
/// arguments and the result. A command that may wait for the disk, the user, a device or long work is `Long`.
///
/// Before each block of rows stands where their functions are, a type that has them as methods or a module, and in
/// brackets what they get before their arguments. `app` is the [`App`].
macro_rules! commands {
    ($page:ident($app:ident); $($owner:ident($receiver:expr) { $(
        $(#[doc = $doc:literal])*
        [$lane:ident] $verb:ident($($argument:ident: $kind:ty),*) -> $result:ty;
    )* })*) => {
        #[allow(unused_variables, reason = "some commands have no arguments")]
        pub(in crate::window) const COMMANDS: &[$crate::window::commands::Command] = &[$($(
            $crate::window::commands::Command {
                name: concat!(stringify!($page), ".", stringify!($verb)),
                lane: $crate::window::order::LaneChoice::$lane,
                arguments: &[$(stringify!($argument)),*],
                run: |$app, given| {
                    $(let $argument: $kind = given.take(stringify!($argument))?;)*
                    let result: $result = $owner::$verb($receiver, $($argument),*)?;
                    $crate::window::commands::answer(&result)
                },
                #[cfg(all(test, feature = "bindings"))]
                declaration: $crate::window::bindings::Declaration {
                    docs: &[$($doc),*],
                    arguments: &[$($crate::window::bindings::Types::name_of::<$kind>),*],
                    result: $crate::window::bindings::Types::name_of::<$result>,
                },
            }
        ),*),*];
    };
}

pub(super) use commands;

/// Returns the answer of a command as JSON.
pub(super) fn answer(result: &impl Serialize) -> Result<Value> {
    serde_json::to_value(result).map_err(|error| Error::Internal(error.to_string()))
}

/// Returns the commands of all pages.
pub(super) fn all() -> impl Iterator<Item = &'static Command> {
    PAGES.into_iter().flatten()
}

/// Returns the command of a name; `None` if there is none.
pub(super) fn find(name: &str) -> Option<&'static Command> {
    all().find(|command| command.name == name)
}

impl App {
    /// Runs a command by its name, `page.verb`. Arguments and result are JSON, as `ui/src/bindings` declares them.
    pub fn call(&self, name: &str, args: Value) -> Result<Value> {
        let command = find(name).ok_or_else(|| Error::NotFound { what: "command", name: name.to_owned() })?;
        let mut given = Arguments::new(name, command.arguments, args)?;
        (command.run)(self, &mut given)
    }

    /// Returns the names of all commands.
    pub fn command_names() -> impl Iterator<Item = &'static str> {
        all().map(|command| command.name)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn a_name_is_a_page_and_a_verb() {
        let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
        let mut pages = BTreeSet::new();
        let mut names = BTreeSet::new();
        for table in PAGES {
            let of = |command: &Command| command.name.split_once('.').map(|(page, _)| page);
            let page = table.first().and_then(of).expect("a command");
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/window").join(page);
            assert!(folder.is_dir() && pages.insert(page), "{page} is one folder");
            for Command { name, .. } in table {
                let verb = name.strip_prefix(page).and_then(|rest| rest.strip_prefix('.'));
                let verb = verb.unwrap_or_else(|| panic!("{name} is in the table of {page}"));
                assert!(verb.split('_').all(is_word), "{name} is not in snake case");
                assert!(verb.split('_').all(|word| word != page), "{name} says its page twice");
                assert!(names.insert(*name), "{name} is there twice");
            }
        }
    }
}
