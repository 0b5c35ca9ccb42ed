//! Edit lists against a model that edits plain arrays.

use std::ops::Range;

use undertone::Result as CoreResult;
use undertone::audio::{AudioBuffer, AudioFormat, AudioReader};
use undertone::document::{Clip, ClipEdit, Crossfade, DocumentReader, EditList, Fade, FadeShape};
use undertone::units::SampleRate;

pub const LENGTHS: [u64; 3] = [40, 17, 200];

/// A recording in which every sample has a different value.
struct Numbers {
    source: usize,
    position: u64,
}

impl AudioReader for Numbers {
    fn format(&self) -> AudioFormat {
        AudioFormat::new(SampleRate::new(48_000).unwrap(), 1)
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

pub fn value(source: usize, frame: u64) -> f32 {
    (1000 * (source + 1)) as f32 + frame as f32
}

fn samples(source: usize) -> Vec<f32> {
    (0..LENGTHS[source]).map(|frame| value(source, frame)).collect()
}

fn reader(edits: &EditList) -> DocumentReader {
    let sources = (0..LENGTHS.len()).map(|source| Box::new(Numbers { source, position: 0 }) as Box<dyn AudioReader>);
    DocumentReader::new(sources.collect(), edits).unwrap()
}

pub fn heard(edits: &EditList, piece: usize) -> Vec<f32> {
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

/// Random numbers by xorshift.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }

    pub fn range(&mut self, frames: u64) -> Range<u64> {
        let (a, b) = (self.below(frames + 1), self.below(frames + 1));
        a.min(b)..a.max(b)
    }
}

/// Makes one random edit of both. Returns its name.
fn edit(random: &mut Random, edits: &mut EditList, model: &mut Vec<f32>, crossfade: Crossfade) -> String {
    let frames = model.len() as u64;
    assert_eq!(edits.frames(), frames);
    let range = random.range(frames);
    let (start, end) = (range.start as usize, range.end as usize);
    let source = random.below(3) as usize;
    let at = random.below(frames + 1);
    match random.below(12) {
        10 | 11 => edit_clip(random, edits, model, crossfade),
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
            // Trimming to a short part would end the sequence early.
            if range.end - range.start > 8 {
                edits.trim(range.clone());
                *model = model[start..end].to_vec();
            }
            format!("trim {range:?}")
        }
    }
}

/// Makes a random move of a clip or of one of its edges, in both.
fn edit_clip(random: &mut Random, edits: &mut EditList, model: &mut Vec<f32>, crossfade: Crossfade) -> String {
    let index = random.below(edits.clips.len() as u64) as usize;
    let Some(clip) = edits.clips.get(index).filter(|clip| clip.source.is_some() && clip.frames() > 0).cloned() else {
        let refused = edits.edit_clip(index, ClipEdit::Move { to: 0 }, &LENGTHS, crossfade);
        assert!(refused.is_err(), "clip {index} is silence or missing");
        return String::new();
    };
    let range = edits.clip_range(index).unwrap();
    let (start, end) = (range.start as usize, range.end as usize);
    let closes = random.below(2) == 0;
    let by = random.below(60) as i64 - 30;
    let source = clip.source.unwrap();
    // The source at a distance from the clip's start, also before it or after its end.
    let material = |at: i64| {
        let frame = if clip.reversed { clip.end_frame as i64 - 1 - at } else { clip.start_frame as i64 + at };
        u64::try_from(frame).ok().filter(|&frame| frame < LENGTHS[source]).map(|frame| value(source, frame))
    };
    let edit = match random.below(3) {
        0 => ClipEdit::Move { to: random.below(model.len() as u64 + 1) },
        1 => ClipEdit::Start { by, closes },
        _ => ClipEdit::End { by, closes },
    };
    edits.edit_clip(index, edit, &LENGTHS, crossfade).unwrap();
    match edit {
        ClipEdit::Move { to } if to < range.start || to > range.end => {
            let part: Vec<f32> = model.drain(start..end).collect();
            let to = if to > range.end { to as usize - part.len() } else { to as usize };
            model.splice(to..to, part);
        }
        ClipEdit::Start { by, .. } if by > 0 => {
            let by = (by as usize).min(end - start - 1);
            if closes {
                model.drain(start..start + by);
            } else {
                model[start..start + by].fill(0.0);
            }
        }
        ClipEdit::Start { by, .. } => {
            // The revealed samples, backwards from the clip's start, as far as the source reaches.
            let shown = (1..=-by).map_while(|at| material(-at));
            for (at, sample) in shown.enumerate() {
                if closes {
                    model.insert(start, sample);
                } else if at < start {
                    model[start - 1 - at] = sample;
                }
            }
        }
        ClipEdit::End { by, .. } if by < 0 => {
            let by = (by.unsigned_abs() as usize).min(end - start - 1);
            if closes || end == model.len() {
                model.drain(end - by..end);
            } else {
                model[end - by..end].fill(0.0);
            }
        }
        ClipEdit::End { by, .. } => {
            let shown = (0..by).map_while(|at| material(clip.frames() as i64 + at));
            for (at, sample) in shown.enumerate() {
                if closes || end + at >= model.len() {
                    model.insert(end + at, sample);
                } else {
                    model[end + at] = sample;
                }
            }
        }
        _ => {}
    }
    format!("clip {index}: {edit:?}")
}

/// Returns the factor of a fade over `frames` frames at `distance` from its silent end, from the definition.
fn faded(distance: u64, frames: u64) -> f64 {
    if distance >= frames { 1.0 } else { (std::f64::consts::FRAC_PI_2 * (distance as f64 + 0.5) / frames as f64).sin() }
}

#[test]
fn gain_and_fades_of_a_clip_change_that_clip_alone() {
    for seed in 1..=2000u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let (mut edits, mut model) = (whole(0), samples(0));
        for _ in 0..=random.below(8) {
            edit(&mut random, &mut edits, &mut model, Crossfade::NONE);
        }
        let sounding = |index: &usize| edits.clips[*index].source.is_some();
        let Some(index) = (0..edits.clips.len()).rfind(sounding) else { continue };
        let (range, length) = (edits.clip_range(index).unwrap(), edits.clips[index].frames());
        let (fade_in, fade_out) = (random.below(length + 1), random.below(length + 1));
        let db = random.below(400) as f64 / 10.0 - 20.0;
        for edit in
            [ClipEdit::FadeIn { frames: fade_in }, ClipEdit::FadeOut { frames: fade_out }, ClipEdit::Gain { db }]
        {
            edits.edit_clip(index, edit, &LENGTHS, Crossfade::NONE).unwrap();
        }
        // The fades do not overlap: the second gets the length that the first leaves.
        let fade_out = fade_out.min(length - fade_in);
        let factor = |at: u64| 10f64.powf(db / 20.0) * (faded(at, fade_in) * faded(length - 1 - at, fade_out));
        for at in range.clone() {
            let sample = &mut model[at as usize];
            *sample = (f64::from(*sample) * factor(at - range.start)) as f32;
        }
        for (frame, (got, model)) in heard(&edits, 7).iter().zip(&model).enumerate() {
            let nearly = (got - model).abs() <= model.abs() * 1e-6;
            assert!(
                got == model || (range.contains(&(frame as u64)) && nearly),
                "seed {seed}, {frame}: {got}, {model}"
            );
        }
    }
}

#[test]
fn a_moved_edge_keeps_the_fades_of_its_clip_and_the_cross_fades_around_it() {
    let set = Crossfade { frames: 12, shape: FadeShape::Linear };
    let standard = Crossfade { frames: 4, shape: FadeShape::EqualPower };
    let mut edits = whole(2).part(20..60);
    edits.insert(40, whole(0).part(10..30), standard);
    edits.insert(60, whole(2).part(100..150), standard);
    edits.edit_clip(1, ClipEdit::Crossfade { frames: 12, shape: FadeShape::Linear }, &LENGTHS, standard).unwrap();
    edits.edit_clip(1, ClipEdit::FadeOut { frames: 6 }, &LENGTHS, standard).unwrap();
    edits.edit_clip(1, ClipEdit::End { by: 5, closes: false }, &LENGTHS, standard).unwrap();
    assert_eq!(edits.joins(), [40, 65]);
    assert_eq!((edits.clips[1].crossfade, edits.clips[2].crossfade), (set, standard));
    assert_eq!(edits.clips[1].fade_out, Fade::over(6));
    assert_eq!((edits.clips[2].start_frame, edits.frames()), (105, 110));
    // The set cross-fade has its full length.
    let heard_over = edits.crossfades(&LENGTHS)[1];
    assert_eq!((heard_over.before, heard_over.after), (6, 6));
    // An edge that leaves silence is joined to it as edits join; the cross-fade that was set moves with the edge.
    edits.edit_clip(1, ClipEdit::Start { by: 8, closes: false }, &LENGTHS, standard).unwrap();
    assert_eq!(edits.joins(), [40, 48, 65]);
    assert_eq!((edits.clips[1].crossfade, edits.clips[2].crossfade), (standard, set));
    // Adjacent silences become one.
    edits.edit_clip(0, ClipEdit::End { by: -10, closes: false }, &LENGTHS, standard).unwrap();
    assert_eq!(edits.joins(), [30, 48, 65]);
    // No cross-fade where the sound continues.
    let mut edits = whole(2);
    edits.split(100);
    assert!(
        edits.edit_clip(1, ClipEdit::Crossfade { frames: 5, shape: FadeShape::Linear }, &LENGTHS, standard).is_err()
    );
    assert!(
        edits.edit_clip(0, ClipEdit::Crossfade { frames: 5, shape: FadeShape::Linear }, &LENGTHS, standard).is_err()
    );
    // A gain over a whole clip keeps its cross-fades.
    let mut edits = whole(2).part(20..60);
    edits.insert(40, whole(0), set);
    edits.change_gain(40..80, -3.0);
    assert_eq!((edits.clips[1].crossfade, edits.clips[1].gain_db, edits.clips.len()), (set, -3.0, 2));
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
        // Reading from any frame.
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
        let edges = edits.joins();
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
    // If there is no material before the second clip, the whole fade is after its start.
    let mut edits = whole(2).part(0..100);
    edits.insert(100, whole(1), Crossfade { frames: 10, shape: FadeShape::Linear });
    let got = heard(&edits, 1000);
    assert_eq!(got[..92], samples(2)[..92]);
    assert!(got[100] > value(1, 0) && got[108] == value(1, 8), "{:?}", &got[90..110]);
    // Without material on either side, one clip fades to silence and the other from it.
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
        assert_eq!(edits.clips.as_slice(), std::slice::from_ref(&faded), "joined at {cut}");
        let mut backwards = EditList { clips: vec![faded.clone()] };
        backwards.split(cut);
        backwards.reverse(0..200, Crossfade::NONE);
        assert_eq!(heard(&backwards, 7), expected.iter().rev().copied().collect::<Vec<_>>());
        backwards.reverse(0..200, Crossfade::NONE);
        assert_eq!(heard(&backwards, 7), expected);
    }
    assert!(!EditList { clips: vec![faded] }.split(0));
}
