// Planar audio in a storage buffer of vec4<f32>: channel c begins at element c * stride. Values after a channel's last
// frame are undefined.

const WORKGROUP: u32 = 256u;

// Returns the four samples starting at frame `first`, with those at or after `frames` replaced by 0.
fn within(samples: vec4<f32>, first: u32, frames: u32) -> vec4<f32> {
    let frame = vec4<u32>(first, first + 1u, first + 2u, first + 3u);
    return select(vec4<f32>(0.0), samples, frame < vec4<u32>(frames));
}
