//! Encrypted connections whose server is verified.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::Encryption;
use super::bounded::Connector;

/// Returns a connector with this encryption.
///
/// # Errors
/// Why there are no certificates to verify with.
pub(super) fn connector(encryption: &Encryption) -> Result<Connector, String> {
    client(encryption).map(Connector::new)
}

/// Returns a TLS connector; `None` for a connection without encryption.
fn client(encryption: &Encryption) -> Result<Option<MakeRustlsConnect>, String> {
    let Encryption::Verified(file) = encryption else { return Ok(None) };
    let mut roots = RootCertStore::empty();
    let trusted = match file {
        Some(file) => {
            let named = |error: &dyn std::fmt::Display| format!("{error}: {}", file.display());
            let found = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            found.map_err(|error| named(&error))?
        }
        None => rustls_native_certs::load_native_certs().certs,
    };
    let (added, _) = roots.add_parsable_certificates(trusted);
    if added == 0 {
        return Err("there is no certificate to verify the server with; name one by sslrootcert".to_owned());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Some(MakeRustlsConnect::new(config)))
}
