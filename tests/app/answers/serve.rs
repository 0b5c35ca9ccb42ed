//! Answers the requests of the interface's tests while they are recorded: one line of JSON in, one line out.

use std::io::{BufRead, Write};

use serde::Deserialize;
use serde_json::json;

use super::session::{Request, Session, is_step};

#[derive(Deserialize)]
struct Asked {
    scene: String,
    /// The steps that lead to the state of this request.
    path: Vec<Request>,
    request: Request,
}

/// Serves `ui/tests/recorded/live.ts` until it closes the input.
#[test]
#[ignore = "is run by the interface's tests while they are recorded"]
fn serve() {
    let mut out = std::io::stdout();
    let mut session: Option<(String, Session)> = None;
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        let Asked { scene, mut path, request } = serde_json::from_str(&line).expect("a question");
        if session.as_ref().is_none_or(|(name, _)| *name != scene) {
            session = Some((scene.clone(), Session::new(&scene)));
        }
        let (_, session) = session.as_mut().expect("a session");
        let step = is_step(&request);
        let outcome = if step {
            path.push(request);
            session.walk(&path)
        } else {
            session.go(&path);
            session.ask(&request)
        };
        writeln!(out, "@{}", json!({ "step": step, "outcome": outcome })).expect("written");
        out.flush().expect("written");
    }
}
