//! Edit lists against a model that edits plain arrays.

use std::ops::Range;

use undertone::Result as CoreResult;
use undertone::audio::{AudioBuffer, AudioFormat, AudioReader};
use undertone::document::{Clip, Crossfade, DocumentReader, EditList, Fade, FadeShape};
use undertone::units::SampleRate;

const LENGTHS: [u64; 3] = [40, 17, 200];

/// A recording whose every sample is a value of its own.
struct Numbers {
    source: usize,
    position: u64,
}

impl AudioReader for Numbers {
    fn format(&self) -> AudioFormat {
        AudioFormat { rate: SampleRate::new(48_000).unwrap(), channels: 1 }
    }

    fn frames(&self) -> u64 {
        LENGTHS[self.source]
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn seek(&mut self, frame: u64) -> CoreResult<()> {
        self.position = frame.min(self.frames());
        Ok(())
    }

    fn read(&mut self, out: &mut AudioBuffer, frames: usize) -> CoreResult<()> {
        let end = (self.position + frames as u64).min(self.frames());
        out.resize(1, (end - self.position) as usize);
        for (sample, frame) in out.channel_mut(0).iter_mut().zip(self.position..) {
            *sample = value(self.source, frame);
        }
        self.position = end;
        Ok(())
    }
}

fn value(source: usize, frame: u64) -> f32 {
    (1000 * (source + 1)) as f32 + frame as f32
}

fn samples(source: usize) -> Vec<f32> {
    (0..LENGTHS[source]).map(|frame| value(source, frame)).collect()
}

fn reader(edits: &EditList) -> DocumentReader {
    let sources = (0..LENGTHS.len()).map(|source| Box::new(Numbers { source, position: 0 }) as Box<dyn AudioReader>);
    DocumentReader::new(sources.collect(), edits).unwrap()
}

fn heard(edits: &EditList, piece: usize) -> Vec<f32> {
    let (mut reader, mut block, mut all) = (reader(edits), AudioBuffer::default(), Vec::new());
    loop {
        reader.read(&mut block, piece).unwrap();
        if block.is_empty() {
            return all;
        }
        all.extend_from_slice(block.channel(0));
    }
}

fn whole(source: usize) -> EditList {
    EditList { clips: vec![Clip::whole(source, LENGTHS[source])] }
}

/// Numbers by xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }

    fn range(&mut self, frames: u64) -> Range<u64> {
        let (a, b) = (self.below(frames + 1), self.below(frames + 1));
        a.min(b)..a.max(b)
    }
}

/// One random edit of both. Returns its name.
fn edit(random: &mut Random, edits: &mut EditList, model: &mut Vec<f32>, crossfade: Crossfade) -> String {
    let frames = model.len() as u64;
    assert_eq!(edits.frames(), frames);
    let range = random.range(frames);
    let (start, end) = (range.start as usize, range.end as usize);
    let source = random.below(3) as usize;
    let at = random.below(frames + 1);
    match random.below(10) {
        0 => {
            edits.delete(range.clone(), crossfade);
            model.drain(start..end);
            format!("delete {range:?}")
        }
        1 => {
            edits.silence(range.clone(), crossfade);
            model[start..end].fill(0.0);
            format!("silence {range:?}")
        }
        2 => {
            edits.insert(at, whole(source), crossfade);
            model.splice(at as usize..at as usize, samples(source));
            format!("insert {source} at {at}")
        }
        3 => {
            edits.replace(range.clone(), whole(source), crossfade);
            model.splice(start..end, samples(source));
            format!("replace {range:?} by {source}")
        }
        4 => {
            edits.reverse(range.clone(), crossfade);
            model[start..end].reverse();
            format!("reverse {range:?}")
        }
        5 => {
            edits.move_to(range.clone(), at, crossfade);
            let inside = range.contains(&at) || at == range.end || range.is_empty();
            if !inside {
                let part: Vec<f32> = model.drain(start..end).collect();
                let to = if at > range.end { at as usize - part.len() } else { at as usize };
                model.splice(to..to, part);
            }
            format!("move {range:?} to {at}")
        }
        6 => {
            // Copy and paste.
            let part = edits.part(range.clone());
            edits.insert(at, part, crossfade);
            let part = model[start..end].to_vec();
            model.splice(at as usize..at as usize, part);
            format!("copy {range:?} to {at}")
        }
        7 => {
            edits.split(at);
            format!("split at {at}")
        }
        8 => {
            edits.join(range.clone());
            format!("join {range:?}")
        }
        _ => {
            // Trimming to little would end the sequence early.
            if range.end - range.start > 8 {
                edits.trim(range.clone());
                *model = model[start..end].to_vec();
            }
            format!("trim {range:?}")
        }
    }
}

#[test]
fn ten_thousand_sequences_of_edits_give_what_edited_arrays_give() {
    for seed in 1..=10_000u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let (mut edits, mut model) = (whole(0), samples(0));
        let mut done = Vec::new();
        for _ in 0..=random.below(12) {
            done.push(edit(&mut random, &mut edits, &mut model, Crossfade::NONE));
        }
        edits.check(&LENGTHS).unwrap();
        let piece = [1, 7, 64, 1000][random.below(4) as usize];
        assert_eq!(heard(&edits, piece), model, "seed {seed}, in pieces of {piece}: {done:?}");
        // From any frame.
        let mut reader = reader(&edits);
        let mut block = AudioBuffer::default();
        let frame = random.below(model.len() as u64 + 1);
        reader.seek(frame).unwrap();
        reader.read(&mut block, 9).unwrap();
        let end = model.len().min(frame as usize + 9);
        assert_eq!(block.channel(0), &model[frame as usize..end], "seed {seed} from {frame}: {done:?}");
    }
}

#[test]
fn crossfades_change_nothing_but_the_frames_around_joins() {
    for seed in 1..=2000u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let (mut edits, mut model) = (whole(0), samples(0));
        let frames = 2 + random.below(20);
        let crossfade = Crossfade { frames, shape: FadeShape::EqualPower };
        for _ in 0..=random.below(8) {
            edit(&mut random, &mut edits, &mut model, crossfade);
        }
        let got = heard(&edits, 13);
        assert_eq!(got.len(), model.len());
        assert_eq!(heard(&edits, 1), got, "seed {seed}");
        let edges = edits.edges();
        let near = |frame: u64| edges.iter().any(|&edge| frame < edge + frames && edge <= frame + frames);
        for (frame, (got, model)) in got.iter().zip(&model).enumerate() {
            assert!(got == model || near(frame as u64), "seed {seed}, frame {frame}: {got}, not {model}");
            assert!(got.is_finite() && got.abs() < 3500.0 * 1.5);
        }
    }
}

#[test]
fn a_cut_fades_from_one_side_to_the_other_with_the_material_beyond() {
    let mut edits = whole(2);
    edits.delete(50..120, Crossfade { frames: 10, shape: FadeShape::Linear });
    let got = heard(&edits, 1000);
    assert_eq!(got.len(), 130);
    for frame in 0..130u64 {
        let (before, after) = (f64::from(value(2, frame)), f64::from(value(2, frame + 70)));
        let x = (frame as f64 - 45.0 + 0.5) / 10.0;
        let expected = if x < 0.0 {
            before
        } else if x > 1.0 {
            after
        } else {
            before * (1.0 - x) + after * x
        };
        assert_eq!(got[frame as usize], expected as f32, "{frame}");
    }
    // Where there is no material before the second clip, all of the fade lies after its start.
    let mut edits = whole(2).part(0..100);
    edits.insert(100, whole(1), Crossfade { frames: 10, shape: FadeShape::Linear });
    let got = heard(&edits, 1000);
    assert_eq!(got[..92], samples(2)[..92]);
    assert!(got[100] > value(1, 0) && got[108] == value(1, 8), "{:?}", &got[90..110]);
    // Without material on either side, one fades to silence and the other from it.
    let mut edits = whole(1);
    edits.insert(17, whole(0), Crossfade { frames: 8, shape: FadeShape::Linear });
    let got = heard(&edits, 1000);
    assert_eq!((got[12], got[21]), (value(1, 12), value(0, 4)));
    assert!(got[16] < 0.2 * value(1, 16) && got[17] < 0.2 * value(0, 0));
    // A join whose samples continue has no fade.
    let mut edits = whole(2);
    let part = edits.part(20..60);
    edits.delete(20..60, Crossfade { frames: 10, shape: FadeShape::Linear });
    edits.insert(20, part, Crossfade { frames: 10, shape: FadeShape::Linear });
    assert_eq!(heard(&edits, 1000), samples(2));
    edits.join(0..200);
    assert_eq!(edits, whole(2));
}

#[test]
fn fades_and_gain_sound_the_same_however_the_clip_is_cut() {
    let faded = Clip { fade_in: Fade::over(60), fade_out: Fade::over(90), gain_db: -6.0, ..Clip::whole(2, 200) };
    let expected = heard(&EditList { clips: vec![faded.clone()] }, 1000);
    for cut in [1, 30, 59, 60, 61, 100, 110, 111, 199] {
        let mut edits = EditList { clips: vec![faded.clone()] };
        assert!(edits.split(cut));
        assert_eq!(edits.clips.len(), 2);
        assert_eq!(heard(&edits, 7), expected, "cut at {cut}");
        edits.join(0..200);
        assert_eq!(edits.clips, [faded.clone()], "joined at {cut}");
        let mut backwards = EditList { clips: vec![faded.clone()] };
        backwards.split(cut);
        backwards.reverse(0..200, Crossfade::NONE);
        assert_eq!(heard(&backwards, 7), expected.iter().rev().copied().collect::<Vec<_>>());
        backwards.reverse(0..200, Crossfade::NONE);
        assert_eq!(heard(&backwards, 7), expected);
    }
    assert!(!EditList { clips: vec![faded] }.split(0));
}
