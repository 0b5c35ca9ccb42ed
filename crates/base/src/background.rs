//! A thread pool of low priority for background analysis, so that the window and the audio stay smooth.
//!
//! Analysis uses all cores. At normal priority it would make a window that is drawn by the CPU stutter. These threads
//! yield to other threads and use a whole core only while nothing else wants it.

use std::sync::LazyLock;

use rayon::{ThreadPool, ThreadPoolBuilder};
#[cfg(not(target_os = "linux"))]
use thread_priority::{ThreadPriority, set_current_thread_priority};

/// The thread priority, 0 (lowest) to 100; 50 is normal.
#[cfg(not(target_os = "linux"))]
const PRIORITY: u8 = 25;
/// The amount added to the niceness of the program, which may itself have been started to give way: a background thread
/// has about an eighth of the share of another one.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 9;

static POOL: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let name = |number| format!("background {number}");
    let built = ThreadPoolBuilder::new().thread_name(name).start_handler(|_| give_way()).build();
    built.inspect_err(|error| tracing::warn!("no background threads: {error}")).ok()
});

/// Runs `work` and everything it spawns with Rayon on the background pool, and returns when it is done. Runs it on the
/// calling thread if the pool could not be created.
pub fn run<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match &*POOL {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// Lowers the priority of the calling thread until the thread ends.
pub fn give_way() {
    #[cfg(target_os = "linux")]
    let given = rustix::process::nice(NICENESS);
    #[cfg(not(target_os = "linux"))]
    let given = set_current_thread_priority(ThreadPriority::try_from(PRIORITY).unwrap_or(ThreadPriority::Min));
    // Some systems do not let a program choose. The result does not depend on the priority.
    if let Err(error) = given {
        tracing::debug!("a background thread keeps its priority: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_on_threads_that_give_way() {
        let (name, sum) = run(|| {
            use rayon::prelude::*;
            let sum: u64 = (0..1000u64).into_par_iter().sum();
            (std::thread::current().name().map(str::to_owned), sum)
        });
        assert_eq!(sum, 499_500);
        assert!(name.is_some_and(|name| name.starts_with("background")));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn it_gives_way_on_linux() {
        // Field 19 of `/proc/thread-self/stat` is the niceness (proc(5)); field 2, the name, may contain spaces.
        let niceness = || -> i32 {
            let state = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
            state.rsplit_once(')').unwrap().1.split_whitespace().nth(16).unwrap().parse().unwrap()
        };
        let here = niceness();
        // The highest is 19, and there is no giving way below it.
        assert!(run(niceness) > here || here == 19, "{} against {here}", run(niceness));
        assert_eq!(niceness(), here);
    }
}
