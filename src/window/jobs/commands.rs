//! The commands of jobs.

use super::Jobs;
use super::{JobId, JobView};
use crate::window::commands::commands;

commands! {
    jobs(app);

    Jobs(&app.jobs) {
        /// Cancels a job.
        [Control] cancel(job: JobId) -> ();
        /// Returns the jobs since the program started.
        [Control] view() -> Vec<JobView>;
    }
}
