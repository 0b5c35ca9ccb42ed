//! `undertone library duplicates`: finds tracks that are the same recording.

use crate::cli::Outcome;
use crate::cli::output::Output;
use crate::error::Result;
use crate::library::Library;
use crate::library::answers::duplicates;
use crate::progress::Progress;

pub fn run(library: &Library, output: &Output) -> Result<Outcome> {
    let found = duplicates(library, &Progress::new())?;
    if output.is_json() {
        output.json(&found)?;
        return Ok(Outcome::Done);
    }
    for group in &found.groups {
        for (index, track) in group.iter().enumerate() {
            let of = &track.agreement;
            let how = match (index, track.exact) {
                (0, _) => "reference".to_owned(),
                (_, true) => "the same audio".to_owned(),
                _ => format!("{:+.2} s, {:.2} % faster", of.offset_s, 100.0 * (of.speed - 1.0)),
            };
            output.line(&format!("{:>6} {:.3}  {}  ({how})", track.id, of.score, track.path));
        }
        output.line("");
    }
    output.note(&format!(
        "{} groups among {} tracks, {} pairs compared",
        found.groups.len(),
        found.tracks,
        found.compared
    ));
    Ok(Outcome::Done)
}
