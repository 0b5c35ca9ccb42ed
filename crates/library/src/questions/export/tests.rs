//! Tests that exports read back in every format, and that failures leave no file.

use std::fs::{self, File};

use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::record::Field;
use serde_json::Value;

use super::*;
use crate::TrackState;
use crate::questions::table::DIMENSION_COUNT;
use base::date::moment;

fn tracks() -> Vec<TrackRow> {
    let mut full = TrackRow {
        id: 1,
        path: "/music/Björk, \"Jóga\".flac".to_owned(),
        title: Some("Jóga,\nsecond line".to_owned()),
        artist: Some("=1+1".to_owned()),
        album: Some(String::new()),
        album_artist: Some("東京事変".to_owned()),
        genre: Some("Pop; \"Art\"".to_owned()),
        year: Some(1997),
        track_no: Some(-2),
        duration_s: Some(305.123_456_789_012_3),
        rate_hz: Some(44_100),
        channels: Some(2),
        format: Some("flac".to_owned()),
        codec: Some("flac".to_owned()),
        bit_rate: Some(i64::MAX),
        bits: Some(24),
        bandwidth_hz: Some(21_600.0),
        key: Some("C#m".to_owned()),
        added_at: 1_773_489_600_123,
        state: TrackState::Done,
        ..TrackRow::default()
    };
    full.features = (0..DIMENSION_COUNT).map(|d| Some(0.1 * d as f64 - 0.7)).collect();
    let mut partly = TrackRow { id: -5, path: "x".to_owned(), ..TrackRow::default() };
    partly.features = vec![None; DIMENSION_COUNT];
    partly.features[3] = Some(f64::NAN);
    partly.features[4] = Some(1e-300);
    vec![full, partly, TrackRow::default()]
}

/// Returns the text of a cell, the same for all formats.
fn text(cell: Cell) -> Option<String> {
    match cell {
        Cell::Missing => None,
        Cell::Integer(value) => Some(value.to_string()),
        Cell::Real(value) => Some(format!("{value:?}")),
        Cell::Text(text) => Some(text.to_owned()),
        Cell::Moment(ms) => Some(moment(ms)),
    }
}

fn expected(tracks: &[TrackRow]) -> Vec<Vec<Option<String>>> {
    tracks.iter().map(|track| track.cells().map(text).collect()).collect()
}

fn written(format: Format, tracks: &[TrackRow]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("library").with_extension(format.name());
    let progress = Progress::new();
    let done = export(&target, format, tracks.iter().cloned().map(Ok), false, &[], &progress).unwrap();
    assert_eq!((done.tracks, done.bytes), (tracks.len() as u64, fs::metadata(&target).unwrap().len()));
    assert_eq!(progress.snapshot().done, tracks.len() as u64);
    (folder, target)
}

#[test]
fn csv_reads_back() {
    for tracks in [tracks(), Vec::new()] {
        let (_folder, target) = written(Format::Csv, &tracks);
        let mut reader = ::csv::Reader::from_path(&target).unwrap();
        let names: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        assert_eq!(names, columns().iter().map(|column| column.name).collect::<Vec<_>>());
        let mut rows = 0;
        for (record, expected) in reader.records().zip(expected(&tracks)) {
            for ((got, expected), column) in record.unwrap().iter().zip(expected).zip(columns()) {
                match (column.kind, expected) {
                    (ColumnKind::Real, Some(expected)) => {
                        assert_eq!(got.parse::<f64>().unwrap(), expected.parse::<f64>().unwrap());
                    }
                    (ColumnKind::Text, Some(expected)) if base::files::is_formula(&expected) => {
                        assert_eq!(got, format!("'{expected}"), "{}", column.name);
                    }
                    (_, expected) => assert_eq!(got, expected.unwrap_or_default(), "{}", column.name),
                }
            }
            rows += 1;
        }
        assert_eq!(rows, tracks.len());
    }
}

#[test]
fn formulas_in_csv_are_text() {
    let titles = ["=cmd|' /C calc'!A0", "+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "  =1", "a=1", "'=1", ""];
    let neutral = [true, true, true, true, true, true, true, false, false, false];
    let tracks: Vec<TrackRow> = titles
        .iter()
        .map(|title| TrackRow { title: Some((*title).to_owned()), track_no: Some(-2), ..TrackRow::default() })
        .collect();
    let (_folder, target) = written(Format::Csv, &tracks);
    let mut reader = ::csv::Reader::from_path(&target).unwrap();
    let place = |name: &str| columns().iter().position(|column| column.name == name).unwrap();
    for ((record, title), neutral) in reader.records().map(Result::unwrap).zip(titles).zip(neutral) {
        let expected = if neutral { format!("'{title}") } else { title.to_owned() };
        assert_eq!(record[place("title")], expected);
        // Negative numbers written by the exporter stay numbers.
        assert_eq!(&record[place("track_no")], "-2");
    }
}

#[test]
fn json_reads_back() {
    for tracks in [tracks(), Vec::new()] {
        let (_folder, target) = written(Format::Json, &tracks);
        let document: Value = serde_json::from_str(&fs::read_to_string(&target).unwrap()).unwrap();
        assert_eq!(document["format"], "undertone-library");
        assert_eq!(document["columns"].as_array().unwrap().len(), columns().len());
        let got: Vec<Vec<Option<String>>> = document["tracks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|track| {
                let cell = |column: &Column| match (&track[column.name], column.kind) {
                    (Value::Null, _) => None,
                    (Value::String(text), _) => Some(text.clone()),
                    (value, ColumnKind::Real) => Some(format!("{:?}", value.as_f64().unwrap())),
                    (value, _) => Some(value.to_string()),
                };
                columns().iter().map(cell).collect()
            })
            .collect();
        assert_eq!(got, expected(&tracks));
    }
}

#[test]
fn parquet_reads_back() {
    for tracks in [tracks(), Vec::new()] {
        let (_folder, target) = written(Format::Parquet, &tracks);
        let reader = SerializedFileReader::new(File::open(&target).unwrap()).unwrap();
        let metadata = reader.metadata().file_metadata();
        let described = metadata.key_value_metadata().unwrap().iter().find(|pair| pair.key == parquet::METADATA_KEY);
        assert!(described.unwrap().value.as_ref().unwrap().contains("\"unit\":\"LUFS\""));
        let got: Vec<Vec<Option<String>>> = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| {
                let row = row.unwrap();
                let cells = row.get_column_iter().zip(columns()).map(|((name, field), column)| {
                    assert_eq!(name, column.name);
                    match field {
                        Field::Null => None,
                        Field::Long(value) => Some(value.to_string()),
                        Field::Double(value) => Some(format!("{value:?}")),
                        Field::Str(text) => Some(text.clone()),
                        Field::TimestampMillis(ms) => Some(moment(*ms)),
                        other => panic!("{other:?}"),
                    }
                });
                cells.collect()
            })
            .collect();
        assert_eq!(got, expected(&tracks));
    }
}

#[test]
fn groups_of_parquet_join() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("many.parquet");
    let tracks = (0..70_000).map(|id| Ok(TrackRow { id, path: format!("/music/{id}"), ..TrackRow::default() }));
    export(&target, Format::Parquet, tracks, false, &[], &Progress::new()).unwrap();
    let reader = SerializedFileReader::new(File::open(&target).unwrap()).unwrap();
    assert_eq!((reader.num_row_groups(), reader.metadata().file_metadata().num_rows()), (2, 70_000));
    let projection = parquet_projection();
    let last = reader.get_row_iter(Some(projection)).unwrap().last().unwrap().unwrap();
    assert_eq!(last.get_column_iter().next().unwrap().1, &Field::Long(69_999));
}

fn parquet_projection() -> ::parquet::schema::types::Type {
    use ::parquet::basic::{Repetition, Type as Physical};
    use ::parquet::schema::types::Type;
    let id = Type::primitive_type_builder("id", Physical::INT64).with_repetition(Repetition::OPTIONAL).build().unwrap();
    Type::group_type_builder("library").with_fields(vec![std::sync::Arc::new(id)]).build().unwrap()
}

#[test]
fn what_fails_leaves_nothing() {
    for format in Format::ALL {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("library.out");
        let broken = tracks().into_iter().map(Ok).chain([Err(Error::Stored("broken".to_owned()))]);
        let failed = export(&target, format, broken, false, &[], &Progress::new());
        assert!(matches!(failed, Err(Error::Stored(_))), "{failed:?}");
        let cancelled = Progress::new();
        cancelled.cancel();
        let failed = export(&target, format, tracks().into_iter().map(Ok), false, &[], &cancelled);
        assert!(matches!(failed, Err(Error::Cancelled)));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // An existing file is neither replaced unasked nor damaged by a failure, and the database is never replaced.
        fs::write(&target, "kept").unwrap();
        let inputs = [target.clone()];
        for (overwrite, inputs) in [(false, &[][..]), (true, &inputs[..])] {
            let refused = export(&target, format, tracks().into_iter().map(Ok), overwrite, inputs, &Progress::new());
            assert!(matches!(refused, Err(Error::Refused { .. })), "{refused:?}");
        }
        let broken = [Err(Error::Stored("broken".to_owned()))].into_iter();
        assert!(export(&target, format, broken, true, &[], &Progress::new()).is_err());
        assert_eq!(fs::read_to_string(&target).unwrap(), "kept");
        export(&target, format, tracks().into_iter().map(Ok), true, &[], &Progress::new()).unwrap();
        assert_ne!(fs::read(&target).unwrap(), b"kept");
    }
}

#[test]
fn formats_go_by_extension() {
    assert_eq!(Format::of_path(Path::new("/a/b.Parquet")), Some(Format::Parquet));
    assert_eq!(Format::of_path(Path::new("/a/b.xlsx")), None);
    assert!("xlsx".parse::<Format>().unwrap_err().to_string().contains("csv, json, parquet"));
}
