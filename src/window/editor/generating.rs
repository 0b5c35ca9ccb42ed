//! Generates test signals into documents. The sound is written to files in the program's data folder.

use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::generate::{Generator, GeneratorSettings, Signal};
use crate::lock::lock;
use crate::progress::Progress;
use crate::window::App;
use crate::window::workspace::made_files::write;
use crate::window::workspace::types::{DocumentId, DocumentView, Opened};

/// The longest signal that the window generates, in seconds; the command line has no such limit.
pub const MAX_SECONDS: f64 = 24.0 * 3600.0;
/// The name of the step that inserts a signal.
const LABEL: &str = "Generate";

impl App {
    #[allow(clippy::needless_pass_by_value, reason = "commands own their arguments")]
    pub(in crate::window) fn generate(&self, settings: GeneratorSettings) -> Result<Opened> {
        let path = self.generated(&settings)?;
        Ok(self.open(&[path]))
    }

    #[allow(clippy::needless_pass_by_value, reason = "commands own their arguments")]
    pub(in crate::window) fn insert_generated(
        &self,
        document: DocumentId,
        settings: GeneratorSettings,
    ) -> Result<DocumentView> {
        let format = self.workspace.state().document(document)?.format()?;
        if (settings.format.rate, settings.format.channels) != (format.rate, format.channels) {
            let words = |rate, channels| format!("{rate}, {channels} channels");
            let got = words(settings.format.rate, settings.format.channels);
            return Err(Error::invalid("format of the signal", got, words(format.rate, format.channels)));
        }
        let path = self.generated(&GeneratorSettings { format, ..settings })?;
        self.paste_file(document, &path, LABEL)
    }

    #[allow(clippy::unnecessary_wraps, reason = "commands give results")]
    pub(in crate::window) fn cancel_generating(&self) -> Result<()> {
        if let Some(running) = lock(&self.generating).take() {
            running.cancel();
        }
        Ok(())
    }

    /// Writes the signal to a new file. On an error, no file is left.
    fn generated(&self, settings: &GeneratorSettings) -> Result<PathBuf> {
        let seconds = settings.format.rate.seconds_from_frames(settings.frames);
        if seconds > MAX_SECONDS {
            return Err(Error::invalid("length", format!("{seconds:.0} s"), format!("at most {MAX_SECONDS} s")));
        }
        let progress = Progress::new();
        if let Some(former) = lock(&self.generating).replace(progress.clone()) {
            former.cancel();
        }
        let mut generator = Generator::new(settings)?;
        let path = self.workspace.new_recording(stem(&settings.signal))?;
        match write(&mut generator, &path, &progress) {
            Ok(()) => Ok(path),
            Err(error) => {
                self.workspace.no_recording(&path);
                Err(error)
            }
        }
    }
}

/// Returns the file's name without extension, which is also the name of the new document.
fn stem(signal: &Signal) -> &'static str {
    match signal {
        Signal::Sine { .. } => "Sine",
        Signal::Square { .. } => "Square",
        Signal::Saw { .. } => "Saw",
        Signal::Triangle { .. } => "Triangle",
        Signal::Sweep { .. } => "Sweep",
        Signal::White { .. } => "White noise",
        Signal::Pink => "Pink noise",
        Signal::Brown => "Brown noise",
        Signal::Impulses { .. } => "Impulses",
        Signal::Silence => "Silence",
        Signal::Dtmf { .. } => "DTMF",
        Signal::Clicks { .. } => "Clicks",
    }
}
