//! TypeScript declarations of types, and what tables of commands give for them. With the feature `bindings`.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};

use ts_rs::{Config, TS, TypeVisitor};

/// The declarations of the types that were visited.
pub(super) struct Types {
    config: Config,
    seen: BTreeSet<TypeId>,
    /// The declarations by the names of the types.
    pub declarations: BTreeMap<String, String>,
}

impl Types {
    pub fn new(config: Config) -> Self {
        Self { config, seen: BTreeSet::new(), declarations: BTreeMap::new() }
    }

    /// Declares a type and returns its name.
    pub fn name_of<T: TS + 'static>(&mut self) -> String {
        self.visit::<T>();
        T::name(&self.config)
    }
}

impl TypeVisitor for Types {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        // Only our types have an output path; others (numbers, lists) are written out where they are used.
        if T::output_path().is_some() {
            let docs = T::docs().unwrap_or_default();
            let declaration = format!("{docs}export {}\n", T::decl(&self.config));
            self.declarations.insert(T::ident(&self.config), declaration);
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

/// What is declared of a command beside its name and the names of its arguments.
pub(super) struct Declaration {
    pub docs: &'static [&'static str],
    pub arguments: &'static [NameOf],
    pub result: NameOf,
}

/// [`Types::name_of`] for some type.
pub(super) type NameOf = fn(&mut Types) -> String;
