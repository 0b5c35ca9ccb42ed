//! The undo history of a document.

use std::collections::HashSet;
use std::sync::Arc;

use super::Document;
use super::state::State;
use effects::Permission;

/// The maximum number of steps. The oldest are removed first.
pub const MAX_STEPS: usize = 500;

/// A state of a document and the change that led to it.
#[derive(Clone, Debug)]
pub struct Step {
    /// The name of the change in the menu, for example "Add high-pass". Empty for the document's initial state.
    pub label: String,
    /// The state after the change.
    pub(super) state: State,
    /// Unique within this history and rising from step to step. A replaced state gets a new serial.
    pub(super) serial: u64,
}

impl Step {
    /// Returns the state after the change; `None` if it was stored and cannot be read.
    pub fn document(&self) -> Option<&Arc<Document>> {
        self.state.document()
    }
}

/// The past states of a document, and its undone future. Each step has a full state, because documents are small.
#[derive(Clone, Debug)]
pub struct History {
    steps: Vec<Step>,
    present: usize,
    /// The state of the present step, limited to the permission.
    document: Arc<Document>,
    /// What the chains of all states are allowed.
    permission: Permission,
    /// The serials of stored steps that could not be read and were left out.
    unreadable: HashSet<u64>,
    /// The gesture whose further changes merge into the present step.
    gesture: Option<u32>,
    next_serial: u64,
    limit: usize,
}

impl History {
    /// Creates a history that begins with `document`.
    pub fn new(document: Document) -> Self {
        let document = Arc::new(document);
        let first = Step { label: String::new(), state: State::new(Arc::clone(&document)), serial: 0 };
        Self {
            steps: vec![first],
            present: 0,
            document,
            permission: Permission::ANY,
            unreadable: HashSet::new(),
            gesture: None,
            next_serial: 1,
            limit: MAX_STEPS,
        }
    }

    /// Restores a stored history from its steps, in order, and the index of the present step. `None` if the steps are
    /// not in order or the present one cannot be read.
    pub(super) fn restored(steps: Vec<Step>, present: usize) -> Option<Self> {
        let rising = steps.windows(2).all(|pair| pair[0].serial < pair[1].serial);
        let next_serial = steps.last()?.serial.checked_add(1)?;
        let document = Arc::clone(steps.get(present)?.document()?);
        rising.then_some(Self {
            steps,
            present,
            document,
            permission: Permission::ANY,
            unreadable: HashSet::new(),
            gesture: None,
            next_serial,
            limit: MAX_STEPS,
        })
    }

    /// Returns the history with nothing allowed to the chains of its states, and of those to come, that `permission`
    /// does not allow.
    #[must_use]
    pub fn limited_to(mut self, permission: &Permission) -> Self {
        self.permission = self.permission.and(permission);
        self.set_document(self.shared());
        self
    }

    /// Sets the present state. Each passes here, wherever its chains come from.
    fn set_document(&mut self, document: Arc<Document>) {
        self.document = limited(document, &self.permission);
    }

    /// Returns the present state.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Returns the present state, shared.
    pub fn shared(&self) -> Arc<Document> {
        Arc::clone(&self.document)
    }

    /// Returns the serials of stored steps that could not be read and were left out.
    pub(super) fn unreadable(&self) -> &HashSet<u64> {
        &self.unreadable
    }

    /// Returns the number of stored steps that could not be read and were left out so far.
    pub fn lost_steps(&self) -> usize {
        self.unreadable.len()
    }

    /// Returns all steps, including undone ones, and the index of the present step.
    pub fn steps(&self) -> (&[Step], usize) {
        (&self.steps, self.present)
    }

    /// Makes `document` the present state by a change called `label`, and discards undone steps. Consecutive changes of
    /// one `gesture` form a single step. Returns `false` without any effect if `document` equals the present state.
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
        self.set_document(Arc::new(document));
        self.steps.push(Step { label: label.to_owned(), state: State::new(self.shared()), serial });
        if self.steps.len() > self.limit {
            self.steps.remove(0);
            self.present -= 1;
        }
        true
    }

    /// Replaces the present state without adding a step, for changes that undo does not revert: the selection, or a
    /// source that was found again. Undone steps are kept.
    pub fn amend(&mut self, document: Document) {
        if *self.document() != document {
            self.set_document(Arc::new(document));
            self.steps[self.present].state = State::new(self.shared());
            self.renew(self.present);
        }
    }

    /// Applies a change to every state, past and undone, for example if a source was found in another place.
    pub fn amend_all(&mut self, mut change: impl FnMut(&mut Document)) {
        let mut index = 0;
        while index < self.steps.len() {
            let Some(document) = self.read(index) else { continue };
            let mut document = Document::clone(&document);
            change(&mut document);
            self.steps[index].state = State::new(Arc::new(document));
            index += 1;
        }
        // It was readable in the loop above.
        if let Some(document) = self.read(self.present) {
            self.set_document(document);
        }
        self.renew(0);
    }

    /// Ends a gesture: the next change is a separate step even if it has the same number. Undo and redo also end it.
    pub fn end_gesture(&mut self) {
        self.gesture = None;
    }

    /// Undoes a step. Returns the label of the undone change. Unreadable steps are left out ([`History::lost_steps`]).
    pub fn undo(&mut self) -> Option<&str> {
        self.gesture = None;
        loop {
            let before = self.present.checked_sub(1)?;
            if let Some(document) = self.read(before) {
                self.set_document(document);
                self.present = before;
                return Some(&self.steps[before + 1].label);
            }
        }
    }

    /// Redoes an undone step. Returns the label of the redone change. Otherwise like [`History::undo`].
    pub fn redo(&mut self) -> Option<&str> {
        self.gesture = None;
        loop {
            let after = self.present + 1;
            if after == self.steps.len() {
                return None;
            }
            if let Some(document) = self.read(after) {
                self.set_document(document);
                self.present = after;
                return Some(&self.steps[after].label);
            }
        }
    }

    /// Returns the state at `index`. An unreadable step is removed, and `None` is returned.
    fn read(&mut self, index: usize) -> Option<Arc<Document>> {
        let Some(found) = self.steps[index].document().map(Arc::clone) else {
            self.unreadable.insert(self.steps.remove(index).serial);
            self.present -= usize::from(index < self.present);
            return None;
        };
        // A stored state is allowed everything until it is read here.
        let document = limited(found, &self.permission);
        self.steps[index].state.hold(Arc::clone(&document));
        Some(document)
    }

    /// Returns the label of the change that undo would revert.
    pub fn undo_label(&self) -> Option<&str> {
        (self.present > 0).then(|| self.steps[self.present].label.as_str())
    }

    /// Returns the label of the change that redo would repeat.
    pub fn redo_label(&self) -> Option<&str> {
        self.steps.get(self.present + 1).map(|step| step.label.as_str())
    }

    fn serial(&mut self) -> u64 {
        self.next_serial += 1;
        self.next_serial - 1
    }

    /// Gives the steps from `index` on new serials, in order, so that their stored copies are replaced.
    fn renew(&mut self, index: usize) {
        for index in index..self.steps.len() {
            self.steps[index].serial = self.serial();
        }
    }
}

/// Returns a document with nothing allowed that `permission` does not allow; the same one if that is so already.
fn limited(document: Arc<Document>, permission: &Permission) -> Arc<Document> {
    if document.is_within(permission) {
        return document;
    }
    Arc::new(Arc::unwrap_or_clone(document).limited_to(permission))
}
