//! Threads for what is prepared while somebody looks and listens: they give way to the window and to the sound.
//!
//! Analysis takes all cores. Beside it a window drawn by the processor would stutter, as every thread is given the same
//! share; those here are given less where others want to run, and all of a core where none does.

use std::sync::LazyLock;

use rayon::{ThreadPool, ThreadPoolBuilder};
use thread_priority::{ThreadPriority, set_current_thread_priority};

/// Of 0 (the lowest) to 100, of which 50 is usual: a niceness of 9 on Linux, an eighth of the usual share.
const PRIORITY: u8 = 25;

static POOL: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
    let name = |number| format!("background {number}");
    let built = ThreadPoolBuilder::new().thread_name(name).start_handler(|_| give_way()).build();
    built.inspect_err(|error| tracing::warn!("no background threads: {error}")).ok()
});

/// Does some work, with all that it shares among threads, behind what others do; returns when it is done.
pub(crate) fn run<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match &*POOL {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// Makes the calling thread give way until it ends.
pub(crate) fn give_way() {
    // Some systems do not let programs choose. What is made is the same, and the window as smooth as it was.
    let priority = ThreadPriority::try_from(PRIORITY).unwrap_or(ThreadPriority::Min);
    if let Err(error) = set_current_thread_priority(priority) {
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
        // The nineteenth field of a thread's state is how nice it is (proc(5)); the second, its name, may hold spaces.
        let niceness = || -> i32 {
            let state = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
            state.rsplit_once(')').unwrap().1.split_whitespace().nth(16).unwrap().parse().unwrap()
        };
        let here = niceness();
        assert!(run(niceness) > here.max(0), "{} against {here}", run(niceness));
        assert_eq!(niceness(), here);
    }
}
