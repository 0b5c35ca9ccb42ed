//! Suggests the name that somebody meant.

/// Returns the name most similar to `name`, if any is similar enough.
pub fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    // Jaro-Winkler judges long names well but fails on swapped letters in short ones.
    let likeness = |candidate: &str| {
        let slips = strsim::damerau_levenshtein(&name, candidate);
        let near = slips <= candidate.len() / 3 || strsim::jaro_winkler(&name, candidate) > 0.75;
        near.then(|| strsim::jaro_winkler(&name, candidate) - slips as f64 / 100.0)
    };
    names
        .filter_map(|candidate| Some((likeness(candidate)?, candidate)))
        .max_by(|(left, _), (right, _)| left.total_cmp(right))
        .map(|(_, candidate)| candidate)
}
