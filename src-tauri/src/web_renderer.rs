//! How the web view paints where no GPU does it.
//!
//! `WebKitGTK` composes layers with OpenGL and hands them over as DMA buffers. Without a GPU's render node that OpenGL is
//! software: every frame copies each layer several times, and panning an hour of stereo fell to 10 frames a second where
//! painting straight to memory reaches 59 (`benches/NOTES.md`). `WEBKIT_DISABLE_DMABUF_RENDERER` chooses the latter.

/// The variable `WebKitGTK` reads; a value that the user has set is respected, `0` included.
const VARIABLE: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

/// Lets the web view paint to memory where there is no render node. To be called before anything starts a thread.
pub fn choose() {
    if std::env::var_os(VARIABLE).is_none() && !has_render_node() {
        #[allow(unsafe_code)]
        // SAFETY: the first statement of `main`: no other thread exists that could read the environment.
        unsafe {
            std::env::set_var(VARIABLE, "1");
        }
    }
}

/// Whether a GPU that can draw is there: the kernel names it `/dev/dri/renderD128` and on.
fn has_render_node() -> bool {
    std::fs::read_dir("/dev/dri")
        .is_ok_and(|entries| entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("renderD")))
}
