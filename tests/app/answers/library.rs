//! The scenes of the library: albums, copies, tones without a beat, unreadable files and missing files.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use undertone::audio::encode::{Dither, EncodeSettings, Encoder, FileFormat, SampleFormat};
use undertone::audio::{AudioBuffer, AudioFormat, Picture, Tags, tags};
use undertone::units::SampleRate;
use undertone::window::App;

use super::scenes::call;
use super::session::Desk;
use crate::support::songs::Song;

const RATE: u32 = 22_050;
const SECONDS: f64 = 8.0;
/// Artist, album, genre and year, with six tracks each.
const ALBUMS: [(&str, &str, &str, u32); 6] = [
    ("Amber Choir", "Blue Field", "Jazz", 1994),
    ("Northern Radio", "Glass Home", "Ambient", 2003),
    ("Salt Meridian", "Night Letters", "Jazz", 1971),
    ("Salt Meridian", "Ocean Wire", "Rock", 1978),
    ("Velvet Rivers", "Summer Dust", "House", 2019),
    ("Winter Parade", "Stone Tide", "Classical", 1988),
];
const TITLES: [&str; 6] = ["Mirror", "Shadow Line", "Echo", "Ground", "Étude", "Waltz under Fire"];
/// A picture of one grey pixel.
const COVER: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\x0aIDATx\xdach\x00\x00\x00\x82\x00\x81\xdaE\x08;\x00\x00\x00\x00IEND\xaeB`\x82";

/// The folders of the library. The second holds the last two albums.
const FOLDERS: [&str; 2] = ["Music", "Vinyl transfers"];

pub fn prepare(folder: &Path, app: &App, desk: &Desk) {
    record(folder);
    call(app, "library.add_folders", json!({}));
    desk.settled(app, true);
    for name in ["Music/gone 1.wav", "Music/gone 2.wav"] {
        std::fs::remove_file(folder.join(name)).expect("removed");
    }
    call(app, "library.scan", json!({ "folders": [] }));
    desk.settled(app, true);
    // These files are for the next scan.
    for seed in 0..3 {
        write(&folder.join(format!("Music/new {seed}.wav")), &Song::new(900 + seed).samples(RATE, SECONDS), &[]);
    }
}

pub fn prepare_unreachable(folder: &Path, app: &App, desk: &Desk) {
    few(folder);
    call(app, "library.add_folders", json!({}));
    desk.settled(app, true);
    std::fs::remove_dir_all(folder.join(FOLDERS[1])).expect("removed");
    call(app, "library.scan", json!({ "folders": [] }));
    desk.settled(app, true);
}

/// Creates two folders with one track each.
pub fn few(folder: &Path) {
    for (seed, name) in FOLDERS.iter().enumerate() {
        write(&folder.join(name).join("one.wav"), &Song::new(seed as u64).samples(RATE, SECONDS), &[]);
    }
}

/// Changes files from outside the program, without the library's knowledge: removes a file, changes its title or
/// overwrites it.
pub fn outside(folder: &Path, app: &App, change: &Value) {
    let path = |what: &str| change.get(what).map(|path| folder.join(path.as_str().expect("a path")));
    if let Some(path) = path("remove") {
        std::fs::remove_file(path).expect("removed");
    } else if let Some(path) = path("overwrite") {
        // The file is a link to the prepared one.
        std::fs::remove_file(&path).expect("removed");
        std::fs::write(path, "another recording").expect("a file");
        return;
    } else if let Some(path) = path("retitle") {
        let bytes = std::fs::read(&path).expect("a file");
        std::fs::remove_file(&path).expect("removed");
        std::fs::write(&path, bytes).expect("a file");
        let items = [("TITLE".to_owned(), change["title"].as_str().expect("a title").into())].into();
        tags::write(&path, &Tags { items, ..Tags::default() }).expect("tags");
    }
    call(app, "library.scan", json!({ "folders": [] }));
}

/// Creates two folders with one track each, and an inaudible clip.
pub fn prepare_silent_clip(folder: &Path, app: &App, desk: &Desk) {
    few(folder);
    write(&folder.join("music/clip.wav"), &vec![1e-4; 5 * RATE as usize], &[]);
    call(app, "library.add_folders", json!({}));
    desk.settled(app, true);
}

/// Creates files with different outcomes in a preview of tags, none of them a link.
pub fn prepare_tags(folder: &Path, app: &App, desk: &Desk) {
    let song = |seed| Song::new(seed).samples(RATE, SECONDS);
    let music = |name: &str| folder.join(FOLDERS[0]).join(name);
    let titled = |title: &'static str| [("TITLE", title), ("ARTIST", "Amber Choir")];
    write(&music("01 Mirror.flac"), &song(1), &titled("Mirror"));
    let own = [("TITLE", "Echo"), ("ARTIST", "Amber Choir"), ("INITIALKEY", "Db"), ("BPM", "77")];
    write(&music("02 Echo.flac"), &song(2), &own);
    write(&music("03 Ground.wav"), &song(3), &[]);
    write(&music("04 Waltz.flac"), &song(4), &titled("Waltz under Fire"));
    std::fs::write(music("05 letter.flac"), "Dear reader, this is no recording.\n").expect("a file");
    call(app, "library.add_folders", json!({}));
    desk.settled(app, true);
    // Changed since it was analysed.
    tags::write(&music("04 Waltz.flac"), &Tags { items: [("TITLE".into(), "Waltz".into())].into(), ..Tags::default() })
        .expect("tags");
}

pub fn files(folder: &Path, title: &str) -> Vec<PathBuf> {
    let clip = title.contains("Identify");
    vec![folder.join(if clip { "music/clip.wav" } else { "music/second.wav" })]
}

pub fn folders(folder: &Path, _: &str) -> Vec<PathBuf> {
    FOLDERS.map(|name| folder.join(name)).into_iter().filter(|folder| folder.is_dir()).collect()
}

fn record(folder: &Path) {
    for (at, (artist, album, genre, year)) in ALBUMS.into_iter().enumerate() {
        for (number, title) in TITLES.iter().enumerate() {
            let root = folder.join(FOLDERS[usize::from(at >= 4)]);
            let path = root.join(artist).join(album).join(format!("{:02} {title}.flac", number + 1));
            let (year, number) = (year.to_string(), (number + 1).to_string());
            let items = [
                ("TITLE", *title),
                ("ARTIST", artist),
                ("ALBUM", album),
                ("GENRE", genre),
                ("DATE", &year),
                ("TRACKNUMBER", &number),
            ];
            let seed = (at * 10) as u64 + number.parse::<u64>().expect("a number");
            write(&path, &Song::new(seed).samples(RATE, SECONDS), &items);
        }
    }
    // Copies of the first album: at the same level, softer, and shortened.
    for number in 1..=6 {
        let song = Song::new(number).samples(RATE, SECONDS);
        let softer: Vec<f32> = song.iter().map(|sample| sample * 0.5).collect();
        write(&folder.join(format!("Music/copies/softer {number}.wav")), &softer, &[]);
        if number % 2 == 0 {
            write(&folder.join(format!("Music/copies/same {number}.flac")), &song, &[]);
            write(&folder.join(format!("Music/copies/cut {number}.wav")), &song[RATE as usize..], &[]);
        }
    }
    for hz in [220.0, 440.0] {
        let tone = |frame: usize| (0.3 * (std::f64::consts::TAU * hz * frame as f64 / f64::from(RATE)).sin()) as f32;
        let samples: Vec<f32> = (0..20 * RATE as usize).map(tone).collect();
        write(&folder.join(format!("Music/tones/{hz} Hz.wav")), &samples, &[]);
    }
    for number in 1..=2 {
        std::fs::write(folder.join(format!("Music/broken {number}.wav")), b"RIFF\0\0\0\0WAVE").expect("a file");
        write(&folder.join(format!("Music/gone {number}.wav")), &Song::new(800 + number).samples(RATE, SECONDS), &[]);
    }
    write(&folder.join("Music/long.wav"), &Song::new(700).samples(RATE, 60.0), &[]);
    // A part of the third song, 2 % faster.
    let song = Song::new(3).samples(RATE, SECONDS);
    let faster = |frame: usize| {
        let place = f64::from(RATE) + frame as f64 * 1.02;
        let (before, share) = (place as usize, place.fract() as f32);
        song[before] * (1.0 - share) + song[before + 1] * share
    };
    let clip: Vec<f32> = (0..6 * RATE as usize).map(faster).collect();
    write(&folder.join("music/clip.wav"), &clip, &[]);
}

fn write(path: &Path, samples: &[f32], items: &[(&str, &str)]) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let flac = path.extension().is_some_and(|extension| extension == "flac");
    let settings = EncodeSettings {
        format: if flac { FileFormat::Flac } else { FileFormat::Wav },
        sample: SampleFormat::Int16,
        dither: Dither::None,
        ..EncodeSettings::default()
    };
    let format = AudioFormat::new(SampleRate::new(RATE).expect("a rate"), 1);
    let mut encoder = Encoder::create(path, &settings, format, true, &[]).expect("an encoder");
    encoder.write(&AudioBuffer::from_channels(vec![samples.to_vec()])).expect("written");
    encoder.finish().expect("finished");
    if !items.is_empty() {
        let items = items.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
        let pictures = vec![Picture { mime: "image/png".into(), kind: 3, data: COVER.to_vec(), ..Picture::default() }];
        tags::write(path, &Tags { items, pictures, ..Tags::default() }).expect("tags");
    }
}
