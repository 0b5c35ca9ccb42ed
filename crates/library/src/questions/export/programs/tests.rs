//! Tests that other programs find their fields, and nothing under a name that means something else.

use std::fs;

use super::*;

fn track() -> TaggedTrack {
    let mut row = TrackRow {
        id: 7,
        path: "/music/Björk/Jóga.flac".to_owned(),
        title: Some("=Jóga".to_owned()),
        artist: Some("Björk".to_owned()),
        album_artist: Some("Björk".to_owned()),
        year: Some(1997),
        track_no: Some(2),
        duration_s: Some(305.12),
        rate_hz: Some(44_100),
        channels: Some(2),
        format: Some("FLAC".to_owned()),
        codec: Some("FLAC 16 bit".to_owned()),
        bit_rate: Some(912_345),
        bits: Some(16),
        key: Some("F#m".to_owned()),
        ..TrackRow::default()
    };
    row.features = vec![None; analysis::features::dimensions::COUNT];
    row.features[index_of("loudness_lufs").unwrap()] = Some(-10.97);
    row.features[index_of("tempo_bpm").unwrap()] = Some(127.96);
    row.features[index_of("centroid_hz").unwrap()] = Some(f64::NAN);
    row.features[index_of("rolloff_hz").unwrap()] = Some(4000.0);
    let tags = [("MUSICBRAINZ_TRACKID", "r-1"), ("DATE", "1997-09-20"), ("REPLAYGAIN_TRACK_PEAK", "0.98765")];
    TaggedTrack { row, tags: tags.map(|(name, value)| (name.to_owned(), value.to_owned())).into() }
}

fn opus() -> TaggedTrack {
    let mut track = track();
    (track.row.format, track.row.codec) = (Some("Ogg".to_owned()), Some("Opus".to_owned()));
    (track.row.bits, track.row.path) = (None, "a.opus".to_owned());
    track
}

fn written(program: Program, format: Format, tracks: &[TaggedTrack]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out").with_extension(format.name());
    let rows = tracks.iter().cloned().map(Ok);
    let done = export_for(&target, (program, format), rows, false, &[], &Progress::new()).unwrap();
    assert_eq!((done.tracks, done.bytes), (tracks.len() as u64, fs::metadata(&target).unwrap().len()));
    fs::read_to_string(&target).unwrap()
}

fn documents(program: Program, tracks: &[TaggedTrack]) -> Vec<Value> {
    let text = written(program, Format::Json, tracks);
    assert_eq!(text.lines().count(), tracks.len() + 2);
    serde_json::from_str(&text).unwrap()
}

#[test]
fn beets_finds_its_fields_in_its_units() {
    let found = documents(Program::Beets, &[track(), opus()]);
    let expected: Vec<(&str, Value)> = vec![
        ("path", "/music/Björk/Jóga.flac".into()),
        ("albumartist", "Björk".into()),
        ("track", 2.into()),
        ("disc", Value::Null),
        ("bpm", 128.into()),
        ("initial_key", "F#m".into()),
        ("length", 305.12.into()),
        ("rg_track_gain", (-7.03).into()),
        ("rg_track_peak", 0.98765.into()),
        ("r128_track_gain", Value::Null),
        ("format", "FLAC".into()),
        ("bitrate", 912_345.into()),
        ("samplerate", 44_100.into()),
        ("bitdepth", 16.into()),
        ("mb_trackid", "r-1".into()),
    ];
    for (name, value) in expected {
        assert_eq!(found[0][name], value, "{name}");
    }
    assert_eq!((&found[1]["rg_track_gain"], &found[1]["r128_track_gain"]), (&Value::Null, &(-12.03).into()));
    assert_eq!(found[1]["format"], "Opus");
}

#[test]
fn picard_finds_its_tags_as_its_scripts_see_them() {
    let found = documents(Program::Picard, &[track(), opus()]);
    let expected: Vec<(&str, Value)> = vec![
        ("bpm", 128.0.into()),
        ("key", "F#m".into()),
        ("date", "1997-09-20".into()),
        ("replaygain_track_gain", "-7.03 dB".into()),
        ("replaygain_track_peak", "0.98765".into()),
        ("musicbrainz_recordingid", "r-1".into()),
        ("_filename", "Jóga".into()),
        ("_extension", "flac".into()),
        ("_dirname", "/music/Björk".into()),
        ("_length", "5:05".into()),
        ("_bitrate", 912.345.into()),
        ("_bits_per_sample", 16.into()),
    ];
    for (name, value) in expected {
        assert_eq!(found[0][name], value, "{name}");
    }
    assert_eq!((&found[1]["replaygain_track_gain"], &found[1]["r128_track_gain"]), (&Value::Null, &(-3080).into()));
}

#[test]
fn tables_have_a_header_and_no_formulas() {
    for program in [Program::Beets, Program::Picard] {
        let text = written(program, Format::Csv, &[track(), TaggedTrack::default()]);
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        assert_eq!(names, program.columns().unwrap());
        let records: Vec<_> = reader.records().map(Result::unwrap).collect();
        let cell = |name: &str| &records[0][names.iter().position(|known| known == name).unwrap()];
        assert_eq!(cell("title"), "'=Jóga");
        if program == Program::Picard {
            assert_eq!(cell("replaygain_track_gain"), "-7.03 dB");
        } else {
            assert_eq!(cell("rg_track_gain"), "-7.03");
        }
        assert_eq!(records.len(), 2);
        assert_eq!(records[1].iter().filter(|cell| !cell.is_empty()).count(), 0);
    }
}

#[test]
fn a_document_has_the_structure_of_the_extractor_and_the_rest_under_our_name() {
    let mut mono = track();
    mono.row.channels = Some(1);
    let found = documents(Program::AcousticBrainz, &[track(), mono, TaggedTrack::default()]);
    let first = &found[0];
    let properties = &first["metadata"]["audio_properties"];
    assert_eq!((&properties["length"], &properties["sample_rate"]), (&305.12.into(), &44_100.into()));
    assert_eq!((&properties["codec"], &properties["lossless"]), (&"flac".into(), &true.into()));
    assert_eq!(first["metadata"]["tags"]["musicbrainz_trackid"][0], "r-1");
    assert_eq!(first["metadata"]["tags"]["file_name"], "Jóga.flac");
    assert_eq!(first["lowlevel"]["loudness_ebu128"]["integrated"], -10.97);
    assert_eq!(first["rhythm"]["bpm"], 127.96);
    assert_eq!((&first["tonal"]["key_key"], &first["tonal"]["key_scale"]), (&"F#".into(), &"minor".into()));
    assert_eq!(first["undertone"]["features"]["rolloff_hz"], 4000.0);
    // Values that are unknown, or measured in another way, are left out.
    assert!(first["undertone"]["features"].get("centroid_hz").is_none());
    assert!(first["tonal"].get("key_strength").is_none());
    assert_eq!(found[1]["lowlevel"], serde_json::json!({}));
    assert_eq!(found[1]["undertone"]["features"]["loudness_lufs"], -10.97);
    assert_eq!(found[2]["rhythm"], serde_json::json!({}));
    assert_eq!(documents(Program::AcousticBrainz, &[]), Vec::<Value>::new());
}

#[test]
fn a_format_that_a_program_has_not_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (program, format) in [(Program::AcousticBrainz, Format::Csv), (Program::Beets, Format::Parquet)] {
        let target = folder.path().join("out");
        let failed = export_for(&target, (program, format), std::iter::empty(), false, &[], &Progress::new());
        let said = failed.unwrap_err().to_string();
        assert!(said.contains(program.name()) && said.contains("json"), "{said}");
        assert!(!target.exists());
    }
    assert!("foobar".parse::<Program>().unwrap_err().to_string().contains("beets, picard, acousticbrainz"));
}
