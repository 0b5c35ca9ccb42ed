//! Vorbis of more than two channels, decoded by Xiph's library, which the encoder is made of.
//!
//! Surround sound couples its channels in several steps, and these must be undone from the last to the first (Vorbis I
//! specification, section 4.3.5). Symphonia's decoder (0.6.1) begins with the first, so that 5.1 as `oggenc` writes it comes
//! out with its channels mixed up; mono and stereo have no more than one step.

use aotuv_lancer_vorbis_sys as vorbis;
use ogg_next_sys::ogg_packet;

use super::AudioBuffer;
use super::encode::vorbis_order;

/// Bytes of the identification header, behind which the setup header stands in [`super::codec::Codec::extra`].
const IDENTIFICATION: usize = 30;
/// A header of comments: of no vendor, and none.
const NO_COMMENTS: &[u8] = b"\x03vorbis\0\0\0\0\0\0\0\0\x01";

/// The decoder of one stream.
pub(super) struct VorbisStreams {
    state: Box<State>,
    /// For each channel that is decoded, which one comes out.
    order: Vec<usize>,
    /// The number of the next packet.
    next: i64,
}

/// Each points to the one before it, so that all stay where they are.
struct State {
    info: vorbis::vorbis_info,
    comment: vorbis::vorbis_comment,
    dsp: vorbis::vorbis_dsp_state,
    block: vorbis::vorbis_block,
    /// How many of the four are there to be cleared.
    made: Made,
}

#[derive(Clone, Copy, PartialEq)]
#[repr(u8)]
enum Made {
    Headers = 0,
    All,
}

#[allow(unsafe_code, reason = "the library shares nothing between streams and remembers no thread")]
// SAFETY: what the pointers lead to belongs to this stream alone.
unsafe impl Send for State {}
#[allow(unsafe_code, reason = "nothing is done with a shared one")]
// SAFETY: no method takes it by a shared reference.
unsafe impl Sync for State {}

fn packet(bytes: &[u8], number: i64) -> ogg_packet {
    ogg_packet {
        // The library reads it only.
        packet: bytes.as_ptr().cast_mut(),
        bytes: bytes.len() as _,
        b_o_s: i32::from(number == 0) as _,
        e_o_s: 0,
        granulepos: -1,
        packetno: number,
    }
}

impl State {
    /// With the headers read; none when they are damaged.
    #[allow(unsafe_code, reason = "calls a library in C")]
    fn new(identification: &[u8], setup: &[u8]) -> Option<Box<Self>> {
        // SAFETY: all zeros are a value of each of these structures of numbers and pointers, and of the number behind them;
        // the library initialises each before any other use.
        let mut state: Box<Self> = Box::new(unsafe { std::mem::zeroed() });
        state.made = Made::Headers;
        // SAFETY: all pointers are to fields of the box, which neither moves nor is let go of before it is dropped.
        unsafe {
            vorbis::vorbis_info_init(&raw mut state.info);
            vorbis::vorbis_comment_init(&raw mut state.comment);
            for (number, header) in [identification, NO_COMMENTS, setup].into_iter().enumerate() {
                let mut packet = packet(header, number as i64);
                let read =
                    vorbis::vorbis_synthesis_headerin(&raw mut state.info, &raw mut state.comment, &raw mut packet);
                if read != 0 {
                    return None;
                }
            }
            if vorbis::vorbis_synthesis_init(&raw mut state.dsp, &raw mut state.info) != 0 {
                return None;
            }
            vorbis::vorbis_block_init(&raw mut state.dsp, &raw mut state.block);
        }
        state.made = Made::All;
        Some(state)
    }
}

impl Drop for State {
    #[allow(unsafe_code, reason = "calls a library in C")]
    fn drop(&mut self) {
        // SAFETY: what was initialised is cleared once, the last first.
        unsafe {
            if self.made == Made::All {
                vorbis::vorbis_block_clear(&raw mut self.block);
                vorbis::vorbis_dsp_clear(&raw mut self.dsp);
            }
            vorbis::vorbis_comment_clear(&raw mut self.comment);
            vorbis::vorbis_info_clear(&raw mut self.info);
        }
    }
}

impl VorbisStreams {
    /// The decoder that the identification and setup headers ask for; none where they are damaged.
    pub fn new(headers: &[u8]) -> Option<Self> {
        let (identification, setup) = headers.split_at_checked(IDENTIFICATION)?;
        let state = State::new(identification, setup)?;
        let channels = usize::try_from(state.info.channels).ok()?;
        let known = vorbis_order(channels);
        let order = if known.len() == channels { known.to_vec() } else { (0..channels).collect() };
        Some(Self { state, order, next: 3 })
    }

    /// Forgets all that came before.
    #[allow(unsafe_code, reason = "calls a library in C")]
    pub fn reset(&mut self) {
        // SAFETY: it is initialised.
        unsafe { vorbis::vorbis_synthesis_restart(&raw mut self.state.dsp) };
    }

    /// Decodes a packet, the first one after a reset to nothing; none when it is damaged.
    #[allow(unsafe_code, reason = "calls a library in C")]
    pub fn decode(&mut self, data: &[u8], out: &mut AudioBuffer) -> Option<()> {
        let mut packet = packet(data, self.next);
        self.next += 1;
        let state = &mut *self.state;
        // SAFETY: all is initialised; the packet's bytes outlive the call.
        let taken = unsafe {
            vorbis::vorbis_synthesis(&raw mut state.block, &raw mut packet) == 0
                && vorbis::vorbis_synthesis_blockin(&raw mut state.dsp, &raw mut state.block) == 0
        };
        if !taken {
            return None;
        }
        let mut planes = std::ptr::null_mut();
        // SAFETY: as above.
        let frames = unsafe { vorbis::vorbis_synthesis_pcmout(&raw mut state.dsp, &raw mut planes) };
        let count = usize::try_from(frames).ok()?;
        out.resize(self.order.len(), count);
        if count > 0 {
            for (from, &to) in self.order.iter().enumerate() {
                // SAFETY: there is a plane of so many frames for each channel until they are read.
                let plane = unsafe { std::slice::from_raw_parts(*planes.add(from), count) };
                out.channel_mut(to).copy_from_slice(plane);
            }
            // SAFETY: as above.
            unsafe { vorbis::vorbis_synthesis_read(&raw mut state.dsp, frames) };
        }
        Some(())
    }
}
