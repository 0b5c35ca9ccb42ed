//! Schedules the commands of a window: in sequence where their order matters, otherwise concurrently.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use super::App;
use super::panics::caught;
use super::state::lock;

/// A command that is ready to run. It delivers its own answer.
pub type Task = Box<dyn FnOnce() + Send>;

/// Commands of one lane run one after another, in the order in which they were submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Edits, selection, exports of one document.
    Document(u64),
    /// Which document is active.
    Front,
    /// Playback.
    Transport,
    /// The settings.
    Settings,
    /// Presets, recent files and other data of the session.
    Kept,
    /// Commands that control running work or read only memory. They never wait for a disk.
    Control,
}

/// Returns the lane of a command; `None` for one that may take long, so that nothing waits behind it.
pub fn lane(name: &str, args: &Value) -> Option<Lane> {
    if App::may_take_long(name) {
        return None;
    }
    Some(match name {
        "play" | "stop" | "seek" | "set_loop" | "set_side" | "set_matched" | "set_monitoring" | "reset_monitor" => {
            Lane::Transport
        }
        "activate_document" => Lane::Front,
        "settings" | "set_settings" => Lane::Settings,
        "cancel_tiles" | "stop_loudness" | "jobs" | "cancel_job" | "check_chain" => Lane::Control,
        "pause_scan" | "resume_scan" | "cancel_scan" | "pause_batch" | "resume_batch" | "cancel_batch" => Lane::Control,
        _ => args.get("document").and_then(Value::as_u64).map_or(Lane::Kept, Lane::Document),
    })
}

/// Runs commands on the threads that it is given. A panic ends only its own command.
pub struct Order {
    spawn: Box<dyn Fn(Task) + Send + Sync>,
    /// The queued tasks of each busy lane.
    waiting: Arc<Mutex<HashMap<Lane, VecDeque<Task>>>>,
}

impl Order {
    /// Creates a scheduler. `spawn` must start a task on another thread immediately, whatever other tasks are running.
    pub fn new(spawn: impl Fn(Task) + Send + Sync + 'static) -> Self {
        Self { spawn: Box::new(spawn), waiting: Arc::default() }
    }

    /// Submits a task. It runs after the earlier tasks of its lane, or immediately if there are none.
    pub fn submit(&self, lane: Option<Lane>, task: Task) {
        let Some(lane) = lane else {
            return (self.spawn)(Box::new(move || run(task)));
        };
        {
            let mut waiting = lock(&self.waiting);
            if let Some(waiting) = waiting.get_mut(&lane) {
                return waiting.push_back(task);
            }
            waiting.insert(lane, VecDeque::new());
        }
        let waiting = Arc::clone(&self.waiting);
        (self.spawn)(Box::new(move || {
            let mut next = Some(task);
            while let Some(task) = next.take() {
                run(task);
                let mut waiting = lock(&waiting);
                next = waiting.get_mut(&lane).and_then(VecDeque::pop_front);
                if next.is_none() {
                    waiting.remove(&lane);
                }
            }
        }));
    }
}

fn run(task: Task) {
    // A command that panics has already answered with an error; a panic while answering has no one left to report to.
    let _ = caught("a command", || {
        task();
        Ok(())
    });
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread;
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    /// Longer than any machine takes.
    const LONG: Duration = Duration::from_secs(20);

    fn order() -> (Order, Sender<u32>, Receiver<u32>) {
        let (told, heard) = channel();
        (Order::new(|task| drop(thread::spawn(task))), told, heard)
    }

    #[test]
    fn a_panic_does_not_reach_the_next_command() {
        let (order, told, heard) = order();
        for round in 0..50 {
            for lane in [Some(Lane::Document(1)), None] {
                order.submit(lane, Box::new(|| panic!("on purpose")));
                let told = told.clone();
                order.submit(lane, Box::new(move || told.send(round).unwrap()));
                assert_eq!(heard.recv_timeout(LONG), Ok(round));
            }
        }
    }

    #[test]
    fn a_lane_keeps_its_order_and_waits_for_no_other() {
        let (order, told, heard) = order();
        let (open, gate) = channel::<()>();
        // An edit that waits for a disk, and a long task outside all lanes.
        order.submit(Some(Lane::Document(1)), Box::new(move || gate.recv().unwrap()));
        let (open_long, gate_long) = channel::<()>();
        order.submit(None, Box::new(move || gate_long.recv().unwrap()));
        for number in 0..200 {
            let told = told.clone();
            order.submit(Some(Lane::Document(1)), Box::new(move || told.send(1000 + number).unwrap()));
        }
        for number in 0..200 {
            let lane = [Lane::Transport, Lane::Document(2)][number as usize % 2];
            let told = told.clone();
            order.submit(Some(lane), Box::new(move || told.send(number).unwrap()));
        }
        let others: Vec<u32> = (0..200).map(|_| heard.recv_timeout(LONG).unwrap()).collect();
        for parity in 0..2 {
            let of_lane: Vec<u32> = others.iter().copied().filter(|number| number % 2 == parity).collect();
            assert!(of_lane.is_sorted(), "{of_lane:?}");
            assert_eq!(of_lane.len(), 100);
        }
        open.send(()).unwrap();
        let first: Vec<u32> = (0..200).map(|_| heard.recv_timeout(LONG).unwrap()).collect();
        assert_eq!(first, (1000..1200).collect::<Vec<u32>>());
        open_long.send(()).unwrap();
        // Idle lanes are removed.
        for _ in 0..1000 {
            if lock(&order.waiting).is_empty() {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("lanes are left");
    }

    #[test]
    fn commands_go_where_their_order_matters() {
        let of = |name: &str| lane(name, &json!({ "document": 7 }));
        for name in ["edit", "undo", "redo", "set_selection", "set_view", "export", "close_document", "save_preset"] {
            assert_eq!(of(name), Some(Lane::Document(7)), "{name}");
        }
        assert_eq!(of("play"), Some(Lane::Transport));
        assert_eq!(of("stop"), of("play"));
        assert_eq!(lane("settings", &json!({})), lane("set_settings", &json!({ "settings": {} })));
        for name in ["library_numbers", "library_rows", "open_dialog", "library_tracks", "levels", "retry_document"] {
            assert_eq!(of(name), None, "{name} may take long");
        }
    }
}
