//! The library of a server in the window.

use serde_json::{Value, json};
use undertone::error::ErrorCode;
use undertone::library::Library;

use super::bench::{Bench, song, write};
use crate::support::server;

fn set_server(bench: &Bench, address: &Value) -> Value {
    let mut settings = bench.call("settings", json!({}));
    settings["library"]["server"] = address.clone();
    bench.call("set_settings", json!({ "settings": settings }))["library"]["server"].clone()
}

#[test]
fn the_window_shows_the_library_that_the_settings_name_and_hears_of_other_machines() {
    let Some(cluster) = server::shared() else { return };
    let bench = Bench::new();
    write(&bench.music("own.wav"), song(1, 0.0, 4.0), None);
    bench.add_music();
    assert_eq!(bench.rows("").len(), 1);
    let address = json!(cluster.database());
    assert_eq!(set_server(&bench, &address), address);
    let library = bench.call("library", json!({}));
    assert_eq!((&library["path"], &library["folders"]), (&address, &json!([])));
    write(&bench.music("second.wav"), song(2, 0.0, 4.0), None);
    bench.desk.forget_events();
    assert_eq!(bench.add_music()["failed"], 0);
    assert_eq!(bench.rows("second").len(), 1);
    let id = bench.id("own.wav");

    // Another machine forgets a track.
    bench.desk.forget_events();
    let elsewhere = tempfile::tempdir().unwrap();
    let (other, _) = Library::open_existing(server::place(address.as_str().unwrap(), elsewhere.path())).unwrap();
    assert_eq!(other.forget(&[id]).unwrap(), 1);
    let told = bench.until("news of the change", || bench.desk.events("library_changed").pop());
    assert_eq!(told["library"]["counts"]["done"], 1);
    assert_eq!(bench.rows("").len(), 1);

    // A password is not kept, and the library of this computer is as it was.
    assert_eq!(set_server(&bench, &json!("postgres://a:secret@h/m")), Value::Null);
    let kept = std::fs::read_to_string(bench.folder.path().join("config/settings.json")).unwrap();
    assert!(!kept.contains("secret"));
    assert_eq!(bench.rows("").len(), 1);
    assert_eq!(bench.rows("")[0]["name"], "own.wav");

    // A server that is not there is a failure, and no end of anything.
    set_server(&bench, &json!("postgres://a@127.0.0.1:1/music"));
    let (code, reason) = bench.fails("library", json!({}));
    assert!(code == ErrorCode::Stored && reason.contains("cannot be reached"), "{code:?} {reason}");
    set_server(&bench, &Value::Null);
    assert_eq!(bench.rows("").len(), 1);
}
