//! GPU work as plain data: what to upload, dispatch, copy and read back, on buffers that do not exist yet.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::shaders::Entry;

/// A buffer of a recording: a number, until an engine gives it memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buffer(pub(super) u32);

/// Some bytes of a buffer. Offsets are multiples of 256 for what is bound to a shader, of 4 otherwise; sizes are
/// multiples of 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The buffer.
    pub buffer: Buffer,
    /// The first byte.
    pub offset: u64,
    /// How many bytes.
    pub bytes: u64,
}

impl View {
    /// The bytes `offset..offset + bytes` of this view.
    #[must_use]
    pub fn part(self, offset: u64, bytes: u64) -> Self {
        debug_assert!(offset + bytes <= self.bytes, "a part beyond its view");
        Self { buffer: self.buffer, offset: self.offset + offset, bytes }
    }
}

/// Bytes that many recordings read and none writes, such as the spectra of a filter: an engine keeps them on its device
/// for as long as they exist and there is room. A clone is the same constant.
#[derive(Clone, Debug)]
pub struct Constant {
    pub(super) id: u64,
    pub(super) bytes: Arc<Vec<u8>>,
}

impl Constant {
    /// Of these bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { id: NEXT.fetch_add(1, Ordering::Relaxed), bytes: Arc::new(bytes) }
    }
}

/// What a readback will be found under.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ticket(pub(super) u32);

impl Ticket {
    /// The same in a recording that was appended to another: [`Recording::append`].
    pub(super) fn after(self, first: u32) -> Self {
        Self(first + self.0)
    }
}

/// One run of an entry point.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// What runs.
    pub entry: &'static Entry,
    /// Its storage bindings, in the order of their numbers.
    pub views: Vec<View>,
    /// Its uniform.
    pub params: Vec<u8>,
    /// Workgroups along x, y, z.
    pub groups: [u32; 3],
    /// What it costs, in a measure that is the same for all dispatches of this entry point: frames times channels
    /// times sections, say. The engine learns how long one takes, and cuts what would take too long.
    pub work: u64,
}

/// One step of a recording. Steps happen in order, each seeing what those before it wrote.
#[derive(Clone, Debug)]
pub enum Command<'a> {
    /// Host to device.
    Upload {
        /// Where to.
        to: View,
        /// As many bytes as `to` has.
        data: Cow<'a, [u8]>,
    },
    /// A run of a kernel.
    Dispatch(Dispatch),
    /// Device to device; views of the same size.
    Copy {
        /// Where from.
        from: View,
        /// Where to.
        to: View,
    },
    /// Device to host.
    Readback {
        /// Where from.
        from: View,
        /// What it is asked for with.
        ticket: Ticket,
    },
}

/// A list of steps on virtual buffers. Data to upload is borrowed, so that a recording costs no copy of it.
#[derive(Clone, Debug, Default)]
pub struct Recording<'a> {
    sizes: Vec<u64>,
    tickets: u32,
    commands: Vec<Command<'a>>,
    constants: Vec<(Buffer, Constant)>,
}

impl<'a> Recording<'a> {
    /// Nothing to do yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A buffer of `bytes` bytes (rounded up to a multiple of 4, and at least 4) that holds anything.
    pub fn buffer(&mut self, bytes: u64) -> View {
        let bytes = bytes.max(4).next_multiple_of(4);
        self.sizes.push(bytes);
        View { buffer: Buffer(self.sizes.len() as u32 - 1), offset: 0, bytes }
    }

    /// A constant, to be read only.
    pub fn constant(&mut self, constant: &Constant) -> View {
        if let Some((buffer, _)) = self.constants.iter().find(|(_, known)| known.id == constant.id) {
            return View { buffer: *buffer, offset: 0, bytes: self.sizes[buffer.0 as usize] };
        }
        let view = self.buffer(constant.bytes.len() as u64);
        self.constants.push((view.buffer, constant.clone()));
        view
    }

    /// Brings `data` to `to`; nothing happens for no data.
    ///
    /// # Panics
    /// When `to` is smaller than the data: a fault of the caller's.
    pub fn upload(&mut self, to: View, data: impl Into<Cow<'a, [u8]>>) {
        let data = data.into();
        assert!(data.len() as u64 <= to.bytes, "an upload of {} bytes to a view of {}", data.len(), to.bytes);
        if !data.is_empty() {
            self.commands.push(Command::Upload { to: to.part(0, data.len() as u64), data });
        }
    }

    /// Runs a kernel; nothing happens for a grid without workgroups.
    pub fn dispatch(&mut self, dispatch: Dispatch) {
        if dispatch.groups.iter().all(|&count| count > 0) {
            self.commands.push(Command::Dispatch(dispatch));
        }
    }

    /// Copies from one buffer to another.
    ///
    /// # Panics
    /// When the sizes differ: a fault of the caller's.
    pub fn copy(&mut self, from: View, to: View) {
        assert_eq!(from.bytes, to.bytes, "a copy between views of different sizes");
        self.commands.push(Command::Copy { from, to });
    }

    /// Asks for the bytes of `from`.
    pub fn readback(&mut self, from: View) -> Ticket {
        self.tickets += 1;
        let ticket = Ticket(self.tickets - 1);
        self.commands.push(Command::Readback { from, ticket });
        ticket
    }

    /// The same with data of its own.
    pub(super) fn to_owned(&self) -> Recording<'static> {
        let owned = |command: &Command<'a>| match command {
            Command::Upload { to, data } => Command::Upload { to: *to, data: Cow::Owned(data.to_vec()) },
            Command::Dispatch(dispatch) => Command::Dispatch(dispatch.clone()),
            Command::Copy { from, to } => Command::Copy { from: *from, to: *to },
            Command::Readback { from, ticket } => Command::Readback { from: *from, ticket: *ticket },
        };
        Recording {
            sizes: self.sizes.clone(),
            tickets: self.tickets,
            commands: self.commands.iter().map(owned).collect(),
            constants: self.constants.clone(),
        }
    }

    /// Does what another recording does, on buffers of its own but for constants. Gives the number of its first ticket.
    pub(super) fn append<'b: 'a>(&mut self, other: &'b Recording<'b>) -> u32 {
        let mut buffers = Vec::with_capacity(other.sizes.len());
        for (index, bytes) in other.sizes.iter().enumerate() {
            let constant = other.constants.iter().find(|(buffer, _)| buffer.0 as usize == index);
            buffers.push(match constant {
                Some((_, constant)) => self.constant(constant).buffer,
                None => self.buffer(*bytes).buffer,
            });
        }
        let place = |view: &View| View { buffer: buffers[view.buffer.0 as usize], ..*view };
        let first = self.tickets;
        self.commands.extend(other.commands.iter().map(|command| match command {
            Command::Upload { to, data } => Command::Upload { to: place(to), data: Cow::Borrowed(data) },
            Command::Dispatch(dispatch) => {
                let views = dispatch.views.iter().map(place).collect();
                Command::Dispatch(Dispatch { views, ..dispatch.clone() })
            }
            Command::Copy { from, to } => Command::Copy { from: place(from), to: place(to) },
            Command::Readback { from, ticket } => Command::Readback { from: place(from), ticket: ticket.after(first) },
        }));
        self.tickets += other.tickets;
        first
    }

    /// All tickets.
    pub(super) fn tickets(&self) -> impl Iterator<Item = Ticket> {
        (0..self.tickets).map(Ticket)
    }

    /// The size of each buffer, by its number.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// The constants that it reads, and which buffers they are.
    pub fn constants(&self) -> &[(Buffer, Constant)] {
        &self.constants
    }

    /// The steps in order.
    pub fn commands(&self) -> &[Command<'a>] {
        &self.commands
    }
}
