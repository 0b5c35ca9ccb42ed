//! `undertone completions` and `undertone manual`: files that a package installs beside the program, made from the
//! definitions of the arguments.

use std::path::Path;

use clap::{Command, CommandFactory};

use super::Outcome;
use super::arguments::{Arguments, Completions, Manual};
use super::output::Output;
use crate::error::{Error, Result};
use crate::files;

/// Prints the completion script of a shell.
pub fn completions(words: &Completions, output: &Output) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(words.shell, &mut Arguments::command(), "undertone", &mut script);
    let script = String::from_utf8(script).map_err(|error| Error::Internal(error.to_string()))?;
    if output.is_json() {
        output.json(&serde_json::json!({ "shell": words.shell.to_string(), "script": script }))?;
    } else {
        script.lines().for_each(|line| output.line(line));
    }
    Ok(Outcome::Done)
}

/// Writes the manual pages of the program and of its commands.
pub fn manual(words: &Manual, output: &Output) -> Result<Outcome> {
    let mut command = Arguments::command();
    command.build();
    let pages = pages(&command, "undertone", &words.folder)?;
    if output.is_json() {
        output.json(&serde_json::json!({ "pages": pages }))?;
    } else {
        pages.iter().for_each(|page| output.line(page));
    }
    Ok(Outcome::Done)
}

/// Writes the pages of a command and its subcommands, and returns their names.
fn pages(command: &Command, name: &str, folder: &Path) -> Result<Vec<String>> {
    let file = format!("{name}.1");
    let path = folder.join(&file);
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page).map_err(|error| Error::io("write", &path, error))?;
    files::write(&path, false, &page)?;
    let mut written = vec![file];
    let subcommands =
        command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help" && !subcommand.is_hide_set());
    for subcommand in subcommands {
        written.extend(pages(subcommand, &format!("{name}-{}", subcommand.get_name()), folder)?);
    }
    Ok(written)
}
