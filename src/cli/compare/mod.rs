//! `undertone compare`: measures what an edit or a codec did to recordings.

pub mod arguments;
mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Outcome;
use super::interrupt::cancel_on_interrupt;
use super::output::{Output, name};
use super::shown::shown;
use crate::audio::AudioFile;
use crate::compare::{
    Comparison, MEASURES, Measure, PairBy, Request, Threshold, codec_superb, compare, measure_among, paired, report,
};
use crate::error::{Error, Failure, Result};
use crate::progress::Progress;
use arguments::Compare;
use report::{Compared, Document};

/// Two files and how they compare.
struct Pair {
    reference: PathBuf,
    other: PathBuf,
    result: Result<Comparison, Failure>,
    /// The warnings of the files' readers.
    warnings: Vec<String>,
    /// The conditions of `--fail-if` that hold.
    failed: Vec<String>,
}

pub fn run(words: &Compare, output: &Output) -> Result<Outcome> {
    if output.is_json() && (words.csv || words.markdown) {
        return Err(Error::impossible("A table was asked for, and JSON. Leave out one of them."));
    }
    if words.curves && !output.is_json() {
        return Err(Error::impossible("Curves are printed as JSON only. Add --json."));
    }
    let all: &'static [Measure] = if words.manner.is_some() { &codec_superb::FIGURES } else { &MEASURES };
    let thresholds: Vec<Threshold> =
        words.fail_if.iter().map(|text| Threshold::among(all, text)).collect::<Result<_>>()?;
    let request = Request {
        measures: measures(words, all, &thresholds)?,
        align: !words.no_align,
        curves: words.curves,
        match_level: words.match_level,
    };
    let progress = Arc::new(vec![Progress::new()]);
    cancel_on_interrupt(&progress);
    let (files, alone) = files(words, &progress[0])?;
    for path in &alone {
        output.note(&format!("undertone: {}: no other version found", path.display()));
    }
    let mut pairs = Vec::new();
    let mut any_failed = !alone.is_empty();
    for (reference, other) in files {
        let compared = {
            let pair_progress = progress[0].uncounted();
            pair_progress.set_total(request.steps());
            let _bar = output.follow(&name(&other), &pair_progress);
            one(&reference, &other, words.manner, &request, &pair_progress)
        };
        let pair = match compared {
            Err(Error::Cancelled) => return Err(Error::Cancelled),
            Err(error) => {
                any_failed = true;
                output.note(&format!("undertone: {}: {error}", name(&other)));
                Pair { reference, other, result: Err(error.into()), warnings: Vec::new(), failed: Vec::new() }
            }
            Ok((comparison, warnings)) => {
                let failed = failed(&comparison, &thresholds);
                any_failed |= !failed.is_empty();
                Pair { reference, other, result: Ok(comparison), warnings, failed }
            }
        };
        if !output.is_json() && !words.csv && !words.markdown {
            text::print(&pair, words.channels, output);
        }
        pairs.push(pair);
    }
    print(&pairs, &alone, words, &request, output)?;
    Ok(Outcome::of(any_failed))
}

/// Prints the pairs as JSON, or as a table if requested.
fn print(pairs: &[Pair], alone: &[PathBuf], words: &Compare, request: &Request, output: &Output) -> Result<()> {
    let name = |path: &PathBuf| path.to_string_lossy().into_owned();
    let names: Vec<[String; 2]> = pairs.iter().map(|pair| [&pair.reference, &pair.other].map(name)).collect();
    let pairs: Vec<Compared<'_>> = pairs
        .iter()
        .zip(&names)
        .map(|(pair, [reference, other])| Compared {
            reference,
            other,
            result: pair.result.as_ref(),
            warnings: &pair.warnings,
            failed: &pair.failed,
        })
        .collect();
    if output.is_json() {
        let alone: Vec<String> = alone.iter().map(name).collect();
        output.json(&Document { pairs: &pairs, channels: words.channels, curves: words.curves, alone: &alone })?;
    } else if words.csv {
        report::csv(&pairs, &request.measures, true)?.lines().for_each(|line| output.line(line));
    } else if words.markdown {
        report::markdown(&pairs, &request.measures).lines().for_each(|line| output.line(&shown(line)));
    }
    Ok(())
}

/// Returns the requested measures and those of the conditions, in the order of `all`.
fn measures(words: &Compare, all: &'static [Measure], thresholds: &[Threshold]) -> Result<Vec<&'static Measure>> {
    if words.measures.is_empty() {
        return Ok(all.iter().collect());
    }
    let mut asked: Vec<&Measure> =
        words.measures.iter().map(|name| measure_among(all, name.trim())).collect::<Result<_>>()?;
    asked.extend(thresholds.iter().map(|threshold| threshold.measure));
    Ok(all.iter().filter(|measure| asked.contains(measure)).collect())
}

/// Returns the pairs of files, and files without a partner.
fn files(words: &Compare, progress: &Progress) -> Result<(Vec<(PathBuf, PathBuf)>, Vec<PathBuf>)> {
    if !words.reference.is_dir() {
        if let Some(folder) = words.others.iter().find(|other| other.is_dir()) {
            let sentences = format!(
                "The reference is a file, but this is a folder. Give files, or a folder as reference: {}",
                folder.display()
            );
            return Err(Error::impossible(sentences));
        }
        return Ok((words.others.iter().map(|other| (words.reference.clone(), other.clone())).collect(), Vec::new()));
    }
    let by = match words.pair_by {
        arguments::PairBy::Name => PairBy::Name,
        arguments::PairBy::Content => PairBy::Content,
    };
    let (mut pairs, mut alone) = (Vec::new(), Vec::new());
    for other in &words.others {
        if !other.is_dir() {
            let sentences = format!(
                "The reference is a folder, but this is not. Give folders to compare it with: {}",
                other.display()
            );
            return Err(Error::impossible(sentences));
        }
        let found = paired(&words.reference, other, by, progress)?;
        pairs.extend(found.pairs);
        alone.extend(found.alone);
    }
    if pairs.is_empty() {
        return Err(Error::impossible(format!(
            "No file of the folder has another version to compare it with: {}",
            words.reference.display()
        )));
    }
    Ok((pairs, alone))
}

fn one(
    reference: &Path,
    other: &Path,
    manner: Option<arguments::Manner>,
    request: &Request,
    progress: &Progress,
) -> Result<(Comparison, Vec<String>)> {
    let files = [AudioFile::open(reference)?, AudioFile::open(other)?];
    let warnings = files.iter().flat_map(|file| file.info().warnings.clone()).collect();
    let [mut first, mut second] = [files[0].reader()?, files[1].reader()?];
    let (first, second) = (first.as_mut(), second.as_mut());
    let comparison = match manner {
        Some(arguments::Manner::CodecSuperb) => codec_superb::measured(first, second, &request.measures, progress)?,
        None => compare(first, second, request, progress)?,
    };
    Ok((comparison, warnings))
}

/// Returns the conditions under which the comparison fails.
fn failed(comparison: &Comparison, thresholds: &[Threshold]) -> Vec<String> {
    let fails = |threshold: &&Threshold| {
        let reading = comparison.readings.iter().find(|(measure, _)| *measure == threshold.measure);
        reading.is_none_or(|(_, reading)| threshold.fails(&reading.whole))
    };
    thresholds.iter().filter(fails).map(|threshold| threshold.text().to_owned()).collect()
}
