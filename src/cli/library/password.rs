//! `undertone library password`: keeps the password of a server in the system's keyring; and asks for one on a terminal.

use std::io::IsTerminal;

use serde_json::json;

use super::arguments::PasswordCommand;
use crate::cli::Outcome;
use crate::cli::output::Output;
use crate::error::{Error, Result};
use crate::library::{Address, Password, Place, keyring};

/// The longest password that is read, in bytes.
const MAX_BYTES: u64 = 4096;

pub fn run(command: PasswordCommand, place: &Place, output: &Output) -> Result<Outcome> {
    let address = place.address().ok_or_else(|| {
        Error::impossible(
            "A library in a file has no password. Name one on a server: --library postgres://USER@HOST/DATABASE",
        )
    })?;
    let done = match command {
        PasswordCommand::Set => {
            keyring::remember(address, &read(address)?)?;
            "the password is in the keyring now"
        }
        PasswordCommand::Forget if keyring::forget(address)? => "the password is no longer in the keyring",
        PasswordCommand::Forget => "the keyring has no password for it",
    };
    if output.is_json() {
        output.json(&json!({ "server": address.to_string(), "done": done }))?;
    } else {
        output.line(&format!("{address}: {done}"));
    }
    Ok(Outcome::Done)
}

/// Opens a library. If its server wants a password and there is a terminal, the user is asked once, as by `psql`.
pub fn asked_for<T>(place: Place, open: impl Fn(Place) -> Result<T>) -> Result<T> {
    match (open(place.clone()), place.address()) {
        (Err(Error::Password(reason)), Some(address)) if is_interactive() => {
            console::Term::stderr().write_line(&format!("undertone: {reason}")).map_err(|error| unread(&error))?;
            let password = prompt(address)?;
            open(place.with_password(Some(password)))
        }
        (opened, _) => opened,
    }
}

fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Reads a password: from the terminal, or a line of the standard input.
fn read(address: &Address) -> Result<Password> {
    if is_interactive() {
        return prompt(address);
    }
    let mut line = String::new();
    let input = std::io::Read::take(std::io::stdin().lock(), MAX_BYTES);
    std::io::BufRead::read_line(&mut std::io::BufReader::new(input), &mut line).map_err(|error| unread(&error))?;
    let password = line.trim_end_matches(['\r', '\n']);
    if password.is_empty() {
        return Err(Error::impossible("There is no password on the standard input. Give it as its first line"));
    }
    Ok(Password::new(password))
}

/// Asks on the terminal, which does not show what is typed.
fn prompt(address: &Address) -> Result<Password> {
    let terminal = console::Term::stderr();
    let asked = format!("Password of {}: ", address.user());
    let typed = terminal.write_str(&asked).and_then(|()| terminal.read_secure_line());
    typed.map(Password::new).map_err(|error| unread(&error))
}

fn unread(error: &std::io::Error) -> Error {
    Error::impossible(format!("The password could not be read: {error}"))
}
