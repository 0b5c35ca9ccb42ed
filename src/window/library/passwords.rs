//! The password of a library on a server, as the user gives it.

use super::LibraryPage;
use super::types::LibraryView;
use crate::error::{Error, Result};
use crate::library::{Address, Password, keyring};
use crate::window::event::{Notice, NoticeLevel};

impl LibraryPage {
    pub(in crate::window) fn give_password(&self, password: Password, remember: bool) -> Result<LibraryView> {
        let address = self.server_address()?;
        self.workspace.state().library_password = Some((address.clone(), password.clone()));
        let opened = self.opened().inspect_err(|_| self.workspace.state().library_password = None)?;
        // Only a password that the server accepts is worth remembering.
        if remember && let Err(error) = keyring::remember(&address, &password) {
            self.workspace.notify(Notice {
                level: NoticeLevel::Warning,
                message: format!("The password is not remembered. {}", error.sentences()),
            });
        }
        self.view_of(&opened)
    }

    pub(in crate::window) fn forget_password(&self) -> Result<bool> {
        let address = self.server_address()?;
        let was_given = self.workspace.state().library_password.take().is_some();
        Ok(keyring::forget(&address)? || was_given)
    }

    /// Returns the address of the server that the settings name.
    fn server_address(&self) -> Result<Address> {
        let address = self.workspace.library_place()?.address().cloned();
        address.ok_or_else(|| Error::impossible("The library is on this computer and needs no password."))
    }
}
