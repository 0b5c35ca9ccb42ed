//! Passwords of libraries on servers in the system's keyring: the Secret Service on Linux (GNOME Keyring, `KWallet`), the
//! Keychain on macOS, the Credential Manager on Windows.
//!
//! Each call connects anew, so that it finds a keyring that was started or unlocked meanwhile. If the process has set a
//! default store of [`keyring_core`], as tests do, it is used.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use keyring_core::{CredentialStore, Entry};

use super::Address;
use crate::password::Password;
use base::blocking::may_block;
use base::error::{Error, Result};

/// The program that the keyring shows for an entry.
const SERVICE: &str = "Undertone";
/// How long the keyring may take. It may ask the user to unlock it.
const WAIT: Duration = Duration::from_secs(30);

/// Returns the password of a server's user; `None` if the keyring has none.
///
/// # Errors
/// [`Error::Stored`] if there is no keyring, or it does not answer or does not let this program in.
pub fn password(address: &Address) -> Result<Option<Password>> {
    within(address, |entry| match entry.get_password() {
        Ok(password) => Ok(Some(Password::new(password))),
        Err(keyring_core::Error::NoEntry) => Ok(None),
        Err(error) => Err(error),
    })
}

/// Stores the password of a server's user.
pub fn remember(address: &Address, password: &Password) -> Result<()> {
    let password = password.clone();
    within(address, move |entry| entry.set_password(password.text()))
}

/// Deletes the password of a server's user. Returns whether there was one.
pub fn forget(address: &Address) -> Result<bool> {
    within(address, |entry| match entry.delete_credential() {
        Ok(()) => Ok(true),
        Err(keyring_core::Error::NoEntry) => Ok(false),
        Err(error) => Err(error),
    })
}

/// Works on the entry of a server's user, with a limit on the wait for the keyring.
fn within<T: Send + 'static>(
    address: &Address,
    work: impl FnOnce(&Entry) -> keyring_core::Result<T> + Send + 'static,
) -> Result<T> {
    in_time(address.to_string(), WAIT, store, work)
}

fn in_time<T: Send + 'static>(
    user: String,
    limit: Duration,
    store: impl FnOnce() -> keyring_core::Result<Arc<CredentialStore>> + Send + 'static,
    work: impl FnOnce(&Entry) -> keyring_core::Result<T> + Send + 'static,
) -> Result<T> {
    may_block("the keyring");
    let (done, answer) = channel();
    let spawned = thread::Builder::new().name("keyring".to_owned()).spawn(move || {
        let answer = store().and_then(|store| work(&store.build(SERVICE, &user, None)?));
        // Nobody is waiting any more if it took too long.
        let _ = done.send(answer);
    });
    spawned.map_err(|error| Error::Internal(format!("no thread for the keyring: {error}")))?;
    match answer.recv_timeout(limit) {
        Ok(answer) => answer.map_err(|error| unusable(&reason(&error))),
        Err(RecvTimeoutError::Timeout) => {
            Err(unusable(&format!("it did not answer within {} s; is it locked?", limit.as_secs())))
        }
        Err(RecvTimeoutError::Disconnected) => Err(unusable("it failed without an answer")),
    }
}

fn unusable(reason: &str) -> Error {
    Error::Stored(format!("The system's keyring cannot be used: {reason}"))
}

/// Words an error of the keyring, without anything that the keyring holds.
fn reason(error: &keyring_core::Error) -> String {
    use keyring_core::Error::{BadDataFormat, BadEncoding, NoStorageAccess, PlatformFailure};
    match error {
        PlatformFailure(source) => source.to_string(),
        NoStorageAccess(source) => format!("it is locked, or there is no default keyring ({source})"),
        BadEncoding(_) | BadDataFormat(..) => "what it holds for this server is no password".to_owned(),
        other => other.to_string(),
    }
}

/// Returns the keyring.
fn store() -> keyring_core::Result<Arc<CredentialStore>> {
    if let Some(store) = keyring_core::get_default_store() {
        return Ok(store);
    }
    #[cfg(target_os = "macos")]
    let store = apple_native_keyring_store::keychain::Store::new()?;
    #[cfg(windows)]
    let store = windows_native_keyring_store::Store::new()?;
    #[cfg(all(unix, not(target_os = "macos")))]
    let store = zbus_secret_service_keyring_store::Store::new()?;
    Ok(store)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "a secret";

    fn mock() -> keyring_core::Result<Arc<CredentialStore>> {
        Ok(keyring_core::mock::Store::new()?)
    }

    #[test]
    fn a_keyring_that_does_not_answer_is_not_waited_for() {
        let sleep = |_: &Entry| {
            thread::sleep(Duration::from_mins(1));
            Ok(())
        };
        let begun = std::time::Instant::now();
        let error = in_time("a".into(), Duration::from_millis(50), mock, sleep).unwrap_err();
        assert!(begun.elapsed() < Duration::from_secs(10));
        assert!(error.to_string().contains("did not answer within"), "{error}");
    }

    #[test]
    fn errors_say_nothing_of_what_the_keyring_holds() {
        let errors = [
            keyring_core::Error::BadEncoding(SECRET.into()),
            keyring_core::Error::BadDataFormat(SECRET.into(), SECRET.into()),
        ];
        for error in errors {
            let error = in_time("a".into(), WAIT, mock, |_| Err::<(), _>(error)).unwrap_err();
            assert!(!format!("{error} {error:?}").contains(SECRET), "{error:?}");
        }
        let gone = || Err(keyring_core::Error::PlatformFailure("no service".into()));
        let error = in_time("a".into(), WAIT, gone, |_| Ok(())).unwrap_err();
        assert_eq!(error.to_string(), "The system's keyring cannot be used: no service.");
    }
}
