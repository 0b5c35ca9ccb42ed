//! The library of a server in the window.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use undertone::error::ErrorCode;
use undertone::library::Library;

use super::bench::{Bench, song, write};
use crate::support::server::{self, Cluster, PASSWORD};

/// Changes settings of the library. Returns all current ones.
fn set(bench: &Bench, changes: &Value) -> Value {
    let mut settings = bench.call("settings.view", json!({}));
    for (name, value) in changes.as_object().unwrap() {
        settings["library"][name] = value.clone();
    }
    bench.call("settings.set", json!({ "settings": settings }))["library"].clone()
}

fn set_server(bench: &Bench, address: &Value) -> Value {
    set(bench, &json!({ "server": address }))["server"].clone()
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
    let library = bench.call("library.view", json!({}));
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
    // Events about the added tracks may come late.
    bench.until("news of the change", || {
        bench.desk.events("library_changed").pop().filter(|told| told["library"]["counts"]["done"] == 1)
    });
    assert_eq!(bench.rows("").len(), 1);

    // A password is not kept, and the library of this computer is unchanged.
    assert_eq!(set_server(&bench, &json!("postgres://a:secret@h/m")), Value::Null);
    let kept = std::fs::read_to_string(bench.folder.path().join("config/settings.json")).unwrap();
    assert!(!kept.contains("secret"));
    assert_eq!(bench.rows("").len(), 1);
    assert_eq!(bench.rows("")[0]["name"], "own.wav");

    // An unreachable server is a failure, but stops nothing else.
    set_server(&bench, &json!("postgres://a@127.0.0.1:1/music"));
    let (code, reason) = bench.fails("library.view", json!({}));
    assert!(code == ErrorCode::Stored && reason.contains("cannot be reached"), "{code:?} {reason}");
    set_server(&bench, &Value::Null);
    assert_eq!(bench.rows("").len(), 1);
}

#[test]
fn a_server_that_does_not_answer_holds_no_change_of_the_settings_up() {
    // It accepts all connections and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = json!(format!("postgres://a@{}/music?sslmode=disable", silent.local_addr().unwrap()));
    let bench = Bench::new();
    let own = bench.call("library.view", json!({}))["path"].clone();
    set_server(&bench, &address);
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| bench.app.call("library.view", json!({})));
        let begun = Instant::now();
        // Waits until the library is being opened.
        let (_open, _) = silent.accept().unwrap();
        assert_eq!(set(&bench, &json!({ "read_only": true }))["server"], address);
        assert_eq!(set_server(&bench, &Value::Null), Value::Null);
        // The library of this computer is available meanwhile, even to the caller that asked for the other one.
        assert_eq!(bench.call("library.view", json!({}))["path"], own);
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
        assert_eq!(asked.join().unwrap().unwrap()["path"], own);
    });
    assert_eq!(bench.call("settings.view", json!({}))["library"]["server"], Value::Null);
}

/// Returns all commands that would change the library, or files that it knows.
fn changes(folder: &Value, track: i64, other: i64) -> Vec<(&'static str, Value)> {
    vec![
        ("library.add_folders", json!({})),
        ("library.remove_folder", json!({ "folder": folder })),
        ("library.scan", json!({ "folders": [] })),
        ("library.watch", json!({ "on": true })),
        ("library.retry", json!({ "tracks": null })),
        ("library.decide_duplicates", json!({ "first": track, "second": other, "decision": "same" })),
        ("library.make_map", json!({})),
        ("library.bin", json!({ "tracks": [track], "copies": null })),
        ("library.restore", json!({ "tracks": [track] })),
    ]
}

#[test]
fn a_window_that_may_only_read_changes_neither_the_library_nor_files() {
    let Some(cluster) = server::shared() else { return };
    let bench = Bench::new();
    let address = json!(cluster.database());
    set_server(&bench, &address);
    for (seed, name) in ["one.wav", "two.wav"].iter().enumerate() {
        write(&bench.music(name), song(seed as u64, 0.0, 4.0), None);
    }
    bench.add_music();
    assert_eq!(bench.call("library.view", json!({}))["read_only"], Value::Null);
    let (one, two) = (bench.id("one.wav"), bench.id("two.wav"));
    let folder = bench.call("library.view", json!({}))["folders"][0]["id"].clone();

    // Read-only by the setting, and by the user's rights.
    let name = address.as_str().unwrap().split(['/', '?']).nth(3).unwrap().to_owned();
    let reader = format!("{name}_reader");
    cluster.sql(
        &name,
        &format!(
            "CREATE ROLE {reader} LOGIN; GRANT USAGE ON SCHEMA undertone TO {reader};
             GRANT SELECT ON ALL TABLES IN SCHEMA undertone TO {reader}"
        ),
    );
    let as_reader = json!(address.as_str().unwrap().replace("undertone@", &format!("{reader}@")));
    let before = bench.rows("");
    // Watching that was on before does not start here.
    for (setting, reason) in [
        (json!({ "server": address, "read_only": true, "watch": true }), "asked"),
        (json!({ "server": as_reader, "read_only": false, "watch": true }), "user"),
    ] {
        set(&bench, &setting);
        let library = bench.call("library.view", json!({}));
        assert_eq!((&library["read_only"], &library["watched"]), (&json!(reason), &json!(false)));
        for (command, arguments) in changes(&folder, one, two) {
            bench.desk.will_choose(&[&bench.music("")]);
            let (code, words) = bench.fails(command, arguments);
            assert!(code == ErrorCode::Invalid && words.contains("read-only"), "{command}: {words}");
        }
        assert!(bench.music("one.wav").exists(), "no file went to the bin");
        assert_eq!(bench.rows(""), before);
        // Queries are answered.
        let job = bench.call("library.find_duplicates", json!({}));
        assert_eq!(bench.wait_for_job(&job)["state"], "done");
        assert_eq!(bench.call("library.track", json!({ "track": one }))["reachable"], true);
    }
    // The same library may be changed again as soon as the setting allows it.
    set(&bench, &json!({ "server": address, "read_only": false, "watch": false }));
    assert_eq!(bench.call("library.view", json!({}))["read_only"], Value::Null);
    bench.call("library.scan", json!({ "folders": [] }));
    // The library of this computer is not affected.
    set(&bench, &json!({ "server": null, "read_only": true }));
    assert_eq!(bench.call("library.view", json!({}))["read_only"], Value::Null);
}

/// Returns whether any file in the window's folders contains the text.
fn is_anywhere(folder: &std::path::Path, text: &str) -> bool {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).any(|path| {
        if path.is_dir() {
            return is_anywhere(&path, text);
        }
        let bytes = std::fs::read(&path).unwrap();
        bytes.windows(text.len()).any(|part| part == text.as_bytes())
    })
}

#[test]
fn a_password_is_asked_for_and_remembered_in_the_keyring_alone() {
    let Some((_cluster, address)) = Cluster::start_locked() else { return };
    let entry = server::keyring_entry(&address);
    let bench = Bench::new();
    let give = |password: &str, remember: bool| json!({ "password": password, "remember": remember });
    let (code, _) = bench.fails("library.give_password", give(PASSWORD, true));
    assert_eq!(code, ErrorCode::Invalid, "the library of this computer has no password");
    set_server(&bench, &json!(address));
    let (code, words) = bench.fails("library.view", json!({}));
    assert!(code == ErrorCode::Password && words.contains("wants the password of locked"), "{words}");
    let (code, words) = bench.fails("library.give_password", give("wrong", true));
    assert!(code == ErrorCode::Password && words.contains("refused the password"), "{words}");
    assert!(matches!(entry.get_password(), Err(keyring_core::Error::NoEntry)), "a wrong one is not remembered");
    assert_eq!(bench.fails("library.view", json!({})).0, ErrorCode::Password, "nor tried again");

    // The password is kept until the window closes.
    assert_eq!(bench.call("library.give_password", give(PASSWORD, false))["path"], json!(address));
    set(&bench, &json!({ "read_only": true }));
    assert_eq!(bench.call("library.view", json!({}))["read_only"], "asked");
    let next = Bench::in_folder(Arc::clone(&bench.folder));
    assert_eq!(next.fails("library.view", json!({})).0, ErrorCode::Password);
    assert!(matches!(entry.get_password(), Err(keyring_core::Error::NoEntry)));

    // Without a keyring the library opens nevertheless, and the user is told.
    server::break_keyring(&entry);
    next.call("library.give_password", give(PASSWORD, true));
    let told = next.desk.events("notice").pop().unwrap();
    assert!(told["notice"]["message"].as_str().unwrap().contains("not remembered. The system's keyring"), "{told}");

    next.call("library.give_password", give(PASSWORD, true));
    let next = Bench::in_folder(Arc::clone(&bench.folder));
    assert_eq!(next.call("library.view", json!({}))["path"], json!(address));
    assert_eq!(next.call("library.forget_password", json!({})), true);
    assert_eq!(next.call("library.forget_password", json!({})), false);
    let next = Bench::in_folder(Arc::clone(&bench.folder));
    assert_eq!(next.fails("library.view", json!({})).0, ErrorCode::Password);

    // It is stored nowhere else, and is in no message.
    assert!(!is_anywhere(bench.folder.path(), "sesame"));
    let (_, words) = bench.fails("library.give_password", json!({ "password": PASSWORD, "remember": "yes" }));
    assert!(!words.contains("sesame"), "{words}");
    let said = [&bench, &next].map(|bench| format!("{:?}", bench.desk.events("notice"))).concat();
    assert!(!said.contains("sesame"), "{said}");
}

#[test]
fn folders_are_where_the_settings_say_and_those_that_are_not_here_are_told() {
    let Some(cluster) = server::shared() else { return };
    let bench = Bench::new();
    let address = json!(cluster.database());
    // Another machine has scanned two folders.
    let elsewhere = tempfile::tempdir().unwrap();
    for (seed, name) in ["music/one.wav", "talk/two.wav"].iter().enumerate() {
        let path = elsewhere.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, song(seed as u64, 0.0, 4.0), None);
    }
    set_server(&bench, &address);
    for name in ["music", "talk"] {
        bench.desk.will_choose(&[&elsewhere.path().join(name)]);
        bench.desk.forget_events();
        bench.call("library.add_folders", json!({}));
        bench.wait_for_scan();
    }
    let stored = |name: &str| elsewhere.path().join(name).to_str().unwrap().to_owned();
    let view = bench.call("library.view", json!({}));
    assert_eq!((&view["away"], &view["folders"][0]["stored"]), (&json!([]), &json!(stored("music"))));

    // On this machine they have other paths.
    std::fs::rename(elsewhere.path().join("music"), bench.folder.path().join("here")).unwrap();
    std::fs::remove_dir_all(elsewhere.path().join("talk")).unwrap();
    let here = bench.folder.path().join("here").to_str().unwrap().to_owned();
    let (one, two) = (bench.id("one.wav"), bench.id("two.wav"));
    let folders: Vec<i64> =
        view["folders"].as_array().unwrap().iter().map(|each| each["id"].as_i64().unwrap()).collect();
    assert_eq!(bench.call("library.view", json!({}))["away"], json!(folders));
    for (command, arguments) in [
        ("library.open", json!({ "tracks": [one] })),
        (
            "library.audition",
            json!({ "a": { "track": one, "offset_s": 0.0, "speed": 1.0 }, "b": null, "from_s": 0.0, "side": null }),
        ),
        ("library.show_file", json!({ "track": one })),
    ] {
        let (code, words) = bench.fails(command, arguments);
        let is_told = words.contains(&stored("music")) && words.contains("Settings, under Library server");
        assert!(code == ErrorCode::Invalid && is_told, "{command}: {words}");
    }
    let page = bench.call("library.track", json!({ "track": one }));
    assert_eq!((&page["reachable"], &page["folder_away"]), (&json!(false), &json!(stored("music"))));

    // The user chooses the folder, and the next library uses it.
    bench.desk.will_choose(&[&bench.folder.path().join("here")]);
    assert_eq!(bench.call("library.choose_place", json!({ "folder": stored("music") })), json!(here));
    assert_eq!(bench.call("library.choose_place", json!({ "folder": stored("music") })), Value::Null);
    let place =
        |server: &Value, folder: String, path: &str| json!({ "server": server, "folder": folder, "path": path });
    let places = json!([
        place(&address, stored("music"), &here),
        // The path of a folder that the library does not have, and of another library: neither causes a failure.
        place(&address, stored("gone"), &here),
        place(&json!("postgres://a@h/m"), stored("talk"), &here),
    ]);
    assert_eq!(set(&bench, &json!({ "places": places }))["places"], places);
    let view = bench.call("library.view", json!({}));
    assert_eq!((&view["away"], &view["folders"][0]["path"]), (&json!([folders[1]]), &json!(here)));
    assert_eq!(bench.call("library.track", json!({ "track": one }))["reachable"], true);
    assert_eq!(bench.call("library.open", json!({ "tracks": [one] }))["failures"], json!([]));
    let (_, words) = bench.fails("library.open", json!({ "tracks": [two] }));
    assert!(words.contains(&stored("talk")), "{words}");

    // A scan finds new files there, and leaves the other folder's tracks unchanged.
    write(&bench.folder.path().join("here/three.wav"), song(3, 0.0, 4.0), None);
    bench.desk.forget_events();
    bench.call("library.scan", json!({ "folders": [] }));
    let scan = bench.wait_for_scan();
    assert_eq!((&scan["analysed"], &scan["vanished"], &scan["failed"]), (&json!(1), &json!(0), &json!(0)), "{scan}");
    let (library, _) = Library::open_existing(server::place(address.as_str().unwrap(), elsewhere.path())).unwrap();
    assert!(library.find(std::path::Path::new(&stored("music/three.wav"))).unwrap().is_some());
    assert_eq!(library.status().unwrap().done, 3);
}
