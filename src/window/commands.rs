//! The commands that a window can call: where each runs, its name, arguments and result.
//!
//! Each page has a table of its commands in its folder, `commands.rs`. The dispatch ([`App::call`]), the lanes
//! ([`super::lane`]) and the TypeScript declarations (`bindings`) come from these tables, so that they always agree.

use serde::Serialize;
use serde_json::Value;

use super::App;
use super::arguments::Arguments;
use crate::error::{Error, Result};

/// Commands of one lane run one after another, in the order in which they were submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Edits, selection, exports of one document.
    Document(u64),
    /// Which document is active.
    Tabs,
    /// Playback.
    Transport,
    /// The settings.
    Settings,
    /// Presets, recent files and other data of the session.
    Session,
    /// Commands that control running work or read only memory. They never wait for a disk.
    Control,
}

/// Where a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneChoice {
    /// In the lane of the document that the arguments name.
    Document,
    /// In [`Lane::Tabs`].
    Tabs,
    /// In [`Lane::Transport`].
    Transport,
    /// In [`Lane::Settings`].
    Settings,
    /// In [`Lane::Session`].
    Session,
    /// In [`Lane::Control`].
    Control,
    /// In no lane: the command may take long, and no other command waits for it.
    Long,
}

impl LaneChoice {
    /// Returns the lane of a call with these arguments; `None` if the command may take long.
    pub fn of(self, args: &Value) -> Option<Lane> {
        Some(match self {
            // Arguments without a document are refused in any lane.
            Self::Document => args.get("document").and_then(Value::as_u64).map_or(Lane::Session, Lane::Document),
            Self::Tabs => Lane::Tabs,
            Self::Transport => Lane::Transport,
            Self::Settings => Lane::Settings,
            Self::Session => Lane::Session,
            Self::Control => Lane::Control,
            Self::Long => return None,
        })
    }
}

/// A row of a table.
pub(super) struct Command {
    /// The name, `page.verb`.
    pub name: &'static str,
    pub lane: LaneChoice,
    /// The names of the arguments.
    pub arguments: &'static [&'static str],
    pub run: fn(&App, &mut Arguments<'_>) -> Result<Value>,
    #[cfg(all(test, feature = "bindings"))]
    pub declaration: super::declarations::Declaration,
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
                lane: $crate::window::commands::LaneChoice::$lane,
                arguments: &[$(stringify!($argument)),*],
                run: |$app, given| {
                    $(let $argument: $kind = given.take(stringify!($argument))?;)*
                    let result: $result = $owner::$verb($receiver, $($argument),*)?;
                    $crate::window::commands::answer(&result)
                },
                #[cfg(all(test, feature = "bindings"))]
                declaration: $crate::window::declarations::Declaration {
                    docs: &[$($doc),*],
                    arguments: &[$($crate::window::declarations::Types::name_of::<$kind>),*],
                    result: $crate::window::declarations::Types::name_of::<$result>,
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::window::TABLES;

    #[test]
    fn a_name_is_a_page_and_a_verb() {
        let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
        let mut pages = BTreeSet::new();
        let mut names = BTreeSet::new();
        for table in TABLES {
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
