// Planar audio in a storage buffer of vec4<f32>: channel c begins at element c * stride; what lies behind a channel's
// last frame holds anything and is never to be relied upon.

const WORKGROUP: u32 = 256u;

// The four samples that begin at frame `first`, those at or behind `frames` silenced.
fn within(samples: vec4<f32>, first: u32, frames: u32) -> vec4<f32> {
    let frame = vec4<u32>(first, first + 1u, first + 2u, first + 3u);
    return select(vec4<f32>(0.0), samples, frame < vec4<u32>(frames));
}
