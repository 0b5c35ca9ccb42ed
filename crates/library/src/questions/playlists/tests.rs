//! Playlists read back, paths, and orders that fit.

use std::collections::HashSet;

use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;

use super::mix::{Mixable, cost, order, sum_of};
use super::*;
use crate::questions::query::Key;
use crate::questions::similar::{Question, Similar, Weights};
use crate::questions::table::{DIMENSION_COUNT, Table};
use base::progress::Progress;

fn entries() -> Vec<Entry> {
    vec![
        Entry {
            path: "/music/Bj\u{f6}rk/J\u{f3}ga & 100 %.flac".into(),
            title: Some("J\u{f3}ga <live>\nsecond line".into()),
            artist: Some("Bj\u{f6}rk".into()),
            album: Some("\u{1}Homogenic".into()),
            track_no: Some(2),
            duration_s: Some(305.6),
        },
        Entry { path: "/music/#1.mp3".into(), track_no: Some(-1), ..Entry::default() },
    ]
}

fn text(format: Format, places: &Places) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list");
    let bytes = write(&path, format, &entries(), places, false, &[]).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    assert_eq!(bytes, text.len() as u64);
    text
}

#[test]
#[cfg(unix)]
fn m3u8_has_a_line_for_each_file() {
    let first = "#EXTM3U\n#EXTINF:306,Bj\u{f6}rk - J\u{f3}ga <live> second line\n";
    assert_eq!(
        text(Format::M3u8, &Places::Absolute),
        format!("{first}/music/Bj\u{f6}rk/J\u{f3}ga & 100 %.flac\n#EXTINF:-1,#1\n/music/#1.mp3\n")
    );
    // Relative to its folder. A name that would be a comment gets a prefix.
    let near = text(Format::M3u8, &Places::From("/music".into()));
    assert!(near.ends_with("\nBj\u{f6}rk/J\u{f3}ga & 100 %.flac\n#EXTINF:-1,#1\n./#1.mp3\n"), "{near}");
    let beside = text(Format::M3u8, &Places::From("/lists/a".into()));
    assert!(beside.ends_with("\n../../music/#1.mp3\n"), "{beside}");
}

#[test]
#[cfg(unix)]
fn names_that_are_no_line_of_text_become_uris() {
    use std::os::unix::ffi::OsStrExt;
    let odd = Path::new(std::ffi::OsStr::from_bytes(b"/m/a\xff\n.wav"));
    assert_eq!(Places::Absolute.as_line(odd), "file:///m/a%FF%0A.wav");
    assert_eq!(Places::From("/m".into()).as_line(odd), "a%FF%0A.wav");
    assert_eq!(Places::From("/m/x y".into()).as_uri(Path::new("/m/c:d?.wav")), "../c%3Ad%3F.wav");
}

#[test]
#[cfg(unix)]
fn xspf_is_read_back_by_another_reader() {
    for (places, location) in [
        (Places::Absolute, "file:///music/Bj%C3%B6rk/J%C3%B3ga%20&%20100%20%25.flac"),
        (Places::From("/music".into()), "Bj%C3%B6rk/J%C3%B3ga%20%26%20100%20%25.flac"),
    ] {
        let text = text(Format::Xspf, &places);
        let (mut reader, mut found, mut open) = (Reader::from_str(&text), Vec::new(), Vec::new());
        loop {
            match reader.read_event().unwrap() {
                Event::Start(of) => open.push(of.name().as_ref().to_owned()),
                Event::End(_) => drop(open.pop()),
                Event::Text(of) => {
                    let content = String::from(&*of);
                    if !content.trim().is_empty() {
                        found.push((open.join("/"), content));
                    }
                }
                Event::GeneralRef(of) => {
                    let sign = match &*of {
                        "amp" => "&",
                        "lt" => "<",
                        "gt" => ">",
                        other => panic!("{other}"),
                    };
                    found.push((open.join("/"), sign.to_owned()));
                }
                Event::Eof => break,
                _ => {}
            }
        }
        let of = |name: &str| -> Vec<String> {
            let place = format!("playlist/trackList/track/{name}");
            found.iter().filter(|(path, _)| *path == place).map(|(_, text)| text.clone()).collect()
        };
        assert_eq!(of("title").concat(), "J\u{f3}ga <live>\nsecond line", "{text}");
        assert_eq!((of("creator"), of("album")), (vec!["Bj\u{f6}rk".to_owned()], vec!["Homogenic".to_owned()]));
        assert_eq!((of("duration"), of("trackNum")), (vec!["305600".to_owned()], vec!["2".to_owned()]));
        assert!(of("location").concat().starts_with(location), "{:?}", of("location"));
        assert!(text.starts_with("<?xml") && text.contains("version=\"1\" xmlns=\"http://xspf.org/ns/0/\""));
    }
}

#[test]
fn what_is_there_is_replaced_only_if_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.m3u8");
    std::fs::write(&path, "mine").unwrap();
    assert!(write(&path, Format::M3u8, &entries(), &Places::Absolute, false, &[]).is_err());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    write(&path, Format::M3u8, &entries(), &Places::Absolute, true, &[]).unwrap();
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("#EXTM3U"));
    assert_eq!(["a.wpl", "a", "a.XSPF"].map(|name| Format::of_path(Path::new(name))), [None, None, Some(Format::Xspf)]);
}

/// Tracks whose every value is their number.
fn line_of(count: i64) -> Similar {
    let rows = (0..count).map(|n| [n as f32; DIMENSION_COUNT]).collect();
    Similar::new(Table::new((0..count).map(|n| 100 + n).collect(), rows).unwrap())
}

#[test]
fn a_path_goes_in_equal_steps_and_takes_no_track_twice() {
    let similar = line_of(101);
    let weights = Weights::default();
    let ask = |ends, count, accept: Option<&dyn Fn(usize) -> bool>| {
        path(&similar, ends, &Question { weights: &weights, count, accept }, &Progress::new())
    };
    assert_eq!(ask([100, 200], 5, None).unwrap(), [100, 125, 150, 175, 200]);
    assert_eq!(ask([200, 100], 3, None).unwrap(), [200, 150, 100]);
    assert_eq!(ask([100, 100], 3, None).unwrap().len(), 3, "back to where it began");
    // Between 100 and 103 there are two; the next ones are those around.
    let many = ask([100, 103], 8, None).unwrap();
    assert_eq!(many.iter().collect::<HashSet<_>>().len(), 8);
    let odd = |place: usize| place % 2 == 1;
    assert_eq!(ask([100, 200], 3, Some(&odd)).unwrap()[1] % 2, 1);
    assert_eq!(ask([100, 200], 3, Some(&|_| false)).unwrap(), [100, 200], "there are no more");
    for count in [0, 1, MAX_STEPS + 1] {
        assert!(ask([100, 200], count, None).is_err());
    }
    assert!(ask([1, 200], 3, None).is_err());
}

fn track(bpm: f64, key: &str) -> Mixable {
    Mixable::new(Some(bpm), Key::read(key))
}

#[test]
fn tempo_and_key_cost_what_they_are_said_to() {
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
    assert!(near(cost(track(120.0, "Am"), track(120.0, "Am")), 0.0));
    assert!(near(cost(track(120.0, "Am"), track(240.0, "C")), 0.5));
    assert!(near(cost(track(100.0, "Am"), track(106.0, "Em")), 1.5));
    assert!(near(cost(track(106.0, "C"), track(100.0, "F#")), 4.0));
    assert!(near(cost(Mixable::new(None, None), track(100.0, "C")), 2.0));
    assert!(near(cost(Mixable::new(Some(0.0), None), Mixable::new(Some(f64::NAN), None)), 2.0));
}

#[test]
fn an_order_for_mixing_is_as_good_as_the_best_of_all() {
    // Two groups that only fit within themselves, given alternately.
    let tracks = [
        track(120.0, "Am"),
        track(170.0, "F#"),
        track(123.0, "Em"),
        track(172.0, "B"),
        track(125.0, "G"),
        track(168.0, "F#"),
    ];
    let best = order(&tracks, None, &Progress::new()).unwrap();
    let mut all = Vec::new();
    permutations(&mut vec![], tracks.len(), &mut all);
    let least = all.iter().map(|order| sum_of(&tracks, order)).fold(f64::INFINITY, f64::min);
    assert!((sum_of(&tracks, &best) - least).abs() < 1e-9, "{best:?}");
    let from = order(&tracks, Some(3), &Progress::new()).unwrap();
    assert_eq!(from[0], 3);
    assert_eq!(order(&[], None, &Progress::new()).unwrap(), Vec::<usize>::new());
    assert!(order(&vec![tracks[0]; super::mix::MAX_TRACKS + 1], None, &Progress::new()).is_err());
    let cancelled = Progress::new();
    cancelled.cancel();
    assert!(order(&tracks, None, &cancelled).is_err());
}

fn permutations(order: &mut Vec<usize>, count: usize, all: &mut Vec<Vec<usize>>) {
    if order.len() == count {
        all.push(order.clone());
    }
    for next in 0..count {
        if !order.contains(&next) {
            order.push(next);
            permutations(order, count, all);
            order.pop();
        }
    }
}

proptest! {
    #[test]
    fn an_order_has_every_track_once(
        tracks in proptest::collection::vec((proptest::option::of(60.0..200.0f64), 0..26usize), 1..40)
    ) {
        let keys: Vec<Key> = Key::all().collect();
        let tracks: Vec<Mixable> =
            tracks.into_iter().map(|(bpm, key)| Mixable::new(bpm, keys.get(key).copied())).collect();
        let found = order(&tracks, Some(0), &Progress::new()).unwrap();
        let mut sorted = found.clone();
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (0..tracks.len()).collect::<Vec<_>>());
        prop_assert_eq!(found[0], 0);
    }
}
