//! The keys of the window's commands, as they are written.

use std::collections::BTreeMap;

use serde_json::Value;

use super::general::KeySettings;

/// The greatest number of commands; the window has about 200.
const MAX_COMMANDS: usize = 2000;

/// The greatest number of keys of a command.
const MAX_KEYS: usize = 16;

/// The longest name of a command or a key.
const MAX_NAME: usize = 80;

/// The modifiers in the order in which they are written. `Ctrl` is the Command key on a Mac.
const MODIFIERS: [&str; 3] = ["Ctrl", "Alt", "Shift"];

impl KeySettings {
    /// The version of the form.
    pub const VERSION: u32 = 1;

    /// Returns the keys without invalid ones.
    #[must_use]
    pub fn checked(self) -> Self {
        let value = serde_json::to_value(&self).unwrap_or_default();
        read(&value).0
    }
}

/// Reads keys entry by entry. Returns the valid ones, and the reasons why others were left out.
pub fn read(value: &Value) -> (KeySettings, Vec<String>) {
    let mut problems = Vec::new();
    if let Some(version) = value["version"].as_u64().filter(|version| *version > u64::from(KeySettings::VERSION)) {
        problems.push(format!("They were written by a newer version of Undertone ({version})"));
        return (KeySettings::default(), problems);
    }
    let Some(found) = value["commands"].as_object() else {
        problems.push("There is no list of commands".to_owned());
        return (KeySettings::default(), problems);
    };
    let mut commands = BTreeMap::new();
    for (command, keys) in found {
        let known = !command.is_empty() && command.len() <= MAX_NAME && commands.len() < MAX_COMMANDS;
        let Some(keys) = keys.as_array().filter(|_| known) else {
            problems.push(format!("{}: not a list of keys", shortened(command)));
            continue;
        };
        let mut read = Vec::new();
        for key in keys {
            match key.as_str().and_then(combination) {
                Some(key) if read.contains(&key) || read.len() == MAX_KEYS => {}
                Some(key) => read.push(key),
                None => {
                    let written = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
                    problems.push(format!("{}: there is no key {}", shortened(command), shortened(&written)));
                }
            }
        }
        // A command whose keys are all unknown keeps the default ones.
        if !read.is_empty() || keys.is_empty() {
            commands.insert(command.clone(), read);
        }
    }
    (KeySettings { version: KeySettings::VERSION, commands }, problems)
}

/// Returns a notice about the keys of the settings that were left out; `None` if there are none.
pub fn notice(problems: &[String]) -> Option<String> {
    const TOLD: usize = 5;
    let more = problems.len().saturating_sub(TOLD);
    let more = (more > 0).then(|| format!("and {more} more"));
    let told = problems.iter().take(TOLD).cloned().chain(more).collect::<Vec<_>>().join("; ");
    (!problems.is_empty()).then(|| format!("Some keys in the settings were left out. {told}."))
}

/// Returns a key combination as the window writes it: modifiers in a fixed order, then the key, a letter in upper case.
/// `None` if it is not valid.
fn combination(text: &str) -> Option<String> {
    let mut parts: Vec<&str> = text.trim().split('+').collect();
    let key = key_name(parts.pop()?)?;
    let mut held = [false; MODIFIERS.len()];
    for part in parts {
        let place = MODIFIERS.iter().position(|modifier| modifier.eq_ignore_ascii_case(part))?;
        held[place] = true;
    }
    let held = MODIFIERS.iter().zip(held).filter(|(_, held)| *held).map(|(modifier, _)| format!("{modifier}+"));
    Some(held.collect::<String>() + &key)
}

/// Returns the name of a key: a character, or a name of the Web standard, such as `PageUp` or `F5`.
fn key_name(name: &str) -> Option<String> {
    let mut characters = name.chars();
    let first = characters.next()?;
    if characters.as_str().is_empty() {
        let is_sign = !first.is_whitespace() && !first.is_control();
        return is_sign.then(|| first.to_uppercase().collect());
    }
    let is_name =
        first.is_ascii_uppercase() && name.len() <= MAX_NAME && name.chars().all(|c| c.is_ascii_alphanumeric());
    (is_name && !MODIFIERS.contains(&name)).then(|| name.to_owned())
}

fn shortened(text: &str) -> String {
    text.chars().take(MAX_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_written_one_way() {
        let written = |text| combination(text);
        assert_eq!(written("shift+ctrl+z").as_deref(), Some("Ctrl+Shift+Z"));
        assert_eq!(written("Alt+PageUp").as_deref(), Some("Alt+PageUp"));
        assert_eq!(written("Ctrl+-").as_deref(), Some("Ctrl+-"));
        assert_eq!(written("ö").as_deref(), Some("Ö"));
        for wrong in ["", "Ctrl+", "Hyper+Q", "Ctrl++", "Ctrl", "two words", "pageup", " "] {
            assert_eq!(written(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_newer_form_is_not_guessed_at() {
        let (keys, problems) = read(&serde_json::json!({ "version": 2, "commands": { "undo": ["U"] } }));
        assert_eq!(keys, KeySettings::default());
        assert!(problems[0].contains("newer"), "{problems:?}");
    }
}
