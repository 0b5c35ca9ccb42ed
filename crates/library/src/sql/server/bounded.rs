//! Connections that read no message larger than any of ours can be.
//!
//! The client buffers a message of up to 2 GiB before it looks at it, so that a server could fill the memory with one.
//! The length precedes the message: one that is too long is an error as soon as its length is read. The bytes that pass
//! are therefore followed from message to message, as the protocol frames them (one byte for the kind, four for the
//! length, which includes itself).

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Socket;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_postgres_rustls::MakeRustlsConnect;

/// The longest message that is read: several times the landmarks of a day-long recording.
pub(super) const MAX_MESSAGE_BYTES: u32 = 256 << 20;
const HEADER_BYTES: usize = 5;

/// Makes bounded connections, encrypted or not. An unencrypted one has `SslNegotiation::Direct` in its settings: the
/// client then leaves the encryption to this connector, which adds none.
#[derive(Clone)]
pub(super) struct Connector {
    tls: Option<MakeRustlsConnect>,
    overlong: Overlong,
}

/// Whether a connection ended because of a message that was too long. The client itself only reports that it ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Overlong(Arc<AtomicBool>);

impl Overlong {
    /// Returns whether one did since the last call.
    pub(super) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

impl Connector {
    /// Makes connections that `tls` encrypts, or unencrypted ones without it.
    pub(super) fn new(tls: Option<MakeRustlsConnect>) -> Self {
        Self { tls, overlong: Overlong::default() }
    }

    /// Returns the flag that its connections set for messages that are too long.
    pub(super) fn overlong(&self) -> Overlong {
        self.overlong.clone()
    }
}

type EncryptedConnect = <MakeRustlsConnect as MakeTlsConnect<Socket>>::TlsConnect;

/// A connection about to be made.
pub(super) struct Connecting {
    encrypted: Option<EncryptedConnect>,
    overlong: Overlong,
}

impl MakeTlsConnect<Socket> for Connector {
    type Stream = Bounded;
    type TlsConnect = Connecting;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> io::Result<Connecting> {
        let encrypted = self.tls.as_mut().map(|tls| MakeTlsConnect::<Socket>::make_tls_connect(tls, domain));
        Ok(Connecting { encrypted: encrypted.transpose().map_err(io::Error::other)?, overlong: self.overlong.clone() })
    }
}

impl TlsConnect<Socket> for Connecting {
    type Stream = Bounded;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Bounded>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move {
            let carrier: Box<dyn Carrier> = match self.encrypted {
                Some(encrypted) => Box::new(encrypted.connect(socket).await?),
                None => Box::new(Plain(socket)),
            };
            Ok(Bounded { carrier, messages: Messages::default(), overlong: self.overlong })
        })
    }
}

trait Carrier: TlsStream + Send + Sync + Unpin {}
impl<T: TlsStream + Send + Sync + Unpin> Carrier for T {}

/// A connection that reads no message that is too long.
pub(super) struct Bounded {
    carrier: Box<dyn Carrier>,
    messages: Messages,
    overlong: Overlong,
}

impl AsyncRead for Bounded {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = to.filled().len();
        ready!(Pin::new(&mut self.carrier).poll_read(context, to))?;
        let passed = self.messages.pass(&to.filled()[before..]);
        if passed.is_err() {
            self.overlong.0.store(true, Ordering::Relaxed);
        }
        Poll::Ready(passed)
    }
}

impl AsyncWrite for Bounded {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.carrier).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.carrier).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.carrier).poll_shutdown(context)
    }
}

impl TlsStream for Bounded {
    fn channel_binding(&self) -> ChannelBinding {
        self.carrier.channel_binding()
    }
}

/// A socket without encryption.
struct Plain(Socket);

impl AsyncRead for Plain {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, to)
    }
}

impl AsyncWrite for Plain {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

impl TlsStream for Plain {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

/// Follows bytes from message to message.
#[derive(Default)]
struct Messages {
    header: [u8; HEADER_BYTES],
    /// How much of the header has arrived.
    known: usize,
    /// The number of bytes of the message's body still to come.
    left: usize,
}

impl Messages {
    /// Takes the next bytes.
    fn pass(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let body = self.left.min(bytes.len());
            self.left -= body;
            bytes = &bytes[body..];
            let head = (HEADER_BYTES - self.known).min(bytes.len());
            self.header[self.known..self.known + head].copy_from_slice(&bytes[..head]);
            self.known += head;
            bytes = &bytes[head..];
            if self.known < HEADER_BYTES {
                continue;
            }
            let [_, length @ ..] = self.header;
            let length = u32::from_be_bytes(length);
            if length > MAX_MESSAGE_BYTES {
                let mib = MAX_MESSAGE_BYTES >> 20;
                let reason = format!("a message of {length} bytes, where at most {mib} MiB are read");
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
            self.known = 0;
            self.left = (length as usize).saturating_sub(HEADER_BYTES - 1);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(length: u32) -> Vec<u8> {
        let mut bytes = vec![b'D'];
        bytes.extend(length.to_be_bytes());
        bytes.resize(1 + length as usize, 0xff);
        bytes
    }

    #[test]
    fn messages_are_followed_however_they_are_cut() {
        let stream = [message(4), message(9), message(70_000), message(4)].concat();
        let too_long = [&stream, &b"D"[..], &(MAX_MESSAGE_BYTES + 1).to_be_bytes(), &[0; 50]].concat();
        let negative = [&stream, &b"D\x80\0\0\0"[..]].concat();
        for part in [1, 2, 3, 5, 6, 7, 1000, usize::MAX] {
            let pass = |bytes: &[u8]| {
                let mut messages = Messages::default();
                bytes.chunks(part).try_for_each(|part| messages.pass(part)).map(|()| messages.left)
            };
            assert_eq!(pass(&stream).unwrap(), 0, "{part}");
            for wrong in [&too_long, &negative] {
                assert_eq!(pass(wrong).unwrap_err().kind(), io::ErrorKind::InvalidData, "{part}");
            }
        }
        // The longest message that is read. Its body need not arrive.
        let longest = [&b"D"[..], &MAX_MESSAGE_BYTES.to_be_bytes()].concat();
        let mut messages = Messages::default();
        messages.pass(&longest).unwrap();
        assert_eq!(messages.left, MAX_MESSAGE_BYTES as usize - 4);
    }
}
