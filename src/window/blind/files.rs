//! The files of the sessions, one for each, named by a number.

use std::path::{Path, PathBuf};

use super::types::BlindSession;
use crate::blind::{Session, Standing, Test};
use crate::error::{Error, Result};

/// The greatest number of sessions that are listed.
const MAX_SESSIONS: usize = 500;

/// Writes a new session to a new file.
pub fn create(folder: &Path, session: &Session) -> Result<PathBuf> {
    std::fs::create_dir_all(folder).map_err(|source| Error::io("make the folder", folder, source))?;
    let (begun_ms, _) = session.times_ms();
    // Two windows may begin a session in the same millisecond.
    for number in 0..1000 {
        let path = folder.join(format!("{begun_ms}-{number}.json"));
        match std::fs::OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(_) => {
                session.save(&path)?;
                return Ok(path);
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(Error::io("create", &path, source)),
        }
    }
    Err(Error::impossible(format!("There are too many blind tests in this folder: {}", folder.display())))
}

/// Returns the file of a session.
pub fn path_of(folder: &Path, id: &str) -> Result<PathBuf> {
    let none = || Error::NotFound { what: "blind test", name: id.to_owned() };
    let is_id = !id.is_empty() && id.bytes().all(|letter| letter.is_ascii_digit() || letter == b'-');
    let path = folder.join(format!("{id}.json"));
    if is_id && path.is_file() { Ok(path) } else { Err(none()) }
}

/// Returns the ID of the session in a file.
pub fn id_of(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Returns all sessions of a folder, last changed first.
pub fn listed(folder: &Path) -> Vec<BlindSession> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut ids: Vec<String> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| id_of(&path))
        .filter(|id| path_of(folder, id).is_ok())
        .collect();
    ids.sort_unstable();
    let newest = ids.into_iter().rev().take(MAX_SESSIONS);
    let mut sessions: Vec<BlindSession> = newest.map(|id| row(folder, id)).collect();
    sessions.sort_by_key(|session| std::cmp::Reverse(session.changed_ms));
    sessions
}

fn row(folder: &Path, id: String) -> BlindSession {
    let found = path_of(folder, &id).and_then(|path| Session::load(&path));
    let session = match found {
        Ok(session) => session,
        Err(error) => {
            return BlindSession {
                id,
                ranking: false,
                names: Vec::new(),
                listener: String::new(),
                changed_ms: 0,
                answered: 0,
                most: 0,
                given_up: false,
                over: false,
                standing: None,
                failure: Some(error.to_string()),
            };
        }
    };
    let plan = session.plan();
    let name = |place: &usize| plan.versions[*place].name.clone();
    let (names, most) = match &plan.test {
        Test::Abx { a, b, rule, .. } => ([a, b].map(name).to_vec(), rule.most() as usize),
        Test::Ranking { passages, .. } => {
            (plan.versions.iter().map(|version| version.name.clone()).collect(), passages.len())
        }
    };
    BlindSession {
        id,
        ranking: matches!(plan.test, Test::Ranking { .. }),
        names,
        listener: plan.listener.clone(),
        changed_ms: session.times_ms().1,
        answered: session.answers().len(),
        most,
        given_up: session.given_up(),
        over: session.is_over(),
        standing: session.standing().filter(|&standing| standing != Standing::Open),
        failure: None,
    }
}
