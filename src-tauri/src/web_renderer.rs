//! Chooses how the web view paints on machines without a GPU.
//!
//! `WebKitGTK` composites layers with OpenGL and passes them on as DMA buffers. Without a GPU's render node, OpenGL
//! runs in software and every frame copies each layer several times: panning an hour of stereo dropped to 10 frames per
//! second, where painting directly to memory reaches 59 (`benches/NOTES.md`). `WEBKIT_DISABLE_DMABUF_RENDERER` selects
//! the latter.

/// The variable that `WebKitGTK` reads. A value set by the user, including `0`, is kept.
const VARIABLE: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

/// Selects painting to memory if there is no render node. Must be called before any thread starts.
pub fn choose() {
    if std::env::var_os(VARIABLE).is_none() && !has_render_node() {
        #[allow(unsafe_code)]
        // SAFETY: this is the first statement of `main`, so no other thread exists that could read the environment.
        unsafe {
            std::env::set_var(VARIABLE, "1");
        }
    }
}

/// Returns whether a GPU with a render node exists. The kernel names them `/dev/dri/renderD128` and up.
fn has_render_node() -> bool {
    std::fs::read_dir("/dev/dri")
        .is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("renderD")))
}
