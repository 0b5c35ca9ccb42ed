//! The undoable states of a document.

use std::sync::Arc;

use super::Document;

/// Steps that are kept; the oldest go first.
pub const MAX_STEPS: usize = 500;

/// A state of a document and the change that led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What the change is called in the menu: "Add high-pass". Empty for the state a document began with.
    pub label: String,
    /// The state after it.
    pub document: Arc<Document>,
    /// Unlike any other of this history; a state that is replaced gets a new one. Rises from step to step.
    pub(super) serial: u64,
}

/// The past and the undone future of a document. States are whole; a document is small.
#[derive(Clone, Debug)]
pub struct History {
    steps: Vec<Step>,
    present: usize,
    /// The gesture that the present step may grow by.
    gesture: Option<u32>,
    next_serial: u64,
    limit: usize,
}

impl History {
    /// A history that begins with `document`.
    pub fn new(document: Document) -> Self {
        let first = Step { label: String::new(), document: Arc::new(document), serial: 0 };
        Self { steps: vec![first], present: 0, gesture: None, next_serial: 1, limit: MAX_STEPS }
    }

    /// A history as it was stored: steps in order and the index of the present one. None when that is not possible.
    pub(super) fn restored(steps: Vec<Step>, present: usize) -> Option<Self> {
        let rising = steps.windows(2).all(|pair| pair[0].serial < pair[1].serial);
        let next_serial = steps.last()?.serial.checked_add(1)?;
        (present < steps.len() && rising).then_some(Self {
            steps,
            present,
            gesture: None,
            next_serial,
            limit: MAX_STEPS,
        })
    }

    /// The present state.
    pub fn document(&self) -> &Document {
        &self.steps[self.present].document
    }

    /// The present state, shared.
    pub fn shared(&self) -> Arc<Document> {
        Arc::clone(&self.steps[self.present].document)
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
        self.steps.push(Step { label: label.to_owned(), document: Arc::new(document), serial });
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
            self.steps[self.present].document = Arc::new(document);
            self.renew(self.present);
        }
    }

    /// Changes every state alike, past and undone, such as for a source that was found in another place.
    pub fn amend_all(&mut self, mut change: impl FnMut(&mut Document)) {
        for index in 0..self.steps.len() {
            change(Arc::make_mut(&mut self.steps[index].document));
        }
        self.renew(0);
    }

    /// Ends a gesture: the next change is a step of its own, even if it carries the same number. So do undo and redo.
    pub fn end_gesture(&mut self) {
        self.gesture = None;
    }

    /// Goes back a step; returns what was undone.
    pub fn undo(&mut self) -> Option<&str> {
        self.gesture = None;
        self.present = self.present.checked_sub(1)?;
        Some(&self.steps[self.present + 1].label)
    }

    /// Goes forward a step that was undone; returns what was done again.
    pub fn redo(&mut self) -> Option<&str> {
        self.gesture = None;
        let step = self.steps.get(self.present + 1)?;
        self.present += 1;
        Some(&step.label)
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
