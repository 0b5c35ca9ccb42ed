//! Splits files, each on the device that is free.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::arguments::Stems;
use super::devices::lanes;
use super::targets::Planned;
use super::{FileResult, Report, StemBefore, say};
use crate::audio::TagChanges;
use crate::audio::encode::FileFormat;
use crate::chain::{Chain, Placement};
use crate::cli::arguments::ChainChoice;
use crate::cli::interrupt::cancel_on_interrupt;
use crate::cli::options::{check_own_chain, dither_for, lossy_settings};
use crate::cli::output::{Output, name};
use crate::cli::time::range_from_texts;
use crate::effects::Permission;
use crate::error::{Error, Failure, Result};
use crate::files::{Protected, Stamp};
use crate::lock::lock;
use crate::progress::Progress;
use crate::stems::{ResidualUse, Separation, StemKind};
use crate::work::batch::journal::Journal;
use crate::work::batch::run::{PARTS, parts_done, recipe};
use crate::work::batch::targets::{extension, own_bits};
use crate::work::export::{ExportInput, ExportSettings};
use crate::work::stem_files::{StemsJob, StemsOutcome, tagging_of, write_stems};

/// The inputs and settings that the files share.
pub struct Job<'a> {
    pub words: &'a Stems,
    pub split: Separation,
    pub placement: Placement,
    pub inputs: Protected,
    pub tags: TagChanges,
    /// The list of finished files, if they should be skipped.
    pub journal: Option<Journal>,
}

/// The stems of a file.
enum FileOutcome {
    /// They were written.
    Written(Box<StemsOutcome>),
    /// An earlier run has written them.
    Before(Vec<(StemKind, PathBuf)>),
}

impl Job<'_> {
    /// Splits the files, one after the other on each device. The reports are in the order of the inputs.
    pub(super) fn all(&self, planned: Vec<Planned>, output: &Output) -> Vec<Report> {
        let lanes = lanes(&self.split, &self.placement, planned.len(), output);
        let count = planned.len();
        let progress: Arc<Vec<Progress>> = Arc::new(planned.iter().map(|_| Progress::new()).collect());
        cancel_on_interrupt(&progress);
        let finished = Arc::new(AtomicUsize::new(0));
        let _bar = (lanes.len() > 1).then(|| {
            let (progress, finished) = (Arc::clone(&progress), Arc::clone(&finished));
            output.follow_with(&format!("{count} files"), move || {
                let done: u64 = progress.iter().map(parts_done).sum();
                (done.max(finished.load(Ordering::Relaxed) as u64 * PARTS), count as u64 * PARTS)
            })
        });
        let work: Vec<Mutex<Option<Planned>>> = planned.into_iter().map(|planned| Mutex::new(Some(planned))).collect();
        let reports: Vec<Mutex<Option<Report>>> = work.iter().map(|_| Mutex::new(None)).collect();
        // Each device begins with a different file, and takes the next one when it is done.
        let next = AtomicUsize::new(lanes.len());
        let on = |first: usize, placement: &Placement| {
            let mut at = first;
            while let (Some(planned), Some(progress)) =
                (work.get(at).and_then(|work| lock(work).take()), progress.get(at))
            {
                let _bar = (lanes.len() == 1).then(|| output.follow(&name(&planned.input), progress));
                *lock(&reports[at]) = Some(self.report(planned, placement, progress, output));
                finished.fetch_add(1, Ordering::Relaxed);
                at = next.fetch_add(1, Ordering::Relaxed);
            }
        };
        std::thread::scope(|scope| {
            // The first of them, often the only one, is worked on here.
            let mut others = lanes.iter().enumerate();
            let first_lane = others.next();
            for (first, placement) in others {
                let on = &on;
                scope.spawn(move || on(first, placement));
            }
            if let Some((first, placement)) = first_lane {
                on(first, placement);
            }
        });
        reports.into_iter().filter_map(|report| lock(&report).take()).collect()
    }

    fn report(&self, planned: Planned, placement: &Placement, progress: &Progress, output: &Output) -> Report {
        let (input, model) = (planned.input.clone(), self.words.model.clone());
        let result = match self.file(planned, placement, progress, output) {
            Ok(FileOutcome::Written(outcome)) => {
                say(&input, &outcome, &self.split, output);
                FileResult::Written { model, rough: matches!(self.split, Separation::Quick(_)), outcome }
            }
            Ok(FileOutcome::Before(targets)) => {
                for (_, target) in targets.iter().filter(|_| !output.is_json()) {
                    let (input, target) = (input.display(), target.display());
                    output.line(&format!("{input} -> {target}  skipped, finished before"));
                }
                let stems = targets.into_iter().map(|(stem, target)| StemBefore { stem, target }).collect();
                FileResult::Before { model, skipped: true, stems }
            }
            Err(error) => {
                output.note(&format!("undertone: {}: {error}", name(&input)));
                FileResult::Failed { error: Failure::from(error) }
            }
        };
        Report { input, result }
    }

    fn file(
        &self,
        planned: Planned,
        placement: &Placement,
        progress: &Progress,
        output: &Output,
    ) -> Result<FileOutcome> {
        let Planned { input, targets } = planned;
        let targets = targets?;
        progress.check()?;
        let read = Stamp::of(&input);
        let file = ExportInput::open(&input, &Permission::ANY)?;
        for warning in file.warnings() {
            output.note(&format!("undertone: {}: {warning}", name(&input)));
        }
        let choice = ChainChoice { chain: None, preset: None, allow_files: self.words.allow_files };
        check_own_chain(&choice, &file)?;
        let source = file.sound(placement, progress)?;
        let (settings, told) = self.settings(&file, source.frames())?;
        let recipe = self.recipe(&file, &settings, &targets)?;
        let is_done = |journal: &Journal| targets.iter().all(|(_, target)| journal.has(&input, target, &recipe));
        if self.journal.as_ref().is_some_and(is_done) {
            return Ok(FileOutcome::Before(targets));
        }
        for folder in targets.iter().filter_map(|(_, target)| target.parent()) {
            std::fs::create_dir_all(folder).map_err(|error| Error::io("make the folder", folder, error))?;
        }
        // A project's frames are counted after its chain, and may differ from the frames of its markers.
        let moved = file.own_chain().is_some_and(|chain| *chain != Chain::default());
        let job = StemsJob {
            source,
            placement: placement.clone(),
            split: self.split.clone(),
            targets,
            spread: self.words.residual == ResidualUse::Spread,
            settings: ExportSettings { markers: !moved, ..settings },
            overwrite: self.words.overwrite,
            inputs: self.inputs.clone(),
            tags: tagging_of(&file)?.with(self.tags.clone()),
            markers: file.markers(),
            follow: None,
        };
        let mut outcome = write_stems(job, progress)?;
        outcome.warnings.splice(0..0, told);
        if let (Some(journal), Some(read)) = (&self.journal, read) {
            for stem in &outcome.stems {
                journal.add(&input, read, &stem.target, &recipe)?;
            }
        }
        Ok(FileOutcome::Written(Box::new(outcome)))
    }

    /// Returns a hash by which another run recognises that it would produce the same stems: the batch's hash, with the
    /// split and its request.
    fn recipe(&self, file: &ExportInput, settings: &ExportSettings, targets: &[(StemKind, PathBuf)]) -> Result<String> {
        let chain = file.chain(&Chain::default());
        let split = match &self.split {
            Separation::Quick(split) => format!("quick {}", split.stems()[0].name()),
            Separation::Network { model, options } => format!("{} {options:?}", model.identity()),
        };
        let stems: Vec<&str> = targets.iter().map(|(stem, _)| stem.name()).collect();
        let (stems, recipe) = (stems.join(","), recipe(&chain, file, settings, &self.tags)?);
        let text = format!("{recipe}\n{split}\n{stems}\n{:?}", self.words.residual);
        Ok(blake3::hash(text.as_bytes()).to_hex().to_string())
    }

    /// Returns the settings, and a warning if a recording is shorter than the requested part.
    fn settings(&self, file: &ExportInput, frames: u64) -> Result<(ExportSettings, Option<String>)> {
        let (words, info) = (self.words, file.info());
        let is_flac = extension(None, file.path()) == FileFormat::Flac.extension();
        let format = words.format.unwrap_or(if is_flac { FileFormat::Flac } else { FileFormat::Wav });
        let bits = words.bits.unwrap_or_else(|| own_bits(format, info.bits, &info.codec));
        let dither = dither_for(words.dither, format, bits);
        let (start, end) = (words.start.as_deref(), words.end.as_deref());
        let (range, told) = range_from_texts(start, end, file.format().rate, frames)?;
        let plain = ExportSettings::plain(format, bits, dither, lossy_settings(&words.lossy, format)?);
        Ok((ExportSettings { range: Some(range), rate: words.rate, ..plain }, told))
    }
}
