// Signals from spectra of windows, up to 4096 points. The inverse transform is the forward transform with real and
// imaginary parts swapped, followed by weighted overlap-add, which longer transforms use too. Tables as in stft.wgsl.
// Host side: kernels/signal/istft/gpu.rs. Longer transforms: istft_long.wgsl.
//   inverse       frames of each window, times the window function          windows / slots
//   overlap_add   the signal                                                frames / 256

// import: shared/fft.wgsl

struct Params {
    first_group: u32,
    windows: u32,
    // Complex points of the transform, half of its real points.
    points: u32,
    // Frames per window.
    size: u32,
    hop: u32,
    // Frames of the signal.
    frames: u32,
    // Frames from the start of the first window to the first frame of the signal. For window j, subtract j hop.
    lead: u32,
    // 1 / points
    scale: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
// points + 1 bins per window.
@group(0) @binding(1) var<storage, read> complex_spectra: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read> tables: array<vec2<f32>>;
// Two frames per element.
@group(0) @binding(3) var<storage, read_write> weighed: array<vec2<f32>>;
@group(0) @binding(4) var<storage, read_write> signal: array<f32>;

fn fft_points() -> u32 {
    return params.points;
}

@compute @workgroup_size(256)
fn inverse(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let threads = params.points / EACH;
    let slots = POINTS / params.points;
    let slot = lane / threads;
    let thread = lane - slot * threads;
    let window = (params.first_group + group.x) * slots + slot;
    let base = min(window, params.windows - 1u) * (params.points + 1u);
    for (var r = 0u; r < EACH; r++) {
        let k = thread + r * threads;
        var bin = complex_spectra[base + k];
        var mirror = complex_spectra[base + params.points - k];
        // The imaginary parts at 0 Hz and the Nyquist frequency are zero for a real signal.
        if (k == 0u) {
            bin.y = 0.0;
            mirror.y = 0.0;
        }
        v[r] = packed(bin, mirror, tables[ROOTS + k]).yx;
    }
    fft(slot, thread);
    if (window < params.windows) {
        for (var r = 0u; r < EACH; r++) {
            let pair = thread + r * threads;
            if (2u * pair < params.size) {
                weighed[window * params.size / 2u + pair] = params.scale * tables[ROOTS + params.points + pair] * v[r].yx;
            }
        }
    }
}

@compute @workgroup_size(256)
fn overlap_add(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let frame = (params.first_group + group.x) * WORKGROUP + lane;
    if (frame < params.frames) {
        // Relative to the start of the first window.
        let place = frame + params.lead;
        let last = min(place / params.hop, params.windows - 1u);
        var first = 0u;
        if (place >= params.size) {
            first = (place - params.size) / params.hop + 1u;
        }
        var sum = 0.0;
        var weight = 0.0;
        for (var window = first; window <= last; window++) {
            let within = place - window * params.hop;
            let pair = within / 2u;
            let frames = weighed[window * params.size / 2u + pair];
            let taps = tables[ROOTS + params.points + pair];
            let odd = (within & 1u) == 1u;
            let tap = select(taps.x, taps.y, odd);
            sum += select(frames.x, frames.y, odd);
            weight += tap * tap;
        }
        signal[frame] = sum / weight;
    }
}
