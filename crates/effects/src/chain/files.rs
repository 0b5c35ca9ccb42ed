//! Text that identifies the sound of a chain: its notation and the content of the files that its effects read.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

use super::catalogue::Catalogue;
use super::graph::{Chain, Node, NodeKind};
use crate::{FileDependency, Permission};

impl Node {
    /// Returns the files named by this node's arguments. Reads nothing.
    pub fn named_files(&self) -> impl Iterator<Item = &str> {
        let of_effect = match &self.kind {
            NodeKind::Effect { effect, arguments } => crate::find(effect).map(|spec| spec.named_files(arguments)),
            _ => None,
        };
        of_effect.into_iter().flatten()
    }
}

impl Chain {
    /// Returns the files that the chain names, including those of bypassed effects. Reads nothing.
    pub fn named_files(&self) -> BTreeSet<PathBuf> {
        self.walk().flat_map(Node::named_files).map(PathBuf::from).collect()
    }

    /// Returns the files that the sound of the chain depends on, in chain order, in their present state. Excludes
    /// bypassed nodes. A file that the chain may not read has no content.
    pub fn files(&self) -> Vec<FileDependency> {
        self.files_with(crate::find)
    }

    /// Like [`Chain::files`], with the caller's effects.
    pub fn files_with(&self, catalogue: Catalogue) -> Vec<FileDependency> {
        let mut files = Vec::new();
        gather(&self.nodes, catalogue, self.permission(), &mut files);
        files
    }

    /// Returns a text that changes when the sound of the chain changes: its notation and hashes of its files.
    pub fn sound_key(&self) -> String {
        let mut key = self.to_string();
        append(&mut key, &self.files());
        key
    }
}

/// Appends the content hash of each file.
pub(super) fn append(key: &mut String, files: &[FileDependency]) {
    for file in files {
        let content = file
            .content
            .map_or_else(|| "unread".to_owned(), |content| blake3::Hash::from(content).to_hex().to_string());
        // Writing to a string cannot fail.
        let _ = write!(key, "|{content}");
    }
}

fn gather(nodes: &[Node], catalogue: Catalogue, permission: &Permission, files: &mut Vec<FileDependency>) {
    for node in nodes.iter().filter(|node| !node.bypass) {
        if let NodeKind::Effect { effect, arguments } = &node.kind
            && let Some(spec) = catalogue(effect)
        {
            match spec.make_with(arguments, permission) {
                Ok(effect) => files.extend(effect.files()),
                // An effect that cannot be built is reported when the chain runs.
                Err(_) => files.extend(
                    spec.named_files(arguments).map(|path| FileDependency { path: path.into(), content: None }),
                ),
            }
        }
        gather(node.children(), catalogue, permission, files);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_content_is_another_sound_unless_it_is_bypassed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("taps.txt");
        let chain = |text: &str| text.replace("PATH", &path.display().to_string()).parse::<Chain>().unwrap();
        let heard = chain("gain(-3 dB) | (fir(file=\"PATH\") + invert)");
        let silent = chain("gain(-3 dB) | off(fir(file=\"PATH\"))");
        std::fs::write(&path, "1 0.5").unwrap();
        let (before, before_silent) = (heard.sound_key(), silent.sound_key());
        assert_eq!(heard.files().len(), 1);
        assert_eq!(heard.sound_key(), before);
        std::fs::write(&path, "1 0.6").unwrap();
        assert_ne!(heard.sound_key(), before);
        assert_eq!((silent.sound_key(), silent.files()), (before_silent, vec![]));
        std::fs::remove_file(&path).unwrap();
        assert!(heard.sound_key().ends_with("|unread"));
    }
}
