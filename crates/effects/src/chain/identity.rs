//! Carries the identities of nodes over from one chain to another that was parsed again.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::graph::{Chain, Node, NodeId, NodeKind, TimeSpan};
use crate::Value;

/// The limit on pairs of siblings. Beyond it, only the equal ends of two lists are compared.
const MAX_PAIRS: usize = 1 << 20;

impl Chain {
    /// Gives nodes the identities of the matching nodes of `previous`, and other nodes new identities above all of
    /// those, so that editing the text of a chain leaves its other nodes as they are.
    ///
    /// Nodes match, list by list: first equal nodes, by longest common subsequence; then, in the gaps between these,
    /// the same effect with other arguments or groups of the same kind, whose lists are searched in turn; last, equal
    /// nodes that moved anywhere in the chain.
    pub fn adopt_ids(&mut self, previous: &Self) {
        let mut matching = Matching::default();
        matching.lists(&self.nodes, &previous.nodes, &mut Vec::new());
        matching.moved(self, previous);
        let mut next = previous.fresh_id().0;
        let mut path = Vec::new();
        assign(&mut self.nodes, &mut path, &matching.found, &mut next);
    }
}

/// Maps paths in the new chain to identities of the old one.
#[derive(Default)]
struct Matching {
    found: HashMap<Vec<usize>, NodeId>,
    taken: HashSet<NodeId>,
}

impl Matching {
    /// Matches two lists of siblings; `path` leads to the new list.
    fn lists(&mut self, new: &[Node], old: &[Node], path: &mut Vec<usize>) {
        let same = common(new, old, |left, right| fingerprint(left) == fingerprint(right) && left.is_like(right));
        let (mut new_from, mut old_from) = (0, 0);
        for (new_at, old_at) in same.into_iter().chain([(new.len(), old.len())]) {
            let (new_gap, old_gap) = (&new[new_from..new_at], &old[old_from..old_at]);
            for (in_new, in_old) in common(new_gap, old_gap, is_akin) {
                path.push(new_from + in_new);
                self.take(path, old_gap[in_old].id);
                self.lists(new_gap[in_new].children(), old_gap[in_old].children(), path);
                path.pop();
            }
            if new_at < new.len() {
                path.push(new_at);
                self.whole(&new[new_at], &old[old_at], path);
                path.pop();
            }
            (new_from, old_from) = (new_at + 1, old_at + 1);
        }
    }

    fn take(&mut self, path: &[usize], id: NodeId) {
        self.found.insert(path.to_vec(), id);
        self.taken.insert(id);
    }

    /// Matches two equal nodes and everything in them.
    fn whole(&mut self, new: &Node, old: &Node, path: &mut Vec<usize>) {
        self.take(path, old.id);
        for (index, (new, old)) in new.children().iter().zip(old.children()).enumerate() {
            path.push(index);
            self.whole(new, old, path);
            path.pop();
        }
    }

    /// Matches remaining equal nodes, wherever they are.
    fn moved(&mut self, new: &Chain, old: &Chain) {
        let mut left: HashMap<u64, Vec<&Node>> = HashMap::new();
        for node in old.walk().filter(|node| !self.taken.contains(&node.id)) {
            left.entry(fingerprint(node)).or_default().push(node);
        }
        // Among equal nodes, the first is taken first.
        for equals in left.values_mut() {
            equals.reverse();
        }
        self.moved_within(&new.nodes, &mut Vec::new(), &mut left);
    }

    fn moved_within(&mut self, new: &[Node], path: &mut Vec<usize>, left: &mut HashMap<u64, Vec<&Node>>) {
        for (index, node) in new.iter().enumerate() {
            path.push(index);
            let mut whole = false;
            if !self.found.contains_key(path.as_slice()) {
                let equals = left.get_mut(&fingerprint(node));
                let free = |old: &Node| std::iter::once(old).chain(old.children()).all(|old| self.is_free(old));
                let at = equals.as_ref().and_then(|all| all.iter().rposition(|old| free(old) && old.is_like(node)));
                if let (Some(equals), Some(at)) = (equals, at) {
                    let old = equals.remove(at);
                    self.whole(node, old, path);
                    whole = true;
                }
            }
            if !whole {
                self.moved_within(node.children(), path, left);
            }
            path.pop();
        }
    }

    /// Returns whether neither the node nor anything in it is matched yet.
    fn is_free(&self, node: &Node) -> bool {
        !self.taken.contains(&node.id) && node.children().iter().all(|child| self.is_free(child))
    }
}

fn assign(nodes: &mut [Node], path: &mut Vec<usize>, found: &HashMap<Vec<usize>, NodeId>, next: &mut u32) {
    for (index, node) in nodes.iter_mut().enumerate() {
        path.push(index);
        node.id = found.get(path.as_slice()).copied().unwrap_or_else(|| {
            let fresh = NodeId(*next);
            *next += 1;
            fresh
        });
        if let Some(children) = node.children_mut() {
            assign(children, path, found, next);
        }
        path.pop();
    }
}

/// Returns whether an edit of the node itself can turn `old` into `new`: the same effect, or a group of the same kind.
fn is_akin(new: &Node, old: &Node) -> bool {
    match (&new.kind, &old.kind) {
        (NodeKind::Effect { effect: new, .. }, NodeKind::Effect { effect: old, .. }) => new == old,
        (NodeKind::Series { .. }, NodeKind::Series { .. })
        | (NodeKind::Parallel { .. }, NodeKind::Parallel { .. })
        | (NodeKind::During { .. }, NodeKind::During { .. }) => true,
        _ => false,
    }
}

/// Returns a hash that is the same for nodes that are equal apart from identities.
fn fingerprint(node: &Node) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash(node, &mut hasher);
    hasher.finish()
}

fn hash(node: &Node, hasher: &mut DefaultHasher) {
    (node.bypass, node.mix.to_bits(), &node.label).hash(hasher);
    match &node.kind {
        NodeKind::Effect { effect, arguments } => {
            effect.hash(hasher);
            for (name, value) in arguments.iter() {
                name.hash(hasher);
                match value {
                    // 0 and -0 are equal and must have the same hash.
                    Value::Number(number) => (number + 0.0).to_bits().hash(hasher),
                    Value::Text(text) => text.hash(hasher),
                }
            }
        }
        NodeKind::Series { .. } => 1u8.hash(hasher),
        NodeKind::Parallel { .. } => 2u8.hash(hasher),
        NodeKind::During { span: TimeSpan { from_s, to_s, fade_s }, .. } => {
            [from_s, to_s, fade_s].map(|seconds| (seconds + 0.0).to_bits()).hash(hasher);
        }
    }
    node.children().len().hash(hasher);
    node.children().iter().for_each(|child| hash(child, hasher));
}

/// Returns the longest common subsequence of two lists under `matches`, as pairs of indices.
fn common(new: &[Node], old: &[Node], matches: impl Fn(&Node, &Node) -> bool) -> Vec<(usize, usize)> {
    let ahead = new.iter().zip(old).take_while(|(new, old)| matches(new, old)).count();
    let (new_rest, old_rest) = (&new[ahead..], &old[ahead..]);
    let behind = new_rest.iter().rev().zip(old_rest.iter().rev()).take_while(|(new, old)| matches(new, old)).count();
    let (rows, columns) = (new_rest.len() - behind, old_rest.len() - behind);

    let mut pairs: Vec<(usize, usize)> = (0..ahead).map(|index| (index, index)).collect();
    if rows > 0 && columns > 0 && rows.saturating_mul(columns) <= MAX_PAIRS {
        // `longest[i][j]` is the length for `new_rest[i..rows]` and `old_rest[j..columns]`.
        let equal: Vec<bool> = new_rest[..rows]
            .iter()
            .flat_map(|new| old_rest[..columns].iter().map(|old| matches(new, old)).collect::<Vec<_>>())
            .collect();
        let mut longest = vec![0u32; (rows + 1) * (columns + 1)];
        let at = |row: usize, column: usize| row * (columns + 1) + column;
        for row in (0..rows).rev() {
            for column in (0..columns).rev() {
                longest[at(row, column)] = if equal[row * columns + column] {
                    longest[at(row + 1, column + 1)] + 1
                } else {
                    longest[at(row + 1, column)].max(longest[at(row, column + 1)])
                };
            }
        }
        let (mut row, mut column) = (0, 0);
        while row < rows && column < columns {
            if equal[row * columns + column] {
                pairs.push((ahead + row, ahead + column));
                (row, column) = (row + 1, column + 1);
            } else if longest[at(row + 1, column)] > longest[at(row, column + 1)] {
                row += 1;
            } else {
                column += 1;
            }
        }
    }
    pairs.extend((0..behind).rev().map(|index| (new.len() - 1 - index, old.len() - 1 - index)));
    pairs
}
