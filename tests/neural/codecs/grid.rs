//! Grids as a program runs them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use analysis::compare::{MEASURES, Request, measure_named};
use base::error::Error;
use base::progress::Progress;
use neural::codec_grid::{Grid, Input, ReadValue, Results, report, run, summaries, usual_measures};
use neural::codecs::from_words;

use super::{song, written};

fn grid(folder: &Path, inputs: &[(&str, &str)], codecs: &[&str], measures: &[&str]) -> Grid {
    let words: Vec<String> = codecs.iter().map(|&word| word.to_owned()).collect();
    Grid {
        inputs: inputs
            .iter()
            .map(|(path, category)| Input { path: folder.join(path), category: PathBuf::from(category) })
            .collect(),
        codecs: from_words(&words).unwrap(),
        request: Request {
            measures: measures.iter().map(|name| measure_named(name).unwrap()).collect(),
            ..Request::default()
        },
        keeps_decoded: false,
        jobs: 2,
        folder: folder.join("out"),
    }
}

fn ran(grid: &Grid) -> Results {
    run(grid, &Progress::new(), &|_| {}).unwrap()
}

fn before(results: &Results) -> usize {
    results.cells.iter().filter(|cell| cell.is_from_before).count()
}

#[test]
fn quality_rises_with_the_rate() {
    let desk = tempfile::tempdir().unwrap();
    for seed in 0..2 {
        written(&desk.path().join(format!("{seed}.wav")), &song(20 + seed, 44_100, 2.5));
    }
    let codecs = ["opus:16,32,64,128", "vorbis:q-1,q2,q5,q9", "pcm:4,8,12", "rate:8000,16000,32000", "flac"];
    let measures = ["snr", "log_spectral_distance", "mel", "bandwidth"];
    let results = ran(&grid(desk.path(), &[("0.wav", "a"), ("1.wav", "b")], &codecs, &measures));
    assert_eq!((results.cells.len(), results.failed()), (30, 0));
    let all = summaries(&results, |_| true);
    let mut of_family: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for summary in &all {
        of_family.entry(results.grid.codecs[summary.codec].family()).or_default().push(summary);
    }
    for (family, rates) in &of_family {
        for pair in rates.windows(2) {
            let kbps = |index: usize| pair[index].kbps.unwrap().mean;
            assert!(kbps(0) < kbps(1), "{family}");
            let mean = |index: usize, measure: usize| pair[index].measures[measure].spread.unwrap().mean;
            // Opus and the rate keep the waveform of what they keep; at 16 kbit/s Opus does not even that.
            assert!(mean(0, 0) < mean(1, 0), "{family}: {} {} dB", mean(0, 0), mean(1, 0));
            assert!(mean(0, 2) > mean(1, 2), "{family}: mel {} {}", mean(0, 2), mean(1, 2));
        }
    }
    let control = &of_family["flac"][0].measures;
    assert_eq!((control[0].infinite, control[0].spread), (2, None));
    assert_eq!(control[1].spread.unwrap().max, 0.0);
    let (low, high) = (&of_family["rate"][0].measures[3], &of_family["rate"][2].measures[3]);
    assert!(low.spread.unwrap().max < 4_200.0 && high.spread.unwrap().min > 7_000.0);
    // Each category has half of the cells.
    let first = summaries(&results, |cell| results.grid.inputs[cell.input].category == Path::new("a"));
    assert!(first.len() == 15 && first.iter().all(|summary| summary.measured == 1));
}

#[test]
fn a_finished_cell_counts_until_something_of_it_changes() {
    let desk = tempfile::tempdir().unwrap();
    for seed in 0..2 {
        written(&desk.path().join(format!("{seed}.wav")), &song(30 + seed, 16_000, 1.0));
    }
    let inputs = [("0.wav", "a"), ("1.wav", "a")];
    let first = grid(desk.path(), &inputs, &["pcm:8", "flac"], &["snr", "l1"]);
    assert_eq!(before(&ran(&first)), 0);
    let again = ran(&first);
    assert_eq!((before(&again), again.failed()), (4, 0));
    assert!(
        matches!(again.cells[1].outcome.as_ref().unwrap().readings[0].value, ReadValue::Infinite),
        "kept as it was"
    );
    // Fewer measures are there already; others, another setting and another alignment are not.
    assert_eq!(before(&ran(&grid(desk.path(), &inputs, &["pcm:8", "flac"], &["l1"]))), 4);
    assert_eq!(before(&ran(&grid(desk.path(), &inputs, &["pcm:8,9"], &["l1"]))), 2);
    assert_eq!(before(&ran(&grid(desk.path(), &inputs, &["pcm:8"], &["si_sdr"]))), 0);
    let mut unaligned = grid(desk.path(), &inputs, &["pcm:8"], &["si_sdr"]);
    unaligned.request.align = false;
    assert_eq!(before(&ran(&unaligned)), 0);
    // A recording that changed.
    assert_eq!(before(&ran(&first)), 2, "pcm:8 was made with other measures");
    written(&desk.path().join("1.wav"), &song(99, 16_000, 1.0));
    assert_eq!(before(&ran(&first)), 2);
    // Files of cells that a crash or a stranger left.
    let cells: Vec<PathBuf> =
        std::fs::read_dir(desk.path().join("out/cells")).unwrap().map(|entry| entry.unwrap().path()).collect();
    for (index, cell) in cells.iter().enumerate() {
        let text = std::fs::read_to_string(cell).unwrap();
        std::fs::write(cell, ["", "{}", "null", &text[..text.len() / 2]][index % 4]).unwrap();
    }
    let anew = ran(&first);
    assert_eq!((before(&anew), anew.failed()), (0, 0));
    // Decoded sound that is gone, or another.
    let keeping = Grid { keeps_decoded: true, ..first.clone() };
    let kept = ran(&keeping);
    assert_eq!((before(&kept), before(&ran(&keeping))), (0, 4));
    let decoded: Vec<PathBuf> =
        kept.cells.iter().map(|cell| keeping.folder.join(cell.decoded.as_ref().unwrap())).collect();
    std::fs::remove_file(&decoded[0]).unwrap();
    written(&decoded[3], &song(1, 16_000, 0.1));
    assert_eq!(before(&ran(&keeping)), 2);
}

#[test]
fn an_alignment_is_looked_for_once_where_there_is_none_to_undo() {
    let desk = tempfile::tempdir().unwrap();
    for (name, rate) in [("0.wav", 16_000), ("1.wav", 16_000), ("2.wav", 22_050)] {
        written(&desk.path().join(name), &song(35, rate, 1.0));
    }
    let mut grid = grid(desk.path(), &[("0.wav", "a"), ("1.wav", "a"), ("2.wav", "a")], &["vorbis:q5"], &["si_sdr"]);
    grid.jobs = 1;
    let results = ran(&grid);
    let own: Vec<_> = results.cells.iter().map(|cell| cell.outcome.as_ref().unwrap()).collect();
    assert_eq!(own.iter().map(|own| own.is_in_place).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(own.iter().map(|own| own.alignment.is_some()).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(own[0].readings, own[1].readings, "one recording under two names");
    // Another run knows it from the cells.
    std::fs::copy(desk.path().join("1.wav"), desk.path().join("3.wav")).unwrap();
    grid.inputs.push(Input { path: desk.path().join("3.wav"), category: PathBuf::from("a") });
    let results = ran(&grid);
    assert!(results.cells[3].outcome.as_ref().unwrap().is_in_place && before(&results) == 3);
}

#[test]
fn the_report_is_whole() {
    let desk = tempfile::tempdir().unwrap();
    written(&desk.path().join("<b>|x.wav"), &song(40, 16_000, 1.0));
    written(&desk.path().join("=2.wav"), &song(41, 16_000, 1.0));
    std::fs::write(desk.path().join("bad.wav"), b"RIFF nothing").unwrap();
    let inputs = [("<b>|x.wav", "<i>one"), ("=2.wav", "two"), ("bad.wav", "two")];
    let mut grid = grid(desk.path(), &inputs, &["pcm:6,10", "flac", "opus:32"], &["snr", "mel", "pesq_nb"]);
    let results = ran(&grid);
    assert_eq!(results.failed(), 4);
    report::write(&results).unwrap();
    let text = |name: &str| std::fs::read_to_string(grid.folder.join(name)).unwrap();
    let html = text("report.html");
    assert!(html.contains("&lt;i&gt;one") && !html.contains("<i>") && html.matches("<svg").count() == 2);
    assert!(html.contains("What failed") && !html.contains("http://localhost"));
    let markdown = text("report.md");
    assert!(markdown.contains("\\<i\\>one") && markdown.contains("plots/snr.svg") && markdown.contains("infinite"));
    let csv = text("results.csv");
    assert_eq!(csv.lines().count(), 13);
    assert!(csv.contains(",inf,"), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&text("results.json")).unwrap();
    assert_eq!((json["cells"].as_array().unwrap().len(), json["failed"].as_u64()), (12, Some(4)));
    assert_eq!(json["categories"].as_array().unwrap().len(), 2);
    let row = &json["overall"][0];
    assert_eq!((row["codec"].as_str(), row["measured"].as_u64()), (Some("pcm:6"), Some(2)));
    assert!((row["measures"]["snr"]["mean"].as_f64().unwrap() - 25.0).abs() < 10.0);
    assert_eq!(row["measures"]["pesq_nb"]["missing"], 2);
    assert!(json["cells"][0]["missing"]["pesq_nb"].is_string() && json["cells"][8]["error"]["code"].is_string());
    for name in ["snr", "mel"] {
        assert!(text(&format!("plots/{name}.svg")).starts_with("<svg"));
        let file = std::fs::File::open(grid.folder.join(format!("plots/{name}.png"))).unwrap();
        let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (1800, 1080));
        assert!(pixels.iter().filter(|&&value| value < 128).count() > 5_000, "nothing is drawn");
    }
    assert!(!grid.folder.join("plots/pesq_nb.svg").exists(), "there is nothing to show");
    // A plot of a measure that is no longer asked for would be of other cells.
    grid.request.measures.retain(|measure| measure.name == "mel");
    report::write(&ran(&grid)).unwrap();
    assert!(grid.folder.join("plots/mel.png").exists() && !grid.folder.join("plots/snr.png").exists());
}

#[test]
fn a_folder_is_used_by_one_run_and_is_only_of_runs() {
    let desk = tempfile::tempdir().unwrap();
    written(&desk.path().join("0.wav"), &song(50, 16_000, 1.0));
    let grid = grid(desk.path(), &[("0.wav", "a")], &["pcm:8,9"], &["snr"]);
    let met = std::sync::Mutex::new(Vec::new());
    run(&grid, &Progress::new(), &|_| {
        let second = run(&grid, &Progress::new(), &|_| {});
        met.lock().unwrap().push(second.map(drop).unwrap_err().to_string());
    })
    .unwrap();
    let met = met.into_inner().unwrap();
    assert!(met.len() == 2 && met.iter().all(|error| error.contains("Another run")), "{met:?}");
    // Nobody's other things are written over.
    let mut foreign = grid.clone();
    foreign.folder = desk.path().join("foreign");
    std::fs::create_dir(&foreign.folder).unwrap();
    std::fs::write(foreign.folder.join("results.json"), "mine").unwrap();
    assert!(matches!(run(&foreign, &Progress::new(), &|_| {}), Err(Error::Refused { .. })));
    assert_eq!(std::fs::read_dir(&foreign.folder).unwrap().count(), 1);
}

#[test]
fn a_cancel_keeps_what_is_finished() {
    let desk = tempfile::tempdir().unwrap();
    written(&desk.path().join("0.wav"), &song(60, 16_000, 1.0));
    let mut grid = grid(desk.path(), &[("0.wav", "a")], &["pcm:4,5,6,7,8,9,10,11"], &["snr"]);
    grid.jobs = 1;
    let progress = Progress::new();
    let ended = std::sync::atomic::AtomicUsize::new(0);
    let stopped = run(&grid, &progress, &|_| {
        if ended.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 2 {
            progress.cancel();
        }
    });
    assert!(matches!(stopped, Err(Error::Cancelled)));
    assert_eq!((before(&ran(&grid)), progress.snapshot().total), (3, 8));
}

#[test]
fn usual_measures_are_some_of_all() {
    let usual = usual_measures();
    assert!(usual.len() == 6 && usual.len() < MEASURES.len());
}

#[test]
fn empty_and_enormous_grids_are_refused() {
    let desk = tempfile::tempdir().unwrap();
    let empty = grid(desk.path(), &[], &["flac"], &["snr"]);
    assert!(matches!(run(&empty, &Progress::new(), &|_| {}), Err(Error::Impossible(_))));
    let mut enormous = grid(desk.path(), &[("0.wav", "a")], &["flac", "pcm:8"], &["snr"]);
    enormous.inputs = vec![enormous.inputs[0].clone(); 500_001];
    assert!(matches!(run(&enormous, &Progress::new(), &|_| {}), Err(Error::Limit { .. })));
    assert!(!desk.path().join("out").exists());
}
