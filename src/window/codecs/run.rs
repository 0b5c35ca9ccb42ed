//! Runs the grid as a job.

use std::sync::Arc;

use super::types::CodecsView;
use super::{CodecsPage, State};
use crate::codec_grid::{Grid, Results, report, run};
use crate::codecs::from_words;
use crate::compare::{MEASURES, Measure, Request, measure_named};
use crate::error::{Error, Failure, Result};
use crate::progress::Progress;
use crate::window::jobs::{JobPurpose, JobState};

impl CodecsPage {
    pub(in crate::window) fn start(self: &Arc<Self>) -> Result<CodecsView> {
        let settings = self.workspace.state().settings.models.clone();
        let mut state = self.locked();
        state.at_rest()?;
        let grid = state.grid()?;
        grid.codecs.iter().filter_map(|codec| codec.model()).try_for_each(|kind| settings.check_licence(kind))?;
        (state.phase, state.failure, state.results) = (Some(JobState::Running), None, None);
        let page = Arc::clone(self);
        let title = format!("{} recordings through {} codecs", grid.inputs.len(), grid.codecs.len());
        let job = self.jobs.start(JobPurpose::Codecs, title, move |progress| {
            // However the run ends, even by a panic, the page is updated.
            let end = AtEnd(&page);
            let outcome = done(&grid, progress);
            end.with(outcome).map(|()| None)
        });
        state.job = Some(job);
        Ok(self.view_of(&state))
    }
}

fn done(grid: &Grid, progress: &Progress) -> Result<Results> {
    let results = run(grid, progress, &|_| {})?;
    report::write(&results)?;
    Ok(results)
}

impl State {
    fn grid(&self) -> Result<Grid> {
        let folder = self.output.clone();
        let folder = folder.ok_or_else(|| Error::impossible("No folder for the results. Choose one first."))?;
        let names = &self.settings.measures;
        let asked: Vec<&Measure> = names.iter().map(|name| measure_named(name)).collect::<Result<_>>()?;
        let grid = Grid {
            inputs: self.recordings.iter().map(|recording| recording.input.clone()).collect(),
            codecs: from_words(&self.words())?,
            request: Request {
                measures: MEASURES.iter().filter(|measure| asked.contains(measure)).collect(),
                ..Request::default()
            },
            keeps_decoded: self.settings.keeps_decoded,
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            folder,
        };
        grid.check()?;
        Ok(grid)
    }
}

struct AtEnd<'a>(&'a CodecsPage);

impl AtEnd<'_> {
    fn with(self, outcome: Result<Results>) -> Result<()> {
        let mut state = self.0.locked();
        match outcome {
            Ok(results) => {
                (state.phase, state.results) = (Some(JobState::Done), Some(Arc::new(results)));
                Ok(())
            }
            Err(Error::Cancelled) => {
                state.phase = Some(JobState::Cancelled);
                Err(Error::Cancelled)
            }
            Err(error) => {
                (state.phase, state.failure) = (Some(JobState::Failed), Some(Failure::from(&error)));
                Err(error)
            }
        }
    }
}

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        let mut state = self.0.locked();
        if state.phase == Some(JobState::Running) {
            state.phase = Some(JobState::Failed);
        }
    }
}
