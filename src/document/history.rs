//! The undoable states of a document.

use std::collections::HashSet;
use std::sync::Arc;

use super::Document;
use super::state::State;

/// Steps that are kept; the oldest go first.
pub const MAX_STEPS: usize = 500;

/// A state of a document and the change that led to it.
#[derive(Clone, Debug)]
pub struct Step {
    /// What the change is called in the menu: "Add high-pass". Empty for the state a document began with.
    pub label: String,
    /// The state after it.
    pub(super) state: State,
    /// Unlike any other of this history; a state that is replaced gets a new one. Rises from step to step.
    pub(super) serial: u64,
}

impl Step {
    /// The state after the change; `None` if it was stored and cannot be read.
    pub fn document(&self) -> Option<&Arc<Document>> {
        self.state.document()
    }
}

/// The past and the undone future of a document. States are whole; a document is small.
#[derive(Clone, Debug)]
pub struct History {
    steps: Vec<Step>,
    present: usize,
    /// The present step's state.
    document: Arc<Document>,
    /// The serials of steps that were stored, could not be read and were left out.
    unreadable: HashSet<u64>,
    /// The gesture that the present step may grow by.
    gesture: Option<u32>,
    next_serial: u64,
    limit: usize,
}

impl History {
    /// A history that begins with `document`.
    pub fn new(document: Document) -> Self {
        let document = Arc::new(document);
        let first = Step { label: String::new(), state: State::new(Arc::clone(&document)), serial: 0 };
        Self {
            steps: vec![first],
            present: 0,
            document,
            unreadable: HashSet::new(),
            gesture: None,
            next_serial: 1,
            limit: MAX_STEPS,
        }
    }

    /// A history as it was stored: steps in order and the index of the present one. `None` if the steps are not in
    /// order or the present one cannot be read.
    pub(super) fn restored(steps: Vec<Step>, present: usize) -> Option<Self> {
        let rising = steps.windows(2).all(|pair| pair[0].serial < pair[1].serial);
        let next_serial = steps.last()?.serial.checked_add(1)?;
        let document = Arc::clone(steps.get(present)?.document()?);
        let unreadable = HashSet::new();
        rising.then_some(Self { steps, present, document, unreadable, gesture: None, next_serial, limit: MAX_STEPS })
    }

    /// The present state.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The present state, shared.
    pub fn shared(&self) -> Arc<Document> {
        Arc::clone(&self.document)
    }

    /// The serials of steps that were stored, could not be read and were left out.
    pub(super) fn unreadable(&self) -> &HashSet<u64> {
        &self.unreadable
    }

    /// How many steps that were stored could not be read and were left out so far.
    pub fn lost_steps(&self) -> usize {
        self.unreadable.len()
    }

    /// All steps, the undone ones included, and the index of the present one.
    pub fn steps(&self) -> (&[Step], usize) {
        (&self.steps, self.present)
    }

    /// Makes `document` the present state by a change called `label`; what was undone is gone. Changes of one
    /// `gesture` that follow each other are one step. Returns false, and changes nothing, when it is the present state.
    pub fn apply(&mut self, label: &str, gesture: Option<u32>, document: Document) -> bool {
        if *self.document() == document {
            return false;
        }
        self.steps.truncate(self.present + 1);
        let merges = gesture.is_some() && self.present > 0 && self.gesture == gesture;
        self.gesture = gesture;
        if merges {
            self.steps.pop();
        } else {
            self.present += 1;
        }
        let serial = self.serial();
        self.document = Arc::new(document);
        self.steps.push(Step { label: label.to_owned(), state: State::new(self.shared()), serial });
        if self.steps.len() > self.limit {
            self.steps.remove(0);
            self.present -= 1;
        }
        true
    }

    /// Changes the present state without a step, for what undo does not undo: the selection, a source that was found
    /// again. What was undone stays.
    pub fn amend(&mut self, document: Document) {
        if *self.document() != document {
            self.document = Arc::new(document);
            self.steps[self.present].state = State::new(self.shared());
            self.renew(self.present);
        }
    }

    /// Changes every state alike, past and undone, such as for a source that was found in another place.
    pub fn amend_all(&mut self, mut change: impl FnMut(&mut Document)) {
        let mut index = 0;
        while index < self.steps.len() {
            let Some(document) = self.read(index) else { continue };
            let mut document = Document::clone(&document);
            change(&mut document);
            self.steps[index].state = State::new(Arc::new(document));
            index += 1;
        }
        // It could be read before.
        if let Some(document) = self.read(self.present) {
            self.document = document;
        }
        self.renew(0);
    }

    /// Ends a gesture: the next change is a step of its own, even if it carries the same number. So do undo and redo.
    pub fn end_gesture(&mut self) {
        self.gesture = None;
    }

    /// Goes back a step; returns what was undone. Steps that cannot be read are left out ([`History::lost_steps`]).
    pub fn undo(&mut self) -> Option<&str> {
        self.gesture = None;
        loop {
            let before = self.present.checked_sub(1)?;
            if let Some(document) = self.read(before) {
                self.document = document;
                self.present = before;
                return Some(&self.steps[before + 1].label);
            }
        }
    }

    /// Goes forward a step that was undone; returns what was done again. As [`History::undo`] otherwise.
    pub fn redo(&mut self) -> Option<&str> {
        self.gesture = None;
        loop {
            let after = self.present + 1;
            if after == self.steps.len() {
                return None;
            }
            if let Some(document) = self.read(after) {
                self.document = document;
                self.present = after;
                return Some(&self.steps[after].label);
            }
        }
    }

    /// The state at `index`; one that cannot be read is taken out, and gives `None`.
    fn read(&mut self, index: usize) -> Option<Arc<Document>> {
        let found = self.steps[index].document().map(Arc::clone);
        if found.is_none() {
            self.unreadable.insert(self.steps.remove(index).serial);
            self.present -= usize::from(index < self.present);
        }
        found
    }

    /// What undo would undo.
    pub fn undo_label(&self) -> Option<&str> {
        (self.present > 0).then(|| self.steps[self.present].label.as_str())
    }

    /// What redo would redo.
    pub fn redo_label(&self) -> Option<&str> {
        self.steps.get(self.present + 1).map(|step| step.label.as_str())
    }

    fn serial(&mut self) -> u64 {
        self.next_serial += 1;
        self.next_serial - 1
    }

    /// Gives the steps from `index` on new serials, in order, so that the stored copies are replaced.
    fn renew(&mut self, index: usize) {
        for index in index..self.steps.len() {
            self.steps[index].serial = self.serial();
        }
    }
}
