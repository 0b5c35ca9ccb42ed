//! GPU work as plain data: what to upload, dispatch, copy and read back, on virtual buffers.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::shaders::Entry;

/// A virtual buffer of a recording. An engine assigns memory to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Buffer(pub(super) u32);

/// A range of a buffer. Offsets are multiples of 256 if the view is bound to a shader and of 4 otherwise; sizes are
/// multiples of 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The buffer.
    pub buffer: Buffer,
    /// The offset of the first byte.
    pub offset: u64,
    /// The size in bytes.
    pub bytes: u64,
}

impl View {
    /// Returns the bytes `offset..offset + bytes` of this view.
    #[must_use]
    pub fn part(self, offset: u64, bytes: u64) -> Self {
        debug_assert!(offset + bytes <= self.bytes, "a part beyond its view");
        Self { buffer: self.buffer, offset: self.offset + offset, bytes }
    }
}

/// Bytes that many recordings read and none writes, such as the spectra of a filter. An engine keeps them on its device
/// while they are in use and there is room. A clone is the same constant.
#[derive(Clone, Debug)]
pub struct Constant {
    pub(super) id: u64,
    pub(super) bytes: Arc<Vec<u8>>,
}

impl Constant {
    /// Creates a constant of these bytes.
    pub fn new(bytes: Vec<u8>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { id: NEXT.fetch_add(1, Ordering::Relaxed), bytes: Arc::new(bytes) }
    }

    /// Creates a constant of the bytes of these values.
    pub fn of<T: bytemuck::NoUninit>(values: &[T]) -> Self {
        Self::new(bytemuck::cast_slice(values).to_vec())
    }
}

/// Identifies a readback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReadbackId(pub(super) u32);

impl ReadbackId {
    /// Returns the same ticket in a recording to which its recording was appended; see [`Recording::append`].
    pub(super) fn after(self, first: u32) -> Self {
        Self(first + self.0)
    }
}

/// A dispatch of an entry point.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// The entry point.
    pub entry: &'static Entry,
    /// The storage bindings, in the order of their binding numbers.
    pub views: Vec<View>,
    /// The bytes of the uniform.
    pub params: Vec<u8>,
    /// The number of workgroups along x, y and z.
    pub groups: [u32; 3],
    /// The cost, in a unit that is the same for all dispatches of this entry point, such as frames times channels times
    /// sections. The engine learns the time per unit and splits dispatches that would take too long.
    pub work: u64,
}

/// A step of a recording. Steps run in order, and each sees what the earlier ones wrote.
#[derive(Clone, Debug)]
pub enum Command<'a> {
    /// Copies from host to device.
    Upload {
        /// The destination.
        to: View,
        /// As many bytes as `to` has.
        data: Cow<'a, [u8]>,
    },
    /// Runs a kernel.
    Dispatch(Dispatch),
    /// Copies within the device. Both views have the same size.
    Copy {
        /// The source.
        from: View,
        /// The destination.
        to: View,
    },
    /// Copies from device to host.
    Readback {
        /// The source.
        from: View,
        /// Identifies the result.
        ticket: ReadbackId,
    },
}

/// A list of steps on virtual buffers. Data to upload can be borrowed, so that recording does not copy it.
#[derive(Clone, Debug, Default)]
pub struct Recording<'a> {
    sizes: Vec<u64>,
    tickets: u32,
    commands: Vec<Command<'a>>,
    constants: Vec<(Buffer, Constant)>,
}

impl<'a> Recording<'a> {
    /// Creates an empty recording.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a buffer of `bytes` bytes (rounded up to a multiple of 4, and at least 4). Its contents are undefined.
    pub fn buffer(&mut self, bytes: u64) -> View {
        let bytes = bytes.max(4).next_multiple_of(4);
        self.sizes.push(bytes);
        View { buffer: Buffer(self.sizes.len() as u32 - 1), offset: 0, bytes }
    }

    /// Adds a read-only constant.
    pub fn constant(&mut self, constant: &Constant) -> View {
        if let Some((buffer, _)) = self.constants.iter().find(|(_, known)| known.id == constant.id) {
            return View { buffer: *buffer, offset: 0, bytes: self.sizes[buffer.0 as usize] };
        }
        let view = self.buffer(constant.bytes.len() as u64);
        self.constants.push((view.buffer, constant.clone()));
        view
    }

    /// Uploads `data` to `to`; does nothing if `data` is empty.
    ///
    /// # Panics
    /// Panics if `to` is smaller than the data.
    pub fn upload(&mut self, to: View, data: impl Into<Cow<'a, [u8]>>) {
        let data = data.into();
        assert!(data.len() as u64 <= to.bytes, "an upload of {} bytes to a view of {}", data.len(), to.bytes);
        if !data.is_empty() {
            self.commands.push(Command::Upload { to: to.part(0, data.len() as u64), data });
        }
    }

    /// Runs a kernel; does nothing if the grid has no workgroups.
    pub fn dispatch(&mut self, dispatch: Dispatch) {
        if dispatch.groups.iter().all(|&count| count > 0) {
            self.commands.push(Command::Dispatch(dispatch));
        }
    }

    /// Copies from one view to another.
    ///
    /// # Panics
    /// Panics if the sizes differ.
    pub fn copy(&mut self, from: View, to: View) {
        assert_eq!(from.bytes, to.bytes, "a copy between views of different sizes");
        self.commands.push(Command::Copy { from, to });
    }

    /// Reads back the bytes of `from`.
    pub fn readback(&mut self, from: View) -> ReadbackId {
        self.tickets += 1;
        let ticket = ReadbackId(self.tickets - 1);
        self.commands.push(Command::Readback { from, ticket });
        ticket
    }

    /// Returns the number of bytes to upload, without constants.
    pub(super) fn upload_bytes(&self) -> u64 {
        let bytes = |command: &Command<'_>| if let Command::Upload { to, .. } = command { to.bytes } else { 0 };
        self.commands.iter().map(bytes).sum()
    }

    /// Returns a copy that owns its upload data.
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

    /// Appends another recording, on new buffers but with shared constants. Returns the number of its first ticket.
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

    /// Returns `copies` of this recording, each on separate buffers, all repeated `rounds` times. The first uploads of
    /// all copies come before the first of them runs, so that none finds its input in a cache. Only the first run is
    /// read back, by the same tickets.
    pub(super) fn repeated(&self, copies: usize, rounds: usize) -> Recording<'_> {
        let mut all = Recording::new();
        for _ in 0..copies.max(1) {
            all.append(self);
        }
        let first_run = self.commands.len();
        let early = self.early_uploads();
        let commands: Vec<Command<'_>> = std::mem::take(&mut all.commands);
        let is_early = |at: usize| early[at % first_run];
        let placed = || commands.iter().enumerate();
        all.commands.extend(placed().filter(|(at, _)| is_early(*at)).map(|(_, command)| command.clone()));
        for round in 0..rounds.max(1) {
            let rest = placed().filter(|(at, command)| {
                let read_back = matches!(command, Command::Readback { .. });
                !is_early(*at) && (!read_back || (round == 0 && *at < first_run))
            });
            all.commands.extend(rest.map(|(_, command)| command.clone()));
        }
        all
    }

    /// Returns for each step whether it is an upload to a buffer that no earlier step has used.
    fn early_uploads(&self) -> Vec<bool> {
        let mut used = vec![false; self.sizes.len()];
        let mut early = Vec::with_capacity(self.commands.len());
        for command in &self.commands {
            early.push(matches!(command, Command::Upload { to, .. } if !used[to.buffer.0 as usize]));
            let mut mark = |view: &View| used[view.buffer.0 as usize] = true;
            match command {
                Command::Upload { .. } => {}
                Command::Dispatch(dispatch) => dispatch.views.iter().for_each(mark),
                Command::Copy { from, to } => [from, to].into_iter().for_each(mark),
                Command::Readback { from, .. } => mark(from),
            }
        }
        early
    }

    /// Returns all tickets.
    pub(super) fn tickets(&self) -> impl Iterator<Item = ReadbackId> {
        (0..self.tickets).map(ReadbackId)
    }

    /// Returns the size of each buffer in bytes, by buffer number.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Returns the constants and the buffers that hold them.
    pub fn constants(&self) -> &[(Buffer, Constant)] {
        &self.constants
    }

    /// Returns the steps in order.
    pub fn commands(&self) -> &[Command<'a>] {
        &self.commands
    }
}
