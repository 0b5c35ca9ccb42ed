// A stream's frames on the device: what was carried from earlier, then the chunk. The shader that imports this has
// params.held (carried frames of each channel), params.frames and params.stride (the chunk's), and declares
// `carried: array<f32>` and `chunk: array<f32>`.

// What is smaller (-500 dB) is silence, and so is what is no number: told by their bits, as a comparison of numbers may
// be compiled as if there were none that is not one. 1e-25 and infinity:
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
