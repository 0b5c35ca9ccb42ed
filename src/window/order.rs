//! Schedules the commands of a window: in sequence where their order matters, otherwise concurrently.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use super::commands::Lane;
use super::panics::caught;
use crate::lock::lock;

/// A command that is ready to run. It delivers its answer itself.
pub type Task = Box<dyn FnOnce() + Send>;

/// Runs commands on the threads that it is given. A panic ends only the command that caused it.
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
    // A command that panics has already answered with an error; a panic while answering cannot be reported to anyone.
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
    use crate::window::commands::{Command, LaneChoice};
    use crate::window::{TABLES, lane};

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
        for name in [
            "editor.edit",
            "editor.undo",
            "editor.redo",
            "editor.set_selection",
            "editor.set_view",
            "editor.export",
            "workspace.close_document",
            "editor.save_preset",
        ] {
            assert_eq!(of(name), Some(Lane::Document(7)), "{name}");
        }
        assert_eq!(of("playback.play"), Some(Lane::Transport));
        assert_eq!(of("playback.stop"), of("playback.play"));
        assert_eq!(lane("settings.view", &json!({})), lane("settings.set", &json!({ "settings": {} })));
        for name in [
            "library.numbers",
            "library.rows",
            "workspace.open_dialog",
            "library.tracks",
            "editor.levels",
            "workspace.retry_document",
        ] {
            assert_eq!(of(name), None, "{name} may take long");
        }
    }

    #[test]
    fn every_lane_comes_from_the_table() {
        for Command { name, lane: choice, arguments, .. } in TABLES.into_iter().flatten() {
            let expected = match choice {
                LaneChoice::Document => Some(Lane::Document(7)),
                LaneChoice::Tabs => Some(Lane::Tabs),
                LaneChoice::Transport => Some(Lane::Transport),
                LaneChoice::Settings => Some(Lane::Settings),
                LaneChoice::Session => Some(Lane::Session),
                LaneChoice::Control => Some(Lane::Control),
                LaneChoice::Long => None,
            };
            assert_eq!(lane(name, &json!({ "document": 7 })), expected, "{name}");
            let of_document = arguments.contains(&"document");
            assert!(*choice != LaneChoice::Document || of_document, "{name} names no document");
            assert!(*choice != LaneChoice::Session || !of_document, "{name} would wait for those of other documents");
        }
        for name in ["undo", "editor.no_such_verb", "no_such_page.undo"] {
            assert_eq!(lane(name, &json!({ "document": 7 })), None);
        }
    }
}
