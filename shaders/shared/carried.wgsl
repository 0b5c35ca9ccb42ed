// The frames of a stream on the device: carried frames, then the chunk. The importing shader provides params.held
// (carried frames per channel), params.frames and params.stride (of the chunk), and declares `carried: array<f32>` and
// `chunk: array<f32>`.

// Values below -500 dB and non-finite values are replaced by silence. They are detected by their bits, because a
// compiler may assume that floats are finite. The bits of 1e-25 and infinity:
const LEAST_BITS: u32 = 0x15f79688u;
const INFINITY_BITS: u32 = 0x7f800000u;

fn frame_at(channel: u32, index: u32) -> f32 {
    var bits = 0u;
    if (index < params.held) {
        bits = bitcast<u32>(carried[channel * params.held + index]);
    } else if (index - params.held < params.frames) {
        bits = bitcast<u32>(chunk[channel * params.stride + index - params.held]);
    }
    let size = bits & 0x7fffffffu;
    return select(0.0, bitcast<f32>(bits), size >= LEAST_BITS && size < INFINITY_BITS);
}
